# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""GatherBlockQuantized: rows of a table that is quantised in blocks, as of a vocabulary.

The table stays as it is stored, in bytes; what is gathered becomes numbers when the network runs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import positions
from armnn_py.frontends.common.values import Array, Known, Unsupported, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import MICROSOFT, operator
from armnn_py.types import UnaryOperation

_DATA, _INDICES, _SCALES, _POINTS = range(4)


class _Table(Struct, frozen=True):
    """How the numbers of the table are stored."""

    shape: tuple[int, ...]
    bits: int
    gather_axis: int
    block_axis: int
    block: int
    lowest: int
    """What is stored is a number less this one."""

    @property
    def blocks(self) -> tuple[int, ...]:
        """Shape of scales and zero points."""
        count = -(-self.shape[self.block_axis] // self.block)
        axis = self.block_axis
        return (*self.shape[:axis], count, *self.shape[axis + 1 :])


@operator("GatherBlockQuantized", domain=MICROSOFT)
def _gather_block_quantized(view: NodeView) -> Value:
    emit, indices, scales = view.emit, view.value(_INDICES), view.value(_SCALES)
    data = view.constant(_DATA, "levels")
    table = _table(view, data.dtype.name, data.shape)
    if shape_of(scales) != table.blocks:
        raise ParseError(f"the scales have shape {shape_of(scales)}, expected {table.blocks}")
    axis, shift = table.gather_axis, len(shape_of(indices)) - 1
    stored = view.derived(_DATA, "bytes", lambda array: _bytes(array, table))
    taken = emit.gather(stored, indices, axis, "bytes")
    real = _unpacked(view, taken, table)
    block_axis = table.block_axis + (shift if table.block_axis > axis else 0)
    place = Known((positions(table.shape[table.block_axis]) // table.block).astype(np.int32))

    def spread(value: Value, name: str) -> Value:
        """Gather scales or zero points alike, one for each number."""
        of_rows = emit.gather(value, indices, axis, f"{name}_rows")
        return emit.gather(of_rows, place, block_axis, name)

    point: Value = emit.scalar(_only_point(view, table), real)
    if view.has(_POINTS):
        if view.dtype(_POINTS) != data.dtype:
            raise ParseError(f"the zero points are {view.dtype(_POINTS)}, expected {data.dtype}")
        points = view.derived(_POINTS, "numbers", lambda array: _points(array, table))
        point = spread(points, "zero_points")
    factors = spread(emit.cast(scales, np.float32, "scales_float"), "scales")
    y = emit.mul(emit.sub(real, point, "centred"), factors, "scaled")
    return emit.cast(y, dtype_of(scales))


def _table(view: NodeView, dtype: str, shape: tuple[int, ...]) -> _Table:
    bits, block = view.integer("bits", 4), view.integer("block_size", 128)
    gather_axis = view.axis("gather_axis", 0, len(shape))
    block_axis = view.axis("quantize_axis", 1, len(shape))
    if block < 16 or block & (block - 1):
        raise Unsupported(f"blocks of {block}")
    if gather_axis == block_axis:
        raise Unsupported("blocks along the dimension that is gathered")
    if dtype == "uint8":
        if bits not in (2, 4, 8):
            raise Unsupported(f"{bits} bits")
        if gather_axis != 0 or block_axis != len(shape) - 1:
            raise ParseError(
                "uint8 data needs gather_axis 0 and quantize_axis at the last dimension"
            )
        shape = (*shape[:-1], shape[-1] * (8 // bits))
    elif dtype not in ("int4", "uint4") or bits != 4:
        raise Unsupported(f"levels of {dtype} and {bits} bits")
    return _Table(shape, bits, gather_axis, block_axis, block, -8 if dtype == "int4" else 0)


def _only_point(view: NodeView, table: _Table) -> float:
    """Return the zero point of all blocks, where none are given, for what is stored."""
    if view.dtype(_DATA) == np.uint8:
        return float(1 << (table.bits - 1))
    return float(-table.lowest)


def _bytes(array: Array, table: _Table) -> Array:
    """Return the table in bytes: numbers of less bits along the last dimension, low ones first.

    If that dimension is gathered, each number has a byte.
    """
    if array.dtype == np.uint8:
        return array
    numbers = (array.astype(np.int8) - table.lowest).astype(np.uint8)
    if table.gather_axis == len(table.shape) - 1:
        return numbers
    if numbers.shape[-1] % 2:
        numbers = np.pad(numbers, [(0, 0)] * (numbers.ndim - 1) + [(0, 1)])
    return np.ascontiguousarray(numbers[..., ::2] | numbers[..., 1::2] << 4)


def _points(array: Array, table: _Table) -> Array:
    """Return zero points of blocks, for what is stored, as float32."""
    if array.dtype == np.uint8:
        per = 8 // table.bits
        expected = (*table.blocks[:-1], -(-table.blocks[-1] // per))
        _need_shape(array, expected)
        shifts = np.arange(0, 8, table.bits, dtype=np.uint8)
        numbers = array[..., np.newaxis] >> shifts & ((1 << table.bits) - 1)
        return numbers.reshape(*expected[:-1], -1)[..., : table.blocks[-1]].astype(np.float32)
    _need_shape(array, table.blocks)
    return array.astype(np.float32) - np.float32(table.lowest)


def _need_shape(array: Array, expected: Sequence[int]) -> None:
    if array.shape != tuple(expected):
        raise ParseError(f"the zero points have shape {array.shape}, expected {tuple(expected)}")


def _unpacked(view: NodeView, taken: Value, table: _Table) -> Value:
    """Return the numbers of gathered bytes as float32, which has them exactly."""
    emit = view.emit
    rest = emit.cast(taken, np.float32, "levels")
    if table.bits == 8 or table.gather_axis == len(table.shape) - 1:
        return rest
    shape, step = shape_of(taken), 1 << table.bits
    parts = []
    for index in range(8 // table.bits - 1):
        above = emit.scale(rest, 1 / step, f"shifted{index}")
        above = emit.unary(UnaryOperation.FLOOR, above, f"above{index}")
        own = emit.sub(rest, emit.scale(above, step, f"back{index}"), f"part{index}")
        parts.append(emit.reshape(own, (*shape, 1), f"column{index}"))
        rest = above
    parts.append(emit.reshape(rest, (*shape, 1), "last_column"))
    together = emit.concat(parts, len(shape), "columns")
    wide = (*shape[:-1], shape[-1] * len(parts))
    numbers = emit.reshape(together, wide, "numbers")
    begin, size = [0] * len(shape), (*shape[:-1], table.shape[-1])
    return emit.slice(numbers, begin, size, "cut")
