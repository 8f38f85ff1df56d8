# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Values of options: what one option of a backend takes, and how that is said."""

from __future__ import annotations

import ctypes

from msgspec import Struct

from armnn_py._native import abi
from armnn_py._native.table.dynamic_library import is_readable
from armnn_py.errors import near_names

OptionValue = bool | int | float | str

#: What is shown instead of a value that is secret.
HIDDEN = "(secret)"


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


_TYPES: dict[int, tuple[type, ...]] = {
    abi.ARMNN_OPTION_BOOL: (bool,),
    abi.ARMNN_OPTION_INT: (int,),
    abi.ARMNN_OPTION_UINT: (int,),
    abi.ARMNN_OPTION_FLOAT: (float, int),
    abi.ARMNN_OPTION_STRING: (str,),
}

#: Whole numbers by type: one signed member of the structure holds both.
NUMBER_RANGES: dict[int, tuple[int, int]] = {
    abi.ARMNN_OPTION_INT: (-(2**63), 2**63 - 1),
    abi.ARMNN_OPTION_UINT: (0, 2**63 - 1),
}


class OptionText(str):
    """A value as typed text; it is converted once the option's type is known."""

    __slots__ = ()


class OptionDescription(Struct, frozen=True):
    """A backend's description of an option; ``minimum`` and ``maximum`` are None together."""

    help: str = ""
    unit: str = ""
    minimum: int | float | None = None
    maximum: int | float | None = None
    choices: tuple[int | str, ...] = ()
    secret: bool = False
    changeable: bool = False


_NOTHING_SAID = OptionDescription()


class OptionDefault(Struct, frozen=True):
    """An option that a backend understands: its type (ARMNN_OPTION_*) and its default."""

    type: int
    value: OptionValue
    description: OptionDescription = _NOTHING_SAID

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
        """Say whether ``value`` is of this type, in its range and one of its choices."""
        if not self._is_of_type(value):
            return False
        said = self.description
        if said.choices:
            return value in said.choices
        if said.minimum is None or said.maximum is None:
            return True
        return isinstance(value, (int, float)) and said.minimum <= value <= said.maximum

    def _is_of_type(self, value: object) -> bool:
        if isinstance(value, bool) and self.type != abi.ARMNN_OPTION_BOOL:
            return False
        if not isinstance(value, _TYPES[self.type]):
            return False
        if isinstance(value, int) and self.type in NUMBER_RANGES:
            least, most = NUMBER_RANGES[self.type]
            return least <= value <= most
        return True

    def expected(self, value: object) -> str:
        """Describe the accepted values; for a number out of range, with the range of its type."""
        said = self.description
        if said.choices:
            return f"one of {', '.join(map(repr, said.choices))} expected"
        words = f"a value of type {self.type_name}"
        unit = f" {said.unit}" if said.unit else ""
        if said.minimum is not None:
            return f"{words} from {said.minimum} to {said.maximum}{unit} expected"
        if isinstance(value, int) and not isinstance(value, bool) and self.type in NUMBER_RANGES:
            least, most = NUMBER_RANGES[self.type]
            return f"{words} from {least} to {most} expected"
        return f"{words} expected"

    def shown(self, value: object) -> str:
        """``value`` as messages show it; a secret one is hidden."""
        return HIDDEN if self.description.secret else repr(value)

    def hints(self, value: object) -> list[str]:
        """Return a hint with the choice that is most like a text."""
        if self.description.secret or not isinstance(value, str):
            return []
        near = near_names(value, [str(choice) for choice in self.description.choices])
        return [f"did you mean '{near[0]}'?"] if near else []


def counted_text(text: abi.armnn_string_t, what: str) -> str:
    """Copy a text of a backend; raises TableError if it cannot be read."""
    address = ctypes.cast(text.data, ctypes.c_void_p).value or 0
    size = int(text.size)
    if not size:
        return ""
    if size > 1 << 16 or not is_readable(address, size):
        raise TableError("table-options", f"{what} cannot be read")
    return ctypes.string_at(address, size).decode("utf-8", "replace")
