# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTM and GRU as layers, where a layer has what they ask for.

A layer fits sequences of any length, so that a network with free dimensions is converted once.
UnidirectionalSequenceLstm has one direction: the other one is a layer over the sequence turned
around.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armnn_py.descriptors import GruDescriptor, LstmDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Known, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.node import NodeView
from armnn_py.frontends.onnx.recurrent_operands import (
    INPUT_WEIGHTS,
    LENGTHS,
    RECURRENT_WEIGHTS,
    Recurrence,
)
from armnn_py.types import ComparisonOperation, LayerType, RecurrentDirection

__all__ = ["gru_layer", "lstm_layers"]

_BIAS, _FIRST_HIDDEN, _FIRST_CELL, _PEEPHOLES = 3, 5, 6, 7
#: As TensorFlow Lite numbers them.
_FUNCTIONS = {"relu": 1, "tanh": 4, "sigmoid": 6}


def lstm_layers(view: NodeView) -> list[Value] | None:
    """Return the outputs of LSTM as layers; None if no layer is like it."""
    directions = view.shape(RECURRENT_WEIGHTS)[0] if view.has(RECURRENT_WEIGHTS) else 0
    functions = _activations(view, ["sigmoid", "tanh", "tanh"], directions)
    if functions is None or view.integer("input_forget") or view.number("clip"):
        return None
    for gate, fresh, shown in functions:
        if gate != "sigmoid" or fresh != shown or fresh not in _FUNCTIONS:
            return None
    weights = (INPUT_WEIGHTS, RECURRENT_WEIGHTS, _BIAS, _PEEPHOLES)
    if not _are_known(view, weights):
        return None
    all_of = Recurrence.of(view, 4)
    if not _is_whole(all_of):
        return None
    outputs = [_lstm(all_of, index, function) for index, (_, function, _) in enumerate(functions)]
    return _joined(all_of, outputs)


def _lstm(all_of: Recurrence, index: int, function: str) -> tuple[Value, Value, Value]:
    """Return the states of all steps, [steps, batch, hidden], and the last ones of a direction."""
    view, emit, hidden = all_of.view, all_of.view.emit, all_of.hidden
    title = "backward" if index else ""
    backward = all_of.backward[index]

    def gates(value: Value, axis: int = 0) -> list[Value]:
        """Cut the gates apart, and bring them from input, output, forget, cell to our order."""
        i, o, f, c = emit.split(value, [hidden] * 4, axis)
        return [i, f, c, o]

    x = emit.flip(all_of.x, [0], "turned" + title) if backward else all_of.x
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
        activation_function=_FUNCTIONS[function],
        cifg_enabled=False,
        peephole_enabled=view.has(_PEEPHOLES),
        time_major=True,
    )
    kind = LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM
    last, cell, y = emit.layers(kind, operands, descriptor, name=title).outputs
    shown: Value = emit.flip(y, [0], "turned_back") if backward else y
    return shown, last, cell


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


def gru_layer(view: NodeView) -> list[Value] | None:
    """Return the outputs of GRU as a layer; None if no layer is like it."""
    directions = view.shape(RECURRENT_WEIGHTS)[0] if view.has(RECURRENT_WEIGHTS) else 0
    functions = _activations(view, ["sigmoid", "tanh"], directions)
    if functions is None or any(pair != ("sigmoid", "tanh") for pair in functions):
        return None
    weights = (INPUT_WEIGHTS, RECURRENT_WEIGHTS, _BIAS)
    lengths = view.value(LENGTHS) if view.has(LENGTHS) else None
    if not _are_known(view, weights) and (lengths is None or isinstance(lengths, Known)):
        return None  # written out, each step is a layer that more backends take
    all_of = Recurrence.of(view, 3)
    emit, batch = view.emit, all_of.batch
    first = all_of.states(_FIRST_HIDDEN)
    if lengths is not None:
        _check_lengths(lengths, all_of)
        if first is not None:  # of rows without steps it is not shown; as onnxruntime
            zero = Known(np.zeros(1, dtype_of(lengths)))
            runs = emit.compare(ComparisonOperation.GREATER, lengths, zero, "has_steps")
            runs = emit.reshape(emit.cast(runs, np.float32, "as_number"), (1, batch, 1))
            first = emit.mul(first, runs, "started")
    bias: list[Value | None] = [None, None]
    if view.has(_BIAS):
        bias = list(emit.split(view.value(_BIAS), [3 * all_of.hidden] * 2, 1))
    direction = RecurrentDirection.BIDIRECTIONAL
    if directions == 1:
        direction = RecurrentDirection(int(all_of.backward[0]))
    descriptor = GruDescriptor(
        direction=direction,
        linear_before_reset=bool(view.integer("linear_before_reset")),
        clip=view.number("clip"),
    )
    operands = [
        all_of.x,
        view.value(INPUT_WEIGHTS),
        view.value(RECURRENT_WEIGHTS),
        *bias,
        first,
        lengths,
    ]
    y, last = emit.layers(LayerType.GRU, operands, descriptor).outputs
    return all_of.results(y, [last])


def _are_known(view: NodeView, operands: Sequence[int]) -> bool:
    return all(not view.has(index) or view.known(index) is not None for index in operands)


def _activations(
    view: NodeView, defaults: Sequence[str], directions: int
) -> list[tuple[str, ...]] | None:
    """Return the functions of each direction in lower case; None if they have parameters."""
    given = view.node.attributes.get("activations") or [*defaults] * directions
    if view.floats("activation_alpha") or view.floats("activation_beta"):
        return None
    names = [str(name).lower() for name in given]
    count = len(defaults)
    if len(names) != count * directions:
        return None
    return [tuple(names[count * d : count * (d + 1)]) for d in range(directions)]


def _is_whole(all_of: Recurrence) -> bool:
    """Return whether all rows have all steps."""
    view = all_of.view
    if not view.has(LENGTHS):
        return True
    lengths = view.known(LENGTHS)
    return lengths is not None and all(size == all_of.length for size in lengths.reshape(-1))


def _check_lengths(lengths: Value, all_of: Recurrence) -> None:
    if shape_of(lengths) != (all_of.batch,):
        raise ParseError(f"lengths of shape {shape_of(lengths)} for a batch of {all_of.batch}")
    if not isinstance(lengths, Known):
        return
    sizes = lengths.array.reshape(-1)
    if sizes.min() < 0 or sizes.max() > all_of.length:
        raise ParseError(
            f"lengths {sizes.tolist()[:8]} for a batch of {all_of.batch} in {all_of.length} steps"
        )
