# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options of a backend: those that it understands, and their values in C for ``create``."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, status_name
from armnn_py._native.dynamic_library import is_readable
from armnn_py.errors import InvalidArgumentError, UnknownNameError
from armnn_py.records import record
from armnn_py.text import with_article

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "OptionDefault",
    "OptionText",
    "OptionValue",
    "TableError",
    "build_options",
    "checked_options",
    "counted_text",
    "read_capabilities",
    "read_model_option_defaults",
    "read_option_defaults",
]

OptionValue = bool | int | float | str

_MAX_OPTIONS = 4096


class TableError(Exception):
    """A backend's table, or an answer of its functions, cannot be used.

    ``unloadable`` says whether the library may be closed: not after a call into a library that does
    not follow this API, nor if the library asks to stay.
    """

    def __init__(self, code: str, reason: str, hint: str = "", *, unloadable: bool = True) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.hint = hint
        self.unloadable = unloadable


_OPTION_TYPES: dict[int, tuple[type, ...]] = {
    abi.ARMNN_OPTION_BOOL: (bool,),
    abi.ARMNN_OPTION_INT: (int,),
    abi.ARMNN_OPTION_UINT: (int,),
    abi.ARMNN_OPTION_FLOAT: (float, int),
    abi.ARMNN_OPTION_STRING: (str,),
}


# One signed member of the structure holds both types.
_RANGES: dict[int, tuple[int, int]] = {
    abi.ARMNN_OPTION_INT: (-(2**63), 2**63 - 1),
    abi.ARMNN_OPTION_UINT: (0, 2**63 - 1),
}


class OptionText(str):
    """A value as typed text; it is converted once the option's type is known."""

    __slots__ = ()


@record
class OptionDefault:
    """An option that a backend understands: its type (ARMNN_OPTION_*) and its default."""

    type: int
    value: OptionValue

    @property
    def type_name(self) -> str:
        """Name of the type: bool, int, uint, float or string."""
        return ("bool", "int", "uint", "float", "string")[self.type]

    def read(self, text: str) -> OptionValue:
        """Return ``text`` converted to this type; the text itself if it cannot be."""
        plain = str(text)
        if self.type == abi.ARMNN_OPTION_BOOL:
            return {"true": True, "1": True, "false": False, "0": False}.get(plain.lower(), plain)
        try:
            if self.type == abi.ARMNN_OPTION_FLOAT:
                return float(plain)
            if self.type in (abi.ARMNN_OPTION_INT, abi.ARMNN_OPTION_UINT):
                return int(plain)
        except ValueError:
            pass
        return plain

    def accepts(self, value: object) -> bool:
        """Say whether ``value`` is of this type and in its range."""
        if isinstance(value, bool) and self.type != abi.ARMNN_OPTION_BOOL:
            return False
        if not isinstance(value, _OPTION_TYPES[self.type]):
            return False
        if isinstance(value, int) and self.type in _RANGES:
            least, most = _RANGES[self.type]
            return least <= value <= most
        return True

    def expected(self, value: object) -> str:
        """Describe the accepted values; with their range if ``value`` is a number out of it."""
        if isinstance(value, int) and not isinstance(value, bool) and self.type in _RANGES:
            least, most = _RANGES[self.type]
            return f"a value of type {self.type_name} from {least} to {most} expected"
        return f"a value of type {self.type_name} expected"


def counted_text(text: abi.armnn_string_t, what: str) -> str:
    """Copy a text of a backend; raises TableError if it cannot be read."""
    address = ctypes.cast(text.data, ctypes.c_void_p).value or 0
    size = int(text.size)
    if not size:
        return ""
    if size > 1 << 16 or not is_readable(address, size):
        raise TableError("table-options", f"{what} cannot be read")
    return ctypes.string_at(address, size).decode("utf-8", "replace")


def read_option_defaults(api: abi.armnn_backend_api_t) -> dict[str, OptionDefault]:
    """Return the options that ``create`` understands.

    Raises
    ------
    TableError
        The backend's answer makes no sense.
    """
    return _read_options(api, "get_option_defaults", None, "option", "the default of option")


def read_model_option_defaults(
    api: abi.armnn_backend_api_t, backend: Any
) -> dict[str, OptionDefault]:
    """Return the per-model options that an instance understands.

    Raises
    ------
    TableError
        The backend's answer makes no sense.
    """
    return _read_options(
        api, "get_model_option_defaults", backend, "model option", "the default of model option"
    )


def read_capabilities(api: abi.armnn_backend_api_t, backend: Any) -> dict[str, OptionValue]:
    """Return the capabilities of an instance: named values.

    Raises
    ------
    TableError
        The backend's answer makes no sense.
    """
    values = _read_options(api, "get_capabilities", backend, "capability", "the capability")
    return {name: item.value for name, item in values.items()}


