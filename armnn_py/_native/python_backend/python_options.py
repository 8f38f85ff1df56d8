# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options of a backend that is written in Python, as C reads them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Protocol

from armnn_py._native import abi
from armnn_py._native.table.backend_options import OptionDefault, OptionDescription, build_options
from armnn_py._native.texts import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py._native.table.backend_options import OptionValue

_TYPES: dict[type, int] = {
    bool: abi.ARMNN_OPTION_BOOL,
    int: abi.ARMNN_OPTION_INT,
    float: abi.ARMNN_OPTION_FLOAT,
    str: abi.ARMNN_OPTION_STRING,
}
#: Limits where only the other one is given.
_LEAST: dict[type, float] = {int: -(2**63), float: float("-inf")}
_MOST: dict[type, float] = {int: 2**63 - 1, float: float("inf")}


class Described(Protocol):
    """An ``Option`` of ``armnn_py.python_backend``."""

    @property
    def help(self) -> str:
        """One line."""

    @property
    def unit(self) -> str:
        """Of a number."""

    @property
    def minimum(self) -> int | float | None:
        """The least value, or None."""

    @property
    def maximum(self) -> int | float | None:
        """The greatest value, or None."""

    @property
    def choices(self) -> Sequence[int | str]:
        """The only values."""

    @property
    def secret(self) -> bool:
        """Whether the value is shown nowhere."""

    @property
    def changeable(self) -> bool:
        """Whether set_option takes it."""


def option_default(value: OptionValue, said: Described | None = None) -> OptionDefault:
    """A default with its type, and what is said of the option."""
    kind = _TYPES[type(value)]
    if said is None:
        return OptionDefault(kind, value)
    least, most = said.minimum, said.maximum
    if least is not None or most is not None:
        least = _LEAST.get(type(value)) if least is None else least
        most = _MOST.get(type(value)) if most is None else most
    description = OptionDescription(
        said.help, said.unit, least, most, tuple(said.choices), bool(said.secret),
        bool(said.changeable),
    )  # fmt: skip
    return OptionDefault(kind, value, description)


class StaticOptions:
    """A static answer of named values, as ``armnn_options_t``, with descriptions."""

    def __init__(self, defaults: Mapping[str, OptionDefault]) -> None:
        values = {name: default.value for name, default in defaults.items()}
        self._options, alive = build_options(values, defaults)
        self._alive: list[Any] = [alive]
        self._descriptions = [self._describe(default) for default in defaults.values()]

    def write(self, out: Any) -> None:
        """Fill an ``armnn_options_t``."""
        out.contents.items = self._options.items
        out.contents.count = self._options.count

    def description(self, index: int) -> int:
        """Address of the description of an option."""
        return ctypes.addressof(self._descriptions[index])

    def _text(self, value: object) -> abi.armnn_string_t:
        text = counted(str(value))
        self._alive.append(text)
        return text

    def _describe(self, default: OptionDefault) -> abi.armnn_option_description_t:
        said = default.description
        struct = abi.armnn_option_description_t()
        struct.header.struct_size = ctypes.sizeof(struct)
        struct.header.struct_type = abi.ARMNN_STRUCT_OPTION_DESCRIPTION
        struct.flags = (abi.ARMNN_OPTION_SECRET if said.secret else 0) | (
            abi.ARMNN_OPTION_CHANGEABLE if said.changeable else 0
        )
        struct.help, struct.unit = self._text(said.help), self._text(said.unit)
        if said.minimum is not None and said.maximum is not None:
            if default.type == abi.ARMNN_OPTION_FLOAT:
                struct.real_minimum, struct.real_maximum = said.minimum, said.maximum
            else:
                struct.minimum, struct.maximum = int(said.minimum), int(said.maximum)
        choices = (abi.armnn_string_t * max(1, len(said.choices)))()
        for index, choice in enumerate(said.choices):
            choices[index] = self._text(choice)
        self._alive.append(choices)
        struct.choices = ctypes.cast(choices, ctypes.POINTER(abi.armnn_string_t))
        struct.choice_count = len(said.choices)
        return struct
