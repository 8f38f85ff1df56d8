# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Slice with starts, ends and steps of all kinds, by the text of the operator."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from onnx import helper

FIRST, LAST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
PLACES = [FIRST, -100, -4, -3, -2, -1, 0, 1, 2, 3, 4, 100, LAST]
STEPS = [1, 2, -1, -2, 5, -5, FIRST, LAST]


def taken(size: int, start: int, end: int, step: int) -> list[int]:
    """The text of Slice-13: negative places count from the end, then all are clamped."""
    start, end = (place + size if place < 0 else place for place in (start, end))
    if step > 0:
        start, end = min(max(start, 0), size), min(max(end, 0), size)
    else:
        start, end = min(max(start, 0), size - 1), min(max(end, -1), size - 1)
    return list(range(start, end, step)) if size else []


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("known", [True, False], ids=["folded", "in runs"])
def test_every_clamp(engines: Any, size: int, known: bool) -> None:
    x = np.arange(1, size + 1, dtype=np.float32)
    nodes, wanted = [], {}
    constants = {"axis": np.int64([0])} | ({"x": x} if known else {})
    for start, end, step in product(PLACES, PLACES, STEPS):
        name = f"y{len(nodes)}"
        wanted[name] = x[taken(size, start, end, step)]
        constants |= {f"{v}": np.int64([v]) for v in (start, end, step)}
        nodes.append(
            helper.make_node("Slice", ["x", str(start), str(end), "axis", str(step)], [name])
        )
    fed = {} if known else {"x": x}
    model = engines.build(nodes, fed, [node.output[0] for node in nodes], constants)
    for name, value in engines.ours(model, fed).items():
        np.testing.assert_array_equal(value, wanted[name])


@pytest.mark.parametrize("opset", [9, 13])
def test_several_dimensions(agree: Any, opset: int) -> None:
    """A start before the first element, beside places beyond the last one."""
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    starts, ends, axes, steps = np.int64([[-9, -9, 9], [9, 9, -9], [0, -1, 1], [1, 2, -1]])
    if opset < 10:
        lists = {"starts": [-9, -9], "ends": [9, 2], "axes": [2, 0]}
        agree("Slice", [x], {}, opset, lists)
    else:
        operands = [x, starts, ends, axes, steps]
        agree("Slice", operands, dict(enumerate(operands[1:], start=1)), opset, {})
