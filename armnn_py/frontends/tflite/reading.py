# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Reads the tables of a TensorFlow Lite file by the classes of the package ``tflite``.

The classes believe what a file says. Here each table is checked to lie inside the file, with every
field that its vtable names, before a field is read, and all vectors together may be no longer than
a file that repeats nothing can make them: a small damaged file cannot make its reader walk far.
"""

from __future__ import annotations

import importlib
import re
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native.memory.owned import map_file
from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import quoted

if TYPE_CHECKING:
    from armnn_py.frontends.common.source import ModelSource
    from armnn_py.frontends.common.values import Array

__all__ = ["DAMAGE", "Reader", "enum_names", "schema"]

DAMAGE = (
    struct.error,
    ValueError,
    TypeError,
    IndexError,
    KeyError,
    AttributeError,
    OverflowError,
)
"""Raised by the classes of the schema, and by numpy, on a file that is not what it says."""

_LONGEST_TEXT = 2**16
_SHARED = 8
"""How often a byte of the file may be read: writers share equal tables and vectors, a little."""
_SKIPPED = re.compile(r"_|Init$|GetRootAs|.*(BufferHasIdentifier|Length|AsNumpy|IsNone)$")


def schema() -> Any:
    """Return the package that has the classes and enumerations of the format."""
    return importlib.import_module("tflite")


_NAMES: dict[str, dict[int, str]] = {}


def enum_names(enumeration: str) -> dict[int, str]:
    """Return the names of an enumeration of the schema, by number."""
    found = _NAMES.get(enumeration)
    if found is None:
        members = vars(getattr(schema(), enumeration))
        found = {value: name for name, value in members.items() if isinstance(value, int)}
        _NAMES[enumeration] = found
    return found


class Reader:
    """The bytes of a model, and how much of them may still be read.

    Parameters
    ----------
    data
        All bytes, one-dimensional and read-only; weights become views of them.
    """

    def __init__(self, data: Array) -> None:
        self.data = data
        self.buffer = memoryview(data.data)
        self._budget = _SHARED * data.size + 2**16

    def root(self) -> Any:
        """Return the model table."""
        if self.data.size < 8 or bytes(self.buffer[4:8]) != b"TFL3":
            raise ValueError("the file does not begin as a TensorFlow Lite model")
        return self.table(schema().Model.GetRootAs(self.buffer, 0), "model")

    def table(self, table: Any, what: str) -> Any:
        """Return a table of the file whose fields all lie inside it."""
        if table is None:
            raise ValueError(f"{what} is missing")
        place, size = table._tab.Pos, self.data.size
        if not 4 <= place <= size - 4:
            raise ValueError(f"{what} lies outside the file")
        vtable = place - struct.unpack_from("<i", self.buffer, place)[0]
        if not 0 <= vtable <= size - 4:
            raise ValueError(f"{what} has its fields listed outside the file")
        length, extent = struct.unpack_from("<HH", self.buffer, vtable)
        if length < 4 or length % 2 or vtable + length > size or place + extent > size:
            raise ValueError(f"{what} is larger than the file")
        if length > 4:
            fields = struct.unpack_from(f"<{(length - 4) // 2}H", self.buffer, vtable + 4)
            if max(fields) >= max(extent, 4):
                raise ValueError(f"{what} has a field outside of itself")
        self._spend(16)
        return table

    def _spend(self, size: int) -> None:
        self._budget -= size
        if self._budget < 0:
            raise ValueError("its tables refer to each other without end")

    def count(self, table: Any, field: str) -> int:
        """Return the length of a vector; 0 for an absent one."""
        length = int(getattr(table, f"{field}Length")())
        if length > self.data.size:
            raise ValueError(f"{field} has {length} elements, more than the file has bytes")
        return length

    def tables(self, table: Any, field: str) -> list[Any]:
        """Return the tables of a vector of them."""
        length = self.count(table, field)
        self._spend(16 * length)
        get = getattr(table, field)
        return [self.table(get(index), f"{field} {index}") for index in range(length)]

    def array(self, table: Any, field: str) -> Array | None:
        """Return a vector of numbers as a view of the file; ``None`` for an absent one."""
        found = getattr(table, f"{field}AsNumpy")()
        if not isinstance(found, np.ndarray):  # the number 0
            return None
        self._spend(16)
        return found

    def integers(self, table: Any, field: str) -> tuple[int, ...]:
        """Return a vector of integers, an absent one as an empty one."""
        found = self.array(table, field)
        if found is None:
            return ()
        self._spend(found.nbytes)
        return tuple(found.tolist())

    def numbers(self, table: Any, field: str) -> tuple[float, ...]:
        """Return a vector of floats, an absent one as an empty one."""
        found = self.array(table, field)
        if found is None:
            return ()
        self._spend(found.nbytes)
        return tuple(found.tolist())

    def text(self, given: Any, what: str) -> str:
        """Return a string, an absent one as an empty one."""
        if given is None or given == 0:
            return ""
        if not isinstance(given, bytes):
            raise ValueError(f"{what} is not text")
        self._spend(len(given))
        if len(given) > _LONGEST_TEXT:
            raise ValueError(f"{what} has {len(given)} characters")
        return given.decode("utf-8", "replace")

    def options(self, kind: int, union: Any, enumeration: str) -> tuple[str, dict[str, Any]]:
        """Return the class and the fields of the options of an operator, by their schema names.

        Fields that are tables or vectors of tables are left out: no operator that is imported has
        any.
        """
        name = enum_names(enumeration).get(kind, "")
        if not kind or union is None:
            return "", {}
        cls = getattr(schema(), name, None)
        if cls is None:
            return f"options {kind}", {}
        table = cls()
        table.Init(self.buffer, union.Pos)
        self.table(table, name)
        return name, {
            _snake(field): value
            for field in _fields(cls)
            if (value := self._field(table, field)) is not None
        }

    def _field(self, table: Any, field: str) -> Any:
        if hasattr(table, f"{field}AsNumpy"):
            found = self.array(table, field)
            if found is None:
                return ()
            self._spend(found.nbytes)
            return tuple(found.tolist())
        if hasattr(table, f"{field}Length"):
            return None
        value = getattr(table, field)()
        if isinstance(value, bytes):
            return self.text(value, field)
        return value if isinstance(value, (bool, int, float)) else None


_FIELDS: dict[type, tuple[str, ...]] = {}


def _fields(cls: type) -> tuple[str, ...]:
    found = _FIELDS.get(cls)
    if found is None:
        names = (n for n, v in vars(cls).items() if callable(v) and not _SKIPPED.match(n))
        found = _FIELDS[cls] = tuple(names)
    return found


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


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
