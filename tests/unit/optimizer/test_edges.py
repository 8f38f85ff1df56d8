# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Edge strategies: which memory each tensor lies in, and how few copies that takes."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

import pytest

from armnn_py import ActivationFunction, BackendError, Network, TensorInfo
from armnn_py._native.layers.subgraph import LayerView
from armnn_py.optimizer.edges import HOST_MEMORY, connect_memory
from armnn_py.optimizer.graph import Graph, Node
from armnn_py.types import LayerType

MALLOC = 1


@dataclass(frozen=True)
class Memory:
    import_flags: int = 0
    export_flags: int = 0
    supports_map_unmap: bool = True
    importer: str = ""
    #: Types of layers whose tensors must not be imported.
    forbidden: frozenset[LayerType] = frozenset()

    def forbids_import(self, layer: LayerView, connected: LayerView) -> bool:
        return LayerType(layer.struct.type) in self.forbidden


DEVICE, OTHER = Memory(), Memory()
SHARED = Memory(MALLOC, MALLOC)
FACTORIES = {
    "device": DEVICE,
    "other": OTHER,
    "shared": SHARED,
    "imports": Memory(import_flags=MALLOC),
    "exports": Memory(export_flags=MALLOC),
    "sealed": Memory(supports_map_unmap=False),
    "pair": Memory(export_flags=MALLOC, importer="imports"),
    "pads": Memory(MALLOC, MALLOC, forbidden=frozenset({LayerType.ACTIVATION})),
}
#: A backend is called after the memory it wants.
PREFERENCES = {"host": [], **{name: [name] for name in FACTORIES}}


def chain(backends: list[str]) -> Graph:
    network = Network("chain")
    x = network.add_input("x", TensorInfo((4,)))
    for number, backend in enumerate(backends):
        x = network.add_activation(x, ActivationFunction.RELU, name=f"l{number}", backend=backend)
    network.add_output("y", x)
    return placed(network)


def placed(network: Network) -> Graph:
    graph = Graph.from_network(network)
    for node in graph:
        if not node.is_host:
            node.backend = node.pin.hint
    return graph


def bridges(graph: Graph) -> list[tuple[str, str]]:
    kinds = {LayerType.MEM_COPY: "copy", LayerType.MEM_IMPORT: "import"}
    return [(kinds[node.type], node.name) for node in graph if node.type in kinds]


def kinds(graph: Graph) -> list[str]:
    return [kind for kind, _ in bridges(graph)]


def connect(graph: Graph, preferences: dict[str, list[str]] | None = None) -> dict[str, str]:
    found = connect_memory(graph, preferences or PREFERENCES, FACTORIES)
    return {value.node.name: memory for value, memory in found.items()}


def test_host_backends_share_memory() -> None:
    graph = chain(["host", "host"])
    assert connect_memory(graph, {"host": []}, {}) == {}
    assert bridges(graph) == []


def test_a_device_between_host_layers_costs_two_copies() -> None:
    graph = chain(["host", "device", "device", "host"])
    memory = connect(graph)
    assert bridges(graph) == [("copy", "[ l0 (0) -> l1 (0) ]"), ("copy", "[ l2 (0) -> l3 (0) ]")]
    assert memory == {"l1": "device", "l2": "device", "[ l0 (0) -> l1 (0) ]": "device"}
    first, second = (node for node in graph if node.type is LayerType.MEM_COPY)
    assert (first.backend, second.backend) == ("device", "host")


def test_inputs_and_outputs_are_host_memory() -> None:
    graph = chain(["device"])
    connect(graph)
    assert bridges(graph) == [("copy", "[ x (0) -> l0 (0) ]"), ("copy", "[ l0 (0) -> y (0) ]")]


def test_shared_memory_is_imported_and_exported() -> None:
    graph = chain(["shared", "host", "shared"])
    connect(graph)
    assert kinds(graph) == ["import", "import", "import"]
    (output,) = (node for node in graph if node.type is LayerType.OUTPUT)
    assert output.inputs[0] is not None
    assert output.inputs[0].node.name == "l2", "the handle imports the caller's buffer"


def test_memory_that_only_imports_is_copied_out() -> None:
    graph = chain(["imports", "host"])
    connect(graph)
    assert kinds(graph) == ["import", "copy"]


def test_memory_that_only_exports_is_copied_in() -> None:
    graph = chain(["exports", "host"])
    connect(graph)
    assert kinds(graph) == ["copy", "import"]


def test_output_only_tensors_are_copied_not_exported() -> None:
    graph = chain(["exports"])
    connect(graph)
    assert kinds(graph) == ["copy", "copy"]


def test_one_copy_serves_all_readers() -> None:
    network = Network()
    x = network.add_input("x", TensorInfo((4,)))
    a = network.add_activation(x, ActivationFunction.RELU, name="a", backend="device")
    for number in range(3):
        y = network.add_activation(a, ActivationFunction.TANH, name=f"r{number}", backend="host")
        network.add_output(f"y{number}", y)
    graph = placed(network)
    connect(graph)
    assert bridges(graph) == [("copy", "[ x (0) -> a (0) ]"), ("copy", "[ a (0) -> r0 (0) ]")]


def test_two_outputs_of_one_tensor_are_one_import_and_one_copy() -> None:
    network = Network()
    x = network.add_input("x", TensorInfo((4,)))
    a = network.add_activation(x, ActivationFunction.RELU, name="a", backend="shared")
    network.add_output("y0", a)
    network.add_output("y1", a)
    graph = placed(network)
    connect(graph)
    assert bridges(graph) == [("import", "[ x (0) -> a (0) ]"), ("copy", "[ a (0) -> y1 (0) ]")]


