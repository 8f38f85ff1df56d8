# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Reads the tables of a TensorFlow Lite file, a flatbuffer, by the schema of the format.

Each table is checked to lie inside the file, with every field that its vtable names, before a field
is read. All vectors together may be no longer than a file that repeats nothing can make them: a
small damaged file cannot make its reader walk far.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from armnn_py._native.memory.owned import map_file
from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.tflite.schema import ENUMERATIONS, TABLES

if TYPE_CHECKING:
    from armnn_py.frontends.common.source import ModelSource
    from armnn_py.frontends.common.values import Array

DAMAGE = (
    struct.error,
    ValueError,
    TypeError,
    IndexError,
    KeyError,
    AttributeError,
    OverflowError,
)
"""Raised by the reader, and by numpy, on a file that is not what it says."""

_LONGEST_TEXT = 2**16
_SHARED = 8
"""How often a byte of the file may be read: writers share equal tables and vectors, a little."""
_NUMBERS = {code: struct.Struct(f"<{code}") for code in "?bBhHiIqQfd"}
_place_at = _NUMBERS["I"].unpack_from


@functools.cache
def enum_names(enumeration: str) -> dict[int, str]:
    """Return the names of an enumeration of the schema, by number."""
    names: dict[int, str] = {}
    number = 0
    for member in ENUMERATIONS[enumeration].split():
        name, _, stated = member.partition("=")
        number = int(stated or number)
        names[number] = name
        number += 1
    return names


@functools.cache
def _fields_of(fields: str) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """Return the name and kind of each field of a table, and the defaults by name."""
    kinds, defaults = [], {}
    for field in fields.split():
        name, _, kind = field.partition(":")
        kind, _, stated = kind.partition("=")
        default: Any = () if kind.startswith("[") else None
        if kind in _NUMBERS:
            default = {"?": bool, "f": float, "d": float}.get(kind, int)(int(stated or 0))
        kinds.append((name, kind))
        defaults[name] = default
    return kinds, defaults


class _Layout(Struct, frozen=True):
    """Where tables that share a vtable have their fields."""

    extent: int
    """Bytes of such a table."""
    places: dict[str, tuple[int, str]]
    """The distance from the table and the kind of each field that the file has."""
    defaults: dict[str, Any]
    """Values of fields that the file leaves out."""
    plain: list[str]
    """Names of the fields that are numbers, texts, or vectors of numbers."""


