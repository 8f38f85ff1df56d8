# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators that run by themselves between stages.

UNIQUE and WHERE are functions of arrays. Of WHILE and IF a network is made of each sub-graph.

A loop whose number of turns data decide, or that has very many, runs turn by turn; of branches
that give different shapes, the one runs that is chosen. Sub-graphs may have stages in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct, structs

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Unsupported
from armnn_py.frontends.tflite.binding import Entry
from armnn_py.frontends.tflite.model import Graph, Operator, TfliteModel
from armnn_py.frontends.tflite.parts import NESTED, Sizes, chained, deeper, with_tensors
from armnn_py.frontends.tflite.tensors import check_type, dtype_named, tensor_info
from armnn_py.network import Network, NetworkStorage
from armnn_py.network.choices import Choice
from armnn_py.network.control import BodyRun, Branches, Loop, Operands
from armnn_py.tensors import TensorInfo

NetworkOf: TypeAlias = "Callable[..., Network]"


def _input(index: int) -> str:
    return f"given_{index}"


def _output(index: int) -> str:
    return f"made_{index}"


class Apart(Struct, frozen=True):
    """Such an operator, and what it makes."""

    compute: Loop | Branches | Choice
    networks: dict[str, NetworkStorage]
    outputs: list[TensorInfo]
    """With free sizes where they are not known."""


def make_apart(
    op: Operator,
    label: str,
    operands: Operands,
    results: Mapping[str, int],
    infos: Sequence[TensorInfo],
    model: TfliteModel,
    network_of: NetworkOf,
    *,
    begins: bool = False,
) -> Apart:
    """Make the networks of an operator's sub-graphs for operands of these types and shapes.

    ``results`` are the places of its results by name. ``begins``: the first condition of a loop
    holds in all runs.

    Raises
    ------
    Unsupported
        It cannot run by itself.
    """
    model = structs.replace(model, keeps_loops=False)

    def called(key: str) -> int:
        index = int(op.options.get(f"{key}_subgraph_index", -1))
        if not 0 <= index < len(model.graphs):
            raise ParseError(f"sub-graph {index} is called, but the model has {len(model.graphs)}")
        return index

    def body(key: str, infos: Sequence[TensorInfo]) -> Network:
        return _body(model, called(key), infos, network_of)

    def turn(infos: Sequence[TensorInfo]) -> dict[str, NetworkStorage]:
        whole = chained(model, called("body"), called("cond"))
        networks = {} if begins else {"condition": body("cond", infos)}
        graph = whole.graphs[-1]
        if len(graph.outputs) != len(infos) + 1:
            raise ParseError(
                f"the sub-graphs of a loop have {len(graph.outputs)} outputs, "
                f"{len(infos)} states and a condition expected"
            )
        same = [n for n, place in enumerate(graph.inputs) if graph.outputs[n] == place]
        made = _body(whole, graph.index, infos, network_of, same)
        return {**networks, "body": made}

    if op.name == "IF":
        made = {key: body(key, infos[1:]) for key in ("then", "else")}
        outputs = _common(*(_made(network) for network in made.values()))
        runs = {key: _run_of(key, network, len(outputs)) for key, network in made.items()}
        return Apart(Branches(label, operands, {**results}, runs), {**made}, outputs)
    networks = turn(infos)
    made_by_turn = networks["body"].outputs
    after = [made_by_turn.get(_output(index), info) for index, info in enumerate(infos)]
    if [(i.data_type, i.rank) for i in after] != [(i.data_type, i.rank) for i in infos]:
        raise Unsupported("a state of another type or rank after a turn")
    if [info.shape for info in after] != [info.shape for info in infos]:
        infos = [info.with_shape((None,) * info.rank) for info in infos]
        networks = turn(infos)
    turn_of = _run_of("body", networks["body"], len(infos) + 1)
    first = None if begins else _run_of("condition", networks["condition"], 1)
    # As of a Loop: the condition of the next turn comes first, and the number of turns is absent.
    turn_of = structs.replace(
        turn_of, inputs=("", "", *turn_of.inputs),
        outputs=(turn_of.outputs[-1], *turn_of.outputs[:-1]),
    )  # fmt: skip
    given = Operands(
        ("", "", *operands.names), {index + 2: one for index, one in operands.constants.items()}
    )
    loop = Loop(label, given, {**results}, turn_of, first=first)
    return Apart(loop, networks, list(infos))


