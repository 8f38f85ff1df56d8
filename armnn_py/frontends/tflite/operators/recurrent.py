# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTM cells and plain recurrent units, whose state is a variable of the network."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from armnn_py.descriptors import LstmDescriptor, RnnDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import (
    Unsupported,
    Value,
    dtype_of,
    quantization_of,
    shape_of,
)
from armnn_py.frontends.tflite.hybrid import row_rounding
from armnn_py.frontends.tflite.node import FUSED, OperatorView
from armnn_py.frontends.tflite.reading import enum_names
from armnn_py.frontends.tflite.table import operator
from armnn_py.network import OutputSlot
from armnn_py.tensors import TensorInfo
from armnn_py.types import (
    ActivationFunction,
    LayerType,
    RecurrentDirection,
    RowRounding,
)

_FUNCTIONS = {"NONE": 0, "RELU": 1, "RELU6": 3, "TANH": 4}
_DIRECTIONS = ("forward", "backward")


class _Cells(Struct, frozen=True):
    """Indices of an operator's operands for LSTM cells that run in one direction.

    ``weights`` are the places of those of the input by gates (input, forget, cell, output), those
    of the output state, peepholes (without the cell's), biases, and matrix and bias of the
    projection; ``norms`` those of layer normalisation; ``second`` those of a second input.
    """

    weights: Sequence[int]
    states: tuple[int, int]
    norms: Sequence[int] = ()
    second: Sequence[int] = ()

    @property
    def input_gate(self) -> int:
        return self.weights[0]

    @property
    def forget_gate(self) -> int:
        return self.weights[1]

    @property
    def peephole(self) -> int:
        return self.weights[9]

    @property
    def projection(self) -> int:
        return self.weights[15]


_ONE_WAY = _Cells(range(1, 18), (18, 19), range(20, 24))
_TWO_WAYS = (
    _Cells(range(1, 18), (35, 36), (), range(40, 44)),
    _Cells(range(18, 35), (37, 38), (), range(44, 48)),
)
#: The second input of two directions: of LSTM cells, and of plain units, whose weights follow it.
_SECOND_OF_CELLS, _SECOND_INPUT, _SECOND_WEIGHTS = 39, 9, (10, 11)


@operator("UNIDIRECTIONAL_SEQUENCE_LSTM", "LSTM")
def _lstm(view: OperatorView) -> Value | list[Value]:
    if view.op.name == "UNIDIRECTIONAL_SEQUENCE_LSTM":
        view.need_rank(3)
        time_major = bool(view.option("time_major", False))
        return _lstm_cells(view, view.value(0), _ONE_WAY, time_major=time_major)
    if view.choice("kernel_type", "LSTMKernelType") != "FULL":
        return _basic(view)
    view.need_rank(2)
    return _lstm_cells(view, view.value(0), _ONE_WAY)


@operator("BIDIRECTIONAL_SEQUENCE_LSTM")
def _bidirectional_lstm(view: OperatorView) -> list[Value]:
    """Convert two directions; the backward one reads and writes the steps from the last on."""
    emit, time_major = view.emit, bool(view.option("time_major", True))
    view.need_rank(3)
    if dtype_of(view.value(0)) != np.float32:
        raise Unsupported(f"{dtype_of(view.value(0))} values")
    steps = 0 if time_major else 1
    inputs = _inputs_of_two_ways(view, _SECOND_OF_CELLS, [cells.second for cells in _TWO_WAYS])
    made: list[Value] = []
    for title, x, cells in zip(_DIRECTIONS, inputs, _TWO_WAYS, strict=True):
        with emit.below(title):
            turned = emit.flip(x, [steps], "turned") if made else x
            y: Value = _lstm_cells(view, turned, cells, time_major=time_major, name="cells")
            made.append(emit.flip(y, [steps], "turned_back") if made else y)
    return _of_two_ways(view, made)


def _inputs_of_two_ways(
    view: OperatorView, place: int, weights: Sequence[Sequence[int]]
) -> tuple[Value, Value]:
    """Return the inputs of both directions.

    A second input is that of the backward one or, with ``weights`` of its own in both, joins the
    first.
    """
    first = view.value(0)
    if not view.has(place):
        return first, first
    view.need_rank(3, place)
    second = view.value(place)
    joins = [any(view.has(index) for index in side) for side in weights]
    if any(joins) != all(joins):
        raise ParseError(
            "only one direction has weights of the second input, expected both or neither"
        )
    if not any(joins):
        return first, second
    joined = view.emit.concat([first, second], 2, "inputs")
    return joined, joined


def _of_two_ways(view: OperatorView, made: list[Value]) -> list[Value]:
    """Return what both directions made as the operator has it: apart, or side by side."""
    return [view.emit.concat(made, 2)] if view.option("merge_outputs", False) else made


