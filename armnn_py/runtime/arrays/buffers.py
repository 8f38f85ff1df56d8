# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Aligned arrays, and the checks of arrays for inputs and outputs."""

from __future__ import annotations

import itertools
import logging
import math
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from armnn_py._native.memory.addresses import address_of, address_of_buffer, buffer_kind
from armnn_py._native.table.dynamic_library import is_readable, is_readable_behind
from armnn_py.errors import InvalidArgumentError
from armnn_py.runtime.arrays.external_arrays import bind_external
from armnn_py.tensors import StringInfo
from armnn_py.tensors.constants import is_masked
from armnn_py.tensors.memory import aligned_copy
from armnn_py.tensors.strings import as_strings
from armnn_py.text import counted
from armnn_py.types import DataType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from armnn_py.tensors import TensorInfo

_logger = logging.getLogger("armnn_py.runtime")
_BYTE = np.dtype(np.uint8)
_OF_PACKAGES = 256
"""Numbers of dtypes from here on are not numpy's own."""
_SMALL = 1 << 12
_TABLE = 1 << 11
"""Bytes of a table of arrays, of which each is at most a quarter."""
_empty = np.empty
_ndarray = np.ndarray


class Room:
    """Makes uninitialised arrays of one shape that start at a multiple of ``alignment``.

    Attributes
    ----------
    size
        Bytes of the elements.
    """

    __slots__ = ("_alignment", "_dtype", "_shape", "_spacious", "size")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], alignment: int) -> None:
        self.size = math.prod(shape) * dtype.itemsize
        self._shape = shape
        self._dtype = dtype
        self._alignment = alignment
        self._spacious = self.size + alignment

    def take(self) -> tuple[np.ndarray, int]:
        """A fresh array and the address of its data."""
        raw = _empty(self._spacious, _BYTE)
        address = address_of(raw)
        offset = -address % self._alignment
        return _ndarray(self._shape, self._dtype, raw, offset), address + offset


class _SmallRoom(Room):
    """The same for few bytes, which are cleared faster than numpy tells an address."""

    __slots__ = ("_make",)

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], alignment: int) -> None:
        super().__init__(shape, dtype, alignment)
        self._make = buffer_kind(self._spacious)

    def take(self) -> tuple[np.ndarray, int]:
        raw: Any = self._make()
        address = address_of_buffer(raw)
        offset = -address % self._alignment
        return _ndarray(self._shape, self._dtype, raw, offset), address + offset


