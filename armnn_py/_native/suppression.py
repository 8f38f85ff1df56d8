# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Non-maximum suppression of boxes, in C (``native/src/suppression.c``)."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np

from armnn_py._native import abi
from armnn_py._native.calls import raise_status
from armnn_py._native.library import core

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["kept_boxes"]

#: Rows that a call may write, if one class needs no more. Python sees signals between two calls.
_ROWS = 1 << 15


def kept_boxes(
    boxes: NDArray[np.float32],
    scores: NDArray[np.float32],
    *,
    most: int,
    overlap: float,
    least: float | None,
    by_center: bool,
) -> NDArray[np.int64]:
    """Return which boxes are kept: rows of batch, class and box, the best of a class first.

    Parameters
    ----------
    boxes
        ``[batches, boxes, 4]``: two corners, or center and size.
    scores
        ``[batches, classes, boxes]``.
    most
        Boxes that a class keeps at most.
    overlap
        0 to 1: a box that shares more than this part of what it and a better one cover is left
        out.
    least
        Only scores above it count; ``None`` for all.
    by_center
        Whether boxes are given by their centers.

    Raises
    ------
    ExecutionError
        Memory is out.
    InvalidArgumentError
        There are more boxes than 32 bits can number.
    """
    batches, classes, count = scores.shape
    assert boxes.shape == (batches, count, 4)
    assert boxes.dtype == scores.dtype == np.float32
    boxes, scores = np.ascontiguousarray(boxes), np.ascontiguousarray(scores)
    most = min(max(int(most), 0), count)
    task = abi.armnn_suppression_t(
        boxes=boxes.ctypes.data_as(ctypes.POINTER(ctypes.c_float)),
        scores=scores.ctypes.data_as(ctypes.POINTER(ctypes.c_float)),
        batch_count=batches,
        class_count=classes,
        box_count=count,
        most=most,
        overlap=overlap,
        least_score=0 if least is None else least,
        has_least_score=least is not None,
        by_center=by_center,
    )
    rows = np.empty((min(max(_ROWS, most), batches * classes * most), 3), np.int64)
    into = rows.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))
    number, written = ctypes.c_uint64(), ctypes.c_uint64()
    found = [rows[:0]]
    while number.value < batches * classes:
        status = core().armnn_core_suppress_boxes(task, number, into, len(rows), written)
        if status:
            raise_status(status, f"suppression of {batches} x {count} boxes in {classes} classes")
        found.append(rows[: written.value].copy())
    return np.concatenate(found)
