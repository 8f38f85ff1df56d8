# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From the nodes of a file to `Node`, with the graphs and sparse tensors in their attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs

from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.slabs import Slabs
from armnn_py.frontends.common.unique_names import unique_name
from armnn_py.frontends.common.values import Known
from armnn_py.frontends.onnx.convert.table import has_body
from armnn_py.frontends.onnx.file.graph_node import AttributeReference, Body, Node
from armnn_py.frontends.onnx.file.ordering import live_nodes, sort_nodes
from armnn_py.frontends.onnx.file.parts import GraphParts, NodeParts
from armnn_py.frontends.onnx.file.reading import protobuf_text
from armnn_py.frontends.onnx.file.tensors import Unreadable, read_tensor
from armnn_py.frontends.onnx.stages.cuts import cut_by_counts
from armnn_py.frontends.onnx.text.ml_strings import with_numbers
from armnn_py.memory_budget import computed_budget
from armnn_py.tensors import MAX_DIMENSIONS
from armnn_py.text import format_bytes

if TYPE_CHECKING:
    import onnx
    from numpy.typing import NDArray

    from armnn_py.frontends.common.source import Part

#: Graphs inside graphs; models have two or three.
_DEEPEST = 16


class NodeReader:
    """Reads nodes, initializers and the graphs inside of nodes.

    Parameters
    ----------
    folder
        Folder of weights that are stored outside of the file.
    """

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._memory = Slabs()
        self._depth = 0

    # ---- Initializers ----------------------------------------------------------------------------

    def constant_names(self, graph: onnx.GraphProto) -> dict[str, Any]:
        """Return the initializers of a graph by name, in the order of the file."""
        found: dict[str, Any] = {}
        for tensor in graph.initializer:
            name = protobuf_text(tensor.name, "name of an initializer")
            if not name:
                raise ParseError("an initializer has no name")
            if name in found:
                raise ParseError(f"initializer {quoted(name)} is defined twice")
            found[name] = tensor
        for sparse in graph.sparse_initializer:
            name = protobuf_text(sparse.values.name, "name of an initializer")
            if not name:
                raise ParseError("a sparse initializer has no name")
            if name in found:
                raise ParseError(f"initializer {quoted(name)} is defined twice")
            found[name] = sparse
        return found

    def constants(
        self, named: dict[str, Any], used: Collection[str], parts: GraphParts
    ) -> dict[str, Known | Unreadable]:
        """Read those of a graph's initializers, as `constant_names` gives them, that are used."""
        return {
            name: self._constant(tensor, parts.initializers.get(number))
            for number, (name, tensor) in enumerate(named.items())
            if name in used
        }

    def _constant(self, tensor: Any, part: Part | None) -> Known | Unreadable:
        if not hasattr(tensor, "raw_data"):
            name = protobuf_text(tensor.values.name, "name of an initializer")
            dense = read_sparse(tensor, self._folder, f"initializer {quoted(name)}")
            return dense if isinstance(dense, Unreadable) else Known(dense)
        name = protobuf_text(tensor.name, "name of an initializer")
        what = f"initializer {quoted(name)}"
        values = read_tensor(tensor, self._folder, what, self._memory.empty, part)
        return values if isinstance(values, Unreadable) else Known(values)

    # ---- Nodes -----------------------------------------------------------------------------------

    def nodes(
        self, protos: Iterable[onnx.NodeProto], parts: GraphParts, path: str = ""
    ) -> list[Node]:
        """Read nodes in the order of the file; ``path`` is that of the body they are in."""
        nodes: list[Node] = []
        names: set[str] = set()
        for index, proto in enumerate(protos):
            op_type = protobuf_text(proto.op_type, "operator of a node")
            named = protobuf_text(proto.name, "name of a node") or f"{op_type}_{index}"
            name = unique_name(named, names)
            what = f"node {quoted(name)} ({op_type})"
            if not op_type:
                raise ParseError(f"node {quoted(name)} names no operator")
            domain = domain_of(protobuf_text(proto.domain, f"domain of {what}"))
            bodies: list[Body] = []

            def read_body(
                graph: Any, attribute: str, parts: GraphParts, name: str = name,
                kind: tuple[str, str] = (domain, op_type), bodies: list[Body] = bodies,
            ) -> Body:  # fmt: skip
                body = self._body(graph, f"{path}{name}/{attribute}/", parts)
                if has_body(*kind, attribute):
                    bodies.append(body)
                return body

            attributes = read_attributes(
                proto.attribute, self._folder, what, read_body, parts.nodes.get(index)
            )
            nodes.append(
                Node(
                    index=index,
                    name=name,
                    domain=domain,
                    op_type=op_type,
                    inputs=tuple(protobuf_text(v, f"input of {what}") for v in proto.input),
                    outputs=tuple(protobuf_text(v, f"output of {what}") for v in proto.output),
                    attributes=attributes,
                    captures=tuple(dict.fromkeys(n for body in bodies for n in body.captures)),
                    overload=protobuf_text(getattr(proto, "overload", ""), f"overload of {what}"),
                )
            )
        return cut_by_counts(with_numbers(nodes))

    def _body(self, graph: onnx.GraphProto, path: str, parts: GraphParts) -> Body:
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                raise ParseError(f"graphs are nested more than {_DEEPEST} deep at '{path[:60]}'")
            constants = self.constant_names(graph)
            inputs = tuple(protobuf_text(value.name, "input of a graph") for value in graph.input)
            outputs = tuple(
                protobuf_text(value.name, "output of a graph") for value in graph.output
            )
            body = self._ordered(graph.node, path, inputs, outputs, constants, parts)
            stated = tuple(
                tuple(max(dim.dim_value, 0) for dim in value.type.tensor_type.shape.dim)
                for value in graph.output
            )
            return structs.replace(body, stated=stated)
        finally:
            self._depth -= 1

    def function(self, function: onnx.FunctionProto) -> Body:
        """Read a function: of the model's own, or of the standard."""
        name = protobuf_text(function.name, "name of a function")
        path = f"{name}/"
        defaults = read_attributes(function.attribute_proto, self._folder, f"function '{name}'")
        body = self._ordered(
            function.node,
            path,
            tuple(protobuf_text(value, "input of a function") for value in function.input),
            tuple(protobuf_text(value, "output of a function") for value in function.output),
            {},
            GraphParts(),
            is_function=True,
        )
        if body.captures:
            raise ParseError(
                f"function {quoted(name)} reads {quoted(body.captures[0])}, which is not one of "
                "its inputs and has no node"
            )
        return Body(
            path=path,
            inputs=body.inputs,
            outputs=body.outputs,
            nodes=body.nodes,
            constants={},
            captures=(),
            opsets=opsets_of(function.opset_import),
            defaults=defaults,
        )

    def _ordered(
        self,
        protos: Iterable[onnx.NodeProto],
        path: str,
        inputs: tuple[str, ...],
        outputs: tuple[str, ...],
        constants: dict[str, Any],
        parts: GraphParts,
        *,
        is_function: bool = False,
    ) -> Body:
        nodes = self.nodes(protos, parts, path)
        made = {*inputs, *constants} | {name for node in nodes for name in node.outputs}
        if is_function:  # one of the standard makes the outputs that its caller wants
            outputs = tuple(name if name in made else "" for name in outputs)
        elif "" in outputs:
            raise ParseError(f"graph {quoted(path)}: output {outputs.index('')} has no name")
        read = dict.fromkeys(name for node in nodes for name in node.reads)
        captures = tuple(name for name in (*read, *outputs) if name and name not in made)
        wanted = [name for name in outputs if name]
        nodes = sort_nodes(nodes, {*inputs, *constants, *captures}, wanted)
        nodes = live_nodes(nodes, wanted)
        return Body(
            path=path,
            inputs=inputs,
            outputs=outputs,
            nodes=tuple(nodes),
            constants=self.constants(constants, constants, parts),
            captures=tuple(dict.fromkeys(captures)),
        )