def test_constants_are_read_where_they_lie() -> None:
    network = Network()
    x = network.add_input("x", TensorInfo((2,)))
    y = network.add_addition(x, [1.0, 2.0], name="add")
    y.backend_hint = "device"
    network.add_output("y", y)
    graph = placed(network)
    connect(graph)
    assert [name for _, name in bridges(graph)] == ["[ x (0) -> add (0) ]", "[ add (0) -> y (0) ]"]


def test_the_factory_with_the_fewest_copies_wins() -> None:
    graph = chain(["two", "host"])
    memory = connect(graph, {"two": ["device", "shared"], "host": []})
    assert memory["l0"] == "shared"
    graph = chain(["two", "device"])
    memory = connect(graph, {"two": ["shared", "device"], "device": ["device"]})
    assert memory["l0"] == "device", "its reader takes it as it is"


def test_a_tie_goes_to_the_order_of_preference() -> None:
    for names in (["device", "other"], ["other", "device"]):
        graph = chain(["two", "two"])
        memory = connect(graph, {"two": names})
        assert memory["l0"] == names[0]


def test_a_pair_imports_with_its_other_factory() -> None:
    graph = chain(["pair", "host", "pair"])
    memory = connect(graph)
    assert kinds(graph) == ["import", "import", "import"]
    assert memory == {
        "[ x (0) -> l0 (0) ]": "imports",
        "l0": "pair",
        "[ l1 (0) -> l2 (0) ]": "imports",
        "l2": "imports",  # it takes over the caller's buffer
    }


def test_a_lent_tensor_exports_what_its_import_factory_exports() -> None:
    """Handles of "imports", which stand for the caller's buffer here, export nothing."""
    network = Network()
    x = network.add_input("x", TensorInfo((4,)))
    a = network.add_activation(x, ActivationFunction.RELU, name="a", backend="pair")
    network.add_output("y0", a)
    network.add_output(
        "y1", network.add_activation(a, ActivationFunction.TANH, name="b", backend="host")
    )
    graph = placed(network)
    assert connect(graph)["a"] == "imports"
    assert bridges(graph) == [("import", "[ x (0) -> a (0) ]"), ("copy", "[ a (0) -> b (0) ]")]


def test_a_copy_for_one_reader_serves_those_who_would_import() -> None:
    network = Network()
    x = network.add_input("x", TensorInfo((4,)))
    a = network.add_activation(x, ActivationFunction.RELU, name="a", backend="host")
    for number, build in enumerate((network.add_activation, network.add_softmax)):
        arguments = (ActivationFunction.TANH,) if build == network.add_activation else ()
        y = build(a, *arguments, name=f"r{number}", backend="pads")
        network.add_output(f"y{number}", y)
    graph = placed(network)
    connect(graph)
    # "pads" imports for the Softmax, but not for the Activation.
    assert ("copy", "[ a (0) -> r0 (0) ]") in bridges(graph)
    assert not [name for _, name in bridges(graph) if "-> r1" in name]


def test_no_import_if_importing_is_off() -> None:
    graph = chain(["shared", "host"])
    connect_memory(graph, PREFERENCES, FACTORIES, imports=False)
    assert kinds(graph) == ["copy", "copy"]


def test_no_way_is_one_error_with_every_tensor() -> None:
    graph = chain(["sealed", "host", "sealed"])
    with pytest.raises(BackendError, match="tensors cannot get from one backend to another") as e:
        connect(graph)
    assert "'l0' on sealed -> 'l1' on host" in str(e.value)
    assert "'l1' on host -> 'l2' on sealed" in str(e.value)


def test_a_preference_without_a_registered_factory() -> None:
    with pytest.raises(BackendError, match="backend 'odd' registers none"):
        connect(chain(["odd"]), {"odd": ["nothing"]})


def fewest_copies(choices: list[list[str]]) -> int:
    """Over all ways to give each tensor of a chain a memory; the ends are host memory."""

    def cost(source: str, readers: list[str]) -> int:
        return 0 if source in readers else 1

    best = 1 << 30
    for homes in itertools.product(*choices):
        total = cost(HOST_MEMORY, choices[0])
        total += sum(cost(home, choices[i + 1]) for i, home in enumerate(homes[:-1]))
        total += cost(homes[-1], [HOST_MEMORY])
        best = min(best, total)
    return best


@pytest.mark.parametrize("seed", range(40))
def test_chains_get_the_fewest_copies_there_are(seed: int) -> None:
    rng = random.Random(seed)
    memories = {
        "host": [],
        "a": ["device"],
        "b": ["other"],
        "ab": ["device", "other"],
        "ba": ["other", "device"],
    }
    backends = [rng.choice(list(memories)) for _ in range(rng.randint(1, 8))]
    graph = chain(backends)
    connect(graph, memories)
    copies = [node for node in graph if node.type is LayerType.MEM_COPY]
    assert len(copies) == fewest_copies([memories[name] or [HOST_MEMORY] for name in backends])
    assert all(consistent(node, memories) for node in graph), backends


def consistent(node: Node, memories: dict[str, list[str]]) -> bool:
    """Whether a bridge leads from a backend's tensor to somebody who reads it."""
    if node.type is not LayerType.MEM_COPY:
        return True
    return node.inputs[0] is not None and bool(node.output.users) and node.backend in memories
