# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Signatures, sub-graphs, shapes, variables, custom operators and names of a model."""

from __future__ import annotations

import pickle
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flatbuffers import flexbuffers

import armnn_py as ann
from armnn_py.frontends.registry import import_model
from armnn_py.types import LayerType

RNG = np.random.default_rng(11)


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.fixture
def relu(builder: Any) -> Callable[..., bytes]:
    """The bytes of a model of one Relu."""

    def make(shape: tuple[int, ...] = (1, 4), signature: tuple[int, ...] | None = None) -> bytes:
        x = builder.tensor("x", shape, signature=signature)
        y = builder.tensor("y", shape, signature=signature)
        builder.op("RELU", [x], [y])
        builder.ends([x], [y])
        return builder.data()

    return make


@pytest.fixture
def two_parts(builder: Any) -> bytes:
    """Two sub-graphs, each with a signature: Relu, and Tanh of other names."""
    for name, op, names in (("main", "RELU", ("x", "y")), ("second", "TANH", ("image", "score"))):
        if name != "main":
            builder.begin(name)
        x, y = builder.tensor(f"{name}_x:0", (1, 4)), builder.tensor(f"{name}_y:0", (1, 4))
        builder.op(op, [x], [y])
        builder.ends([x], [y])
        builder.signature(f"serve_{name}", {names[0]: x}, {names[1]: y})
    return builder.data()


# ---- What is imported ----------------------------------------------------------------------------


