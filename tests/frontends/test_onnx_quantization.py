# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Quantised operators of ONNX: CpuRef against onnxruntime, equal but for one step at halves."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import armnn_py as ann

R = np.random.default_rng(23)


def build(
    op: str,
    inputs: list[Any],
    weights: dict[int, Any],
    outputs: tuple[str, ...] | list[str] = ("y",),
    **attributes: Any,
) -> Any:
    """A node whose operands are inputs, but for those in ``weights``, by number."""
    names = [f"i{k}" if value is not None else "" for k, value in enumerate(inputs)]
    elements = helper.np_dtype_to_tensor_dtype
    graph = helper.make_graph(
        [helper.make_node(op, names, outputs, **attributes)],
        "graph",
        [helper.make_tensor_value_info(names[k], elements(value.dtype), value.shape)
         for k, value in enumerate(inputs) if value is not None and k not in weights],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(value, names[k]) for k, value in weights.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return onnx.shape_inference.infer_shapes(model)


def both(op: str, inputs: list[Any], known: tuple[int, ...], **attributes: Any) -> Any:
    model = build(op, inputs, {k: inputs[k] for k in known}, **attributes)
    feeds = {f"i{k}": v for k, v in enumerate(inputs) if v is not None and k not in known}
    (expected,) = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    ).run(None, feeds)
    with ann.load(model, ["CpuRef"]) as network:
        found = network.run(feeds)["y"]
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    return found.astype(np.int64), expected.astype(np.int64)


def levels(dtype: Any, *shape: int) -> np.ndarray:
    ends = np.iinfo(dtype)
    return R.integers(ends.min, ends.max + 1, shape).astype(dtype)


def weights(*shape: int) -> np.ndarray:
    """Of 7 bits: onnxruntime's sums of pairs saturate 16 bits on processors without VNNI."""
    return R.integers(-64, 64, shape).astype(np.int8)


def scale(*values: float) -> np.ndarray:
    return np.array(values if len(values) > 1 else values[0], np.float32)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("axis", [None, 1], ids=["one scale", "one for each channel"])
def test_quantize_linear(dtype: Any, axis: int | None) -> None:
    halves = np.arange(-30, 30).reshape(2, 3, 10) * 0.25
    x = np.concatenate([R.normal(0, 20, (2, 3, 30)), halves], 2).astype(np.float32)
    if axis is None:
        operands, attributes = [scale(0.5), np.array(3, dtype)], {}
    else:
        operands = [scale(0.5, 0.1, 2.0), np.array([0, 3, 9], dtype)]
        attributes = {"axis": axis}
    found, expected = both("QuantizeLinear", [x, *operands], (1, 2), **attributes)
    np.testing.assert_array_equal(found, expected)


def test_scales_that_come_with_the_run() -> None:
    """As DynamicQuantizeLinear makes them."""
    x = R.normal(0, 5, (4, 5)).astype(np.float32)
    found, expected = both("QuantizeLinear", [x, scale(0.07), np.array(100, np.uint8)], ())
    np.testing.assert_array_equal(found, expected)
    with_range = build("DynamicQuantizeLinear", [x], {}, outputs=["y", "scale", "point"])
    session = onnxruntime.InferenceSession(with_range.SerializeToString())
    with ann.load(with_range, ["CpuRef"]) as network:
        np.testing.assert_array_equal(network.run({"i0": x})["y"], session.run(["y"], {"i0": x})[0])


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_q_linear_mat_mul(dtype: Any) -> None:
    a, b = levels(dtype, 2, 5, 16), levels(dtype, 16, 7)
    inputs = [a, scale(0.02), np.array(4, dtype), b, scale(0.03), np.array(9, dtype), scale(0.4),
              np.array(11, dtype)]  # fmt: skip
    found, expected = both("QLinearMatMul", inputs, (1, 2, 3, 4, 5, 6, 7))
    assert np.abs(found - expected).max() <= 1
    assert np.mean(found == expected) > 0.98


