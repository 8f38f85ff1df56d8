# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""If, Loop and Scan: a branch is chosen, or both are computed; loops are written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axis
from armnn_py.frontends.common.values import (
    Array,
    BetterApart,
    Known,
    NotKnown,
    RunsApart,
    Unsupported,
    Value,
    dtype_of,
    shape_of,
)
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.sequence import TensorList
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.file.graph_node import Body
from armnn_py.text import counted
from armnn_py.types import LogicalBinaryOperation

#: Turns of a loop that are written out.
_MOST_TURNS = 1024
#: Layers of a loop from which on it runs by itself, where that may be chosen.
_MANY_LAYERS = 64
#: Turns that are all computed where a condition computed at run time may end the loop before.
_MOST_SELECTED = 16
_TOO_MANY = f"more than {_MOST_TURNS} turns"
_AND = LogicalBinaryOperation.AND


@operator("If")
def _if(view: NodeView) -> list[Value]:
    """Take the branch that a known condition chooses; else select between both branches."""
    condition = view.known(0)
    if condition is not None or view.depends_on_inputs(0):
        condition = view.constant(0, "a condition")
        if condition.size != 1:
            raise ParseError(f"the condition has {condition.size} elements, expected 1")
        chosen = view.body("then_branch" if condition.reshape(-1)[0] else "else_branch")
        return view.call(chosen, ())
    first = view.call(view.body("then_branch"), (), turn="then/")
    second = view.call(view.body("else_branch"), (), turn="else/")
    if len(first) != len(second):
        raise ParseError(
            f"the branches have {len(first)} and {len(second)} outputs, expected as many"
        )
    return _selected(view, view.emit.reshape(view.value(0), ()), first, second, "branches")


def _selected(
    view: NodeView, flag: Value, first: Sequence[Any], second: Sequence[Any], what: str
) -> list[Value]:
    """Select between values by a condition that is computed when the network runs."""
    for one, other in zip(first, second, strict=True):
        if isinstance(one, TensorList) or isinstance(other, TensorList):
            raise Unsupported(f"a condition computed at run time, and {what} that are sequences")
        if shape_of(one) != shape_of(other) or dtype_of(one) != dtype_of(other):
            reason = f"a condition computed at run time, and {what} of different shapes"
            if what == "branches":
                raise NotKnown(reason, 0)
            raise RunsApart(reason)
    return [view.emit.where(flag, one, other) for one, other in zip(first, second, strict=True)]


@operator("Loop")
def _loop(view: NodeView) -> list[Value]:
    """Write out the turns of a loop whose number, and whose conditions, are known.

    If a condition is computed when the network runs, all turns that there may be are computed,
    if these are few, and states stay as they are from the turn on that is not reached. A loop of
    many turns, or of an unknown number, runs by itself, turn by turn.
    """
    body = view.body("body")
    states: list[Any] = [view.anything(index) for index in range(2, view.count)]  # or lists
    names = ["", "", *view.node.inputs[2:]]
    if len(body.outputs) <= len(states):
        raise ParseError(
            f"the body has {counted(len(body.outputs), 'output')}, "
            f"a condition and {counted(len(states), 'state')} expected"
        )
    turns: int | None = None
    if view.has(0):
        count = view.value(0)
        if dtype_of(count).kind not in "iu":
            raise ParseError(f"the number of turns must be an integer, not {dtype_of(count)}")
        turns = int(_first(view.constant(0, "the number of turns"), "the number of turns"))
    if turns is not None and turns > _MOST_TURNS:
        raise RunsApart(_TOO_MANY)
    scanned: list[list[Value]] = [[] for _ in range(len(body.outputs) - 1 - len(states))]
    bounded = turns is not None and turns <= _MOST_SELECTED and not scanned
    goes_on, reached = True, None
    if view.has(1):
        if bounded and view.known(1) is None and not view.depends_on_inputs(1):
            reached = view.emit.reshape(view.value(1), ())
        else:
            goes_on = bool(_first(view.constant(1, "the condition"), "the condition"))
    if turns is None and goes_on and _never_ends(body):
        raise Unsupported("a loop without an end")
    turn = 0
    while goes_on and (turns is None or turn < turns):
        if turn >= _MOST_TURNS:
            raise RunsApart(_TOO_MANY)
        given = [Known(np.array(turn, np.int64)), Known(np.array(True)), *states]
        count_before = view.emit.layer_count
        results = view.call(body, given, names, turn=f"{turn}/")
        condition, before, states = results[0], states, results[1 : 1 + len(states)]
        if reached is not None:
            states = _selected(view, reached, states, before, "states")
        names = []
        for values, value in zip(scanned, results[1 + len(states) :], strict=True):
            values.append(value)
        turn += 1
        if turn == 1 and turns is not None:
            _choose(view, turns, count_before, before, states)
        if turn == turns:
            break  # whatever its condition says
        if isinstance(condition, Known):
            goes_on = bool(_first(condition.array, "the condition"))
        elif bounded:
            flag = view.emit.reshape(condition, ())
            reached = flag if reached is None else view.emit.logical(_AND, reached, flag)
        else:
            raise RunsApart("a condition that each turn computes at run time")
    if any(not values for values in scanned):
        raise RunsApart("a loop without turns that collects values")
    return [*states, *(_stacked(view, values, 0) for values in scanned)]


