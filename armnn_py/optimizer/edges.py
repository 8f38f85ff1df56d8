# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which memory each tensor lives in, and how it gets from one backend to the next.

Arm NN's edge strategies: a tensor is read where it lies (direct), its memory is imported by the
reader, or it is copied. A backend works on tensor handles of the factories it prefers, or, without
any, on the host's memory, which all such backends share. Unlike in Arm NN, one copy or import
serves all readers that want the tensor in the same memory, and host memory counts like any other.
Once a tensor's memory is chosen, its readers are independent, so choosing tensor by tensor gives
the fewest copies possible for an assignment.

A factory may leave importing to another one: a pair of a copy and an import factory. The import
factory then makes the handles that take over memory, a reader's or that of a network output; the
copy factory makes all others.

A variable lies in one memory for good, that which makes the fewest copies for the layer that
computes its next value and for those that read it. The next value is written there, or copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from armnn_py._native.layers.subgraph import ABSENT, BOUNDARY, CONSTANT, LayerData, LayerView
from armnn_py.errors import BackendError
from armnn_py.optimizer.graph import NO_PIN
from armnn_py.text import counted
from armnn_py.types import LayerType, MemorySource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.optimizer.graph import Graph, Node, Value

HOST_MEMORY = ""
"""Used in place of a factory's id: dense memory of the host."""


class Factory(Protocol):
    """A tensor handle factory, as far as choosing memory needs it."""

    @property
    def import_flags(self) -> int:
        """Kinds of memory that its handles can take over: bits of `MemorySource`."""

    @property
    def export_flags(self) -> int:
        """Kinds of memory of its handles that others may use."""

    @property
    def supports_map_unmap(self) -> bool:
        """Whether the host can read and write its handles."""

    @property
    def importer(self) -> str:
        """Id of the paired factory, whose handles import memory; empty: its own do."""

    def forbids_import(self, layer: LayerView, connected: LayerView) -> bool:
        """Whether a tensor between a layer and its neighbour must not be imported."""


class _Memory(Struct, frozen=True):
    """One kind of memory, the host's or a factory's."""

    import_flags: int
    export_flags: int
    is_mappable: bool
    importer: str
    factory: Factory | None = None


_HOST = _Memory(MemorySource.MALLOC, MemorySource.MALLOC, True, HOST_MEMORY)


def connect_memory(
    graph: Graph,
    preferences: Mapping[str, Sequence[str]],
    factories: Mapping[str, Factory],
    *,
    imports: bool = True,
) -> dict[Value, str]:
    """Choose the memory of each tensor and insert MemCopy and MemImport layers.

    Parameters
    ----------
    graph
        Every node has its backend. Changed in place.
    preferences
        For each backend the ids of tensor handle factories it wants, best first; a backend that is
        missing or has none works in host memory.
    factories
        The registered factories by id.
    imports
        False: nothing is imported, everything is copied.

    Returns
    -------
    dict
        The factory of each value that does not live in host memory.

    Raises
    ------
    BackendError
        Tensors cannot get from one backend to another; lists all of them.
    """
    if not any(preferences.values()):
        return {}
    return _Connector(graph, preferences, factories, imports=imports).run()


