# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Softmax and the normalisations; those without a layer are composed of means and sums."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from armnn_py.descriptors import (
    BatchNormalizationDescriptor,
    LayerNormalizationDescriptor,
    RmsNormalizationDescriptor,
    SoftmaxDescriptor,
)
from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import positions as positions_of
from armnn_py.frontends.common.values import (
    Known,
    Unsupported,
    Value,
    broadcast_shapes,
    dtype_of,
    shape_of,
)
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.types import (
    BinaryOperation,
    DataLayout,
    LayerType,
    ReduceOperation,
    UnaryOperation,
)


@operator("Softmax", "LogSoftmax", since=13)
def _softmax(view: NodeView) -> Value:
    axis = view.axis("axis", -1, view.rank(0))
    return _softmax_layer(view, view.value(0), axis)


def _softmax_layer(view: NodeView, x: Value, axis: int, name: str = "") -> Value:
    if dtype_of(x) == np.float64:
        return _softmax_by_steps(view, x, axis, name)
    kind = LayerType.SOFTMAX if view.node.op_type == "Softmax" else LayerType.LOG_SOFTMAX
    return view.emit.layer(kind, [x], SoftmaxDescriptor(axis=axis), name=name)


def _softmax_by_steps(view: NodeView, x: Value, axis: int, name: str) -> Value:
    """Of float64, which the layer does not compute."""
    emit = view.emit
    largest = emit.reduce(ReduceOperation.MAX, x, (axis,), True, "largest")
    x = emit.sub(x, largest, "below")
    powers = emit.unary(UnaryOperation.EXP, x, "powers")
    total = emit.reduce(ReduceOperation.SUM, powers, (axis,), True, "total")
    if view.node.op_type == "Softmax":
        return emit.div(powers, total, name)
    return emit.sub(x, emit.unary(UnaryOperation.LOG, total, "logarithm"), name)


@operator("Softmax", "LogSoftmax")
def _softmax_flattened(view: NodeView) -> Value:
    # Before version 13 all dimensions from the axis on count as one.
    shape, rank = view.shape(0), view.rank(0)
    axis = view.axis("axis", 1, rank)
    if axis == rank - 1:
        return _softmax_layer(view, view.value(0), axis)
    rows = math.prod(shape[:axis])
    flat = view.emit.reshape(view.value(0), (rows, math.prod(shape[axis:])), "rows")
    return view.emit.reshape(_softmax_layer(view, flat, 1, "softmax"), shape)


def _inference_only(view: NodeView) -> None:
    if view.integer("training_mode"):
        return
    if view.version < 7 and not view.integer("is_test"):
        raise Unsupported("training mode (is_test is 0)")
    if view.version < 9 and not view.integer("spatial", 1):
        raise Unsupported("statistics per element (spatial is 0)")
    view.refuse_outputs(1, "statistics")


@operator("BatchNormalization", check=_inference_only)
def _batch_normalization(view: NodeView) -> Value | Sequence[Value]:
    emit, shape = view.emit, view.shape(0)
    if len(shape) < 2:
        raise ParseError(f"the input has {len(shape)} dimensions, expected at least 2")
    if view.integer("training_mode"):
        return _by_own_statistics(view)
    channels = shape[1]
    # The layer takes an image, and parameters of the input's type.
    plane = (*shape[:2], 1, math.prod(shape[2:])) if len(shape) != 4 else shape
    x = emit.reshape(view.value(0), plane, "plane")
    scale, bias, mean, variance = (
        emit.cast(emit.reshape(view.value(index), (channels,), name), dtype_of(x), f"{name}_cast")
        for index, name in enumerate(("scale", "bias", "mean", "variance"), start=1)
    )
    descriptor = BatchNormalizationDescriptor(
        eps=view.number("epsilon", 1e-5), data_layout=DataLayout.NCHW
    )
    operands = [x, mean, variance, bias, scale]
    name = "" if plane == shape else "normalized"
    y = emit.layer(LayerType.BATCH_NORMALIZATION, operands, descriptor, name=name)
    return emit.reshape(y, shape)


