# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""WHILE and IF that run by themselves between stages: a network is made of each sub-graph.

A loop whose number of turns data decide, or that has very many, runs turn by turn; of branches
that give different shapes, the one runs that is chosen. Sub-graphs may have stages in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct, structs

from armnn_py.errors import ParseError
from armnn_py.frontends.common.between import Operands, flag_of
from armnn_py.frontends.common.values import Array, Unsupported
from armnn_py.frontends.tflite.binding import Entry
from armnn_py.frontends.tflite.model import Operator, TfliteModel
from armnn_py.frontends.tflite.parts import NESTED, Sizes, chained, deeper, with_tensors
from armnn_py.network import Network, NetworkStorage, Repeat
from armnn_py.tensors import TensorInfo

if TYPE_CHECKING:
    from armnn_py.network import RunBody

NetworkOf: TypeAlias = "Callable[..., Network]"


class Turns(Struct, frozen=True):
    """A WHILE; picklable, it holds no network.

    Its body makes the states after a turn, then the condition of the next one.
    """

    label: str
    operands: Operands

    def __call__(self, arrays: Mapping[str, Array], run: RunBody) -> list[Array]:
        """Run turns as long as the condition holds; return the states."""
        states = [array for array in self.operands.of(arrays) if array is not None]
        if not flag_of(_called(run, "condition", states)[0], self.label):
            return states
        names = [_input(index) for index in range(len(states))]
        return run.repeat(
            Repeat(
                "body", tuple(names), dict(zip(names, states, strict=True)), None,
                tuple((name, _output(index)) for index, name in enumerate(names)),
                goes_on=_output(len(states)), label=self.label,
            )
        )  # fmt: skip


class Branches(Struct, frozen=True):
    """An IF, of which one branch runs."""

    label: str
    operands: Operands

    def __call__(self, arrays: Mapping[str, Array], run: RunBody) -> list[Array]:
        """Run the branch that the condition chooses."""
        condition, *given = (array for array in self.operands.of(arrays) if array is not None)
        return _called(run, "then" if flag_of(condition, self.label) else "else", given)


def _called(run: RunBody, key: str, given: Sequence[Array]) -> list[Array]:
    made = run(key, {_input(index): array for index, array in enumerate(given)})
    return [made[_output(index)] for index in range(len(made))]


def _input(index: int) -> str:
    return f"given_{index}"


def _output(index: int) -> str:
    return f"made_{index}"


class Apart(Struct, frozen=True):
    """Such an operator, and what it makes."""

    compute: Turns | Branches
    networks: dict[str, NetworkStorage]
    outputs: list[TensorInfo]
    """With free sizes where they are not known."""


def make_apart(
    op: Operator,
    label: str,
    operands: Operands,
    infos: Sequence[TensorInfo],
    model: TfliteModel,
    network_of: NetworkOf,
) -> Apart:
    """Make the networks of an operator's sub-graphs for operands of these types and shapes.

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
        condition = body("cond", infos)
        whole = chained(model, called("body"), called("cond"))
        return {"condition": condition, "body": _body(whole, len(model.graphs), infos, network_of)}

    if op.name == "IF":
        made = {key: body(key, infos[1:]) for key in ("then", "else")}
        outputs = _common(*(_made(network) for network in made.values()))
        return Apart(Branches(label, operands), {**made}, outputs)
    networks = turn(infos)
    *after, _ = _made(networks["body"])
    if [(i.data_type, i.rank) for i in after] != [(i.data_type, i.rank) for i in infos]:
        raise Unsupported("a state of another type or rank after a turn")
    if [info.shape for info in after] != [info.shape for info in infos]:
        infos = [info.with_shape((None,) * info.rank) for info in infos]
        networks = turn(infos)
    return Apart(Turns(label, operands), networks, list(infos))


#: Operators that can.
APART = ("IF", "WHILE")


def _body(
    model: TfliteModel, index: int, infos: Sequence[TensorInfo], network_of: NetworkOf
) -> Network:
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
    outputs = {_output(number): place for number, place in enumerate(graph.outputs)}
    return network_of(
        changed, Entry(index, inputs, outputs),
        {name: sizes[place] for name, place in inputs.items()}, frees_outputs=True,
    )  # fmt: skip


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