def domain_of(domain: str | bytes) -> str:
    """Return a domain; that of the standard is empty."""
    text = protobuf_text(domain, "domain")
    return "" if text == "ai.onnx" else text


def opsets_of(entries: Iterable[onnx.OperatorSetIdProto]) -> dict[str, int]:
    """Return the versions of operator sets by domain."""
    opsets: dict[str, int] = {}
    for entry in entries:
        domain = domain_of(protobuf_text(entry.domain, "domain"))
        opsets[domain] = max(opsets.get(domain, 0), entry.version)
    return opsets


BodyReader = Callable[[Any, str, GraphParts], Body]
"""Reads the graph in the attribute of this name."""

_NO_PARTS = NodeParts()


def read_attributes(
    attributes: Iterable[onnx.AttributeProto],
    folder: str | None,
    what: str,
    read_body: BodyReader | None = None,
    parts: NodeParts | None = None,
) -> dict[str, Any]:
    """Return attributes by name: int, float, str, array, or a list of these, `Body` for a graph.

    One that refers to an attribute of the function around is an `AttributeReference`. ``parts``:
    data that the messages lack.

    Raises
    ------
    ParseError
        An attribute is named twice, has no value, or holds a damaged tensor.
    """
    found: dict[str, Any] = {}
    parts = parts or _NO_PARTS
    for number, attribute in enumerate(attributes):
        name = protobuf_text(attribute.name, f"attribute of {what}")
        if name in found:
            raise ParseError(f"{what} has the attribute {quoted(name)} twice")
        where = f"attribute {quoted(name)} of {what}"
        if attribute.ref_attr_name:
            found[name] = AttributeReference(protobuf_text(attribute.ref_attr_name, where))
        elif int(attribute.type) == _GRAPH and read_body is not None:
            found[name] = read_body(attribute.g, name, parts.bodies.get(number) or GraphParts())
        else:
            found[name] = _value(attribute, folder, where, parts.tensors.get(number))
    return found