class _Connector:
    def __init__(
        self,
        graph: Graph,
        preferences: Mapping[str, Sequence[str]],
        factories: Mapping[str, Factory],
        *,
        imports: bool,
    ) -> None:
        self.graph = graph
        self.imports = imports
        self.wanted = {
            backend: tuple(name for name in names if name in factories)
            for backend, names in preferences.items()
        }
        for backend, names in preferences.items():
            if names and not self.wanted[backend]:
                raise BackendError(
                    f"backend '{backend}' registers none of the tensor handle factories it prefers",
                    details=[f"it prefers: {', '.join(names)}"],
                    hints=["report it to the backend's vendor"],
                )
        self.memory = {
            HOST_MEMORY: _HOST,
            **{
                name: _Memory(
                    factories[f.importer or name].import_flags,
                    f.export_flags,
                    f.supports_map_unmap,
                    f.importer or name,
                    f,
                )
                for name, f in factories.items()
            },
        }
        self.home: dict[Value, str] = {}
        self.views: dict[Node, LayerView] = {}
        self.makers: dict[tuple[Value, str], str] = {}
        self.forbidden: dict[tuple[str, Node, Node], bool] = {}
        self.problems: list[str] = []
        self.assigns = {n.variable.name: n for n in graph if n.variable and n.is_assign}
        self.variables = {n.variable.name: n for n in graph if n.variable and n.is_variable}
        self.places: dict[str, str] = {}

    def run(self) -> dict[Value, str]:
        for node in self.graph.nodes:
            if node.type in (LayerType.CONSTANT, LayerType.OUTPUT):
                continue  # constants are read where they lie, see armnn_execute_args_t
            for value in node.outputs:
                self._settle(value)
        if self.problems:
            raise BackendError(
                f"{counted(len(self.problems), 'tensor')} cannot get from one backend to another",
                details=self.problems,
                hints=["assign both layers to one backend: optimize(..., placement=...)"],
            )
        return {value: name for value, name in self.home.items() if name != HOST_MEMORY}

    def _choices(self, node: Node) -> tuple[str, ...]:
        """Memory that a node's tensors may lie in, best first."""
        if node.variable is not None and node.is_variable:
            return (self._place(node.variable.name),)
        return self._wanted(node)

    def _wanted(self, node: Node) -> tuple[str, ...]:
        return self.wanted.get(node.backend or "", ()) or (HOST_MEMORY,)

    def _place(self, name: str) -> str:
        """The memory of a variable: its source is placed first, if that is a variable."""
        chain: list[str] = []
        ahead: str | None = name
        while ahead is not None and ahead not in self.places:
            self.places[ahead] = HOST_MEMORY  # in a circle of assignments, the first one's
            chain.append(ahead)
            source = self._source(ahead)
            ahead = None
            if source is not None and source.is_variable and source.variable is not None:
                ahead = source.variable.name
        for one in reversed(chain):
            self.places[one] = self._best_place(one)
        return self.places[name]

    def _source(self, name: str) -> Node | None:
        """The layer whose value a variable gets at the end of a run."""
        assign = self.assigns.get(name)
        value = None if assign is None else assign.inputs[0]
        return None if value is None else value.node

    def _best_place(self, name: str) -> str:
        """The memory that most neighbours of a variable share; its source has been placed."""
        readers = [
            self._wanted(node)
            for node, _ in self.variables[name].output.users
            if node.type is not LayerType.OUTPUT
        ]
        source = self._source(name)
        if source is not None and source.is_variable and source.variable is not None:
            readers.append((self.places[source.variable.name],))
        elif source is not None:
            readers.append(self._wanted(source))
        best: tuple[int, str] | None = None
        for home in dict.fromkeys([HOST_MEMORY, *(name for names in readers for name in names)]):
            others = {names[0] for names in readers if home not in names}
            can_copy = self.memory[home].is_mappable and all(
                any(self.memory[other].is_mappable for other in names)
                for names in readers
                if home not in names
            )
            if others and not can_copy:
                continue
            if best is None or len(others) < best[0]:
                best = (len(others), home)
        return HOST_MEMORY if best is None else best[1]

    def _settle(self, value: Value) -> None:
        """Choose the memory of a tensor, then insert the copies and imports for its readers."""
        best: tuple[int, dict[str, LayerType], str] | None = None
        for home in self._choices(value.node):
            bridges = self._bridges(value, home)
            if bridges is None:
                continue
            copies = sum(1 for kind in bridges.values() if kind is LayerType.MEM_COPY)
            if best is None or copies < best[0]:
                best = (copies, bridges, home)
        if best is None:
            readers = ", ".join(
                f"'{node.name}' on {node.backend}" for node in value.user_nodes if node.backend
            )
            self.problems.append(
                f"'{value.node.name}' on {value.node.backend} -> {readers or 'an output'}: "
                "no common memory, and the host cannot map both sides"
            )
            return
        _, bridges, home = best
        self.home[value] = self._maker(value, home)
        self._build(value, home, bridges)

    def _bridges(self, value: Value, home: str) -> dict[str, LayerType] | None:
        """MemCopy or MemImport for each memory that readers need; None if neither is possible."""
        bridges: dict[str, LayerType] = {}
        targets = self._targets(value, home)
        # A tensor that only network outputs read is copied into the caller's buffer in any case.
        read_by_layers = {
            t for (node, _), t in targets.items() if node.type is not LayerType.OUTPUT
        }
        for (node, _), target in targets.items():
            if target == home:
                continue
            source, sink = self.memory[self._maker(value, home)], self.memory[target]
            # An imported tensor is gone after the run: a variable's next value is always copied.
            imports = not any(n.is_assign and t == target for (n, _), t in targets.items())
            if imports and target in read_by_layers and self._imports(value, home, target, node):
                bridges.setdefault(target, LayerType.MEM_IMPORT)
            elif source.is_mappable and sink.is_mappable:
                bridges[target] = LayerType.MEM_COPY  # for all of its readers
            else:
                return None
        return bridges

    def _targets(self, value: Value, home: str) -> dict[tuple[Node, int], str]:
        """The memory in which each reader gets the tensor."""
        targets = {}
        outputs = 0
        for user in value.users:
            node = user[0]
            if node.variable is not None and node.is_assign:
                targets[user] = self._place(node.variable.name)
                continue
            if node.type is LayerType.OUTPUT:
                # The handle that is written can import the caller's buffer, but only one.
                outputs += 1
                direct = outputs == 1 and self._lends(value, home, node)
                targets[user] = home if direct else HOST_MEMORY
                continue
            wanted = self._choices(node)
            targets[user] = home if home in wanted else self._nearest(value, home, node, wanted)
        return targets

    def _nearest(self, value: Value, home: str, reader: Node, wanted: Sequence[str]) -> str:
        """The first memory that can import from ``home``, else the first that can be copied to."""
        for name in wanted:
            if self._imports(value, home, name, reader):
                return name
        return next((name for name in wanted if self.memory[name].is_mappable), wanted[0])

    def _imports(self, value: Value, home: str, target: str, reader: Node) -> bool:
        """Whether a reader's memory can import a tensor's, and neither side forbids it."""
        maker = self._maker(value, home)
        source, sink = self.memory[maker], self.memory[target]
        return bool(
            self.imports
            and source.is_mappable
            and source.export_flags & sink.import_flags
            and not self._forbids(maker, value.node, reader)
            and not self._forbids(sink.importer, reader, value.node)
        )

    def _maker(self, value: Value, home: str) -> str:
        """The factory that makes a tensor's handle: the importing one if an output is lent."""
        known = self.makers.get((value, home))
        if known is None:
            output = next((node for node, _ in value.users if node.type is LayerType.OUTPUT), None)
            lends = output is not None and self._lends(value, home, output)
            known = self.memory[home].importer if lends else home
            self.makers[value, home] = known
        return known

    def _lends(self, value: Value, home: str, node: Node) -> bool:
        """Whether a network output's buffer becomes the memory of the tensor that is written."""
        memory = self.memory[home]
        return bool(
            self.imports
            and node.type is LayerType.OUTPUT
            and not value.node.is_variable
            and not any(user.is_assign for user, _ in value.users)
            and home != HOST_MEMORY
            and memory.import_flags & MemorySource.MALLOC
            and not self._forbids(memory.importer, value.node, node)
        )

    def _forbids(self, memory: str, layer: Node, connected: Node) -> bool:
        """Whether a layer's tensors in ``memory`` need padding, or forbid imports."""
        factory = self.memory[memory].factory
        if factory is None:
            return False
        key = (memory, layer, connected)
        if key not in self.forbidden:
            answer = factory.forbids_import(self._view(layer), self._view(connected))
            self.forbidden[key] = answer
        return self.forbidden[key]

    def _view(self, node: Node) -> LayerView:
        if node not in self.views:
            self.views[node] = LayerView(_layer_data(node, self.graph.guids.of(node)))
        return self.views[node]

    def _neighbour(self, value: Value, output: Node) -> str | None:
        """The backend of the layer that makes a tensor; of a variable, of one that reads it."""
        readers = list(value.user_nodes)
        if output.variable is not None:
            readers += self.variables[output.variable.name].output.user_nodes
        return next((n.backend for n in (value.node, *readers) if n.backend is not None), None)

    def _build(self, value: Value, home: str, bridges: Mapping[str, LayerType]) -> None:
        built: dict[str, Value] = {}
        producer = f"{value.node.name} ({value.index})"
        for (node, index), target in self._targets(value, home).items():
            if target == home:
                continue
            if target not in built:
                bridge = self.graph.add(
                    bridges[target],
                    [value],
                    name=f"[ {producer} -> {node.name} ({index}) ]",
                    near=value.node,
                    infos=[value.info],
                )
                bridge.pin = NO_PIN
                # On the reader's backend, as in Arm NN; a network output has none.
                bridge.backend = (
                    self._neighbour(value, node) if node.type is LayerType.OUTPUT else node.backend
                )
                built[target] = bridge.output
                imported = bridges[target] is LayerType.MEM_IMPORT
                self.home[bridge.output] = self.memory[target].importer if imported else target
            self.graph.set_input(node, index, built[target])


def _layer_data(node: Node, guid: int) -> LayerData:
    """A node alone, with boundary inputs."""
    slots = []
    for index, value in enumerate(node.inputs):
        kind = BOUNDARY if value is not None and value.constant is None else CONSTANT
        slots.append((ABSENT if value is None else kind, index))
    return LayerData(
        node.type,
        node.name,
        node.descriptor,
        tuple(slots),
        tuple(None if value is None else value.info for value in node.inputs),
        (None,) * len(node.inputs),
        tuple(value.info for value in node.outputs),
        node.blob,
        guid,
    )
