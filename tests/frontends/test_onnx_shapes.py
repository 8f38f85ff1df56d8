# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Free dimensions: bound at import, bound later, and bound wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends import import_model

FLOAT = TensorProto.FLOAT


@pytest.fixture
def two_inputs(models: Any) -> Any:
    """x [n, 3, h], y [n, h, ?]: the product depends on both."""
    node = helper.make_node("MatMul", ["x", "y"], ["z"], name="product")
    inputs = {"x": (["n", 3, "h"], FLOAT), "y": (["n", "h", "?"], FLOAT)}
    return models.save(models.build([node], inputs, {"z": (["n", 3, "?"], FLOAT)}))


def test_free_dimensions_stay_free(two_inputs: Any) -> None:
    network = import_model(two_inputs)
    assert network.is_dynamic
    assert network.inputs["x"].shape == (None, 3, None)
    assert network.outputs["z"].shape == (None, 3, None)


def test_binding_at_import(two_inputs: Any) -> None:
    network = import_model(two_inputs, shapes={"x": (2, 3, 4), "y": (2, 4, 5)})
    assert not network.is_dynamic
    assert network.outputs["z"].shape == (2, 3, 5)


def test_binding_later(two_inputs: Any) -> None:
    network = import_model(two_inputs).specialize({"x": (1, 3, 2), "y": (1, 2, 7)})
    assert network.outputs["z"].shape == (1, 3, 7)


def test_binding_in_part_binds_the_same_name_elsewhere(two_inputs: Any) -> None:
    network = import_model(two_inputs, shapes={"x": (2, 3, None)})
    assert network.inputs["x"].shape == (2, 3, None)
    assert network.inputs["y"].shape == (2, None, None)


def test_one_name_has_one_size(two_inputs: Any) -> None:
    with pytest.raises(ann.InvalidArgumentError) as caught:
        import_model(two_inputs, shapes={"x": (2, 3, 4), "y": (2, 5, 5)})
    assert str(caught.value) == (
        "input 'y': dimension 1 ('h') is 5, 4 expected\n"
        "  'h' is 4 in input 'x', dimension 2\n"
        "hint: dimensions of one name have one size"
    )


def test_one_name_has_one_size_later_too(two_inputs: Any) -> None:
    with pytest.raises(ann.InvalidArgumentError, match=r"dimension 1 \('h'\) is 5, 4 expected"):
        import_model(two_inputs).specialize({"x": (2, 3, 4), "y": (2, 5, 5)})


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"image": (1, 2)}, "'image' is not an input of 'model'"),
        ({"x": (1, 3)}, "input 'x': 2 dimensions given, 3 expected"),
        ({"x": (1, 4, 5)}, "input 'x': dimension 1 is 4, 3 expected"),
        ({"x": (1, 3, -5)}, "shape of input 'x': dimension 2 is -5, at least 0 expected"),
        ({"x": "abc"}, "shape of input 'x' 'abc' is not a sequence of integers"),
        ([("x", (1, 3, 5))], "shapes given as list, a mapping of input names expected"),
    ],
    ids=["unknown name", "wrong rank", "fixed dimension", "negative", "text", "no mapping"],
)
def test_wrong_shapes(two_inputs: Any, shapes: Any, message: str) -> None:
    with pytest.raises(ann.InvalidArgumentError) as caught:
        import_model(two_inputs, shapes=shapes)
    assert caught.value.message == message


def test_an_input_without_shape_needs_one(models: Any) -> None:
    node = helper.make_node("Relu", ["x"], ["y"])
    model = models.build([node], {"x": (None, FLOAT)}, {"y": (None, FLOAT)})
    path = models.save(model)
    with pytest.raises(ann.ParseError, match="input 'x' states no shape"):
        import_model(path)
    assert import_model(path, shapes={"x": (2, 3)}).outputs["y"].shape == (2, 3)


