# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""REDUCE and MEAN over any axes against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from armnn_py._native import abi
from armnn_py.descriptors import MeanDescriptor
from armnn_py.types import LayerType

from .harness import Layers, descriptor
from .host_check import shown_form
from .tensors import NUMBERS, examples, shapes, values

FORMULAS: dict[int, Any] = {
    abi.ARMNN_REDUCE_SUM: np.sum,
    abi.ARMNN_REDUCE_MAX: np.max,
    abi.ARMNN_REDUCE_MEAN: np.mean,
    abi.ARMNN_REDUCE_MIN: np.min,
    abi.ARMNN_REDUCE_PROD: np.prod,
}


def reduce_form(operation: int, axes: Any, keep: bool) -> Any:
    return descriptor(
        abi.armnn_reduce_descriptor_t,
        abi.ARMNN_LAYER_REDUCE,
        operation=operation,
        keep_dims=int(keep),
        axis_count=len(axes),
        axes=list(axes),
    )


def result_shape(shape: tuple[int, ...], axes: Any, keep: bool) -> tuple[int, ...]:
    return np.zeros(shape, np.bool_).any(axis=tuple(axes) or None, keepdims=keep).shape


def run(
    cpu_ref: Layers, operation: int, x: np.ndarray, axes: Any, keep: bool = False
) -> np.ndarray:
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_REDUCE,
        reduce_form(operation, axes, keep),
        [x],
        [(result_shape(x.shape, axes, keep), x.dtype)],
    )
    return out


@st.composite
def shape_and_axes(draw: Any) -> tuple[tuple[int, ...], list[int]]:
    shape = draw(shapes(max_elements=2000))
    rank = len(shape)
    axes = draw(st.lists(st.integers(0, rank - 1), unique=True)) if rank else []
    return shape, [axis - rank if draw(st.booleans()) else axis for axis in axes]


def test_every_operation_has_a_formula() -> None:
    assert sorted(FORMULAS) == list(range(abi.ARMNN_REDUCE_COUNT))


@examples
@given(case=shape_and_axes(), operation=st.sampled_from(sorted(FORMULAS)), keep=st.booleans())
def test_float32(cpu_ref: Layers, case: Any, operation: int, keep: bool) -> None:
    shape, axes = case
    empty = 0 in shape
    assume(not empty or operation in (abi.ARMNN_REDUCE_SUM, abi.ARMNN_REDUCE_PROD))
    x = values(shape, np.float32)
    if operation == abi.ARMNN_REDUCE_PROD:
        x = x / 50 - 1  # long products of these neither overflow nor vanish
    expected = FORMULAS[operation](x.astype(np.float64), axis=tuple(axes) or None, keepdims=keep)
    expected = np.asarray(expected).astype(np.float32)
    np.testing.assert_allclose(run(cpu_ref, operation, x, axes, keep), expected, rtol=2e-7)