def _by_own_statistics(view: NodeView) -> Sequence[Value]:
    """Return the batch normalised by its own mean and variance, and the running ones after it."""
    emit, rank, momentum = view.emit, view.rank(0), view.number("momentum", 0.9)
    axes = [axis for axis in range(rank) if axis != 1]
    x, epsilon = view.value(0), view.number("epsilon", 1e-5)
    y, mean, _ = standardize(view, x, axes, epsilon, "standard")
    y = emit.mul(y, _per_channel(view, 1, rank, "scale"), "scaled")
    results = [emit.add(y, _per_channel(view, 2, rank, "bias"))]
    centred = emit.sub(x, mean, "difference")
    square = emit.mul(centred, centred, "difference_square")
    variance = emit.reduce(ReduceOperation.MEAN, square, axes, True, "batch_variance")
    for index, (found, name) in enumerate(((mean, "mean"), (variance, "variance")), start=3):
        flat = emit.reshape(found, view.shape(index), f"batch_{name}_flat")
        new = emit.scale(flat, 1 - momentum, f"new_{name}")
        old = emit.scale(view.value(index), momentum, f"old_{name}")
        results.append(emit.add(old, new, f"running_{name}"))
    return results


def standardize(
    view: NodeView, x: Value, axes: Sequence[int], epsilon: float, name: str
) -> tuple[Value, Value, Value]:
    """Return (x - mean) / deviation over some axes, the mean, and 1 / deviation."""
    emit = view.emit
    mean = emit.reduce(ReduceOperation.MEAN, x, axes, True, "mean")
    centred = emit.sub(x, mean, "centred")
    variance = emit.reduce(
        ReduceOperation.MEAN, emit.mul(centred, centred, "square"), axes, True, "variance"
    )
    shifted = emit.add(variance, emit.scalar(epsilon, x), "variance_epsilon")
    inverse = emit.unary(UnaryOperation.RSQRT, shifted, "inverse_deviation")
    return emit.mul(centred, inverse, name), mean, inverse


def _per_channel(view: NodeView, index: int, rank: int, name: str) -> Value:
    """Return a parameter per channel, shaped to broadcast over [N, C, ...]."""
    count = math.prod(view.shape(index))
    return view.emit.reshape(view.value(index), (count, *[1] * (rank - 2)), name)


@operator("InstanceNormalization")
def _instance_normalization(view: NodeView) -> Value:
    emit, rank = view.emit, view.rank(0)
    if rank < 3:
        raise ParseError(f"the input has {rank} dimensions, expected at least 3")
    axes = range(2, rank)
    y, _, _ = standardize(view, view.value(0), axes, view.number("epsilon", 1e-5), "standard")
    y = emit.mul(y, _per_channel(view, 1, rank, "scale"), "scaled")
    return emit.add(y, _per_channel(view, 2, rank, "bias"))


@operator("LayerNormalization", since=17)
def _layer_normalization(view: NodeView) -> Sequence[Value]:
    emit, rank = view.emit, view.rank(0)
    axis, epsilon = view.axis("axis", -1, rank), view.number("epsilon", 1e-5)
    kept = view.shape(0)[axis:]
    fits = all(_repeats_to(view.shape(i), kept) for i in (1, 2) if view.has(i))
    if fits and not view.wants(1) and not view.wants(2):
        operands = [view.value(index) for index in range(3 if view.has(2) else 2)]
        descriptor = LayerNormalizationDescriptor(axis, epsilon)
        return [emit.layer(LayerType.LAYER_NORMALIZATION, operands, descriptor)]
    if view.integer("stash_type", 1) != 1:  # float32
        raise Unsupported("mean and deviation in another type than float32")
    x, dtype = view.value(0), view.dtype(0)
    x = x if dtype == np.float64 else emit.cast(x, np.float32, "stashed")
    y, mean, inverse = standardize(view, x, range(axis, rank), epsilon, "standard")
    y = emit.mul(emit.cast(y, dtype, "narrow"), view.value(1), "scaled" if view.has(2) else "")
    if view.has(2):
        y = emit.add(y, view.value(2))
    stash = ((mean, "mean_stash"), (inverse, "inverse_stash"))
    return [y, *(emit.cast(value, np.float32, name) for value, name in stash)]


