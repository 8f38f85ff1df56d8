# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTM, GRU and RNN as layers, where a layer has what they ask for.

A layer fits sequences of any length, so that a network with free dimensions is converted once.
UnidirectionalSequenceLstm has one direction: the other one is a layer over the sequence turned
around.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armnn_py.descriptors import GruDescriptor, LstmDescriptor, RnnDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.sequences import reverse_sequences
from armnn_py.frontends.common.values import Known, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.operators.recurrent.recurrent_operands import (
    INPUT_WEIGHTS,
    LENGTHS,
    RECURRENT_WEIGHTS,
    Activation,
    Recurrence,
)
from armnn_py.types import (
    ActivationFunction,
    BinaryOperation,
    ComparisonOperation,
    LayerType,
    RecurrentDirection,
)

_BIAS, _FIRST_HIDDEN, _FIRST_CELL, _PEEPHOLES = 3, 5, 6, 7
_SIGMOID = Activation(ActivationFunction.SIGMOID, 0.0, 0.0)
_TANH = Activation(ActivationFunction.TANH, 1.0, 1.0)
#: As TensorFlow Lite numbers them.
_FUNCTIONS = {Activation(ActivationFunction.RELU, 0.0, 0.0): 1, _TANH: 4, _SIGMOID: 6}

Functions = Sequence[tuple[Activation, ...]]
"""By direction: those of the gates."""


def lstm_layers(all_of: Recurrence, functions: Functions) -> list[Value] | None:
    """Return the outputs of LSTM as layers; None if no layer is like it."""
    view = all_of.view
    if view.integer("input_forget") or view.number("clip"):
        return None
    for gate, fresh, shown in functions:
        if gate != _SIGMOID or fresh != shown or fresh not in _FUNCTIONS:
            return None
    weights = (INPUT_WEIGHTS, RECURRENT_WEIGHTS, _BIAS, _PEEPHOLES)
    if not _are_known(view, weights):
        return None
    if not _is_whole(all_of) and view.wants(2):  # the layer shows no cell but the last one
        return None
    outputs = [_lstm(all_of, index, _FUNCTIONS[one[1]]) for index, one in enumerate(functions)]
    return _joined(all_of, outputs)


def _lstm(all_of: Recurrence, index: int, function: int) -> tuple[Value, Value, Value]:
    """Return the states of all steps, [steps, batch, hidden], and the last ones of a direction."""
    view, emit, hidden = all_of.view, all_of.view.emit, all_of.hidden
    title = "backward" if index else ""
    backward = all_of.backward[index]

    def gates(value: Value, axis: int = 0) -> list[Value]:
        """Cut the gates apart, and bring them from input, output, forget, cell to our order."""
        i, o, f, c = emit.split(value, [hidden] * 4, axis)
        return [i, f, c, o]

    rows = None if _is_whole(all_of) else _Rows(all_of)
    x = all_of.x
    if backward:
        x = emit.flip(x, [0], "turned" + title) if rows is None else rows.turned(x)
    weights = [
        part
        for operand in (INPUT_WEIGHTS, RECURRENT_WEIGHTS)
        for part in gates(all_of.part(view.value(operand), index))
    ]
    bias: Value = Known(np.zeros((1, 4 * hidden), np.float32))
    if view.has(_BIAS):
        parts = [all_of.bias(index, recurrent=recurrent) for recurrent in (False, True)]
        assert parts[0] is not None
        assert parts[1] is not None
        bias = emit.add(parts[0], parts[1])
    biases = gates(emit.reshape(bias, (4 * hidden,)))
    peepholes: list[Value | None] = [None] * 3
    if view.has(_PEEPHOLES):
        row = all_of.part(view.value(_PEEPHOLES), index)
        i, o, f = emit.split(row, [hidden] * 3, 0)
        peepholes = [i, f, o]
    operands = [
        x,
        all_of.state(_FIRST_HIDDEN, index),
        all_of.state(_FIRST_CELL, index),
        *weights,
        *peepholes,
        *biases,
    ]
    descriptor = LstmDescriptor(
        activation_function=function,
        cifg_enabled=False,
        peephole_enabled=view.has(_PEEPHOLES),
        time_major=True,
    )
    kind = LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM
    last, cell, y = emit.layers(kind, operands, descriptor, name=title).outputs
    if rows is not None:
        cut = rows.cut(y)
        return rows.turned(cut) if backward else cut, rows.last(cut), cell
    shown: Value = emit.flip(y, [0], "turned_back") if backward else y
    return shown, last, cell


