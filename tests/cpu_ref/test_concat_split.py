# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CONCAT, SPLITTER and STACK against numpy, with views along an axis and views anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armnn_py._native import abi

from .harness import Layers, descriptor
from .tensors import DTYPES, examples, shapes, values

if TYPE_CHECKING:
    from collections.abc import Sequence

Box = tuple[tuple[int, ...], tuple[int, ...]]  # origin, size


def views(boxes: Sequence[Box]) -> Any:
    array = (abi.armnn_view_t * max(len(boxes), 1))()
    for view, (origin, size) in zip(array, boxes, strict=False):
        for d, (begin, length) in enumerate(zip(origin, size, strict=True)):
            view.origin[d], view.size[d] = begin, length
    return array


def concat_form(boxes: Sequence[Box], axis: int = 0) -> Any:
    return descriptor(
        abi.armnn_concat_descriptor_t,
        abi.ARMNN_LAYER_CONCAT,
        axis=axis,
        view_count=len(boxes),
        views=views(boxes),
    )


def splitter_form(boxes: Sequence[Box], axis: int = -1) -> Any:
    return descriptor(
        abi.armnn_splitter_descriptor_t,
        abi.ARMNN_LAYER_SPLITTER,
        axis=axis,
        view_count=len(boxes),
        views=views(boxes),
    )


def axis_boxes(shape: tuple[int, ...], axis: int, sizes: Sequence[int]) -> list[Box]:
    boxes, position = [], 0
    for size in sizes:
        origin = tuple(position if d == axis else 0 for d in range(len(shape)))
        boxes.append((origin, (*shape[:axis], size, *shape[axis + 1 :])))
        position += size
    return boxes


def cut(x: np.ndarray, box: Box) -> np.ndarray:
    return x[tuple(slice(b, b + n) for b, n in zip(*box, strict=True))]


@st.composite
def axis_case(draw: Any) -> tuple[tuple[int, ...], int, list[int]]:
    shape = draw(shapes(min_rank=1, max_elements=300))
    axis = draw(st.integers(0, len(shape) - 1))
    sizes = draw(st.lists(st.integers(0, 5), min_size=1, max_size=6))
    return (*shape[:axis], sum(sizes), *shape[axis + 1 :]), axis, sizes


@examples
@given(case=axis_case(), dtype=st.sampled_from(list(DTYPES.values())))
def test_concat_along_an_axis(cpu_ref: Layers, case: Any, dtype: Any) -> None:
    shape, axis, sizes = case
    boxes = axis_boxes(shape, axis, sizes)
    parts = [values(size, dtype, i) for i, (_, size) in enumerate(boxes)]
    (out,) = cpu_ref.run(abi.ARMNN_LAYER_CONCAT, concat_form(boxes, axis), parts, [(shape, dtype)])
    np.testing.assert_array_equal(out, np.concatenate(parts, axis))


@examples
@given(case=axis_case(), dtype=st.sampled_from(list(DTYPES.values())))
def test_split_along_an_axis(cpu_ref: Layers, case: Any, dtype: Any) -> None:
    shape, axis, sizes = case
    boxes = axis_boxes(shape, axis, sizes)
    x = values(shape, dtype)
    outs = cpu_ref.run(
        abi.ARMNN_LAYER_SPLITTER,
        splitter_form(boxes, axis),
        [x],
        [(size, dtype) for _, size in boxes],
    )
    for out, expected in zip(outs, np.split(x, np.cumsum(sizes)[:-1], axis), strict=True):
        np.testing.assert_array_equal(out, expected)


QUARTERS: list[Box] = [
    ((0, 0, 0), (3, 2, 5)),
    ((3, 0, 0), (1, 7, 5)),
    ((0, 2, 0), (3, 5, 2)),
    ((0, 2, 2), (3, 5, 3)),
]


def test_concat_of_views_anywhere(cpu_ref: Layers) -> None:
    whole = values((4, 7, 5), np.float32)
    parts = [cut(whole, box) for box in QUARTERS]
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_CONCAT, concat_form(QUARTERS), parts, [((4, 7, 5), np.float32)]
    )
    np.testing.assert_array_equal(out, whole)


def test_split_into_overlapping_views(cpu_ref: Layers) -> None:
    x = values((4, 7, 5), np.int64)
    boxes: list[Box] = [*QUARTERS, ((1, 1, 1), (2, 3, 4)), ((4, 7, 5), (0, 0, 0))]
    outs = cpu_ref.run(
        abi.ARMNN_LAYER_SPLITTER,
        splitter_form(boxes),
        [x],
        [(size, np.int64) for _, size in boxes],
    )
    for out, box in zip(outs, boxes, strict=True):
        np.testing.assert_array_equal(out, cut(x, box))


