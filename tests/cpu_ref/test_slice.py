# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""SLICE and STRIDED_SLICE against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armnn_py._native import abi

from .harness import Layers, descriptor
from .tensors import DTYPES, examples, shapes, values

INT64_MAX, INT64_MIN = 2**63 - 1, -(2**63)


def slice_form(begin: Any, size: Any) -> Any:
    return descriptor(
        abi.armnn_slice_descriptor_t,
        abi.ARMNN_LAYER_SLICE,
        rank=len(begin),
        begin=list(begin),
        size=list(size),
    )


def strided_form(begin: Any, end: Any, stride: Any, **masks: int) -> Any:
    return descriptor(
        abi.armnn_strided_slice_descriptor_t,
        abi.ARMNN_LAYER_STRIDED_SLICE,
        rank=len(begin),
        begin=list(begin),
        end=list(end),
        stride=list(stride),
        **masks,
    )


@st.composite
def slice_case(draw: Any) -> tuple[tuple[int, ...], list[int], list[int]]:
    shape = draw(shapes(max_elements=800))
    begin = [draw(st.integers(0, side)) for side in shape]
    size = [draw(st.integers(0, side - b)) for side, b in zip(shape, begin, strict=True)]
    return shape, begin, size


@examples
@given(case=slice_case(), dtype=st.sampled_from(list(DTYPES.values())))
def test_slice(cpu_ref: Layers, case: Any, dtype: Any) -> None:
    shape, begin, size = case
    x = values(shape, dtype)
    expected = x[tuple(slice(b, b + n) for b, n in zip(begin, size, strict=True))]
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_SLICE, slice_form(begin, size), [x], [(expected.shape, dtype)]
    )
    np.testing.assert_array_equal(out, expected)


def test_slice_in_parallel(cpu_ref: Layers) -> None:
    x = values((5, 80, 90, 20), np.float32)
    expected = x[1:, 3:77, 1:90, 2:19]
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_SLICE,
        slice_form([1, 3, 1, 2], expected.shape),
        [x],
        [(expected.shape, np.float32)],
    )
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    ("begin", "size", "output", "words"),
    [
        ((0, 2), (2, 2), (2, 2), "dimension 1 is cut from 2 to 4, but has 3"),
        (
            (2**64 - 1, 0),
            (2, 3),
            (2, 3),
            "the descriptor: SliceDescriptor: begin (18446744073709551615, 0) given,",
        ),
        ((0, 0), (2, 2), (2, 3), "output 0 stated as 2x3, but it is 2x2"),
        ((0,), (2,), (2,), "input has 2 dimensions, 1 expected"),
    ],
)
def test_slice_reasons(cpu_ref: Layers, begin: Any, size: Any, output: Any, words: str) -> None:
    reason = cpu_ref.refusal(
        abi.ARMNN_LAYER_SLICE,
        slice_form(begin, size),
        [((2, 3), np.float32)],
        [(output, np.float32)],
    )
    assert words in str(reason)


@st.composite
def strided_case(draw: Any) -> tuple[tuple[int, ...], list[Any], Any]:
    """A shape, the numpy index per dimension, and the descriptor of the same meaning."""
    shape = draw(shapes(max_elements=800))
    position = st.integers(-12, 12) | st.sampled_from([INT64_MAX, INT64_MIN])
    index: list[Any] = []
    begins, ends, strides = [], [], []
    masks = {"begin_mask": 0, "end_mask": 0, "shrink_axis_mask": 0}
    described = draw(st.integers(0, len(shape)))
    for d, side in enumerate(shape[:described]):
        begin, end = draw(position), draw(position)
        stride = draw(st.integers(-4, 4).filter(bool) | st.sampled_from([INT64_MAX, -INT64_MAX]))
        if side > 0 and draw(st.integers(0, 4)) == 0:
            begin, stride = draw(st.integers(-side, side - 1)), 1
            masks["shrink_axis_mask"] |= 1 << d
            index.append(begin)
        else:
            whole_begin, whole_end = draw(st.booleans()), draw(st.booleans())
            masks["begin_mask"] |= whole_begin << d
            masks["end_mask"] |= whole_end << d
            index.append(slice(None if whole_begin else begin, None if whole_end else end, stride))
        begins.append(begin)
        ends.append(end)
        strides.append(stride)
    return shape, index, strided_form(begins, ends, strides, **masks)


@examples
@given(case=strided_case(), dtype=st.sampled_from(list(DTYPES.values())))
def test_strided_slice(cpu_ref: Layers, case: Any, dtype: Any) -> None:
    shape, index, form = case
    x = values(shape, dtype)
    expected = np.asarray(x[tuple(index)])
    (out,) = cpu_ref.run(abi.ARMNN_LAYER_STRIDED_SLICE, form, [x], [(expected.shape, dtype)])
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("step", [2, -1, -3])
def test_strided_slice_in_parallel(cpu_ref: Layers, step: int) -> None:
    x = values((3, 200, 210), np.float32)
    expected = x[:, ::step, ::step]
    form = strided_form([0] * 3, [0] * 3, [1, step, step], begin_mask=7, end_mask=7)
    (out,) = cpu_ref.run(abi.ARMNN_LAYER_STRIDED_SLICE, form, [x], [(expected.shape, np.float32)])
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    ("form", "output", "words"),
    [
        (strided_form([0], [2], [0]), (2, 3), "the descriptor: data_layout is 0"),
        (strided_form([2], [3], [1], shrink_axis_mask=1), (3,), "the descriptor: data_layout is 0"),
        (
            strided_form([-3], [3], [1], shrink_axis_mask=1),
            (3,),
            "the descriptor: data_layout is 0",
        ),
        (
            strided_form([1], [0], [-1], shrink_axis_mask=1),
            (3,),
            "the descriptor: data_layout is 0",
        ),
        (strided_form([0], [2], [1], ellipsis_mask=1), (2, 3), "the descriptor: data_layout is 0"),
        (
            strided_form([0], [2], [1], new_axis_mask=1),
            (1, 2, 3),
            "the descriptor: data_layout is 0",
        ),
        (strided_form([0] * 3, [1] * 3, [1] * 3), (1, 1, 1), "the descriptor: data_layout is 0"),
        (strided_form([0], [1], [1]), (2, 3), "the descriptor: data_layout is 0"),
    ],
)
def test_strided_slice_reasons(cpu_ref: Layers, form: Any, output: Any, words: str) -> None:
    reason = cpu_ref.refusal(
        abi.ARMNN_LAYER_STRIDED_SLICE, form, [((2, 3), np.float32)], [(output, np.float32)]
    )
    assert words in str(reason)
