# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that take or make levels whose scales are tensors of their own.

Definitions: ONNX's DynamicQuantizeLinear, MatMulInteger, and DequantizeLinear by blocks.
"""

from __future__ import annotations

from collections.abc import Callable

from armnn_py.descriptors import DequantizeBlocksDescriptor, DynamicQuantizeDescriptor
from armnn_py.network.shapes.common import broadcast
from armnn_py.network.shapes.site import Site
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataType, LayerType

_BYTES = (DataType.QASYMM_U8, DataType.QASYMM_S8)
_LEVELS = (
    *_BYTES,
    DataType.QASYMM_S4,
    DataType.QASYMM_U4,
    DataType.QASYMM_S2,
    DataType.QASYMM_U2,
)


def _dynamic_quantize(site: Site) -> list[TensorInfo]:
    d = site.parameters(DynamicQuantizeDescriptor)
    site.need_type(0, DataType.FLOAT32)
    shape = site.need_least_rank(1) if d.rows else site.shape()
    scales = (*shape[:-1], 1) if d.rows else ()
    data_type = DataType.QASYMM_S8 if d.symmetric else DataType.QASYMM_U8
    return [TensorInfo(shape, data_type), TensorInfo(scales), TensorInfo(scales, data_type)]


def _mat_mul_integer(site: Site) -> list[TensorInfo]:
    for index in (0, 1):
        site.need_type(index, *_BYTES)
        if site.optional(index + 2) is not None:
            site.need_same_type(index, index + 2)
    x, y = site.need_least_rank(2), site.need_least_rank(2, 1)
    if x[-1] != y[-2]:
        site.fail(f"x has {x[-1]} columns, y has {y[-2]} rows: they do not multiply")
    _check_zero_point(site, 2, (*x[:-1], 1))
    _check_zero_point(site, 3, (*y[:-2], 1, y[-1]))
    return [TensorInfo((*broadcast(site, x[:-2], y[:-2]), x[-2], y[-1]), DataType.SIGNED32)]


def _check_zero_point(site: Site, index: int, wide: tuple[int, ...]) -> None:
    """Check that a zero point broadcasts to an operand whose summed dimension counts as 1."""
    if site.optional(index) is not None and broadcast(site, site.shape(index), wide) != wide:
        site.need_shape(wide, index, why="one, or one for each row of x and column of y")


def _dequantize_blocks(site: Site) -> list[TensorInfo]:
    d = site.parameters(DequantizeBlocksDescriptor)
    site.need_type(0, *_LEVELS)
    site.need_type(1, DataType.FLOAT32)
    shape = site.need_least_rank(1)
    axis = site.need_axis(d.axis, len(shape))
    blocks = (*shape[:axis], -(-shape[axis] // d.block_size), *shape[axis + 1 :])
    site.need_shape(blocks, 1, why=f"one for each block of {d.block_size}")
    if site.optional(2) is not None:
        site.need_same_type(0, 2)
        site.need_shape(blocks, 2, why="one for each scale")
    return [TensorInfo(shape)]


RULES: dict[LayerType, Callable[[Site], list[TensorInfo]]] = {
    LayerType.DEQUANTIZE_BLOCKS: _dequantize_blocks,
    LayerType.DYNAMIC_QUANTIZE: _dynamic_quantize,
    LayerType.MAT_MUL_INTEGER: _mat_mul_integer,
}
