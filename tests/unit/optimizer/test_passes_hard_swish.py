# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The hard-swish, written out in layers as exporters do. Definition: x * clip(x + 3, 0, 6) / 6."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer.passes import PassLog

from .fusions import apply, pass_named, run, types

if TYPE_CHECKING:
    from numpy.typing import NDArray

RECOGNIZE_HARD_SWISH = pass_named("recognize-hard-swish")
F = ann.ActivationFunction
X = np.linspace(-6, 6, 97, dtype=np.float32).reshape(1, 97)


def number(value: float) -> NDArray[np.float32]:
    return np.asarray(value, np.float32)


def clipped(n: ann.Network, x: Any, three: float = 3, six: float = 6, low: float = 0) -> ann.Layer:
    return n.add_activation(n.add_addition(x, number(three)), F.BOUNDED_RELU, six, low)


def hard_sigmoid(n: ann.Network, x: Any) -> ann.Layer:
    return n.add_activation(n.add_activation(x, F.LINEAR, 1 / 6, 0.5), F.BOUNDED_RELU, 1, 0)


WAYS: dict[str, tuple[Callable[[ann.Network, Any], ann.Layer], float]] = {
    "divided before": (
        lambda n, x: n.add_multiplication(x, n.add_division(clipped(n, x), number(6))),
        1,
    ),
    "multiplied before": (
        lambda n, x: n.add_multiplication(n.add_multiplication(number(1 / 6), clipped(n, x)), x),
        1,
    ),
    "hard sigmoid": (lambda n, x: n.add_multiplication(hard_sigmoid(n, x), x), 1),
    "not divided": (lambda n, x: n.add_multiplication(x, clipped(n, x)), 6),
    "clipped around 0": (
        lambda n, x: n.add_multiplication(
            x, n.add_addition(n.add_activation(x, F.BOUNDED_RELU, 3, -3), number(3))
        ),
        6,
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_recognised(runtime: ann.Runtime, way: str) -> None:
    make, factor = WAYS[way]
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(X.shape))
    network.add_output("y", make(network, x))
    graph, log = apply(network, RECOGNIZE_HARD_SWISH)
    assert types(graph) == ["Activation"] * (1 if factor == 1 else 2)
    assert len(log.changes) == 1
    # What becomes of a factor later, the layers went into the hard-swish itself.
    swish, *scale = [node for node in graph if not node.is_host]
    assert {origin.guid for origin in swish.origins} == {
        layer.guid
        for layer in network.layers
        if layer.type.label not in ("Input", "Output", "Constant")
    }
    assert [node.origins for node in scale] == [()] * len(scale)
    (y,) = run(runtime, graph.to_network()[0], {"x": X}).values()
    expected = X.astype(np.float64) * np.clip(X + 3.0, 0, 6) / 6 * factor
    np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-6)


NEARLY: dict[str, Callable[[ann.Network, Any], ann.Layer]] = {
    "another shift": lambda n, x: n.add_multiplication(x, clipped(n, x, three=2.9)),
    "another bound": lambda n, x: n.add_multiplication(x, clipped(n, x, six=5)),
    "another low bound": lambda n, x: n.add_multiplication(x, clipped(n, x, low=-1)),
    "a sum": lambda n, x: n.add_addition(x, clipped(n, x)),
    "a square": lambda n, x: n.add_multiplication(*[clipped(n, x)] * 2),
    "of something else": lambda n, x: n.add_multiplication(
        n.add_activation(x, F.TANH, 1, 1), clipped(n, x)
    ),
    "always open": lambda n, x: n.add_multiplication(
        x, n.add_activation(n.add_activation(x, F.LINEAR, 0, 1), F.BOUNDED_RELU, 6, 0)
    ),
    "falling": lambda n, x: n.add_multiplication(
        x, n.add_activation(n.add_subtraction(number(3), x), F.BOUNDED_RELU, 6, 0)
    ),
}


@pytest.mark.parametrize("way", NEARLY)
def test_not_recognised(way: str) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(X.shape))
    network.add_output("y", NEARLY[way](network, x))
    assert not apply(network, RECOGNIZE_HARD_SWISH)[1].changes


def test_a_gate_that_others_read_stays() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(X.shape))
    gate = hard_sigmoid(network, x)
    network.add_output("y", network.add_multiplication(x, gate))
    network.add_output("gate", gate)
    assert not apply(network, RECOGNIZE_HARD_SWISH)[1].changes


def test_not_where_a_backend_has_only_the_parts() -> None:
    """A layer of the first choice is not replaced by one that only a later choice has."""

    def rank_of(swish: int | None) -> Callable[[Any], int | None]:
        def rank(node: Any) -> int | None:
            return swish if getattr(node.descriptor, "function", None) is F.HARD_SWISH else 0

        return rank

    for rank, changes in ((0, 1), (1, 0), (None, 0)):
        network = ann.Network()
        x = network.add_input("x", ann.TensorInfo(X.shape))
        network.add_output("y", WAYS["not divided"][0](network, x))
        graph, log = apply(network, RECOGNIZE_HARD_SWISH, PassLog(rank_of=rank_of(rank)))
        assert len(log.changes) == changes
        assert ("ElementwiseBinary" in types(graph)) == (not changes)
