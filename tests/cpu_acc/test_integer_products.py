# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Products of tensors quantised at run time: sums of numpy, and networks of onnxruntime."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper, parser

import armnn_py as ann

from .guarded import guarded
from .networks import values_of
from .operators import HEADERS, Operators, address, epilogue, tensor

if TYPE_CHECKING:
    from pathlib import Path

Product: Any = HEADERS.structs["integer_product"]
Range: Any = HEADERS.structs["dynamic_range"]
Levels: Any = HEADERS.structs["dynamic_levels"]
F = np.float32


def filled(array: np.ndarray) -> np.ndarray:
    """The same values, right before a page that cannot be read."""
    whole = guarded(array.shape, 0, array.dtype)
    whole[...] = array
    return whole


def ranges_of(x: np.ndarray, symmetric: bool) -> np.ndarray:
    """ONNX's DynamicQuantizeLinear for each row; the third row is only read if symmetric."""
    low, high = np.minimum(x.min(1), 0), np.maximum(x.max(1), 0)
    if symmetric:
        most = np.maximum(-low, high)
        return np.stack([most / F(127), np.zeros_like(most), F(127) / most])
    scale = (high - low) / F(255)
    return np.stack([scale, np.round(-low / scale), np.ones_like(scale)])


def levels_of(x: np.ndarray, ranges: np.ndarray, symmetric: bool) -> np.ndarray:
    """Numbers less their zero points."""
    scale, point, factor = (row[:, np.newaxis] for row in ranges)
    if symmetric:
        steps = x * factor
        return (np.sign(steps) * np.floor(np.abs(steps) + F(0.5))).astype(np.int64)
    return (np.clip(np.round(x / scale) + point, 0, 255) - point).astype(np.int64)


@pytest.mark.parametrize("rows", [1, 5])
@pytest.mark.parametrize("symmetric", [False, True])
def test_ranges_and_levels(operators: Operators, isa: str, rows: int, symmetric: bool) -> None:
    x = filled(values_of(1, 5, 41) * np.geomspace(0.1, 10, 5).reshape(5, 1).astype(F))
    flat = x.reshape(rows, -1)
    expected = ranges_of(flat, symmetric)
    found = guarded((3, rows))
    what = Range(input=tensor(x), output=tensor(found), symmetric=symmetric)
    assert operators.run("dynamic_range", isa, what) == f"armnn_f32_range__{isa}"
    np.testing.assert_array_equal(found[:2], expected[:2])
    if symmetric:
        np.testing.assert_array_equal(found[2], expected[2])
    levels = guarded(x.shape, 0, np.int8 if symmetric else np.uint8)
    what = Levels(input=tensor(x), range=tensor(found), output=tensor(levels), symmetric=symmetric)
    assert operators.run("dynamic_levels", isa, what) == f"armnn_f32_levels__{isa}"
    numbers = levels_of(flat, expected, symmetric) + expected[1].astype(np.int64)[:, np.newaxis]
    np.testing.assert_array_equal(levels.reshape(rows, -1), numbers)


def test_a_long_range(operators: Operators, isa: str) -> None:
    """Of several pieces, the ends in the first and in the last."""
    x = np.zeros(40001, F)
    x[3], x[-1], x[20000] = -2, 6, np.nan
    found = guarded((3, 1))
    x = filled(x)
    what = Range(input=tensor(x), output=tensor(found))
    operators.run("dynamic_range", isa, what)
    assert found[:2, 0].tolist() == [F(8) / F(255), 64]


