# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""MatMulNBits: products with weights of 2, 4 or 8 bits, quantised in blocks along the sum."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from armnn_py.descriptors import FullyConnectedDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.known import KnownBlocks, KnownPacked
from armnn_py.frontends.common.values import Array, Known, Unsupported, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import MICROSOFT, operator
from armnn_py.frontends.onnx.operators.standard.matrix import multiply
from armnn_py.tensors import TensorInfo
from armnn_py.tensors.packing import pack
from armnn_py.types import DataType, LayerType


class _Form(Struct, frozen=True):
    """Sizes of the weights."""

    inner: int
    columns: int
    bits: int
    block: int

    @property
    def blocks(self) -> int:
        """Blocks of a column."""
        return -(-self.inner // self.block)


@operator("MatMulNBits", domain=MICROSOFT)
def _mat_mul_n_bits(view: NodeView) -> Value:
    """X times the transposed weights."""
    form = _Form(
        view.integer("K"), view.integer("N"), view.integer("bits", 4), view.integer("block_size")
    )
    packed, scales = view.constant(1, "weights"), view.constant(2, "scales")
    points = view.constant(3, "zero points") if view.has(3) else None
    if view.has(4):
        raise Unsupported("groups by an index (g_idx)")
    block = form.block
    if form.bits not in (2, 4, 8) or block < 16 or block & (block - 1):
        raise Unsupported(f"{form.bits} bits in blocks of {block}")
    if points is not None and points.dtype.kind == "f":
        raise Unsupported("zero points of floats")
    if form.inner < 1 or form.columns < 1:
        raise ParseError(
            f"attributes N and K are {form.columns} and {form.inner}, expected at least 1"
        )
    if packed.dtype != np.uint8:
        raise ParseError(f"weights are {packed.dtype}, expected uint8")
    if packed.size * 8 != form.columns * form.blocks * block * form.bits:
        raise ParseError(
            f"packed weights of shape {packed.shape} do not hold {form.columns}x{form.inner} "
            f"values of {form.bits} bits"
        )
    if form.bits == 2 or scales.dtype != np.float32 or dtype_of(view.value(0)) != np.float32:
        return _of_real_weights(view, form, scales, points)
    return _of_levels(view, form)


# ---- Levels that stay packed ---------------------------------------------------------------------


def _of_levels(view: NodeView, form: _Form) -> Value:
    emit, x = view.emit, view.value(0)
    shape = (form.columns, form.inner)
    data_type = DataType.QASYMM_U4 if form.bits == 4 else DataType.QASYMM_U8

    def levels(array: Array) -> Array:
        flat = array.reshape(-1)
        if form.inner % form.block == 0:
            return flat if form.bits == 4 else flat.reshape(shape)
        numbers = _unpacked(array.reshape(form.columns, -1), form.bits)[:, : form.inner]
        numbers = np.ascontiguousarray(numbers)
        return pack(numbers, data_type) if form.bits == 4 else numbers

    def points(array: Array) -> Array:
        numbers = _unpacked(array.reshape(form.columns, -1), form.bits)[:, : form.blocks]
        numbers = np.ascontiguousarray(numbers)
        return pack(numbers, data_type) if form.bits == 4 else numbers

    def middle(_: Array) -> Array:
        numbers = np.full((form.columns, form.blocks), 1 << (form.bits - 1), np.uint8)
        return pack(numbers, data_type) if form.bits == 4 else numbers

    def known(array: Known, *own: int) -> Known:
        if form.bits == 8:
            return array
        return KnownPacked(array.array, TensorInfo(own, data_type))

    grid = (form.columns, form.blocks)
    weights = KnownBlocks(
        known(view.derived(1, "levels", levels), *shape),
        view.derived(2, "of_blocks", lambda array: array.reshape(grid)),
        known(view.derived(*((3, "zero_points", points) if view.has(3) else (2, "middle", middle))),
              *grid),
        1,
        form.block,
    )  # fmt: skip
    rows = x if len(shape_of(x)) > 1 else emit.reshape(x, (1, form.inner), "row")
    bias = view.value(5) if view.has(5) else None
    descriptor = FullyConnectedDescriptor(
        bias_enabled=bias is not None, transpose_weight_matrix=True, constant_weights=True
    )
    operands = [rows, emit.weights(weights), bias]
    y = emit.layer(
        LayerType.FULLY_CONNECTED, operands, descriptor, name="" if rows is x else "product"
    )
    return y if rows is x else emit.reshape(y, (form.columns,))


# ---- Real weights --------------------------------------------------------------------------------


def _of_real_weights(view: NodeView, form: _Form, scales: Array, points: Array | None) -> Value:
    """Weights of 2 bits, or of half precision, are dequantised at import."""

    def dequantize(stored: Array) -> Array:
        return _blocks_to_real(stored, scales, points, form)

    operands = view.over([view.value(0), view.derived(1, "dequantized", dequantize)])
    if not view.has(5):
        return multiply(operands)
    with view.emit.below("product"):
        y = multiply(operands)
    return view.emit.add(y, view.value(5))


def _blocks_to_real(packed: Array, scales: Array, points: Array | None, form: _Form) -> Array:
    """Weights ``(K, N)`` from levels, low bits first, in blocks along K."""
    columns, blocks = form.columns, form.blocks
    levels = _unpacked(packed.reshape(columns, -1), form.bits)
    real = levels.reshape(columns, blocks, form.block).astype(np.float32)
    if points is None:
        real -= np.float32(1 << (form.bits - 1))
    else:
        zero = _unpacked(points.reshape(columns, -1), form.bits)[:, :blocks]
        real -= zero.astype(np.float32)[:, :, np.newaxis]
    real *= scales.reshape(columns, blocks, 1).astype(np.float32)
    dense = real.reshape(columns, -1)[:, : form.inner]
    return np.ascontiguousarray(dense.T).astype(scales.dtype, copy=False)


def _unpacked(packed: Array, bits: int) -> Array:
    """Levels of rows of bytes, low bits first."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    levels = (packed[:, :, np.newaxis] >> shifts) & np.uint8((1 << bits) - 1)
    return np.asarray(levels.reshape(packed.shape[0], -1))