class _Rows:
    """Rows of a batch that are shorter than the longest one, behind a layer that walks all steps.

    The steps of a row come first, in either direction, so that what follows its end changes none.
    """

    def __init__(self, all_of: Recurrence) -> None:
        view, self._emit, self._all_of = all_of.view, all_of.view.emit, all_of
        _check_lengths(view.value(LENGTHS), all_of)
        self._lengths = self._emit.cast(view.value(LENGTHS), np.int32, "lengths")

    def turned(self, x: Value) -> Value:
        """Turn each row around, as far as its length."""
        return reverse_sequences(self._emit, x, self._lengths, batch=1)

    def cut(self, y: Value) -> Value:
        """Return 0 behind the end of each row of [steps, batch, hidden]."""
        emit, length, batch = self._emit, self._all_of.length, self._all_of.batch
        steps = emit.reshape(emit.count_up(length, np.dtype(np.int32)), (length, 1), "steps")
        runs = emit.compare(ComparisonOperation.LESS, steps, self._lengths, "runs")
        runs = emit.reshape(runs, (length, batch, 1), "running")
        return emit.where(runs, y, emit.scalar(0, y), "cut")

    def last(self, y: Value) -> Value:
        """Return the state at the end of each row, [batch, hidden]: 0 of a row without steps."""
        emit, batch, hidden = self._emit, self._all_of.batch, self._all_of.hidden
        one, zero = emit.scalar(1, self._lengths), emit.scalar(0, self._lengths)
        step = emit.binary(
            BinaryOperation.MAXIMUM, emit.sub(self._lengths, one, "ends"), zero, "end"
        )
        start = emit.mul(step, emit.scalar(batch, step), "start")
        place = emit.add(start, emit.count_up(batch, np.dtype(np.int32)), "place")
        rows = emit.reshape(y, (self._all_of.length * batch, hidden), "rows")
        has_steps = emit.compare(ComparisonOperation.GREATER, self._lengths, zero, "has_steps")
        found = emit.gather(rows, place, 0, "row")
        has_steps = emit.reshape(has_steps, (batch, 1), "has_any")
        return emit.where(has_steps, found, emit.scalar(0, found), "last_step")


def _joined(all_of: Recurrence, outputs: Sequence[tuple[Value, Value, Value]]) -> list[Value]:
    """Join the outputs of both directions."""
    emit, batch, hidden = all_of.view.emit, all_of.batch, all_of.hidden
    shape = (all_of.length, 1, batch, hidden)
    steps, *states = zip(*outputs, strict=True)
    y = emit.concat([emit.reshape(value, shape) for value in steps], 1, "joined")
    lasts = [
        emit.concat([emit.reshape(value, (1, batch, hidden)) for value in values], 0, "last")
        for values in states
    ]
    return all_of.results(y, lasts)


def gru_layer(all_of: Recurrence, functions: Functions) -> list[Value] | None:
    """Return the outputs of GRU as a layer; None if no layer is like it."""
    view = all_of.view
    if any(pair != (_SIGMOID, _TANH) for pair in functions) or _is_written_out(view):
        return None
    resets_after, clip = bool(view.integer("linear_before_reset")), view.number("clip")
    descriptor = GruDescriptor(_direction(all_of), resets_after, clip)
    operands = _operands(all_of, 3)
    return all_of.results(*_walk(all_of, LayerType.GRU, operands, descriptor))


