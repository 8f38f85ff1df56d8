# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Aligned arrays, and the checks of arrays for inputs and outputs."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from armnn_py._native.memory import address_of
from armnn_py.errors import InvalidArgumentError
from armnn_py.tensors.constants import is_masked
from armnn_py.text import counted

if TYPE_CHECKING:
    from armnn_py.tensors import TensorInfo

__all__ = ["Room", "bind_input", "bind_output", "check_in_place"]

_logger = logging.getLogger("armnn_py.runtime")
_BYTE = np.dtype(np.uint8)
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


def _as_array(name: str, value: Any) -> np.ndarray:
    """Take anything with the DLPack, array or buffer protocol on the CPU."""
    if is_masked(value):
        raise InvalidArgumentError(
            f"input '{name}': a masked array given, and a network knows no masks",
            hints=["fill it: array.filled(value)"],
        )
    if isinstance(value, np.ndarray):
        return value
    try:
        if hasattr(value, "__dlpack__"):
            return np.from_dlpack(value)
        array = np.asarray(value)
    except Exception as error:
        raise InvalidArgumentError(
            f"input '{name}': {type(value).__name__} cannot be read as an array",
            details=[str(error)],
            hints=["pass a numpy array, or an object with the DLPack or buffer protocol"],
        ) from error
    if array.dtype == object:
        raise InvalidArgumentError(
            f"input '{name}': {type(value).__name__} given, an array expected",
            hints=["pass a numpy array, or an object with the DLPack or buffer protocol"],
        )
    return array


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


def check_in_place(what: str, name: str, array: np.ndarray, alignment: int) -> None:
    """Raise `InvalidArgumentError` unless a run can use the memory of ``array`` as it is."""
    if not array.flags.c_contiguous:
        _refuse_copy(what, name, "not contiguous", "np.ascontiguousarray(array) is")
    address = array.ctypes.data
    if array.nbytes and (not array.flags.aligned or address % alignment):
        _refuse_copy(
            what,
            name,
            f"address 0x{address:x} is no multiple of {max(alignment, array.itemsize)}",
            "let LoadedNetwork.bind() make the array",
        )


def bind_input(name: str, value: Any, info: TensorInfo, *, share: bool = False) -> np.ndarray:
    """A dense array for an input; copies only if ``value`` is not dense.

    With ``share`` a value that must be copied raises `InvalidArgumentError`.
    """
    if getattr(type(value), "address_for", None) is not None:
        from armnn_py.runtime.external_arrays import bind_external

        external = bind_external("input", name, value, info)
        check_array("input", name, external, info)
        return external
    array = _as_array(name, value)
    check_array("input", name, array, info)
    if share:
        if array is not value and array.flags.owndata:
            kind = type(value).__name__
            _refuse_copy("input", name, f"{kind} has no memory of an array", "pass a numpy array")
        check_in_place("input", name, array, 1)
    if not array.flags.c_contiguous or not array.flags.aligned:
        _logger.debug("input '%s' is not contiguous: copied", name)
        array = array.copy(order="C")
    return array


def bind_output(name: str, value: Any, info: TensorInfo) -> np.ndarray:
    """Check what the caller wants an output written into, and return it as an array."""
    if getattr(type(value), "address_for", None) is not None:
        from armnn_py.runtime.external_arrays import bind_external

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
            f"output '{name}': address 0x{value.ctypes.data:x} is no multiple of {value.itemsize}",
            hints=["pass an array that numpy made, or leave it out and copy the result"],
        )
    return value
