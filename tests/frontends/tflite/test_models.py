# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Real networks: the same numbers as LiteRT, and as the ONNX twin of one of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.types import DataType, LayerType

pytestmark = pytest.mark.models

# Largest difference in parts of the largest output. basic_pitch begins with long sums and takes the
# logarithm of what is near 0: plain loops, as those of CpuRef, differ there from kernels that sum
# in lanes, which agree among themselves (CpuAcc, XNNPACK, onnxruntime) within 3e-6.
FLOAT = {
    "open/deeplabv3_mnv2": 1e-5,
    "open/hand_landmark_full": 1e-5,
    "extra/basic_pitch": 5e-4,
    "extra/face_detection_short": 1e-5,
    "extra/keyword_spotting_on_off_v3_f32": 1e-5,
    "extra/mobilefacenet": 1e-5,
    "extra/pose_landmark_full": 5e-4,
    "extra/rock_paper_scissors_f32": 1e-5,
    "extra/selfie_custom_op": 1e-4,
}
# A custom operator that LiteRT's fast kernels alone have; sums that its plain ones round more.
FAST_ONLY = {"extra/basic_pitch", "extra/pose_landmark_full", "extra/selfie_custom_op"}
QUANTIZED = {
    "extra/wake_word_stream_int8": {"Convolution2d", "DepthwiseConvolution2d"},
    "open/efficientnet_lite0_int8": {"Convolution2d", "DepthwiseConvolution2d"},
    "extra/visual_wake_words_int8": {"Convolution2d", "DepthwiseConvolution2d"},
    "extra/image_classification_int8": {"Convolution2d", "Addition"},
    "extra/keyword_spotting_int8": {"Convolution2d", "DepthwiseConvolution2d"},
    "extra/anomaly_detection_int8": {"FullyConnected"},
    "extra/keyword_spotting_on_off_v3_int8": {"Convolution2d"},
    "extra/rock_paper_scissors_int8": {"Convolution2d", "FullyConnected"},
}


def fed_to(network: ann.Network) -> dict[str, np.ndarray]:
    chance = np.random.default_rng(3)
    return {
        name: chance.random(info.static_shape).astype(info.dtype)
        for name, info in network.inputs.items()
    }


@pytest.mark.parametrize("name", FLOAT)
def test_float_networks(
    models_folder: Path, litert: Callable[..., Any], engines: Any, name: str
) -> None:
    path = models_folder / f"{name}.tflite"
    data = path.read_bytes()
    network = ann.import_model(path)
    inputs = fed_to(network)
    expected = litert(data, inputs, reference=name not in FAST_ONLY)
    found = engines.ours(data, inputs)
    assert list(found) == list(network.outputs)
    for key, value in expected.items():
        largest = max(float(np.abs(value).max()), 1e-6)
        assert found[key].shape == value.shape
        assert np.abs(found[key] - value).max() <= FLOAT[name] * largest


def test_twins_in_both_formats_give_the_same(models_folder: Path, engines: Any) -> None:
    audio = np.random.default_rng(2).random((1, 43844, 1)).astype(np.float32)
    lite = (models_folder / "extra" / "basic_pitch.tflite").read_bytes()
    (name,) = ann.import_model(lite).inputs
    onnx = (models_folder / "extra" / "basic_pitch.onnx").read_bytes()
    (twin,) = ann.import_model(onnx).inputs
    ours = engines.ours(lite, {name: audio})
    theirs = engines.ours(onnx, {twin: audio}, shapes={twin: audio.shape})
    assert list(ours) == [
        "StatefulPartitionedCall:2", "StatefulPartitionedCall:1", "StatefulPartitionedCall:0",
    ]  # fmt: skip
    for key, value in theirs.items():
        assert np.abs(ours[key] - value).max() <= 1e-5 * np.abs(value).max()


@pytest.mark.parametrize("name", QUANTIZED)
def test_quantised_networks_stay_quantised(models_folder: Path, name: str) -> None:
    network = ann.import_model(models_folder / f"{name}.tflite")
    kinds = {layer.shown_type.label for layer in network.layers}
    assert kinds >= QUANTIZED[name]
    quantised = {DataType.QASYMM_S8, DataType.QASYMM_U8}
    conversions = (LayerType.QUANTIZE, LayerType.DEQUANTIZE, LayerType.INPUT, LayerType.OUTPUT)
    for layer in network.layers:
        if layer.type in conversions or layer.type is LayerType.CONSTANT:
            continue
        for slot in (*layer.inputs[:1], *layer.outputs):
            assert slot.info.data_type in quantised, layer
            assert slot.info.quantization is not None, layer