class Reader:
    """The bytes of a flatbuffer, and how much of them may still be read.

    Parameters
    ----------
    data
        All bytes, one-dimensional and read-only; weights become views of them.
    tables
        The fields of each kind of table, as the schema has them.
    """

    def __init__(self, data: Array, tables: Mapping[str, str] = TABLES) -> None:
        self.data = data
        self.buffer = memoryview(data.data)
        self._tables = tables
        self._layouts: dict[tuple[int, str], _Layout] = {}
        self._budget = _SHARED * data.size + 2**16

    def root(self) -> Table:
        """Return the model table."""
        if self.data.size < 8 or bytes(self.buffer[4:8]) != b"TFL3":
            raise ValueError("the file does not begin as a TensorFlow Lite model")
        return self.first("Model")

    def first(self, kind: str) -> Table:
        """Return the table that all others are behind."""
        return self.table(_place_at(self.buffer, 0)[0], kind, kind.lower())

    def table(self, place: int, kind: str, what: str) -> Table:
        """Return a table of the file whose fields all lie inside it."""
        size = self.data.size
        if not 4 <= place <= size - 4:
            raise ValueError(f"{what} lies outside the file")
        vtable = place - _NUMBERS["i"].unpack_from(self.buffer, place)[0]
        layout = self._layouts.get((vtable, kind)) or self._layout(vtable, kind, what)
        if place + layout.extent > size:
            raise ValueError(f"{what} is larger than the file")
        self.spend(16)
        return Table(self, place, layout)

    def _layout(self, vtable: int, kind: str, what: str) -> _Layout:
        size = self.data.size
        if not 0 <= vtable <= size - 4:
            raise ValueError(f"{what} has its fields listed outside the file")
        length, extent = struct.unpack_from("<HH", self.buffer, vtable)
        if length < 4 or length % 2 or vtable + length > size:
            raise ValueError(f"{what} is larger than the file")
        slots = struct.unpack_from(f"<{(length - 4) // 2}H", self.buffer, vtable + 4)
        if slots and max(slots) >= max(extent, 4):
            raise ValueError(f"{what} has a field outside of itself")
        kinds, defaults = _fields_of(self._tables[kind])
        fields = zip(kinds, slots, strict=False)
        places = {name: (slot, kind) for (name, kind), slot in fields if slot}
        plain = [n for n, kind in kinds if kind == "s" or kind.removeprefix("[") in _NUMBERS]
        found = self._layouts[vtable, kind] = _Layout(extent, places, defaults, plain)
        return found

    def spend(self, size: int) -> None:
        """Count bytes that are read.

        Raises
        ------
        ValueError
            The file has fewer.
        """
        self._budget -= size
        if self._budget < 0:
            raise ValueError("its tables refer to each other without end")

    def count(self, place: int, what: str) -> int:
        """Return the length of the vector at a place."""
        length = int(_place_at(self.buffer, place)[0])
        if length > self.data.size:
            raise ValueError(f"{what} has {length} elements, more than the file has bytes")
        return length

    def behind(self, place: int, kind: str, what: str) -> Any:
        """Return what the offset at a place leads to; the place itself of a union."""
        place += _place_at(self.buffer, place)[0]
        if kind == "u":
            return place
        if kind == "s":
            return self._text(place, what)
        if not kind.startswith("["):
            return self.table(place, kind, what)
        kind, count = kind[1:], self.count(place, what)
        place += 4
        if kind in _NUMBERS:
            self.spend(16 + count * _NUMBERS[kind].size)
            return struct.unpack_from(f"<{count}{kind}", self.buffer, place)
        self.spend(16 * count)
        offsets = struct.unpack_from(f"<{count}I", self.buffer, place)
        return [
            self.table(place + 4 * index + offset, kind, f"{what} {index}")
            for index, offset in enumerate(offsets)
        ]

    def _text(self, place: int, what: str) -> str:
        length = self.count(place, what)
        self.spend(length)
        if length > _LONGEST_TEXT:
            raise ValueError(f"{what} has {length} characters")
        return str(self.buffer[place + 4 : place + 4 + length], "utf-8", "replace")

    def options(self, kind: int, union: int | None, enumeration: str) -> tuple[str, dict[str, Any]]:
        """Return the class and the fields of the options of an operator, by their schema names.

        Fields that are tables or vectors of tables are left out: no operator that is imported has
        any.
        """
        name = enum_names(enumeration).get(kind, "")
        if not kind or union is None:
            return "", {}
        if name not in TABLES:
            return f"options {kind}", {}
        return name, self.table(union, name, name).plain()


class Table:
    """A table of the file; its fields have the names of the schema."""

    __slots__ = ("_layout", "_place", "_reader")

    def __init__(self, reader: Reader, place: int, layout: _Layout) -> None:
        self._reader, self._place, self._layout = reader, place, layout

    def get(self, field: str) -> Any:
        """Return a field, or its default if the file leaves it out.

        Vectors are tuples of numbers or lists of tables, empty ones if absent; a union is the place
        of its table. Absent texts, tables and unions are ``None``.
        """
        found = self._layout.places.get(field)
        if found is None:
            return self._layout.defaults[field]
        distance, kind = found
        if kind in _NUMBERS:
            return _NUMBERS[kind].unpack_from(self._reader.buffer, self._place + distance)[0]
        return self._reader.behind(self._place + distance, kind, field)

    def array(self, field: str) -> Array | None:
        """Return a vector of numbers as a view of the file; ``None`` for an absent one."""
        distance, kind = self._layout.places.get(field, (0, ""))
        if not distance:
            return None
        reader, place = self._reader, self._place + distance
        reader.spend(16)
        place += _place_at(reader.buffer, place)[0]
        count = reader.count(place, field)
        return np.frombuffer(reader.buffer, np.dtype(f"<{kind[1:]}"), count, place + 4)

    def plain(self) -> dict[str, Any]:
        """Return the fields that are numbers, texts, or vectors of numbers."""
        return {name: value for name in self._layout.plain if (value := self.get(name)) is not None}


def data_of(source: ModelSource) -> Array:
    """Return the bytes of a model: a file is mapped, so that its weights take no memory twice.

    Raises
    ------
    ParseError
        The file is empty or cannot be read.
    """
    if source.path is None:
        return np.frombuffer(source.read(), np.uint8)
    try:
        with open(source.path, "rb") as file:  # noqa: PTH123
            return map_file(file.fileno(), source.path)
    except (OSError, ValueError) as error:
        raise ParseError(
            f"cannot read model {quoted(source.name)}: {error}", path=source.path_text
        ) from error
