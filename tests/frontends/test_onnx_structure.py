# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What an imported network looks like: layers, names, constants, inputs and outputs."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends import import_model
from armnn_py.frontends.onnx.file.tensors import read_tensor
from armnn_py.types import DataLayout, DataType, LayerType

FLOAT = TensorProto.FLOAT
R = np.random.default_rng(5)


def f(*shape: int) -> np.ndarray:
    return R.standard_normal(shape).astype(np.float32)


def node(op: str, inputs: list[str], outputs: list[str], **attributes: Any) -> onnx.NodeProto:
    attributes.setdefault("name", f"my_{op.lower()}")
    return helper.make_node(op, inputs, outputs, **attributes)


def types(network: ann.Network) -> list[str]:
    skipped = (LayerType.INPUT, LayerType.OUTPUT, LayerType.CONSTANT)
    return [layer.type.label for layer in network.layers if layer.type not in skipped]


def test_layers_bear_the_names_of_nodes(models: Any) -> None:
    nodes = [
        node("Conv", ["x", "w", "b"], ["c"]),
        node("Relu", ["c"], ["r"]),
        node("HardSigmoid", ["r"], ["h"]),
        helper.make_node("Neg", ["h"], ["y"]),
    ]
    model = models.build(nodes, {"x": f(1, 2, 5, 5)}, ["y"], {"w": f(4, 2, 3, 3), "b": f(4)})
    network = import_model(models.save(model, "net.onnx"))
    assert network.name == "net"
    names = [layer.name for layer in network.layers]
    assert names == [
        *("x", "w", "b", "my_conv", "my_relu", "my_hardsigmoid/linear", "my_hardsigmoid"),
        *("Neg_3", "y"),
    ]
    assert network.layer("my_conv").descriptor.data_layout is DataLayout.NCHW


def test_names_stay_unique(models: Any) -> None:
    nodes = [node("Relu", ["x"], ["a"], name="n"), node("Neg", ["a"], ["y"], name="n")]
    network = import_model(models.save(models.build(nodes, {"x": f(2)}, ["y"])))
    assert [layer.name for layer in network.layers] == ["x", "n", "n_2", "y"]


def test_depthwise_convolution_has_its_own_layer(models: Any) -> None:
    weights = f(6, 1, 3, 3)
    model = models.build(
        [node("Conv", ["x", "w"], ["y"], group=3)], {"x": f(1, 3, 5, 5)}, ["y"], {"w": weights}
    )
    network = import_model(models.save(model))
    layer = network.layer("my_conv")
    assert layer.type is LayerType.DEPTHWISE_CONVOLUTION2D
    assert layer.inputs[1].info.shape == (1, 3, 3, 6)
    np.testing.assert_array_equal(layer.inputs[1].layer.value[0, :, :, 4], weights[4, 0])


def test_groups_are_kept(models: Any) -> None:
    model = models.build(
        [node("Conv", ["x", "w"], ["y"], group=2)],
        {"x": f(1, 4, 5, 5)},
        ["y"],
        {"w": f(6, 2, 3, 3)},
    )
    layer = import_model(models.save(model)).layer("my_conv")
    assert layer.type is LayerType.CONVOLUTION2D
    assert layer.descriptor.groups == 2


def test_identities_vanish(models: Any) -> None:
    nodes = [
        node("Identity", ["x"], ["a"]),
        node("Cast", ["a"], ["b"], to=FLOAT),
        node("Dropout", ["b"], ["c"]),
        node("Transpose", ["c"], ["d"], perm=[0, 1]),
        node("Reshape", ["d", "shape"], ["e"]),
        node("Relu", ["e"], ["y"]),
    ]
    constants = {"shape": np.array([0, -1])}
    network = import_model(models.save(models.build(nodes, {"x": f(2, 3)}, ["y"], constants)))
    assert types(network) == ["Activation"]