def kinds_of_weights(rng: np.random.Generator, depth: int, channels: int) -> dict[str, np.ndarray]:
    """Weights by how many of them are too large for sums of pairs in 16 bits."""
    small = np.clip(np.round(rng.standard_normal((depth, channels)) * 15), -127, 127)
    some = small.copy()
    some[depth // 3 : depth // 3 + 6, channels // 2] = [127, 127, -128, -128, 127, -128]
    return {
        "small": small,
        "some": some,
        "all": rng.choice([-128, 127], (depth, channels)),
        "ends": np.full((depth, channels), 127),
    }


@pytest.mark.parametrize("size", [(1, 1, 1), (3, 9, 5), (7, 64, 17), (70, 43, 50), (30, 770, 33)])
@pytest.mark.parametrize("kind", ["small", "some", "all", "ends"])
@pytest.mark.parametrize("symmetric", [False, True])
def test_rows_of_floats(
    operators: Operators, quantized_isa: str, size: tuple[int, int, int], kind: str, symmetric: bool
) -> None:
    rows, depth, channels = size
    rng = np.random.default_rng(3)
    weights = kinds_of_weights(rng, max(depth, 9), channels)[kind][:depth].astype(np.int8)
    x = filled(rng.standard_normal((rows, depth)).astype(F) + F(0.3))
    for one in (True, False):  # range
        ranges = ranges_of(x.reshape(1, -1) if one else x, symmetric)
        numbers = levels_of(x.reshape(ranges.shape[1], -1), ranges, symmetric).reshape(x.shape)
        scales, shifts = values_of(5, channels), values_of(6, channels)
        sums = (numbers @ weights.astype(np.int64)).astype(np.float64)
        expected = sums * ranges[0][:, np.newaxis] * scales + shifts
        points, stored = np.zeros(channels, np.int32), ranges.astype(F)
        out = guarded((rows, channels))
        what = Product(
            left=tensor(x),
            range=tensor(stored),
            output=tensor(out),
            weights=tensor(weights),
            weight_zero_points=address(points),
            scales=address(scales),
            shifts=address(shifts),
            symmetric=symmetric,
            scaled=True,
        )
        kernel = operators.run("integer_product", quantized_isa, what)
        base = "neon" if quantized_isa in ("dotprod", "i8mm") else quantized_isa
        assert kernel == f"armnn_s8_product__{base}"
        np.testing.assert_allclose(out, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("x_type", [np.uint8, np.int8])
@pytest.mark.parametrize("w_type", [np.uint8, np.int8])
@pytest.mark.parametrize("points", [0, 1, 13])
def test_bytes_give_exact_sums(
    operators: Operators, quantized_isa: str, x_type: Any, w_type: Any, points: int
) -> None:
    rng = np.random.default_rng(4)
    ends, w_ends = np.iinfo(x_type), np.iinfo(w_type)
    x = filled(rng.integers(ends.min, ends.max + 1, (13, 67)).astype(x_type))
    weights = rng.integers(w_ends.min, w_ends.max + 1, (67, 21)).astype(w_type)
    w_points = rng.integers(w_ends.min, w_ends.max + 1, 21).astype(np.int32)
    x_points = rng.integers(ends.min, ends.max + 1, points).astype(x_type)
    out = guarded((13, 21), 0, np.int32)
    what = Product(
        left=tensor(x),
        output=tensor(out),
        weights=tensor(weights),
        weight_zero_points=address(w_points),
    )
    if points:
        what.range = tensor(x_points)
    operators.run("integer_product", quantized_isa, what)
    left = x.astype(np.int64) - (x_points.astype(np.int64).reshape(-1, 1) if points else 0)
    np.testing.assert_array_equal(out, left @ (weights.astype(np.int64) - w_points))


@pytest.mark.parametrize("kind", ["some", "all"])
def test_sums_beyond_32_bits_wrap(operators: Operators, quantized_isa: str, kind: str) -> None:
    depth = 70000
    weights = kinds_of_weights(np.random.default_rng(6), depth, 3)[kind]
    weights[:, 0] = 32 if kind == "some" else 127  # 70,000 products of 255 with it are above 2^29
    w_points = np.array([-128, -128, 0], np.int32)
    x = np.full((2, depth), 255, np.uint8)
    out = guarded((2, 3), 0, np.int32)
    weights = weights.astype(np.int8)
    what = Product(
        left=tensor(x),
        output=tensor(out),
        weights=tensor(weights),
        weight_zero_points=address(w_points),
    )
    operators.run("integer_product", quantized_isa, what)
    expected = x.astype(np.int64) @ (weights.astype(np.int64) - w_points)
    assert np.abs(expected).max() > 2**31
    np.testing.assert_array_equal(out, expected.astype(np.uint64).astype(np.uint32).view(np.int32))


@pytest.mark.parametrize("last", [False, True])
def test_epilogues(operators: Operators, quantized_isa: str, last: bool) -> None:
    x, residual = filled(values_of(1, 9, 30)), filled(values_of(2, 9, 20))
    weights = np.round(values_of(3, 30, 20) * 20).astype(np.int8)
    ranges = ranges_of(x.reshape(1, -1), False)
    scales, shifts = np.full(20, 0.05, F), np.zeros(20, F)
    points, stored = np.zeros(20, np.int32), ranges.astype(F)
    out = guarded((9, 20))
    what = Product(
        left=tensor(x),
        range=tensor(stored),
        output=tensor(out),
        weights=tensor(weights),
        weight_zero_points=address(points),
        scales=address(scales),
        shifts=address(shifts),
        scaled=True,
        epilogue=epilogue("leaky", 0.25, residual=residual, residual_last=last),
    )
    operators.run("integer_product", quantized_isa, what)
    numbers = levels_of(x.reshape(1, -1), ranges, False).reshape(x.shape)
    y = (numbers @ weights.astype(np.int64)) * (ranges[0, 0] * F(0.05))
    y = y if last else y + residual
    y = np.where(y > 0, y, y * 0.25)
    np.testing.assert_allclose(out, y + residual if last else y, rtol=1e-5, atol=1e-5)


# ---- Networks ----------------------------------------------------------------------------------


# Not in this process, where a folder of tests hides the package "packaging" that it imports.
QUANTIZE = """
import json, sys
from onnxruntime.quantization import QuantType, quantize_dynamic

plain, path, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
weight_type = QuantType[options.pop("weight_type")]
quantize_dynamic(plain, path, weight_type=weight_type, **options)
"""


def quantized(folder: Path, text: str, **options: Any) -> Path:
    """A model of float32 as onnxruntime quantises it."""
    import onnx

    plain, path = folder / "plain.onnx", folder / "quantized.onnx"
    onnx.save(parser.parse_model(text), plain)
    command = [sys.executable, "-c", QUANTIZE, str(plain), str(path), json.dumps(options)]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return path


def weights_text(name: str, seed: int, *shape: int) -> str:
    numbers = ", ".join(f"{value:.6g}" for value in values_of(seed, *shape).reshape(-1))
    return f"float[{','.join(map(str, shape))}] {name} = {{{numbers}}}"


TWO_PRODUCTS = f"""<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 7, 24] x) => (float[2, 7, 16] y)
<{weights_text("w", 1, 24, 32)}, {weights_text("b", 2, 32)}, {weights_text("v", 3, 32, 16)},
 {weights_text("u", 4, 24, 16)}>
{{
  p = MatMul(x, w)
  q = Add(p, b)
  r = Relu(q)
  s = MatMul(r, v)
  t = MatMul(x, u)
  y = Add(s, t)
}}"""


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("symmetric", [False, True])
def test_as_onnxruntime_quantises(
    runtime: ann.Runtime, tmp_path: Path, per_channel: bool, symmetric: bool
) -> None:
    """Weights of 7 bits: onnxruntime's sums of pairs saturate on processors without VNNI."""
    path = quantized(
        tmp_path,
        TWO_PRODUCTS,
        per_channel=per_channel,
        reduce_range=True,
        weight_type="QInt8" if symmetric else "QUInt8",
    )
    x = values_of(9, 2, 7, 24)
    (expected,) = onnxruntime.InferenceSession(path).run(None, {"x": x})
    with ann.load(path, ["CpuAcc"], runtime=runtime) as net:
        with net.profile() as profile:
            y = net.run({"x": x})["y"]
        kernels = [row.kernel for row in profile.layers]
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=2e-6 * np.abs(expected).max())
    assert sum("product" in kernel for kernel in kernels) == 3
    assert sum("range" in kernel for kernel in kernels) == 2
    assert not any("levels" in kernel or "cast" in kernel for kernel in kernels)


@pytest.mark.parametrize("groups", [1, 2])
def test_convolutions_are_exact(runtime: ann.Runtime, groups: int) -> None:
    """No sum is rounded, as Winograd's algorithm would in floats."""
    rng = np.random.default_rng(7)
    x = rng.integers(0, 256, (1, 64, 24, 24)).astype(np.uint8)
    weights = rng.integers(-127, 128, (64, 64 // groups, 3, 3)).astype(np.int8)
    node = helper.make_node("ConvInteger", ["x", "w", "p"], ["y"], pads=[1] * 4, group=groups)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.UINT8, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.INT32, x.shape)],
        [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(np.uint8(3), "p")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    with ann.load(model, ["CpuAcc"], runtime=runtime) as net:
        y = net.run({"x": x})["y"]
    padded = np.pad(x.astype(np.int32) - 3, [(0, 0), (0, 0), (1, 1), (1, 1)])
    seen = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))[0]
    expected = np.concatenate(
        [
            np.einsum("chwij,ocij->ohw", part, own.astype(np.int32), optimize=True)
            for part, own in zip(np.split(seen, groups), np.split(weights, groups), strict=True)
        ]
    )
    np.testing.assert_array_equal(y[0], expected)


