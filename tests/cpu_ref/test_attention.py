# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""ATTENTION against onnxruntime, and against its definition in float64 for what that lacks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .harness import Layers, descriptor
from .reference import onnx_node, random

LAYER = abi.ARMNN_LAYER_ATTENTION
F = np.float32
#: Batch, heads, heads of keys, queries, keys, size, columns: in tiles, and at their edges.
SIZES = [
    (2, 4, 2, 5, 7, 8, 6), (1, 1, 1, 1, 1, 1, 1), (1, 6, 1, 1, 33, 16, 16),
    (1, 2, 2, 64, 64, 64, 64), (1, 3, 1, 67, 131, 70, 66),
]  # fmt: skip


def form(scale: float = 1.0, softcap: float = 0.0, causal: bool = False) -> Any:
    kind = abi.armnn_attention_descriptor_t
    return descriptor(kind, LAYER, scale=scale, softcap=softcap, causal=causal)


def operands_of(sizes: tuple[int, ...]) -> list[np.ndarray]:
    batch, heads, shared, queries, keys, size, columns = sizes
    shapes = ((heads, queries, size), (shared, keys, size), (shared, keys, columns))
    return [random((batch, *shape), seed) * 2 for seed, shape in enumerate(shapes)]


def output_of(operands: list[np.ndarray]) -> list[Any]:
    return [((*operands[0].shape[:3], operands[2].shape[3]), F)]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("mask", ["none", "numbers", "booleans"])
@pytest.mark.parametrize("softcap", [0.0, 1.5])
def test_matches_onnx(cpu_ref: Layers, sizes: tuple[int, ...], mask: str, softcap: float) -> None:
    operands = operands_of(sizes)
    if mask != "none":
        numbers = random((sizes[3], sizes[4]), 5)
        if mask == "booleans":
            numbers = numbers > 0
            numbers[:, 0] = True
        operands.append(numbers)
    expected = onnx_node("Attention", operands, {"scale": 0.3, "softcap": softcap}, opset=23)
    (y,) = cpu_ref.run(LAYER, form(0.3, softcap), operands, output_of(operands))
    assert_close(y, expected, LayerType.ATTENTION)


@pytest.mark.parametrize("sizes", [(1, 2, 1, 5, 5, 8, 8), (2, 2, 2, 3, 70, 4, 4)])
def test_causality(cpu_ref: Layers, sizes: tuple[int, ...]) -> None:
    """The last query sees all keys, the one before all but the last, and so on."""
    operands = operands_of(sizes)
    queries, keys = sizes[3:5]
    seen = np.arange(keys) <= np.arange(queries)[:, np.newaxis] + keys - queries
    expected = onnx_node("Attention", [*operands, seen], {"scale": 0.5}, opset=23)
    (y,) = cpu_ref.run(LAYER, form(0.5, causal=True), operands, output_of(operands))
    assert_close(y, expected, LayerType.ATTENTION)


def test_queries_without_keys_are_0(cpu_ref: Layers) -> None:
    """ONNX: a row with no key attended produces zeros."""
    operands = operands_of((1, 1, 1, 5, 3, 4, 4))
    (y,) = cpu_ref.run(LAYER, form(causal=True), operands, output_of(operands))
    assert not y[0, 0, :2].any()
    np.testing.assert_allclose(y[0, 0, 2], operands[2][0, 0, 0], rtol=1e-6)
    hidden = [*operands, np.full((3,), -np.inf, F)]
    (y,) = cpu_ref.run(LAYER, form(), hidden, output_of(operands))
    assert not y.any()
    empty = operands_of((1, 2, 2, 3, 0, 4, 4))
    (y,) = cpu_ref.run(LAYER, form(), empty, output_of(empty))
    assert not y.any()


def test_large_scores_and_nan(cpu_ref: Layers) -> None:
    query = np.full((1, 1, 2, 1), 1e4, F)
    key = np.array([1, 1, -1], F).reshape(1, 1, 3, 1)
    value = np.array([1, 3, 9], F).reshape(1, 1, 3, 1)
    (y,) = cpu_ref.run(LAYER, form(), [query, key, value], [((1, 1, 2, 1), F)])
    np.testing.assert_array_equal(y.ravel(), [2, 2])
    query[0, 0, 1] = np.nan
    (y,) = cpu_ref.run(LAYER, form(), [query, key, value], [((1, 1, 2, 1), F)])
    np.testing.assert_array_equal(y.ravel(), [2, np.nan])


@pytest.mark.parametrize("dtype", [np.float16])
def test_halves_are_rounded_once(cpu_ref: Layers, dtype: Any) -> None:
    operands = [one.astype(dtype) for one in operands_of((1, 2, 1, 3, 70, 8, 8))]
    query, key, value = (one.astype(np.float64) for one in operands)
    scores = query @ key.swapaxes(2, 3)
    powers = np.exp(scores - scores.max(3, keepdims=True))
    expected = powers / powers.sum(3, keepdims=True) @ value
    (y,) = cpu_ref.run(LAYER, form(), operands, [((1, 2, 3, 8), dtype)])
    assert_close(y, expected.astype(dtype), LayerType.ATTENTION)