def test_shape_arithmetic_is_computed_at_import(models: Any) -> None:
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "one"], ["n"]),
        node("Mul", ["n", "two"], ["m"]),
        node("Unsqueeze", ["m", "zero"], ["u"]),
        node("Concat", ["minus", "u"], ["target"], axis=0),
        node("Cast", ["target"], ["t32"], to=TensorProto.INT32),
        node("Cast", ["t32"], ["t64"], to=TensorProto.INT64),
        node("Reshape", ["x", "t64"], ["y"]),
    ]
    constants = {
        "one": np.array(1),
        "two": np.array(2),
        "zero": np.array([0]),
        "minus": np.array([-1]),
    }
    network = import_model(models.save(models.build(nodes, {"x": f(4, 3)}, ["y"], constants)))
    assert types(network) == ["Reshape"]
    assert network.outputs["y"].shape == (2, 6)
    assert not [layer for layer in network.layers if layer.type is LayerType.CONSTANT]


def test_integer_division_rounds_towards_zero(models: Any) -> None:
    nodes = [node("Div", ["a", "b"], ["q"]), node("Add", ["x", "q"], ["y"])]
    constants = {"a": np.array([-7, 7, -7, 6]), "b": np.array([2, -2, -2, 3])}
    x = np.zeros(4, np.int64)
    network = import_model(models.save(models.build(nodes, {"x": x}, ["y"], constants)))
    constant = network.layer("my_add").inputs[1].layer
    assert constant.value.tolist() == [-3, -3, 3, 2]


def test_nodes_that_no_output_needs_are_left_out(models: Any) -> None:
    nodes = [
        node("Relu", ["x"], ["y"]),
        node("NonMaxSuppression", ["x", "x"], ["unused"]),
    ]
    network = import_model(models.save(models.build(nodes, {"x": f(2)}, ["y"])))
    assert types(network) == ["Activation"]


def test_nodes_out_of_order_are_sorted(models: Any) -> None:
    nodes = [node("Relu", ["b"], ["y"]), node("Neg", ["a"], ["b"]), node("Abs", ["x"], ["a"])]
    network = import_model(models.save(models.build(nodes, {"x": f(2)}, ["y"])))
    assert [n.name for n in network.layers] == ["x", "my_abs", "my_neg", "my_relu", "y"]


@pytest.mark.parametrize("op", ["Transpose", "Neg"])
def test_results_of_equal_content_are_one_constant(models: Any, op: str) -> None:
    inputs, weights = {"x": f(3, 72)}, {"w": f(72, 72)}
    nodes, outputs = [], []
    for number in range(3):
        nodes.append(node(op, ["w"], [f"w{number}"]))
        nodes.append(node("MatMul", ["x", f"w{number}"], [f"y{number}"]))
        outputs.append(f"y{number}")
    network = import_model(models.save(models.build(nodes, inputs, outputs, weights)))
    constants = [one for one in network.layers if one.type is LayerType.CONSTANT]
    assert len(constants) == 1


def test_inputs_with_initializers_are_constants(models: Any) -> None:
    inputs = {"x": f(2), "w": f(2)}
    model = models.build([node("Add", ["x", "w"], ["y"])], inputs, ["y"], {"w": f(2)})
    assert list(import_model(models.save(model)).inputs) == ["x"]


@pytest.mark.parametrize("version", [3, 8])
def test_an_initializer_that_shapes_name_is_an_input(engines: Any, version: int) -> None:
    """It is a default since IR version 4; older files list all initializers as inputs."""
    inputs = {"x": f(2, 3), "w": f(3, 4), "b": f(4)}
    nodes = [node("MatMul", ["x", "w"], ["p"]), node("Add", ["p", "b"], ["y"])]
    made = engines.build(nodes, inputs, ["y"], {"w": f(3, 4), "b": f(4)})
    made.ir_version = version
    (w, b) = (numpy_helper.to_array(one) for one in made.graph.initializer)
    other = f(3, 4)
    with ann.load(made) as net:
        assert list(net.inputs) == ["x"]
        y = net.run({"x": inputs["x"]})["y"]
        np.testing.assert_allclose(y, inputs["x"] @ w + b, rtol=1e-5)
    with ann.load(made, shapes={"w": (3, 4)}) as net:
        assert list(net.inputs) == ["x", "w"]
        y = net.run({"x": inputs["x"], "w": other})["y"]
        np.testing.assert_allclose(y, inputs["x"] @ other + b, rtol=1e-5)
        y = net.run({"x": inputs["x"]})["y"]
        np.testing.assert_allclose(y, inputs["x"] @ w + b, rtol=1e-5)
    with pytest.raises(ann.InvalidArgumentError, match="dimension 1 is 5, 4 expected"):
        ann.import_model(made, shapes={"w": (3, 5)})


