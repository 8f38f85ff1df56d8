# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shapes and refusals of the layers that ONNX and TensorFlow Lite have and Arm NN lacks.

Expected shapes come from onnx's own shape inference.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import armnn_py as ann
from armnn_py.types import DataType, LayerType, RandomDistribution, RecurrentDirection

F32, I32, I64 = DataType.FLOAT32, DataType.SIGNED32, DataType.SIGNED64
U8, S8 = DataType.QASYMM_U8, DataType.QASYMM_S8
_ELEMENTS = {
    F32: TensorProto.FLOAT, I32: TensorProto.INT32, I64: TensorProto.INT64,
    U8: TensorProto.UINT8, S8: TensorProto.INT8,
}  # fmt: skip


def network_with(**inputs: tuple[tuple[int, ...], DataType]) -> tuple[ann.Network, list[ann.Layer]]:
    network = ann.Network()
    layers = [
        network.add_input(name, ann.TensorInfo(shape, data_type))
        for name, (shape, data_type) in inputs.items()
    ]
    return network, layers


def onnx_shapes(
    operator: str,
    inputs: dict[str, tuple[tuple[int, ...], DataType]],
    outputs: int,
    constants: dict[str, list[int]] | None = None,
    opset: int = 23,
    **attributes: Any,
) -> list[tuple[int, ...]]:
    given = [
        helper.make_tensor_value_info(name, _ELEMENTS[data_type], shape)
        for name, (shape, data_type) in inputs.items()
    ]
    known = [
        helper.make_tensor(
            name, TensorProto.INT64, [len(values)] if operator == "TopK" else [], values
        )
        for name, values in (constants or {}).items()
    ]
    names = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(operator, [*inputs, *(constants or {})], names, **attributes)
    made = [helper.make_empty_tensor_value_info(name) for name in names]
    graph = helper.make_graph([node], "g", given, made, known)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    return [
        tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim)
        for value in inferred.graph.output
    ]


def shapes_of(layer: ann.Layer) -> list[tuple[int, ...]]:
    return [slot.info.static_shape for slot in layer.outputs]


@pytest.mark.parametrize(("axis", "k"), [(-1, 2), (1, 3), (0, 0)])
def test_top_k(axis: int, k: int) -> None:
    operands = {"x": ((2, 3, 4), F32)}
    network, (x,) = network_with(**operands)
    layer = network.add_top_k(x, k, axis, output_type=I64)
    assert layer.type is LayerType.TOP_K
    assert shapes_of(layer) == onnx_shapes("TopK", operands, 2, {"k": [k]}, axis=axis)
    assert [slot.info.data_type for slot in layer.outputs] == [F32, I64]


@pytest.mark.parametrize("axis", [0, -1])
def test_cum_sum(axis: int) -> None:
    operands = {"x": ((2, 3), F32)}
    network, (x,) = network_with(**operands)
    layer = network.add_cum_sum(x, axis, reverse=True)
    assert shapes_of(layer) == onnx_shapes("CumSum", operands, 1, {"axis": [axis]}, opset=14)


@pytest.mark.parametrize("axis", [0, 1, -1, -3])
def test_one_hot(axis: int) -> None:
    network, (indices,) = network_with(indices=((2, 3), I64))
    layer = network.add_one_hot(indices, 1.0, 0.0, 5, axis)
    shape = [2, 3]
    shape.insert(axis % 3, 5)  # ONNX's definition: where the new axis goes in the output
    assert shapes_of(layer) == [tuple(shape)]
    assert layer.output.info.data_type is F32


@pytest.mark.parametrize(("axis", "gamma"), [(-1, (4,)), (1, (3, 4)), (0, (2, 3, 4)), (1, (4,))])
def test_rms_normalization(axis: int, gamma: tuple[int, ...]) -> None:
    operands = {"x": ((2, 3, 4), F32), "gamma": (gamma, F32)}
    network, (x, weights) = network_with(**operands)
    layer = network.add_rms_normalization(x, weights, axis)
    assert shapes_of(layer) == onnx_shapes("RMSNormalization", operands, 1, axis=axis)


@pytest.mark.parametrize(("axis", "beta"), [(-1, (4,)), (1, (3, 4)), (1, (1,))])
def test_layer_normalization(axis: int, beta: tuple[int, ...]) -> None:
    operands = {"x": ((2, 3, 4), F32), "gamma": ((4,), F32), "beta": (beta, F32)}
    network, (x, gamma, shift) = network_with(**operands)
    layer = network.add_layer_normalization(x, gamma, shift, axis)
    assert shapes_of(layer) == onnx_shapes("LayerNormalization", operands, 1, axis=axis)
    assert shapes_of(network.add_layer_normalization(x)) == [(2, 3, 4)]


def test_select() -> None:
    network, (condition, x) = network_with(c=((3, 1), DataType.BOOLEAN), x=((2, 1, 4), I64))
    layer = network.add_select(condition, x, 7)  # the number takes the type of x
    assert layer.output.info == ann.TensorInfo((2, 3, 4), I64)
    with pytest.raises(ann.LayerValidationError, match="condition is int64, bool expected"):
        network.add_select(x, x, x)
    with pytest.raises(ann.LayerValidationError, match="one type expected"):
        network.add_select(condition, x, condition)


