# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensor infos and constants that a backend hands over, checked and copied."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native import abi
from armnn_py._native.memory.owned import mapped_file_at
from armnn_py._native.memory.read_memory import NonsenseError, read_array, read_struct
from armnn_py.errors import InvalidArgumentError
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.types import DataType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


def read_tensor_info(
    pointer: Any,
    what: str,
    *,
    takes_bounded: bool = False,
    known: dict[bytes, TensorInfo] | None = None,
) -> TensorInfo:
    """The `TensorInfo` of an ``armnn_tensor_info_t``.

    Every dimension must be known, except with ``takes_bounded``.

    Parameters
    ----------
    pointer
        To the structure.
    what
        For messages.
    takes_bounded
        Whether dimensions may be free.
    known
        What was read before, by the bytes of its structure; of a layer with many operands most are
        alike.

    Raises
    ------
    NonsenseError
        It is not such a structure, or describes no tensor.
    """
    struct = read_struct(
        pointer, abi.armnn_tensor_info_t, abi.ARMNN_STRUCT_TENSOR_INFO, what, least="flags"
    )
    plain = known is not None and not struct.quantization_count
    if not plain:  # nothing but these bytes tells what it is
        return _tensor_info(struct, what, takes_bounded)
    assert known is not None
    key = bytes(struct)
    found = known.get(key)
    if found is None:
        found = known[key] = _tensor_info(struct, what, takes_bounded)
    return found


def _tensor_info(struct: abi.armnn_tensor_info_t, what: str, takes_bounded: bool) -> TensorInfo:
    if struct.fields_used:
        raise NonsenseError(f"{what} uses members that this version does not know")
    rank = int(struct.rank)
    if rank > abi.ARMNN_MAX_DIMS:
        raise NonsenseError(f"{what} has {rank} dimensions")
    bounded = [axis for axis in range(rank) if not struct.dim_known_mask >> axis & 1]
    if bounded and not takes_bounded:
        raise NonsenseError(f"{what} has free dimensions")
    try:
        data_type = DataType(int(struct.data_type))
    except ValueError:
        raise NonsenseError(f"{what} has unknown data type {struct.data_type}") from None
    count = int(struct.quantization_count)
    quantization = None
    if count:
        if count > 1 << 24:
            raise NonsenseError(f"{what} has {count} scales")
        scales = read_array(struct.scales, ctypes.c_float, count, f"the scales of {what}")
        points = read_array(struct.zero_points, ctypes.c_int32, count, f"zero points of {what}")
        axis = None if struct.quantization_dim < 0 else int(struct.quantization_dim)
        with Meaning(what):
            quantization = QuantizationInfo(tuple(scales), tuple(points), axis)
    with Meaning(what):
        return TensorInfo(tuple(struct.dims[:rank]), data_type, quantization, bounded=bounded)


class Meaning:
    """Turn the refusal of a checked class into `NonsenseError`."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, InvalidArgumentError):
            raise NonsenseError(f"{self.what}: {error.message}") from None


def read_constant(
    pointer: Any, what: str, known: Mapping[int, NDArray[Any]]
) -> tuple[TensorInfo, NDArray[Any]]:
    """An ``armnn_const_tensor_t``: its info and its values, dense and read-only.

    The values are a view where they lie in a mapped file, and a copy elsewhere.

    Parameters
    ----------
    pointer
        To the structure.
    what
        For messages.
    known
        The host's arrays by address: values at one of them are not copied.

    Raises
    ------
    NonsenseError
        It is not such a structure, or its values are not as many bytes as its info needs.
    """
    struct = read_struct(
        pointer, abi.armnn_const_tensor_t, abi.ARMNN_STRUCT_CONST_TENSOR, what, least="size"
    )
    info = read_tensor_info(struct.info, f"the info of {what}")
    size = info.byte_size
    if struct.size != size:
        raise NonsenseError(f"{what} has {struct.size} bytes, {size} are needed for {info}")
    ours = known.get(struct.data or 0)
    if (
        ours is not None
        and ours.nbytes == size
        and ours.dtype == info.dtype
        and ours.shape == info.shape
    ):
        return info, ours
    file = mapped_file_at(struct.data or 0, size) if size else None
    mapped = None if file is None else file.bytes_at(struct.data, size)
    if mapped is not None:
        return info, mapped.view(info.dtype).reshape(info.static_shape)
    data = read_array(struct.data, ctypes.c_ubyte, size, f"the values of {what}")
    array = np.empty(info.static_shape, info.dtype)
    ctypes.memmove(array.ctypes.data, data, size)
    array.flags.writeable = False
    return info, array
