# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTM cells and plain recurrent units, whose state is a variable of the network."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from armnn_py.descriptors import LstmDescriptor, RnnDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import (
    Unsupported,
    Value,
    dtype_of,
    quantization_of,
    shape_of,
)
from armnn_py.frontends.tflite.node import FUSED, OperatorView
from armnn_py.frontends.tflite.reading import enum_names
from armnn_py.frontends.tflite.table import operator
from armnn_py.tensors import TensorInfo
from armnn_py.types import ActivationFunction, LayerType, RecurrentDirection

_INPUT_GATE, _FORGET_GATE, _PROJECTION = 1, 2, 16
_PEEPHOLE, _NORM = 10, 21
_STATES = (18, 19)
_WEIGHTS = (*range(1, 18), *range(20, 24))
_FUNCTIONS = {"NONE": 0, "RELU": 1, "RELU6": 3, "TANH": 4}
#: Of two directions of plain units.
_SECOND_INPUT, _SECOND_WEIGHTS = 9, (10, 11)


@operator("UNIDIRECTIONAL_SEQUENCE_LSTM", "LSTM")
def _lstm(view: OperatorView) -> Value | list[Value]:
    is_sequence = view.op.name == "UNIDIRECTIONAL_SEQUENCE_LSTM"
    if not is_sequence and view.choice("kernel_type", "LSTMKernelType") != "FULL":
        return _basic(view)
    x = view.value(0)
    shape = view.need_rank(3 if is_sequence else 2)
    time_major = bool(view.option("time_major", False)) if is_sequence else False
    batch = shape[1 if is_sequence and time_major else 0]
    cells = shape_of(view.value(_FORGET_GATE))[0]
    outputs = view.shape(_PROJECTION)[0] if view.has(_PROJECTION) else cells
    states = [view.variable(index) for index in _STATES]
    if states[0] is None or states[1] is None:
        raise Unsupported("a state that is no variable")
    for state, size in zip(states, (outputs, cells), strict=True):
        assert state is not None
        if state.output.info.shape != (batch, size):
            raise ParseError(f"state {state.output.info!r}, {batch}x{size} expected")
    weights = [_weight(view, index) for index in _WEIGHTS]
    operands = [x, states[0].output, states[1].output, *weights]
    kind = LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM if is_sequence else LayerType.LSTM
    infos = [states[0].output.info, states[1].output.info, view.info((*shape[:-1], outputs))]
    if not is_sequence:
        infos.insert(0, TensorInfo((batch, cells * (4 if view.has(_INPUT_GATE) else 3))))
    made = view.emit.layers(kind, operands, _descriptor(view, time_major), outputs=infos)
    *_, output_state, cell_state, output = made.outputs
    network = view.emit.network
    network.assign(states[0], output_state)
    network.assign(states[1], cell_state)
    return output


def _basic(view: OperatorView) -> list[Value]:
    """Convert the kernel with one matrix for everything, whose state is an operand and an output.

    Its rows are gates in the order input, cell, forget, output; its columns those of the input,
    then those of the state.
    """
    if view.output_dtype() != np.uint8:
        raise Unsupported("the basic kernel of other types than uint8")
    x, output_state, weights, bias, cell_state = (view.value(index) for index in range(5))
    _, size = view.need_rank(2)
    rows, columns = view.need_rank(2, 2)
    cells = columns - size
    if cells < 0 or rows != 4 * cells or shape_of(bias) != (rows,):
        raise ParseError(f"weights {shape_of(weights)} and biases {shape_of(bias)} do not fit")
    gates = {"input": 0, "forget": 2, "cell": 1, "output": 3}  # in the order of the operands
    parts: list[Value] = []
    for column, width, kind in ((0, size, "input_to"), (size, cells, "recurrent_to")):
        for gate, place in gates.items():
            begin = (place * cells, column)
            parts.append(view.emit.slice(weights, begin, (cells, width), f"{kind}_{gate}"))
    for gate, place in gates.items():
        parts.append(view.emit.slice(bias, (place * cells,), (cells,), f"{gate}_bias"))
    made = view.emit.layers(LayerType.QUANTIZED_LSTM, [x, cell_state, output_state, *parts])
    cell, output = made.outputs
    return [output, cell]


def _weight(view: OperatorView, index: int) -> Value | None:
    """Return an operand; weights of 8 bits beside a float input become real."""
    if not view.has(index):
        return None
    if view.is_quantized(0) or quantization_of(view.value(index)) is None:
        return view.value(index)
    return view.real(index, f"weights{index}")


def _present_weight(view: OperatorView, index: int) -> Value:
    """Return weights that must be there, a matrix."""
    view.need_rank(2, index)
    weights = _weight(view, index)
    assert weights is not None
    return weights