@pytest.mark.parametrize("shapes", [{"s": (2,)}, {"s": (2,), "x": (4,)}, {"b": (None,), "s": (2,)}])
@pytest.mark.parametrize("given", [[], ["b"], ["s"], ["b", "s"]])
def test_inputs_with_a_value_may_be_left_out(
    engines: Any, shapes: dict[str, Any], given: list[str]
) -> None:
    """Also the one that decides a shape, and after the network was saved."""
    nodes = [node("Add", ["x", "b"], ["z"]), node("Reshape", ["z", "s"], ["y"])]
    x, b, other = f(4), f(4), f(1)
    made = engines.build(
        nodes,
        {"x": (["n"], FLOAT), "b": (["m"], FLOAT), "s": ([2], TensorProto.INT64)},
        {"y": ([None, None], FLOAT)},
        {"b": b, "s": np.int64([2, 2])},
    )
    inputs = {"x": x, "b": other, "s": np.int64([1, 4])}
    inputs = {name: inputs[name] for name in ["x", *given]}
    expected = engines.theirs(made, inputs)["y"]
    if "b" not in shapes:
        shapes = {**shapes, "b": (1,) if "b" in given else (4,)}
    with ann.load(made, engines.backends, shapes=shapes) as net:
        np.testing.assert_array_equal(net.run(inputs)["y"], expected)
        if not given:
            np.testing.assert_array_equal(net.run(x)["y"], expected)


def test_a_value_that_may_be_left_out_is_saved(models: Any, tmp_path: Path) -> None:
    made = models.build(
        [node("Add", ["x", "b"], ["y"])], {"x": f(4), "b": f(4)}, ["y"], {"b": f(4)}
    )
    b = numpy_helper.to_array(made.graph.initializer[0])
    with ann.Runtime() as runtime:
        network = ann.import_model(made, shapes={"b": (4,)})
        ann.optimize(network, ["CpuRef"], runtime=runtime).save(tmp_path / "one.armnnpy")
    with ann.load(tmp_path / "one.armnnpy") as net:
        x = f(4)
        np.testing.assert_array_equal(net.run({"x": x})["y"], x + b)
        np.testing.assert_array_equal(net.run({"x": x, "b": x})["y"], x + x)


def test_types(models: Any) -> None:
    inputs = {"i": np.zeros(2, np.int64), "b": np.zeros(2, bool), "h": np.zeros(2, np.float16)}
    nodes = [node("Identity", [name], [f"{name}_out"]) for name in inputs]
    network = import_model(models.save(models.build(nodes, inputs, [f"{n}_out" for n in inputs])))
    found = [info.data_type for info in network.inputs.values()]
    assert found == [DataType.SIGNED64, DataType.BOOLEAN, DataType.FLOAT16]


def test_outputs_that_are_inputs_constants_or_twice_the_same(engines: Any) -> None:
    x, w = f(2, 3), f(4)
    nodes = [
        node("Relu", ["x"], ["y"]),
        node("Identity", ["y"], ["again"]),
        node("Identity", ["w"], ["weights"]),
        node("Identity", ["x"], ["copy"]),
    ]
    model = engines.build(nodes, {"x": x}, ["y", "again", "weights", "copy"], {"w": w})
    found = engines.ours(model, {"x": x})
    np.testing.assert_array_equal(found["y"], np.maximum(x, 0))
    np.testing.assert_array_equal(found["again"], np.maximum(x, 0))
    np.testing.assert_array_equal(found["weights"], w)
    np.testing.assert_array_equal(found["copy"], x)


