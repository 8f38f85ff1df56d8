# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Matrix products: FullyConnected where the weights are known, else BatchMatMul."""

from __future__ import annotations

import math

import numpy as np

from armnn_py.descriptors import FullyConnectedDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import (
    Known,
    Value,
    array_of,
    broadcast_shapes,
    dtype_of,
    shape_of,
)
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.types import LayerType

_SLOW = 64
"""Products of integers and half floats take numpy this much longer."""


def multiply(view: NodeView) -> Value:
    """Convert a MatMul."""
    emit, x, y = view.emit, view.value(0), view.value(1)
    if not view.rank(0) or not view.rank(1):
        raise ParseError("an operand is a scalar, expected a vector or matrices")
    result = _product_shape(view.shape(0), view.shape(1))
    if emit.foldable([x, y], result, work=_work(view, result)):
        with np.errstate(all="ignore"):  # weights may be infinite
            return Known(np.asarray(np.matmul(array_of(x), array_of(y))))
    is_weights = isinstance(y, Known) and view.rank(1) == 2
    if is_weights and view.rank(0) >= 2 and _has_weights(x):
        descriptor = FullyConnectedDescriptor(constant_weights=True)
        return emit.layer(LayerType.FULLY_CONNECTED, [x, emit.weights(y)], descriptor)
    # A vector is a matrix of one row, or of one column.
    if view.rank(0) == 1:
        x = emit.reshape(x, (1, *view.shape(0)), "row")
    if view.rank(1) == 1:
        y = emit.reshape(y, (*view.shape(1), 1), "column")
    is_vector = 1 in (view.rank(0), view.rank(1))
    product = emit.matmul(x, y, name="product" if is_vector else "")
    return emit.reshape(product, result)


operator("MatMul")(multiply)


def _work(view: NodeView, result: tuple[int, ...]) -> int:
    """How long a product takes numpy, which has a library for two types of floats."""
    pace = 1 if dtype_of(view.value(0)) in (np.float32, np.float64) else _SLOW
    return math.prod(result) * view.shape(0)[-1] * pace


def _has_weights(x: Value) -> bool:
    """Whether layers with weights take numbers of this type."""
    return dtype_of(x).kind == "f" and dtype_of(x) != np.float64


def _product_shape(x: tuple[int, ...], y: tuple[int, ...]) -> tuple[int, ...]:
    rows, columns = (x if len(x) > 1 else (1, *x)), (y if len(y) > 1 else (*y, 1))
    if rows[-1] != columns[-2]:
        raise ParseError(f"matrices of shape {x} and {y} do not multiply")
    batch = broadcast_shapes(rows[:-2], columns[:-2])
    return (*batch, *([rows[-2]] if len(x) > 1 else []), *([columns[-1]] if len(y) > 1 else []))


def gemm(view: NodeView) -> Value:
    """Convert a Gemm."""
    emit, x, y = view.emit, view.value(0), view.value(1)
    alpha, beta = view.number("alpha", 1.0), view.number("beta", 1.0)
    transpose_x, transpose_y = bool(view.integer("transA")), bool(view.integer("transB"))
    for index in (0, 1):
        if view.rank(index) != 2:
            raise ParseError(f"input {index} has {view.rank(index)} dimensions, expected 2")
    rows, inner = view.shape(0)[::-1] if transpose_x else view.shape(0)
    other, columns = view.shape(1)[::-1] if transpose_y else view.shape(1)
    if inner != other:
        raise ParseError(f"matrices {rows}x{inner} and {other}x{columns} do not multiply")
    addend = view.value(2) if view.has(2) and beta != 0 else None
    is_scalable = alpha == 1 or emit.foldable([y], shape_of(y))
    if not isinstance(y, Known) or not _has_weights(x) or not is_scalable:
        name = "product" if addend is not None or alpha != 1 else ""
        product = emit.matmul(x, y, transpose_x=transpose_x, transpose_y=transpose_y, name=name)
        product = emit.scale(product, alpha, "scaled" if addend is not None else "")
        return _with_addend(view, product, addend, beta, (rows, columns))
    if alpha != 1:
        y = view.derived(1, f"times_{alpha:g}", lambda w: (w * alpha).astype(w.dtype))
    if transpose_x:
        x = emit.transpose(x, (1, 0), "transposed")
    bias = _bias(view, addend, beta, columns)
    rest = None if bias is not None else addend
    descriptor = FullyConnectedDescriptor(
        bias_enabled=bias is not None, transpose_weight_matrix=transpose_y, constant_weights=True
    )
    name = "product" if rest is not None else ""
    operands = [x, emit.weights(y), bias]
    product = emit.layer(LayerType.FULLY_CONNECTED, operands, descriptor, name=name)
    return _with_addend(view, product, rest, beta, (rows, columns))


operator("Gemm")(gemm)


def _bias(view: NodeView, addend: Value | None, beta: float, columns: int) -> Value | None:
    """Return the addend as the layer's bias, where it has the same values in each row."""
    if addend is None:
        return None
    shape = shape_of(addend)
    if any(dim != 1 for dim in shape[:-1]) or (shape and shape[-1] not in (1, columns)):
        return None
    flat = view.emit.reshape(addend, (shape[-1],) if shape else (1,), "bias")
    flat = view.emit.broadcast_to(flat, (columns,), "wide_bias")
    return view.emit.scale(flat, beta, "scaled_bias")


def _with_addend(
    view: NodeView, product: Value, addend: Value | None, beta: float, shape: tuple[int, int]
) -> Value:
    if addend is None:
        return product
    if broadcast_shapes(shape, shape_of(addend)) != shape:
        raise ParseError(f"input 2 of shape {shape_of(addend)} does not broadcast to {shape}")
    return view.emit.add(product, view.emit.scale(addend, beta, "scaled_addend"))
