# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Questions about many layers at once: one call where the backend offers it, the same answers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py.backends import Backend, LayerSignature, LayerSupport, ModelOptions, Support
from armnn_py.optimizer.assignment.asking import node_signature
from armnn_py.optimizer.graph import Graph

Journal = Callable[[], list[str]]

OFF = "option 'negate' is off"


@pytest.fixture
def layers() -> list[LayerSignature]:
    """ADD, NEG, ADD of int32, and the first ADD once more."""
    network = ann.Network("many")
    x = network.add_input("x", ann.TensorInfo((4,)))
    i = network.add_input("i", ann.TensorInfo((4,), ann.DataType.SIGNED32))
    first = network.add_addition(x, x)
    network.add_elementwise_unary(first, ann.UnaryOperation.NEG)
    network.add_addition(i, i)
    network.add_addition(x, x)
    return [node_signature(node) for node in Graph.from_network(network) if not node.is_host]


def ask(runtime: ann.Runtime, layers: list[LayerSignature]) -> list[Support]:
    options = ModelOptions({"Services": {"negate": False}}, runtime.backends)
    backend = runtime.backends["Services"]
    with LayerSupport(backend, options.of(backend)) as support:
        return support.ask_many(layers)


def test_one_call(
    runtime: ann.Runtime, services: Backend, layers: list[LayerSignature], journal: Journal
) -> None:
    """Equal layers are one question, and what is known is not asked again."""
    options = ModelOptions({"Services": {"negate": False}}, runtime.backends)
    with LayerSupport(services, options.of(services)) as support:
        answers = support.ask_many(layers)
        again = support.ask_many(layers)
    assert journal()[1:] == ["asked many 3"]
    assert [answer.ok for answer in answers] == [True, False, False, True]
    assert answers[1].reason == OFF
    assert answers[2].reason
    assert again == answers
    with LayerSupport(services, options.of(services)) as support:
        assert [support.ask(layer) for layer in layers] == answers


def test_no_such_function(
    build_services: Callable[..., Path], layers: list[LayerSignature], journal: Journal
) -> None:
    with ann.Runtime(build_services("-DONE_AT_A_TIME")) as runtime:
        journal()
        answers = ask(runtime, layers)
    assert journal()[1:4] == ["asked one"] * 3
    assert [answer.ok for answer in answers] == [True, False, False, True]
    assert answers[1].reason == OFF


def test_a_failure_is_mended(
    runtime: ann.Runtime,
    layers: list[LayerSignature],
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("SERVICES_REFUSES", "are_layers_supported")
    with caplog.at_level(logging.WARNING, logger="armnn_py"):
        answers = ask(runtime, layers)
    assert journal()[1:] == ["asked many 3", *["asked one"] * 3]
    assert [answer.ok for answer in answers] == [True, False, False, True]
    assert "are_layers_supported failed with internal" in caplog.text


@pytest.mark.parametrize(
    ("fault", "first", "second"),
    [
        ("bad-silence", "are_layers_supported gave no answer", OFF),
        ("bad-verdict", "are_layers_supported answered -4: no reason given", OFF),
        ("bad-no-reason", "", "no reason given"),
        ("bad-index", "", OFF),
    ],
)
def test_invalid_values_are_refused_with_a_message(
    runtime: ann.Runtime,
    layers: list[LayerSignature],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: str,
    first: str,
    second: str,
) -> None:
    monkeypatch.setenv("SERVICES_REFUSES", fault)
    with caplog.at_level(logging.WARNING, logger="armnn_py"):
        answers = ask(runtime, layers)
    assert (answers[0].ok, answers[0].reason) == (not first, first)
    assert answers[1] == Support(False, second)
    blamed = f"backend 'Services': {first}; OK or UNSUPPORTED was expected" in caplog.text
    assert blamed is bool(first)


def test_optimize_asks_once(runtime: ann.Runtime, network: ann.Network, journal: Journal) -> None:
    """Two different layers are one question of `optimize`."""
    optimized = ann.optimize(network, ["Services"], runtime=runtime)
    assert {record.backend for record in optimized.assignment} == {"Services"}
    lines = journal()
    assert lines.count("asked many 2") == 1
    assert "asked one" not in lines
