# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The optimiser's own picture of a network: nodes that can be rewired and taken out.

A `Network` only grows, and its layers never change; passes need the opposite. A graph is made from
a network once, changed by every pass in turn, and written back as a network at the end.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

from armnn_py.descriptors.base import plain_descriptor
from armnn_py.device_ids import canonical_id
from armnn_py.network import AssignLayer, ConstantLayer, Network, VariableLayer, shapes
from armnn_py.optimizer.node import (
    BEYOND_GUIDS,
    NO_PIN,
    Node,
    Origin,
    Pin,
    PublicGuids,
    Value,
    Variable,
)
from armnn_py.tensors.equal_arrays import EqualArrays
from armnn_py.tensors.info import plain_info
from armnn_py.tensors.memory import aligned_copy, aligned_empty
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from armnn_py.descriptors import Descriptor
    from armnn_py.network import Layer, NetworkStorage, OutputSlot
    from armnn_py.tensors import TensorInfo

__all__ = ["NO_PIN", "Graph", "Node", "Origin", "Pin", "Value", "Variable"]


class Graph:
    """Nodes in topological order, open to change.

    Node names appear in messages and may repeat. Every change keeps the lists of users correct.
    After a change the order is recomputed on demand: topological and, where that leaves a choice,
    that of the source network, so that results do not depend on the order of changes.
    """

    __slots__ = (
        "_constants",
        "_dirty",
        "_nodes",
        "_order",
        "_serial",
        "_unread",
        "guids",
        "name",
        "removed",
        "stage",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self._nodes: dict[Node, None] = {}
        self._order: list[Node] = []
        self._dirty = False
        self._serial = 0
        self._unread: list[Node] = []  # constants that were taken out
        self._constants: EqualArrays[Value] = EqualArrays()  # that passes have made
        #: Numbers of nodes for backends and profiles.
        self.guids = PublicGuids(self._nodes)
        #: Name of the pass or stage at work; recorded for the layers that it takes out.
        self.stage = ""
        #: By layer of the user's network: the stage that took out the last node for it.
        self.removed: dict[Origin, str] = {}

    # ---- From and to networks ------------------------------------------------------------------

    @classmethod
    def from_network(cls, network: NetworkStorage) -> Graph:
        """A graph with one node for each layer; the values of constants are shared.

        A network that gives up its values has none afterwards.
        """
        graph = cls(network.name)
        value_of: dict[OutputSlot, Value] = {}
        for layer in network.layers:
            node = graph._make(
                layer.type,
                layer.name,
                layer.descriptor,
                [None if slot is None else value_of[slot] for slot in layer.inputs],
                [slot.info for slot in layer.outputs],
                (layer.guid, 0),
                (Origin(layer.guid, layer.name, layer.shown_type),),
            )
            if layer.backend_hint is not None:
                hint = canonical_id(layer.backend_hint)
                node.pin = Pin(hint, backends=(hint,))
            if isinstance(layer, ConstantLayer):
                node.value = layer.value
            elif isinstance(layer, VariableLayer):
                node.variable = Variable(layer.name, layer.initial)
            elif isinstance(layer, AssignLayer):
                node.variable = Variable(layer.variable.name, layer.variable.initial)
            value_of.update(zip(layer.outputs, node.outputs, strict=True))
        if network._gives_up_values:
            network._drop_values()
        graph._order, graph._dirty = list(graph._nodes), False
        return graph

    def to_network(self) -> tuple[Network, dict[Node, Layer]]:
        """The graph as a network, and which layer each node became."""
        network = Network(self.name)
        return network, self.write_to(network)

    def write_to(self, network: NetworkStorage) -> dict[Node, Layer]:
        """Add all layers to an empty network; returns which layer each node became."""
        slot_of: dict[Value, OutputSlot] = {}
        layer_of: dict[Node, Layer] = {}
        made: dict[str, VariableLayer] = {}
        for node in self.nodes:  # variables come before what assigns them, by their ranks
            variable = node.variable
            layer = network.append_unchecked(
                node.name,
                node.type,
                node.descriptor,
                tuple(None if value is None else slot_of[value] for value in node.inputs),
                [value.info for value in node.outputs],
                backend=node.pin.hint,
                value=variable.initial if variable and node.is_variable else node.value,
                variable=made[variable.name] if variable and node.is_assign else None,
            )
            if isinstance(layer, VariableLayer):
                made[layer.name] = layer
            slot_of.update(zip(node.outputs, layer.outputs, strict=True))
            layer_of[node] = layer
        return layer_of

    def copy(self, numbers: Sequence[int] | None = None) -> Graph:
        """A graph of its own in the same order; with ``numbers`` for symbolic sizes, if given.

        It has no blobs, and neither public numbers nor backends are given yet.
        """
        # late: few networks have symbolic sizes

        graph = Graph(self.name)
        infos: dict[int, TensorInfo] = {}

        def copied(info: TensorInfo) -> TensorInfo:
            if numbers is None:
                return info
            known = infos.get(id(info))
            if known is None:
                known = infos[id(info)] = plain_info(info, numbers)
            return known

        value_of: dict[Value, Value] = {}
        node_of: dict[Node, Node] = {}
        for old in self.nodes:
            descriptor = old.descriptor
            new = Node(
                old.rank,
                old.type,
                old.name,
                descriptor if numbers is None else plain_descriptor(descriptor, numbers),
                [None if value is None else value_of[value] for value in old.inputs],
                [copied(value.info) for value in old.outputs],
                old.origins,
            )
            new.value, new.pin, new.variable = old.value, old.pin, old.variable
            value_of.update(zip(old.outputs, new.outputs, strict=True))
            node_of[old] = new
        for before, after in value_of.items():
            after.users = {(node_of[node], index): None for node, index in before.users}
        graph._nodes.update(dict.fromkeys(node_of[node] for node in self._nodes))
        graph._order = list(node_of.values())
        graph._serial = self._serial
        graph.stage = self.stage
        graph.removed = dict(self.removed)
        return graph

    # ---- Looking -------------------------------------------------------------------------------

    @property
    def nodes(self) -> list[Node]:
        """All nodes in topological order; a copy, so that the graph may change meanwhile."""
        if self._dirty:
            self._sort()
        return list(self._order)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, node: object) -> bool:
        return node in self._nodes

    def _sort(self) -> None:
        waiting = {
            node: sum(1 for value in node.inputs if value is not None) for node in self._nodes
        }
        heap = [(node.rank, node) for node, count in waiting.items() if count == 0]
        heapq.heapify(heap)  # ranks are unique, so that nodes are never compared
        order: list[Node] = []
        while heap:
            _, node = heapq.heappop(heap)
            order.append(node)
            for value in node.outputs:
                for user, _ in value.users:
                    waiting[user] -= 1
                    if waiting[user] == 0:
                        heapq.heappush(heap, (user.rank, user))
        if len(order) != len(self._nodes):
            stuck = next(node for node, count in waiting.items() if count)
            raise AssertionError(f"the graph has a cycle through '{stuck.name}' ({self.stage})")
        self._order, self._dirty = order, False

    # ---- Changing ------------------------------------------------------------------------------

    def add(
        self,
        layer_type: LayerType,
        inputs: Sequence[Value | None],
        descriptor: Descriptor | None = None,
        *,
        name: str,
        near: Node,
        infos: Sequence[TensorInfo] | None = None,
        origins: tuple[Origin, ...] = (),
    ) -> Node:
        """Add a node; its outputs are inferred, with ``infos`` as the stated ones.

        Parameters
        ----------
        near
            The node to sort it beside, as far as its operands allow; pin and backend are copied
            from it.

        Raises
        ------
        LayerValidationError
            The operands do not fit; the graph is as it was.
        """
        found = shapes.infer(
            layer_type,
            descriptor,
            [None if value is None else value.info for value in inputs],
            [None if value is None else value.constant for value in inputs],
            outputs=infos,
            layer=name,
        )
        node = self._make(layer_type, name, descriptor, list(inputs), found, near.rank, origins)
        node.pin = near.pin
        node.backend = near.backend
        return node

    def add_constant(
        self, array: NDArray[Any], info: TensorInfo, *, name: str, near: Node
    ) -> Value:
        """Add a constant; ``array`` fits ``info``, and is made as backends see it.

        That is dense, read-only and aligned, so that all plans share it. A large one that a pass
        has added before is returned again.
        """
        for value in self._constants.alike(array, info):
            if value.node in self._nodes:
                return value
        if array.flags.writeable:
            copy = aligned_empty(array.shape, array.dtype)
            copy[...] = array
            copy.flags.writeable = False
            array = copy
        else:
            array = aligned_copy(array)
        node = self._make(LayerType.CONSTANT, name, None, [], [info], near.rank, ())
        node.value = array
        self._constants.add(array, info, node.output)
        return node.output

    def _make(
        self,
        layer_type: LayerType,
        name: str,
        descriptor: Descriptor | None,
        inputs: list[Value | None],
        infos: Sequence[TensorInfo],
        rank: tuple[int, int],
        origins: tuple[Origin, ...],
    ) -> Node:
        self._serial += 1
        node = Node((rank[0], self._serial), layer_type, name, descriptor, inputs, infos, origins)
        for index, value in enumerate(inputs):
            if value is not None:
                value.users[node, index] = None
        self._nodes[node] = None
        self._dirty = True
        return node

    def set_input(self, node: Node, index: int, value: Value | None) -> None:
        """Let an operand read another value. Infos are not checked."""
        old = node.inputs[index]
        if old is value:
            return
        if old is not None:
            del old.users[node, index]
        node.inputs[index] = value
        if value is not None:
            value.users[node, index] = None
        self._dirty = True

    def replace(self, old: Value, new: Value) -> None:
        """Let all readers of ``old`` read ``new``, ``new``'s own node excepted."""
        for node, index in list(old.users):
            if node is not new.node:
                self.set_input(node, index, new)

    def remove(self, node: Node) -> None:
        """Take out an unused node, then constants that only it read.

        Its origins are recorded in `removed` unless another node stands for them.
        """
        assert not any(value.users for value in node.outputs), f"{node!r} is read"
        for origin in node.origins:
            self.removed[origin] = self.stage
        for index, value in enumerate(node.inputs):
            if value is not None:
                value.users.pop((node, index), None)
                if value.node.type is LayerType.CONSTANT and not value.users:
                    self._nodes.pop(value.node, None)
                    self._unread.append(value.node)
        self._nodes.pop(node, None)
        if node.type is LayerType.CONSTANT:
            self._unread.append(node)
        self.guids.forget(node)
        node.blob = None
        self._dirty = True

    def forget_removed(self) -> None:
        """Drop the values of constants that were taken out; for when a pass is done.

        Nodes and values form reference cycles: until collected, they would keep weights of which a
        pass has made others.
        """
        for node in self._unread:
            if node not in self._nodes:
                node.value = None
        self._unread.clear()

    def restore_guid(self, node: Node, guid: int) -> None:
        """Give a node the public number that it had in another graph."""
        self.guids.restore(node, guid)
        self._serial = max(self._serial, guid - BEYOND_GUIDS)

    def drop_contents(self) -> None:
        """Drop weights and blobs; the graph cannot be used afterwards.

        Nodes and values form reference cycles: until collected, they would keep weights that
        backends have packed, blobs, and so backends.
        """
        self.forget_removed()
        for node in self._nodes:
            node.value = node.blob = node.source = None

    def substitute(self, old: Node, new: Node) -> None:
        """Replace ``old`` and its outputs by ``new``, which then stands for the layers of both.

        The outputs agree in number, shapes and types.
        """
        for before, after in zip(old.outputs, new.outputs, strict=True):
            self.replace(before, after)
        self.adopt(new, old)
        self.remove(old)

    def adopt(self, node: Node, *others: Node) -> None:
        """Let ``node`` stand for the layers that ``others`` stand for."""
        origins = dict.fromkeys(node.origins)
        for other in others:
            origins.update(dict.fromkeys(other.origins))
            other.origins = ()
        node.origins = tuple(origins)

    def bypass(self, node: Node, source: Value) -> None:
        """Take out a node of one output; its readers read ``source`` instead."""
        self.replace(node.output, source)
        self.remove(node)

    def remove_dead(self) -> list[Node]:
        """Take out every node that no output depends on, Inputs excepted; returns them."""
        dead = []
        for node in reversed(self.nodes):
            if node.type in (LayerType.INPUT, LayerType.OUTPUT) or node not in self._nodes:
                continue
            if not any(value.users for value in node.outputs):
                dead.append(node)
                self.remove(node)
        return dead
