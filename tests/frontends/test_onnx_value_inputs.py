# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operands that decide shapes and come with each run: axes, sizes, bounds, repeats."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann

pytestmark = pytest.mark.filterwarnings("ignore:.*a plan of its own:armnn_py.ArmnnWarning")

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def model(nodes: list[Any], inputs: dict[str, Any], rank: int = 3, opset: int = 18) -> Any:
    kinds = {"f": TensorProto.FLOAT, "i": TensorProto.INT64}
    graph = helper.make_graph(
        nodes,
        "sizes",
        [
            helper.make_tensor_value_info(name, kinds[kind], shape)
            for name, (kind, shape) in inputs.items()
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None] * rank)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def sums(shape: tuple[Any, ...] = (2, 3, 4)) -> Any:
    node = helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=1)
    return model([node], {"x": ("f", shape), "axes": ("i", (1,))})


def axes(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 3, "n")], ids=["all sizes known", "one is free"])
def test_each_value_gets_the_right_sum(shape: Any) -> None:
    with ann.load(sums(shape), ["CpuRef"]) as network:
        for axis in (0, 1, 2, -1, 1, 0):
            found = network.run({"x": X, "axes": axes(axis)})["y"]
            np.testing.assert_array_equal(found, X.sum(axis, keepdims=True))


def test_values_that_come_again_have_their_plan() -> None:
    """Told by the builder, which makes the layers once for each value."""
    network = ann.import_model(sums())
    built: list[Any] = []
    builder = network._dynamic.builder

    def counting(*arguments: Any) -> Any:
        built.append(arguments)
        return builder(*arguments)

    counted = ann.Network.from_builder(
        "sums", network.inputs, counting, network.outputs, value_inputs=network.value_inputs
    )
    with ann.load(counted, ["CpuRef"]) as loaded:
        for axis in (0, 1, 0, 1, 0):
            loaded.run({"x": X, "axes": axes(axis)})
    assert len(built) == 2


def test_a_value_computed_from_inputs_decides_too() -> None:
    nodes = [
        helper.make_node("Add", ["size", "size"], ["double"]),
        helper.make_node("Concat", ["double", "rest"], ["shape"], axis=0),
        helper.make_node("Reshape", ["x", "shape"], ["y"]),
    ]
    inputs = {"x": ("f", (2, 3, 4)), "size": ("i", (1,)), "rest": ("i", (2,))}
    with ann.load(model(nodes, inputs), ["CpuRef"]) as network:
        found = network.run({"x": X, "size": axes(3), "rest": axes(2, -1)})["y"]
        np.testing.assert_array_equal(found, X.reshape(6, 2, 2))
        assert set(network._optimized.value_inputs) == {"size", "rest"}


def test_an_input_that_is_data_too() -> None:
    """The bound of a slice is added to what it cuts out."""
    nodes = [
        helper.make_node("Slice", ["x", "begin", "end"], ["part"]),
        helper.make_node("Cast", ["begin"], ["number"], to=TensorProto.FLOAT),
        helper.make_node("Add", ["part", "number"], ["y"]),
    ]
    inputs = {"x": ("f", (2, 3, 4)), "begin": ("i", (1,)), "end": ("i", (1,))}
    with ann.load(model(nodes, inputs), ["CpuRef"]) as network:
        for begin in (0, 1):
            found = network.run({"x": X, "begin": axes(begin), "end": axes(2)})["y"]
            np.testing.assert_array_equal(found, X[begin:2] + begin)


def test_bind_keeps_the_values() -> None:
    given = axes(1)
    with (
        ann.load(sums(), ["CpuRef"]) as network,
        network.bind({"x": X.copy(), "axes": given}) as bound,
    ):
        given[0] = 2
        np.testing.assert_array_equal(bound.run()["y"], X.sum(1, keepdims=True))
        with pytest.raises(ValueError, match="read-only"):
            bound.inputs["axes"][0] = 2


def test_out_has_the_shape_of_the_values() -> None:
    with ann.load(sums((2, 3, "n")), ["CpuRef"]) as network:
        out = {"y": np.empty((2, 1, 4), np.float32)}
        network.run({"x": X, "axes": axes(1)}, out=out)
        np.testing.assert_array_equal(out["y"], X.sum(1, keepdims=True))
        with pytest.raises(ann.InvalidArgumentError, match="expected 2x3x1"):
            network.run({"x": X, "axes": axes(2)}, out=out)


