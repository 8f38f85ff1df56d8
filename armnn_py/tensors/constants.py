# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The constants of a network."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.errors import InvalidArgumentError
from armnn_py.tensors.quantization import INT32
from armnn_py.tensors.shapes import MAX_DIMENSIONS
from armnn_py.types import DataType

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_NUMBERS = 2**28  # of a sequence that is not an array


def as_constant(value: Any, *, like: DataType | None = None) -> NDArray[Any]:
    """Return values as the array that a Constant layer keeps.

    Python numbers and sequences of them have no exact type of their own: floats become
    ``float32``, integers ``int32`` or, where one does not fit, ``int64``. Arrays keep their type;
    one that no tensor has (``complex64``) is an error, because nothing is converted silently.

    Parameters
    ----------
    value
        A number, a sequence of numbers, a numpy array, or anything with ``__array__``,
        ``__dlpack__`` (on the CPU) or the buffer protocol.
    like
        Type for Python numbers, where the context knows it.

    Returns
    -------
    numpy.ndarray
        C-contiguous, native byte order, read-only. A contiguous read-only array is returned
        itself, and its memory must stay as it is from then on: another network may find what was
        made of it. A writable one is copied, so that later changes by its owner have no effect.

    Raises
    ------
    InvalidArgumentError
        No such array can be made of it.
    """
    array = _to_array(value, like)
    if array.ndim > MAX_DIMENSIONS:
        raise InvalidArgumentError(
            f"constant: the array has {array.ndim} dimensions, at most {MAX_DIMENSIONS} are "
            "supported"
        )
    if array.dtype != np.uint16:  # what bfloat16 travels as
        data_type = DataType.from_numpy(array.dtype)
        bits = data_type.numpy
        if data_type.is_packed:
            raise InvalidArgumentError(
                f"constant: an array of {array.dtype} given, whose numbers are less than a byte",
                hints=[f"give array.astype('{data_type.unpacked.numpy}') and add_cast() of it"],
            )
        if array.dtype.newbyteorder("=") not in (bits, bits.newbyteorder("=")):
            array = array.view(bits)  # of another package
    native = array.dtype.newbyteorder("=")
    if array.flags.writeable or not array.flags.c_contiguous or array.dtype != native:
        array = np.array(array, dtype=native, order="C", copy=True, subok=False)
        array.flags.writeable = False
    return array


def is_masked(value: object) -> bool:
    """Whether this is an array with a mask; numpy's module for them is not imported for it."""
    module = sys.modules.get("numpy.ma")
    return module is not None and isinstance(value, module.MaskedArray)


def _to_array(value: Any, like: DataType | None) -> NDArray[Any]:
    if is_masked(value):
        raise InvalidArgumentError(
            "constant: a masked array given, an array without mask expected",
            hints=["array.filled(value)"],
        )
    if isinstance(value, np.ndarray):
        return value if type(value) is np.ndarray else value.view(np.ndarray)
    _check_length(value)
    is_number = isinstance(value, (bool, int, float, list, tuple))
    try:
        if not is_number and not hasattr(value, "__array__") and hasattr(value, "__dlpack__"):
            return np.array(np.from_dlpack(value))  # its owner may change it later
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError, BufferError, OverflowError, MemoryError) as error:
        raise InvalidArgumentError(
            f"constant: an array cannot be made of {type(value).__name__}",
            details=[str(error) or type(error).__name__],
            hints=["give a numpy array, a number, or a tensor in the CPU's memory"],
        ) from error
    if not is_number:
        return array
    return _type_numbers(array, like)


def _check_length(value: object) -> None:
    """Refuse a sequence that would make an array by mistake, such as ``range(10**12)``."""
    if not isinstance(value, Sequence) or isinstance(value, (bytes, bytearray, memoryview)):
        return
    try:
        fits = len(value) <= _MOST_NUMBERS
    except OverflowError:
        fits = False
    if not fits:
        raise InvalidArgumentError(
            f"constant: {type(value).__name__} of more than {_MOST_NUMBERS} members given",
            hints=["give a numpy array"],
        )


def _type_numbers(array: NDArray[Any], like: DataType | None) -> NDArray[Any]:
    """Give an exact type to an array made of Python numbers."""
    kind = array.dtype.kind
    if like is not None and not like.is_quantized and like is not DataType.BFLOAT16:
        if like.is_float and kind in "fiu":
            return _rounded(array, like)
        if not like.is_float and (kind == like.numpy.kind or {kind, like.numpy.kind} <= {*"iu"}):
            if kind == "b" or bool(np.all(array == array.astype(like.numpy))):
                return array.astype(like.numpy)
            raise InvalidArgumentError(f"constant: a number does not fit {like.label}")
    if array.dtype == np.float64:
        return _rounded(array, DataType.FLOAT32)
    if array.dtype == np.int64:
        low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
        return array.astype(np.int32) if INT32[0] <= low and high <= INT32[1] else array
    return array


def _rounded(array: NDArray[Any], data_type: DataType) -> NDArray[Any]:
    """Return numbers as a type of floating point; too large a one must not become infinite."""
    with np.errstate(over="ignore"):
        result = array.astype(data_type.numpy)
    if bool(np.any(np.isinf(result) & np.isfinite(array))):
        raise InvalidArgumentError(f"constant: a number does not fit {data_type.described}")
    return result
