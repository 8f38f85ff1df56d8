# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Weights of 4 and 8 bits in blocks: operators against numpy, networks against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from armnn_py._native import abi
from armnn_py.tensors.packing import pack
from armnn_py.types import DataType

from .guarded import guarded
from .networks import values_of
from .operators import HEADERS, Operators, address, epilogue, tensor

Blocks: Any = HEADERS.structs["blocks"]
Product: Any = HEADERS.structs["block_product"]
Dequantize: Any = HEADERS.structs["dequantize_blocks"]
F = np.float32
ENDS = {
    DataType.QASYMM_U4: (0, 16),
    DataType.QASYMM_S4: (-8, 8),
    DataType.QASYMM_U8: (0, 256),
    DataType.QASYMM_S8: (-128, 128),
}


class Weights:
    """Random levels [depth, channels], in blocks along the depth, as a network has them."""

    def __init__(
        self, data_type: DataType, depth: int, channels: int, block: int, points: str, turned: bool
    ) -> None:
        rng = np.random.default_rng(11)
        low, high = ENDS[data_type]
        count = -(-depth // block)
        levels = rng.integers(low, high, (depth, channels))
        self.scales = np.abs(values_of(2, count, channels)) * F(0.1)
        zero = np.zeros((count, channels), np.int64)
        if points == "same":
            zero += low + 8
        elif points == "own":
            zero = rng.integers(low, high, (count, channels))
        places = np.arange(depth) // block
        self.real = (levels - zero[places]) * self.scales[places].astype(np.float64)
        if turned:  # [channels, depth]
            levels, zero, self.scales = levels.T, zero.T, np.ascontiguousarray(self.scales.T)
        self.kept = [self._stored(levels, data_type), self._stored(zero, data_type), self.scales]
        self.blocks = Blocks(
            type=getattr(abi, f"ARMNN_DATA_TYPE_{data_type.name}"),
            levels=address(self.kept[0]),
            zero_points=None if points == "none" else address(self.kept[1]),
            scales=address(self.scales),
            outer=channels if turned else 1,
            size=depth,
            inner=1 if turned else channels,
            block=block,
        )

    @staticmethod
    def _stored(numbers: np.ndarray, data_type: DataType) -> np.ndarray:
        array = np.ascontiguousarray(numbers).astype(data_type.numpy)
        array = pack(array, data_type) if data_type.is_packed else array
        whole = guarded(array.shape, 0, array.dtype)
        whole[...] = array
        return whole


@pytest.mark.parametrize("data_type", ENDS, ids=lambda one: one.name)
@pytest.mark.parametrize("points", ["none", "same", "own"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("rows", "depth", "channels", "block"),
    [
        (1, 64, 40, 32),
        (2, 33, 7, 16),
        (3, 5, 1, 16),
        (7, 96, 17, 48),
        (9, 70, 33, 32),
        (31, 64, 19, 64),
    ],
)
def test_products(
    operators: Operators,
    isa: str,
    data_type: DataType,
    points: str,
    turned: bool,
    rows: int,
    depth: int,
    channels: int,
    block: int,
) -> None:
    weights = Weights(data_type, depth, channels, block, points, turned)
    x, out = guarded((rows, depth)), guarded((rows, channels))
    x[...] = values_of(3, rows, depth)
    residual = guarded((rows, channels))
    residual[...] = values_of(4, rows, channels)
    scales, shifts = values_of(5, channels), values_of(6, channels)
    what = Product(
        left=tensor(x),
        output=tensor(out),
        weights=weights.blocks,
        scales=address(scales),
        shifts=address(shifts),
        epilogue=epilogue("leaky", 0.25, residual=residual),
    )
    bits = data_type.bits
    assert operators.run("block_product", isa, what) == f"armnn_s{bits}_block_product__{isa}"
    y = x.astype(np.float64) @ weights.real * scales + shifts + residual
    y = np.where(y > 0, y, y * 0.25)
    largest = np.abs(x) @ np.abs(weights.real) * np.abs(scales)
    np.testing.assert_allclose(out, y, rtol=0, atol=3e-6 * max(float(largest.max()), 1))


@pytest.mark.parametrize("data_type", ENDS, ids=lambda one: one.name)
@pytest.mark.parametrize("points", ["none", "same", "own"])
@pytest.mark.parametrize("rows", [1, 4, 9])
@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan, "large"], ids=str)
def test_special_values(
    operators: Operators, isa: str, data_type: DataType, points: str, rows: int, special: Any
) -> None:
    """What the product with real weights gives: an infinite sum, NaN beside a weight of 0.

    Large numbers overflow times the greatest level, but not times the weights.
    """
    if special == "large":
        special = 2.5e37 if data_type.bits == 4 else 2e36
    weights = Weights(data_type, 64, 40, 32, points, turned=False)
    x, out = guarded((rows, 64)), guarded((rows, 40))
    x[...] = values_of(3, rows, 64)
    x[0, [5, 40]] = special
    ones, zeros = np.ones(40, np.float32), np.zeros(40, np.float32)
    what = Product(
        left=tensor(x),
        output=tensor(out),
        weights=weights.blocks,
        scales=address(ones),
        shifts=address(zeros),
        epilogue=epilogue("identity"),
    )
    operators.run("block_product", isa, what)
    with np.errstate(invalid="ignore"):
        y = x.astype(np.float64) @ weights.real.astype(np.float32).astype(np.float64)
    largest = float((np.abs(x[np.isfinite(x).all(axis=1)]) @ np.abs(weights.real)).max(initial=1))
    np.testing.assert_allclose(out, y, rtol=0, atol=3e-6 * largest)


