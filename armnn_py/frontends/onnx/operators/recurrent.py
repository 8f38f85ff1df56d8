# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTM, GRU and RNN, written out step by step.

The products with the inputs of all steps are one layer; a step has the product with the state
before, the gates and the state after. Rows of a batch that are shorter keep their state behind
their end, and have zeros there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.node import NodeView
from armnn_py.frontends.onnx.operators.matrix import multiply
from armnn_py.frontends.onnx.table import operator
from armnn_py.types import ActivationFunction as Function

__all__: list[str] = []

#: Steps that are written out.
_MOST_STEPS = 4096

Apply = Callable[[Value, str], Value]

# By name in lower case: the function, and the default values of alpha and beta.
_FUNCTIONS: dict[str, tuple[Function, float, float]] = {
    "sigmoid": (Function.SIGMOID, 0.0, 0.0),
    "tanh": (Function.TANH, 1.0, 1.0),
    "relu": (Function.RELU, 0.0, 0.0),
    "leakyrelu": (Function.LEAKY_RELU, 0.01, 0.0),
    "scaledtanh": (Function.TANH, 1.0, 1.0),
    "hardsigmoid": (Function.HARD_SIGMOID, 0.2, 0.5),
    "elu": (Function.ELU, 1.0, 0.0),
    "softplus": (Function.SOFT_RELU, 0.0, 0.0),
    "affine": (Function.LINEAR, 1.0, 0.0),
}
_TAKES = {"leakyrelu": 1, "elu": 1, "scaledtanh": 2, "hardsigmoid": 2, "affine": 2}


@dataclass
class _Cell:
    """One direction of a layer: its products, and what it remembers."""

    view: NodeView
    index: int
    """Number of the direction."""
    title: str
    """Beginning of the names of its layers."""
    steps: list[Value]
    """By step: the product of the input with the weights, [batch, gates * hidden]."""
    recurrence: Value
    """Transposed weights of the state, [hidden, gates * hidden]."""
    functions: Sequence[Apply]
    hidden: int
    state: list[Value]
    """h, and c of an LSTM; each [batch, hidden]."""

    def product(self, h: Value, name: str) -> Value:
        """Multiply a state with the weights of all gates."""
        return _named(self.view, f"{self.title}{name}", [h, self.recurrence])

    def gates(self, value: Value, count: int, name: str) -> list[Value]:
        """Cut the gates apart."""
        return self.view.emit.split(value, [self.hidden] * count, 1, f"{self.title}{name}")


Step = Callable[[_Cell, Value, str], list[Value]]
"""Returns the state after a step, for the product of its input and the title of its layers."""


@operator("LSTM")
def _lstm(view: NodeView) -> list[Value]:
    emit, forgets = view.emit, bool(view.integer("input_forget"))
    peepholes = view.value(7) if view.has(7) else None

    def step(cell: _Cell, x: Value, at: str) -> list[Value]:
        h, c = cell.state
        sums = emit.add(x, cell.product(h, f"{at}state"), f"{cell.title}{at}sums")
        i, o, f, g = cell.gates(sums, 4, f"{at}gates")
        first, second, third = cell.functions
        peeks: list[Value | None] = [None] * 3
        if peepholes is not None:
            row = _of_direction(view, peepholes, cell.index)
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

    return _recurrent(view, 4, ["Sigmoid", "Tanh", "Tanh"], step, initial=(5, 6))


@operator("GRU")
def _gru(view: NodeView) -> list[Value]:
    emit, resets_after = view.emit, bool(view.integer("linear_before_reset"))

    def step(cell: _Cell, x: Value, at: str) -> list[Value]:
        (h,) = cell.state
        title = f"{cell.title}{at}"
        first, second = cell.functions
        x_z, x_r, x_h = cell.gates(x, 3, f"{at}input_gates")
        if resets_after:
            sums = cell.product(h, f"{at}state")
            bias = _bias(view, cell, recurrent=True)
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
    return _recurrent(view, 3, ["Sigmoid", "Tanh"], step, joins_bias=not resets_after)


