# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options of a backend: those that it understands, and their values in C for its functions."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, backend_failure, status_name
from armnn_py._native.table.dynamic_library import is_readable
from armnn_py._native.table.option_descriptions import described
from armnn_py._native.table.option_values import (
    HIDDEN,
    OptionDefault,
    OptionDescription,
    OptionText,
    OptionValue,
    TableError,
    counted_text,
)
from armnn_py._native.texts import counted
from armnn_py.errors import InvalidArgumentError, UnknownNameError
from armnn_py.text import with_article

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "HIDDEN",
    "OptionDefault",
    "OptionDescription",
    "OptionText",
    "OptionValue",
    "TableError",
    "build_options",
    "checked_options",
    "counted_text",
    "read_capabilities",
    "read_model_option_defaults",
    "read_option_defaults",
    "read_run_option_defaults",
    "set_option",
    "visible",
]

_MAX_OPTIONS = 4096


def read_option_defaults(api: abi.armnn_backend_api_t) -> dict[str, OptionDefault]:
    """Return the options that ``create`` understands.

    Raises
    ------
    TableError
        The backend's answer makes no sense.
    """
    defaults = _read_options(api, "get_option_defaults", None, "option", "the default of option")
    return described(api, None, "backend", defaults)


def read_model_option_defaults(
    api: abi.armnn_backend_api_t, backend: Any
) -> dict[str, OptionDefault]:
    """Return the per-model options that an instance understands.

    Raises
    ------
    TableError
        The backend's answer makes no sense.
    """
    defaults = _read_options(
        api, "get_model_option_defaults", backend, "model option", "the default of model option"
    )
    return described(api, backend, "model", defaults)


def read_run_option_defaults(
    api: abi.armnn_backend_api_t, backend: Any
) -> dict[str, OptionDefault]:
    """Return the options of one run that an instance understands.

    Raises
    ------
    TableError
        The backend's answer makes no sense.
    """
    defaults = _read_options(
        api, "get_run_option_defaults", backend, "run option", "the default of run option"
    )
    return described(api, backend, "run", defaults)


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
        if item.flags:
            reason = f"{function} gives {noun} '{name}' flags 0x{item.flags:x}, zero expected"
            raise TableError("table-options", reason)
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
        elif kind in (abi.ARMNN_OPTION_INT, abi.ARMNN_OPTION_UINT):
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
        A value has another type, is out of range or none of the choices. A secret is not shown.
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
        default = defaults[name]
        if isinstance(value, OptionText):
            checked[name] = value = default.read(value)
        if not default.accepts(value):
            raise InvalidArgumentError(
                f"{subject}: option '{name}' is {default.shown(value)}, {default.expected(value)}",
                details=[f"default: {default.shown(default.value)}"],
                hints=default.hints(value),
            )
        if isinstance(value, str):
            _check_text(f"{subject}: option '{name}' is {default.shown(value)}", value)
    return checked


def visible(
    values: Mapping[str, OptionValue], defaults: Mapping[str, OptionDefault]
) -> dict[str, OptionValue]:
    """Return ``values`` for messages; secret ones are hidden."""
    return {
        name: HIDDEN if defaults[name].description.secret else value
        for name, value in values.items()
    }


def _check_text(what: str, value: str) -> None:
    """Refuse a text that has a NUL, or cannot be encoded."""
    fault = "it contains a NUL character" if "\0" in value else ""
    try:
        _bytes_of(value)
    except UnicodeEncodeError as error:
        fault = f"'\\u{ord(value[error.start]):04x}' is not a character"
    if fault:
        raise InvalidArgumentError(f"{what}: {fault}")


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
        made = counted(_bytes_of(value))
        alive.append(made)
        return made

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


def set_option(
    backend_id: str,
    api: abi.armnn_backend_api_t,
    instance: int,
    name: str,
    value: OptionValue,
    default: OptionDefault,
) -> None:
    """Give a changeable option of an instance another value, which was checked.

    Raises
    ------
    BackendError
        The backend does not take it; the old value holds.
    """
    options, alive = build_options({name: value}, {name: default})
    error = ErrorBuffer()
    backend = ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t))
    status = api.set_option(backend, options.items, ctypes.byref(error.struct))
    del alive
    if status != abi.ARMNN_STATUS_OK:
        raise backend_failure(backend_id, f"set_option of '{name}'", status, error)
