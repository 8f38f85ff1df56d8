# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTM, GRU and RNN: as layers (`recurrent_layers`), or written out step by step.

The products with the inputs of all steps are one layer; a step has the product with the state
before, the gates and the state after. Rows of a batch that are shorter keep their state behind
their end, and have zeros there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.operators.recurrent.recurrent_layers import (
    gru_layer,
    lstm_layers,
    rnn_layer,
)
from armnn_py.frontends.onnx.operators.recurrent.recurrent_operands import (
    INPUT_WEIGHTS,
    RECURRENT_WEIGHTS,
    Activation,
    Recurrence,
)
from armnn_py.frontends.onnx.operators.standard.matrix import multiply
from armnn_py.types import ActivationFunction

#: Steps that are written out.
_MOST_STEPS = 4096

Apply = Callable[[Value, str], Value]
Convert = Callable[[NodeView], list[Value]]


class _Cell(Struct):
    """One direction of a layer: its products, and what it remembers."""

    all_of: Recurrence
    index: int
    """Number of the direction."""
    title: str
    """Beginning of the names of its layers."""
    steps: list[Value]
    """By step: the product of the input with the weights, [batch, gates * hidden]."""
    recurrence: Value
    """Transposed weights of the state, [hidden, gates * hidden]."""
    functions: Sequence[Apply]
    state: list[Value]
    """h, and c of an LSTM; each [batch, hidden]."""

    @property
    def view(self) -> NodeView:
        """The node."""
        return self.all_of.view

    @property
    def hidden(self) -> int:
        """Size of the state."""
        return self.all_of.hidden

    def product(self, h: Value, name: str) -> Value:
        """Multiply a state with the weights of all gates."""
        return _named(self.view, f"{self.title}{name}", [h, self.recurrence])

    def gates(self, value: Value, count: int, name: str) -> list[Value]:
        """Cut the gates apart."""
        return self.view.emit.split(value, [self.hidden] * count, 1, f"{self.title}{name}")


Step = Callable[[_Cell, Value, str], list[Value]]
"""Returns the state after a step, for the product of its input and the title of its layers."""


def _of_reals(op_type: str) -> Callable[[Convert], Convert]:
    """Register an operator that computes in float32; results of float16 are rounded at the end."""

    def register(convert: Convert) -> Convert:
        @operator(op_type)
        def converted(view: NodeView) -> list[Value]:
            half = np.dtype(np.float16)
            if dtype_of(view.value(0)) != half:
                return convert(view)
            given = [view.value(k) if view.has(k) else None for k in range(view.count)]
            wide = [
                view.emit.cast(one, np.float32, "wide")
                if one is not None and dtype_of(one) == half
                else one
                for one in given
            ]
            return [view.emit.cast(one, half, "rounded") for one in convert(view.over(wide))]

        return convert

    return register


@_of_reals("LSTM")
def lstm(view: NodeView) -> list[Value]:
    """Convert an LSTM over operands of real numbers."""
    all_of = Recurrence.of(view, 4)
    functions = all_of.activations(["Sigmoid", "Tanh", "Tanh"])
    layers = lstm_layers(all_of, functions)
    if layers is not None:
        return layers
    emit, forgets = view.emit, bool(view.integer("input_forget"))
    peepholes = view.value(7) if view.has(7) else None

    def step(cell: _Cell, x: Value, at: str) -> list[Value]:
        h, c = cell.state
        sums = emit.add(x, cell.product(h, f"{at}state"), f"{cell.title}{at}sums")
        i, o, f, g = cell.gates(sums, 4, f"{at}gates")
        first, second, third = cell.functions
        peeks: list[Value | None] = [None] * 3
        if peepholes is not None:
            row = cell.all_of.part(peepholes, cell.index)
            peeks = list(emit.split(emit.reshape(row, (1, 3 * cell.hidden)), [cell.hidden] * 3, 1))
        i = first(_peeked(view, i, c, peeks[0]), f"{cell.title}{at}input_gate")
        if forgets:
            f = emit.sub(emit.scalar(1, i), i, f"{cell.title}{at}forget_gate")
        else:
            f = first(_peeked(view, f, c, peeks[2]), f"{cell.title}{at}forget_gate")
        g = second(g, f"{cell.title}{at}cell_gate")
        kept = emit.mul(f, c, f"{cell.title}{at}kept")
        c = emit.add(kept, emit.mul(i, g, f"{cell.title}{at}new"), f"{cell.title}{at}cell")
        o = first(_peeked(view, o, c, peeks[1]), f"{cell.title}{at}output_gate")
        return [emit.mul(o, third(c, f"{cell.title}{at}shown"), f"{cell.title}{at}hidden"), c]

    return _recurrent(all_of, functions, step, initial=(5, 6))


