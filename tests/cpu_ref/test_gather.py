# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""GATHER and GATHER_ND against numpy, and what becomes of indices outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armnn_py._native import abi

from .harness import FailedError, Layers, descriptor
from .reference import onnx_node
from .tensors import DTYPES, examples, shapes, values


def gather_form(axis: int) -> Any:
    return descriptor(abi.armnn_gather_descriptor_t, abi.ARMNN_LAYER_GATHER, axis=axis)


def run(cpu_ref: Layers, x: np.ndarray, indices: np.ndarray, axis: int) -> np.ndarray:
    axis_up = axis % x.ndim
    shape = (*x.shape[:axis_up], *indices.shape, *x.shape[axis_up + 1 :])
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_GATHER, gather_form(axis), [x, indices], [(shape, x.dtype)]
    )
    return out


@st.composite
def gather_case(draw: Any) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    shape = draw(shapes(min_rank=1, max_rank=6, max_elements=300))
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    index_shape = draw(shapes(max_rank=9 - len(shape), max_elements=20))
    if shape[axis] == 0:
        index_shape = (0, *index_shape[1:])
    return shape, index_shape, axis


@examples
@given(
    case=gather_case(),
    dtype=st.sampled_from(list(DTYPES.values())),
    index_dtype=st.sampled_from([np.int32, np.int64]),
)
def test_gather(cpu_ref: Layers, case: Any, dtype: Any, index_dtype: Any) -> None:
    shape, index_shape, axis = case
    x = values(shape, dtype)
    dim = max(shape[axis], 1)
    indices = np.random.default_rng(1).integers(-dim, dim, index_shape).astype(index_dtype)
    np.testing.assert_array_equal(run(cpu_ref, x, indices, axis), np.take(x, indices, axis))


def test_gather_as_onnxruntime(cpu_ref: Layers) -> None:
    x = values((4, 5, 6), np.float32)
    indices = np.array([[0, -1], [4, 2]], np.int64)
    expected = onnx_node("Gather", [x, indices], {"axis": 1})
    np.testing.assert_array_equal(run(cpu_ref, x, indices, 1), expected)


def test_gather_in_parallel(cpu_ref: Layers) -> None:
    x = values((30, 50, 40), np.float32)
    indices = np.random.default_rng(2).integers(-50, 50, (40,))
    np.testing.assert_array_equal(run(cpu_ref, x, indices, 1), np.take(x, indices, 1))


@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize("bad", [5, -6, 2**31 - 1, -(2**31)])
def test_an_index_outside_ends_the_run(cpu_ref: Layers, bad: int, index_dtype: Any) -> None:
    x = values((4, 5, 6), np.float32)
    indices = np.array([0, 4, bad, 1], index_dtype)
    with pytest.raises(FailedError) as raised:
        run(cpu_ref, x, indices, 1)
    text = str(raised.value)
    assert text.startswith(f"{abi.ARMNN_STATUS_INVALID_ARGUMENT}:")
    assert f"index {bad} at place 2" in text
    assert "[-5, 5)" in text


@pytest.mark.parametrize("bad", [2**63 - 1, -(2**63), 2**32, 0])
def test_far_indices_and_empty_dimensions(cpu_ref: Layers, bad: int) -> None:
    x = values((0 if bad == 0 else 3, 2), np.float32)
    with pytest.raises(FailedError, match=rf"index {bad} at place 0"):
        run(cpu_ref, x, np.array([bad], np.int64), 0)


@pytest.mark.parametrize(
    ("axis", "indices", "output", "words"),
    [
        (2, ((2,), np.int32), ((2, 3), np.float32), "axis 2 given, -2 to 1 expected"),
        (-3, ((2,), np.int32), ((2, 3), np.float32), "axis -3 given, -2 to 1 expected"),
        (
            0,
            ((2,), np.float32),
            ((2, 3), np.float32),
            "indices is float32, int32 or int64 expected",
        ),
        (0, ((2,), np.int32), ((4, 3), np.float32), "output 0 stated as 4x3, but it is 2x3"),
        (
            0,
            ((1,) * 8, np.int32),
            ((1,) * 8, np.float32),
            "the output is impossible: shape: more than 8 dimensions",
        ),
    ],
)
def test_gather_reasons(cpu_ref: Layers, axis: int, indices: Any, output: Any, words: str) -> None:
    reason = cpu_ref.refusal(
        abi.ARMNN_LAYER_GATHER, gather_form(axis), [((4, 3), np.float32), indices], [output]
    )
    assert words in str(reason)


@st.composite
def gather_nd_case(draw: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    side = st.integers(1, 4)
    shape = tuple(draw(st.lists(side, min_size=1, max_size=5)))
    outer = tuple(draw(st.lists(st.integers(0, 3), max_size=3)))
    return shape, (*outer, draw(st.integers(1, len(shape))))


@examples
@given(
    case=gather_nd_case(),
    dtype=st.sampled_from(list(DTYPES.values())),
    index_dtype=st.sampled_from([np.int32, np.int64]),
)
def test_gather_nd(cpu_ref: Layers, case: Any, dtype: Any, index_dtype: Any) -> None:
    shape, index_shape = case
    x = values(shape, dtype)
    bounds = np.array(shape[: index_shape[-1]])
    indices = np.random.default_rng(3).integers(-bounds, bounds, index_shape).astype(index_dtype)
    expected = x[tuple(np.moveaxis(indices, -1, 0))]
    (out,) = cpu_ref.run(abi.ARMNN_LAYER_GATHER_ND, None, [x, indices], [(expected.shape, dtype)])
    np.testing.assert_array_equal(out, expected)


def test_gather_nd_outside(cpu_ref: Layers) -> None:
    x = values((4, 5), np.float32)
    indices = np.array([[0, 0], [1, 5]], np.int64)
    with pytest.raises(FailedError, match=r"index 5 at place 3 .* \[-5, 5\), .* dimension 1"):
        cpu_ref.run(abi.ARMNN_LAYER_GATHER_ND, None, [x, indices], [((2,), np.float32)])


def test_gather_nd_reasons(cpu_ref: Layers) -> None:
    kind, x = abi.ARMNN_LAYER_GATHER_ND, ((4, 5), np.float32)
    for indices, words in [
        ((2, 3), "indices of 3 dimensions given, at most 2 expected"),
        ((), "indices has 0 dimensions, at least 1 expected"),
    ]:
        reason = cpu_ref.refusal(kind, None, [x, (indices, np.int32)], [((2,), np.float32)])
        assert words in str(reason)
