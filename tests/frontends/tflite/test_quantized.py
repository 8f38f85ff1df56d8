# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What quantised, dynamic-range and half-precision models become."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.types import DataType, LayerType

RNG = np.random.default_rng(7)


def layers_of(network: ann.Network, kind: LayerType) -> list[Any]:
    return [layer for layer in network.layers if layer.type is kind]


def only(network: ann.Network, kind: LayerType) -> Any:
    (layer,) = layers_of(network, kind)
    return layer


def weights(*shape: int) -> np.ndarray:
    return RNG.integers(-127, 128, shape).astype(np.int8)


CONV = ("Conv2DOptions", {"padding": 0, "strideH": 1, "strideW": 1, "fusedActivationFunction": 3})


@pytest.mark.parametrize(
    ("dtype", "zero", "data_type", "bias_dtype"),
    [
        (np.int8, -3, DataType.QASYMM_S8, np.int32),
        (np.uint8, 120, DataType.QASYMM_U8, np.int32),
        (np.int16, 0, DataType.QSYMM_S16, np.int64),
    ],
)
def test_a_quantised_convolution_stays_one(
    builder: Any, dtype: Any, zero: int, data_type: DataType, bias_dtype: Any
) -> None:
    x = builder.tensor("x", (1, 4, 4, 2), dtype, 0.5, zero)
    scales = [0.25, 0.125, 1.0]
    w = builder.constant("w", weights(3, 1, 1, 2), scales, axis=0)
    b = builder.constant("b", np.arange(3).astype(bias_dtype), [0.125, 0.0625, 0.5])
    y = builder.tensor("y", (1, 4, 4, 3), dtype, 0.75, zero)
    builder.op("CONV_2D", [x, w, b], [y], CONV, version=3)
    builder.ends([x], [y])
    network = ann.import_model(builder.data())
    conv, clamp = only(network, LayerType.CONVOLUTION2D), only(network, LayerType.ACTIVATION)
    image, kernel, bias = (slot.info for slot in conv.inputs)
    assert image == ann.TensorInfo((1, 4, 4, 2), data_type, ann.QuantizationInfo((0.5,), (zero,)))
    assert kernel.data_type is DataType.QSYMM_S8
    assert kernel.quantization == ann.QuantizationInfo(tuple(scales), axis=0)
    kept = DataType.SIGNED64 if bias_dtype == np.int64 else DataType.SIGNED32
    assert bias.data_type is kept
    stated = ann.TensorInfo((1, 4, 4, 3), data_type, ann.QuantizationInfo((0.75,), (zero,)))
    assert conv.outputs[0].info == clamp.outputs[0].info == stated == network.outputs["y"]


def test_a_64_bit_bias_that_32_bits_do_not_hold_is_refused(builder: Any) -> None:
    x = builder.tensor("x", (1, 4, 4, 2), np.int8, 0.5)
    w = builder.constant("w", weights(3, 1, 1, 2), 0.25)
    b = builder.constant("b", np.full(3, 2**40), 0.125)
    y = builder.tensor("y", (1, 4, 4, 3), np.int8, 0.75)
    builder.op("CONV_2D", [x, w, b], [y], CONV, version=4)
    builder.ends([x], [y])
    with pytest.raises(ann.UnsupportedOperatorError, match="cannot be imported") as caught:
        ann.import_model(builder.data())
    assert "a bias beyond 32 bits" in str(caught.value)


@pytest.mark.parametrize("name", ["ADD", "MUL", "SUB", "MAXIMUM", "MINIMUM"])
def test_quantised_arithmetic_states_its_output(builder: Any, name: str) -> None:
    x = builder.tensor("x", (2, 3), np.int8, 0.5, 1)
    y = builder.constant("y", np.arange(3, dtype=np.int8), 0.25, -2)
    z = builder.tensor("z", (2, 3), np.int8, 0.125, 3)
    builder.op(name, [x, y], [z], version=2)
    builder.ends([x], [z])
    network = ann.import_model(builder.data())
    layer = only(network, LayerType.ELEMENTWISE_BINARY)
    assert layer.outputs[0].info.quantization == ann.QuantizationInfo((0.125,), (3,))
    assert layer.inputs[1].info.quantization == ann.QuantizationInfo((0.25,), (-2,))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("LOGISTIC", LayerType.ACTIVATION),
        ("HARD_SWISH", LayerType.ACTIVATION),
        ("SOFTMAX", LayerType.SOFTMAX),
        ("ABS", LayerType.ELEMENTWISE_UNARY),
        ("QUANTIZE", LayerType.QUANTIZE),
    ],
)
def test_a_quantised_function_stays_one_layer(builder: Any, name: str, kind: LayerType) -> None:
    x = builder.tensor("x", (2, 3), np.int8, 0.5, 1)
    y = builder.tensor("y", (2, 3), np.int8, 1 / 256, -128)
    builder.op(name, [x], [y], ("SoftmaxOptions", {"beta": 1.0}) if name == "SOFTMAX" else None)
    builder.ends([x], [y])
    network = ann.import_model(builder.data())
    assert [layer.type for layer in network.layers][1:-1] == [kind]
    assert network.outputs["y"].quantization == ann.QuantizationInfo((1 / 256,), (-128,))


