# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which memory each tensor lives in, and how it gets from one backend to the next.

Arm NN's edge strategies: a tensor is read where it lies (direct), its memory is imported by the
reader, or it is copied. A backend works on tensor handles of the factories it prefers, or, without
any, on the host's memory, which all such backends share. Unlike in Arm NN, one copy or import
serves all readers that want the tensor in the same memory, and host memory is a partner like any
other. Readers are independent of each other given where a tensor lies, so choosing that place
tensor by tensor gives the fewest copies there are for an assignment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from armnn_py.errors import BackendError
from armnn_py.types import LayerType, MemorySource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.optimizer.graph import Graph, Node, Value

__all__ = ["HOST_MEMORY", "Factory", "connect_memory"]

HOST_MEMORY = ""
"""Stands for dense memory of the host where the id of a tensor handle factory would stand."""


class Factory(Protocol):
    """What has to be known about a tensor handle factory."""

    @property
    def import_flags(self) -> int:
        """Kinds of memory that its handles can take over: bits of `MemorySource`."""

    @property
    def export_flags(self) -> int:
        """Kinds of memory that its handles are made of and others may use."""

    @property
    def supports_map_unmap(self) -> bool:
        """Whether the host can read and write its handles."""


@dataclass(frozen=True, slots=True)
class _Memory:
    """One kind of memory, the host's or a factory's."""

    import_flags: int
    export_flags: int
    is_mappable: bool


_HOST = _Memory(MemorySource.MALLOC, MemorySource.MALLOC, True)


def connect_memory(
    graph: Graph,
    preferences: Mapping[str, Sequence[str]],
    factories: Mapping[str, Factory],
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
    return _Connector(graph, preferences, factories).run()


class _Connector:
    def __init__(
        self,
        graph: Graph,
        preferences: Mapping[str, Sequence[str]],
        factories: Mapping[str, Factory],
    ) -> None:
        self.graph = graph
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
                name: _Memory(f.import_flags, f.export_flags, f.supports_map_unmap)
                for name, f in factories.items()
            },
        }
        self.home: dict[Value, str] = {}
        self.problems: list[str] = []

    def run(self) -> dict[Value, str]:
        for node in self.graph.nodes:
            if node.type in (LayerType.CONSTANT, LayerType.OUTPUT):
                continue  # constants are read where they lie, see armnn_execute_args_t
            for value in node.outputs:
                self._settle(value)
        if self.problems:
            count = len(self.problems)
            raise BackendError(
                f"{count} tensor{'s' if count != 1 else ''} cannot get from one backend to another",
                details=self.problems,
                hints=["place both layers on one backend: optimize(..., placement=...)"],
            )
        return {value: name for value, name in self.home.items() if name != HOST_MEMORY}

    def _choices(self, node: Node) -> tuple[str, ...]:
        """Memory that a node's tensors may lie in, best first."""
        return self.wanted.get(node.backend or "", ()) or (HOST_MEMORY,)

    def _settle(self, value: Value) -> None:
        """Choose where a tensor lies, then insert what its readers need."""
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
        self.home[value] = home
        self._build(value, home, bridges)

    def _bridges(self, value: Value, home: str) -> dict[str, LayerType] | None:
        """Kind of bridge by memory that readers need; None if one cannot be built."""
        bridges: dict[str, LayerType] = {}
        targets = self._targets(value, home)
        # What only network outputs read is copied into the caller's buffer in any case.
        read_by_layers = {
            t for (node, _), t in targets.items() if node.type is not LayerType.OUTPUT
        }
        for target in targets.values():
            if target == home or target in bridges:
                continue
            source, sink = self.memory[home], self.memory[target]
            shares = source.export_flags & sink.import_flags and target in read_by_layers
            if shares and source.is_mappable:
                bridges[target] = LayerType.MEM_IMPORT
            elif source.is_mappable and sink.is_mappable:
                bridges[target] = LayerType.MEM_COPY
            else:
                return None
        return bridges

    def _targets(self, value: Value, home: str) -> dict[tuple[Node, int], str]:
        """The memory in which each reader gets the tensor."""
        targets = {}
        outputs = 0
        for user in value.users:
            node = user[0]
            if node.type is LayerType.OUTPUT:
                # The caller's buffer is imported by the handle that is written, but only once.
                outputs += 1
                imports = self.memory[home].import_flags & MemorySource.MALLOC
                direct = home != HOST_MEMORY and imports and outputs == 1
                targets[user] = home if direct else HOST_MEMORY
                continue
            wanted = self._choices(node)
            targets[user] = home if home in wanted else self._nearest(home, wanted)
        return targets

    def _nearest(self, home: str, wanted: Sequence[str]) -> str:
        """The first memory that can import from ``home``, else the first that can be copied to."""
        source = self.memory[home]
        for name in wanted:
            if source.export_flags & self.memory[name].import_flags and source.is_mappable:
                return name
        return next((name for name in wanted if self.memory[name].is_mappable), wanted[0])

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
                bridge.backend_hint = None
                # On the reader's backend, as in Arm NN; nobody is there behind a network output.
                bridge.backend = (
                    value.node.backend if node.type is LayerType.OUTPUT else node.backend
                )
                built[target] = bridge.output
                self.home[bridge.output] = target
            self.graph.set_input(node, index, built[target])
