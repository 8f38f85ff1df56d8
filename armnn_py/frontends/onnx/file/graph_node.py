# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Nodes of a graph and the bodies inside of them, read once and shared by all conversions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from armnn_py.frontends.common.quoting import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from armnn_py.frontends.common.values import Known
    from armnn_py.frontends.onnx.file.tensors import Unreadable


class AttributeReference(Struct, frozen=True):
    """Stands for the value that the caller of a function gives an attribute."""

    name: str


class Node(Struct, frozen=True):
    """One operator of the graph."""

    index: int
    name: str
    """Unique in the model; made from operator and position where the file gives none."""
    domain: str
    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    captures: tuple[str, ...] = ()
    """Values of the graph around that bodies of the node read."""
    overload: str = ""
    """Tells functions of one name apart."""

    @property
    def function_key(self) -> tuple[str, str, str]:
        """Domain, name and overload of the function that it calls."""
        return self.domain, self.op_type, self.overload

    @property
    def reads(self) -> tuple[str, ...]:
        """Names of all values that it reads; that of an absent operand is empty."""
        return (*self.inputs, *self.captures) if self.captures else self.inputs

    @property
    def label(self) -> str:
        """The node in messages."""
        return f"node {quoted(self.name)} ({self.operator})"

    @property
    def operator(self) -> str:
        """Operator with its domain, unless that is the standard one."""
        return f"{self.domain}.{self.op_type}" if self.domain else self.op_type

    def without(self, absent: Collection[str]) -> Node:
        """Return the node with an empty name where it reads what is not there."""
        if not absent or not any(name in absent for name in self.inputs):
            return self
        inputs = tuple("" if name in absent else name for name in self.inputs)
        return self.changed(inputs=inputs)

    def with_attributes(self, given: Mapping[str, Any]) -> Node:
        """Return a node of a function with the attributes that the function's caller gave."""
        if not any(isinstance(value, AttributeReference) for value in self.attributes.values()):
            return self
        attributes: dict[str, Any] = {}
        for name, value in self.attributes.items():
            if not isinstance(value, AttributeReference):
                attributes[name] = value
            elif value.name in given:
                attributes[name] = given[value.name]
        return self.changed(attributes=attributes)

    def changed(self, **fields: Any) -> Node:
        """Return the node with other values of some of its fields."""
        return replace(self, **fields)


class Body(Struct, frozen=True):
    """Nodes inside of a node: a branch, what a loop repeats, or a function."""

    path: str
    """Unique in the model: names of nodes and of the attribute."""
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    """Empty for one that a function does not make, because its caller does not want it."""
    nodes: tuple[Node, ...]
    """Each after what it reads."""
    constants: Mapping[str, Known | Unreadable]
    captures: tuple[str, ...]
    """Values of the graph around that it reads; a function reads none."""
    opsets: Mapping[str, int] | None = None
    """Operator sets of a function; None: those around."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Attributes of a function that its callers may leave out."""
    stated: tuple[tuple[int, ...], ...] = ()
    """Shapes of a graph's outputs as it states them; 0 for a size that it leaves open."""

    def called(self, absent: Collection[str], attributes: Mapping[str, Any]) -> Body:
        """Return a function as one call of it has it: without some inputs, with attributes."""
        nodes = tuple(node.without(absent).with_attributes(attributes) for node in self.nodes)
        return Body(
            path=self.path, inputs=self.inputs, outputs=self.outputs, nodes=nodes,
            constants=self.constants, captures=self.captures, opsets=self.opsets,
        )  # fmt: skip

    @property
    def used(self) -> frozenset[str]:
        """Names of values that a node reads or that are outputs."""
        return frozenset({name for node in self.nodes for name in node.reads} | {*self.outputs})