def test_elements_that_move_keep_their_scale(builder: Any) -> None:
    x = builder.tensor("x", (1, 2, 2, 3), np.uint8, 0.5, 7)
    pads = builder.constant("pads", np.int32([[0, 0], [1, 0], [0, 1], [0, 0]]))
    padded = builder.tensor("padded", (1, 3, 3, 3), np.uint8, 0.5, 7)
    shape = builder.constant("shape", np.int32([3, 9]))
    y = builder.tensor("y", (3, 9), np.uint8, 0.5, 7)
    builder.op("PAD", [x, pads], [padded])
    builder.op("RESHAPE", [padded, shape], [y])
    builder.ends([x], [y])
    network = ann.import_model(builder.data())
    assert only(network, LayerType.PAD).descriptor.value == 7  # the stored number of 0
    assert network.outputs["y"].quantization == ann.QuantizationInfo((0.5,), (7,))


def test_parts_of_other_scales_are_brought_to_that_of_the_whole(builder: Any) -> None:
    x = builder.tensor("x", (2, 3), np.uint8, 0.5, 7)
    y = builder.tensor("y", (2, 3), np.uint8, 0.25, 7)
    z = builder.tensor("z", (2, 6), np.uint8, 0.5, 7)
    builder.op("CONCATENATION", [x, y], [z], ("ConcatenationOptions", {"axis": 1}))
    builder.ends([x, y], [z])
    network = ann.import_model(builder.data())
    (conversion,) = layers_of(network, LayerType.QUANTIZE)
    assert conversion.inputs[0].info.quantization.scales == (0.25,)
    assert {slot.info.quantization.scales for slot in only(network, LayerType.CONCAT).inputs} == {
        (0.5,)
    }


@pytest.mark.parametrize("name", ["DEPTHWISE_CONV_2D", "BATCH_MATMUL"])
def test_weights_of_8_bits_beside_floats_become_floats(
    builder: Any, engines: Any, name: str
) -> None:
    shape = (1, 4, 4, 2) if name == "DEPTHWISE_CONV_2D" else (4, 2)
    kernel = (1, 1, 1, 2) if name == "DEPTHWISE_CONV_2D" else (2, 3)
    options = {
        "DEPTHWISE_CONV_2D": (
            "DepthwiseConv2DOptions",
            {"strideH": 1, "strideW": 1, "depthMultiplier": 1},
        ),
        "BATCH_MATMUL": ("BatchMatMulOptions", {}),
    }[name]
    stored = weights(*kernel)
    x = builder.tensor("x", shape)
    w = builder.constant("w", stored, 0.25)
    y = builder.tensor("y")
    builder.op(name, [x, w], [y], options, version=3)
    builder.ends([x], [y])
    data = builder.data()
    assert all(layer.type is not LayerType.DEQUANTIZE for layer in ann.import_model(data).layers)
    image = RNG.standard_normal(shape).astype(np.float32)
    found = engines.ours(data, {"x": image})["y"]
    real = stored.astype(np.float32) * 0.25
    expected = image @ real if name == "BATCH_MATMUL" else image * real
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("name", ["CONV_2D", "FULLY_CONNECTED"])
def test_weights_with_a_scale_for_each_input_become_floats(
    builder: Any, engines: Any, name: str
) -> None:
    """As many inputs as outputs: the scales would also fit the outputs."""
    is_image = name == "CONV_2D"
    stored, scales = weights(3, 3), np.float32([0.5, 0.25, 2.0])
    x = builder.tensor("x", (1, 2, 2, 3) if is_image else (4, 3))
    kernel = stored.reshape(3, 1, 1, 3) if is_image else stored
    w = builder.constant("w", kernel, scales, axis=kernel.ndim - 1)
    y = builder.tensor("y")
    options = ("Conv2DOptions", {"strideH": 1, "strideW": 1}) if is_image else None
    builder.op(name, [x, w], [y], options or ("FullyConnectedOptions", {}), version=5)
    builder.ends([x], [y])
    rows = RNG.standard_normal((4, 3)).astype(np.float32)
    found = engines.ours(builder.data(), {"x": rows.reshape(1, 2, 2, 3) if is_image else rows})
    np.testing.assert_allclose(found["y"].reshape(4, 3), rows @ (stored * scales).T, rtol=1e-5)


