# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Types that numpy lacks: models of ONNX against ml_dtypes, numpy and onnxruntime."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends.onnx.file.tensors import read_tensor

FLOAT = TensorProto.FLOAT
DTYPES = {
    "BFLOAT16": ml_dtypes.bfloat16, "FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn,
    "FLOAT8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "FLOAT8E5M2": ml_dtypes.float8_e5m2,
    "FLOAT8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "FLOAT8E8M0": ml_dtypes.float8_e8m0fnu,
    "FLOAT4E2M1": ml_dtypes.float4_e2m1fn, "INT4": ml_dtypes.int4, "UINT4": ml_dtypes.uint4,
    "INT2": ml_dtypes.int2, "UINT2": ml_dtypes.uint2,
}  # fmt: skip
DRAW = np.random.default_rng(4)


def model(nodes: list[Any], inputs: Any, outputs: Any, weights: Any = ()) -> Any:
    graph = helper.make_graph(nodes, "small", inputs, outputs, list(weights))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=11)


def info(name: str, kind: int, *shape: int) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def run(made: Any, **inputs: np.ndarray) -> dict[str, np.ndarray]:
    with ann.load(made, ["CpuRef"]) as loaded:
        return {name: np.array(value) for name, value in loaded.run(inputs).items()}


def drawn(dtype: Any, *shape: int) -> np.ndarray:
    low = 0 if np.dtype(dtype).name in ("uint4", "uint2", "float8_e8m0fnu") else -2
    return DRAW.integers(low, 2, shape).astype(np.float32).astype(dtype)


@pytest.mark.parametrize("stored", ["raw", "field"])
@pytest.mark.parametrize("name", DTYPES)
def test_weights_are_read(name: str, stored: str) -> None:
    array = drawn(DTYPES[name], 3, 5)
    tensor = numpy_helper.from_array(array, "w")
    if stored == "field":
        is_wide = name == "BFLOAT16"
        numbers = np.frombuffer(tensor.raw_data, np.uint16 if is_wide else np.uint8)
        tensor.ClearField("raw_data")
        tensor.int32_data.extend(numbers.tolist())
    read = read_tensor(tensor, None, "w")
    assert isinstance(read, np.ndarray)
    assert read.dtype == array.dtype
    np.testing.assert_array_equal(read.astype(np.float32), array.astype(np.float32))


def test_packed_weights_of_a_wrong_size_are_refused() -> None:
    tensor = numpy_helper.from_array(drawn(ml_dtypes.int4, 3, 5), "w")
    tensor.raw_data = tensor.raw_data[:-1]
    with pytest.raises(ann.ParseError, match="w has the wrong amount of data"):
        read_tensor(tensor, None, "w")


@pytest.mark.parametrize("name", DTYPES)
def test_inputs_and_outputs(name: str) -> None:
    """Inputs by their dtype or as what holds them; outputs as what holds them."""
    dtype, kind = DTYPES[name], TensorProto.DataType.Value(name)
    made = model(
        [
            helper.make_node("Cast", ["x"], ["wide"], to=FLOAT),
            helper.make_node("Identity", ["x"], ["same"]),
            helper.make_node("Transpose", ["x"], ["turned"]),
        ],
        [info("x", kind, 3, 4)],
        [info("wide", FLOAT, 3, 4), info("same", kind, 3, 4), info("turned", kind, 4, 3)],
    )
    x = drawn(dtype, 3, 4)
    data_type = ann.DataType.from_numpy(dtype)
    held = x.astype(data_type.unpacked.numpy) if data_type.is_packed else x.view(data_type.numpy)
    for given in (x, held):
        found = run(made, x=given)
        np.testing.assert_array_equal(found["wide"], x.astype(np.float32))
        np.testing.assert_array_equal(found["same"], held)
        np.testing.assert_array_equal(found["turned"], held.T)
        assert found["same"].dtype == held.dtype