def _lstm_cells(
    view: OperatorView, x: Value, places: _Cells, *, time_major: bool = False, name: str = ""
) -> OutputSlot:
    """Add the layer of one direction, which runs forwards, for one step [N, I] or several."""
    shape = shape_of(x)
    is_sequence = len(shape) == 3
    batch = shape[1 if is_sequence and time_major else 0]
    cells = shape_of(view.value(places.forget_gate))[0]
    outputs = view.shape(places.projection)[0] if view.has(places.projection) else cells
    states = [view.variable(index) for index in places.states]
    if states[0] is None or states[1] is None:
        raise Unsupported("a state that is not a variable")
    for state, size in zip(states, (outputs, cells), strict=True):
        assert state is not None
        if state.output.info.shape != (batch, size):
            raise ParseError(f"the state is {state.output.info!r}, expected {batch}x{size}")
    weights = [_weight(view, index) for index in (*places.weights, *places.norms)]
    for gate, index in enumerate(places.second):
        second = _weight(view, index)
        own = weights[gate]
        if (second is None) != (own is None) and any(view.has(other) for other in places.second):
            raise ParseError(
                "only some gates have weights of the second input, expected all or none"
            )
        if second is not None and own is not None:
            view.need_rank(2, index)
            weights[gate] = view.emit.concat([own, second], 1, f"weights_{gate}")
    operands = [x, states[0].output, states[1].output, *weights]
    kind = LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM if is_sequence else LayerType.LSTM
    infos = [states[0].output.info, states[1].output.info, view.info((*shape[:-1], outputs))]
    if not is_sequence:
        gates = 4 if view.has(places.input_gate) else 3
        infos.insert(0, TensorInfo((batch, cells * gates)))
    descriptor = _descriptor(view, places, time_major)
    made = view.emit.layers(kind, operands, descriptor, name=name, outputs=infos)
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


def _descriptor(view: OperatorView, places: _Cells, time_major: bool) -> LstmDescriptor:
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
        cifg_enabled=not view.has(places.input_gate),
        peephole_enabled=view.has(places.peephole),
        projection_enabled=view.has(places.projection),
        layer_norm_enabled=any(view.has(index) for index in places.norms[1:2]),
        time_major=time_major,
        input_intermediate_scale=scales[0],
        forget_intermediate_scale=scales[1],
        cell_intermediate_scale=scales[2],
        output_intermediate_scale=scales[3],
        hidden_state_scale=hidden_scale,
        hidden_state_zero_point=hidden_point,
        row_rounding=_rounding(view, places.forget_gate, places.second),
    )


def _rounding(view: OperatorView, weights: int, second: Sequence[int]) -> RowRounding:
    """Return how rows are rounded beside the operand ``weights``.

    A second input has ranges of its own in LiteRT: joined to the first it is not rounded.
    """
    if any(view.has(index) for index in second):
        return RowRounding.NONE
    return row_rounding(view, view.value(weights))


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
    first = _steps_first(view)
    view.need_rank(3)
    joins = any(view.has(index) for index in _SECOND_WEIGHTS)
    if view.has(_SECOND_INPUT) and not joins and not view.option("time_major", False):
        raise Unsupported("a second input that LiteRT reads with steps first alone")
    inputs = _inputs_of_two_ways(view, _SECOND_INPUT, [[index] for index in _SECOND_WEIGHTS])
    forward = backward = first(inputs[0], "steps")
    if inputs[1] is not inputs[0]:
        backward = first(inputs[1], "second_steps")
    made: list[Value] = []
    sides = zip(_DIRECTIONS, (forward, backward), RecurrentDirection, strict=False)
    for place, (title, x, direction) in enumerate(sides):
        operands = range(1 + 4 * place, 5 + 4 * place)
        with view.emit.below(title):
            y = _units(view, x, operands, direction, second=_SECOND_WEIGHTS[place])
            made.append(first(y, "output"))
    return _of_two_ways(view, made)


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
        raise Unsupported("a state that is not a variable")
    if variable.output.info.shape != (batch, cells):
        raise ParseError(f"the state is {variable.output.info!r}, expected {batch}x{cells}")
    inputs = [
        x,
        emit.reshape(weights, (1, cells, size), "input_weights"),
        emit.reshape(recurrent, (1, cells, cells), "recurrent_weights"),
        emit.reshape(view.value(bias), (1, cells), "bias"),
        None,
        emit.reshape(variable.output, (1, batch, cells), "state"),
    ]
    rounding = _rounding(view, of_input, [second] if second >= 0 else [])
    descriptor = RnnDescriptor(direction, *_unit_function(view), row_rounding=rounding)
    y, last = emit.layers(LayerType.RNN, inputs, descriptor, name="units").outputs
    emit.network.assign(variable, emit.slot(emit.reshape(last, (batch, cells), "last")))
    return emit.reshape(y, (steps, batch, cells), "states")


def _unit_function(view: OperatorView) -> tuple[ActivationFunction, float, float]:
    fused = view.fused
    return FUSED[fused] if fused else (ActivationFunction.LINEAR, 1.0, 0.0)
