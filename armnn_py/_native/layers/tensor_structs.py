# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensor infos and constants as C structures."""

from __future__ import annotations

import ctypes
import functools
from array import array
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi

if TYPE_CHECKING:
    import numpy as np

    from armnn_py.tensors import TensorInfo


def with_header(structure: Any, tag: int) -> None:
    """Fill in the header of a structure."""
    structure.header.struct_size = ctypes.sizeof(structure)
    structure.header.struct_type = tag


def tensor_info(
    info: TensorInfo, *, constant: bool = False, bounded: int = 0
) -> abi.armnn_tensor_info_t:
    """The C form of ``info``; its quantisation arrays stay attached to the result.

    Bit d of ``bounded``: dimension d is bounded, ``info`` has its upper bound.
    """
    if info.quantization is not None:
        struct = _make_tensor_info(info, constant)
    else:
        struct = abi.armnn_tensor_info_t.from_buffer_copy(_image_of_info(info, constant))
    if bounded:
        struct.dim_known_mask &= ~bounded
    return struct


@functools.lru_cache(maxsize=1024)
def _image_of_info(info: TensorInfo, constant: bool) -> bytes:
    """Return the bytes of a structure without pointers: most layers of a network share theirs."""
    return bytes(_make_tensor_info(info, constant))


def _make_tensor_info(info: TensorInfo, constant: bool) -> abi.armnn_tensor_info_t:
    struct = abi.armnn_tensor_info_t()
    with_header(struct, abi.ARMNN_STRUCT_TENSOR_INFO)
    struct.data_type = int(info.data_type)
    rank = len(info.shape)
    struct.rank = rank
    struct.dimensionality = (
        abi.ARMNN_DIMENSIONALITY_SPECIFIED if rank else abi.ARMNN_DIMENSIONALITY_SCALAR
    )
    count, known = 1, 0
    for axis, dimension in enumerate(info.shape):
        if dimension is None:
            continue
        struct.dims[axis] = dimension
        known |= 1 << axis
        count *= dimension
    struct.dim_known_mask = known
    struct.element_count = count if info.is_static else 0
    struct.quantization_dim = -1
    struct.flags = abi.ARMNN_TENSOR_CONSTANT if constant else 0
    if info.quantization is not None:
        scales, zero_points = info.quantization.scales, info.quantization.zero_points
        # Kept alive by the structure itself: ctypes holds what a pointer member was set from, and
        # that its array. Through one of these thousands of scales take a quarter of the time.
        amount = len(scales)
        struct.scales = (ctypes.c_float * amount).from_buffer(array("f", scales))
        struct.zero_points = (ctypes.c_int32 * amount).from_buffer(array("i", zero_points))
        struct.quantization_count = amount
        if info.quantization.axis is not None:
            struct.quantization_dim = info.quantization.axis
    return struct


def const_tensor(
    info: ctypes._Pointer[abi.armnn_tensor_info_t], value: np.ndarray
) -> abi.armnn_const_tensor_t:
    """The C form of a constant; ``value`` must outlive the result."""
    struct = abi.armnn_const_tensor_t()
    with_header(struct, abi.ARMNN_STRUCT_CONST_TENSOR)
    struct.info = info
    struct.data = value.ctypes.data
    struct.size = value.nbytes
    return struct
