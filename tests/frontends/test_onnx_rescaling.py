# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Quantised ONNX layers round once, halves to even: exact fractions are the expected values.

Each model is QuantizeLinear, DequantizeLinear, one operator, QuantizeLinear. Its answer follows
from the operators' texts: sums of levels are whole numbers, scales are fractions. Operators on
single elements are computed in float32, operation by operation.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann

BACKENDS = (["CpuRef"], ["CpuAcc", "CpuRef"])
OPSET = 21


class Qdq:
    """A model of quantised tensors around one operator."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.inputs: dict[str, np.ndarray] = {}

    def constant(self, name: str, value: Any) -> str:
        self.initializers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def parameters(self, name: str, scale: Any, point: Any) -> list[str]:
        return [self.constant(f"{name}_scale", scale), self.constant(f"{name}_point", point)]

    def input(self, name: str, numbers: np.ndarray, scale: np.float32, point: int) -> str:
        """An input whose quantised numbers are ``numbers``."""
        parameters = self.parameters(name, scale, numbers.dtype.type(point))
        self.inputs[name] = ((numbers.astype(np.int64) - point) * np.float64(scale)).astype("f4")
        self.node("QuantizeLinear", [name, *parameters], f"{name}_numbers")
        return self.node("DequantizeLinear", [f"{name}_numbers", *parameters], f"{name}_real")

    def weights(self, name: str, numbers: np.ndarray, scales: np.ndarray, axis: int) -> str:
        points = np.zeros(scales.shape, numbers.dtype)
        parameters = [self.constant(name, numbers), *self.parameters(name, scales, points)]
        return self.node("DequantizeLinear", parameters, f"{name}_real", axis=axis)

    def model(self, real: str, scale: np.float32, point: Any) -> bytes:
        self.node("QuantizeLinear", [real, *self.parameters("y", scale, point)], "y")
        kind = helper.np_dtype_to_tensor_dtype(np.asarray(point).dtype)
        graph = helper.make_graph(
            self.nodes,
            "graph",
            [
                helper.make_tensor_value_info(name, TensorProto.FLOAT, value.shape)
                for name, value in self.inputs.items()
            ],
            [helper.make_tensor_value_info("y", kind, None)],
            self.initializers,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = 10
        return bytes(model.SerializeToString())


def check(qdq: Qdq, real: str, scale: np.float32, point: Any, levels: Any) -> bytes:
    """Run the model, and return it; ``levels`` are the results in steps of ``scale``."""
    ends = np.iinfo(np.asarray(point).dtype)
    rounded = [round(level) + int(point) for level in np.ravel(levels)]  # halves to even
    expected = np.clip(np.array(rounded, np.int64), ends.min, ends.max).reshape(np.shape(levels))
    model = qdq.model(real, scale, point)
    for backends in BACKENDS:
        with ann.load(model, backends) as network:
            found = network.run(qdq.inputs)["y"]
        np.testing.assert_array_equal(found, expected, err_msg=str(backends))
    return model


def fractions(array: Any, factor: Fraction) -> np.ndarray:
    exact = [Fraction(int(value)) * factor for value in np.ravel(array)]
    return np.array(exact, object).reshape(np.shape(array))


def exact(scale: Any) -> Fraction:
    return Fraction(float(np.float32(scale)))


def scales(rng: np.random.Generator, count: int) -> list[np.float32]:
    return [np.float32(value) for value in rng.uniform(0.003, 0.2, count)]


def numbers(rng: np.random.Generator, dtype: Any, *shape: int) -> np.ndarray:
    ends = np.iinfo(dtype)
    return rng.integers(ends.min, ends.max, shape, dtype, endpoint=True)


def point_of(rng: np.random.Generator, dtype: Any) -> int:
    ends = np.iinfo(dtype)
    return 0 if ends.bits == 16 else int(rng.integers(ends.min, ends.max + 1))


TYPES = [np.uint8, np.int8, np.int16]


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("seed", range(4))
def test_sums_of_products(dtype: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    depth, outputs = int(rng.choice([3, 16, 65])), int(rng.choice([1, 7, 40]))
    x, w = numbers(rng, dtype, 1, depth, 5, 7), numbers(rng, np.int8, outputs, depth, 1, 1)
    point, (x_scale,) = point_of(rng, dtype), scales(rng, 1)
    w_scales = rng.uniform(0.001, 0.01, outputs).astype("f4")
    sums = np.einsum("bihw,oi->bohw", x.astype(np.int64) - point, w[:, :, 0, 0].astype(np.int64))
    reach = float(np.abs(sums * w_scales[:, None, None]).max()) * float(x_scale)
    y_scale = np.float32(reach / np.iinfo(dtype).max * 1.7)
    levels = np.concatenate(
        [
            fractions(sums[:, o], exact(x_scale) * exact(w_scales[o]) / exact(y_scale))[:, None]
            for o in range(outputs)
        ],
        axis=1,
    )
    qdq = Qdq()
    product = qdq.node(
        "Conv", [qdq.input("x", x, x_scale, point), qdq.weights("w", w, w_scales, 0)], "product"
    )
    check(qdq, product, y_scale, dtype(point_of(rng, dtype)), levels)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("groups", [1, 2, 6])
@pytest.mark.parametrize("per_channel", [True, False])
def test_sums_of_transposed_convolutions(dtype: Any, groups: int, per_channel: bool) -> None:
    """The scales of the weights are those of the outputs of a group."""
    rng = np.random.default_rng(groups)
    depth, outputs, stride, kernel = 6, 2, 2, 3
    x, w = (
        numbers(rng, dtype, 1, depth, 4, 5),
        numbers(rng, np.int8, depth, outputs, kernel, kernel),
    )
    point, (x_scale,) = point_of(rng, dtype), scales(rng, 1)
    w_scales = rng.uniform(0.001, 0.01, outputs if per_channel else 1).astype("f4")
    sums = np.zeros((1, groups * outputs, 3 * stride + kernel, 4 * stride + kernel), np.int64)
    for channel, row, column in np.ndindex(depth, 4, 5):
        first = channel // (depth // groups) * outputs
        value = int(x[0, channel, row, column]) - point
        sums[
            0, first : first + outputs, row * stride :, column * stride :
        ][:, :kernel, :kernel] += value * w[channel].astype(np.int64)  # fmt: skip
    factors = np.tile(w_scales, groups * outputs // len(w_scales))
    reach = float(np.abs(sums * factors[:, None, None]).max()) * float(x_scale)
    y_scale = np.float32(reach / np.iinfo(dtype).max * 1.7)
    levels = np.stack(
        [
            fractions(sums[0, o], exact(x_scale) * exact(factors[o]) / exact(y_scale))
            for o in range(groups * outputs)
        ]
    )[None]
    qdq = Qdq()
    weights = qdq.weights("w", w, w_scales if per_channel else w_scales[0], 1)
    product = qdq.node(
        "ConvTranspose", [qdq.input("x", x, x_scale, point), weights], "product",
        group=groups, strides=[stride, stride],
    )  # fmt: skip
    model = check(qdq, product, y_scale, dtype(point_of(rng, dtype)), levels)
    with ann.Runtime() as runtime:
        network = ann.import_model(model)
        optimized = ann.optimize(network, ["CpuRef"], runtime=runtime).network
    (layer,) = (
        one for one in optimized.layers if one.type is ann.LayerType.TRANSPOSE_CONVOLUTION2D
    )
    assert layer.outputs[0].info.quantization is not None


@pytest.mark.parametrize("operator", ["Conv", "Depthwise", "ConvTranspose", "Gemm", "MatMul"])
def test_halves_and_what_is_near_them(operator: str) -> None:
    """Of one tap: level 33 of 2 steps to a half is 16.5, and a little less is not a half."""
    dtype, points = np.int8, np.arange(-127, 128)
    x = points.astype(dtype).reshape(1, 1, 1, -1)
    for w_scale in (np.float32(0.5), np.nextafter(np.float32(0.5), np.float32(0))):
        qdq = Qdq()
        weights_shape = {"Gemm": (1, 1), "MatMul": (1, 1)}.get(operator, (1, 1, 1, 1))
        w = np.ones(weights_shape, np.int8)
        if operator == "Depthwise":
            x, w = np.repeat(x, 2, axis=1)[:, :2], np.repeat(w, 2, axis=0)[:2]
        if operator in ("Gemm", "MatMul"):
            x = x.reshape(-1, 1)
        attributes = {"group": 2} if operator == "Depthwise" else {}
        axis = 1 if operator in ("ConvTranspose", "Gemm", "MatMul") else 0
        real = qdq.node(
            "Conv" if operator == "Depthwise" else operator,
            [
                qdq.input("x", x, np.float32(1), 0),
                qdq.weights("w", w, np.full(w.shape[axis], w_scale), axis),
            ],
            "product",
            **attributes,
        )
        check(qdq, real, np.float32(1), dtype(0), fractions(x, exact(w_scale)))


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("operator", ["Add", "Sub", "Mul"])
@pytest.mark.parametrize("is_even", [True, False], ids=["halves", "any scales"])
def test_two_operands(dtype: Any, operator: str, is_even: bool) -> None:
    """In float32, as the nodes of the model say."""
    rng = np.random.default_rng(5)
    a, b = numbers(rng, dtype, 3, 1000), numbers(rng, dtype, 3, 1000)
    points = [point_of(rng, dtype) for _ in range(3)]
    ends = np.iinfo(dtype)
    a_scale, b_scale = (np.float32(0.25), np.float32(0.5)) if is_even else scales(rng, 2)
    reach = float(a_scale) * ends.max * (float(b_scale) * ends.max if operator == "Mul" else 1)
    y_scale = np.float32(0.5 if is_even else reach / ends.max)
    left = (a.astype(np.int64) - points[0]).astype(np.float32) * a_scale
    right = (b.astype(np.int64) - points[1]).astype(np.float32) * b_scale
    made = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}[operator](left, right)
    levels = (made / y_scale).astype(np.float64)
    qdq = Qdq()
    operands = [qdq.input("a", a, a_scale, points[0]), qdq.input("b", b, b_scale, points[1])]
    check(qdq, qdq.node(operator, operands, "real"), y_scale, dtype(points[2]), levels)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("same", [True, False], ids=["one scale", "two scales"])
def test_means(dtype: Any, same: bool) -> None:
    """AveragePool of windows and ReduceMean of all: sums by counts, halves among them."""
    rng = np.random.default_rng(7)
    x, point = numbers(rng, dtype, 2, 33, 8, 6), point_of(rng, dtype)
    x_scale, y_scale = scales(rng, 2)
    if same:
        y_scale = x_scale
    y_point = point if same else point_of(rng, dtype)
    factor = exact(x_scale) / exact(y_scale)
    centred = x.astype(np.int64) - point
    windows = centred.reshape(2, 33, 4, 2, 3, 2).sum(axis=(3, 5))
    qdq = Qdq()
    real = qdq.input("x", x, x_scale, point)
    pooled = qdq.node("AveragePool", [real], "real", kernel_shape=[2, 2], strides=[2, 2])
    check(qdq, pooled, y_scale, dtype(y_point), fractions(windows, factor / 4))
    qdq = Qdq()
    real = qdq.input("x", x, x_scale, point)
    axes = qdq.constant("axes", np.array([2, 3]))
    mean = qdq.node("ReduceMean", [real, axes], "real", keepdims=1)
    levels = fractions(centred.sum(axis=(2, 3), keepdims=True), factor / 48)
    check(qdq, mean, y_scale, dtype(y_point), levels)


@pytest.mark.parametrize("dtype", TYPES[:2], ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize(("operator", "slope"), [("Relu", 0), ("LeakyRelu", 0.25)])
def test_functions_of_lines(dtype: Any, operator: str, slope: float) -> None:
    ends = np.iinfo(dtype)
    x = np.arange(ends.min, ends.max + 1).astype(dtype).reshape(1, -1)
    centred = x.astype(np.int64) - 3
    levels = fractions(np.where(centred < 0, 0, centred), Fraction(1, 2))
    levels += fractions(np.where(centred < 0, centred, 0), Fraction(slope) / 2)
    qdq = Qdq()
    attributes = {"alpha": slope} if operator == "LeakyRelu" else {}
    real = qdq.node(operator, [qdq.input("x", x, np.float32(0.5), 3)], "real", **attributes)
    check(qdq, real, np.float32(1), dtype(-1 if ends.min else 7), levels)