def rnn_layer(all_of: Recurrence, functions: Functions) -> list[Value] | None:
    """Return the outputs of RNN as a layer, or one for each of two functions; None if its steps
    are written out.
    """
    view, emit = all_of.view, all_of.view.emit
    if _is_written_out(view):
        return None
    operands, clip = _operands(all_of, 1), view.number("clip")
    if len(set(functions)) == 1:
        descriptor = RnnDescriptor(_direction(all_of), *functions[0][0], clip)
        return all_of.results(*_walk(all_of, LayerType.RNN, operands, descriptor))
    x, *parts, lengths = operands
    outputs = []
    for index, (function,) in enumerate(functions):
        with emit.below("backward" if index else "forward"):
            own = [None if part is None else _one_direction(all_of, part, index) for part in parts]
            direction = RecurrentDirection(int(all_of.backward[index]))
            descriptor = RnnDescriptor(direction, *function, clip)
            outputs.append(_walk(all_of, LayerType.RNN, [x, *own, lengths], descriptor))
    steps, states = zip(*outputs, strict=True)
    last = emit.concat([one for (one,) in states], 0, "last")
    return all_of.results(emit.concat(steps, 1, "joined"), [last])


def _one_direction(all_of: Recurrence, value: Value, index: int) -> Value:
    """Cut the operand of a direction out."""
    _, *shape = shape_of(value)
    return all_of.view.emit.slice(value, [index, *[0] * len(shape)], (1, *shape))


def _direction(all_of: Recurrence) -> RecurrentDirection:
    if len(all_of.backward) > 1:
        return RecurrentDirection.BIDIRECTIONAL
    return RecurrentDirection(int(all_of.backward[0]))


def _is_written_out(view: NodeView) -> bool:
    """Whether steps are layers of their own, which more backends take: weights are computed."""
    if _are_known(view, (INPUT_WEIGHTS, RECURRENT_WEIGHTS, _BIAS)):
        return False
    return not view.has(LENGTHS) or view.known(LENGTHS) is not None


def _operands(all_of: Recurrence, gates: int) -> list[Value | None]:
    """Return the operands of a layer that takes both directions, and rows of several lengths."""
    view, emit = all_of.view, all_of.view.emit
    lengths = view.value(LENGTHS) if view.has(LENGTHS) else None
    first = all_of.states(_FIRST_HIDDEN)
    if lengths is not None:
        _check_lengths(lengths, all_of)
        if first is not None:  # of rows without steps it is not shown; as onnxruntime
            zero = Known(np.zeros(1, dtype_of(lengths)))
            runs = emit.compare(ComparisonOperation.GREATER, lengths, zero, "has_steps")
            runs = emit.reshape(emit.cast(runs, np.float32, "as_number"), (1, all_of.batch, 1))
            first = emit.mul(first, runs, "started")
    bias: list[Value | None] = [None, None]
    if view.has(_BIAS):
        bias = list(emit.split(view.value(_BIAS), [gates * all_of.hidden] * 2, 1))
    weights = [view.value(INPUT_WEIGHTS), view.value(RECURRENT_WEIGHTS)]
    return [all_of.x, *weights, *bias, first, lengths]


def _walk(
    all_of: Recurrence,
    kind: LayerType,
    operands: Sequence[Value | None],
    descriptor: GruDescriptor | RnnDescriptor,
) -> tuple[Value, list[Value]]:
    """Return the states of all steps, [steps, directions, batch, hidden], and the last ones."""
    y, last = all_of.view.emit.layers(kind, operands, descriptor).outputs
    return y, [last]


def _are_known(view: NodeView, operands: Sequence[int]) -> bool:
    return all(not view.has(index) or view.known(index) is not None for index in operands)


def _is_whole(all_of: Recurrence) -> bool:
    """Return whether all rows have all steps."""
    view = all_of.view
    if not view.has(LENGTHS):
        return True
    lengths = view.known(LENGTHS)
    return lengths is not None and all(size == all_of.length for size in lengths.reshape(-1))


def _check_lengths(lengths: Value, all_of: Recurrence) -> None:
    if shape_of(lengths) != (all_of.batch,):
        raise ParseError(
            f"lengths of shape {shape_of(lengths)} do not fit a batch of {all_of.batch}"
        )
    if not isinstance(lengths, Known):
        return
    sizes = lengths.array.reshape(-1)
    if ((sizes < 0) | (sizes > all_of.length)).any():
        raise ParseError(
            f"lengths {sizes.tolist()[:8]} do not fit a batch of {all_of.batch} sequences of "
            f"{all_of.length} steps"
        )
