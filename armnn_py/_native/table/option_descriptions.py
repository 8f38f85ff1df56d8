# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Descriptions of a backend's options, read from C and checked against their defaults."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.table.dynamic_library import is_readable
from armnn_py._native.table.option_values import (
    NUMBER_RANGES,
    OptionDefault,
    OptionDescription,
    TableError,
    counted_text,
)
from armnn_py.text import with_article

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Scopes by name, as users read them, with the noun for messages.
SCOPES = {
    "backend": abi.ARMNN_OPTION_SCOPE_BACKEND,
    "model": abi.ARMNN_OPTION_SCOPE_MODEL,
    "run": abi.ARMNN_OPTION_SCOPE_RUN,
}

_Struct = abi.armnn_option_description_t
_MAX_CHOICES = 4096
_FLAGS = {
    name.removeprefix("ARMNN_OPTION_").lower(): value
    for name, value in abi.ENUMS["armnn_option_bits_e"].items()
    if "MAX_ENUM" not in name
}


def described(
    api: abi.armnn_backend_api_t, backend: Any, scope: str, defaults: Mapping[str, OptionDefault]
) -> dict[str, OptionDefault]:
    """Return ``defaults``, in the order of the backend's array, with their descriptions.

    Raises
    ------
    TableError
        A description makes no sense, or its option's default does not keep to it.
    """
    if not api.describe_option:
        return dict(defaults)
    result = {}
    for index, (name, default) in enumerate(defaults.items()):
        address = api.describe_option(backend, SCOPES[scope], index) or 0
        if address:
            what = f"the description of {scope} option '{name}'"
            description = _read(address, what, default, scope)
            if description.changeable and not api.set_option:
                raise TableError(
                    "table-options",
                    f"{what} says that it is changeable, but there is no set_option",
                )
            default = OptionDefault(default.type, default.value, description)
            _check_default(what, default)
        result[name] = default
    return result


def _read(address: int, what: str, default: OptionDefault, scope: str) -> OptionDescription:
    if not is_readable(address, ctypes.sizeof(abi.armnn_header_t)):
        raise TableError("table-options", f"{what} cannot be read")
    header = abi.armnn_header_t.from_address(address)
    if header.struct_type != abi.ARMNN_STRUCT_OPTION_DESCRIPTION:
        raise TableError(
            "table-options",
            f"{what} has tag 0x{header.struct_type:08x} where "
            f"0x{abi.ARMNN_STRUCT_OPTION_DESCRIPTION:08x} belongs",
        )
    size = ctypes.sizeof(_Struct)  # nothing was added to its first version
    if header.struct_size < size or not is_readable(address, size):
        reason = f"{what} says it has {header.struct_size} bytes, {size} readable ones are needed"
        raise TableError("table-options", reason)
    struct = _Struct.from_address(address)
    unknown = int(struct.flags) & ~sum(_FLAGS.values())
    if unknown:
        bits = ", ".join(str(bit) for bit in range(32) if unknown >> bit & 1)
        raise TableError(
            "table-options",
            f"{what} has flags 0x{struct.flags:x} with bits that mean nothing: {bits}",
            "use the enumerators of armnn_option_bits_e, and zero for all else",
        )
    changeable = bool(struct.flags & _FLAGS["changeable"])
    if changeable and scope != "backend":
        reason = f"{what} says that it is changeable, which only an option of the backend can be"
        raise TableError("table-options", reason)
    minimum, maximum = _range(struct, what, default)
    return OptionDescription(
        _text(struct.help, f"the help of {what}"),
        _text(struct.unit, f"the unit of {what}"),
        minimum,
        maximum,
        _choices(struct, what, default, has_range=minimum is not None),
        bool(struct.flags & _FLAGS["secret"]),
        changeable,
    )


def _range(struct: Any, what: str, default: OptionDefault) -> tuple[Any, Any]:
    """The least and the greatest value; None twice: any."""
    whole = int(struct.minimum), int(struct.maximum)
    real = float(struct.real_minimum), float(struct.real_maximum)
    is_whole = default.type in NUMBER_RANGES
    is_real = default.type == abi.ARMNN_OPTION_FLOAT
    kind = with_article(default.type_name)
    if any(whole) and not is_whole:
        reason = f"{what} has minimum {whole[0]} and maximum {whole[1]}, which {kind} has not"
        raise TableError("table-options", reason)
    if any(real) and not is_real:
        reason = f"{what} has real_minimum {real[0]} and real_maximum {real[1]}"
        raise TableError("table-options", f"{reason}, which {kind} has not")
    pair: tuple[Any, Any] = real if is_real else whole
    if not any(pair):
        return None, None
    if any(math.isnan(value) for value in pair) or pair[0] > pair[1]:
        raise TableError("table-options", f"{what} has the range {pair[0]} to {pair[1]}")
    if is_whole and pair[0] < NUMBER_RANGES[default.type][0]:
        raise TableError(
            "table-options", f"{what} has minimum {pair[0]}, which no {default.type_name} is"
        )
    return pair


def _choices(
    struct: Any, what: str, default: OptionDefault, *, has_range: bool
) -> tuple[int | str, ...]:
    count = int(struct.choice_count)
    if not count:
        return ()
    address = ctypes.cast(struct.choices, ctypes.c_void_p).value or 0
    size = count * ctypes.sizeof(abi.armnn_string_t)
    if count > _MAX_CHOICES or not is_readable(address, size):
        raise TableError("table-options", f"{what} has {count} unreadable choices")
    is_whole = default.type in NUMBER_RANGES
    kind = with_article(default.type_name)
    if not is_whole and default.type != abi.ARMNN_OPTION_STRING:
        raise TableError("table-options", f"{what} has choices, which {kind} has not")
    if has_range:
        raise TableError("table-options", f"{what} has a range and choices: one of them is enough")
    choices: list[int | str] = []
    for number, item in enumerate((abi.armnn_string_t * count).from_address(address)):
        text = _text(item, f"choice {number} of {what}")
        choice = default.read(text) if is_whole else text
        if not default.accepts(choice) or choice in choices:
            fault = "twice" if choice in choices else f"which is not of type {default.type_name}"
            raise TableError("table-options", f"{what} has the choice '{text}', {fault}")
        choices.append(choice)  # type: ignore[arg-type]
    return tuple(choices)


def _text(text: abi.armnn_string_t, what: str) -> str:
    """One line of UTF-8."""
    value = counted_text(text, what)
    if "\ufffd" in value or not value.isprintable():
        raise TableError("table-options", f"{what} is not a line of UTF-8")
    return value


def _check_default(what: str, default: OptionDefault) -> None:
    if not default.accepts(default.value):
        value = default.shown(default.value)
        raise TableError(
            "table-options", f"{what} does not allow its default {value}: {default.expected(None)}"
        )