@operator("GroupNormalization", since=18)
def _group_normalization(view: NodeView) -> Value:
    emit, shape, groups = view.emit, view.shape(0), view.integer("num_groups")
    if len(shape) < 3 or groups < 1 or shape[1] % groups:
        raise ParseError(f"{groups} groups do not fit an input of shape {shape}")
    flat = emit.reshape(view.value(0), (shape[0], groups, math.prod(shape[1:]) // groups), "groups")
    y, _, _ = standardize(view, flat, (2,), view.number("epsilon", 1e-5), "standard")
    # Version 18 has parameters per group, version 21 per channel.
    if view.version < 21:
        y = emit.mul(y, emit.reshape(view.value(1), (groups, 1), "scale"), "scaled")
        y = emit.add(y, emit.reshape(view.value(2), (groups, 1), "bias"), "biased")
        return emit.reshape(y, shape)
    y = emit.reshape(y, shape, "channels")
    y = emit.mul(y, _per_channel(view, 1, len(shape), "scale"), "scaled")
    return emit.add(y, _per_channel(view, 2, len(shape), "bias"))


def _repeats_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    return len(shape) <= len(target) and broadcast_shapes(target, shape) == target


# SimplifiedLayerNormalization: what models had before the standard, in its domain all the same.
@operator("SimplifiedLayerNormalization")
@operator("RMSNormalization", since=23)
def _rms_normalization(view: NodeView) -> Value:
    rank = view.rank(0)
    axes = range(view.axis("axis", -1, rank), rank)
    return rms_normalize(view, view.value(0), view.value(1), axes, view.number("epsilon", 1e-5))


def rms_normalize(
    view: NodeView, x: Value, scale: Value, axes: Sequence[int], epsilon: float
) -> Value:
    """Divide by the root of the mean square over some axes, and scale."""
    emit, shape = view.emit, shape_of(x)
    kept = shape[len(shape) - len(axes) :]
    is_last = [*axes] == [*range(len(shape) - len(axes), len(shape))]
    fits = is_last and _repeats_to(shape_of(scale), kept)
    if fits and kept and dtype_of(x) == dtype_of(scale):
        descriptor = RmsNormalizationDescriptor(axes[0], epsilon)
        return emit.layer(LayerType.RMS_NORMALIZATION, [x, scale], descriptor)
    mean = emit.reduce(ReduceOperation.MEAN, emit.mul(x, x, "square"), axes, True, "mean_square")
    shifted = emit.add(mean, emit.scalar(epsilon, x), "epsilon")
    inverse = emit.unary(UnaryOperation.RSQRT, shifted, "inverse")
    return emit.mul(emit.mul(x, inverse, "standard"), scale)


@operator("MeanVarianceNormalization", since=9)
def _mean_variance_normalization(view: NodeView) -> Value:
    axes = view.ints("axes") or [0, 2, 3]
    x, rank = view.value(0), view.rank(0)
    emit = view.emit
    found = [axis % rank for axis in axes if -rank <= axis < rank]
    mean = emit.reduce(ReduceOperation.MEAN, x, found, True, "mean")
    centred = emit.sub(x, mean, "centred")
    variance = emit.reduce(
        ReduceOperation.MEAN, emit.mul(centred, centred, "square"), found, True, "variance"
    )
    # The specification's epsilon is added to the deviation.
    deviation = emit.unary(UnaryOperation.SQRT, variance, "deviation")
    return emit.div(centred, emit.add(deviation, emit.scalar(1e-9, x), "epsilon"))


@operator("LpNormalization")
def _lp_normalization(view: NodeView) -> Value:
    emit, x = view.emit, view.value(0)
    axis, p = view.axis("axis", -1, view.rank(0)), view.integer("p", 2)
    if p not in (1, 2):
        raise ParseError(f"attribute 'p' is {p}, expected 1 or 2")
    terms = emit.mul(x, x, "square") if p == 2 else emit.unary(UnaryOperation.ABS, x, "abs")
    norm = emit.reduce(ReduceOperation.SUM, terms, (axis,), True, "sum")
    if p == 2:
        norm = emit.unary(UnaryOperation.SQRT, norm, "norm")
    # A norm of 0 means that all elements are 0: any other divisor gives 0 again.
    smallest = emit.scalar(float(np.finfo(np.float32).tiny), x)
    return emit.div(x, emit.binary(BinaryOperation.MAXIMUM, norm, smallest, "divisor"))


@operator("LRN")
def _lrn(view: NodeView) -> Value:
    # Squares are summed over neighbouring channels by a product with a band matrix.
    emit, x, shape = view.emit, view.value(0), view.shape(0)
    size = view.integer("size")
    if size < 1 or len(shape) < 3:
        raise ParseError(f"a window of {size} channels does not fit an input of shape {shape}")
    channels = positions_of(shape[1])
    offset = channels[:, np.newaxis] - channels
    band = (-((size - 1) // 2) <= -offset) & (-offset <= size // 2)
    factor = view.number("alpha", 1e-4) / size
    with np.errstate(over="ignore"):
        weights = Known(np.where(band, factor, 0.0).astype(dtype_of(x))[np.newaxis])
    flat = emit.reshape(x, (*shape[:2], math.prod(shape[2:])), "flat")
    total = emit.matmul(weights, emit.mul(flat, flat, "square"), name="sum")
    base = emit.add(total, emit.scalar(view.number("bias", 1.0), x), "base")
    beta = emit.scalar(view.number("beta", 0.75), x)
    divisor = emit.binary(BinaryOperation.POWER, base, beta, "power")
    return emit.div(x, emit.reshape(divisor, shape_of(x), "divisor"))
