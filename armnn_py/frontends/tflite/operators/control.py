# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""IF and WHILE: a branch is chosen, or both are computed; turns of a loop are written out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of, shape_of
from armnn_py.frontends.tflite.node import OperatorView, RunsApart, RunTimeOperand
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import LogicalBinaryOperation

#: Turns of a loop that are written out.
_MOST_TURNS = 1024
#: Layers of turns that are written out where longer loops are kept.
_MOST_LAYERS = 256
#: Turns that are all computed where a condition computed at run time may end the loop before.
_MOST_SELECTED = 16


@operator("IF")
def _if(view: OperatorView) -> Sequence[Value]:
    """Take the branch that a known condition chooses; else select between both branches."""
    condition, given = view.value(0), view.values()[1:]
    graphs = [int(view.option(f"{name}_subgraph_index", -1)) for name in ("then", "else")]
    if isinstance(condition, Known):
        return view.call(graphs[0 if _flag(condition) else 1], given, "")
    flag, variables = view.emit.reshape(condition, ()), view.resources
    before = variables.values()
    first = view.call(graphs[0], given, "then")
    of_first = variables.values()
    variables.restore(before)
    second = view.call(graphs[1], given, "else")
    if len(first) != len(second):
        raise ParseError(
            f"the branches have {len(first)} and {len(second)} outputs, expected as many"
        )
    of_second = variables.values()
    variables.restore(of_first)
    of_first = variables.values()
    variables.restore(
        {
            name: _chosen(view, flag, of_first[name], value, condition)
            for name, value in of_second.items()
        }
    )
    return [
        _chosen(view, flag, one, other, condition) for one, other in zip(first, second, strict=True)
    ]


@operator("WHILE")
def _while(view: OperatorView) -> Sequence[Value]:
    """Write out the turns, as long as the condition is known to hold.

    If a condition is computed when the network runs, the turns up to one that is known to be the
    last are all computed, if they are few; states stay as they are from the turn on that is not
    reached.
    """
    graphs = [int(view.option(f"{name}_subgraph_index", -1)) for name in ("cond", "body")]
    states: list[Value] = list(view.values())
    reached: Value | None = None
    before = view.emit.layer_count
    for turn in range(_MOST_TURNS + 1):
        if view.keeps_loops and view.emit.layer_count - before > _MOST_LAYERS:
            reason = f"a loop of more than {_MOST_LAYERS} layers"
            raise RunsApart(reason, begins=reached is None)
        (condition,) = _expect(view.call(graphs[0], states, f"condition_{turn}"), 1)
        if isinstance(condition, Known):
            if not _flag(condition):
                return states
        else:
            if turn >= _MOST_SELECTED:
                raise RunTimeOperand("the condition of a loop", condition)
            flag = view.emit.reshape(condition, ())
            both = LogicalBinaryOperation.AND
            reached = flag if reached is None else view.emit.logical(both, reached, flag)
        variables = view.resources.values()
        after = _expect(view.call(graphs[1], states, f"turn_{turn}"), len(states))
        if reached is not None:
            if view.resources.values() != variables:
                raise Unsupported("variables that a turn changes which may not be reached")
            after = [
                _chosen(view, reached, new, old, condition)
                for new, old in zip(after, states, strict=True)
            ]
        states = after
    raise RunsApart(f"a loop of more than {_MOST_TURNS} turns", begins=reached is None)


@operator("STABLEHLO_COMPOSITE")
def _composite(view: OperatorView) -> Sequence[Value]:
    """An operator that some runtime knows, written out by the sub-graph that defines it."""
    given = [value for value in map(view.optional, range(view.count)) if value is not None]
    return view.call(int(view.option("decomposition_subgraph_index", -1)), given, "")


def _chosen(view: OperatorView, flag: Value, x: Value, y: Value, condition: Value) -> Value:
    if x is y:
        return x
    if shape_of(x) != shape_of(y):
        raise RunTimeOperand("a condition that decides a shape", condition)
    if dtype_of(x) != dtype_of(y):
        raise ParseError(f"the branches give {dtype_of(x)} and {dtype_of(y)}, expected one type")
    return view.emit.where(flag, x, y)


def _flag(condition: Known) -> bool:
    if condition.array.size != 1 or condition.array.dtype != np.bool_:
        raise ParseError(
            f"the condition has {condition.array.size} elements of {condition.array.dtype}, "
            "expected "
            "one boolean"
        )
    return bool(condition.array.reshape(-1)[0])


def _expect(values: Sequence[Value], count: int) -> list[Value]:
    if len(values) != count:
        raise ParseError(f"a sub-graph of a loop has {len(values)} outputs, expected {count}")
    return list(values)
