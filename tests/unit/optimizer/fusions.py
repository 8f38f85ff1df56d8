# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shared by the tests of fusions: one pass on a network, and both networks on CpuRef."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import armnn_py as ann
from armnn_py.optimizer import AS_IT_IS
from armnn_py.optimizer.graph import Graph
from armnn_py.optimizer.passes import SIMPLIFYING, Pass, PassLog

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["apply", "evaluator", "pass_named", "random_inputs", "run", "types"]


def run(
    runtime: ann.Runtime, network: ann.Network, inputs: Mapping[str, NDArray[Any]]
) -> dict[str, NDArray[Any]]:
    """The outputs of a network as CpuRef computes it, layer by layer."""
    optimized = ann.optimize(network, ["CpuRef"], runtime=runtime, options=AS_IT_IS)
    with runtime.load_network(optimized) as net:
        return {name: np.array(array) for name, array in net.run(dict(inputs)).items()}


def apply(network: ann.Network, a_pass: Pass, log: PassLog | None = None) -> tuple[Graph, PassLog]:
    """A graph of the network after one pass, and what the pass said."""
    graph = Graph.from_network(network)
    graph.stage = a_pass.name
    log = PassLog() if log is None else log
    a_pass.run(graph, log)
    graph.to_network()[0].validate()
    return graph, log


def pass_named(name: str) -> Pass:
    """A simplifying pass."""
    return next(one for one in SIMPLIFYING if one.name == name)


def types(graph: Graph) -> list[str]:
    """Types of the layers that a backend runs, in order."""
    return [node.type.label for node in graph if not node.is_host]


def random_inputs(network: ann.Network, seed: int = 1) -> dict[str, NDArray[Any]]:
    """Values of both signs for each input."""
    rng = np.random.default_rng(seed)
    return {
        name: rng.standard_normal(info.static_shape).astype(info.dtype)
        for name, info in network.inputs.items()
    }


def evaluator(runtime: ann.Runtime) -> PassLog:
    """A log whose networks of constants CpuRef computes; None where it refuses a layer."""

    def evaluate(network: ann.Network) -> Mapping[str, NDArray[Any]] | None:
        try:
            return run(runtime, network, {})
        except ann.NoBackendForLayerError:
            return None

    return PassLog(evaluate)