@pytest.mark.parametrize("asymmetric", [False, True])
@pytest.mark.parametrize("scales", [[0.02], np.linspace(0.01, 0.03, 9).tolist()])
@pytest.mark.parametrize("has_bias", [False, True])
def test_hybrid_products_quantise_their_rows(
    builder: Any, engines: Any, asymmetric: bool, scales: list[float], has_bias: bool
) -> None:
    """As LiteRT: whole numbers, each row with a scale that follows from its range."""
    x = builder.tensor("x", (5, 40))
    operands = [x, builder.constant("w", weights(9, 40), scales, axis=0)]
    if has_bias:
        operands.append(builder.constant("b", RNG.standard_normal(9).astype(np.float32)))
    y = builder.tensor("y", (5, 9))
    options = ("FullyConnectedOptions", {"asymmetricQuantizeInputs": asymmetric})
    builder.op("FULLY_CONNECTED", operands, [y], options, version=9)
    builder.ends([x], [y])
    data = builder.data()
    network = ann.import_model(data)
    assert layers_of(network, LayerType.DYNAMIC_QUANTIZE)
    assert layers_of(network, LayerType.MAT_MUL_INTEGER)
    rows = RNG.standard_normal((5, 40)) * np.geomspace(0.1, 30, 5).reshape(5, 1) + 0.2
    fed = {"x": rows.astype(np.float32)}
    expected = engines.theirs(data, fed)["y"]
    np.testing.assert_allclose(engines.ours(data, fed)["y"], expected, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("scales", [[0.02], np.linspace(0.01, 0.03, 7).tolist()])
@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        ((1, 1), {"strideH": 1, "strideW": 1}),
        ((3, 2), {"strideH": 2, "strideW": 1, "padding": 1}),
        ((3, 3), {"strideH": 1, "strideW": 1, "dilationHFactor": 2, "dilationWFactor": 2}),
        ((3, 3), {"strideH": 1, "strideW": 2, "fusedActivationFunction": 1}),
    ],
    ids=str,
)
def test_hybrid_convolutions_quantise_their_images(
    builder: Any, engines: Any, batch: int, scales: list[float], kernel: Any, options: Any
) -> None:
    """As LiteRT: whole numbers, each image with a scale that follows from its range."""
    window = {"padding": 0, "dilationHFactor": 1, "dilationWFactor": 1} | options
    x = builder.tensor("x", (batch, 9, 8, 5))
    w = builder.constant("w", weights(7, *kernel, 5), scales, axis=0)
    b = builder.constant("b", RNG.standard_normal(7).astype(np.float32))
    y = builder.tensor("y")
    builder.op("CONV_2D", [x, w, b], [y], ("Conv2DOptions", window), version=5)
    builder.ends([x], [y])
    data = builder.data()
    network = ann.import_model(data)
    assert layers_of(network, LayerType.DYNAMIC_QUANTIZE)
    assert layers_of(network, LayerType.MAT_MUL_INTEGER)
    images = (
        RNG.standard_normal((batch, 9, 8, 5)) * np.geomspace(0.1, 3, batch)[:, None, None, None]
    )
    fed = {"x": (images + 0.1).astype(np.float32)}
    expected = engines.theirs(data, fed)["y"]
    np.testing.assert_allclose(engines.ours(data, fed)["y"], expected, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("multiplier", [1, 2])
@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        ((1, 1), {"strideH": 1, "strideW": 1}),
        ((3, 2), {"strideH": 2, "strideW": 2, "padding": 1}),
        ((3, 3), {"strideH": 1, "strideW": 1, "dilationHFactor": 2, "dilationWFactor": 2}),
        ((5, 4), {"strideH": 1, "strideW": 1, "fusedActivationFunction": 1}),
    ],
    ids=str,
)
def test_hybrid_depthwise_convolutions_quantise_their_images(
    builder: Any, engines: Any, batch: int, multiplier: int, has_bias: bool, kernel: Any,
    options: Any,
) -> None:  # fmt: skip
    """As LiteRT: whole numbers, each image with a scale and a zero point of its own."""
    window = {"padding": 0, "dilationHFactor": 1, "dilationWFactor": 1} | options
    outputs = 5 * multiplier
    scales = np.linspace(0.01, 0.03, outputs).tolist()
    x = builder.tensor("x", (batch, 9, 8, 5))
    operands = [x, builder.constant("w", weights(1, *kernel, outputs), scales, axis=3)]
    if has_bias:
        operands.append(builder.constant("b", RNG.standard_normal(outputs).astype(np.float32)))
    y = builder.tensor("y")
    table = ("DepthwiseConv2DOptions", {"depthMultiplier": multiplier, **window})
    builder.op("DEPTHWISE_CONV_2D", operands, [y], table, version=6)
    builder.ends([x], [y])
    data = builder.data()
    network = ann.import_model(data)
    assert layers_of(network, LayerType.DYNAMIC_QUANTIZE)
    images = (
        RNG.standard_normal((batch, 9, 8, 5)) * np.geomspace(0.1, 3, batch)[:, None, None, None]
    )
    fed = {"x": (images + 0.1).astype(np.float32)}
    expected = engines.theirs(data, fed)["y"]
    np.testing.assert_allclose(engines.ours(data, fed)["y"], expected, rtol=2e-5, atol=1e-5)