def test_a_model_brings_the_modules_that_it_needs(
    relu: Callable[..., bytes], tmp_path: Path
) -> None:
    (tmp_path / "net.tflite").write_bytes(relu())
    program = (
        "import sys, armnn_py\n"
        "assert not {'tflite', 'flatbuffers'} & set(sys.modules)\n"
        "armnn_py.load(sys.argv[1], 'CpuRef')\n"
        "print(*sys.modules)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "net.tflite")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert not {"onnx", "google.protobuf", "ai_edge_litert", "tflite", "flatbuffers"} & modules


def test_the_package_is_missing(
    relu: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(ann.ModelError, match="needs the Python package 'flatbuffers'") as caught:
        ann.import_model(relu())
    assert '".[tflite]" in a clone' in str(caught.value)


def test_the_schema_is_that_of_the_package_with_its_classes() -> None:
    script = Path(__file__).parents[3] / "scripts" / "generate_tflite_schema.py"
    assert subprocess.run([sys.executable, str(script), "--check"], check=False).returncode == 0


# ---- Parts ---------------------------------------------------------------------------------------


def test_the_first_sub_graph_by_the_names_of_its_tensors(two_parts: bytes) -> None:
    network = ann.import_model(two_parts)
    assert (list(network.inputs), list(network.outputs)) == (["main_x:0"], ["main_y:0"])
    assert network.metadata.format == "TensorFlow Lite"
    assert network.metadata.description == "made by a test"
    assert network.metadata.properties["signature serve_second"] == "image -> score"
    assert network.metadata.properties["sub-graphs"] == "main, second"


def test_a_signature_gives_its_names(two_parts: bytes) -> None:
    x = np.float32([[-1, 0.5, 2, 0]])
    with ann.load(two_parts, ["CpuRef"], signature="serve_second") as network:
        np.testing.assert_allclose(network.run({"image": x})["score"], np.tanh(x), rtol=1e-6)
    with ann.load(two_parts, ["CpuRef"], signature="serve_main") as network:
        np.testing.assert_array_equal(network.run({"x": x})["y"], np.maximum(x, 0))


@pytest.mark.parametrize("wanted", [1, "1", "second"])
def test_a_sub_graph_by_name_or_number(two_parts: bytes, wanted: Any) -> None:
    network = ann.import_model(two_parts, subgraph=wanted)
    assert list(network.outputs) == ["second_y:0"]


def test_parts_that_are_not_there(two_parts: bytes, tmp_path: Path) -> None:
    with pytest.raises(ann.UnknownNameError, match="has no signature 'serve'") as caught:
        ann.import_model(two_parts, signature="serve")
    assert "serve_main" in str(caught.value)
    for wanted in (2, -1, "third", True):
        with pytest.raises(ann.UnknownNameError, match="has no sub-graph"):
            ann.import_model(two_parts, subgraph=wanted)
    with pytest.raises(ann.InvalidArgumentError, match="one of them expected"):
        ann.import_model(two_parts, signature="serve_main", subgraph=0)
    network = ann.import_model(two_parts)
    with pytest.raises(ann.InvalidArgumentError, match="signature given with a Network"):
        ann.load(network, signature="serve_main")


def test_onnx_has_no_parts(two_parts: bytes) -> None:
    onnx = pytest.importorskip("onnx")
    node = onnx.helper.make_node("Relu", ["x"], ["y"])
    infos = [onnx.helper.make_tensor_value_info(n, 1, [1]) for n in "xy"]
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", infos[:1], infos[1:]))
    with pytest.raises(ann.InvalidArgumentError, match="signature given, which '<ModelProto>'"):
        ann.import_model(model, signature="serve")


# ---- Shapes --------------------------------------------------------------------------------------


def test_the_stated_size_of_a_free_dimension_holds(relu: Callable[..., bytes]) -> None:
    data = relu((1, 4), (-1, 4))
    assert ann.import_model(data).inputs["x"].shape == (1, 4)
    assert ann.import_model(data, shapes={"x": (7, 4)}).outputs["y"].shape == (7, 4)
    with pytest.raises(ann.InvalidArgumentError, match="dimension 1 is 5, 4 expected"):
        ann.import_model(data, shapes={"x": (7, 5)})
    with pytest.raises(ann.InvalidArgumentError, match="3 dimensions given, 2 expected"):
        ann.import_model(data, shapes={"x": (7, 4, 1)})
    with pytest.raises(ann.UnknownNameError, match="'z' is not an input"):
        ann.import_model(data, shapes={"z": (7, 4)})


def test_a_dimension_stays_free_if_it_is_asked_for(relu: Callable[..., bytes]) -> None:
    network = ann.import_model(relu((1, 4), (-1, 4)), shapes={"x": (None, 4)})
    assert network.is_dynamic
    assert network.inputs["x"].shape == network.outputs["y"].shape == (None, 4)
    again = pickle.loads(pickle.dumps(network))
    with ann.load(again, ["CpuRef"]) as loaded:
        for rows in (1, 3):
            x = normal(rows, 4)
            np.testing.assert_array_equal(loaded.run({"x": x})["y"], np.maximum(x, 0))


def test_a_file_that_does_not_say_what_is_free(relu: Callable[..., bytes]) -> None:
    network = ann.import_model(relu((1, 4)), shapes={"x": (2, 9)})
    assert network.outputs["y"].shape == (2, 9)


def test_an_input_that_decides_shapes(builder: Any) -> None:
    x, sizes = builder.tensor("x", (2, 6)), builder.tensor("sizes", (3,), np.int32)
    y, z = builder.tensor("y", (1, 1, 1), signature=(-1, -1, -1)), builder.tensor("z")
    builder.graph.tensors[z].shape = [1, 1, 1]
    builder.op("RESHAPE", [x, sizes], [y])
    builder.op("RELU", [y], [z])
    builder.ends([x, sizes], [z])
    network = ann.import_model(builder.data())
    assert network.value_inputs == ("sizes",)
    image = normal(2, 6)
    with ann.load(network, ["CpuRef"]) as loaded:
        for shape in ([3, 4, 1], [2, 2, 3], [3, 4, 1]):
            found = loaded.run({"x": image, "sizes": np.int32(shape)})["z"]
            np.testing.assert_array_equal(found, np.maximum(image.reshape(shape), 0))


def test_a_large_operand_that_decides_shapes_is_refused(builder: Any) -> None:
    x, y = builder.tensor("x", (2**18,)), builder.tensor("y", (2,))
    sizes = builder.tensor("sizes", (2**18,), np.int32)
    builder.op("CAST", [x], [sizes], ("CastOptions", {}))
    builder.op("RESHAPE", [x, sizes], [y])
    builder.ends([x], [y])
    with pytest.raises(ann.UnsupportedOperatorError) as caught:
        ann.import_model(builder.data())
    assert "shape computed at run time" in str(caught.value)


def test_names_that_are_empty_or_taken(builder: Any) -> None:
    places = [builder.tensor(name, (2,)) for name in ("x", "x", "", "y")]
    builder.op("ADD_N", places[:3], places[3:])
    builder.ends(places[:3], [places[3], places[3]])
    network = ann.import_model(builder.data())
    assert list(network.inputs) == ["x", "x_2", "input_2"]
    assert list(network.outputs) == ["y", "y_2"]


def test_layers_have_the_first_of_joined_names(builder: Any) -> None:
    x, y = builder.tensor("x", (2,)), builder.tensor("net/relu;net/bias;net/conv", (2,))
    z = builder.tensor("z", (2,))
    builder.op("RELU", [x], [y])
    builder.op("TANH", [y], [z])
    builder.ends([x], [z])
    names = [layer.name for layer in ann.import_model(builder.data()).layers]
    assert names == ["x", "net/relu", "z/tanh", "z"]  # what makes an output has its operator's name


def test_an_input_that_is_an_output(builder: Any) -> None:
    x = builder.tensor("x", (2,))
    builder.ends([x], [x])
    network = ann.import_model(builder.data())
    assert (list(network.inputs), list(network.outputs)) == (["x"], ["x"])


# ---- Variables -----------------------------------------------------------------------------------


def lstm(builder: Any, *, time_major: bool, cifg: bool) -> bytes:
    size, cells, batch, steps = 3, 4, 2, 5
    shape = (steps, batch, size) if time_major else (batch, steps, size)
    x = builder.tensor("x", shape)
    weights = [builder.constant(f"w{k}", normal(cells, size)) for k in range(4)]
    recurrent = [builder.constant(f"r{k}", normal(cells, cells)) for k in range(4)]
    biases = [builder.constant(f"b{k}", normal(cells)) for k in range(4)]
    if cifg:
        weights[0] = recurrent[0] = biases[0] = -1
    hidden = builder.tensor("h", (batch, cells), variable=True)
    cell = builder.tensor("c", (batch, cells), variable=True)
    y = builder.tensor("y", (*shape[:2], cells))
    operands = [x, *weights, *recurrent, -1, -1, -1, *biases, -1, -1, hidden, cell, *[-1] * 4]
    options = {"fusedActivationFunction": 4, "cellClip": 10.0, "timeMajor": time_major}
    builder.op(
        "UNIDIRECTIONAL_SEQUENCE_LSTM", operands, [y],
        ("UnidirectionalSequenceLSTMOptions", options),
    )  # fmt: skip
    builder.ends([x], [y])
    return builder.data()


@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("cifg", [False, True])
def test_an_lstm_over_several_runs(
    builder: Any, engines: Any, time_major: bool, cifg: bool
) -> None:
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    data = lstm(builder, time_major=time_major, cifg=cifg)
    (info,) = ann.import_model(data).inputs.values()
    engines.ours(data, {"x": normal(*info.static_shape)})  # skips where no backend has a kernel
    interpreter = Interpreter(
        model_content=data, experimental_op_resolver_type=OpResolverType.BUILTIN_REF
    )
    interpreter.allocate_tensors()
    (given,), (made,) = interpreter.get_input_details(), interpreter.get_output_details()
    with ann.load(data, engines.backends, runtime=engines.runtime) as network:
        for _ in range(3):
            x = normal(*info.static_shape)
            interpreter.set_tensor(given["index"], x)
            interpreter.invoke()
            expected = interpreter.get_tensor(made["index"])
            np.testing.assert_allclose(network.run({"x": x})["y"], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("cifg", [False, True])
def test_the_state_of_an_lstm_is_a_variable(builder: Any, time_major: bool, cifg: bool) -> None:
    batch, cells = 2, 4
    shape = (5, batch, 3) if time_major else (batch, 5, 3)
    network = ann.import_model(lstm(builder, time_major=time_major, cifg=cifg))
    assert {name: info.shape for name, info in network.variables.items()} == {
        "h": (batch, cells), "c": (batch, cells),
    }  # fmt: skip
    (layer,) = (k for k in network.layers if k.type is LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM)
    assert layer.descriptor.cifg_enabled is cifg
    assert layer.descriptor.time_major is time_major
    assert layer.descriptor.clipping_threshold_cell == 10.0
    assert layer.descriptor.activation_function == 4
    assert [info.shape for info in (slot.info for slot in layer.outputs)] == [
        (batch, cells), (batch, cells), (*shape[:2], cells),
    ]  # fmt: skip
    assert network.validate() == ()
    assert sorted(k.name for k in network.layers if k.name.endswith(".next")) == [
        "c.next",
        "h.next",
    ]


def test_a_state_that_is_not_a_variable_is_refused_with_a_message(builder: Any) -> None:
    places = [builder.tensor(f"x{k}", (2, 2) if k else (2, 2, 2)) for k in range(24)]
    y = builder.tensor("y", (2, 2, 2))
    builder.op("UNIDIRECTIONAL_SEQUENCE_LSTM", places, [y],
               ("UnidirectionalSequenceLSTMOptions", {"fusedActivationFunction": 4}))  # fmt: skip
    builder.ends(places, [y])
    with pytest.raises(ann.UnsupportedOperatorError) as caught:
        ann.import_model(builder.data())
    assert "a state that is not a variable" in str(caught.value)


# ---- Custom operators ----------------------------------------------------------------------------

DETECTION = {
    "max_detections": 3, "max_classes_per_detection": 1, "detections_per_class": 5,
    "nms_score_threshold": 0.25, "nms_iou_threshold": 0.5, "num_classes": 2, "x_scale": 10.0,
    "y_scale": 10.0, "w_scale": 5.0, "h_scale": 5.0, "use_regular_nms": True,
}  # fmt: skip


def detection(builder: Any, options: bytes) -> bytes:
    boxes, scores = builder.tensor("boxes", (1, 6, 4)), builder.tensor("scores", (1, 6, 3))
    anchors = builder.constant("anchors", (RNG.random((6, 4)) + 0.1).astype(np.float32))
    made = [builder.tensor(f"y{k}") for k in range(4)]
    builder.op("TFLite_Detection_PostProcess", [boxes, scores, anchors], made, custom=options)
    builder.ends([boxes, scores], made)
    return builder.data()


def test_detection_post_process_is_a_layer(builder: Any) -> None:
    network = ann.import_model(detection(builder, bytes(flexbuffers.Dumps(DETECTION))))
    (layer,) = (k for k in network.layers if k.type is LayerType.DETECTION_POST_PROCESS)
    found = layer.descriptor
    assert (found.max_detections, found.detections_per_class, found.num_classes) == (3, 5, 2)
    assert (found.nms_score_threshold, found.nms_iou_threshold) == (0.25, 0.5)
    assert (found.scale_x, found.scale_h, found.use_regular_nms) == (10.0, 5.0, True)
    assert [info.shape for info in network.outputs.values()] == [(1, 3, 4), (1, 3), (1, 3), (1,)]


@pytest.mark.parametrize("regular", [False, True])
@pytest.mark.parametrize("quantized", [False, True])
def test_detections_are_those_of_litert(
    builder: Any, engines: Any, regular: bool, quantized: bool
) -> None:
    """Of 60 boxes that overlap; quantised scores have few steps, so that many are equal."""
    options = {**DETECTION, "use_regular_nms": regular, "max_detections": 12}
    rng = np.random.default_rng(7)
    fed = {
        "boxes": rng.standard_normal((1, 60, 4)).astype(np.float32),
        "scores": rng.random((1, 60, 3)).astype(np.float32),
    }
    scales: dict[str, dict[str, Any]] = {"boxes": {}, "scores": {}}
    if quantized:
        scales = {"boxes": {"scale": 0.04, "zero": 128}, "scores": {"scale": 0.05, "zero": 0}}
        for name, value in fed.items():
            steps = np.rint(value / scales[name]["scale"]) + scales[name]["zero"]
            fed[name] = np.clip(steps, 0, 255).astype(np.uint8)
    given = [builder.tensor(k, v.shape, v.dtype, **scales[k]) for k, v in fed.items()]
    anchors = np.concatenate([rng.random((60, 2)), rng.random((60, 2)) / 2 + 0.2], 1)
    held = builder.constant("anchors", anchors.astype(np.float32))
    if quantized:
        held = builder.constant("anchors", np.rint(anchors / 0.01).astype(np.uint8), 0.01, 0)
    made = [builder.tensor(f"y{k}") for k in range(4)]
    custom = bytes(flexbuffers.Dumps(options))
    builder.op("TFLite_Detection_PostProcess", [*given, held], made, custom=custom)
    builder.ends(given, made)
    data = builder.data()
    expected, found = engines.theirs(data, fed), engines.ours(data, fed)
    count = int(expected["y3"][0])
    assert count > 3
    np.testing.assert_array_equal(found["y3"], expected["y3"])
    for name in ("y0", "y1", "y2"):
        np.testing.assert_allclose(
            found[name][:, :count], expected[name][:, :count], rtol=1e-5, atol=1e-6
        )


@pytest.mark.parametrize("options", [b"", b"\0", b"no map at all", bytes(40), b"\xff" * 90])
def test_options_that_are_no_map(builder: Any, options: bytes) -> None:
    with pytest.raises(ann.ParseError, match="TFLite_Detection_PostProcess"):
        ann.import_model(detection(builder, options))


@pytest.mark.parametrize("padding", [1, 2])
@pytest.mark.parametrize(("kernel", "stride"), [(2, 2), (3, 2), (3, 1)])
def test_transposed_convolution_with_bias(
    builder: Any, new_builder: Any, engines: Any, padding: int, kernel: int, stride: int
) -> None:
    """The same as the builtin operator on the output shape that MediaPipe's works out."""
    image, weights, bias = normal(1, 4, 5, 3), normal(2, kernel, kernel, 3), normal(2)
    size = [n * stride if padding == 1 else (n - 1) * stride + kernel for n in (4, 5)]
    options = struct.pack("<3i", padding, stride, stride)
    ours = []
    for make in (builder, new_builder()):
        x, y = make.tensor("x", image.shape), make.tensor("y", (1, *size, 2))
        w, b = make.constant("w", weights), make.constant("b", bias)
        if make is builder:
            make.op("Convolution2DTransposeBias", [x, w, b], [y], custom=options)
        else:
            shape = make.constant("shape", np.int32([1, *size, 2]))
            fields = {"padding": padding - 1, "strideH": stride, "strideW": stride}
            make.op("TRANSPOSE_CONV", [shape, w, x, b], [y], ("TransposeConvOptions", fields),
                    version=3)  # fmt: skip
        make.ends([x], [y])
        ours.append(make.data())
    expected = engines.theirs(ours[1], {"x": image})["y"]
    np.testing.assert_allclose(engines.ours(ours[0], {"x": image})["y"], expected, atol=1e-5)


class Swirl:
    """A backend, as importers see it, that runs one custom operator."""

    id = "Swirly"
    runs_stand_ins = True

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def infer_stand_in(
        self, descriptor: Any, inputs: Any, constants: Any = None, *, name: str = ""
    ) -> Any:
        self.seen.append((descriptor, inputs, name))
        answer = type("Answer", (), {"outputs": None, "reason": "no such operator"})
        if descriptor.name == "Swirl":
            answer.outputs, answer.reason = (ann.TensorInfo((1, 4)),), ""
        return answer


def test_a_backend_is_offered_custom_and_builtin_operators(builder: Any) -> None:
    x, y, z = (builder.tensor(name, (1, 4)) for name in "xyz")
    builder.op("Swirl", [x], [y], custom=b"abc", version=2)
    builder.op("ATAN2", [y, x], [z])
    builder.ends([x], [z])
    backend = Swirl()
    with pytest.raises(ann.UnsupportedOperatorError) as caught:
        import_model(builder.data(), backends=[backend])
    assert "ATAN2" in str(caught.value)
    assert "Swirly: no such operator" in str(caught.value)
    assert "Swirl " not in str(caught.value)
    descriptor = backend.seen[0][0]
    assert (descriptor.domain, descriptor.name, descriptor.version) == ("tflite", "Swirl", 2)
    (options,) = descriptor.attributes
    assert options.name == "custom_options"
    assert options.value.array.tobytes() == b"abc"


def test_unsupported_layers_are_one_error_with_all_places(builder: Any) -> None:
    places = [builder.tensor(f"t{k}", (1, 4)) for k in range(6)]
    builder.op("Swirl", places[:1], places[1:2])
    builder.op("Swirl", places[:1], places[2:3])
    builder.op("ATAN2", places[:1], places[3:4])
    builder.op("RELU", places[:1], places[4:5], version=9)
    builder.op("DENSIFY", places[:1], places[5:6])
    builder.ends(places[:1], places[1:])
    with pytest.raises(ann.UnsupportedOperatorError, match="4 kinds of operator") as caught:
        ann.import_model(builder.data())
    text = str(caught.value)
    assert "Swirl" in text
    assert "a custom operator" in text
    assert ("t1", "t2") in [op.nodes for op in caught.value.operators]
    assert "version 9, versions up to 3 are known" in text
    assert "sparse values computed at run time" in text
    assert {(op.name, op.count) for op in caught.value.operators} == {
        ("Swirl", 2), ("ATAN2", 1), ("RELU", 1), ("DENSIFY", 1),
    }  # fmt: skip


def test_a_code_that_the_schema_lacks(builder: Any) -> None:
    x, y = builder.tensor("x", (1, 4)), builder.tensor("y", (1, 4))
    builder.op("RELU", [x], [y])
    builder.model.operatorCodes[0].builtinCode = 4000
    builder.ends([x], [y])
    with pytest.raises(ann.UnsupportedOperatorError) as caught:
        ann.import_model(builder.data())
    assert "builtin code 4000" in str(caught.value)
    assert "not in the schema of this version" in str(caught.value)


def windows(builder: Any, width: int) -> bytes:
    """A window over samples, of which the file states 1 and calls any number free."""
    x = builder.tensor("x", (1, 1, 1, 1), signature=(-1, 1, -1, 1))
    y = builder.tensor("y", (1, 1, 1, 2), signature=(-1, 1, -1, 2))
    w = builder.constant("w", normal(2, 1, width, 1))
    b = builder.constant("b", normal(2))
    builder.op(
        "CONV_2D", [x, w, b], [y], ("Conv2DOptions", {"padding": 1, "strideW": 1, "strideH": 1})
    )
    builder.ends([x], [y])
    return builder.data()


@pytest.mark.parametrize("shapes", [None, {"x": (1, 1, None, 1)}, {"x": (None, 1, None, 1)}])
def test_stated_sizes_that_are_too_small_stay_free(engines: Any, builder: Any, shapes: Any) -> None:
    data = windows(builder, 5)
    network = ann.import_model(data, shapes=shapes)
    batch = None if shapes is None else shapes["x"][0]
    assert network.inputs["x"].shape == (batch, 1, None, 1)
    assert network.outputs["y"].shape == (None, 1, None, 2)
    for batch, samples in ((1, 5), (1, 12), (2, 300)):
        if shapes is None or shapes["x"][0] is None or batch == 1:
            fed = {"x": normal(batch, 1, samples, 1)}
            found = engines.ours(data, fed, shapes=shapes)["y"]
            np.testing.assert_allclose(found, engines.theirs(data, fed)["y"], atol=1e-5)


def test_sizes_that_suit_nothing_are_an_error_with_a_way_out(builder: Any) -> None:
    data = windows(builder, 100_000)
    with pytest.raises(ann.ParseError, match="the window covers 100000") as caught:
        ann.import_model(data)
    assert "shapes= states other sizes than those of the file: 'x': 1x1x1x1" in caught.value.hints
    found = ann.import_model(data, shapes={"x": (1, 1, 100_000, 1)})
    assert found.outputs["y"].shape == (1, 1, 1, 2)


def test_given_sizes_that_are_too_small_are_an_error(builder: Any) -> None:
    with pytest.raises(ann.ParseError, match="the window covers 5"):
        ann.import_model(windows(builder, 5), shapes={"x": (1, 1, 4, 1)})
