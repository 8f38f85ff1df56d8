# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Run by test_growth.py in a host that is one minor version ahead of the backend 'Old'.

Prints what happened as JSON; the backends' own journal is the test's to read.
"""

from __future__ import annotations

import json
import os
import sys
from types import SimpleNamespace
from typing import Any

import armnn_py as ann
from armnn_py._native.layers.subgraph import LayerData, LayerView
from armnn_py._native.table.tensor_handles import TensorHandleFactory
from armnn_py.backends import LayerSupport
from armnn_py.backends.questions.layer_support import LayerSignature
from armnn_py.descriptors import ActivationDescriptor, SoftmaxDescriptor
from armnn_py.optimizer.graph import Graph
from armnn_py.types import ActivationFunction, DataType, LayerType

INFO = ann.TensorInfo((2, 3))
LATER = ann.TensorInfo((2, 3), DataType.REHEARSAL64)  # type: ignore[attr-defined]
KNOWN = (LayerType.ACTIVATION, ActivationDescriptor(ActivationFunction.RELU), INFO)
NEW: dict[str, tuple[LayerType, Any, ann.TensorInfo]] = {
    "layer": (LayerType.REHEARSAL, None, INFO),  # type: ignore[attr-defined]
    "data type": (LayerType.ACTIVATION, ActivationDescriptor(ActivationFunction.RELU), LATER),
    "enumerator": (
        LayerType.ACTIVATION,
        ActivationDescriptor(ActivationFunction.REHEARSAL),  # type: ignore[attr-defined]
        INFO,
    ),
    "field": (LayerType.SOFTMAX, SoftmaxDescriptor(rehearsal=1.0), INFO),
}


def network_of(*layers: tuple[LayerType, Any, ann.TensorInfo]) -> ann.Network:
    network = ann.Network()
    for number, (kind, descriptor, info) in enumerate(layers):
        x = network.add_input(f"x{number}", info)
        y = network.add_layer(kind, [x], descriptor, name=f"layer {number}")
        network.add_output(f"y{number}", y)
    return network


def outcome(call: Any) -> str:
    try:
        call()
    except ann.ArmnnError as error:
        return str(error)
    return "done"


def main(folder: str) -> None:
    told: dict[str, Any] = {}
    with ann.Runtime(dynamic_backends_path=folder, bundled_backends=False) as runtime:
        old, new = (runtime.backends[name] for name in ("Old", "New"))
        # Asked one by one, and many at once.
        for what, (kind, descriptor, info) in NEW.items():
            told[what] = {
                b.id: b.supports(kind, [info], [info], descriptor).reason for b in (old, new)
            }
        told["known"] = bool(old.supports(KNOWN[0], [INFO], [INFO], KNOWN[1]))
        signatures = [
            LayerSignature(kind, descriptor, (info,), (info,), (False,))
            for kind, descriptor, info in (KNOWN, *NEW.values(), KNOWN)
        ]
        with LayerSupport(old) as support:
            told["many"] = [bool(answer) for answer in support.ask_many(signatures)]
        # A network of both: 'Old' compiles the layers that it knows, 'New' the others.
        layers = [KNOWN, *NEW.values()]
        optimized = ann.optimize(network_of(*layers), ["Old", "New"], runtime=runtime)
        told["assignment"] = [layer.backend for layer in optimized.assignment]
        told["alone"] = outcome(
            lambda: ann.optimize(network_of(*NEW.values()), ["Old"], runtime=runtime)
        )
        # What got past layer support meets the next filter: nodes given to 'Old' by force.
        told["forced"] = forced(runtime, old)
        os.environ["GROWTH_REPLACE"] = str(int(NEW["layer"][0]))
        told["replaced"] = outcome(
            lambda: ann.optimize(network_of(KNOWN), ["Old"], runtime=runtime)
        )
        told["replaced by New"] = outcome(
            lambda: ann.optimize(network_of(KNOWN), ["New"], runtime=runtime)
        )
        told["neighbours"] = {what: is_shown(old, layer) for what, layer in NEW.items()}
        told["neighbours"]["known"] = is_shown(old, KNOWN)
    print(json.dumps(told))


def is_shown(backend: Any, layer: tuple[LayerType, Any, ann.TensorInfo]) -> bool:
    """Whether a handle factory of a backend is asked about a tensor that it shares with a layer."""
    calls: list[Any] = []
    factory = TensorHandleFactory.__new__(TensorHandleFactory)
    factory._api = SimpleNamespace(get_capabilities=lambda *views: calls.append(views) or 0)
    factory._object, factory._backend_api = None, backend.api
    forbidden = factory.forbids_import(view_of(KNOWN), view_of(layer))
    assert forbidden is not bool(calls)
    return bool(calls)


def view_of(layer: tuple[LayerType, Any, ann.TensorInfo]) -> LayerView:
    kind, descriptor, info = layer
    data = LayerData(kind, "layer", descriptor, ((0, 0),), (info,), (None,), (info,), None, 0)
    return LayerView(data)


def forced(runtime: ann.Runtime, old: Any) -> list[str]:
    """Let 'Old' optimise sub-graphs of a graph whose layers are all its own, asked or not."""
    from armnn_py.optimizer.subgraphs.optimize_subgraphs import optimize_subgraphs

    graph = Graph.from_network(network_of(KNOWN, *NEW.values()))
    for node in graph.nodes:
        if not node.is_host:
            node.backend = "Old"
    records = optimize_subgraphs(graph, [old], replace=lambda *_: None)
    return [change for record in records for change in record.changes]


main(sys.argv[1])