def test_sums_of_hybrid_depthwise_convolutions_are_whole_numbers(
    builder: Any, engines: Any
) -> None:
    """The window with the greatest sums that float32 has exactly."""
    stored = np.full((1, 2, 257, 1), -128, np.int8)
    stored[0, 1, -1] = -127
    x, y = builder.tensor("x", (1, 2, 257, 1)), builder.tensor("y")
    w = builder.constant("w", stored, [1.0], axis=3)
    options = {"strideH": 1, "strideW": 1, "depthMultiplier": 1, "padding": 1}
    table = ("DepthwiseConv2DOptions", options | {"dilationHFactor": 1, "dilationWFactor": 1})
    builder.op("DEPTHWISE_CONV_2D", [x, w], [y], table, version=6)
    builder.ends([x], [y])
    data = builder.data()
    assert layers_of(ann.import_model(data), LayerType.DYNAMIC_QUANTIZE)
    fed = {"x": np.full((1, 2, 257, 1), 255, np.float32)}
    fed["x"][0, 0, 0] = 254
    expected = engines.theirs(data, fed)["y"]
    np.testing.assert_array_equal(engines.ours(data, fed)["y"], expected)


def test_a_wider_hybrid_depthwise_window_has_real_weights(builder: Any, engines: Any) -> None:
    """Its sums would be rounded: the outputs are then those of the real numbers."""
    stored = weights(1, 5, 103, 2)
    x, y = builder.tensor("x", (1, 5, 110, 2)), builder.tensor("y")
    w = builder.constant("w", stored, [0.01, 0.02], axis=3)
    options = {"strideH": 1, "strideW": 1, "depthMultiplier": 1, "padding": 1}
    table = ("DepthwiseConv2DOptions", options | {"dilationHFactor": 1, "dilationWFactor": 1})
    builder.op("DEPTHWISE_CONV_2D", [x, w], [y], table, version=6)
    builder.ends([x], [y])
    data = builder.data()
    assert not layers_of(ann.import_model(data), LayerType.DYNAMIC_QUANTIZE)
    image = RNG.standard_normal((1, 5, 110, 2)).astype(np.float32)
    real = stored[0] * np.float64([0.01, 0.02])
    expected = [(image[0, :, k : k + 103] * real).sum((0, 1)) for k in range(8)]
    found = engines.ours(data, {"x": image})["y"]
    np.testing.assert_allclose(found[0, 0], expected, rtol=1e-5, atol=1e-4)


def test_float16_weights_behind_dequantize_are_constants(builder: Any, engines: Any) -> None:
    half = RNG.standard_normal((3, 4)).astype(np.float16)
    x, y = builder.tensor("x", (2, 4)), builder.tensor("y")
    stored, w = builder.constant("half", half), builder.tensor("w", (3, 4))
    builder.op("DEQUANTIZE", [stored], [w], version=3)
    builder.op("FULLY_CONNECTED", [x, w], [y], ("FullyConnectedOptions", {}))
    builder.ends([x], [y])
    data = builder.data()
    network = ann.import_model(data)
    assert [layer.type for layer in network.layers if layer.type is not LayerType.INPUT] == [
        LayerType.CONSTANT, LayerType.FULLY_CONNECTED, LayerType.OUTPUT,
    ]  # fmt: skip
    fed = {"x": RNG.standard_normal((2, 4)).astype(np.float32)}
    np.testing.assert_allclose(
        engines.ours(data, fed)["y"], fed["x"] @ half.astype(np.float32).T, rtol=1e-5, atol=1e-5
    )


