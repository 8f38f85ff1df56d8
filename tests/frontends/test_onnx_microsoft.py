# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators of com.microsoft: CpuRef against onnxruntime, whose operators they are."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends.onnx.convert.table import MICROSOFT, operator_names

R = np.random.default_rng(41)
START = R.bit_generator.state


@pytest.fixture(autouse=True)
def numbers() -> None:
    """The same numbers for a test, whatever other tests run."""
    R.bit_generator.state = START


def real(*shape: int) -> np.ndarray:
    return R.standard_normal(shape).astype(np.float32)


def levels(dtype: Any, *shape: int) -> np.ndarray:
    """Of 7 bits: onnxruntime's sums of pairs saturate 16 bits on processors without VNNI."""
    low, high = (0, 128) if np.dtype(dtype).kind == "u" else (-64, 64)
    return R.integers(low, high, shape).astype(dtype)


def scale(*values: float) -> np.ndarray:
    return np.array(values if len(values) > 1 else values[0], np.float32)


def build(
    op: str,
    inputs: list[Any],
    known: tuple[int, ...],
    outputs: list[str],
    domain: str,
    **attributes: Any,
) -> Any:
    names = [f"i{k}" if value is not None else "" for k, value in enumerate(inputs)]
    elements = helper.np_dtype_to_tensor_dtype
    graph = helper.make_graph(
        [helper.make_node(op, names, outputs, domain=domain, **attributes)],
        "graph",
        [helper.make_tensor_value_info(names[k], elements(value.dtype), value.shape)
         for k, value in enumerate(inputs) if value is not None and k not in known],
        [onnx.ValueInfoProto(name=name) for name in outputs if name],
        [numpy_helper.from_array(inputs[k], names[k]) for k in known],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def both(
    op: str,
    inputs: list[Any],
    known: tuple[int, ...] = (),
    outputs: tuple[str, ...] = ("y",),
    domain: str = MICROSOFT,
    **attributes: Any,
) -> list[tuple[Any, Any]]:
    """Pairs of what CpuRef and onnxruntime compute."""
    model = build(op, inputs, known, list(outputs), domain, **attributes)
    feeds = {f"i{k}": v for k, v in enumerate(inputs) if v is not None and k not in known}
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    expected = session.run(None, feeds)
    with ann.load(model, ["CpuRef"]) as network:
        found = list(network.run(feeds).values())
    assert [(a.dtype, a.shape) for a in found] == [(a.dtype, a.shape) for a in expected]
    return list(zip(found, expected, strict=True))


def check(*arguments: Any, **attributes: Any) -> None:
    for found, expected in both(*arguments, **attributes):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-5)


def check_levels(*arguments: Any, **attributes: Any) -> None:
    """Equal but for one step, where a sum is near a half."""
    for found, expected in both(*arguments, **attributes):
        difference = np.abs(found.astype(np.int64) - expected.astype(np.int64))
        assert difference.max() <= 1
        assert np.count_nonzero(difference) <= max(1, 0.05 * difference.size)


# ---- Fused ---------------------------------------------------------------------------------------


def test_gelu_of_all_kinds() -> None:
    x = real(2, 5, 8)
    check("Gelu", [x])
    check("BiasGelu", [x, real(8)], (1,))
    check("FastGelu", [x])
    check("FastGelu", [x, real(8)], (1,))
    check("QuickGelu", [x])
    check("QuickGelu", [x], alpha=0.7)


