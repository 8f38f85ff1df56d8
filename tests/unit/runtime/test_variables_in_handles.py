# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Variables in memory of a backend."""

from __future__ import annotations

import numpy as np
import pytest

import armnn_py as ann

from .counters import ONE
from .kinds import Journal, Load, MakeRuntime


@pytest.fixture
def load_handles(make_runtime: MakeRuntime) -> Load:
    """Load a network on the backend "Handle", built with some defines, and CpuRef."""

    def load(network: ann.Network, *defines: str) -> ann.LoadedNetwork:
        runtime = make_runtime("handle", *defines)
        return ann.load(network, ["Handle", "CpuRef"], runtime=runtime)

    return load


def negated_in_memory(*, host_reads: bool = False) -> ann.Network:
    """A variable that a backend with memory of its own negates in each run."""
    network = ann.Network("device")
    h = network.add_variable("h", ann.TensorInfo((4,)), ONE * 3)
    network.assign(h, network.add_elementwise_unary(h, ann.UnaryOperation.NEG, backend="Handle"))
    x = network.add_input("x", ann.TensorInfo((4,)))
    y = network.add_addition(x, h if host_reads else x, backend="CpuRef")
    network.add_output("y", y)
    return network


def test_variables_stay_in_memory_of_their_backend(load_handles: Load, journal: Journal) -> None:
    net = load_handles(negated_in_memory())
    net.run(ONE)
    journal()
    for _ in range(5):
        net.run(ONE)
    assert not [line for line in journal() if line.startswith("copy")]
    assert net.state["h"][0] == 3
    net.run(ONE)
    assert net.state["h"][0] == -3
    net.state["h"] = ONE * 8
    net.run(ONE)
    assert net.state["h"][0] == -8
    net.reset_state()
    assert net.state["h"][0] == 3
    assert {line.rpartition(" ")[0] for line in journal()} == {"copy in", "copy out"}


def test_a_reader_on_the_host(load_handles: Load) -> None:
    net = load_handles(negated_in_memory(host_reads=True))
    assert [net.run(ONE)["y"][0] for _ in range(4)] == [4, -2, 4, -2]


def test_a_variable_in_backend_memory_fed_from_the_host(
    load_handles: Load,
) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    h = network.add_variable("h", ann.TensorInfo((4,)), ONE)
    k = network.add_variable("k", ann.TensorInfo((4,)))
    network.assign(h, x)
    network.assign(k, h)
    for name, layer in (("h", h), ("k", k)):
        first = network.add_elementwise_unary(layer, ann.UnaryOperation.NEG, backend="Handle")
        network.add_output(name, first)
    net = load_handles(network)
    h_value, k_value = 1.0, 0.0
    for value in (5.0, 6.0, 7.0):
        found = net.run(ONE * np.float32(value))
        assert (found["h"][0], found["k"][0]) == (-h_value, -k_value)
        h_value, k_value = value, h_value
    assert (net.state["h"][0], net.state["k"][0]) == (7, 6)
