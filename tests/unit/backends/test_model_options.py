# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Model options: checked against what a backend understands, and handed to all that want them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import armnn_py as ann
from armnn_py._native.table.workloads import NativeWorkloadFactory
from armnn_py.backends import Backend, LayerSupport, ModelOptions
from armnn_py.optimizer.assignment.asking import node_signature
from armnn_py.optimizer.graph import Graph

Journal = Callable[[], list[str]]


def test_values(runtime: ann.Runtime, services: Backend) -> None:
    options = ModelOptions({"Services": {"effort": 9}, "CpuRef": {}}, runtime.backends)
    assert options.values_of(services) == {"effort": 9}
    assert options.of(services) is not None
    assert options.of(runtime.backends["CpuRef"]) is None
    assert ModelOptions(None, runtime.backends).of(services) is None


def test_defaults(services: Backend, runtime: ann.Runtime) -> None:
    assert services.model_options == {"negate": True, "effort": 3}
    assert runtime.backends["CpuRef"].model_options == {}


def test_unknown_name(runtime: ann.Runtime) -> None:
    with pytest.raises(ann.UnknownNameError) as caught:
        ModelOptions({"Services": {"efort": 1}}, runtime.backends)
    assert str(caught.value).splitlines() == [
        "model_options['Services']: option 'efort' is unknown",
        "  valid names: negate, effort",
        "hint: did you mean 'effort'?",
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"Services": {"effort": "much"}}, "option 'effort' is 'much', a value of type uint"),
        ({"Services": {"effort": -1}}, "option 'effort' is -1, a value of type uint from 0 to"),
        ({"Services": 3}, r"model_options\['Services'\]: int given, a mapping of names to values"),
        (["Services"], "model_options: list given, a mapping of ids to options expected"),
        ({"CpuRef": {"fast": True}}, r"model_options\['CpuRef'\]: option 'fast' is unknown"),
        ({"Servces": {}}, "backend 'Servces' is not loaded"),
    ],
    ids=["type", "range", "no values", "no mapping", "none at all", "unknown backend"],
)
def test_mistakes(runtime: ann.Runtime, options: Any, words: str) -> None:
    with pytest.raises((ann.InvalidArgumentError, ann.BackendNotFoundError), match=words):
        ModelOptions(options, runtime.backends)


def test_a_backend_that_does_not_say_them(
    runtime: ann.Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICES_REFUSES", "get_model_option_defaults")
    with pytest.raises(
        ann.BackendError, match=r"'Services': get_model_option_defaults failed: .* says no"
    ):
        ModelOptions({"Services": {"effort": 1}}, runtime.backends)


def test_layer_support_gets_them(
    runtime: ann.Runtime, services: Backend, network: ann.Network, journal: Journal
) -> None:
    add, neg = map(node_signature, Graph.from_network(network).nodes[1:3])
    options = ModelOptions({"Services": {"negate": False, "effort": 5}}, runtime.backends)
    with LayerSupport(services, options.of(services)) as support:
        assert journal() == ["support model options: negate=0 effort=5"]
        assert support.ask(add)
        assert support.ask(neg).reason == "option 'negate' is off"
    with LayerSupport(services) as support:
        assert journal()[-1] == "no model options"
        assert support.ask(neg)


def test_workload_factory_gets_them(
    runtime: ann.Runtime, services: Backend, journal: Journal
) -> None:
    options = ModelOptions({"Services": {"effort": 7}}, runtime.backends)
    factory = NativeWorkloadFactory(
        "Services", services.api, services.instance, options.of(services)
    )
    factory.destroy()
    assert journal() == [
        "model model options: effort=7",
        "factory model options: effort=7",
        "factory with a model",
    ]
    factory.destroy_parents()
    factory.destroy_parents()
    assert journal() == ["model gone"]


def test_a_model_context_for_each_network(
    runtime: ann.Runtime, network: ann.Network, journal: Journal
) -> None:
    net = ann.load(network, ["Services"], runtime=runtime)
    assert "factory with a model" in journal()
    assert "model gone" not in journal()
    net.close()
    assert journal() == ["model gone"]


def test_no_model_context(
    runtime: ann.Runtime,
    network: ann.Network,
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SERVICES_REFUSES", "bad-no-model")
    ann.load(network, ["Services"], runtime=runtime).close()
    lines = journal()
    assert "factory without a model" in lines
    assert "model gone" not in lines


def test_a_model_context_that_cannot_be_made(
    runtime: ann.Runtime, network: ann.Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICES_REFUSES", "create_model_context")
    with pytest.raises(ann.BackendError) as caught:
        ann.load(network, ["Services"], runtime=runtime)
    assert "backend 'Services': create_model_context failed" in str(caught.value)
    assert "create_model_context says no" in str(caught.value)
    assert runtime.networks == ()


def test_an_object_that_is_not_a_model_context(
    build_services: Callable[..., Path], network: ann.Network, journal: Journal
) -> None:
    folder = build_services("-DOBJECT_TAG(tag)=(tag == ARMNN_STRUCT_MODEL_CONTEXT ? 7 : tag)")
    with (
        ann.Runtime(folder) as runtime,
        pytest.raises(ann.BackendError, match="table has tag 0x00000007"),
    ):
        ann.load(network, ["Services"], runtime=runtime)
