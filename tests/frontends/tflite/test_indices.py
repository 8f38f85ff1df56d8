# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Indices that are negative or too large: LiteRT refuses them, or marks nothing by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann

X = np.arange(12, dtype=np.float32).reshape(4, 3)


def i(*values: Any) -> np.ndarray:
    return np.array(values, np.int32)


def built(
    builder: Any, op: str, operands: Any, options: Any, known: bool, dtype: Any = np.float32
) -> tuple[bytes, dict[str, np.ndarray]]:
    """One operator; an operand in a tuple is a constant in any case."""
    places, fed = [], {}
    for index, operand in enumerate(operands):
        value = operand[0] if isinstance(operand, tuple) else operand
        if known or isinstance(operand, tuple):
            places.append(builder.constant(f"c{index}", value))
        else:
            fed[f"x{index}"] = value
            places.append(builder.tensor(f"x{index}", value.shape, value.dtype))
    y = builder.tensor("y", (), dtype)
    builder.op(op, places, [y], options)
    builder.ends(places[: len(fed)] if not known else [], [y])
    return builder.data(), fed


@pytest.mark.parametrize("known", [False, True], ids=["in runs", "folded"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("axis", [0, -1])
def test_one_hot_marks_nothing_outside(
    engines: Any, new_builder: Any, axis: int, dtype: Any, known: bool
) -> None:
    limits = np.iinfo(np.int32)  # LiteRT cuts int64 to these
    indices = np.array([-1, 0, -2, 5, 2, -3, -4, 3, limits.min, limits.max], dtype)
    operands = [indices, (np.int32(3),), (np.float32(7),), (np.float32(2),)]
    data, fed = built(new_builder(), "ONE_HOT", operands, ("OneHotOptions", {"axis": axis}), known)
    expected = np.where(indices[:, np.newaxis] == np.arange(3), 7, 2).astype(np.float32)
    expected = expected if axis else expected.T
    np.testing.assert_array_equal(engines.theirs(data, fed)["y"], expected)
    np.testing.assert_array_equal(engines.ours(data, fed)["y"], expected)


@pytest.mark.parametrize("begin", [-5, 4])
def test_a_single_element_outside_is_refused(new_builder: Any, begin: int) -> None:
    operands = [X, (i(begin),), (i(begin + 1),), (i(1),)]
    options = ("StridedSliceOptions", {"shrinkAxisMask": 1})
    data, _ = built(new_builder(), "STRIDED_SLICE", operands, options, known=False)
    with pytest.raises(ann.ParseError, match=f"'begin' holds {begin}, expected -4 to 3"):
        ann.import_model(data)


OUTSIDE = {
    "GATHER": [(X, i(-1, 0)), (X, i(4)), (X, i(-(2**31)))],
    "GATHER_ND": [(X, i([-1, 0])), (X, i([1, -2])), (X, i([1, 3])), (X, i([4, 0]))],
    "SCATTER_ND": [
        (i([-1], [0]), X[:2], (i(4, 3),)), (i([4], [0]), X[:2], (i(4, 3),)),
        (i([0, -1]), X[0, :1], (i(4, 3),)), (i([0, 3]), X[0, :1], (i(4, 3),)),
    ],
    "EMBEDDING_LOOKUP": [(i(-1, 0), X), (i(0, 4), X)],
}  # fmt: skip


@pytest.mark.parametrize("known", [False, True], ids=["in runs", "folded"])
@pytest.mark.parametrize("op", OUTSIDE)
def test_indices_outside_are_refused(engines: Any, new_builder: Any, op: str, known: bool) -> None:
    options = ("GatherOptions", {"axis": 0}) if op == "GATHER" else None
    for operands in OUTSIDE[op]:
        data, fed = built(new_builder(), op, operands, options, known)
        with pytest.raises((RuntimeError, ValueError)):
            engines.theirs(data, fed)
        with pytest.raises(ann.ArmnnError):
            engines.ours(data, fed)