@_of_reals("GRU")
def _gru(view: NodeView) -> list[Value]:
    all_of = Recurrence.of(view, 3)
    functions = all_of.activations(["Sigmoid", "Tanh"])
    layer = gru_layer(all_of, functions)
    if layer is not None:
        return layer
    emit, resets_after = view.emit, bool(view.integer("linear_before_reset"))

    def step(cell: _Cell, x: Value, at: str) -> list[Value]:
        (h,) = cell.state
        title = f"{cell.title}{at}"
        first, second = cell.functions
        x_z, x_r, x_h = cell.gates(x, 3, f"{at}input_gates")
        if resets_after:
            sums = cell.product(h, f"{at}state")
            bias = cell.all_of.bias(cell.index, recurrent=True)
            sums = sums if bias is None else emit.add(sums, bias, f"{title}biased")
            h_z, h_r, h_h = cell.gates(sums, 3, f"{at}state_gates")
        else:
            zr = emit.slice(cell.recurrence, (0, 0), (cell.hidden, 2 * cell.hidden))
            h_z, h_r = cell.gates(_named(view, f"{title}state", [h, zr]), 2, f"{at}state_gates")
        z = first(emit.add(x_z, h_z, f"{title}z"), f"{title}update_gate")
        r = first(emit.add(x_r, h_r, f"{title}r"), f"{title}reset_gate")
        if resets_after:
            news = emit.mul(r, h_h, f"{title}reset")
        else:
            own = emit.slice(cell.recurrence, (0, 2 * cell.hidden), (cell.hidden, cell.hidden))
            news = _named(view, f"{title}new", [emit.mul(r, h, f"{title}reset"), own])
        n = second(emit.add(x_h, news, f"{title}n"), f"{title}hidden_gate")
        # (1 - z) * n + z * h
        change = emit.mul(z, emit.sub(h, n, f"{title}difference"), f"{title}change")
        return [emit.add(n, change, f"{title}hidden")]

    # The bias of the state's products stays apart where the reset gate multiplies it.
    return _recurrent(all_of, functions, step, joins_bias=not resets_after)


@_of_reals("RNN")
def _rnn(view: NodeView) -> list[Value]:
    all_of = Recurrence.of(view, 1)
    functions = all_of.activations(["Tanh"])
    layer = rnn_layer(all_of, functions)
    if layer is not None:
        return layer

    def step(cell: _Cell, x: Value, at: str) -> list[Value]:
        title = f"{cell.title}{at}"
        sums = view.emit.add(x, cell.product(cell.state[0], f"{at}state"), f"{title}sums")
        return [cell.functions[0](sums, f"{title}hidden")]

    return _recurrent(all_of, functions, step)


def _recurrent(
    all_of: Recurrence,
    activations: Sequence[Sequence[Activation]],
    step: Step,
    *,
    initial: Sequence[int] = (5,),
    joins_bias: bool = True,
) -> list[Value]:
    view, emit = all_of.view, all_of.view.emit
    length, directions = all_of.length, len(all_of.backward)
    if length * directions > _MOST_STEPS:
        raise Unsupported(f"more than {_MOST_STEPS} steps")
    masks = _masks(view, length, all_of.batch)
    outputs: list[list[Value]] = []
    states: list[list[Value]] = []
    for index, backward in enumerate(all_of.backward):
        title = ("backward/" if index else "") if directions > 1 else ""
        recurrence = _transposed(view, all_of.part(view.value(RECURRENT_WEIGHTS), index))
        # The cell that an LSTM shows is not bounded; as onnxruntime.
        functions = [_apply(view, one, clips=k < 2) for k, one in enumerate(activations[index])]
        cell = _Cell(all_of, index, title, [], recurrence, functions, [])
        cell.steps = _products(cell, joins_bias=joins_bias)
        cell.state = [all_of.state(where, index) for where in initial]
        if masks and masks[0] is not None:  # of rows without steps; as onnxruntime
            cell.state = [emit.mul(value, masks[0], f"{title}started") for value in cell.state]
        empty = Known(np.zeros((all_of.batch, all_of.hidden), np.float32))
        shown: list[Value] = [empty] * length
        for t in range(length - 1, -1, -1) if backward else range(length):
            after = step(cell, cell.steps[t], f"{t}/")
            mask = masks[t]
            shown[t] = after[0]
            if mask is not None:
                shown[t] = emit.mul(after[0], mask, f"{title}{t}/cut")
                after = [
                    _chosen(view, mask, one, old, f"{title}{t}/kept_{k}")
                    for k, (one, old) in enumerate(zip(after, cell.state, strict=True))
                ]
            cell.state = after
        outputs.append(shown)
        states.append(cell.state)
    return _results(all_of, outputs, states)


