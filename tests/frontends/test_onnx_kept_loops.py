# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which loops `load` keeps as loops, and which become layers; numbers by onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto

import armnn_py as ann
from tests.frontends.beside_onnxruntime import same, theirs
from tests.frontends.test_onnx_apart import TURN, data, graph, model, n

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
ROW = (1, 5)
X = {"x": (FLOAT, ROW)}
CONSTANTS = {
    "count": np.int64(40), "one": np.int64([1]), "half": np.float32(0.5), "zero": np.int64([0]),
    "three": np.int64(3), "limit": np.float32(1),
}  # fmt: skip
NEXT = [
    n("MatMul", ["a", "weights"], ["turned"]), n("Add", ["turned", "x"], ["sum"]),
    n("Tanh", ["sum"], ["next"]),
]  # fmt: skip
STATE = {"a": (FLOAT, ROW)}
CHOICE = n(
    "If", ["is_low"], ["next"],
    then_branch=graph([n("Exp", ["turned"], ["e"])], {}, {"e": (FLOAT, ROW)}),
    else_branch=graph([n("Tanh", ["turned"], ["t"])], {}, {"t": (FLOAT, ROW)}),
)  # fmt: skip
INNER = graph(
    [n("Mul", ["b", "half"], ["c"]), n("Sin", ["c"], ["s"]), n("Identity", ["g"], ["more"])],
    {"t": (INT64, []), "g": (BOOL, []), "b": (FLOAT, ROW)}, {"more": (BOOL, []), "s": (FLOAT, ROW)},
)  # fmt: skip
ON = n("Identity", ["goes"], ["on"])

#: Nodes, states, what they are after a turn, the inputs of the loop, and the number of stages.
BODIES: dict[str, tuple[list[Any], Any, Any, list[str], int]] = {
    "a state": ([*NEXT, ON], STATE, {"next": (FLOAT, ROW)}, ["x"], 1),
    "an If that values of the input decide": (
        [NEXT[0], n("ReduceMax", ["a"], ["top"], keepdims=0),
         n("Less", ["top", "limit"], ["is_low"]), CHOICE, ON],
        STATE, {"next": (FLOAT, ROW)}, ["x"], 0,
    ),
    "a small loop": (
        [n("Loop", ["three", "", "a"], ["low"], body=INNER), n("Add", ["low", "x"], ["next"]), ON],
        STATE, {"next": (FLOAT, ROW)}, ["x"], 1,
    ),
    "a loop of many layers": (
        [n("Loop", ["count", "", "a"], ["low"], body=INNER), n("Add", ["low", "x"], ["next"]), ON],
        STATE, {"next": (FLOAT, ROW)}, ["x"], 1,
    ),
    "states that change places": (
        [*NEXT, n("Identity", ["b"], ["other"]), ON], STATE | {"b": (FLOAT, ROW)},
        {"other": (FLOAT, ROW), "next": (FLOAT, ROW)}, ["x", "x"], 1,
    ),
    "a state that grows": (
        [n("ReduceMax", ["a"], ["best"], axes=[0]), n("Concat", ["a", "best"], ["next"], axis=0),
         ON],
        {"a": (FLOAT, ["r", 5])}, {"next": (FLOAT, ["r", 5])}, ["x"], 0,
    ),
    "a slice up to the number of the turn": (
        [*NEXT, n("Add", ["turn", "one"], ["end"]),
         n("Slice", ["ramp", "zero", "end"], ["some"]), n("ReduceSum", ["some"], ["all"]),
         n("Add", ["next", "all"], ["later"]), ON],
        STATE, {"later": (FLOAT, ROW)}, ["x"], 0,
    ),
}  # fmt: skip


def looped(case: str, shape: Any = ROW) -> onnx.ModelProto:
    nodes, states, after, inputs, _ = BODIES[case]
    body = graph(nodes, TURN | states, {"on": (BOOL, [])} | after)
    outputs = [f"y{index}" for index in range(len(after))]
    constants = CONSTANTS | {"weights": data(3, (5, 5)), "ramp": np.arange(100, dtype=np.float32)}
    return model(
        [n("Loop", ["count", "", *inputs], outputs, body=body)], {"x": (FLOAT, shape)},
        {name: (FLOAT, ["r", 5]) for name in outputs}, constants,
    )  # fmt: skip