def test_shapes_that_do_not_work_are_shown(models: Any) -> None:
    """A wrong size is often found deep inside: the error says which sizes were bound."""
    nodes = [
        helper.make_node("Relu", ["x"], ["r"]),
        helper.make_node("Reshape", ["r", "s"], ["y"], name="to_pairs"),
    ]
    inputs, outputs = {"x": (["n"], FLOAT)}, {"y": ([None, 2], FLOAT)}
    path = models.save(models.build(nodes, inputs, outputs, {"s": np.array([-1, 2])}))
    with pytest.raises(ann.ParseError) as caught:
        import_model(path, shapes={"x": (5,)})
    assert caught.value.node == "to_pairs"
    assert caught.value.message.startswith("node 'to_pairs' (Reshape): ")
    assert "input 'x': 5" in caught.value.details


def test_a_fault_shows_the_first_inputs_of_many(models: Any) -> None:
    """Streaming models have an input for the state of each layer."""
    names = [f"x{index}" for index in range(140)]
    inputs = {name: (["n", index + 2], FLOAT) for index, name in enumerate(names)}
    node = helper.make_node("Sum", names, ["y"])
    path = models.save(models.build([node], inputs, {"y": (["n", 3], FLOAT)}))
    with pytest.raises(ann.ParseError) as caught:
        import_model(path).specialize({name: (3, k + 2) for k, name in enumerate(names)})
    assert "input 'x0': 3x2" in caught.value.details
    assert caught.value.details[-1] == "and 124 more"
    assert len(str(caught.value).splitlines()) < 40


def test_stale_shapes_of_outputs_do_no_harm(engines: Any) -> None:
    """Exporters free the batch of inputs and forget the outputs, which keep the first size."""
    node = helper.make_node("Relu", ["x"], ["y"])
    model = engines.build([node], {"x": (["n", 3], FLOAT)}, {"y": ([1, 3], FLOAT)})
    x = np.array([[1, -1, 2], [-3, 4, -5]], np.float32)
    np.testing.assert_array_equal(engines.ours(model, {"x": x})["y"], np.maximum(x, 0))


def test_the_type_of_an_output_is_checked(models: Any) -> None:
    node = helper.make_node("Relu", ["x"], ["y"])
    model = models.build([node], {"x": ([3], FLOAT)}, {"y": ([3], TensorProto.INT64)})
    with pytest.raises(ann.ParseError, match="output 'y' is float32, but the file says int64"):
        import_model(models.save(model))


def test_several_shapes_give_the_numbers_of_onnxruntime(engines: Any) -> None:
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Slice", ["s", "two", "four"], ["size"]),
        helper.make_node("Concat", ["lead", "size"], ["target"], axis=0),
        helper.make_node("MaxPool", ["x"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Resize", ["p", "", "", "target"], ["y"], mode="nearest"),
    ]
    constants = {"two": np.array([2]), "four": np.array([4]), "lead": np.array([1, 2])}
    inputs = {"x": ([1, 2, "h", "w"], FLOAT)}
    outputs = {"y": ([1, 2, "h", "w"], FLOAT)}
    model = engines.build(nodes, inputs, outputs, constants, opset=13)
    path = engines.save(model)
    with ann.load(path, backends=["CpuRef"], runtime=engines.runtime) as net:
        for size in [(4, 6), (10, 2), (4, 6)]:
            x = np.random.default_rng(1).standard_normal((1, 2, *size)).astype(np.float32)
            expected = engines.theirs(model, {"x": x})["y"]
            np.testing.assert_array_equal(net.run({"x": x})["y"], expected)


def test_an_output_whose_rank_the_file_does_not_state(models: Any) -> None:
    """It is found by a conversion on trial: the window looks at 5 places, so that 2 are too few."""
    nodes = [
        helper.make_node("AveragePool", ["x"], ["p"], kernel_shape=[5, 5]),
        helper.make_node("GlobalMaxPool", ["p"], ["g"]),
        helper.make_node("Squeeze", ["g", "axes"], ["y"]),
    ]
    shape = (["n", 3, "h", "w"], FLOAT)
    model = models.build(nodes, {"x": shape}, ["p", "y"], {"axes": np.int64([2, 3])})
    path = models.save(model)
    network = import_model(path)
    assert network.outputs["p"].shape == (None,) * 4
    assert network.outputs["y"].shape == (None,) * 2
    with ann.load(path, ["CpuRef"]) as loaded:
        for size in (1, 3, 9, 8), (2, 3, 5, 6):
            x = np.random.default_rng(0).random((size[0], *size[1:]), np.float32)
            found = loaded.run(x)
            for name, expected in models.theirs(model, {"x": x}).items():
                np.testing.assert_allclose(found[name], expected, rtol=1e-6)


def test_where_no_trial_tells_the_rank_all_inputs_must_be_bound(models: Any) -> None:
    node = helper.make_node("Reshape", ["x", "to"], ["y"])
    shape = (["n", "m"], FLOAT)
    model = models.build([node], {"x": shape}, ["y"], {"to": np.int64([5, 7])})
    with pytest.raises(ann.ParseError, match="output 'y' states no shape"):
        import_model(models.save(model))
    network = import_model(models.save(model), shapes={"x": (1, 35)})
    assert network.outputs["y"].shape == (5, 7)


@pytest.mark.parametrize("optional", [False, True])
def test_a_sequence_whose_length_is_an_input_is_not_an_output(models: Any, optional: bool) -> None:
    """Bound shapes do not help, and no hint says so."""
    node = helper.make_node("SplitToSequence", ["x", "split"], ["y"])
    model = models.build([node], {"x": ([6], FLOAT), "split": ([], TensorProto.INT64)}, ["y"])
    kind = helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, None))
    if optional:
        kind = helper.make_optional_type_proto(kind)
    model.graph.output[0].type.CopyFrom(kind)
    with pytest.raises(ann.ParseError) as caught:
        import_model(models.save(model))
    what = "optional type" if optional else "sequence type"
    assert str(caught.value) == (
        f"output 'y' holds {what} values, and values of inputs decide how many tensors these are\n"
        "  input 'split' decides"
    )


