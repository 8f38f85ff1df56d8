# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shapes and types are those of what numpy computes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from armnn_py.errors import LayerValidationError
from armnn_py.network import Network
from armnn_py.tensors import TensorInfo
from armnn_py.types import (
    ArgMinMaxFunction,
    BinaryOperation,
    ComparisonOperation,
    DataType,
    LogicalBinaryOperation,
    PaddingMode,
    ReduceOperation,
    UnaryOperation,
)

SHAPES = npst.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4)
REDUCTIONS = {
    ReduceOperation.SUM: np.sum,
    ReduceOperation.MAX: np.max,
    ReduceOperation.MEAN: np.mean,
    ReduceOperation.MIN: np.min,
    ReduceOperation.PROD: np.prod,
}
MODES = {
    PaddingMode.CONSTANT: "constant",
    PaddingMode.REFLECT: "reflect",
    PaddingMode.SYMMETRIC: "symmetric",
}


def make(*shapes, data_type=DataType.FLOAT32):
    """Return a network with inputs, and the inputs."""
    network = Network()
    layers = [
        network.add_input(f"x{index}", TensorInfo(shape, data_type))
        for index, shape in enumerate(shapes)
    ]
    return network, *layers


def check(layer, expected):
    assert layer.output.info.shape == np.shape(expected)


@given(npst.mutually_broadcastable_shapes(num_shapes=2, min_dims=0, max_dims=8, min_side=0))
def test_binary_layers_broadcast(shapes):
    first, second = shapes.input_shapes
    network, x, y = make(first, second)
    numbers = [network.add_cast(value, "int32") for value in (x, y)]
    for operation in BinaryOperation:
        of_bits = operation.name.startswith(("BITWISE", "SHIFT"))
        layer = network.add_elementwise_binary(*(numbers if of_bits else (x, y)), operation)
        data_type = DataType.SIGNED32 if of_bits else DataType.FLOAT32
        assert layer.output.info == TensorInfo(shapes.result_shape, data_type)
        if of_bits:
            with pytest.raises(LayerValidationError, match="is float32, integers expected"):
                network.add_elementwise_binary(x, y, operation)
    compared = network.add_comparison(x, y, ComparisonOperation.LESS)
    assert compared.output.info == TensorInfo(shapes.result_shape, DataType.BOOLEAN)
    both = network.add_logical_binary(compared, compared, LogicalBinaryOperation.OR)
    assert both.output.info == compared.output.info
    assert network.add_prelu(x, y).output.info == TensorInfo(shapes.result_shape)


@given(SHAPES, SHAPES)
def test_shapes_broadcast_exactly_when_numpys_do(first, second):
    network, x, y = make(first, second)
    try:
        expected = np.broadcast_shapes(first, second)
    except ValueError:
        with pytest.raises(LayerValidationError, match="do not broadcast"):
            network.add_addition(x, y)
        with pytest.raises(LayerValidationError):
            network.add_broadcast_to(x, second)
    else:
        check(network.add_addition(x, y), np.empty(expected))
        if expected == second:
            check(network.add_broadcast_to(x, second), np.empty(second))
        else:
            with pytest.raises(LayerValidationError, match="does not broadcast to"):
                network.add_broadcast_to(x, second)


@given(st.data(), npst.array_shapes(min_dims=1, max_dims=5, min_side=1, max_side=3))
def test_reductions(data, shape):
    axes = data.draw(st.lists(st.integers(-len(shape), len(shape) - 1), max_size=len(shape)))
    keep = data.draw(st.booleans())
    network, x = make(shape)
    array = np.ones(shape, np.float32)
    if len({axis % len(shape) for axis in axes}) < len(axes):
        with pytest.raises(LayerValidationError, match="twice"):
            network.add_reduce(x, ReduceOperation.SUM, axes, keep_dims=keep)
        return
    for operation, function in REDUCTIONS.items():
        expected = function(array, axis=tuple(axes) or None, keepdims=keep)
        check(network.add_reduce(x, operation, axes, keep_dims=keep), expected)
    check(network.add_mean(x, axes, keep_dims=keep), array.mean(tuple(axes) or None, keepdims=keep))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    found = network.add_arg_min_max(x, ArgMinMaxFunction.MAX, axis, DataType.SIGNED64)
    assert found.output.info == TensorInfo(np.argmax(array, axis).shape, DataType.SIGNED64)


@given(st.data(), npst.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4))
def test_padding(data, shape):
    pads = [
        (data.draw(st.integers(0, dim - 1)), data.draw(st.integers(0, dim - 1))) for dim in shape
    ]
    network, x = make(shape)
    for mode, name in MODES.items():
        layer = network.add_pad(x, pads, 0, mode)
        check(layer, np.pad(np.empty(shape), pads, mode=name))


