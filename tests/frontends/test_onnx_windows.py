# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Pools over all small rows, in particular windows that exceed them, beside onnxruntime."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from onnx import helper

import armnn_py as ann

R = np.random.default_rng(7)
ROWS = {f"x{size}": R.standard_normal((2, 3, size)).astype(np.float32) for size in range(1, 6)}

#: Operator and its attributes.
POOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "largest": ("MaxPool", {}),
    "largest and places": ("MaxPool", {}),
    "average": ("AveragePool", {"count_include_pad": 0}),
    "average with padding": ("AveragePool", {"count_include_pad": 1}),
    "norm": ("LpPool", {"p": 2}),
    "sum": ("LpPool", {"p": 1}),
}


def room(size: int, kernel: int, stride: int, dilation: int, pads: tuple[int, int]) -> int:
    """How often a window that may exceed the padded row fits, by the operators' text."""
    span = size + sum(pads) - dilation * (kernel - 1) - 1
    return -(-span // stride) + 1


@pytest.mark.parametrize("pool", POOLS)
def test_all_small_windows_that_round_up(engines: Any, pool: str) -> None:
    op, attributes = POOLS[pool]
    nodes, outputs = [], []
    geometries = product((1, 2, 3, 4, 5), (1, 2, 3, 4), (1, 2, 3), (1, 2), ((0, 0), (1, 0), (0, 1)))
    for size, kernel, stride, dilation, pads in geometries:
        if max(pads) >= kernel or room(size, kernel, stride, dilation, pads) < 1:
            continue
        made = [f"y{len(nodes)}", f"i{len(nodes)}"][: 2 if "places" in pool else 1]
        window = {
            "kernel_shape": [kernel], "strides": [stride], "dilations": [dilation], "pads": pads,
        }  # fmt: skip
        nodes.append(helper.make_node(op, [f"x{size}"], made, ceil_mode=1, **window, **attributes))
        outputs += made
    model = engines.build(nodes, ROWS, outputs, opset=22)
    expected, found = engines.theirs(model, ROWS), engines.ours(model, ROWS)
    assert len(nodes) > 200
    for name, value in expected.items():
        assert found[name].shape == value.shape
        if name.startswith("y"):
            np.testing.assert_allclose(found[name], value, rtol=1e-5, atol=1e-6)
        else:  # the place is open where a window has padding alone
            alone = expected[name.replace("i", "y")] == np.finfo(np.float32).min
            np.testing.assert_array_equal(found[name][~alone], value[~alone])


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("rank", [2, 3])
@pytest.mark.parametrize("auto_pad", ["NOTSET", "VALID"])
def test_a_window_that_exceeds_one_dimension(
    engines: Any, pool: str, rank: int, auto_pad: str
) -> None:
    op, attributes = POOLS[pool]
    x = R.standard_normal((1, 2, *(3, 6, 4)[:rank])).astype(np.float32)
    made = ["y", "i"][: 2 if "places" in pool else 1]
    node = helper.make_node(
        op, ["x"], made, kernel_shape=(4, 2, 3)[:rank], strides=[2] * rank, ceil_mode=1,
        auto_pad=auto_pad, **attributes,
    )  # fmt: skip
    model = engines.build([node], {"x": x}, made, opset=22)
    expected, found = engines.theirs(model, {"x": x}), engines.ours(model, {"x": x})
    assert expected["y"].shape[2] == 1
    for name, value in expected.items():
        assert found[name].shape == value.shape
        np.testing.assert_allclose(found[name], value, rtol=1e-5, atol=1e-6)


def test_a_window_of_padding_alone_has_the_lowest_number(engines: Any) -> None:
    x = np.full((1, 1, 1), -7, np.float32)
    node = helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2], dilations=[2], pads=[1, 1])
    model = engines.build([node], {"x": x}, ["y"])
    expected = engines.theirs(model, {"x": x})["y"]
    assert expected == np.finfo(np.float32).min
    np.testing.assert_array_equal(engines.ours(model, {"x": x})["y"], expected)


def test_a_window_that_exceeds_by_a_stride_is_refused(models: Any) -> None:
    """Its output has no elements."""
    node = helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[4], strides=[2], ceil_mode=1)
    model = models.build([node], {"x": ROWS["x2"]}, ["y"])
    with pytest.raises(ann.ParseError, match="does not fit an input of"):
        ann.import_model(models.save(model))