@pytest.mark.parametrize("backends", [["CpuRef"], ["CpuAcc", "CpuRef"]], ids="+".join)
@pytest.mark.parametrize("case", BODIES)
def test_a_loop_of_40_turns(case: str, backends: list[str]) -> None:
    made, given = looped(case), {"x": data(1, ROW)}
    wanted = theirs(made, given)
    with ann.load(made, backends) as network:
        same(network.run(given), wanted)
        assert network.assignment.stages == BODIES[case][4]
        if case != "a loop of many layers":  # in each turn of another: 3,200 written out
            with network.bind(given) as bound:
                same(dict(bound.run()), wanted)


def test_a_network_that_is_kept() -> None:
    """It has the turns as layers: it can be saved, and compared layer by layer."""
    network = ann.import_model(looped("a state"))
    assert not network.stages
    assert len(network.layers) > 100


def test_a_cache_of_networks(tmp_path: Path) -> None:
    made, given = looped("a state").SerializeToString(), {"x": data(1, ROW)}
    found = []
    for _ in range(2):
        with ann.load(made, ["CpuRef"], cache=tmp_path) as network:
            assert not network.assignment.stages
            found.append(network.run(given)["y0"])
    np.testing.assert_array_equal(found[0], found[1])
    assert list(tmp_path.iterdir())


def test_a_short_loop() -> None:
    made, given = looped("a state"), {"x": data(1, ROW)}
    made.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(np.int64(8), "count"))
    with ann.load(made, ["CpuRef"]) as network:
        same(network.run(given), theirs(made, given))
        assert not network.assignment.stages


def test_a_loop_with_known_numbers() -> None:
    """Its results are constants."""
    made = looped("a state")
    del made.graph.input[:]
    made.graph.initializer.append(onnx.numpy_helper.from_array(data(1, ROW), "x"))
    with ann.load(made, ["CpuRef"]) as network:
        same(network.run({}), theirs(made, {}))
        assert not network.assignment.stages


def test_a_loop_beside_others() -> None:
    """Three loops, of which one is written out: the others stay loops."""
    made = looped("a state")
    first = made.graph.node[0]
    for number, case in enumerate(["a slice up to the number of the turn", "a small loop"], 2):
        other = looped(case).graph.node[0]
        other.name, other.output[0] = f"loop{number}", f"z{number}"
        other.input[2] = first.output[0]
        made.graph.node.append(other)
        made.graph.output.append(onnx.helper.make_tensor_value_info(f"z{number}", FLOAT, ROW))
    given = {"x": data(1, ROW)}
    with ann.load(made, ["CpuRef"]) as network:
        same(network.run(given), theirs(made, given))
        assert network.assignment.stages > 1


def test_arrays_that_are_bound_before_a_run() -> None:
    """Of a scan whose length is free: the stages are not known then."""
    body = graph(
        [*NEXT[:1], n("Add", ["turned", "row"], ["sum"]), n("Tanh", ["sum"], ["next"])],
        STATE | {"row": (FLOAT, ROW)}, {"next": (FLOAT, ROW)},
    )  # fmt: skip
    made = model(
        [n("Scan", ["x", "rows"], ["y"], body=body, num_scan_inputs=1)],
        X | {"rows": (FLOAT, ["n", *ROW])}, {"y": (FLOAT, ROW)}, {"weights": data(3, (5, 5))},
    )  # fmt: skip
    with ann.load(made, ["CpuRef"]) as network:
        network.prepare({"n": 200})
        for length in (200, 3):
            given = {"x": data(1, ROW), "rows": data(length, (length, *ROW))}
            with network.bind(given) as bound:
                same(dict(bound.run()), theirs(made, given))
            same(network.run(given), theirs(made, given))