def test_padding_mirrors_no_more_than_there_is(network, tensor):
    x = tensor(3)
    check(network.add_pad(x, [(3, 3)], 0, PaddingMode.SYMMETRIC), np.empty(9))
    check(network.add_pad(x, [(2, 2)], 0, PaddingMode.REFLECT), np.empty(7))
    with pytest.raises(LayerValidationError, match="at most 2 can be mirrored of 3"):
        network.add_pad(x, [(0, 3)], 0, PaddingMode.REFLECT)
    with pytest.raises(LayerValidationError, match="at most 3 can be mirrored of 3"):
        network.add_pad(x, [(4, 0)], 0, PaddingMode.SYMMETRIC)


@given(st.data(), npst.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4))
def test_movements(data, shape):
    network, x = make(shape)
    array = np.empty(shape, np.float32)
    permutation = data.draw(st.permutations(range(len(shape))))
    moved = array.transpose(permutation)
    check(network.add_transpose(x, permutation), moved)
    check(network.add_permute(network.add_transpose(x, permutation), permutation), array)
    check(network.add_reshape(x, moved.shape), moved)
    multiples = data.draw(st.lists(st.integers(0, 3), min_size=len(shape), max_size=len(shape)))
    check(network.add_tile(x, multiples), np.tile(array, multiples))
    check(network.add_reverse_v2(x, list(range(len(shape)))), array)
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    check(network.add_stack([x, x, x], axis), np.stack([array] * 3, axis))


@given(st.data(), npst.array_shapes(min_dims=1, max_dims=5, min_side=1, max_side=4))
def test_joining_and_parting(data, shape):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    sizes = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    arrays = [
        np.empty((*shape[: axis % len(shape)], n, *shape[axis % len(shape) + 1 :])) for n in sizes
    ]
    network, *layers = make(*(array.shape for array in arrays))
    joined = network.add_concat(layers, axis)
    check(joined, np.concatenate(arrays, axis))
    parts = network.add_split(joined, sizes, axis)
    assert [slot.info.shape for slot in parts.outputs] == [array.shape for array in arrays]
    views = joined.descriptor.views
    assert [view.origin[axis] for view in views] == [sum(sizes[:i]) for i in range(len(sizes))]
    assert parts.descriptor.views == views


@given(st.data(), npst.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4), SHAPES)
def test_gather_is_take(data, shape, indices):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    network, x = make(shape)
    assume(len(shape) - 1 + len(indices) <= 8)
    where = network.add_input("i", TensorInfo(indices, DataType.SIGNED64))
    expected = np.take(np.empty(shape), np.zeros(indices, int), axis)
    check(network.add_gather(x, where, axis), expected)


@settings(max_examples=60)
@given(npst.mutually_broadcastable_shapes(signature=np.matmul.signature, max_dims=4))
def test_matrix_products(shapes):
    first, second = shapes.input_shapes
    assume(min(len(first), len(second)) >= 2)  # numpy also multiplies vectors
    network, x, y = make(first, second)
    check(network.add_batch_mat_mul(x, y), np.empty(shapes.result_shape))
    turned = [*range(len(first) - 2), len(first) - 1, len(first) - 2]
    x = network.add_transpose(x, turned)
    check(network.add_batch_mat_mul(x, y, transpose_x=True), np.empty(shapes.result_shape))


@given(st.data(), npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6))
def test_reshape_works_out_one_dimension(data, shape):
    target = data.draw(st.lists(st.integers(-1, 8), max_size=4))
    network, x = make(shape)
    try:
        expected = np.empty(shape).reshape(target)
    except ValueError:
        with pytest.raises((LayerValidationError, ValueError)):
            network.add_reshape(x, target)
    else:
        check(network.add_reshape(x, target), expected)


def test_unary_layers_keep_shape_and_type(network, tensor):
    x = tensor(2, 3)
    for operation in UnaryOperation:
        if operation not in (UnaryOperation.LOGICAL_NOT, UnaryOperation.BITWISE_NOT):
            assert network.add_elementwise_unary(x, operation).output.info == x.output.info
    flags = tensor(4, data_type=DataType.BOOLEAN)
    inverse = network.add_elementwise_unary(flags, UnaryOperation.LOGICAL_NOT)
    assert inverse.output.info == flags.output.info
    whole = tensor(4, data_type=DataType.SIGNED64)
    flipped = network.add_elementwise_unary(whole, UnaryOperation.BITWISE_NOT)
    assert flipped.output.info == whole.output.info