READERS: dict[str, tuple[list[Any], tuple[int, ...], dict[str, np.ndarray]]] = {
    # name: nodes behind ``h``, a shape that fits, weights
    "Conv": ([("Conv", ["h", "w"], {"group": 2})], (1, 6, 5, 5), {"w": (4, 3, 3, 3)}),
    "ConvTranspose": ([("ConvTranspose", ["h", "w"], {})], (1, 5, 4, 4), {"w": (5, 2, 3, 3)}),
    "MatMul": ([("MatMul", ["h", "w"], {})], (2, 3, 7), {"w": (7, 4)}),
    "Gemm": ([("Gemm", ["h", "w"], {"transB": 1})], (3, 7), {"w": (4, 7)}),
    "BatchNormalization": (
        [("BatchNormalization", ["h", "w", "w", "w", "w"], {})], (2, 5, 4), {"w": (5,)},
    ),
    "LayerNormalization": ([("LayerNormalization", ["h", "w"], {})], (2, 5), {"w": (5,)}),
    "LSTM": (
        [("LSTM", ["h", "w", "r"], {"hidden_size": 3})],
        (4, 1, 5), {"w": (1, 12, 5), "r": (1, 12, 3)},
    ),
    "Transpose, Conv": (
        [("Transpose", ["h"], {"perm": [0, 3, 1, 2]}), ("Conv", ["t", "w"], {})],
        (1, 5, 5, 3), {"w": (4, 3, 3, 3)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", READERS)
def test_weights_tell_the_sizes_of_free_channels(name: str) -> None:
    """All dimensions are free, and no shape is stated of the output; by onnxruntime."""

    readers, shape, weights = READERS[name]
    nodes = [helper.make_node("Relu", ["x"], ["h"])]
    for k, (op, inputs, attributes) in enumerate(readers):
        end = "y" if k == len(readers) - 1 else "t"
        nodes.append(helper.make_node(op, inputs, [end], **attributes))
    values = {k: np.abs(np.random.default_rng(3).standard_normal(s)) for k, s in weights.items()}
    graph = helper.make_graph(
        nodes,
        "free",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None] * len(shape))],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(v.astype(np.float32), k) for k, v in values.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    data = model.SerializeToString()
    x = np.random.default_rng(4).standard_normal(shape).astype(np.float32)
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    with ann.load(data, ["CpuRef"]) as net:
        found = net.run({"x": x})["y"]
    np.testing.assert_allclose(found, session.run(None, {"x": x})[0], rtol=1e-4, atol=1e-5)