@examples
@given(
    case=shape_and_axes(),
    operation=st.sampled_from(sorted(FORMULAS)),
    keep=st.booleans(),
    dtype=st.sampled_from([np.int32, np.int64]),
)
def test_integers(cpu_ref: Layers, case: Any, operation: int, keep: bool, dtype: Any) -> None:
    shape, axes = case
    assume(0 not in shape)
    x = values(shape, dtype)
    if operation == abi.ARMNN_REDUCE_MEAN:
        x = x % 1000 - 500  # no overflow: the mean of wrapped sums means nothing
        total = np.sum(x, axis=tuple(axes) or None, keepdims=keep, dtype=np.int64)
        expected = np.trunc(total / (x.size // max(total.size, 1))).astype(dtype)
    elif operation in (abi.ARMNN_REDUCE_SUM, abi.ARMNN_REDUCE_PROD):
        expected = FORMULAS[operation](x, axis=tuple(axes) or None, keepdims=keep, dtype=dtype)
    else:
        expected = FORMULAS[operation](x, axis=tuple(axes) or None, keepdims=keep)
    np.testing.assert_array_equal(run(cpu_ref, operation, x, axes, keep), expected)


@pytest.mark.parametrize("dtype", NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize("operation", sorted(FORMULAS))
def test_over_nothing(cpu_ref: Layers, dtype: Any, operation: int) -> None:
    is_float = dtype is np.float32
    limits = np.finfo(np.float32) if is_float else np.iinfo(dtype)
    expected = {
        abi.ARMNN_REDUCE_SUM: 0,
        abi.ARMNN_REDUCE_PROD: 1,
        abi.ARMNN_REDUCE_MEAN: np.nan if is_float else 0,
        abi.ARMNN_REDUCE_MAX: -np.inf if is_float else limits.min,
        abi.ARMNN_REDUCE_MIN: np.inf if is_float else limits.max,
    }[operation]
    for shape, axes in [((2, 0, 3), [1]), ((2, 3, 0), [-1])]:
        out = run(cpu_ref, operation, np.zeros(shape, dtype), axes)
        np.testing.assert_array_equal(out, np.full(out.shape, expected, dtype))


@pytest.mark.parametrize("axes", [[0], [1], [2], [0, 2], [1, 2], []])
@pytest.mark.parametrize("operation", sorted(FORMULAS))
def test_large_tensors_in_parallel(cpu_ref: Layers, axes: list[int], operation: int) -> None:
    x = values((40, 30, 1100), np.float32) / 3 + 1
    if operation == abi.ARMNN_REDUCE_PROD:
        x = np.sign(x) + (x - 1) / 10_000
    expected = FORMULAS[operation](x.astype(np.float64), axis=tuple(axes) or None)
    expected = expected.astype(np.float32)
    np.testing.assert_allclose(run(cpu_ref, operation, x, axes), expected, rtol=2e-7)


@pytest.mark.parametrize("operation", [abi.ARMNN_REDUCE_MAX, abi.ARMNN_REDUCE_MIN])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("place", [0, 7, 8, 20])
def test_nan_stays(cpu_ref: Layers, operation: int, axis: int, place: int) -> None:
    x = values((21, 21), np.float32)
    x[place, place] = np.nan
    expected = FORMULAS[operation](x, axis=axis)
    np.testing.assert_array_equal(run(cpu_ref, operation, x, [axis]), expected)


def test_a_long_sum_is_accurate(cpu_ref: Layers) -> None:
    x = np.full((2, 300_000), 0.1, np.float32)
    out = run(cpu_ref, abi.ARMNN_REDUCE_SUM, x, [1])
    np.testing.assert_allclose(out, np.sum(x.astype(np.float64), axis=1), rtol=1e-7)


@examples
@given(case=shape_and_axes(), keep=st.booleans())
def test_mean_layer(cpu_ref: Layers, case: Any, keep: bool) -> None:
    shape, axes = case
    assume(0 not in shape)
    x = values(shape, np.float32)
    layer = shown_form(LayerType.MEAN, MeanDescriptor(keep_dims=keep, axes=axes))
    target = (result_shape(shape, axes, keep), np.float32)
    (out,) = cpu_ref.run(*layer, [x], [target])
    expected = np.mean(x.astype(np.float64), axis=tuple(axes) or None, keepdims=keep)
    np.testing.assert_allclose(out, expected.astype(np.float32), rtol=2e-7)


@pytest.mark.parametrize(
    ("axes", "output", "words"),
    [
        ([2], (3,), "axis 2 given, -2 to 1 expected"),
        ([-3], (3,), "axis -3 given, -2 to 1 expected"),
        ([0, -2], (3,), "axes (0, -2) name dimension 0 twice"),
        ([0], (2,), "output 0 stated as 2, but it is 3"),
        ([0], (1, 3), "output 0 stated as 1x3, but it is 3"),
    ],
)
def test_reasons(cpu_ref: Layers, axes: list[int], output: tuple[int, ...], words: str) -> None:
    reason = cpu_ref.refusal(
        abi.ARMNN_LAYER_REDUCE,
        reduce_form(abi.ARMNN_REDUCE_SUM, axes, False),
        [((2, 3), np.float32)],
        [(output, np.float32)],
    )
    assert words in str(reason)


def test_absurd_descriptors(cpu_ref: Layers) -> None:
    for values_of in ({"axis_count": 2**31}, {"operation": 77}, {"operation": -1}):
        form = descriptor(abi.armnn_reduce_descriptor_t, abi.ARMNN_LAYER_REDUCE, **values_of)
        tensors = [((2, 3), np.float32)]
        reason = cpu_ref.refusal(abi.ARMNN_LAYER_REDUCE, form, tensors, [((), np.float32)])
        assert reason is not None