def test_bfloat16_arithmetic_is_rounded() -> None:
    """Of each operator, as onnxruntime has it where it has a kernel."""
    kind = TensorProto.BFLOAT16
    weights = drawn(np.float32, 4, 6) * np.float32(0.37)
    made = model(
        [
            helper.make_node("MatMul", ["x", "w"], ["product"]),
            helper.make_node("Add", ["product", "b"], ["sum"]),
            helper.make_node("Relu", ["sum"], ["y"]),
        ],
        [info("x", kind, 5, 4)],
        [info("y", kind, 5, 6)],
        [
            numpy_helper.from_array(weights.astype(ml_dtypes.bfloat16), "w"),
            numpy_helper.from_array(np.ones(6, ml_dtypes.bfloat16), "b"),
        ],
    )
    x = DRAW.uniform(-3, 3, (5, 4)).astype(ml_dtypes.bfloat16)
    w = weights.astype(ml_dtypes.bfloat16).astype(np.float32)
    product = (x.astype(np.float32) @ w).astype(ml_dtypes.bfloat16)
    expected = np.maximum((product + np.ones(6, ml_dtypes.bfloat16)).astype(np.float32), 0)
    found = run(made, x=x)["y"].view(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_allclose(found, expected, rtol=2**-7)


@pytest.mark.parametrize("name", ["FLOAT8E4M3FN", "FLOAT8E5M2"])
@pytest.mark.parametrize("saturate", [0, 1])
def test_quantize_to_8_bits_as_onnxruntime(name: str, saturate: int) -> None:
    kind = TensorProto.DataType.Value(name)
    zero = helper.make_tensor("zero", kind, [1], [0.0])
    scale = numpy_helper.from_array(np.float32([0.25]).reshape(1), "scale")
    made = model(
        [
            helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"], saturate=saturate),
            helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["y"]),
        ],
        [info("x", FLOAT, 64)],
        [info("y", FLOAT, 64)],
        [scale, zero],
    )
    made.opset_import[0].version = 19
    made.ir_version = 9
    x = np.concatenate([DRAW.uniform(-40, 40, 60), [1e4, -1e4, 2e5, 0]]).astype(np.float32)
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (expected,) = session.run(None, {"x": x})
    np.testing.assert_array_equal(run(made, x=x)["y"], expected)


@pytest.mark.parametrize("rounding", ["up", "down", "nearest"])
def test_powers_of_two(rounding: str) -> None:
    made = model(
        [
            helper.make_node("Cast", ["x"], ["e"], to=24, round_mode=rounding),
            helper.make_node("Cast", ["e"], ["y"], to=FLOAT),
        ],
        [info("x", FLOAT, 7)],
        [info("y", FLOAT, 7)],
    )
    x = np.float32([1, 1.1, 1.4, 1.6, 3.9, 4, 1000])
    power = np.log2(x)
    exact = {"up": np.ceil(power), "down": np.floor(power)}.get(rounding)
    if exact is None:
        low = np.exp2(np.floor(power))
        exact = np.where(x >= low * 1.5, np.floor(power) + 1, np.floor(power))
    np.testing.assert_array_equal(run(made, x=x)["y"], np.exp2(exact))


def test_blocks_of_4_bits() -> None:
    """Weights of 4 bits with a scale for each block, as large language models store them."""
    w = DRAW.integers(-8, 8, (8, 6)).astype(ml_dtypes.int4)
    scales = DRAW.uniform(0.1, 1, (2, 6)).astype(np.float32)
    made = model(
        [
            helper.make_node("DequantizeLinear", ["w", "s"], ["real"], axis=0, block_size=4),
            helper.make_node("MatMul", ["x", "real"], ["y"]),
        ],
        [info("x", FLOAT, 3, 8)],
        [info("y", FLOAT, 3, 6)],
        [numpy_helper.from_array(w, "w"), numpy_helper.from_array(scales, "s")],
    )
    x = drawn(np.float32, 3, 8)
    expected = x @ (w.astype(np.float32) * np.repeat(scales, 4, 0))
    np.testing.assert_allclose(run(made, x=x)["y"], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("op", ["SplitToSequence", "SequenceConstruct"])
@pytest.mark.parametrize("name", ["BFLOAT16", "FLOAT8E4M3FN", "INT4"])
def test_sequences_hold_them(op: str, name: str) -> None:
    """Found by fuzzing: the result of such an operator is not a tensor."""
    x, kind = drawn(DTYPES[name], 3, 4), TensorProto.DataType.Value(name)
    build = [helper.make_node(op, ["x"] * (1 + (op == "SequenceConstruct")), ["s"])]
    made = model(
        [
            *build, helper.make_node("SequenceAt", ["s", "last"], ["y"]),
            helper.make_node("Cast", ["y"], ["z"], to=FLOAT),
        ],
        [info("x", kind, 3, 4)], [info("z", FLOAT, None, 4)],
        [numpy_helper.from_array(np.array(-1), "last")],
    )  # fmt: skip
    expected = x if op == "SequenceConstruct" else x[-1:]
    np.testing.assert_array_equal(run(made, x=x)["z"], expected.astype(np.float32))
