# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Every pass alone, and all of them in a row, keep the outputs of random networks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer import AS_IT_IS
from armnn_py.optimizer.assignment.candidates import pin_nodes
from armnn_py.optimizer.graph import Graph
from armnn_py.optimizer.passes import SIMPLIFYING, Pass, PassLog
from armnn_py.optimizer.run_passes import run_passes
from armnn_py.testing.random_networks import random_inputs, random_network
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def run_as_it_is(
    runtime: ann.Runtime, network: ann.Network, inputs: dict[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    optimized = ann.optimize(network, ["CpuRef"], runtime=runtime, options=AS_IT_IS)
    with runtime.load_network(optimized) as net:
        return {name: np.array(array) for name, array in net.run(inputs).items()}


_EXPECTED: dict[int, tuple[ann.Network, dict[str, NDArray[Any]], dict[str, NDArray[Any]]]] = {}


def expected_of(
    runtime: ann.Runtime, seed: int
) -> tuple[ann.Network, dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """The network of a seed, inputs, and outputs without passes; made once."""
    if seed not in _EXPECTED:
        network = random_network(seed)
        inputs = random_inputs(network, seed)
        _EXPECTED[seed] = network, inputs, run_as_it_is(runtime, network, inputs)
    return _EXPECTED[seed]


def compare(runtime: ann.Runtime, seed: int, passes: Sequence[Pass]) -> Counter[str]:
    """Compare outputs without and with passes; returns how often each found work."""
    network, inputs, expected = expected_of(runtime, seed)
    graph = Graph.from_network(network)
    records = run_passes(
        graph, passes, evaluate=lambda part: run_as_it_is(runtime, part, {}), validate=True
    )
    result, _ = graph.to_network()
    result.validate()
    assert result.inputs == network.inputs
    assert result.outputs == network.outputs
    for name, array in run_as_it_is(runtime, result, inputs).items():
        np.testing.assert_allclose(
            array, expected[name], rtol=1e-4, atol=1e-5, err_msg=f"seed {seed}, output {name}"
        )
    return Counter({record.name: len(record.changes) for record in records})


#: These networks have no quantised tensors: test_passes_quantized_layers.py has; nor backends to
#: ask, which the other one goes by: test_passes_write_out_lstm.py has.
_ELSEWHERE = ("make-quantized-layers", "write-out-attention", "write-out-lstm")
ON_FLOATS = [one for one in SIMPLIFYING if one.name not in _ELSEWHERE]


@pytest.mark.exhaustive(kept=5)
@pytest.mark.parametrize("one", ON_FLOATS, ids=lambda one: one.name)
def test_each_pass_keeps_outputs(runtime: ann.Runtime, one: Pass) -> None:
    changes: Counter[str] = Counter()
    for seed in range(30):
        changes += compare(runtime, seed, [one])
    assert changes[one.name]


@pytest.mark.exhaustive
def test_all_passes_keep_outputs(runtime: ann.Runtime) -> None:
    for seed in range(100, 160):
        compare(runtime, seed, SIMPLIFYING)


def test_any_order_of_passes_keeps_outputs(runtime: ann.Runtime) -> None:
    for seed in range(200, 230):
        shuffled = np.random.default_rng(seed).permutation(len(SIMPLIFYING)).tolist()
        compare(runtime, seed, [SIMPLIFYING[index] for index in shuffled])


def test_networks_are_the_same_each_time() -> None:
    first, second = (repr(random_network(7).layers) for _ in range(2))
    assert first == second != repr(random_network(8).layers)


def test_passes_come_to_rest() -> None:
    """No two of them undo each other's work for ever."""
    for seed in range(300, 330):
        graph = Graph.from_network(random_network(seed))
        for _ in range(4):
            run_passes(graph, SIMPLIFYING)
        assert not any(record.changes for record in run_passes(graph, SIMPLIFYING)), seed


@pytest.mark.exhaustive
def test_no_pass_mixes_layers_with_rules_of_their_own() -> None:
    """A node runs where each layer in it is wanted; one that nobody asked for goes along."""
    for seed in range(400, 430):
        rng = np.random.default_rng(seed)
        network = random_network(seed)
        rules = tuple(
            ann.PlacementRule("AB"[rng.integers(2)], layer.name, strict=bool(rng.integers(2)))
            for layer in network.layers
            if not FACTS[layer.type].host and rng.random() < 0.4
        )
        graph, placement = Graph.from_network(network), ann.Placement(rules)
        pin_nodes(graph, placement)
        pins = {origin: node.pin for node in graph for origin in node.origins}
        records = run_passes(graph, SIMPLIFYING, validate=True)
        assert any(record.changes for record in records)
        for node in graph:
            for origin in node.origins:
                wanted = pins[origin]
                if wanted.backends and not node.is_host:
                    assert node.pin.backends == wanted.backends, (seed, node, origin)
                    assert node.pin.is_strict or not wanted.is_strict, (seed, node, origin)


@pytest.mark.exhaustive
def test_a_pass_does_nothing_without_the_layers_that_it_begins_at(runtime: ann.Runtime) -> None:
    left_out: Counter[str] = Counter()
    for seed in range(500, 740):
        network = random_network(seed, 70 if seed % 6 == 0 else 1 + seed % 12)
        for one in SIMPLIFYING:
            graph = Graph.from_network(network)
            if one.may_change(graph):
                continue
            log = PassLog(lambda part: run_as_it_is(runtime, part, {}))
            before = list(graph.nodes)
            one.run(graph, log)
            assert not log.changes, (seed, one.name)
            assert graph.nodes == before
            left_out[one.name] += 1
    assert set(left_out) == {one.name for one in SIMPLIFYING if one.types or one.begins_at}