@operator("RNN")
def _rnn(view: NodeView) -> list[Value]:
    def step(cell: _Cell, x: Value, at: str) -> list[Value]:
        title = f"{cell.title}{at}"
        sums = view.emit.add(x, cell.product(cell.state[0], f"{at}state"), f"{title}sums")
        return [cell.functions[0](sums, f"{title}hidden")]

    return _recurrent(view, 1, ["Tanh"], step)


def _recurrent(
    view: NodeView,
    gates: int,
    defaults: Sequence[str],
    step: Step,
    *,
    initial: Sequence[int] = (5,),
    joins_bias: bool = True,
) -> list[Value]:
    emit = view.emit
    batch_first = bool(view.integer("layout"))
    x = emit.transpose(view.value(0), (1, 0, 2), "steps") if batch_first else view.value(0)
    if len(shape_of(x)) != 3 or view.rank(1) != 3 or view.rank(2) != 3:
        raise ParseError("input and weights of 3 dimensions expected")
    length, batch, _ = shape_of(x)
    directions, rows, hidden = view.shape(2)
    if rows != gates * hidden or view.shape(1)[:2] != (directions, rows):
        raise ParseError(f"weights of shapes {view.shape(1)} and {view.shape(2)} do not fit")
    names = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}
    direction = view.text("direction", "forward")
    if len(names.get(direction, ())) != directions:
        raise ParseError(f"direction '{direction[:20]}' with weights of {directions} directions")
    if length * directions > _MOST_STEPS:
        raise Unsupported(f"more than {_MOST_STEPS} steps")
    masks = _masks(view, length, batch)
    outputs: list[list[Value]] = []
    states: list[list[Value]] = []
    for index, backward in enumerate(names[direction]):
        title = ("backward/" if index else "") if directions > 1 else ""
        cell = _Cell(
            view, index, title, [], _transposed(view, _of_direction(view, view.value(2), index)),
            _functions(view, defaults, index, directions), hidden, [],
        )  # fmt: skip
        cell.steps = _products(view, cell, x, joins_bias=joins_bias)
        cell.state = [_first(view, where, index, (batch, hidden), batch_first) for where in initial]
        if masks and masks[0] is not None:  # of rows without steps; as onnxruntime
            cell.state = [emit.mul(value, masks[0], f"{title}started") for value in cell.state]
        shown: list[Value] = [Known(np.zeros((batch, hidden), np.float32))] * length
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
    return _results(view, outputs, states, batch_first)


def _results(
    view: NodeView, outputs: list[list[Value]], states: list[list[Value]], batch_first: bool
) -> list[Value]:
    """Join Y [steps, directions, batch, hidden], Y_h and Y_c [directions, batch, hidden]."""
    emit = view.emit
    batch, hidden = shape_of(states[0][0])
    shown = [value for row in zip(*outputs, strict=True) for value in row]
    steps = [emit.reshape(value, (1, 1, batch, hidden)) for value in shown]
    if not steps:
        raise Unsupported("no steps")
    joined = emit.concat(steps, 0, "joined")
    found = [emit.reshape(joined, (len(outputs[0]), len(outputs), batch, hidden))]
    for values in zip(*states, strict=True):
        last = emit.concat([emit.reshape(value, (1, batch, hidden)) for value in values], 0)
        found.append(last)
    if batch_first:
        found = [
            emit.transpose(found[0], (2, 0, 1, 3), "batch_first"),
            *(emit.transpose(value, (1, 0, 2)) for value in found[1:]),
        ]
    return found


def _products(view: NodeView, cell: _Cell, x: Value, *, joins_bias: bool) -> list[Value]:
    """Return the products of all steps with the weights of the inputs, with the bias."""
    emit = view.emit
    length, batch, size = shape_of(x)
    weights = _transposed(view, _of_direction(view, view.value(1), cell.index))
    rows = shape_of(weights)[1]
    flat = emit.reshape(x, (length * batch, size), f"{cell.title}rows")
    product = _named(view, f"{cell.title}inputs", [flat, weights])
    bias = _bias(view, cell, recurrent=False)
    if bias is not None and joins_bias:
        other = _bias(view, cell, recurrent=True)
        assert other is not None
        bias = emit.add(bias, other, f"{cell.title}bias")
    if bias is not None:
        product = emit.add(product, bias, f"{cell.title}biased")
    parts = emit.split(product, [batch] * length, 0, f"{cell.title}steps")
    return [emit.reshape(part, (batch, rows)) for part in parts]