def test_old_broadcasting_along_an_axis(engines: Any) -> None:
    """Version 6: the second operand lies at ``axis`` of the first, not at its end."""
    x, w = f(2, 3, 4), f(3)
    model = engines.build(
        [node("Add", ["x", "w"], ["y"], broadcast=1, axis=1)], {"x": x}, ["y"], {"w": w}, opset=6
    )
    np.testing.assert_array_equal(engines.ours(model, {"x": x})["y"], x + w[:, None])


def test_local_response_over_an_even_window(engines: Any) -> None:
    """onnxruntime refuses even windows: the specification's formula in numpy."""
    x = f(1, 6, 2, 3)
    model = engines.build([node("LRN", ["x"], ["y"], size=4, alpha=0.02)], {"x": x}, ["y"])
    expected = np.empty_like(x)
    for c in range(6):
        total = (x[:, max(0, c - 1) : min(5, c + 2) + 1] ** 2).sum(1)
        expected[:, c] = x[:, c] / (1 + 0.02 / 4 * total) ** 0.75
    np.testing.assert_allclose(engines.ours(model, {"x": x})["y"], expected, rtol=1e-5)


def test_uint8_images_are_cast(engines: Any) -> None:
    x = R.integers(0, 256, (1, 4, 4, 3)).astype(np.uint8)
    nodes = [
        node("Transpose", ["x"], ["t"], perm=[0, 3, 1, 2]),
        node("Cast", ["t"], ["c"], to=FLOAT),
        node("Div", ["c", "s"], ["y"]),
    ]
    model = engines.build(nodes, {"x": x}, ["y"], {"s": np.float32(255)})
    found = engines.ours(model, {"x": x})["y"]
    np.testing.assert_allclose(found, x.transpose(0, 3, 1, 2) / np.float32(255), rtol=1e-6)


def test_external_data_is_read(models: Any) -> None:
    weights = f(4, 3)
    model = models.build([node("MatMul", ["x", "w"], ["y"])], {"x": f(2, 4)}, ["y"], {"w": weights})
    path = models.folder / "external.onnx"
    onnx.save(model, path, save_as_external_data=True, location="w.bin", size_threshold=0)
    assert (models.folder / "w.bin").stat().st_size >= 48
    network = import_model(path)
    np.testing.assert_array_equal(network.layer("w").value, weights)


def test_typed_fields_are_read(models: Any) -> None:
    """Tensors need not be raw bytes."""
    half = helper.make_tensor("h", TensorProto.FLOAT16, [2], [0.5, -2.0])
    flags = helper.make_tensor("b", TensorProto.BOOL, [2], [True, False])
    model = models.build(
        [
            node("Identity", ["h"], ["y"]),
            node("Identity", ["b"], ["z"]),
            node("Relu", ["x"], ["r"]),
        ],
        {"x": f(2)},
        ["y", "z", "r"],
    )
    model.graph.initializer.extend([half, flags])
    network = import_model(models.save(model))
    assert network.layer("h").value.tolist() == [0.5, -2.0]
    assert network.layer("b").value.tolist() == [True, False]


FIELDS = {
    TensorProto.FLOAT: [1.5, -0.0, 3e38, float("inf"), float("nan")],
    TensorProto.DOUBLE: [1e300, -5e-324],
    TensorProto.INT64: [-(2**63), 2**63 - 1, 5],
    TensorProto.INT32: [-(2**31), 2**31 - 1],
    TensorProto.INT16: [-(2**15), 2**15 - 1],
    TensorProto.INT8: [-128, 127],
    TensorProto.UINT8: [0, 255],
    TensorProto.UINT16: [0, 2**16 - 1],
    TensorProto.UINT32: [0, 2**32 - 1],
    TensorProto.UINT64: [0, 2**64 - 1],
    TensorProto.BOOL: [True, False],
    TensorProto.FLOAT16: [0.5, -2.0, float("inf"), 6e-8],
}