def _descriptor(view: OperatorView, time_major: bool) -> LstmDescriptor:
    function = enum_names("ActivationFunctionType").get(view.option("fused_activation_function"))
    if function not in _FUNCTIONS:
        raise Unsupported(f"activation {function}")
    scales = [0.0] * 4
    hidden_scale, hidden_point = 0.0, 0
    if view.is_quantized(0):
        for place in range(5):
            tensor = view.intermediate(place)
            if tensor is None or not tensor.scales:
                continue
            if place < 4:
                scales[place] = tensor.scales[0]
            else:
                hidden_scale = tensor.scales[0]
                hidden_point = tensor.zero_points[0] if tensor.zero_points else 0
    return LstmDescriptor(
        activation_function=_FUNCTIONS[function],
        clipping_threshold_cell=float(view.option("cell_clip", 0.0)),
        clipping_threshold_projection=float(view.option("proj_clip", 0.0)),
        cifg_enabled=not view.has(_INPUT_GATE),
        peephole_enabled=view.has(_PEEPHOLE),
        projection_enabled=view.has(_PROJECTION),
        layer_norm_enabled=view.has(_NORM),
        time_major=time_major,
        input_intermediate_scale=scales[0],
        forget_intermediate_scale=scales[1],
        cell_intermediate_scale=scales[2],
        output_intermediate_scale=scales[3],
        hidden_state_scale=hidden_scale,
        hidden_state_zero_point=hidden_point,
    )


# ---- Plain units -----------------------------------------------------------------------------


@operator("RNN", "UNIDIRECTIONAL_SEQUENCE_RNN")
def _rnn(view: OperatorView) -> Value:
    emit, x, first = view.emit, view.value(0), _steps_first(view)
    if view.op.name == "RNN":
        batch, size = view.need_rank(2)
        y = _units(view, emit.reshape(x, (1, batch, size), "step"), (1, 2, 3, 4))
        return emit.reshape(y, shape_of(y)[1:])
    view.need_rank(3)
    return first(_units(view, first(x, "steps"), (1, 2, 3, 4)), "")


@operator("BIDIRECTIONAL_SEQUENCE_RNN")
def _bidirectional(view: OperatorView) -> list[Value]:
    """Convert two directions; a second input is that of the backward one, or, with weights of its
    own, joins the first.
    """
    emit, first = view.emit, _steps_first(view)
    view.need_rank(3)
    forward = backward = first(view.value(0), "steps")
    if view.has(_SECOND_INPUT):
        view.need_rank(3, _SECOND_INPUT)
        second = first(view.value(_SECOND_INPUT), "second_steps")
        joins = [view.has(index) for index in _SECOND_WEIGHTS]
        if any(joins) != all(joins):
            raise ParseError("weights of the second input in one direction alone")
        backward = second
        if not any(joins) and not view.option("time_major", False):
            raise Unsupported("a second input that LiteRT reads with steps first alone")
        if all(joins):
            forward = backward = emit.concat([forward, second], 2, "inputs")
    made: list[Value] = []
    sides = zip(("forward", "backward"), (forward, backward), RecurrentDirection, strict=False)
    for place, (title, x, direction) in enumerate(sides):
        operands = range(1 + 4 * place, 5 + 4 * place)
        with emit.below(title):
            y = _units(view, x, operands, direction, second=_SECOND_WEIGHTS[place])
        made.append(first(y, f"{title}_output"))
    if not view.option("merge_outputs", False):
        return made
    return [emit.concat(made, 2)]


def _steps_first(view: OperatorView) -> Callable[[Value, str], Value]:
    """Return what exchanges rows and steps, if the operator has rows first."""
    if view.op.name == "RNN" or view.option("time_major", False):
        return lambda value, name: value
    return lambda value, name: view.emit.transpose(value, (1, 0, 2), name)


def _units(
    view: OperatorView,
    x: Value,
    operands: Sequence[int],
    direction: RecurrentDirection = RecurrentDirection.FORWARD,
    second: int = -1,
) -> Value:
    """Add the layer of one direction, for steps [T, N, I]; return all its states, [T, N, H].

    ``operands`` are the places of its weights of input and state, bias and state, ``second`` that
    of the weights of a second input.
    """
    if dtype_of(x) != np.float32:
        raise Unsupported(f"{dtype_of(x)} values")
    emit, (of_input, of_state, bias, state) = view.emit, operands
    steps, batch, size = shape_of(x)
    weights, recurrent = _present_weight(view, of_input), _present_weight(view, of_state)
    if second >= 0 and view.has(second):
        weights = emit.concat([weights, _present_weight(view, second)], 1, "weights")
    cells = view.shape(of_input)[0]
    expected = ((cells, size), (cells, cells), (cells,))
    found = (shape_of(weights), shape_of(recurrent), view.shape(bias))
    if found != expected:
        raise ParseError(f"weights and bias {found} do not fit {size} inputs")
    variable = view.variable(state)
    if variable is None:
        raise Unsupported("a state that is no variable")
    if variable.output.info.shape != (batch, cells):
        raise ParseError(f"state {variable.output.info!r}, {batch}x{cells} expected")
    inputs = [
        x,
        emit.reshape(weights, (1, cells, size), "input_weights"),
        emit.reshape(recurrent, (1, cells, cells), "recurrent_weights"),
        emit.reshape(view.value(bias), (1, cells), "bias"),
        None,
        emit.reshape(variable.output, (1, batch, cells), "state"),
    ]
    descriptor = RnnDescriptor(direction, *_unit_function(view))
    y, last = emit.layers(LayerType.RNN, inputs, descriptor, name="units").outputs
    emit.network.assign(variable, emit.slot(emit.reshape(last, (batch, cells), "last")))
    return emit.reshape(y, (steps, batch, cells), "states")


def _unit_function(view: OperatorView) -> tuple[ActivationFunction, float, float]:
    fused = view.fused
    return FUSED[fused] if fused else (ActivationFunction.LINEAR, 1.0, 0.0)
