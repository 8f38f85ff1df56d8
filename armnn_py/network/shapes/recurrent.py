# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Recurrent layers: Gru and Rnn as ONNX defines them, the LSTMs as Arm NN does.

Types: operands of a float layer have the input's type, but its weights may be quantised. Those of a
quantised layer are quantised; biases may be of 32 bits instead.
"""

from __future__ import annotations

from collections.abc import Callable, Container

from armnn_py.descriptors import GruDescriptor, LstmDescriptor, QLstmDescriptor, RnnDescriptor
from armnn_py.network.shapes.site import Site, operand_name
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataType, LayerType, RecurrentDirection, RowRounding


def _gru(site: Site) -> list[TensorInfo]:
    return _walk(site, site.parameters(GruDescriptor).direction, 3)


def _rnn(site: Site) -> list[TensorInfo]:
    d = site.parameters(RnnDescriptor)
    _check_rounding(site, d.row_rounding)
    return _walk(site, d.direction, 1)


def _walk(site: Site, direction: RecurrentDirection, count: int) -> list[TensorInfo]:
    """Check the operands of cells with so many gates: [output, hidden_state]."""
    site.need_number()
    steps, batch, size = site.need_rank(3)
    directions = 2 if direction is RecurrentDirection.BIDIRECTIONAL else 1
    gates = site.need_rank(3, 1)[1]
    if gates % count:
        site.fail(
            f"input_weights have {gates} rows, a multiple of {count} expected: one for each gate"
        )
    hidden = gates // count
    expected = {
        1: (directions, gates, size),
        2: (directions, gates, hidden),
        3: (directions, gates),
        4: (directions, gates),
        5: (directions, batch, hidden),
        6: (batch,),
    }
    for index, shape in expected.items():
        if site.optional(index) is None:
            continue
        site.need_shape(shape, index, why="directions, gates of the hidden size, batch")
        if index < 6 and not site.info().data_type.is_quantized:
            site.need_same_type(0, index)
    if site.optional(6) is not None:
        site.need_type(6, DataType.SIGNED32, DataType.SIGNED64)
    states, last = (steps, directions, batch, hidden), (directions, batch, hidden)
    return [*site.computed(states), *site.computed(last)]


# Places among the operands of an LSTM.
_INPUT_WEIGHTS, _RECURRENT_WEIGHTS, _PEEPHOLES = range(3, 7), range(7, 11), range(11, 14)
_BIASES, _PROJECTION, _PROJECTION_BIAS, _NORMS = range(14, 18), 18, 19, range(20, 24)
_OF_INPUT_GATE = (3, 7, 11, 14, 20)
_FORGET_WEIGHTS, _FORGET_RECURRENT_WEIGHTS = 4, 8


def _lstm(site: Site) -> list[TensorInfo]:
    """One step: [scratch, output_state, cell_state, output]."""
    batch, size = site.need_rank(2)
    d = site.parameters(LstmDescriptor)
    outputs = _check_lstm(site, d, batch, size)
    cells = site.shape(_FORGET_WEIGHTS)[0]
    scratch = site.computed((batch, cells * (3 if d.cifg_enabled else 4)))
    return [*scratch, *_states(site), *site.moved((batch, outputs), 1)]


def _sequence_lstm(site: Site) -> list[TensorInfo]:
    """A sequence: [output_state, cell_state, output]."""
    first, second, size = site.need_rank(3)
    d = site.parameters(LstmDescriptor)
    outputs = _check_lstm(site, d, second if d.time_major else first, size)
    return [*_states(site), *site.moved((first, second, outputs), 1)]


def _q_lstm(site: Site) -> list[TensorInfo]:
    """One step in integers: [output_state, cell_state, output]."""
    batch, size = site.need_rank(2)
    outputs = _check_lstm(site, site.parameters(QLstmDescriptor), batch, size)
    return [*_states(site), *site.moved((batch, outputs), 1)]


def _quantized_lstm(site: Site) -> list[TensorInfo]:
    """One step in 8 and 16 bits: [cell_state, output_state]."""
    batch, size = site.need_rank(2)
    cells = site.need_rank(2, 3)[0]
    _check_types(site, states=range(1, 3), biases=range(11, 15))
    expected = dict.fromkeys((1, 2), (batch, cells))
    expected |= dict.fromkeys(range(3, 7), (cells, size))
    expected |= dict.fromkeys(range(7, 11), (cells, cells))
    for index, shape in expected.items():
        site.need_shape(shape, index, why=f"batch {batch}, input size {size}, {cells} cells")
    for index in range(11, 15):
        site.need_shape((cells,), index, why=f"{cells} cells")
    return [*site.moved((batch, cells), 1), *site.moved((batch, cells), 2)]


def _states(site: Site) -> list[TensorInfo]:
    """Return the states behind the last step: as those before the first."""
    return [*site.moved(site.shape(1), 1), *site.moved(site.shape(2), 2)]


def _check_lstm(site: Site, d: LstmDescriptor | QLstmDescriptor, batch: int, size: int) -> int:
    """Check the operands of an LSTM; return the number of its outputs."""
    _check_presence(site, d)
    _check_types(site)
    if isinstance(d, LstmDescriptor):
        _check_rounding(site, d.row_rounding)
    cells = site.need_rank(2, _FORGET_WEIGHTS)[0]
    outputs = site.need_rank(2, _FORGET_RECURRENT_WEIGHTS)[1]
    if not d.projection_enabled and outputs != cells:
        site.fail(
            f"{outputs} outputs of {cells} cells without projection",
            hint="recurrent weights are [cells, outputs]; projection_enabled=True lets both differ",
        )
    expected: dict[int, tuple[int, ...]] = {1: (batch, outputs), 2: (batch, cells)}
    expected |= dict.fromkeys(_INPUT_WEIGHTS, (cells, size))
    expected |= dict.fromkeys(_RECURRENT_WEIGHTS, (cells, outputs))
    expected |= dict.fromkeys((*_PEEPHOLES, *_BIASES, *_NORMS), (cells,))
    expected |= {_PROJECTION: (outputs, cells), _PROJECTION_BIAS: (outputs,)}
    for index, shape in expected.items():
        if site.optional(index) is not None:
            why = f"batch {batch}, input size {size}, {cells} cells, {outputs} outputs"
            site.need_shape(shape, index, why=why)
    return outputs


def _check_presence(site: Site, d: LstmDescriptor | QLstmDescriptor) -> None:
    """Check that operands of functions that the descriptor leaves out are absent, others there."""
    switches: dict[int, tuple[str, bool]] = {3: ("cifg_enabled", not d.cifg_enabled)}
    switches |= dict.fromkeys((7, 14), switches[3])
    switches |= dict.fromkeys(_PEEPHOLES, ("peephole_enabled", d.peephole_enabled))
    switches |= {_PROJECTION: ("projection_enabled", d.projection_enabled)}
    switches |= dict.fromkeys(_NORMS, ("layer_norm_enabled", d.layer_norm_enabled))
    for index, (field, wanted) in switches.items():
        if wanted and index in _OF_INPUT_GATE and d.cifg_enabled:
            field, wanted = "cifg_enabled", False
        is_there = site.optional(index) is not None
        if is_there is not wanted:
            site.fail(
                f"operand '{operand_name(site.layer_type, index)}' is "
                f"{'given' if is_there else 'missing'}, but {field} is "
                f"{getattr(d, field)}"
            )
    if site.optional(_PROJECTION_BIAS) is not None and not d.projection_enabled:
        site.fail("operand 'projection_bias' is given, but projection_enabled is False")


def _check_rounding(site: Site, rounding: RowRounding) -> None:
    """Check that only real numbers are to be rounded."""
    own = site.info().data_type
    if rounding is not RowRounding.NONE and not own.is_float:
        site.fail(f"row_rounding is {rounding.name} of {own.described} input, floats expected")


def _check_types(
    site: Site,
    *,
    states: Container[int] = range(1, 3),
    biases: Container[int] = (*_BIASES, _PROJECTION_BIAS),
) -> None:
    own = site.need_number()
    if not own.is_float and not own.is_quantized:
        site.fail(f"input is {own.described}, floats or quantised numbers expected")
    for index in range(len(site.infos)):
        info = site.optional(index)
        if info is not None and own.is_quantized and index not in biases:
            site.need_scales(index)
        if info is None or info.data_type is own:
            continue
        is_state, is_bias = index in states, index in biases
        quantized = info.data_type.is_quantized and not (own.is_float and is_state)
        if quantized or (own.is_quantized and is_bias and info.data_type is DataType.SIGNED32):
            continue
        name = operand_name(site.layer_type, index)
        allowed = own.described if own.is_float else "a quantised type"
        if own.is_quantized and is_bias:
            allowed += " or int32"
        elif own.is_float and not is_state:
            allowed += " or a quantised type"
        site.fail(
            f"{name} is {info.data_type.described}, {allowed} expected: input is {own.described}"
        )


RULES: dict[LayerType, Callable[[Site], list[TensorInfo]]] = {
    LayerType.GRU: _gru,
    LayerType.LSTM: _lstm,
    LayerType.QLSTM: _q_lstm,
    LayerType.QUANTIZED_LSTM: _quantized_lstm,
    LayerType.RNN: _rnn,
    LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM: _sequence_lstm,
}