@pytest.mark.parametrize("kind", FIELDS, ids=TensorProto.DataType.Name)
@pytest.mark.parametrize("raw", [False, True], ids=["field", "raw"])
def test_values_of_all_types(kind: Any, raw: bool) -> None:
    tensor = helper.make_tensor("t", kind, [len(FIELDS[kind])], FIELDS[kind])
    expected = numpy_helper.to_array(tensor)
    if raw:
        tensor = numpy_helper.from_array(expected, "t")
    found = read_tensor(tensor, Path(), "t")
    assert isinstance(found, np.ndarray)
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()
    assert found.__array_interface__["data"][0] % 64 == 0
    assert not found.flags.writeable


def test_values_out_of_range_wrap() -> None:
    """A field is wider than some of the types that it stores."""
    tensor = TensorProto(dims=[3], data_type=TensorProto.INT8, int32_data=[129, -129, 2**31 - 1])
    assert read_tensor(tensor, Path(), "t").tolist() == [-127, 127, -1]
    tensor = TensorProto(dims=[2], data_type=TensorProto.UINT32, uint64_data=[2**32 + 7, 2**64 - 1])
    assert read_tensor(tensor, Path(), "t").tolist() == [7, 2**32 - 1]
    tensor = TensorProto(dims=[2], data_type=TensorProto.BOOL, int32_data=[256, 0])
    assert read_tensor(tensor, Path(), "t").tolist() == [True, False]


def test_conversions_share_the_weights(models: Any) -> None:
    nodes = [
        node("Conv", ["x", "w"], ["c"], group=3),
        node("Transpose", ["k"], ["kt"], perm=[1, 0]),
        node("MatMul", ["c", "kt"], ["y"]),
    ]
    constants = {"w": f(3, 1, 3, 3), "k": f(2, 4)}
    inputs = {"x": (["n", 3, 6, 6], FLOAT)}
    outputs = {"y": (["n", 3, 4, 2], FLOAT)}
    network = import_model(models.save(models.build(nodes, inputs, outputs, constants)))
    one, two = (network.specialize({"x": (n, 3, 6, 6)}) for n in (1, 2))
    for layer in ("my_conv", "my_matmul"):
        first, second = (n.layer(layer).inputs[1].layer.value for n in (one, two))
        place, again = (value.__array_interface__["data"][0] for value in (first, second))
        assert place == again
        assert place % 64 == 0


def test_a_dynamic_network_travels(models: Any, relu_model: Any) -> None:
    network = import_model(models.save(relu_model(["n", 4])))
    again = pickle.loads(pickle.dumps(network))
    assert again.specialize({"x": (3, 4)}).outputs["y"].shape == (3, 4)


def test_onnx_is_imported_when_a_model_is(models: Any) -> None:
    code = "import armnn_py, sys; sys.exit('onnx' in sys.modules or 'google' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_missing_package_is_named(models: Any, relu_model: Any, monkeypatch: Any) -> None:
    path = models.save(relu_model())
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ann.ModelError, match="needs the Python package 'onnx'") as caught:
        import_model(path)
    (hint,) = caught.value.hints
    assert hint == 'pip install onnx, or pip install ".[onnx]" in a clone of armnn_py'


def test_initializers_are_aligned_and_read_only(models: Any) -> None:
    model = models.build([node("Add", ["x", "w"], ["y"])], {"x": f(5)}, ["y"], {"w": f(5)})
    value = import_model(models.save(model)).layer("w").value
    assert value.__array_interface__["data"][0] % 64 == 0
    assert not value.flags.writeable
    assert numpy_helper.to_array(model.graph.initializer[0]).tolist() == value.tolist()