def test_unrelated_layers_stay_separate(runtime: ann.Runtime) -> None:
    """Levels, sums and scale are also read by others: outputs of the network."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((5, 20)))
    quantize = network.add_dynamic_quantize(x)
    levels, scale, point = quantize.outputs
    weights = np.round(values_of(2, 20, 9) * 20).astype(np.int8)
    sums = network.add_mat_mul_integer(levels, weights, point, np.int8(3))
    real = network.add_cast(sums, ann.DataType.FLOAT32)
    network.add_output("y", network.add_multiplication(real, scale))
    for name, slot in (("levels", levels), ("scale", scale), ("point", point), ("sums", sums)):
        network.add_output(name, slot)
    given = values_of(1, 5, 20)
    with ann.load(network, ["CpuAcc"], runtime=runtime) as net:
        found = net.run({"x": given})
    with ann.load(network, ["CpuRef"], runtime=runtime) as net:
        expected = net.run({"x": given})
    for name in ("levels", "scale", "point", "sums"):
        np.testing.assert_array_equal(found[name], expected[name])
    np.testing.assert_allclose(found["y"], expected["y"], rtol=1e-6)


def test_factors_of_rows_are_not_those_of_columns(runtime: ann.Runtime) -> None:
    """As many rows as columns, and a constant for each of the rows."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4, 20)))
    levels, scale, point = network.add_dynamic_quantize(x, rows=True).outputs
    weights = np.round(values_of(2, 20, 4) * 20).astype(np.int8)
    sums = network.add_mat_mul_integer(levels, weights, point)
    real = network.add_cast(sums, ann.DataType.FLOAT32)
    factors = np.array([[1], [10], [100], [1000]], F)
    own = network.add_multiplication(scale, factors)
    network.add_output("y", network.add_multiplication(real, own))
    given = values_of(1, 4, 20)
    found = []
    for backend in ("CpuAcc", "CpuRef"):
        with ann.load(network, [backend], runtime=runtime) as net:
            found.append(np.array(net.run({"x": given})["y"]))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda n, x: n.add_mat_mul_integer(x, x), "the matrices y are not constant"),
        (
            lambda n, x: n.add_mat_mul_integer(x, np.zeros((2, 4, 4), np.uint8)),
            "y has 3 dimensions, 2 expected",
        ),
    ],
)
def test_refusals(runtime: ann.Runtime, make: Any, reason: str) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4, 4), ann.DataType.QASYMM_U8))
    network.add_output("y", make(network, x))
    with pytest.raises(ann.ArmnnError) as caught:
        ann.load(network, ["CpuAcc"], runtime=runtime)
    assert reason in str(caught.value)
