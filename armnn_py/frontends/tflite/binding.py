# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The interface of a model: a sub-graph or signature, names, and the shapes of the inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from armnn_py.errors import InvalidArgumentError, ParseError, UnknownNameError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Unsupported
from armnn_py.frontends.tflite.model import Graph, Signature, Tensor, TfliteModel
from armnn_py.frontends.tflite.tensors import tensor_info
from armnn_py.tensors import TensorInfo, format_shape, parse_shape

Shapes = Mapping[str, Sequence[int | None]]


class Entry(Struct, frozen=True):
    """A sub-graph as it is called: names of inputs and outputs, and the tensors that they are."""

    graph: int
    inputs: dict[str, int]
    outputs: dict[str, int]


def choose_entry(
    model: TfliteModel, signature: str | None = None, subgraph: int | str | None = None
) -> Entry:
    """Return the sub-graph that was asked for; by default the first, by the names of its tensors.

    Raises
    ------
    UnknownNameError
        The model has no signature or sub-graph of this name.
    InvalidArgumentError
        Both are given.
    """
    if signature is not None and subgraph is not None:
        raise InvalidArgumentError("signature and subgraph given, one of them expected")
    if signature is not None:
        return _of_signature(model, signature)
    graph = model.graphs[0 if subgraph is None else _place(model, subgraph)]
    return Entry(
        graph.index, _named(graph, graph.inputs, "input"), _named(graph, graph.outputs, "output")
    )


def _of_signature(model: TfliteModel, key: str) -> Entry:
    found: Signature | None = next((s for s in model.signatures if s.key == key), None)
    if found is None:
        raise UnknownNameError(
            f"'{model.source_name}' has no signature {quoted(key)}",
            name=str(key),
            valid=[signature.key for signature in model.signatures],
        )
    for name in (*found.inputs, *found.outputs):
        if not name:
            raise ParseError(f"signature {quoted(key)} has a tensor without a name")
    return Entry(found.graph, dict(found.inputs), dict(found.outputs))


def _place(model: TfliteModel, wanted: int | str) -> int:
    names = [graph.name for graph in model.graphs]
    if isinstance(wanted, str) and wanted in names:
        return names.index(wanted)
    if isinstance(wanted, str) and wanted.isdecimal():
        wanted = int(wanted)
    is_number = isinstance(wanted, int) and not isinstance(wanted, bool)
    if is_number and 0 <= int(wanted) < len(names):
        return int(wanted)
    raise UnknownNameError(
        f"'{model.source_name}' has no sub-graph {quoted(wanted)}",
        name=str(wanted),
        valid=[name or str(index) for index, name in enumerate(names)],
    )


def _named(graph: Graph, places: Sequence[int], what: str) -> dict[str, int]:
    """Return a name for each tensor: its own, or one that is made up where it has none."""
    found: dict[str, int] = {}
    for count, place in enumerate(places):
        stem = graph.tensors[place].name or f"{what}_{count}"
        name, number = stem, 1
        while name in found:
            number += 1
            name = f"{stem}_{number}"
        found[name] = place
    return found


def with_outputs(model: TfliteModel, entry: Entry, names: Sequence[str]) -> Entry:
    """Return the same call of a sub-graph, with tensors that operators make as further outputs.

    Raises
    ------
    UnknownNameError
        No operator makes a tensor of a name.
    InvalidArgumentError
        A tensor is an output already.
    """
    graph = model.graphs[entry.graph]
    made = [graph.tensors[place] for op in graph.operators for place in op.outputs]
    places = {tensor.short_name: tensor.index for tensor in made}
    places |= {tensor.name: tensor.index for tensor in made if tensor.name}
    for name in names:
        if name in entry.outputs:
            raise InvalidArgumentError(
                f"extra output {quoted(name)}: it is an output of the network already"
            )
        if name not in places:
            raise UnknownNameError(
                f"'{model.source_name}' has no tensor {quoted(name)}",
                name=name,
                valid=sorted(places),
            )
    more = {name: places[name] for name in names}
    return Entry(entry.graph, entry.inputs, {**entry.outputs, **more})


def input_infos(
    model: TfliteModel, entry: Entry, shapes: Shapes | None = None
) -> dict[str, TensorInfo]:
    """Return the inputs, with the shapes that the file states or those that are given.

    A file also states a size for free dimensions; they stay free only if ``shapes`` says ``None``.

    Raises
    ------
    UnknownNameError
        A name in ``shapes`` is not an input.
    InvalidArgumentError
        A shape does not fit the model's.
    ParseError
        An input is of a type that no tensor has.
    """
    graph = model.graphs[entry.graph]
    given = _checked(shapes)
    for name in given:
        if name not in entry.inputs:
            raise UnknownNameError(
                f"{quoted(name)} is not an input of '{model.name}'",
                name=str(name),
                valid=list(entry.inputs),
            )
    infos = {}
    for name, place in entry.inputs.items():
        tensor = graph.tensors[place]
        shape = tensor.shape if name not in given else _bound(name, tensor, given[name])
        try:
            infos[name] = tensor_info(tensor, shape)
        except Unsupported as reason:
            raise ParseError(f"input {quoted(name)}: {reason}", path=model.path) from None
    return infos


def _checked(shapes: Shapes | None) -> dict[str, tuple[int | None, ...]]:
    if shapes is None:
        return {}
    if not isinstance(shapes, Mapping):
        raise InvalidArgumentError(
            f"shapes given as {type(shapes).__name__}, a mapping of input names expected",
            hints=["shapes={'image': (1, 224, 224, 3)}"],
        )
    return {
        name: parse_shape(shape, what=f"shape of input {quoted(name)}")
        for name, shape in shapes.items()
    }


def _bound(name: str, tensor: Tensor, given: tuple[int | None, ...]) -> tuple[int | None, ...]:
    what = f"input {quoted(name)}"
    if len(given) != len(tensor.shape):
        raise InvalidArgumentError(
            f"{what}: {len(given)} dimensions given, {len(tensor.shape)} expected",
            details=[f"shape of the model: {format_shape(tensor.shape)}"],
        )
    # A file without a signature of shapes does not say which dimensions are free.
    signature = tensor.signature or (-1,) * len(given)
    free = tuple(None if dim < 0 else dim for dim in signature)
    for axis, (size, dim) in enumerate(zip(given, free, strict=True)):
        if dim is not None and size not in (None, dim):
            raise InvalidArgumentError(
                f"{what}: dimension {axis} is {size}, {dim} expected",
                details=[f"shape of the model: {format_shape(free)}"],
            )
    return tuple(dim if dim is not None else size for size, dim in zip(given, free, strict=True))
