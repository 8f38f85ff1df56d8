# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Small files that ask for much arithmetic on constants: it is left to runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from armnn_py.types import LayerType

node = helper.make_node
ONE = np.float32(1)


def filled(name: str, shape: tuple[int, ...], value: Any = ONE) -> list[onnx.NodeProto]:
    """Nodes that make a constant of one value, in some bytes of a file."""
    one = numpy_helper.from_array(np.array([value]))
    return [
        node("Constant", [], [f"{name}_shape"], value=numpy_helper.from_array(np.int64(shape))),
        node("ConstantOfShape", [f"{name}_shape"], [name], value=one),
    ]


def model(nodes: list[onnx.NodeProto], kind: int = TensorProto.FLOAT, *inputs: Any) -> bytes:
    output = helper.make_tensor_value_info("y", kind, None)
    graph = helper.make_graph(nodes, "constants", [*inputs], [output])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    return bytes(made.SerializeToString())


def layers(data: bytes) -> list[ann.Layer]:
    """The layers that the optimiser leaves."""
    with ann.Runtime() as runtime:
        optimized = ann.optimize(ann.import_model(data), ["CpuRef"], runtime=runtime)
        return [one for one in optimized.network.layers if one.type is not LayerType.OUTPUT]


def all_is_known(nodes: list[onnx.NodeProto]) -> bool:
    return all(one.type is LayerType.CONSTANT for one in layers(model(nodes)))


BOMBS: dict[str, list[onnx.NodeProto]] = {
    "product": [*filled("a", (3000, 3000)), node("MatMul", ["a", "a"], ["b"])],
    "product of integers": [
        *filled("a", (900, 900), np.int32(1)),
        node("MatMul", ["a", "a"], ["i"]),
        node("Cast", ["i"], ["b"], to=TensorProto.FLOAT),
    ],
    "integer product": [
        *filled("a", (1500, 1500), np.uint8(1)),
        node("MatMulInteger", ["a", "a"], ["i"]),
        node("Cast", ["i"], ["b"], to=TensorProto.FLOAT),
    ],
    "gemm": [*filled("a", (3000, 3000)), node("Gemm", ["a", "a"], ["b"], transB=1)],
    "convolution": [
        *filled("a", (1, 64, 300, 300)),
        *filled("w", (64, 64, 7, 7)),
        node("Conv", ["a", "w"], ["b"]),
    ],
    "pooling": [
        *filled("a", (1, 8, 400, 400)),
        node("MaxPool", ["a"], ["b"], kernel_shape=[90] * 2),
    ],
    "recurrent": [
        *filled("a", (1000, 8, 128)),
        *filled("w", (1, 512, 128)),
        *filled("r", (1, 512, 128)),
        node("LSTM", ["a", "w", "r"], ["b"], hidden_size=128),
    ],
}


@pytest.mark.parametrize("nodes", BOMBS.values(), ids=BOMBS)
def test_much_arithmetic_is_left_to_runs(nodes: list[onnx.NodeProto]) -> None:
    assert not all_is_known([*nodes, node("ReduceMax", ["b"], ["y"], keepdims=0)])


def test_little_arithmetic_is_done_at_load() -> None:
    nodes = [*filled("a", (64, 64)), node("MatMul", ["a", "a"], ["b"])]
    nodes.append(node("ReduceMax", ["b"], ["y"], keepdims=0))
    assert all_is_known(nodes)
    with ann.load(model(nodes), ["CpuRef"]) as net:
        assert net.run({})["y"] == 64


def test_each_of_many_products_counts() -> None:
    nodes = [node("MatMul", [f"a{k}", "a0"], [f"a{k + 1}"]) for k in range(400)]
    nodes.append(node("ReduceMax", ["a400"], ["y"], keepdims=0))
    nodes = [*filled("a0", (300, 300), np.float32(1 / 300)), *nodes]
    assert not all_is_known(nodes)
    with ann.load(model(nodes)) as net:
        np.testing.assert_allclose(net.run({})["y"], 1 / 300, rtol=1e-4)


def test_much_suppression_of_constants_is_left_to_runs() -> None:
    nodes = [
        *filled("boxes", (1, 3000, 4)),
        *filled("scores", (1, 300, 3000)),
        *filled("most", (1,), np.int64(1)),
        node("NonMaxSuppression", ["boxes", "scores", "most"], ["y"]),
    ]
    with ann.load(model(nodes, TensorProto.INT64)) as net:
        assert "stages" in repr(net)
        kept = net.run({})["y"]
    np.testing.assert_array_equal(kept, [[0, k, 0] for k in range(300)])


def test_many_strings_of_the_file_are_left_to_runs() -> None:
    nodes = [
        node("Constant", [], ["c"], value_strings=["ab"]),
        node("Constant", [], ["shape"], value=numpy_helper.from_array(np.int64([300000]))),
        node("Expand", ["c", "shape"], ["s0"]),
        *(node("StringConcat", ["s0", "c"], [f"s{k + 1}"]) for k in range(20)),
        node("Concat", [f"s{k + 1}" for k in range(20)], ["all"], axis=0),
        node("Shape", ["all"], ["y"]),
    ]
    with ann.load(model(nodes, TensorProto.INT64)) as net:
        assert net.run({})["y"].tolist() == [20 * 300000]


def test_large_weights_that_many_read_stay_shared() -> None:
    """Each reader with a factor of its own would get weights of its own."""
    count = 24
    nodes = [*filled("w", (2000, 2000))]
    for k in range(count):
        factor = numpy_helper.from_array(np.float32([k + 2]))
        nodes += [
            node("Constant", [], [f"k{k}"], value=factor),
            node("MatMul", ["x", "w"], [f"p{k}"]),
            node("Mul", [f"p{k}", f"k{k}"], [f"q{k}"]),
        ]
    nodes.append(node("Sum", [f"q{k}" for k in range(count)], ["y"]))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2000])
    found = layers(model(nodes, TensorProto.FLOAT, x))
    large = [
        one
        for one in found
        if one.type is LayerType.CONSTANT and one.output.info.shape == (2000, 2000)
    ]
    assert len(large) == 1