def test_threads_with_different_values() -> None:
    wrong: list[int] = []
    with ann.load(sums(), ["CpuRef"]) as network:

        def work(axis: int) -> None:
            for _ in range(20):
                found = network.run({"x": X, "axes": axes(axis)})["y"]
                if not np.array_equal(found, X.sum(axis, keepdims=True)):
                    wrong.append(axis)

        threads = [threading.Thread(target=work, args=(axis,)) for axis in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_a_value_that_does_not_fit_is_reported_and_the_next_one_works() -> None:
    with ann.load(sums(), ["CpuRef"]) as network:
        with pytest.raises(ann.ParseError, match="axis 7"):
            network.run({"x": X, "axes": axes(7)})
        assert network.run({"x": X, "axes": axes(0)})["y"].shape == (1, 3, 4)


def test_specialize_asks_for_values() -> None:
    network = ann.import_model(sums())
    assert network.is_dynamic
    assert network.value_inputs == ("axes",)
    assert "shapes from values of axes" in repr(network)
    with pytest.raises(ann.InputValuesNeededError, match="'axes'") as caught:
        network.specialize({})
    assert caught.value.names == ("axes",)
    static = network.specialize({}, {"axes": axes(2)})
    assert static.outputs["y"].shape == (2, 3, 1)
    with pytest.raises(ann.InvalidArgumentError, match=r"values of input 'axes': int32"):
        network.specialize({}, {"axes": axes(2).astype(np.int32)})
    with pytest.raises(ann.UnknownNameError, match="no input 'axis'"):
        network.specialize({}, {"axis": axes(2)})
    with pytest.raises(ann.UnknownNameError, match="no input 'axis'"):
        ann.Network.from_builder(
            "x", network.inputs, network.specialize, network.outputs, value_inputs=["axis"]
        )


def test_bounds_say_why_they_do_not_help() -> None:
    with ann.load(sums((2, 3, "n")), ["CpuRef"], bounds={"n": 8}) as network:
        assert "axes" in network.bounded_shapes.reasons[0]
        assert network.run({"x": X, "axes": axes(1)})["y"].shape == (2, 1, 4)


@pytest.mark.parametrize("stated", [(2, 3, 4), (2, 3, "n")], ids=["all sizes known", "one is free"])
def test_an_output_without_a_stated_rank(stated: Any) -> None:
    made = sums(stated)
    made.graph.output[0].type.tensor_type.ClearField("shape")
    with ann.load(made, ["CpuRef"]) as network:
        for axis in (0, 2):
            found = network.run({"x": X, "axes": axes(axis)})["y"]
            np.testing.assert_array_equal(found, X.sum(axis, keepdims=True))


def test_boxes_of_an_input_whose_number_no_file_states() -> None:
    """Boxes that a network computes of its input decide how many are kept; by onnxruntime."""
    nodes = [
        helper.make_node("Relu", ["x"], ["boxes"]),
        helper.make_node("NonMaxSuppression", ["boxes", "scores", "most", "overlap"], ["kept"]),
        helper.make_node("Cast", ["kept"], ["y"], to=TensorProto.FLOAT),
    ]
    made = model(nodes, {"x": ("f", (1, 20, 4)), "scores": ("f", (1, 2, 20))}, opset=17)
    made.ir_version = 9
    made.graph.output[0].type.tensor_type.ClearField("shape")
    made.graph.initializer.extend(
        [
            numpy_helper.from_array(np.array([5], np.int64), "most"),
            numpy_helper.from_array(np.array([0.3], np.float32), "overlap"),
        ]
    )
    rng = np.random.default_rng(5)
    inputs = {
        "x": rng.normal(1, 1, (1, 20, 4)).astype(np.float32),
        "scores": rng.random((1, 2, 20), np.float32),
    }
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (expected,) = session.run(None, inputs)
    with ann.load(made, ["CpuRef"]) as network:
        np.testing.assert_array_equal(network.run(inputs)["y"], expected)


def test_a_rank_that_values_decide_is_reported_with_advice() -> None:
    """No value on trial is a shape of these elements."""
    node = helper.make_node("Reshape", ["x", "to"], ["y"])
    made = model([node], {"x": ("f", (2, 3, 4)), "to": ("i", (4,))})
    made.graph.output[0].type.tensor_type.ClearField("shape")
    with pytest.raises(ann.ParseError, match="'y' states no shape") as caught:
        ann.import_model(made)
    assert caught.value.hints == (
        "onnx.shape_inference.infer_shapes(model) may add the output's shape to the file",
    )