@pytest.mark.parametrize("rows", [False, True])
def test_dynamic_quantize(rows: bool) -> None:
    operands = {"x": ((2, 3, 4), F32)}
    network, (x,) = network_with(**operands)
    layer = network.add_dynamic_quantize(x, rows=rows)
    expected = onnx_shapes("DynamicQuantizeLinear", operands, 3)
    if rows:
        expected[1:] = [(2, 3, 1)] * 2
    assert shapes_of(layer) == expected
    assert [slot.info.data_type for slot in layer.outputs] == [U8, F32, U8]
    (symmetric, _, _) = network.add_dynamic_quantize(x, rows=rows, symmetric=True).outputs
    assert symmetric.info.data_type is S8


def test_random() -> None:
    network, (x, state) = network_with(x=((2, 3), F32), state=((2,), I64))
    layer = network.add_random(x, state, RandomDistribution.NORMAL, stream=7)
    assert (shapes_of(layer), layer.output.info.data_type) == ([(2, 3)], F32)


@pytest.mark.parametrize(("x", "y"), [((5, 7), (7, 3)), ((2, 1, 5, 7), (4, 7, 3))])
def test_mat_mul_integer(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    operands = {"x": (x, U8), "y": (y, S8), "p": ((), U8), "q": ((3,), S8)}
    network, given = network_with(**operands)
    layer = network.add_mat_mul_integer(*given)
    assert shapes_of(layer) == onnx_shapes("MatMulInteger", operands, 1)
    assert layer.output.info.data_type is I32


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_dequantize_blocks(axis: int) -> None:
    scales = [5, 7]
    scales[axis] = -(-scales[axis] // 3)
    network, (x, s, p) = network_with(x=((5, 7), S8), s=(tuple(scales), F32), p=(tuple(scales), S8))
    layer = network.add_dequantize_blocks(x, s, p, axis, 3)
    assert (shapes_of(layer), layer.output.info.data_type) == ([(5, 7)], F32)


@pytest.mark.parametrize(
    ("direction", "word"),
    [
        (RecurrentDirection.FORWARD, "forward"),
        (RecurrentDirection.REVERSE, "reverse"),
        (RecurrentDirection.BIDIRECTIONAL, "bidirectional"),
    ],
)
@pytest.mark.parametrize(("kind", "gates"), [("GRU", 3), ("RNN", 1)])
def test_units(direction: RecurrentDirection, word: str, kind: str, gates: int) -> None:
    both = 2 if direction is RecurrentDirection.BIDIRECTIONAL else 1
    operands = {
        "x": ((7, 2, 5), F32),
        "w": ((both, 4 * gates, 5), F32),
        "r": ((both, 4 * gates, 4), F32),
        "b": ((both, 8 * gates), F32),
    }
    network, (x, w, r, _) = network_with(**operands)
    add = network.add_gru if kind == "GRU" else network.add_rnn
    layer = add(x, w, r, direction=direction)
    expected = onnx_shapes(kind, operands, 2, direction=word, hidden_size=4, opset=22)
    assert shapes_of(layer) == expected


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda n, x: n.add_top_k(x, 9), "9 elements wanted, dimension 1 has 3"),
        (lambda n, x: n.add_top_k(x, 1, 2), "axis 2 given"),
        (lambda n, x: n.add_cum_sum(x, 5), "axis 5 given"),
        (lambda n, x: n.add_one_hot(x, 1.0, 0.0, 3), "input|indices is float32"),
        (lambda n, x: n.add_rms_normalization(x, [1.0, 2.0]), "do not broadcast"),
        (lambda n, x: n.add_layer_normalization(x, axis=2), "axis 2 given"),
        (lambda n, x: n.add_gru(x, x, x), "input has 2 dimensions, 3 expected"),
        (
            lambda n, x: n.add_rnn(np.zeros((2, 1, 3), np.float32), *[np.zeros((1, 4, 4))] * 2),
            "input_weights",
        ),
        (
            lambda n, x: n.add_mat_mul_integer(x, x),
            "x is float32, quantised uint8 or quantised int8 expected",
        ),
        (lambda n, x: n.add_dynamic_quantize(np.zeros(3, np.uint8)), "input is quantised uint8"),
        (lambda n, x: n.add_random(x, x), "state is float32, int64 expected"),
        (lambda n, x: n.add_random(x, np.zeros(3, np.int64)), "state has shape 3, 2 expected"),
        (lambda n, x: n.add_random(np.zeros(3), np.zeros(2, np.int64)), "input is float64"),
        (lambda n, x: n.add_dequantize_blocks(x, x), "input is float32"),
        (
            lambda n, x: n.add_dequantize_blocks(np.zeros((2, 3), np.uint8), x, block_size=2),
            "one for each block of 2",
        ),
    ],
)
def test_mismatches_are_refused(make: Any, text: str) -> None:
    network, (x,) = network_with(x=((2, 3), F32))
    with pytest.raises(ann.LayerValidationError, match=text):
        make(network, x)
    assert len(network.layers) == 1