def test_concat_in_parallel(cpu_ref: Layers) -> None:
    parts = [values((6, n, 70, 60), np.float32, n) for n in (3, 8, 1)]
    boxes = axis_boxes((6, 12, 70, 60), 1, [3, 8, 1])
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_CONCAT, concat_form(boxes, 1), parts, [((6, 12, 70, 60), np.float32)]
    )
    np.testing.assert_array_equal(out, np.concatenate(parts, 1))


@examples
@given(
    shape=shapes(max_rank=7, max_elements=200),
    axis=st.integers(0, 7),
    count=st.integers(1, 4),
    dtype=st.sampled_from(list(DTYPES.values())),
)
def test_stack(cpu_ref: Layers, shape: tuple[int, ...], axis: int, count: int, dtype: Any) -> None:
    axis %= len(shape) + 1
    parts = [values(shape, dtype, i) for i in range(count)]
    form = descriptor(
        abi.armnn_stack_descriptor_t,
        abi.ARMNN_LAYER_STACK,
        axis=axis,
        input_count=count,
        rank=len(shape),
        input_shape=shape,
    )
    expected = np.stack(parts, axis)
    (out,) = cpu_ref.run(abi.ARMNN_LAYER_STACK, form, parts, [(expected.shape, dtype)])
    np.testing.assert_array_equal(out, expected)


TOP, BOTTOM = ((0, 0), (2, 3)), ((2, 0), (1, 3))


@pytest.mark.parametrize(
    ("boxes", "inputs", "words"),
    [
        ([TOP, BOTTOM], [(2, 3), (1, 3), (1, 3)], "2 views for 3 inputs given"),
        (
            [TOP, BOTTOM],
            [(2, 3), (2, 3)],
            "view 1 given as View(origin=(2, 0), size=(1, 3)), origin (2, 0) and",
        ),
        (
            [TOP, ((3, 0), (1, 3))],
            [(2, 3), (1, 3)],
            "view 1 given as View(origin=(3, 0), size=(1, 3)), origin (2, 0) and",
        ),
        (
            [TOP, ((2**64 - 1, 0), (1, 3))],
            [(2, 3), (1, 3)],
            "the descriptor: View: origin (18446744073709551615, 0) given, at most",
        ),
        (
            [TOP, ((1, 0), (1, 3))],
            [(2, 3), (1, 3)],
            "view 1 given as View(origin=(1, 0), size=(1, 3)), origin (2, 0) and",
        ),
        (
            [TOP, ((2, 0), (1, 2))],
            [(2, 3), (1, 2)],
            "input 1 has shape 1x2, that of input 0 (2x3) expected except along axis",
        ),
    ],
)
def test_concat_reasons(cpu_ref: Layers, boxes: Any, inputs: Any, words: str) -> None:
    reason = cpu_ref.refusal(
        abi.ARMNN_LAYER_CONCAT,
        concat_form(boxes),
        [(shape, np.float32) for shape in inputs],
        [((3, 3), np.float32)],
    )
    assert words in str(reason)


def test_views_must_be_there(cpu_ref: Layers) -> None:
    form = descriptor(abi.armnn_concat_descriptor_t, abi.ARMNN_LAYER_CONCAT, view_count=1)
    pair = ((3, 3), np.float32)
    assert cpu_ref.refusal(abi.ARMNN_LAYER_CONCAT, form, [pair], [pair]) is not None
    form = descriptor(abi.armnn_splitter_descriptor_t, abi.ARMNN_LAYER_SPLITTER, view_count=1)
    assert cpu_ref.refusal(abi.ARMNN_LAYER_SPLITTER, form, [pair], [pair]) is not None


def test_split_outside_is_refused(cpu_ref: Layers) -> None:
    reason = cpu_ref.refusal(
        abi.ARMNN_LAYER_SPLITTER,
        splitter_form([((2, 0), (2, 3))]),
        [((3, 3), np.float32)],
        [((2, 3), np.float32)],
    )
    assert "view 0 (View(origin=(2, 0), size=(2, 3))) does not lie in 3x3" in str(reason)


def test_types_must_agree(cpu_ref: Layers) -> None:
    reason = cpu_ref.refusal(
        abi.ARMNN_LAYER_CONCAT,
        concat_form([TOP, BOTTOM]),
        [((2, 3), np.float32), ((1, 3), np.int32)],
        [((3, 3), np.float32)],
    )
    assert "input 0 is float32 but input 1 is int32, one type expected" in str(reason)