def test_4_bit_weights_are_unpacked(builder: Any, engines: Any) -> None:
    stored = np.array([[-8, 7, 0], [3, -1, 5], [1, 2, -3]], np.int8)
    flat = np.append(stored.reshape(-1), np.int8(0)).astype(np.uint8)
    packed = ((flat[1::2] << 4) | (flat[0::2] & 15)).tobytes()
    x, y = builder.tensor("x", (2, 3)), builder.tensor("y")
    w = builder.tensor("w", (3, 3), "int4", 0.5, data=packed)
    builder.op("FULLY_CONNECTED", [x, w], [y], ("FullyConnectedOptions", {}), version=8)
    builder.ends([x], [y])
    fed = {"x": np.float32([[1, 0, 0], [0, 1, 1]])}
    found = engines.ours(builder.data(), fed)["y"]
    np.testing.assert_allclose(found, fed["x"] @ (stored.astype(np.float32) * 0.5).T, rtol=1e-6)


def test_quantised_weights_are_views_of_the_file(builder: Any, tmp_path: Any) -> None:
    x = builder.tensor("x", (1, 512), np.int8, 0.5)
    w = builder.constant("w", weights(512, 512), 0.25)
    y = builder.tensor("y", (1, 512), np.int8, 0.75)
    builder.op("FULLY_CONNECTED", [x, w], [y], ("FullyConnectedOptions", {}), version=4)
    builder.ends([x], [y])
    data = builder.data()
    place = data.index(builder.model.buffers[1].data.tobytes())
    path = tmp_path / "net.tflite"
    path.write_bytes(data)
    network = ann.import_model(path)
    value = next(layer.value for layer in network.layers if layer.type is LayerType.CONSTANT)
    address = value.__array_interface__["data"][0]
    mapped = _addresses_of(path)
    is_aligned = place % 64 == 0  # what a layer keeps is aligned to 64 bytes
    assert (mapped[0] <= address < mapped[1]) == is_aligned
    assert not value.flags.writeable


def _addresses_of(path: Any) -> tuple[int, int]:
    for line in Path("/proc/self/maps").read_text().splitlines():
        if line.endswith(str(path)):
            first, last = line.split()[0].split("-")
            return int(first, 16), int(last, 16)
    return 0, 0


def test_bytes_that_move_are_taken_for_what_the_file_states(builder: Any) -> None:
    x = builder.tensor("x", (2, 3), np.int8, 0.5, 1)
    shape = builder.constant("shape", np.int32([6]))
    y = builder.tensor("y", (6,), np.int8, 0.25, 2)
    builder.op("RESHAPE", [x, shape], [y])
    builder.ends([x], [y])
    network = ann.import_model(builder.data())
    assert not layers_of(network, LayerType.QUANTIZE)
    assert network.outputs["y"].quantization == ann.QuantizationInfo((0.25,), (2,))


def test_comparisons_of_different_scales_compare_what_they_stand_for(builder: Any) -> None:
    x = builder.tensor("x", (2, 3), np.int8, 0.5, 1)
    y = builder.tensor("y", (2, 3), np.int8, 0.25, 1)
    z = builder.tensor("z", (2, 3), np.bool_)
    builder.op("LESS", [x, y], [z], version=2)
    builder.ends([x, y], [z])
    network = ann.import_model(builder.data())
    assert len(layers_of(network, LayerType.DEQUANTIZE)) == 2


def test_unsupported_zero_points_are_said(builder: Any) -> None:
    x = builder.tensor("x", (1, 2))
    w = builder.constant("w", weights(3, 2), [0.5, 0.5, 0.5], [1, 0, 0])
    y = builder.tensor("y")
    builder.op("FULLY_CONNECTED", [x, w], [y], ("FullyConnectedOptions", {}))
    builder.ends([x], [y])
    with pytest.raises(ann.UnsupportedOperatorError) as caught:
        ann.import_model(builder.data())
    assert "zero points other than 0 beside scales for each channel" in str(caught.value)
