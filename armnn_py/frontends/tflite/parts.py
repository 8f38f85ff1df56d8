# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Parts of a model as models of their own, which share its weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import structs

from armnn_py.frontends.common.values import Known, Unsupported
from armnn_py.frontends.tflite.model import Operator, TfliteModel

Sizes: TypeAlias = "tuple[int | None, ...]"

#: Weight of a sub-graph that runs by itself; a stage behind another one counts 1.
NESTED = 8
_DEEPEST = 64


def deeper(model: TfliteModel, by: int) -> TfliteModel:
    """Return the same model, as a part that lies behind or inside of others.

    Raises
    ------
    Unsupported
        There are too many of them: a part may be part of itself.
    """
    if model.depth + by > _DEEPEST:
        raise Unsupported("sub-graphs inside each other, or stages one behind another, without end")
    return structs.replace(model, depth=model.depth + by)


def with_tensors(model: TfliteModel, graph: int, sizes: Mapping[int, Sizes]) -> TfliteModel:
    """Return a model in which tensors of a graph have other sizes, free ones among them."""
    old = model.graphs[graph]
    tensors = [*old.tensors]
    for place, shape in sizes.items():
        tensors[place] = structs.replace(
            tensors[place],
            shape=tuple(1 if size is None else size for size in shape),
            signature=tuple(-1 if size is None else size for size in shape),
        )
    graphs = [*model.graphs]
    graphs[graph] = structs.replace(old, tensors=tuple(tensors))
    return structs.replace(model, graphs=tuple(graphs))


def chained(model: TfliteModel, first: int, second: int) -> TfliteModel:
    """Return a model with a further graph: ``first``, then ``second`` over its outputs.

    It has the outputs of both.
    """
    one, other = model.graphs[first], model.graphs[second]
    number, behind = len(model.graphs), len(one.tensors)
    after = 1 + max((op.index for op in one.operators), default=-1)
    fed = dict(zip(other.inputs, one.outputs, strict=False))

    def moved(places: Iterable[int]) -> tuple[int, ...]:
        return tuple(fed.get(p, p + behind if p >= 0 else p) for p in places)

    graph = structs.replace(
        one,
        index=number,
        tensors=(
            *one.tensors,
            *(structs.replace(tensor, index=tensor.index + behind) for tensor in other.tensors),
        ),
        outputs=(*one.outputs, *moved(other.outputs)),
        operators=(
            *one.operators,
            *(
                structs.replace(
                    op, index=op.index + after, inputs=moved(op.inputs), outputs=moved(op.outputs),
                    intermediates=moved(op.intermediates),
                )
                for op in other.operators
            ),
        ),
    )  # fmt: skip
    return structs.replace(
        model, graphs=(*model.graphs, graph), constants={**model.constants}, folded={}
    )


def part_of(
    model: TfliteModel,
    graph: int,
    operators: Iterable[Operator],
    sizes: Mapping[int, Sizes],
    known: Mapping[int, Known],
) -> TfliteModel:
    """Return a model that has some operators of a graph; ``known`` are tensors made elsewhere."""
    changed = with_tensors(model, graph, sizes)
    graphs = [*changed.graphs]
    graphs[graph] = structs.replace(graphs[graph], operators=tuple(operators))
    constants = {**model.constants, **{(graph, place): one for place, one in known.items()}}
    return structs.replace(
        changed, graphs=tuple(graphs), constants=constants, folded={}, depth=model.depth + 1
    )


def live(
    operators: Sequence[Operator], wanted: Iterable[int], known: Iterable[int]
) -> tuple[list[Operator], set[int]]:
    """Return the operators that wanted tensors depend on, and all tensors that these read."""
    needed, there, found = set(wanted), set(known), list[Operator]()
    for op in reversed(operators):
        if any(place in needed and place not in there for place in op.outputs):
            found.append(op)
            needed.update(place for place in op.inputs if place >= 0)
    return found[::-1], needed