def _read_options(
    api: abi.armnn_backend_api_t, function: str, backend: Any, noun: str, value_of: str
) -> dict[str, OptionDefault]:
    """Call a function of the table that returns a static array of named values."""
    call = getattr(api, function)
    if not call:
        return {}
    options, error = abi.armnn_options_t(), ErrorBuffer()
    status = call(backend, ctypes.byref(options), ctypes.byref(error.struct))
    if status != abi.ARMNN_STATUS_OK:
        reason = f"{function} failed: {error.text or status_name(status)}"
        raise TableError("table-options", reason)
    count = int(options.count)
    address = ctypes.cast(options.items, ctypes.c_void_p).value or 0
    if not count:
        return {}
    size = count * ctypes.sizeof(abi.armnn_option_t)
    if count > _MAX_OPTIONS or not is_readable(address, size):
        raise TableError("table-options", f"{function} names {count} unreadable options")
    defaults: dict[str, OptionDefault] = {}
    for item in (abi.armnn_option_t * count).from_address(address):
        name = counted_text(item.name, f"the name of an answer of {function}")
        fault = _fault_of_name(name, noun) or (f"{noun} '{name}' twice" if name in defaults else "")
        if fault:
            raise TableError("table-options", f"{function} names {fault}")
        kind = int(item.type)
        value: OptionValue
        if kind == abi.ARMNN_OPTION_STRING:
            value = counted_text(item.string, f"{value_of} '{name}'")
        elif kind == abi.ARMNN_OPTION_FLOAT:
            value = float(item.real)
        elif kind == abi.ARMNN_OPTION_BOOL:
            if item.integer not in (0, 1):
                reason = f"{value_of} '{name}' is {item.integer}, 0 or 1 expected for a bool"
                raise TableError("table-options", reason)
            value = bool(item.integer)
        elif kind in _OPTION_TYPES:
            value = int(item.integer)
            if kind == abi.ARMNN_OPTION_UINT and value < 0:
                reason = f"{value_of} '{name}' is {value}, 0 or more expected for a uint"
                raise TableError("table-options", reason)
        else:
            raise TableError("table-options", f"{noun} '{name}' has unknown type {kind}")
        defaults[name] = OptionDefault(kind, value)
    return defaults


def _fault_of_name(name: str, noun: str) -> str:
    """The fault of a name; "" if it can be printed and, for an option, typed."""
    thing = with_article(noun)
    if not name:
        return f"{thing} without a name"
    if not name.isprintable() or name != name.strip() or "\ufffd" in name:
        return f"{thing} {name!r}, which cannot be printed"
    if "option" in noun and ("=" in name or "." in name):
        return f"{thing} '{name}', but users write ID.NAME=VALUE: no '=' and no '.'"
    return ""


def checked_options(
    subject: str, values: Mapping[str, Any], defaults: Mapping[str, OptionDefault]
) -> dict[str, OptionValue]:
    """Return ``values``, checked against ``defaults``; typed text is converted.

    Raises
    ------
    UnknownNameError
        There is no such option; the hint lists similar names.
    InvalidArgumentError
        A value has another type, or is out of range.
    """
    checked = dict(values)
    for name, value in list(checked.items()):
        if name not in defaults:
            raise UnknownNameError(
                f"{subject}: option '{name}' is unknown",
                name=str(name),
                valid=list(defaults),
                details=() if defaults else ["this backend has no options"],
            )
        if isinstance(value, OptionText):
            checked[name] = value = defaults[name].read(value)
        if not defaults[name].accepts(value):
            raise InvalidArgumentError(
                f"{subject}: option '{name}' is {value!r}, {defaults[name].expected(value)}",
                details=[f"default: {defaults[name].value!r}"],
            )
        if isinstance(value, str):
            _check_text(f"{subject}: option '{name}'", value)
    return checked


def _check_text(what: str, value: str) -> None:
    """Refuse a text that has a NUL, or cannot be encoded."""
    fault = "it contains a NUL character" if "\0" in value else ""
    try:
        _bytes_of(value)
    except UnicodeEncodeError as error:
        fault = f"'\\u{ord(value[error.start]):04x}' is no character"
    if fault:
        raise InvalidArgumentError(f"{what} is {value!r}: {fault}")


def _bytes_of(text: str) -> bytes:
    """Text for C; a path that is not UTF-8 keeps its bytes, as with `os.fsencode`."""
    return text.encode("utf-8", "surrogateescape")


def build_options(
    values: Mapping[str, OptionValue], defaults: Mapping[str, OptionDefault]
) -> tuple[abi.armnn_options_t, Sequence[Any]]:
    """Return the C form, and the objects that must live as long."""
    items = (abi.armnn_option_t * max(1, len(values)))()
    alive: list[Any] = [items]

    def text(value: str) -> abi.armnn_string_t:
        data = _bytes_of(value)
        buffer = ctypes.create_string_buffer(data)
        alive.append(buffer)
        return abi.armnn_string_t(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_char)), len(data))

    for item, (name, value) in zip(items, values.items(), strict=False):
        item.name = text(name)
        item.type = defaults[name].type
        if item.type == abi.ARMNN_OPTION_STRING:
            item.string = text(str(value))
        elif item.type == abi.ARMNN_OPTION_FLOAT:
            item.real = float(value)
        else:
            item.integer = int(value)
    options = abi.armnn_options_t(
        ctypes.cast(items, ctypes.POINTER(abi.armnn_option_t)), len(values)
    )
    return options, alive