def _value(attribute: onnx.AttributeProto, folder: str | None, what: str, part: Part | None) -> Any:
    kind = int(attribute.type)
    if kind == _UNDEFINED:  # files of IR version 1 do not state it
        kind = next((number for number in _FIELDS if _is_set(attribute, number)), kind)
    if kind == _TENSOR:
        return read_tensor(attribute.t, folder, what, part=part)
    if kind == _SPARSE_TENSOR:
        return read_sparse(attribute.sparse_tensor, folder, what)
    reader = _READERS.get(kind)
    if reader is not None:
        return reader(attribute)
    if kind == _UNDEFINED:
        raise ParseError(f"{what} has no value")
    return Unreadable(f"{what} has a value of another kind ({kind})")


# AttributeProto.AttributeType
_UNDEFINED = 0
_FLOAT, _INT, _STRING, _TENSOR = 1, 2, 3, 4
_FLOATS, _INTS, _STRINGS = 6, 7, 8
_GRAPH = 5
_SPARSE_TENSOR = 11

_FIELDS = {
    _FLOAT: "f",
    _INT: "i",
    _STRING: "s",
    _TENSOR: "t",
    _FLOATS: "floats",
    _INTS: "ints",
    _STRINGS: "strings",
}


def _is_set(attribute: onnx.AttributeProto, kind: int) -> bool:
    field = _FIELDS[kind]
    return bool(getattr(attribute, field)) if kind >= _FLOATS else attribute.HasField(field)


def _text(value: bytes) -> str | bytes:
    """Return a string attribute; custom operators keep binary data in some."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value


_READERS: dict[int, Callable[[Any], Any]] = {
    _FLOAT: lambda a: float(a.f),
    _INT: lambda a: int(a.i),
    _STRING: lambda a: _text(bytes(a.s)),
    _FLOATS: lambda a: [float(value) for value in a.floats],
    _INTS: lambda a: [int(value) for value in a.ints],
    _STRINGS: lambda a: [_text(bytes(value)) for value in a.strings],
}


def read_sparse(
    sparse: onnx.SparseTensorProto, folder: str | None, what: str
) -> NDArray[Any] | Unreadable:
    """Read a sparse tensor: values [count], and places [count] or [count, rank] in order.

    Raises
    ------
    ParseError
        Values, places and shape do not fit, or the array is far larger than its values.
    """
    values = read_tensor(sparse.values, folder, f"values of {what}")
    places = read_tensor(sparse.indices, folder, f"indices of {what}")
    for one in (values, places):
        if isinstance(one, Unreadable):
            return one
    assert not isinstance(values, Unreadable)
    assert not isinstance(places, Unreadable)
    shape = tuple(sparse.dims)
    if not 1 <= len(shape) <= MAX_DIMENSIONS or min(shape) < 0:
        raise ParseError(f"{what} has shape {shape}, expected 1 to {MAX_DIMENSIONS} sizes")
    flat = places.ndim == 1
    if values.ndim != 1 or places.dtype != np.int64 or places.shape != (
        (len(values),) if flat else (len(values), len(shape))
    ):  # fmt: skip
        raise ParseError(
            f"{what}: indices of shape {places.shape} do not fit {len(values)} values",
            details=[f"shape: {shape}"],
        )
    limits = np.array([math.prod(shape)] if flat else shape, np.int64)
    columns = places.reshape(len(values), len(limits))
    if ((columns < 0) | (columns >= limits)).any():
        raise ParseError(f"{what} has an index outside of shape {shape}")
    size, most = math.prod(shape) * values.dtype.itemsize, computed_budget(values.nbytes)
    if size > most:
        raise ParseError(
            f"{what} would take {format_bytes(size)}, at most {format_bytes(most)} are allowed",
            hints=["set_memory_budget or ARMNN_PY_MEMORY_BUDGET sets the limit"],
        )
    dense = np.zeros(shape, values.dtype)
    if flat:
        dense.reshape(-1)[places] = values
    else:
        dense[tuple(columns.T)] = values
    dense.flags.writeable = False
    return dense