def _choose(
    view: NodeView, turns: int, before: int, states: Sequence[Any], after: Sequence[Any]
) -> None:
    """Have a loop run by itself if all its turns, after the first one, make many layers.

    ``before`` is how many layers there were before the first turn.
    """
    if not view.may_run_apart or (view.emit.layer_count - before) * turns <= _MANY_LAYERS:
        return
    if any(isinstance(value, TensorList) for value in after):
        return
    if all(shape_of(one) == shape_of(other) for one, other in zip(states, after, strict=True)):
        raise BetterApart("a loop of many layers")


def _never_ends(body: Body) -> bool:
    """Return whether each turn hands on the condition that it is given, or one that is true."""
    makers = {name: node for node in body.nodes for name in node.outputs}
    name, constant = body.outputs[0], None
    while name in makers and makers[name].operator == "Identity":
        name = makers[name].inputs[0]
    known = body.constants.get(name)
    if name in makers and makers[name].operator == "Constant":
        constant = makers[name].attributes.get("value")
    elif isinstance(known, Known):
        constant = known.array
    is_true = isinstance(constant, np.ndarray) and constant.size == 1 and bool(constant.all())
    return is_true or name in body.inputs[1:2]


def _first(array: Array, what: str) -> Any:
    if not array.size:
        raise ParseError(f"{what} has no elements, expected 1")
    return array.reshape(-1)[0]


def _stacked(view: NodeView, values: list[Value], axis: int) -> Value:
    rank = len(shape_of(values[0])) + 1
    axis = normal_axis(axis, rank)
    slices = []
    for value in values:
        shape = shape_of(value)
        slices.append(view.emit.reshape(value, (*shape[:axis], 1, *shape[axis:])))
    return slices[0] if len(slices) == 1 else view.emit.concat(slices, axis)


@operator("Scan")
def _scan_of_batches(view: NodeView) -> list[Value]:
    """Write out a scan of each element of a batch, as operator set 8 has it.

    The first dimension of all inputs and outputs is the batch, the second of scanned ones is run
    through. Sequences of different lengths run by themselves.
    """
    scans, body = view.integer("num_scan_inputs"), view.body("body")
    state_count = view.count - 1 - scans
    if scans < 1 or state_count < 0:
        raise ParseError(f"'num_scan_inputs' is {scans}, but the node has {view.count - 1} inputs")
    inputs = [view.value(index) for index in range(1, view.count)]
    batches = {(shape_of(value) or (0,))[0] for value in inputs}
    if len(batches) != 1:
        raise ParseError(f"the inputs have different batch sizes: {sorted(batches)}")
    (batch,) = batches
    if not batch:
        raise Unsupported("a scan of no batch")
    directions = _per_scan(view, "directions", scans)
    _collected(body, state_count)
    ranks = [len(shape_of(value)) for value in inputs[state_count:]]
    if min(ranks) < 2:
        raise ParseError("a scanned input is a scalar, expected at least one dimension")
    if batch * max(shape_of(inputs[-1])[1], 1) > _MOST_TURNS:
        raise RunsApart(_TOO_MANY)
    if view.has(0):
        lengths = np.array(view.integers(0, "the lengths of sequences"))
        if len(lengths) != batch:
            raise ParseError(f"{len(lengths)} lengths do not fit a batch of {batch} sequences")
        if (lengths != shape_of(inputs[-1])[1]).any():
            raise RunsApart("sequences of different lengths")
    found: list[list[Value]] = []
    for element in range(batch):
        values = [_slice(view, value, 0, element) for value in inputs]
        states, scanned = _turns(
            view, body, values[:state_count], values[state_count:], [0] * scans, directions,
            f"{element}/",
        )  # fmt: skip
        found.append([*states, *(_stacked(view, values, 0) for values in scanned)])
    return [_stacked(view, list(values), 0) for values in zip(*found, strict=True)]