@pytest.mark.parametrize("group", [1, 4], ids=["dense", "depthwise"])
@pytest.mark.parametrize("per_channel", [False, True])
def test_q_linear_conv(group: int, per_channel: bool) -> None:
    x, w = levels(np.uint8, 1, 4, 9, 8), weights(8, 4 // group, 3, 3)
    scales = np.linspace(0.01, 0.05, 8, dtype=np.float32) if per_channel else scale(0.02)
    points = np.zeros(8 if per_channel else (), np.int8)
    bias = R.integers(-900, 900, 8).astype(np.int32)
    inputs = [x, scale(0.05), np.array(120, np.uint8), w, scales, points, scale(0.6),
              np.array(128, np.uint8), bias]  # fmt: skip
    found, expected = both(
        "QLinearConv", inputs, tuple(range(1, 9)), group=group, pads=[1, 1, 1, 1], strides=[2, 1]
    )
    assert np.abs(found - expected).max() <= 1
    assert np.mean(found == expected) > 0.98


def test_sums_as_integers() -> None:
    a, b = levels(np.uint8, 3, 5, 12), weights(12, 6)
    points = [np.array(7, np.uint8), np.array(-3, np.int8)]
    np.testing.assert_array_equal(*both("MatMulInteger", [a, b, *points], (1, 2, 3)))
    np.testing.assert_array_equal(*both("MatMulInteger", [a, b], ()))
    x, w = levels(np.uint8, 1, 2, 6, 6), levels(np.uint8, 3, 2, 3, 3)
    points = [np.array(9, np.uint8), np.array(2, np.uint8)]
    np.testing.assert_array_equal(*both("ConvInteger", [x, w, *points], (1, 2, 3)))


@pytest.mark.parametrize("known", [(1,), (1, 3), (1, 2, 3)], ids=str)
@pytest.mark.parametrize("dtypes", [(np.uint8, np.int8), (np.uint8, np.uint8)], ids=str)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"pads": [1, 0, 2, 1], "strides": [2, 1]},
        {"auto_pad": "SAME_UPPER"},
        {"dilations": [1, 2]},
    ],
    ids=str,
)
def test_convolutions_are_products_of_integers(
    known: tuple[int, ...], dtypes: tuple[Any, Any], options: dict[str, Any]
) -> None:
    """Around the image lies its zero point, which may be computed as that of DynamicQuantize."""
    x, w = levels(dtypes[0], 2, 3, 7, 6), levels(dtypes[1], 4, 3, 3, 2)
    points = [np.array(9, dtypes[0]), np.array(2, dtypes[1])]
    operands = [x, w, *points] if len(known) > 1 else [x, w]
    np.testing.assert_array_equal(*both("ConvInteger", operands, known, **options))


def test_a_convolution_without_outputs() -> None:
    x, w = levels(np.uint8, 2, 3, 5, 5), levels(np.uint8, 0, 3, 3, 2)
    with ann.load(build("ConvInteger", [x, w], {1: w}), ["CpuRef"]) as network:
        assert network.run({"i0": x})["y"].shape == (2, 0, 3, 4)


def large(*shape: int) -> np.ndarray:
    """Levels near the ends of their range, whose sums go beyond 2**24 and are odd."""
    return R.integers(231, 256, shape).astype(np.uint8)


@pytest.mark.parametrize("known", [(), (1,), (1, 2, 3)], ids=["no-weights", "weights", "all"])
def test_long_sums_of_products_are_exact(known: tuple[int, ...]) -> None:
    a, b = large(2, 3, 1001), large(1001, 5)
    points = [np.array(1, np.uint8), np.array(0, np.uint8)]
    found, expected = both("MatMulInteger", [a, b, *points], known)
    np.testing.assert_array_equal(found, expected)
    exact = (a.astype(np.int64) - 1) @ b.astype(np.int64)
    assert exact.max() > 2**25
    np.testing.assert_array_equal(found, exact)
    found, expected = both("MatMulInteger", [large(1001), large(1001, 2)], known[:1])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("known", [(), (1, 2, 3)], ids=["no-weights", "weights"])
@pytest.mark.parametrize("group", [1, 2])
def test_long_sums_of_convolutions_are_exact(known: tuple[int, ...], group: int) -> None:
    x, w = large(1, 120, 5, 4), large(4, 120 // group, 3, 3)
    points = [np.array(3, np.uint8), np.array(0, np.uint8)]
    found, expected = both("ConvInteger", [x, w, *points], known, group=group)
    np.testing.assert_array_equal(found, expected)
    assert found.max() > 2**24


@pytest.mark.models
def test_a_network_of_quantise_and_dequantise_pairs(models_folder: Any) -> None:
    """Per-channel weights; the answer is onnxruntime's, which runs it by integer kernels."""
    path = models_folder / "open" / "resnet50_thin_int8_qdq.onnx"
    if not path.exists():
        pytest.skip("derived network not there")
    x = R.uniform(-100, 130, (1, 224, 224, 3)).astype(np.float32)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    (expected,) = session.run(None, {session.get_inputs()[0].name: x})
    with ann.load(path) as network:
        (found,) = network.run(x).values()
    cosine = np.vdot(found, expected) / np.linalg.norm(found) / np.linalg.norm(expected)
    assert cosine > 0.99