def test_rotary_embedding() -> None:
    operands = {"x": ((2, 3, 5, 8), F32), "cos": ((2, 1, 5, 3), F32), "sin": ((2, 1, 5, 3), F32)}
    network, (x, cos, sin) = network_with(**operands)
    assert shapes_of(network.add_rotary_embedding(x, cos, sin)) == [(2, 3, 5, 8)]
    caches = {"x": ((2, 3, 5, 8), F32), "cos": ((2, 5, 4), F32), "sin": ((2, 5, 4), F32)}
    assert onnx_shapes("RotaryEmbedding", caches, 1) == [(2, 3, 5, 8)]


@pytest.mark.parametrize("mask", [None, (4, 7), (2, 1, 1, 7)])
def test_attention(mask: tuple[int, ...] | None) -> None:
    operands = {
        "q": ((2, 6, 4, 8), F32), "k": ((2, 3, 7, 8), F32), "v": ((2, 3, 7, 5), F32),
    }  # fmt: skip
    if mask is not None:
        operands["mask"] = (mask, F32)
    network, layers = network_with(**operands)
    layer = network.add_attention(*layers)
    assert shapes_of(layer) == onnx_shapes("Attention", operands, 1) == [(2, 6, 4, 5)]


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        (((2, 4, 3, 8), (2, 3, 5, 8), (2, 3, 5, 8)), "4 heads of queries cannot share 3 heads"),
        (((2, 4, 3, 8), (2, 4, 5, 6), (2, 4, 5, 8)), "key has shape 2x4x5x6, 2x4x5x8 expected"),
        (((2, 4, 3, 8), (2, 2, 5, 8), (2, 2, 6, 8)), "value has shape 2x2x6x8, 2x2x5x8 expected"),
        (((4, 3, 8), (4, 5, 8), (4, 5, 8)), "query has 3 dimensions, 4 expected"),
        (((1, 1, 3, 8), (1, 1, 5, 8), (1, 1, 5, 8), (3, 1)), "mask has shape 3x1, 1x1x3x5"),
        (((1, 1, 3, 8), (1, 1, 5, 8), (1, 1, 5, 8), (2, 1, 3, 5)), "mask has shape 2x1x3x5"),
    ],
)
def test_attention_that_does_not_fit(shapes: tuple[tuple[int, ...], ...], text: str) -> None:
    network, layers = network_with(**{f"x{n}": (one, F32) for n, one in enumerate(shapes)})
    with pytest.raises(ann.LayerValidationError, match=text):
        network.add_attention(*layers)


@pytest.mark.parametrize(("most", "rows"), [(0, 0), (4, 24), (5, 30), (2**32 - 1, 30)])
def test_non_max_suppression(most: int, rows: int) -> None:
    """As many rows as 3 classes of 2 batches could keep of 5 boxes; ONNX has no such output."""
    network, layers = network_with(boxes=((2, 5, 4), F32), scores=((2, 3, 5), F32))
    layer = network.add_non_max_suppression(*layers, most)
    assert shapes_of(layer) == [(rows, 3), (rows,), (1,)]
    types = [slot.info.data_type for slot in layer.outputs]
    assert types == [DataType.SIGNED32, F32, DataType.SIGNED32]


@pytest.mark.parametrize(
    ("cos", "sin", "text"),
    [
        ((5, 5), (5, 5), "5 angles do not turn pairs in rows of 8 numbers"),
        ((5, 4), (5, 3), "sin has shape 5x3, 5x4 expected"),
        ((4, 4), (4, 4), "do not broadcast"),
        ((2, 3, 5, 4), (2, 3, 5, 4), "cos has shape 2x3x5x4, 3x5x4 expected"),
    ],
)
def test_angles_that_do_not_fit(cos: tuple[int, ...], sin: tuple[int, ...], text: str) -> None:
    operands = {"x": ((3, 5, 8), F32), "cos": (cos, F32), "sin": (sin, F32)}
    network, layers = network_with(**operands)
    with pytest.raises(ann.LayerValidationError, match=text):
        network.add_rotary_embedding(*layers)


def test_tree_leaves():
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4, 3)))
    splits, nodes, roots = (
        np.zeros(2, np.float32),
        np.zeros((2, 4), np.int32),
        np.zeros(5, np.int32),
    )
    layer = network.add_tree_leaves(x, splits, nodes, roots)
    assert layer.output.info == ann.TensorInfo((4, 5), ann.DataType.SIGNED32)
    with pytest.raises(ann.LayerValidationError, match="four numbers for each split"):
        network.add_tree_leaves(x, splits, nodes[:1], roots)
    with pytest.raises(ann.LayerValidationError):
        network.add_tree_leaves(x, splits.astype(np.float64), nodes, roots)
    with pytest.raises(ann.LayerValidationError):
        network.add_tree_leaves(x, splits, nodes.astype(np.int64), roots)
