# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Loop, Scan and If that run no turn, or have tensors without elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from tests.frontends.beside_onnxruntime import same, theirs

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
info, n = helper.make_tensor_value_info, helper.make_node


def loop(count: int | None, condition: bool | None, known: str, free: bool) -> tuple[Any, Any]:
    """Sums up x, and collects the sums; ``known`` names what is a constant."""
    state, size = [3], [None if free else 3]
    body = helper.make_graph(
        [n("Add", ["s", "x"], ["t"]), n("Identity", ["t"], ["o"]), n("Identity", ["c"], ["d"])],
        "body",
        [info("i", INT64, []), info("c", BOOL, []), info("s", FLOAT, state)],
        [info("d", BOOL, []), info("t", FLOAT, state), info("o", FLOAT, state)],
    )
    given = {"count": count, "condition": condition}
    arrays = {k: np.array(v) for k, v in given.items() if v is not None}
    names = [k if k in arrays else "" for k in given]
    fed = {"x": np.ones(3, np.float32)} | {k: v for k, v in arrays.items() if k not in known}
    graph = helper.make_graph(
        [n("Loop", [*names, "x"], ["r", "y"], body=body)],
        "graph",
        [info("x", FLOAT, size)]
        + [info(k, INT64 if k == "count" else BOOL, []) for k in fed if k != "x"],
        [info("r", FLOAT, state), info("y", FLOAT, [None, 3])],
        [numpy_helper.from_array(v, k) for k, v in arrays.items() if k in known],
    )
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8), fed


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("known", ["count condition", "count", "condition", ""])
@pytest.mark.parametrize(
    ("count", "condition"), [(None, False), (0, None), (0, True), (-1, True), (3, False), (2, True)]
)
def test_loop(count: int | None, condition: bool | None, known: str, free: bool) -> None:
    made, fed = loop(count, condition, known, free)
    with ann.load(made, ["CpuRef"]) as network:
        found = network.run(fed)
    same(found, theirs(made, fed))
    assert found["y"].shape == (2 if (count, condition) == (2, True) else 0, 3)


@pytest.mark.parametrize("steps", [0, 1, 3])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("free", [False, True])
def test_scan(steps: int, known: bool, free: bool) -> None:
    """Onnxruntime refuses 0 steps; the states then stay, and outputs have the shape (0, 2)."""
    body = helper.make_graph(
        [n("Add", ["s", "e"], ["t"]), n("Identity", ["t"], ["o"])],
        "body",
        [info("s", FLOAT, [2]), info("e", FLOAT, [2])],
        [info("t", FLOAT, [2]), info("o", FLOAT, [2])],
    )
    arrays = {"s": np.full(2, 5, np.float32), "x": np.ones((steps, 2), np.float32)}
    shapes = {"s": [2], "x": [None if free else steps, 2]}
    graph = helper.make_graph(
        [n("Scan", ["s", "x"], ["r", "y"], body=body, num_scan_inputs=1)],
        "graph",
        [] if known else [info(name, FLOAT, shape) for name, shape in shapes.items()],
        [info("r", FLOAT, [2]), info("y", FLOAT, [None, 2])],
        [numpy_helper.from_array(v, k) for k, v in arrays.items()] if known else [],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    with ann.load(made, ["CpuRef"]) as network:
        found = network.run({} if known else arrays)
    rows = 5 + np.arange(1, steps + 1, dtype=np.float32)
    np.testing.assert_array_equal(found["r"], np.full(2, 5 + steps, np.float32))
    np.testing.assert_array_equal(found["y"], np.repeat(rows[:, None], 2, 1))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0)])
@pytest.mark.parametrize("condition", [True, False])
@pytest.mark.parametrize("known", [True, False])
def test_if_without_elements(shape: tuple[int, ...], condition: bool, known: bool) -> None:
    branches = {
        f"{name}_branch": helper.make_graph(
            [n(op, ["x"], [name])], name, [], [info(name, FLOAT, list(shape))]
        )
        for name, op in (("then", "Relu"), ("else", "Neg"))
    }
    fed = {"x": np.zeros(shape, np.float32)} | ({} if known else {"c": np.array(condition)})
    graph = helper.make_graph(
        [n("If", ["c"], ["y"], **branches)],
        "graph",
        [info("x", FLOAT, shape)] + ([] if known else [info("c", BOOL, [])]),
        [info("y", FLOAT, shape)],
        [numpy_helper.from_array(np.array(condition), "c")] if known else [],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    with ann.load(made, ["CpuRef"]) as network:
        same(network.run(fed), theirs(made, fed))