@pytest.mark.parametrize("data_type", ENDS, ids=lambda one: one.name)
@pytest.mark.parametrize("points", ["none", "own"])
@pytest.mark.parametrize("turned", [False, True])
def test_real_numbers(
    operators: Operators, isa: str, data_type: DataType, points: str, turned: bool
) -> None:
    weights = Weights(data_type, 37, 11, 8, points, turned)
    out = guarded((11, 37) if turned else (37, 11))
    what = Dequantize(scales=tensor(weights.scales), output=tensor(out), blocks=weights.blocks)
    operators.run("dequantize_blocks", isa, what)
    np.testing.assert_allclose(out, weights.real.T if turned else weights.real, rtol=1e-6)


# ---- Networks ----------------------------------------------------------------------------------


def n_bits(
    bits: int, block: int, rows: int, inner: int, columns: int, with_points: bool
) -> tuple[bytes, np.ndarray]:
    rng = np.random.default_rng(5)
    blocks = -(-inner // block)
    known = [
        rng.integers(0, 256, (columns, blocks, block * bits // 8)).astype(np.uint8),
        np.abs(values_of(1, columns * blocks)) * F(0.1),
    ]
    if with_points:
        known.append(rng.integers(0, 256, columns * -(-blocks * bits // 8)).astype(np.uint8))
    names = ["x", "w", "s", "p"][: len(known) + 1]
    node = helper.make_node(
        "MatMulNBits", names, ["y"], domain="com.microsoft",
        K=inner, N=columns, bits=bits, block_size=block,
    )  # fmt: skip
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (rows, inner))
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, (rows, columns))
    tensors = [numpy_helper.from_array(a, n) for a, n in zip(known, names[1:], strict=True)]
    graph = helper.make_graph([node], "g", [x], [y], tensors)
    opset = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model: bytes = helper.make_model(graph, opset_imports=opset, ir_version=8).SerializeToString()
    return model, values_of(7, rows, inner)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("with_points", [False, True])
@pytest.mark.parametrize(
    ("rows", "inner", "columns", "block"), [(1, 256, 40, 32), (12, 144, 33, 16), (3, 512, 24, 256)]
)
def test_mat_mul_n_bits(
    runtime: ann.Runtime,
    bits: int,
    with_points: bool,
    rows: int,
    inner: int,
    columns: int,
    block: int,
) -> None:
    model, x = n_bits(bits, block, rows, inner, columns, with_points)
    (expected,) = onnxruntime.InferenceSession(model).run(None, {"x": x})
    with ann.load(model, ["CpuAcc"], runtime=runtime) as net:
        with net.profile() as profile:
            y = net.run({"x": x})["y"]
        kernels = [row.kernel for row in profile.layers]
    assert any(f"armnn_s{bits}_block_product" in kernel for kernel in kernels)
    np.testing.assert_allclose(y, expected, rtol=0, atol=2e-5 * np.abs(expected).max())


@pytest.mark.parametrize("bits", [4, 8])
def test_constants_stay_small(runtime: ann.Runtime, tmp_path: Any, bits: int) -> None:
    """In the network, in the optimised one, and in the saved form."""
    inner, columns = 1024, 512
    model, x = n_bits(bits, 32, 1, inner, columns, False)
    network = ann.import_model(model)
    stored = inner * columns * bits // 8 + inner // 32 * columns * 4
    for form in (network, ann.optimize(network, ["CpuRef"], runtime=runtime).network):
        sizes = [layer.value.nbytes for layer in form.layers if hasattr(layer, "value")]
        assert stored <= sum(sizes) < 1.1 * stored
    path = tmp_path / "saved.armnnpy"
    optimized = ann.optimize(network, ["CpuRef"], runtime=runtime)
    optimized.save(path)
    assert stored <= path.stat().st_size < 1.1 * stored
    with (
        ann.load(path, runtime=runtime) as net,
        ann.load(model, ["CpuAcc"], runtime=runtime) as own,
    ):
        found, expected = net.run({"x": x})["y"], own.run({"x": x})["y"]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * np.abs(expected).max())