@pytest.mark.parametrize("name", [name for name in QUANTIZED if "stream" not in name])
def test_quantised_numbers(
    models_folder: Path, litert: Callable[..., Any], engines: Any, name: str
) -> None:
    """At most one step in a thousand elements, and never more than two."""
    data = (models_folder / f"{name}.tflite").read_bytes()
    network = ann.import_model(data)
    chance = np.random.default_rng(9)
    inputs = {}
    for key, info in network.inputs.items():
        noise = chance.random(info.static_shape)
        limits = np.iinfo(info.dtype) if info.data_type.is_quantized else None
        if limits is not None:
            noise = limits.min + noise * (int(limits.max) - int(limits.min))
        inputs[key] = noise.astype(info.dtype)
    found = engines.ours(data, inputs)
    for key, expected in litert(data, inputs).items():
        info = network.outputs[key]
        step = 1.0 if info.data_type.is_quantized else _step_of(network)
        difference = np.abs(found[key].astype(float) - expected.astype(float)) / step
        assert difference.max() <= 2.01
        assert np.quantile(difference, 0.999) <= 1.01


def _step_of(network: ann.Network) -> float:
    """The scale of the numbers that the last Dequantize reads."""
    last = [layer for layer in network.layers if layer.type is LayerType.DEQUANTIZE][-1]
    scales = last.inputs[0].info.quantization
    assert scales is not None
    return scales.scales[0]


def test_a_cat_is_a_cat(models_folder: Path, engines: Any) -> None:
    from PIL import Image

    path = models_folder / "open" / "efficientnet_lite0_int8.tflite"
    with Image.open(models_folder / "images" / "chelsea.png") as picture:
        pixels = np.asarray(picture.convert("RGB").resize((224, 224), Image.Resampling.BILINEAR))
    found = engines.ours(path.read_bytes(), {"images": pixels[np.newaxis]})
    assert int(found["Softmax"].argmax()) == 285  # ImageNet's Egyptian cat


def test_a_network_with_state_over_several_steps(models_folder: Path) -> None:
    from ai_edge_litert.interpreter import Interpreter

    path = models_folder / "extra" / "wake_word_stream_int8.tflite"
    network = ann.import_model(path)
    assert len(network.variables) == 6
    assert {info.data_type for info in network.variables.values()} == {DataType.QASYMM_S8}
    assert network.validate() == ()
    interpreter = Interpreter(model_path=str(path))
    interpreter.allocate_tensors()
    (given,), (made,) = interpreter.get_input_details(), interpreter.get_output_details()
    chance = np.random.default_rng(3)
    try:
        loaded = ann.load(network, ["CpuRef"])
    except ann.NoBackendForLayerError as error:
        assert "no kernel for" in str(error)  # noqa: PT017
        pytest.skip("; ".join((error.message, *error.details)))
    with loaded:
        for _ in range(12):
            x = chance.integers(-128, 128, (1, 3, 40)).astype(np.int8)
            interpreter.set_tensor(given["index"], x)
            interpreter.invoke()
            expected = interpreter.get_tensor(made["index"]).astype(int)
            found = loaded.run({given["name"]: x})[made["name"]].astype(int)
            assert np.abs(found - expected).max() <= 2


def test_scales_are_those_that_litert_reads(models_folder: Path) -> None:
    from ai_edge_litert.interpreter import Interpreter

    path = models_folder / "extra" / "visual_wake_words_int8.tflite"
    stated: dict[str, Any] = {}
    for detail in Interpreter(model_path=str(path)).get_tensor_details():
        name = detail["name"].partition(";")[0]
        stated[name] = None if name in stated else detail["quantization_parameters"]
    checked = 0
    for layer in ann.import_model(path).layers:
        parameters = stated.get(layer.name)
        if parameters is None or layer.type is LayerType.OUTPUT or not len(parameters["scales"]):
            continue
        if not layer.outputs[0].info.data_type.is_quantized:
            continue  # a bias, which has no scale of its own
        found = layer.outputs[0].info.quantization
        np.testing.assert_array_equal(np.float32(found.scales), parameters["scales"])
        np.testing.assert_array_equal(found.zero_points, parameters["zero_points"])
        checked += 1
    assert checked > 25
