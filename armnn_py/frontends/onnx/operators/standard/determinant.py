# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Det: the determinant of square matrices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Known, Unsupported, Value, array_of, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.types import ReduceOperation

_LARGEST = 10


@operator("Det", since=11)
def _det(view: NodeView) -> Value:
    """Expand along rows: minors of the first k rows, by those of the first k - 1.

    A minor for each choice of k columns is the sum, over its columns, of the element in row k times
    the minor of the others, with alternating signs. That is a gather, a product and a sum for each
    row, without divisions, so that nothing need be pivoted.
    """
    emit, x, shape = view.emit, view.value(0), view.shape(0)
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ParseError(f"the input has shape {shape}, expected square matrices")
    if emit.foldable([x], shape[:-2], work=math.prod(shape) * shape[-1]):
        with np.errstate(all="ignore"):
            found = np.linalg.det(array_of(x).astype(np.float64))
            return Known(np.asarray(found).astype(dtype_of(x)))
    size, outer = shape[-1], shape[:-2]
    if not 1 <= size <= _LARGEST:
        raise Unsupported(f"matrices of {size} rows (1 to {_LARGEST} are supported)")
    rows = [
        emit.reshape(row, (*outer, size), "row")
        for row in emit.split(x, [1] * size, len(shape) - 2, "rows")
    ]
    minors = rows[0]
    known: list[tuple[int, ...]] = [(column,) for column in range(size)]
    for count in range(2, size + 1):
        place = {columns: index for index, columns in enumerate(known)}
        known = list(itertools.combinations(range(size), count))
        others = [[place[(*c[:p], *c[p + 1 :])] for p in range(count)] for c in known]
        elements = emit.gather(rows[count - 1], _indices(known), len(outer), "elements")
        inner = emit.gather(minors, _indices(others), len(outer), "minors")
        signs = (-1.0) ** (np.arange(count) + count - 1)
        terms = emit.mul(elements, inner, "terms")
        signed = emit.mul(terms, Known(signs.astype(dtype_of(x))), "signed")
        minors = emit.reduce(ReduceOperation.SUM, signed, (len(outer) + 1,), False, "sums")
    assert shape_of(minors) == (*outer, 1)
    return emit.reshape(minors, outer)


def _indices(places: Sequence[Sequence[int]]) -> Known:
    return Known(np.array(places, np.int32))
