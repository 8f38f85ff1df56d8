# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operands and attributes that LSTM, GRU and RNN have in common, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.types import ActivationFunction as Function

X, INPUT_WEIGHTS, RECURRENT_WEIGHTS, _BIAS, LENGTHS = range(5)
_DIRECTIONS = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}


# By name in lower case: the function, the default values of a and b, and how many of these can be
# given.
_FUNCTIONS: dict[str, tuple[Function, float, float, int]] = {
    "sigmoid": (Function.SIGMOID, 0.0, 0.0, 0),
    "tanh": (Function.TANH, 1.0, 1.0, 0),
    "relu": (Function.RELU, 0.0, 0.0, 0),
    "leakyrelu": (Function.LEAKY_RELU, 0.01, 0.0, 1),
    "thresholdedrelu": (Function.THRESHOLDED_RELU, 1.0, 0.0, 1),
    "scaledtanh": (Function.TANH, 1.0, 1.0, 2),
    "hardsigmoid": (Function.HARD_SIGMOID, 0.2, 0.5, 2),
    "elu": (Function.ELU, 1.0, 0.0, 1),
    "softsign": (Function.SOFTSIGN, 0.0, 0.0, 0),
    "softplus": (Function.SOFT_RELU, 0.0, 0.0, 0),
    "affine": (Function.LINEAR, 1.0, 0.0, 2),
}


class Activation(NamedTuple):
    """A function and its parameters."""

    function: Function
    a: float
    b: float


class Recurrence(Struct):
    """One node: sizes, and its operands by direction."""

    view: NodeView
    x: Value
    """[steps, batch, size]."""
    backward: Sequence[bool]
    """By direction."""
    length: int
    batch: int
    hidden: int
    batch_first: bool

    @classmethod
    def of(cls, view: NodeView, gates: int) -> Recurrence:
        """Read a node whose cells have so many gates."""
        emit, batch_first = view.emit, view.flag("layout")
        if dtype_of(view.value(X)) != np.float32:
            raise Unsupported(f"{dtype_of(view.value(X))} values")
        x = emit.transpose(view.value(X), (1, 0, 2), "steps") if batch_first else view.value(X)
        if len(shape_of(x)) != 3 or view.rank(INPUT_WEIGHTS) != 3:
            raise ParseError("the input and the weights must have 3 dimensions")
        if view.rank(RECURRENT_WEIGHTS) != 3:
            raise ParseError("the input and the weights must have 3 dimensions")
        length, batch, size = shape_of(x)
        directions, rows, hidden = view.shape(RECURRENT_WEIGHTS)
        if rows != gates * hidden or view.shape(INPUT_WEIGHTS) != (directions, rows, size):
            shapes = f"{view.shape(INPUT_WEIGHTS)} and {view.shape(RECURRENT_WEIGHTS)}"
            raise ParseError(f"weights of shapes {shapes} do not fit the input")
        if view.integer("hidden_size", hidden) != hidden:
            stated = view.integer("hidden_size")
            raise ParseError(f"attribute 'hidden_size' is {stated}, but the weights have {hidden}")
        direction = view.text("direction", "forward")
        if len(_DIRECTIONS.get(direction, ())) != directions:
            raise ParseError(
                f"direction '{direction[:20]}' does not fit weights of {directions} directions"
            )
        if view.has(_BIAS) and view.shape(_BIAS) != (directions, 2 * rows):
            raise ParseError(
                f"the biases have shape {view.shape(_BIAS)}, expected {(directions, 2 * rows)}"
            )
        if not view.number("clip") >= 0:
            raise ParseError(f"attribute 'clip' is {view.number('clip')}, expected at least 0")
        return cls(view, x, _DIRECTIONS[direction], length, batch, hidden, batch_first)

    def activations(self, defaults: Sequence[str]) -> list[tuple[Activation, ...]]:
        """Return the functions of each direction; ``defaults`` are those of one."""
        view, count = self.view, len(defaults) * len(self.backward)
        given = view.node.attributes.get("activations") or [*defaults] * len(self.backward)
        if len(given) != count:
            raise ParseError(f"attribute 'activations' has {len(given)} names, expected {count}")
        alphas = iter(view.floats("activation_alpha") or ())
        betas = iter(view.floats("activation_beta") or ())
        found: list[Activation] = []
        for name in map(str, given):
            if name.lower() not in _FUNCTIONS:
                raise Unsupported(f"activation {name[:20]}")
            function, a, b, takes = _FUNCTIONS[name.lower()]
            a = next(alphas, a) if takes > 0 else a
            b = next(betas, b) if takes > 1 else b
            found.append(Activation(function, a, b))
        return [tuple(found[k : k + len(defaults)]) for k in range(0, count, len(defaults))]

    def part(self, value: Value, index: int) -> Value:
        """Cut one direction out, which is the first dimension, and drop that."""
        shape = shape_of(value)
        begin = [index, *[0] * (len(shape) - 1)]
        part = self.view.emit.slice(value, begin, (1, *shape[1:]))
        return self.view.emit.reshape(part, shape[1:])

    def bias(self, index: int, *, recurrent: bool) -> Value | None:
        """Return the bias of a direction's products with the input, or with the state, as a row."""
        if not self.view.has(_BIAS):
            return None
        row = self.part(self.view.value(_BIAS), index)
        (size,) = shape_of(row)
        half = self.view.emit.slice(row, (size // 2 if recurrent else 0,), (size // 2,))
        return self.view.emit.reshape(half, (1, size // 2))

    def states(self, where: int) -> Value | None:
        """Return the states before the first step, [directions, batch, hidden]; None: zeros."""
        if not self.view.has(where):
            return None
        value = self.view.value(where)
        expected = (len(self.backward), self.batch, self.hidden)
        if self.batch_first:
            expected = (self.batch, len(self.backward), self.hidden)
        if shape_of(value) != expected:
            raise ParseError(f"the initial state has shape {shape_of(value)}, expected {expected}")
        if self.batch_first:
            return self.view.emit.transpose(value, (1, 0, 2), f"first_{where}")
        return value

    def state(self, where: int, index: int) -> Value:
        """Return the state of a direction before the first step, [batch, hidden]."""
        states = self.states(where)
        if states is not None:
            return self.part(states, index)
        zero = Known(np.zeros((1, 1), np.float32))
        return self.view.emit.broadcast_to(zero, (self.batch, self.hidden), f"zeros_{where}")

    def results(self, y: Value, states: Sequence[Value]) -> list[Value]:
        """Order the outputs: Y [steps, directions, batch, hidden], then last states."""
        if not self.batch_first:
            return [y, *states]
        emit = self.view.emit
        return [
            emit.transpose(y, (2, 0, 1, 3), "batch_first"),
            *(emit.transpose(value, (1, 0, 2)) for value in states),
        ]