def make_choice(
    op: Operator,
    label: str,
    operands: Operands,
    results: Mapping[str, int],
    info: TensorInfo,
    graph: Graph,
) -> Apart:
    """Return UNIQUE or WHERE of an operand with this info; see `make_apart`.

    Raises
    ------
    ParseError
        The file states another type of an output than it has.
    """
    if op.name == "WHERE":
        made: list[tuple[Any, Sizes]] = [(np.dtype(np.int64), (None, info.rank))]
        choice = Choice(label, operands, {**results}, "places_of")
    else:
        index = dtype_named(graph.tensors[op.outputs[1]].type)
        made = [(info.dtype, (None,)), (index, info.shape)]
        places = {name: 2 * place for name, place in results.items()}
        choice = Choice(label, operands, places, "unique", is_sorted=False, index=index)
    tensors = [graph.tensors[place] for place in op.outputs]
    outputs = []
    for tensor, (dtype, sizes) in zip(tensors, made, strict=True):
        check_type(op, tensor, dtype)
        outputs.append(tensor_info(tensor, sizes))
    return Apart(choice, {}, outputs)


#: Operators with sub-graphs.
APART = ("IF", "WHILE")


def _body(
    model: TfliteModel,
    index: int,
    infos: Sequence[TensorInfo],
    network_of: NetworkOf,
    same: Sequence[int] = (),
) -> Network:
    """Return the network of a sub-graph; the outputs ``same`` are inputs of that number."""
    graph = model.graphs[index]
    if len(graph.inputs) != len(infos):
        raise ParseError(
            f"sub-graph {index} has {len(graph.inputs)} inputs, but is called with {len(infos)}"
        )
    sizes: dict[int, Sizes] = {
        place: info.shape for place, info in zip(graph.inputs, infos, strict=True)
    }
    changed = with_tensors(deeper(model, NESTED), index, sizes)
    inputs = {_input(number): place for number, place in enumerate(graph.inputs)}
    outputs = {_output(n): place for n, place in enumerate(graph.outputs) if n not in same}
    return network_of(
        changed, Entry(index, inputs, outputs),
        {name: sizes[place] for name, place in inputs.items()}, frees_outputs=True,
    )  # fmt: skip


def _run_of(key: str, network: NetworkStorage, count: int) -> BodyRun:
    """Return the run of a body with ``count`` outputs; its network lacks those that are inputs."""
    names, made = tuple(network.inputs), network.outputs
    outputs = [_output(n) if _output(n) in made else _input(n) for n in range(count)]
    return BodyRun(key, names, names, tuple(outputs), tuple(made))


def _made(network: Any) -> list[TensorInfo]:
    return [network.outputs[_output(index)] for index in range(len(network.outputs))]


def _common(first: Sequence[TensorInfo], second: Sequence[TensorInfo]) -> list[TensorInfo]:
    """Return the infos that results of branches have in common; sizes that differ are free."""
    if len(first) != len(second):
        raise ParseError(
            f"the branches have {len(first)} and {len(second)} outputs, expected as many"
        )
    found = []
    for one, other in zip(first, second, strict=True):
        if (one.data_type, one.rank) != (other.data_type, other.rank):
            raise Unsupported(f"branches that give {one!r} and {other!r}")
        sizes = [a if a == b else None for a, b in zip(one.shape, other.shape, strict=True)]
        found.append(one.with_shape(sizes))
    return found
