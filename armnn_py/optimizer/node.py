# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The elements of a `Graph`: nodes and their public numbers, values, and the origin of layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from armnn_py.types import LayerType
from armnn_py.types.aliases import name_for_people
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from numpy.typing import NDArray

    from armnn_py._native.table.blob import NativeBlob
    from armnn_py.descriptors import Descriptor
    from armnn_py.optimizer.subgraphs.compiled_source import CompiledSource
    from armnn_py.tensors import TensorInfo


class Origin(Struct, frozen=True):
    """A layer of the user's network that a node stands for; ``type`` is its `shown_type`."""

    guid: int
    name: str
    type: LayerType

    def __hash__(self) -> int:
        return self.guid


class Pin(Struct, frozen=True):
    """The backends that the user asked for, for one layer.

    Attributes
    ----------
    hint
        The backend that the layer itself asked for, or None.
    rule
        Index of the placement rule that matches it, or None.
    backends
        Ids of the backends that were asked for, best first; empty: none.
    is_strict
        Whether it is an error if none of these takes the layer.
    """

    hint: str | None = None
    rule: int | None = None
    backends: tuple[str, ...] = ()
    is_strict: bool = False


#: The pin of a layer without a rule or a hint.
NO_PIN = Pin()


class Variable(Struct, frozen=True):
    """A tensor that stays from run to run.

    Attributes
    ----------
    name
        Unique in the network.
    initial
        Its value before the first run.
    """

    name: str
    initial: NDArray[Any]


class Value:
    """One output of a node: a tensor. ``users`` has each (node, operand index) that reads it."""

    __slots__ = ("index", "info", "node", "users")

    def __init__(self, node: Node, index: int, info: TensorInfo) -> None:
        self.node = node
        self.index = index
        self.info = info
        self.users: dict[tuple[Node, int], None] = {}  # a set that keeps the order of insertion

    @property
    def constant(self) -> NDArray[Any] | None:
        """Its values, where they are known."""
        return self.node.value

    @property
    def user_nodes(self) -> list[Node]:
        """The nodes that read it, each once, in order."""
        return list(dict.fromkeys(node for node, _ in self.users))

    def __repr__(self) -> str:
        return f"<Value {self.index} of '{self.node.name}' {self.info!r}>"


class Node:
    """A layer that passes can change; made by `Graph.add` and `Graph.add_constant` only.

    Attributes
    ----------
    name, type, descriptor
        As in `armnn_py.network.Layer`. ``descriptor`` may be exchanged; infer the outputs anew.
    inputs
        Values it reads, None where an optional operand is absent; change with `Graph.set_input`.
    outputs
        The values it makes.
    value
        Values of a CONSTANT, else None; never written to.
    pin
        The backends that the user asked for.
    backend
        Id of its backend, or None; host layers have none.
    origins
        The layers of the user's network that it stands for: several after a fusion, none for a
        layer that the optimiser inserted.
    blob
        The blob of a PRE_COMPILED layer.
    source
        The layers that were compiled to it.
    part
        Number of its sub-graph, or None.
    is_replacement
        Whether its backend made it to replace other layers.
    variable
        Of an INPUT: the variable that it is, instead of an input of the network. Of an OUTPUT: the
        variable that it assigns. The two are not connected: what one reads is the value from before
        the run. No pass takes either out, as none does with inputs and outputs.
    """

    __slots__ = (
        "backend",
        "blob",
        "descriptor",
        "inputs",
        "is_replacement",
        "name",
        "origins",
        "outputs",
        "part",
        "pin",
        "rank",
        "source",
        "type",
        "value",
        "variable",
    )

    def __init__(
        self,
        rank: tuple[int, int],
        layer_type: LayerType,
        name: str,
        descriptor: Descriptor | None,
        inputs: list[Value | None],
        infos: Sequence[TensorInfo],
        origins: tuple[Origin, ...],
    ) -> None:
        self.rank = rank
        self.type = layer_type
        self.name = name
        self.descriptor = descriptor
        self.inputs = inputs
        self.outputs = tuple(Value(self, index, info) for index, info in enumerate(infos))
        self.origins = origins
        self.value: NDArray[Any] | None = None
        self.pin = NO_PIN
        self.backend: str | None = None
        self.blob: NativeBlob | None = None
        self.source: CompiledSource | None = None
        self.part: int | None = None
        self.is_replacement = False
        self.variable: Variable | None = None

    @property
    def output(self) -> Value:
        """The only output of a node that has one."""
        (value,) = self.outputs
        return value

    @property
    def shown_type(self) -> LayerType:
        """The most specific of Arm NN's layer types for it, as `Layer.shown_type`."""
        given = self.inputs[0] if self.inputs else None
        made = self.outputs[0].info.data_type if self.outputs else None
        source = None if given is None else given.info.data_type
        return name_for_people(self.type, self.descriptor, source, made)

    @property
    def is_host(self) -> bool:
        """Whether it is an Input, Output or Constant, which no backend sees."""
        return FACTS[self.type].host

    @property
    def is_variable(self) -> bool:
        """Whether its output is the value of a variable."""
        return self.variable is not None and self.type is LayerType.INPUT

    @property
    def is_assign(self) -> bool:
        """Whether its operand becomes the value of a variable."""
        return self.variable is not None and self.type is LayerType.OUTPUT

    @property
    def infos(self) -> list[TensorInfo | None]:
        """The infos of its operands, None for one that is absent, and of its outputs."""
        inputs = [None if value is None else value.info for value in self.inputs]
        return [*inputs, *(value.info for value in self.outputs)]

    @property
    def constants(self) -> list[NDArray[Any] | None]:
        """The values of its operands where they are known, in parallel to ``inputs``."""
        return [None if value is None else value.node.value for value in self.inputs]

    def __repr__(self) -> str:
        return f"<Node {self.shown_type.label} '{self.name}'>"


BEYOND_GUIDS = 1 << 32
"""A network counts its layers from 0, and has fewer than so many."""


class PublicGuids:
    """Gives each node of a graph a number of its own, when it is asked for.

    Parameters
    ----------
    nodes
        The nodes that are in the graph at the time.
    """

    __slots__ = ("_guids", "_holders", "_nodes")

    def __init__(self, nodes: Container[Node]) -> None:
        self._nodes = nodes
        self._guids: dict[Node, int] = {}
        self._holders: dict[int, Node] = {}

    def of(self, node: Node) -> int:
        """Return the number of a node for backends and profiles.

        That is the guid of the layer of the user's network that it stands for; of several layers,
        the smallest of those with the node's own type, as the convolution of a fusion. A node that
        stands for none, or whose number another node has, gets one beyond all guids. The number
        stays the same from the first call on.
        """
        known = self._guids.get(node)
        if known is None:
            known = BEYOND_GUIDS + node.rank[1]
            if node.origins:
                first = min(
                    node.origins,
                    key=lambda o: (FACTS[o.type].host, o.type is not node.shown_type, o.guid),
                )
                if self._holders.get(first.guid) not in self._nodes:
                    self._holders[first.guid] = node
                    known = first.guid
            self._guids[node] = known
        return known

    def restore(self, node: Node, guid: int) -> None:
        """Give a node the number that it had in another graph."""
        self._guids[node] = guid
        self._holders[guid] = node

    def forget(self, node: Node) -> None:
        """Take the number from a node that is taken out."""
        guid = self._guids.pop(node, None)
        if guid is not None:
            self._holders.pop(guid, None)