@operator("Scan", since=9)
def _scan(view: NodeView) -> list[Value]:
    """Write out the turns of a loop over slices of tensors."""
    body = view.body("body")
    scans = view.integer("num_scan_inputs")
    state_count = view.count - scans
    if scans < 1 or state_count < 0:
        raise ParseError(f"'num_scan_inputs' is {scans}, but the node has {view.count} inputs")
    states = [view.value(index) for index in range(state_count)]
    inputs = [view.value(index) for index in range(state_count, view.count)]
    in_axes = _per_scan(view, "scan_input_axes", scans)
    in_axes = [
        normal_axis(axis, len(shape_of(value))) for axis, value in zip(in_axes, inputs, strict=True)
    ]
    in_directions = _per_scan(view, "scan_input_directions", scans)
    collected = _collected(body, state_count)
    out_axes = _per_scan(view, "scan_output_axes", collected)
    out_directions = _per_scan(view, "scan_output_directions", collected)
    names = view.node.inputs[:state_count]
    states, scanned = _turns(view, body, states, inputs, in_axes, in_directions, names=names)
    outputs = [
        _stacked(view, values[::-1] if backward else values, axis)
        for values, axis, backward in zip(scanned, out_axes, out_directions, strict=True)
    ]
    return [*states, *outputs]


def _per_scan(view: NodeView, name: str, count: int) -> list[int]:
    """Return an attribute that has a number for each scanned tensor, zeros without it."""
    values = view.ints(name) or [0] * count
    if len(values) != count:
        what, kind = name.rsplit("_", 1)[-1], "outputs" if "output" in name else "inputs"
        raise ParseError(
            f"the node has {len(values)} {what} for {count} scanned {kind}, expected as many"
        )
    return values


def _collected(body: Body, state_count: int) -> int:
    """Return how many outputs of a body are collected turn by turn."""
    count = len(body.outputs) - state_count
    if count < 0:
        raise ParseError(
            f"the body has {counted(len(body.outputs), 'output')} "
            f"for {counted(state_count, 'state')}"
        )
    return count


def _turns(
    view: NodeView,
    body: Body,
    states: list[Value],
    inputs: list[Value],
    axes: Sequence[int],
    directions: Sequence[int],
    title: str = "",
    *,
    names: Sequence[str] = (),
) -> tuple[list[Value], list[list[Value]]]:
    """Write out the turns of a scan; its last states, and what it collects in the turns' order."""
    count = len(states)
    lengths = {shape_of(value)[axis] for value, axis in zip(inputs, axes, strict=True)}
    if len(lengths) != 1:
        raise ParseError(f"the scanned inputs have different lengths: {sorted(lengths)}")
    (length,) = lengths
    collected = len(body.outputs) - count
    if length > _MOST_TURNS:
        raise RunsApart(_TOO_MANY)
    if not length and collected:
        raise RunsApart("a scan over nothing")
    scanned: list[list[Value]] = [[] for _ in range(collected)]
    for turn in range(length):
        slices, given, before = [], states, view.emit.layer_count
        for value, axis, backward in zip(inputs, axes, directions, strict=True):
            position = length - 1 - turn if backward else turn
            slices.append(_slice(view, value, axis, position))
        results = view.call(body, [*states, *slices], names, turn=f"{title}{turn}/")
        states, names = results[:count], ()
        for values, value in zip(scanned, results[count:], strict=True):
            values.append(value)
        if not turn:
            _choose(view, length, before, given, states)
    return states, scanned


def _slice(view: NodeView, value: Value, axis: int, position: int) -> Value:
    shape = shape_of(value)
    begin = [0] * len(shape)
    size = list(shape)
    begin[axis], size[axis] = position, 1
    part = view.emit.slice(value, begin, size)
    return view.emit.reshape(part, (*shape[:axis], *shape[axis + 1 :]))
