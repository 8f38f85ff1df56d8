# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""`TensorInfo.quantize` and `dequantize`, against onnxruntime and numbers by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import armnn_py as ann

ort = pytest.importorskip("onnxruntime")

TYPES = {
    np.uint8: (ann.DataType.QASYMM_U8, 100),
    np.int8: (ann.DataType.QASYMM_S8, -20),
    np.int16: (ann.DataType.QSYMM_S16, 0),
}


def by_onnxruntime(
    operator: str, array: Any, scale: Any, zero_point: Any, axis: int | None = None
) -> Any:
    kind = helper.np_dtype_to_tensor_dtype
    out = np.dtype(np.float32) if operator == "DequantizeLinear" else zero_point.dtype
    attributes = {} if axis is None else {"axis": axis}
    graph = helper.make_graph(
        [helper.make_node(operator, ["x", "scale", "zero"], ["y"], **attributes)],
        "g",
        [helper.make_tensor_value_info("x", kind(array.dtype), array.shape)],
        [helper.make_tensor_value_info("y", kind(out), array.shape)],
        [numpy_helper.from_array(scale, "scale"), numpy_helper.from_array(zero_point, "zero")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(model)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": array})[0]


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("axis", [None, 0, 2])
def test_as_onnxruntime(dtype: Any, axis: int | None) -> None:
    kind, point = TYPES[dtype]
    shape = (3, 4, 5)
    count = 1 if axis is None else shape[axis]
    scales = np.linspace(0.011, 0.3, count, dtype=np.float32)
    points = np.full(count, point, dtype)
    quantization = ann.QuantizationInfo(tuple(map(float, scales)), tuple(map(int, points)), axis)
    info = ann.TensorInfo(shape, kind, quantization)
    rng = np.random.default_rng(3)
    real = rng.normal(scale=20, size=shape).astype(np.float32)
    real.flat[:4] = np.inf, -np.inf, 0.5 * scales[0], 1.5 * scales[0]
    if axis is None:
        scales, points = scales[0], points[0]
    theirs = by_onnxruntime("QuantizeLinear", real, np.array(scales), np.array(points), axis)
    ours = info.quantize(real)
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)
    back = by_onnxruntime("DequantizeLinear", theirs, np.array(scales), np.array(points), axis)
    found = info.dequantize(ours)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, back)


def test_halves_go_to_the_even_neighbour() -> None:
    info = ann.TensorInfo((6,), "int8", ann.QuantizationInfo(2.0))
    assert info.quantize([1, 3, 5, -1, -3, -5]).tolist() == [0, 2, 2, 0, -2, -2]


def test_ends_of_narrow_and_wide_types() -> None:
    narrow = ann.TensorInfo((2,), ann.DataType.QASYMM_S4, ann.QuantizationInfo(1.0))
    assert narrow.quantize([-99, 99]).tolist() == [-8, 7]
    bias = ann.TensorInfo((2,), ann.DataType.SIGNED32, ann.QuantizationInfo(1.0))
    assert bias.quantize([-1e20, 1e20]).tolist() == [-(2**31), 2**31 - 1]


def test_any_number_of_rows_has_the_scale_of_a_tensor() -> None:
    info = ann.TensorInfo((1, 2), "uint8", ann.QuantizationInfo(0.5, 3))
    assert info.quantize(np.zeros((7, 2))).shape == (7, 2)


def test_scale_and_zero_point() -> None:
    one = ann.QuantizationInfo(0.5, 3)
    assert (one.scale, one.zero_point) == (0.5, 3)
    many = ann.QuantizationInfo((0.5, 0.25), axis=0)
    for name in ("scale", "zero_point"):
        with pytest.raises(ann.InvalidArgumentError, match="2 are given along axis 0") as caught:
            getattr(many, name)
        assert caught.value.hints == (f"{name}s has all of them",)


REFUSED = {
    "no scale": (ann.TensorInfo((2,)), [0.0, 1.0], "has no scale"),
    "NaN": (ann.TensorInfo((1,), "int8", ann.QuantizationInfo(1.0)), [np.nan], "has NaN"),
    "text": (ann.TensorInfo((1,), "int8", ann.QuantizationInfo(1.0)), ["a"], "real numbers"),
    "shape": (
        ann.TensorInfo((2, 3), "int8", ann.QuantizationInfo((1.0, 2.0, 3.0), axis=1)),
        np.zeros((3, 2)),
        "3x2 given, but the tensor has 2 dimensions and 3 scales along axis 1",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refusals(what: str) -> None:
    info, array, message = REFUSED[what]
    with pytest.raises(ann.InvalidArgumentError, match=message):
        info.quantize(array)


def test_real_numbers_are_not_dequantized() -> None:
    info = ann.TensorInfo((1,), "int8", ann.QuantizationInfo(1.0))
    with pytest.raises(ann.InvalidArgumentError, match="array of float64 given, integers expected"):
        info.dequantize(np.zeros(1))