@pytest.mark.parametrize("alpha", [1.0, 0.25])
@pytest.mark.parametrize("turned", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_fused_mat_mul(alpha: float, turned: tuple[int, int]) -> None:
    x = real(2, 4, 3) if turned[0] else real(2, 3, 4)
    y = real(2, 5, 4) if turned[1] else real(2, 4, 5)
    for known in ((), (1,)):
        check("FusedMatMul", [x, y], known, transA=turned[0], transB=turned[1], alpha=alpha)
    check("TransposeMatMul", [x, y], transA=turned[0], transB=turned[1], alpha=alpha)


@pytest.mark.parametrize("batch", ["transBatchA", "transBatchB"])
def test_transposed_batches_are_refused(batch: str) -> None:
    model = build("FusedMatMul", [real(2, 3, 4), real(2, 4, 5)], (), ["y"], MICROSOFT, **{batch: 1})
    with pytest.raises(ann.UnsupportedOperatorError, match="transposed batch dimensions"):
        ann.import_model(model)


@pytest.mark.parametrize(
    ("activation", "parameters"),
    [("Relu", []), ("Sigmoid", []), ("Tanh", []), ("LeakyRelu", [0.2]), ("Clip", [-0.5, 0.5]),
     ("HardSigmoid", [0.3, 0.4])],
)  # fmt: skip
def test_fused_convolution(activation: str, parameters: list[float]) -> None:
    x, w, b = real(1, 3, 6, 6), real(4, 3, 3, 3), real(4)
    attributes: dict[str, Any] = {"activation": activation, "pads": [1, 1, 1, 1]}
    if parameters:
        attributes["activation_params"] = parameters
    check("FusedConv", [x, w, b], (1, 2), **attributes)
    if activation == "Relu":
        check("FusedConv", [x, w, b, real(1, 4, 6, 6)], (1, 2), **attributes)


@pytest.mark.parametrize("activation", ["Relu", "LeakyRelu", "Tanh"])
def test_fused_gemm(activation: str) -> None:
    more = {"activation_alpha": 0.3} if activation == "LeakyRelu" else {}
    check("FusedGemm", [real(3, 4), real(5, 4), real(5)], (1, 2), transB=1, activation=activation,
          **more)  # fmt: skip


def test_skip_layer_normalization() -> None:
    x, skip, gamma, beta, bias = real(2, 3, 8), real(2, 3, 8), real(8), real(8), real(8)
    check("SkipLayerNormalization", [x, skip, gamma, beta], (2, 3), epsilon=1e-5)
    check("SkipLayerNormalization", [x, skip, gamma, beta, bias], (2, 3, 4), ("y", "", "", "sum"))
    check("SkipLayerNormalization", [x, skip, gamma], (2,))
    check("SkipSimplifiedLayerNormalization", [x, skip, gamma], (2,), ("y", "", "", "sum"))
    check("SkipSimplifiedLayerNormalization", [x, skip, gamma, bias], (2, 3), epsilon=1e-6)


def test_simplified_layer_normalization_has_the_standard_domain() -> None:
    check("SimplifiedLayerNormalization", [real(2, 3, 8), real(8)], (1,), domain="", epsilon=1e-6)


@pytest.mark.parametrize("with_segments", [True, False])
def test_embed_layer_normalization(with_segments: bool) -> None:
    ids = R.integers(0, 11, (2, 5)).astype(np.int32)
    segments = R.integers(0, 2, (2, 5)).astype(np.int32) if with_segments else None
    mask = np.int32([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]])
    tables = [real(11, 8), real(7, 8), real(2, 8) if with_segments else None]
    operands = [ids, segments, *tables, real(8), real(8), mask]
    known = (2, 3, 4, 5, 6) if with_segments else (2, 3, 5, 6)
    check("EmbedLayerNormalization", operands, known, ("y", "mask_index"), epsilon=1e-5)
    places = np.int32([[4, 3, 2, 1, 0], [0, 0, 1, 1, 2]])
    check("EmbedLayerNormalization", [*operands, places], known, ("y", "mask_index", "sum"),
          epsilon=1e-5)  # fmt: skip


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("with_points", [True, False])
def test_mat_mul_of_few_bits(bits: int, with_points: bool) -> None:
    inner, columns, block = 40, 6, 16
    blocks = 3
    packed = R.integers(0, 256, (columns, blocks, block * bits // 8)).astype(np.uint8)
    scales = R.uniform(0.01, 0.1, columns * blocks).astype(np.float32)
    points = None
    if with_points:
        points = R.integers(0, 256, columns * -(-blocks * bits // 8)).astype(np.uint8)
    operands = [real(2, 3, inner), packed, scales, points]
    known = (1, 2, 3) if with_points else (1, 2)
    check("MatMulNBits", operands, known, K=inner, N=columns, bits=bits, block_size=block)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("with_points", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_rows_of_bytes(bits: int, with_points: bool, dtype: Any) -> None:
    rows, columns, block = 9, 48, 32
    packed = R.integers(0, 256, (rows, columns * bits // 8)).astype(np.uint8)
    scales = R.uniform(0.01, 0.1, (rows, 2)).astype(dtype)
    points = R.integers(0, 256, (rows, -(-2 * bits // 8))).astype(np.uint8)
    indices = np.int64([[3, 0, 8], [-1, 3, 2]])
    operands = [packed, indices, scales, points if with_points else None]
    known = (0, 2, 3) if with_points else (0, 2)
    for place in [known, (*known, 1)]:
        check("GatherBlockQuantized", operands, place, bits=bits, block_size=block)


@pytest.mark.parametrize("dtype", [ml_dtypes.int4, ml_dtypes.uint4], ids=lambda one: one.__name__)
@pytest.mark.parametrize("with_points", [True, False])
@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (2, 1), (0, 2), (1, 2), (2, 0)], ids=str)
def test_elements_of_four_bits(dtype: Any, with_points: bool, axes: tuple[int, int]) -> None:
    """Numbers of a type of 4 bits, gathered and in blocks along any dimension."""
    low = ml_dtypes.iinfo(dtype).min
    shape, gathered, quantised = (17, 33, 19), *axes
    grid = [-(-size // 16) if axis == quantised else size for axis, size in enumerate(shape)]
    table = R.integers(low, low + 16, shape).astype(dtype)
    points = R.integers(low, low + 16, grid).astype(dtype) if with_points else None
    scales = R.uniform(0.01, 0.1, grid).astype(np.float32)
    known = (0, 2, 3) if with_points else (0, 2)
    operands = [table, np.int32([5, 0, 16, 16]), scales, points]
    check("GatherBlockQuantized", operands, known, gather_axis=gathered,
          quantize_axis=quantised, block_size=16)  # fmt: skip


def test_zero_points_of_another_type_than_the_table() -> None:
    table, scales = np.zeros((4, 16), np.uint8), np.ones((4, 2), np.float32)
    inputs = [table, np.int32([0]), scales, np.zeros((4, 2), np.int8)]
    model = build("GatherBlockQuantized", inputs, (0, 2, 3), ["y"], MICROSOFT, block_size=16)
    with pytest.raises(ann.ParseError, match="the zero points are int8, expected uint8"):
        ann.import_model(model)


# ---- Attention -----------------------------------------------------------------------------------

MASKS = {
    "none": None,
    "lengths": np.int32([3, 5]),
    "positions": np.int32([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]),
    "pairs": np.tril(np.ones((2, 5, 5), np.int32)),
}


@pytest.mark.parametrize("mask", MASKS)
def test_attention(mask: str) -> None:
    operands = [real(2, 5, 8), real(8, 24), real(24), MASKS[mask]]
    check("Attention", operands, (1, 2), num_heads=2)


def test_attention_with_past_causality_and_other_sizes() -> None:
    x, w, b = real(2, 3, 8), real(8, 24), real(24)
    past = real(2, 2, 2, 4, 4)
    check("Attention", [x, w, b, None, past], (1, 2), ("y", "present"), num_heads=2,
          unidirectional=1)  # fmt: skip
    check("Attention", [x, w, b], (1, 2), num_heads=2, unidirectional=1)
    check("Attention", [x, w, b, None, None, real(2, 2, 3, 3)], (1, 2), num_heads=2, scale=0.3)
    check("Attention", [x, real(8, 20), real(20)], (1, 2), num_heads=2, qkv_hidden_sizes=[8, 8, 4])


def test_multi_head_attention() -> None:
    query, key, value, bias = real(2, 3, 8), real(2, 5, 8), real(2, 5, 8), real(24)
    check("MultiHeadAttention", [query, key, value], num_heads=2)
    check("MultiHeadAttention", [query, key, value, bias], (3,), num_heads=4)
    mask = np.int32([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
    check("MultiHeadAttention", [query, key, value, bias, mask], (3,), num_heads=2)
    check("MultiHeadAttention", [query, key, value, None, None, real(1, 2, 3, 5)], num_heads=2)
    check("MultiHeadAttention", [query, real(2, 2, 6, 4), real(2, 2, 6, 4)], num_heads=2)


def test_group_query_attention() -> None:
    """Of a prompt; steps behind it: test_onnx_grouped_attention.py."""
    query, key, value = real(2, 5, 32), real(2, 5, 16), real(2, 5, 16)
    lengths = [np.int32([4, 4]), np.int32([5])]
    check("GroupQueryAttention", [query, key, value, None, None, *lengths], (6,), num_heads=4,
          kv_num_heads=2)  # fmt: skip


def test_causality_of_other_keys_than_positions_is_refused() -> None:
    """In onnxruntime the last position sees all of them, the one before as many as its own."""
    operands = [real(2, 3, 8), real(2, 5, 8), real(2, 5, 8)]
    model = build(
        "MultiHeadAttention", operands, (), ["y"], MICROSOFT, num_heads=2, unidirectional=1
    )
    with pytest.raises(ann.UnsupportedOperatorError, match="causality of 3 positions and 5 keys"):
        ann.import_model(model)


def test_one_buffer_of_past_and_present_is_refused() -> None:
    operands = [real(2, 3, 8), real(8, 24), real(24), None, real(2, 2, 2, 8, 4)]
    for more in ([], [None, np.int32([2])]):
        model = build("Attention", [*operands, *more], (1, 2), ["y", "present"], MICROSOFT,
                      num_heads=2, past_present_share_buffer=1)  # fmt: skip
        with pytest.raises(ann.UnsupportedOperatorError, match="one buffer of past and present"):
            ann.import_model(model)


def test_packed_operands_are_those_that_were_packed() -> None:
    """onnxruntime has them on GPUs alone."""
    query, key, value = (real(2, 3, 8) for _ in range(3))
    [(expected, _)] = both("MultiHeadAttention", [query, key, value], num_heads=2)
    heads = [part.reshape(2, 3, 2, 4) for part in (query, key, value)]
    for operands in ([np.stack(heads, 3)], [query, np.stack(heads[1:], 3)]):
        model = build("MultiHeadAttention", operands, (), ["y"], MICROSOFT, num_heads=2)
        with ann.load(model, ["CpuRef"]) as network:
            found = network.run({f"i{k}": v for k, v in enumerate(operands)})["y"]
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_multi_head_attention_with_past() -> None:
    new, past = [real(2, 1, 8) for _ in range(3)], [real(2, 2, 4, 4) for _ in range(2)]
    check("MultiHeadAttention", [*new, None, None, None, *past], (), ("y", "key", "value"),
          num_heads=2)  # fmt: skip


@pytest.mark.parametrize("interleaved", [0, 1])
def test_rotary_embedding(interleaved: int) -> None:
    cos, sin = real(9, 4), real(9, 4)
    offset, places = np.int64([2]), np.int64([[0, 3, 1], [8, 8, 2]])
    for positions in (offset, places):
        flat = [real(2, 3, 16), positions, cos, sin]
        check("RotaryEmbedding", flat, (2, 3), interleaved=interleaved)
        heads = [real(2, 2, 3, 8), positions, cos, sin]
        check("RotaryEmbedding", heads, (2, 3), interleaved=interleaved)
    wide = [real(2, 3, 24), places, cos, sin]
    check("RotaryEmbedding", wide, (2, 3), interleaved=interleaved, num_heads=2,
          rotary_embedding_dim=8)  # fmt: skip


# ---- Quantised numbers ---------------------------------------------------------------------------

TYPES = pytest.mark.parametrize("dtype", [np.uint8, np.int8])


def stated(dtype: Any, value: float, point: int = 3) -> list[Any]:
    return [scale(value), np.array(point, dtype)]


@TYPES
def test_sums_and_products(dtype: Any) -> None:
    x, y = levels(dtype, 2, 3, 8), levels(dtype, 3, 8)
    operands = [x, *stated(dtype, 0.1), y, *stated(dtype, 0.2), *stated(dtype, 0.25)]
    for op in ("QLinearAdd", "QLinearMul"):
        check_levels(op, operands, (1, 2, 4, 5, 6, 7))


@TYPES
def test_functions_of_one_operand(dtype: Any) -> None:
    operands = [levels(dtype, 2, 4, 6, 6), *stated(dtype, 0.05), *stated(dtype, 1 / 193.7, 0)]
    known = (1, 2, 3, 4)
    check_levels("QLinearSigmoid", operands, known)
    check_levels("QLinearLeakyRelu", operands, known, alpha=0.2)
    # Its whole arithmetic is off by one elsewhere, ours is not.
    shares = [*operands[:3], *stated(dtype, 1 / 256, 0)]
    check_levels("QLinearSoftmax", shares, known, axis=-1, opset=13)
    check_levels("QLinearGlobalAveragePool", operands, known)
    check_levels("QLinearGlobalAveragePool", operands, known, channels_last=1)
    pool = {"kernel_shape": [2, 2], "strides": [2, 2]}
    check_levels("QLinearAveragePool", operands, known, **pool)
    check_levels("QLinearAveragePool", operands, known, channels_last=1, **pool)


@TYPES
def test_concatenation_and_choice(dtype: Any) -> None:
    x, y = levels(dtype, 2, 3), levels(dtype, 2, 5)
    operands = [*stated(dtype, 0.2), x, *stated(dtype, 0.13), y, *stated(dtype, 0.307, 1)]
    check_levels("QLinearConcat", operands, (0, 1, 3, 4, 6, 7), axis=1)
    condition = np.array([[True, False, True], [False, True, True]])
    choice = [condition, x, *stated(dtype, 0.1), y[:, :3].copy(), *stated(dtype, 0.3, 1),
              *stated(dtype, 0.3, 2)]  # fmt: skip
    check_levels("QLinearWhere", choice, (2, 3, 5, 6, 7, 8))


@pytest.mark.parametrize("transposed", [0, 1])
def test_gemm(transposed: int) -> None:
    a = [levels(np.uint8, 3, 6), *stated(np.uint8, 0.05)]
    weights = levels(np.int8, 4, 6) if transposed else levels(np.int8, 6, 4)
    scales = R.uniform(0.01, 0.05, 4).astype(np.float32)
    b = [weights, scales, np.zeros(4, np.int8)]
    c = R.integers(-500, 500, 4).astype(np.int32)
    known = (1, 2, 3, 4, 5, 6)
    check("QGemm", [*a, *b, c], known, transB=transposed)
    check_levels("QGemm", [*a, *b, c, *stated(np.uint8, 0.02)], (*known, 7, 8), transB=transposed)


def test_products_with_real_results() -> None:
    x, w, bias = levels(np.uint8, 2, 3, 8), levels(np.int8, 8, 5), real(5)
    scales, points = R.uniform(0.01, 0.05, 5).astype(np.float32), np.zeros(5, np.int8)
    given = [x, w, scale(0.1), scales, np.array(7, np.uint8), points]
    check("MatMulIntegerToFloat", given, (1, 2, 3, 4, 5))
    check("MatMulIntegerToFloat", [*given, bias], (1, 2, 3, 4, 5, 6))
    for a in (real(2, 3, 8), np.zeros((2, 3, 8), np.float32)):
        check("DynamicQuantizeMatMul", [a, w, scales, points], (1, 2, 3))
        check(
            "DynamicQuantizeMatMul", [a, w, scale(0.02), np.array(2, np.int8), bias], (1, 2, 3, 4)
        )


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16])
def test_scales_of_this_domain(dtype: Any) -> None:
    stated_as = [scale(0.1), np.array(0, dtype)]
    check_levels("QuantizeLinear", [real(3, 8) * 5, *stated_as], (1, 2))
    check("DequantizeLinear", [levels(dtype, 3, 8), *stated_as], (1, 2))


def test_sums_become_quantised_layers() -> None:
    x, y = levels(np.int8, 2, 8), levels(np.int8, 2, 8)
    operands = [x, *stated(np.int8, 0.1), y, *stated(np.int8, 0.2), *stated(np.int8, 0.25)]
    model = build("QLinearAdd", operands, (1, 2, 4, 5, 6, 7), ["y"], MICROSOFT)
    with ann.load(model, ["CpuRef"]) as network:
        types = {str(row.type) for row in network.assignment.layers}
    assert "Addition" in types


# ---- The table -----------------------------------------------------------------------------------


def test_a_function_of_the_model_goes_first() -> None:
    """A model may define an operator of the domain itself."""
    x = real(2, 3)
    model = build("Gelu", [x], (), ["y"], MICROSOFT)
    body = [helper.make_node("Neg", ["a"], ["b"])]
    opsets = [helper.make_opsetid("", 17)]
    model.functions.append(helper.make_function(MICROSOFT, "Gelu", ["a"], ["b"], body, opsets))
    with ann.load(model, ["CpuRef"]) as network:
        np.testing.assert_array_equal(network.run({"i0": x})["y"], -x)


# ---- Text ----------------------------------------------------------------------------------------


TOKENS: dict[str, dict[str, Any]] = {
    "words": {"tokenexp": "[a-zA-Z0-9_]+"},
    "marks": {"tokenexp": r"\w+", "mark": 1},
    "no token to mark": {"tokenexp": "x{9}", "mark": 1},
    "the longest": {"tokenexp": r"[a-z]|[a-z]+\d"},
    "nothing at all": {"tokenexp": "x?"},
    "letters": {"separators": [""]},
    "two separators": {"separators": [" ", "-"]},
    "long tokens": {"separators": ["l+"], "mincharnum": 2},
}


@pytest.mark.parametrize("name", TOKENS)
def test_tokens(name: str) -> None:
    texts = np.array([["Hello World!", "a1 b2-c3  dé_4"], ["", "日本 xx"]], object)
    attributes = {"mark": 0, "mincharnum": 1, "pad_value": "#", **TOKENS[name]}
    for x in (texts, texts[1]):
        for found, expected in both("Tokenizer", [x], **attributes):
            assert found.tolist() == expected.tolist()


def test_every_operator_is_tested() -> None:
    """Each is named in a test of these files that compares with onnxruntime."""
    comparing = {"both", "check", "check_levels", "theirs"}
    named = set()
    files = [Path(__file__), Path(__file__).with_name("test_onnx_dynamic_quantization.py")]
    for test in [part for file in files for part in ast.parse(file.read_text("utf-8")).body]:
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test_"):
            inside = list(ast.walk(test))
            if comparing & {node.id for node in inside if isinstance(node, ast.Name)}:
                named |= {node.value for node in inside if isinstance(node, ast.Constant)}
    names = {n.removeprefix(f"{MICROSOFT}.") for n in operator_names() if n.startswith(MICROSOFT)}
    assert len(names) > 10
    assert names - named == set()
