# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sequences of different lengths in one tensor."""

from __future__ import annotations

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.values import Known, Value, shape_of
from armnn_py.types import ComparisonOperation


def reverse_sequences(emit: Emitter, x: Value, lengths: Value, *, batch: int) -> Value:
    """Turn the beginning of each sequence around, as far as its length.

    ``batch``, 0 or 1, is the dimension that counts sequences; the other of these two counts steps:
    row ``length - 1 - t`` is read for t before the length, else row t.
    """
    shape = shape_of(x)
    steps, count = shape[1 - batch], shape[batch]
    if shape_of(lengths) != (count,):
        raise ParseError(
            f"the lengths have shape {shape_of(lengths)}, expected one for each of {count} "
            "sequences"
        )
    column = (1, count) if batch else (count, 1)
    if isinstance(lengths, Known) and (lengths.array > steps).any():
        raise ParseError(
            f"a sequence has length {lengths.array.max()}, but the input has {steps} steps"
        )
    lengths = emit.reshape(emit.cast(lengths, np.int32, "int32"), column, "lengths")
    counting = np.dtype(np.int32)
    lines = emit.reshape(
        emit.count_up(steps, counting, name="steps"), (steps, 1) if batch else (1, steps), "lines"
    )
    last = emit.sub(lengths, emit.scalar(1, lengths), "last")
    turned = emit.sub(last, lines, "turned")
    inside = emit.compare(ComparisonOperation.LESS, lines, lengths, "inside")
    step = emit.where(inside, turned, lines, "step")
    lanes = emit.count_up(count, counting, step=1 if batch else steps, name="lanes")
    # Reading the positions of a table refuses steps behind the last one.
    table = emit.count_up(steps, counting, step=count if batch else 1, name="table")
    row = emit.gather(table, step, 0, "row")
    places = emit.add(row, emit.reshape(lanes, column, "starts"), "places")
    rows = emit.reshape(x, (steps * count, *shape[2:]), "rows")
    return emit.gather(rows, places, 0)