class _RowRoom(Room):
    """The same for very few bytes: rows of a table, which is cheaper than a buffer for each array.

    A row that somebody keeps keeps its table, of at most `_TABLE` bytes.
    """

    __slots__ = ("_make", "_rows", "_step", "_steps", "_table")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], alignment: int) -> None:
        super().__init__(shape, dtype, alignment)
        self._step = -(-self.size // alignment) * alignment
        count = _TABLE // self._step
        self._table = (count, *shape)
        self._steps = (self._step, *_empty(shape, dtype).strides)
        self._make = buffer_kind(count * self._step + alignment)
        self._rows: Iterator[tuple[np.ndarray, int]] = iter(())

    def take(self) -> tuple[np.ndarray, int]:
        row = next(self._rows, None)
        if row is not None:
            return row
        raw: Any = self._make()
        address = address_of_buffer(raw)
        offset = -address % self._alignment
        table = _ndarray(self._table, self._dtype, raw, offset, self._steps)
        rows = zip(table, itertools.count(address + offset, self._step), strict=False)
        row = next(rows)
        self._rows = rows
        return row


class _RoomWithEnd(Room):
    """The same, and what is behind an array can be read by ``readable`` bytes.

    The end lies in the page of the last byte, so that it is certain; with an alignment of whole
    pages that cannot be had.
    """

    __slots__ = ("_readable",)

    def __init__(
        self, shape: tuple[int, ...], dtype: np.dtype[Any], alignment: int, readable: int
    ) -> None:
        super().__init__(shape, dtype, alignment)
        self._readable = readable
        self._spacious += alignment + readable

    def take(self) -> tuple[np.ndarray, int]:
        raw = _empty(self._spacious, _BYTE)
        address = address_of(raw)
        offset = -address % self._alignment
        if not is_readable_behind(address + offset, self.size, self._readable):
            offset += self._alignment
        return _ndarray(self._shape, self._dtype, raw, offset), address + offset


def make_room(shape: tuple[int, ...], dtype: np.dtype[Any], alignment: int, readable: int) -> Room:
    """Room for arrays behind which so many bytes can be read."""
    if readable:
        return _RoomWithEnd(shape, dtype, alignment, readable)
    room = Room(shape, dtype, alignment)
    if shape and 0 < room.size <= _TABLE // 4 and alignment <= _TABLE // 4:
        return _RowRoom(shape, dtype, alignment)
    return _SmallRoom(shape, dtype, alignment) if room.size <= _SMALL else room


def readable_copy(value: np.ndarray, alignment: int, readable: int) -> np.ndarray:
    """Return ``value`` itself if it is aligned and so many bytes behind it can be read.

    Otherwise a read-only copy.
    """
    value = aligned_copy(value, alignment)
    if is_readable_behind(value.ctypes.data, value.nbytes, readable):
        return value
    copy, _ = make_room(value.shape, value.dtype, alignment, readable).take()
    copy[...] = value
    copy.flags.writeable = False
    return copy


def _as_array(what: str, name: str, value: Any) -> np.ndarray:
    """Take anything with the DLPack, array or buffer protocol on the CPU."""
    if is_masked(value):
        raise InvalidArgumentError(
            f"{what} '{name}': a masked array given, which networks do not support",
            hints=["fill it: array.filled(value)"],
        )
    if isinstance(value, np.ndarray):
        return value
    if value is None:
        raise InvalidArgumentError(
            f"{what} '{name}': None given, an array expected",
            hints=["each input has a value in a run, one that may be absent in ONNX, too"],
        )
    try:
        if hasattr(value, "__dlpack__"):
            return np.from_dlpack(value)
        array = np.asarray(value)
    except Exception as error:
        raise InvalidArgumentError(
            f"{what} '{name}': {type(value).__name__} cannot be read as an array",
            details=[str(error)],
            hints=["pass a numpy array, or an object with the DLPack or buffer protocol"],
        ) from error
    if array.dtype == object:
        raise InvalidArgumentError(
            f"{what} '{name}': {type(value).__name__} given, an array expected",
            hints=["pass a numpy array, or an object with the DLPack or buffer protocol"],
        )
    return array


def _without_package(array: np.ndarray, info: TensorInfo) -> np.ndarray:
    """Return an array of a dtype of ml_dtypes as numpy knows it, where it is of the input's type.

    Its bits, or, for elements of less than a byte, its numbers in the type that stands for them.
    """
    if array.dtype == info.dtype or array.dtype.num < _OF_PACKAGES:
        return array
    try:
        data_type = DataType.from_numpy(array.dtype)
    except InvalidArgumentError:
        return array  # the error is raised by who checks it
    if data_type.is_packed and data_type.unpacked is info.data_type:
        return array.astype(info.dtype)
    return array.view(info.dtype) if data_type is info.data_type else array


def _shape_text(shape: tuple[int | None, ...]) -> str:
    return "x".join("?" if d is None else str(d) for d in shape) or "scalar"


def check_array(what: str, name: str, array: np.ndarray, info: TensorInfo) -> None:
    """Raise unless dtype and shape fit; free dimensions of ``info`` fit anything.

    Raises
    ------
    InvalidArgumentError
        It does not fit; the text has the tensor's name, and the given and the expected value.
    """
    if array.dtype != info.dtype:
        if array.dtype == info.dtype.newbyteorder("S"):
            cure = f"array.astype('{info.dtype.name}'): the bytes are in foreign order"
        else:
            cure = f"array.astype('{info.dtype.name}'); nothing is converted silently"
        raise InvalidArgumentError(
            f"{what} '{name}': dtype {array.dtype} given, {info.dtype} expected", hints=[cure]
        )
    shape = info.shape
    if array.shape == shape:
        return
    if array.ndim != len(shape):
        raise InvalidArgumentError(
            f"{what} '{name}': {counted(array.ndim, 'dimension')} given "
            f"({_shape_text(array.shape)}), {len(shape)} expected ({_shape_text(shape)})"
        )
    for axis, (given, expected) in enumerate(zip(array.shape, shape, strict=True)):
        if expected is not None and given != expected:
            raise InvalidArgumentError(
                f"{what} '{name}': dimension {axis} is {given}, {expected} expected",
                details=[f"given {_shape_text(array.shape)}, expected {_shape_text(shape)}"],
            )


def _refuse_copy(what: str, name: str, why: str, cure: str) -> NoReturn:
    raise InvalidArgumentError(
        f"{what} '{name}': {why}, so that it would have to be copied",
        details=["its memory was to be used without a copy"],
        hints=[cure],
    )


def _is_readable_behind(array: np.ndarray, address: int, count: int) -> bool:
    """Whether memory behind an array can be read: in its page, or of what it is a part of."""
    end = address + array.nbytes
    if is_readable_behind(address, array.nbytes, count):
        return True
    if not is_readable(end, count):
        return False
    owner: Any = array
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    try:
        whole = owner if isinstance(owner, np.ndarray) else np.frombuffer(owner, np.uint8)
    except (TypeError, ValueError, BufferError):  # no memory that Python knows the size of
        return False
    return bool(end + count <= np.lib.array_utils.byte_bounds(whole)[1])


def check_in_place(
    what: str, name: str, array: np.ndarray, alignment: int, readable: int = 0
) -> None:
    """Raise `InvalidArgumentError` unless a run can use the memory of ``array`` as it is."""
    if not array.flags.c_contiguous:
        _refuse_copy(what, name, "not contiguous", "np.ascontiguousarray(array) is")
    address = array.ctypes.data
    if array.nbytes and (not array.flags.aligned or address % alignment):
        _refuse_copy(
            what,
            name,
            f"address 0x{address:x} is not a multiple of {max(alignment, array.itemsize)}",
            "let LoadedNetwork.bind() make the array",
        )
    if readable and array.nbytes and not _is_readable_behind(array, address, readable):
        _refuse_copy(
            what,
            name,
            f"a layer reads {counted(readable, 'byte')} behind its end, at 0x{address:x} + "
            f"{array.nbytes}, which may not be there",
            "let LoadedNetwork.bind() make the array",
        )


def bind_input(
    name: str, value: Any, info: TensorInfo, *, share: bool = False, what: str = "input"
) -> np.ndarray:
    """A dense array for an input, or ``what`` it is; copies only if ``value`` is not dense.

    With ``share`` a value that must be copied raises `InvalidArgumentError`.
    """
    if getattr(type(value), "address_for", None) is not None:
        external = bind_external(what, name, value, info)
        check_array(what, name, external, info)
        return external
    if isinstance(info, StringInfo):
        array = as_strings(what, name, value)
    else:
        array = _without_package(_as_array(what, name, value), info)
    check_array(what, name, array, info)
    if share:
        if array is not value and array.flags.owndata:
            kind = type(value).__name__
            _refuse_copy(what, name, f"{kind} has no memory of an array", "pass a numpy array")
        check_in_place(what, name, array, 1)
    if not array.flags.c_contiguous or not array.flags.aligned:
        _logger.debug("%s '%s' is not contiguous: copied", what, name)
        array = array.copy(order="C")
    return array


def bind_output(name: str, value: Any, info: TensorInfo) -> np.ndarray:
    """Check what the caller wants an output written into, and return it as an array."""
    if getattr(type(value), "address_for", None) is not None:
        array = bind_external("output", name, value, info)
        check_array("output", name, array, info)
        return array
    if not isinstance(value, np.ndarray) or is_masked(value):
        raise InvalidArgumentError(
            f"output '{name}': {type(value).__name__} given, a numpy array expected"
        )
    check_array("output", name, value, info)
    if not value.flags.writeable:
        raise InvalidArgumentError(f"output '{name}': the array is read-only")
    if not value.flags.c_contiguous:
        raise InvalidArgumentError(
            f"output '{name}': the array is not contiguous",
            hints=["pass a C-contiguous array, or leave it out and copy the result"],
        )
    if not value.flags.aligned:
        raise InvalidArgumentError(
            f"output '{name}': address 0x{value.ctypes.data:x} is not a multiple of "
            f"{value.itemsize}",
            hints=["pass an array that numpy made, or leave it out and copy the result"],
        )
    return value