def _results(
    all_of: Recurrence, outputs: list[list[Value]], states: list[list[Value]]
) -> list[Value]:
    """Join Y [steps, directions, batch, hidden], Y_h and Y_c [directions, batch, hidden]."""
    emit, batch, hidden = all_of.view.emit, all_of.batch, all_of.hidden
    shown = [value for row in zip(*outputs, strict=True) for value in row]
    steps = [emit.reshape(value, (1, 1, batch, hidden)) for value in shown]
    if not steps:
        raise Unsupported("no steps")
    joined = emit.concat(steps, 0, "joined")
    y = emit.reshape(joined, (len(outputs[0]), len(outputs), batch, hidden))
    lasts = [
        emit.concat([emit.reshape(value, (1, batch, hidden)) for value in values], 0)
        for values in zip(*states, strict=True)
    ]
    return all_of.results(y, lasts)


def _products(cell: _Cell, *, joins_bias: bool) -> list[Value]:
    """Return the products of all steps with the weights of the inputs, with the bias."""
    view, emit, all_of = cell.view, cell.view.emit, cell.all_of
    length, batch, size = shape_of(all_of.x)
    weights = _transposed(view, all_of.part(view.value(INPUT_WEIGHTS), cell.index))
    rows = shape_of(weights)[1]
    flat = emit.reshape(all_of.x, (length * batch, size), f"{cell.title}rows")
    product = _named(view, f"{cell.title}inputs", [flat, weights])
    bias = all_of.bias(cell.index, recurrent=False)
    if bias is not None and joins_bias:
        other = all_of.bias(cell.index, recurrent=True)
        assert other is not None
        bias = emit.add(bias, other, f"{cell.title}bias")
    if bias is not None:
        product = emit.add(product, bias, f"{cell.title}biased")
    parts = emit.split(product, [batch] * length, 0, f"{cell.title}steps")
    return [emit.reshape(part, (batch, rows)) for part in parts]


def _masks(view: NodeView, length: int, batch: int) -> list[Known | None]:
    """By step: 1 for rows of the batch that have it, 0 for shorter ones; None: all have it."""
    if not view.has(4):
        return [None] * length
    sizes = view.constant(4, "lengths").reshape(-1)
    if sizes.shape != (batch,) or ((sizes < 0) | (sizes > length)).any():
        raise ParseError(
            f"lengths {sizes.tolist()[:8]} do not fit a batch of {batch} sequences of {length} "
            "steps"
        )
    masks = [(sizes > t).astype(np.float32).reshape(batch, 1) for t in range(length)]
    return [None if mask.all() else Known(mask) for mask in masks]


def _chosen(view: NodeView, mask: Known, new: Value, old: Value, name: str) -> Value:
    flags = Known(np.broadcast_to(mask.array > 0, shape_of(new)))
    return view.emit.where(flags, new, old, name)


def _transposed(view: NodeView, weights: Value) -> Value:
    return view.emit.transpose(weights, (1, 0))


def _named(view: NodeView, name: str, operands: list[Value]) -> Value:
    """Multiply matrices in a layer of this name."""
    with view.emit.below(name):
        return multiply(view.over(operands))


def _peeked(view: NodeView, gate: Value, cell: Value, weights: Value | None) -> Value:
    return gate if weights is None else view.emit.add(gate, view.emit.mul(cell, weights))


def _apply(view: NodeView, activation: Activation, *, clips: bool) -> Apply:
    """Return a function whose operand is bounded before, if it ``clips``."""
    limit = view.number("clip") if clips else 0.0

    def apply(x: Value, title: str) -> Value:
        if limit:
            bounds = ActivationFunction.BOUNDED_RELU
            x = view.emit.activation(bounds, x, limit, -limit, f"{title}/clipped")
        return view.emit.activation(activation.function, x, activation.a, activation.b, title)

    return apply
