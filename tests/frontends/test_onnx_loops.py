# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Loops and scans whose turns the native executor runs at once; by onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto

import armnn_py as ann
from armnn_py.runtime.stages.bodies import Bodies
from tests.frontends.beside_onnxruntime import same, theirs
from tests.frontends.test_onnx_apart import TURN, data, graph, model, n

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
BACKENDS = [["CpuRef"], ["CpuAcc", "CpuRef"]]
ROW = (1, 5)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns that run one by one fail."""

    def refuse(*_: Any) -> Any:
        raise AssertionError("a body ran by itself")

    monkeypatch.setattr(Bodies, "__call__", refuse)


def body_of_a_loop(*, ends: bool) -> onnx.GraphProto:
    """A body with two states, of which one is handed on twice, and values of all turns."""
    nodes = [
        n("Add", ["a", "around"], ["sum"]), n("Mul", ["sum", "half"], ["next"]),
        n("Cast", ["turn"], ["number"], to=FLOAT), n("Add", ["b", "number"], ["other"]),
        n("ReduceSum", ["other"], ["seen"], keepdims=0),
        n("Less", ["seen", "limit"], ["on"]) if ends else n("Identity", ["goes"], ["on"]),
    ]  # fmt: skip
    return graph(
        nodes, TURN | {"a": (FLOAT, ROW), "b": (FLOAT, ROW), "kept": (FLOAT, ROW)},
        {"on": (BOOL, []), "next": (FLOAT, ROW), "other": (FLOAT, ROW), "kept": (FLOAT, ROW),
         "seen": (FLOAT, []), "number": (FLOAT, [])},
    )  # fmt: skip


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("backends", BACKENDS, ids="+".join)
@pytest.mark.parametrize("ends", [False, True], ids=["counted", "ended by data"])
def test_a_loop(backends: list[str], *, ends: bool) -> None:
    """Of 1,500 turns, or of as many as data decide: more than memory is taken for at first."""
    loop = n(
        "Loop", ["", "yes", "x", "x", "x"] if ends else ["count", "", "x", "x", "x"],
        ["a", "b", "kept", "seen", "numbers"], body=body_of_a_loop(ends=ends),
    )  # fmt: skip
    made = model(
        [n("Relu", ["input"], ["x"]), n("Exp", ["x"], ["around"]), loop], {"input": (FLOAT, ROW)},
        {"a": (FLOAT, ROW), "b": (FLOAT, ROW), "kept": (FLOAT, ROW), "seen": (FLOAT, ["n"]),
         "numbers": (FLOAT, ["n"])},
        {"count": np.int64(1500), "yes": np.array(True), "half": np.float32(0.5),
         "limit": np.float32(60_000)},
    )  # fmt: skip
    with ann.load(made, backends) as network:
        for seed in range(2):
            given = {"input": data(seed, ROW)}
            found = network.run(given)
            assert len(found["seen"]) > 100
            same(found, theirs(made, given))


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("backends", BACKENDS, ids="+".join)
def test_a_count_that_data_decide(backends: list[str]) -> None:
    loop = n(
        "Loop", ["count", "", "x", "x", "x"], ["a", "b", "kept", "seen", "numbers"],
        body=body_of_a_loop(ends=False),
    )  # fmt: skip
    nodes = [
        n("Relu", ["input"], ["x"]), n("Exp", ["x"], ["around"]),
        n("ReduceSum", ["big"], ["total"], keepdims=0), n("Cast", ["total"], ["count"], to=INT64),
        loop,
    ]  # fmt: skip
    made = model(
        nodes, {"input": (FLOAT, ROW), "big": (FLOAT, (200, 100))},
        {"a": (FLOAT, ROW), "b": (FLOAT, ROW), "seen": (FLOAT, ["n"])},
        {"half": np.float32(0.5)},
    )  # fmt: skip
    with ann.load(made, backends) as network:
        for count in (1, 7, 300):
            big = np.zeros((200, 100), np.float32)
            big[0, 0] = count
            given = {"input": data(count, ROW), "big": big}
            same(network.run(given), theirs(made, given))


def scan_model(shape: Any, axis: int, backward: int) -> onnx.ModelProto:
    body = graph(
        [n("MatMul", ["state", "weights"], ["turned"]), n("Add", ["turned", "row"], ["sum"]),
         n("Tanh", ["sum"], ["next"]), n("Neg", ["next"], ["out"]),
         n("ReduceMax", ["row"], ["top"], keepdims=0)],
        {"state": (FLOAT, ROW), "row": (FLOAT, ROW)},
        {"next": (FLOAT, ROW), "out": (FLOAT, ROW), "top": (FLOAT, [])},
    )  # fmt: skip
    scan = n(
        "Scan", ["first", "x"], ["last", "all", "tops"], body=body, num_scan_inputs=1,
        scan_input_axes=[axis], scan_input_directions=[backward],
        scan_output_axes=[axis, 0], scan_output_directions=[1 - backward, backward],
    )  # fmt: skip
    return model(
        [scan], {"first": (FLOAT, ROW), "x": (FLOAT, shape)},
        {"last": (FLOAT, ROW), "all": (FLOAT, None), "tops": (FLOAT, ["n"])},
        {"weights": data(5, (5, 5))},
    )  # fmt: skip


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("backends", BACKENDS, ids="+".join)
@pytest.mark.parametrize("backward", [0, 1])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("free", [False, True], ids=["known", "free"])
def test_a_scan(backends: list[str], axis: int, backward: int, *, free: bool) -> None:
    def shape(length: Any) -> list[Any]:
        sizes: list[Any] = [*ROW]
        sizes.insert(axis, length)
        return sizes

    made = scan_model(shape("n" if free else 1100), axis, backward)
    made.graph.output[1].type.tensor_type.shape.CopyFrom(
        onnx.TensorShapeProto(dim=[onnx.TensorShapeProto.Dimension()] * 3)
    )
    with ann.load(made, backends) as network:
        for length in (1100, 1500, 1) if free else (1100,):
            given = {"first": data(1, ROW), "x": data(length, shape(length))}
            same(network.run(given), theirs(made, given))


@pytest.mark.usefixtures("at_once")
def test_a_loop_that_is_stopped() -> None:
    body = graph(
        [n("Add", ["a", "half"], ["next"]), n("ReduceMin", ["next"], ["low"], keepdims=0),
         n("Greater", ["low", "half"], ["on"])],
        TURN | {"a": (FLOAT, ROW)}, {"on": (BOOL, []), "next": (FLOAT, ROW)},
    )  # fmt: skip
    made = model(
        [n("Relu", ["x"], ["r"]), n("Loop", ["", "yes", "r"], ["y"], body=body)],
        {"x": (FLOAT, ROW)}, {"y": (FLOAT, ROW)},
        {"yes": np.array(True), "half": np.float32(0.5)},
    )  # fmt: skip
    given = np.ones(ROW, np.float32)
    with ann.load(made, ["CpuRef"]) as network:
        with pytest.raises(ann.ExecutionTimeoutError, match=r"not done after 0\.1 s"):
            network.run(given, timeout=0.1)
        token = ann.CancelToken()
        token.cancel()
        with pytest.raises(ann.ExecutionCancelledError):
            network.run(given, cancel=token)
