# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators of operator sets 26 to 28, by numpy: onnxruntime runs few of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

import armnn_py as ann

LARGE = (130, 140)  # more than 64 KiB in each type


def run(
    node: onnx.NodeProto, inputs: dict[str, np.ndarray], target: Any = None, version: int = 26,
    constants: dict[str, np.ndarray] | None = None,
) -> np.ndarray:  # fmt: skip
    """The first output of a node behind an Identity, for which the input is data."""
    first = next(iter(inputs))
    dtype = inputs[first].dtype if target is None else target
    graph = helper.make_graph(
        [helper.make_node("Reshape", [first, "shape"], ["x"]), node],
        "newest",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
            for n, a in inputs.items()
        ],
        [
            helper.make_tensor_value_info(
                "y", helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), None
            )
        ],
        [
            onnx.numpy_helper.from_array(np.int64(inputs[first].shape), "shape"),
            *(onnx.numpy_helper.from_array(a, n) for n, a in (constants or {}).items()),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)])
    with ann.load(model, ["CpuRef"]) as network:
        return network.run(inputs)["y"]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("float32", "int32"), ("int32", "float32"), ("float64", "int64"), ("uint16", "int16"),
     ("float16", "uint16"), ("uint8", "int8"), ("bool", "uint8"), ("uint8", "bool")],
)  # fmt: skip
@pytest.mark.parametrize("shape", [LARGE, (3,), ()], ids=str)
def test_bit_cast(given: str, wanted: str, shape: tuple[int, ...]) -> None:
    bits = np.random.default_rng(0).integers(0, 2, (*shape, 8), np.uint8)
    if "bool" not in (given, wanted):
        bits = np.random.default_rng(0).integers(0, 255, (*shape, 8), np.uint8)
    x = bits[..., : np.dtype(given).itemsize].copy().view(given)[..., 0]
    number = helper.np_dtype_to_tensor_dtype(np.dtype(wanted))
    node = helper.make_node("BitCast", ["x"], ["y"], to=number)
    y = run(node, {"in": np.asarray(x)}, wanted)
    assert y.dtype == wanted
    assert y.tobytes() == np.asarray(x).tobytes()


def test_bit_cast_to_another_size_is_refused() -> None:
    node = helper.make_node("BitCast", ["x"], ["y"], to=onnx.TensorProto.INT64)
    with pytest.raises(ann.ParseError, match="different numbers of bits"):
        run(node, {"in": np.zeros(3, np.float32)}, np.int64)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64, np.float64])
@pytest.mark.parametrize(("shape", "axis"), [(LARGE, 0), (LARGE, -1), ((5,), 0), ((2, 0), 1)])
@pytest.mark.parametrize("attributes", [
    {}, {"exclusive": 1}, {"reverse": 1}, {"exclusive": 1, "reverse": 1},
], ids=lambda one: "+".join(one) or "plain")  # fmt: skip
def test_cum_prod(attributes: Any, shape: Any, axis: int, dtype: Any) -> None:
    random = np.random.default_rng(1)
    x = (random.random(shape) + 0.5).astype(dtype) if dtype in (np.float32, np.float64) else (
        random.integers(-2, 3, shape).astype(dtype))  # fmt: skip
    node = helper.make_node("CumProd", ["x", "axis"], ["y"], **attributes)
    y = run(node, {"in": x}, constants={"axis": np.int64(axis)})
    wanted = np.flip(x, axis) if "reverse" in attributes else x
    wanted = np.cumprod(wanted, axis, dtype=dtype)
    if "exclusive" in attributes:
        wanted = np.roll(wanted, 1, axis)
        wanted[(slice(None),) * (axis % x.ndim) + (slice(0, 1),)] = 1
    wanted = np.flip(wanted, axis) if "reverse" in attributes else wanted
    np.testing.assert_allclose(y, wanted, rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32])
@pytest.mark.parametrize("direction", ["RIGHT", "LEFT"])
def test_shifts_of_signed_numbers(direction: str, dtype: Any) -> None:
    """The sign comes in from the left; amounts outside of the width leave nothing but the sign."""
    bits = np.iinfo(dtype).bits
    x = np.array([-16, -1, -128, 5, 127, 0, -5, 16], np.int64).astype(dtype)
    y = np.array([2, 1, bits, bits - 1, 3, 1, -1, bits + 9], np.int64).astype(dtype)
    node = helper.make_node("BitShift", ["x", "by"], ["y"], direction=direction)
    wanted = []
    for value, amount in zip(x.tolist(), y.tolist(), strict=True):
        inside = 0 <= amount < bits
        if direction == "RIGHT":
            wanted.append(value >> amount if inside else -1 if value < 0 else 0)
        else:
            wanted.append(value << amount if inside else 0)
    expected = np.array([w & (2**bits - 1) for w in wanted], np.uint64).astype(dtype)
    np.testing.assert_array_equal(run(node, {"in": x, "by": y}, version=28), expected)


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_space_to_depth_is_undone_by_depth_to_space(mode: str) -> None:
    x = np.random.default_rng(2).random((2, 3, 4, 6)).astype(np.float32)
    y = run(helper.make_node("SpaceToDepth", ["x"], ["y"], blocksize=2, mode=mode), {"in": x},
            version=28)  # fmt: skip
    assert y.shape == (2, 12, 2, 3)
    back = helper.make_node("DepthToSpace", ["x"], ["y"], blocksize=2, mode=mode)
    np.testing.assert_array_equal(run(back, {"in": y}), x)


@pytest.mark.parametrize("operator", ["Softmax", "LogSoftmax"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax_of_float64(operator: str, axis: int) -> None:
    x = np.random.default_rng(3).standard_normal((3, 4, 5)) * 300
    y = run(helper.make_node(operator, ["x"], ["y"], axis=axis), {"in": x})
    powers = np.exp(x - x.max(axis, keepdims=True))
    wanted = powers / powers.sum(axis, keepdims=True)
    if operator == "LogSoftmax":
        wanted = x - x.max(axis, keepdims=True) - np.log(powers.sum(axis, keepdims=True))
    np.testing.assert_allclose(y, wanted, rtol=1e-12)
