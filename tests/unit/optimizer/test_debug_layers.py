# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The debug option: Debug layers hand everything on and tell the log what they saw."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

import armnn_py as ann
from armnn_py.optimizer.graph import Graph
from armnn_py.optimizer.pipeline import insert_debug_layers

from .fusions import random_inputs, run, types

if TYPE_CHECKING:
    import pytest


def network_of() -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 4)))
    y = network.add_addition(x, np.full((2, 4), 2.0, np.float32), name="sum")
    halves = network.add_split(y, 2, axis=1, name="split").outputs
    network.add_output("y", network.add_concat([halves[1], halves[0]], axis=1, name="swap"))
    network.add_output("sum", y)
    return network


def test_one_behind_each_output() -> None:
    graph = Graph.from_network(network_of())
    added = insert_debug_layers(graph, backend="CpuRef")
    assert [node.name for node in graph if node.type.label == "Debug"] == [
        "debug x (0)",
        "debug sum (0)",
        "debug split (0)",
        "debug split (1)",
        "debug swap (0)",
    ]
    assert {node.backend for node in added} == {"CpuRef"}
    for node in added:
        (source,) = node.inputs
        assert source is not None
        assert source.user_nodes == [node]
    graph.to_network()[0].validate()
    assert types(graph).count("Debug") == 5


def test_outputs_stay_and_the_log_hears_of_them(caplog: pytest.LogCaptureFixture) -> None:
    network = network_of()
    graph = Graph.from_network(network)
    insert_debug_layers(graph, backend="CpuRef")
    inputs = random_inputs(network)
    with (
        caplog.at_level(logging.DEBUG, logger="armnn_py.native"),
        ann.Runtime(enable_dynamic_backends=False) as runtime,
    ):
        outputs = run(runtime, graph.to_network()[0], inputs)
    total = inputs["x"] + 2
    np.testing.assert_array_equal(outputs["sum"], total)
    np.testing.assert_array_equal(outputs["y"], np.roll(total, 2, axis=1))
    lines = {
        line.split(": ", 1)[0]: line.split(": ", 1)[1]
        for line in caplog.messages
        if line.startswith("debug ")
    }
    assert list(lines) == [
        f"debug {name}" for name in ("x (0)", "sum (0)", "split (0)", "split (1)", "swap (0)")
    ]
    numbers = [word.split(" ") for word in lines["debug sum (0)"].split(", ")]
    assert numbers[0] == ["float32", "2x4"]
    assert [word for word, _ in numbers[1:]] == ["min", "max", "mean"]
    np.testing.assert_allclose(
        [float(number) for _, number in numbers[1:]],
        [total.min(), total.max(), total.astype(np.float64).mean()],
        rtol=1e-7,
    )