def _bias(view: NodeView, cell: _Cell, *, recurrent: bool) -> Value | None:
    """Return the bias of the products with the input, or with the state, as a row."""
    if not view.has(3):
        return None
    row = _of_direction(view, view.value(3), cell.index)
    (size,) = shape_of(row)
    half = view.emit.slice(row, (size // 2 if recurrent else 0,), (size // 2,))
    return view.emit.reshape(half, (1, size // 2))


def _masks(view: NodeView, length: int, batch: int) -> list[Known | None]:
    """By step: 1 for rows of the batch that have it, 0 for shorter ones; None: all have it."""
    if not view.has(4):
        return [None] * length
    sizes = view.constant(4, "lengths").reshape(-1)
    if sizes.shape != (batch,) or sizes.min() < 0 or sizes.max() > length:
        raise ParseError(f"lengths {sizes.tolist()[:8]} for a batch of {batch} in {length} steps")
    masks = [(sizes > t).astype(np.float32).reshape(batch, 1) for t in range(length)]
    return [None if mask.all() else Known(mask) for mask in masks]


def _chosen(view: NodeView, mask: Known, new: Value, old: Value, name: str) -> Value:
    flags = Known(np.broadcast_to(mask.array > 0, shape_of(new)))
    return view.emit.where(flags, new, old, name)


def _first(
    view: NodeView, where: int, index: int, shape: tuple[int, int], batch_first: bool
) -> Value:
    """Return the first state of a direction."""
    if not view.has(where):
        return Known(np.zeros(shape, np.float32))
    value = view.value(where)
    if batch_first:
        value = view.emit.transpose(value, (1, 0, 2), f"first_{where}")
    return view.emit.reshape(_of_direction(view, value, index), shape)


def _of_direction(view: NodeView, value: Value, index: int) -> Value:
    """Cut one direction out, which is the first dimension, and drop that."""
    shape = shape_of(value)
    begin = [index, *[0] * (len(shape) - 1)]
    part = view.emit.slice(value, begin, (1, *shape[1:]))
    return view.emit.reshape(part, shape[1:])


def _transposed(view: NodeView, weights: Value) -> Value:
    return view.emit.transpose(weights, (1, 0))


def _named(view: NodeView, name: str, operands: list[Value]) -> Value:
    """Multiply matrices in a layer of this name."""
    with view.emit.below(name):
        return multiply(view.over(operands))


def _peeked(view: NodeView, gate: Value, cell: Value, weights: Value | None) -> Value:
    return gate if weights is None else view.emit.add(gate, view.emit.mul(cell, weights))


def _functions(view: NodeView, defaults: Sequence[str], index: int, directions: int) -> list[Apply]:
    """Return the activation functions of a direction."""
    given = view.node.attributes.get("activations") or [*defaults] * directions
    if len(given) != len(defaults) * directions:
        raise ParseError(f"{len(given)} activations, {len(defaults) * directions} expected")
    alphas, betas = (
        iter(view.floats("activation_alpha") or ()),
        iter(view.floats("activation_beta") or ()),
    )
    limit = view.number("clip")
    made: list[Apply] = []
    for name in map(str, given):
        key = name.lower()
        if key not in _FUNCTIONS:
            raise Unsupported(f"activation {name[:20]}")
        function, alpha, beta = _FUNCTIONS[key]
        takes = _TAKES.get(key, 0)
        alpha = next(alphas, alpha) if takes > 0 else alpha
        beta = next(betas, beta) if takes > 1 else beta

        def apply(
            x: Value, title: str, function: Function = function, a: float = alpha, b: float = beta
        ) -> Value:
            if limit:
                bounds = Function.BOUNDED_RELU
                x = view.emit.activation(bounds, x, limit, -limit, f"{title}/clipped")
            return view.emit.activation(function, x, a, b, title)

        made.append(apply)
    if dtype_of(view.value(0)) != np.float32:
        raise Unsupported(f"{dtype_of(view.value(0))} values")
    return made[index * len(defaults) : (index + 1) * len(defaults)]
