# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Recurrent layers whose cases differ in the cell, in steps and in odd sizes, and attention."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from armnn_py import descriptors as d
from armnn_py.backends.questions.examples import Example, Operand, Operands
from armnn_py.backends.questions.layer_examples import lstm_in_integers, quantized_lstm
from armnn_py.backends.questions.recurrent_examples import Shape, lstm_shapes
from armnn_py.tensors import TensorInfo
from armnn_py.types import ActivationFunction, DataType, LayerType, RecurrentDirection, RowRounding

_TANH, _RELU6, _NONE, _SIGMOID, _RELU = 4, 3, 0, 6, 1

#: What a cell has: descriptor fields, whether it projects, and the activation function.
_FORMS: tuple[tuple[dict[str, Any], bool], ...] = (
    ({"cifg_enabled": False}, False),
    ({"cifg_enabled": True}, False),
    ({"cifg_enabled": False, "peephole_enabled": True}, False),
    ({"cifg_enabled": True, "peephole_enabled": True, "clipping_threshold_cell": 0.75}, True),
    ({"cifg_enabled": False, "layer_norm_enabled": True}, False),
    ({"cifg_enabled": False, "peephole_enabled": True, "layer_norm_enabled": True,
      "clipping_threshold_cell": 1.5, "clipping_threshold_projection": 0.5}, True),
    ({"cifg_enabled": False, "activation_function": _RELU6}, False),
)  # fmt: skip
_MORE_FORMS: tuple[tuple[dict[str, Any], bool], ...] = (
    ({"cifg_enabled": True, "layer_norm_enabled": True}, True),
    ({"cifg_enabled": True, "peephole_enabled": True, "layer_norm_enabled": True}, False),
    ({"cifg_enabled": False, "activation_function": _NONE, "clipping_threshold_cell": 2.0}, False),
    ({"cifg_enabled": False, "activation_function": _SIGMOID}, True),
    ({"cifg_enabled": False, "activation_function": _RELU, "clipping_threshold_cell": 2.0}, False),
)

#: Batch, input size, cells, outputs of a projection, steps.
_SIZES = ((2, 5, 3, 7, 3), (1, 1, 17, 2, 2), (3, 19, 4, 5, 1))
_EMPTY = ((2, 3, 4, 5, 0), (0, 3, 4, 5, 2), (1, 0, 3, 2, 2))


def recurrent_examples(of: Operands, *, full: bool) -> Iterator[Example]:
    """Give examples in the data type of ``of``."""
    for fields, projects in _FORMS + (_MORE_FORMS if full else ()):
        for batch, size, cells, outputs, steps in _SIZES if full else _SIZES[:1]:
            yield from _lstms(of, fields, batch, size, cells, outputs if projects else None, steps)
    for batch, size, cells, _, steps in (*_SIZES[1:], *_EMPTY):
        yield from _lstms(of, {"cifg_enabled": False}, batch, size, cells, None, steps)
    for batch, size, hidden, _, steps in (*_SIZES, *_EMPTY):
        yield from _grus(of, batch, size, hidden, steps)
        yield from _rnns(of, batch, size, hidden, steps, full=full)
    for batch, size, cells, *_ in (*_SIZES, *_EMPTY):
        yield quantized_lstm(of, batch, size, cells)
    for form in _INTEGER_FORMS:
        for sizes in _SIZES if full else _SIZES[:1]:
            yield from _in_integers(of, form, *sizes)


def _grus(of: Operands, batch: int, size: int, hidden: int, steps: int) -> Iterator[Example]:
    x = of.x(steps, batch, size)
    for direction in RecurrentDirection:
        k = 2 if direction is RecurrentDirection.BIDIRECTIONAL else 1
        weights = [of.parameter(k, 3 * hidden, size), of.parameter(k, 3 * hidden, hidden)]
        bias, state = of.parameter(k, 3 * hidden), of.x(k, batch, hidden)
        lengths = of.integers([max(steps - n, 0) for n in range(batch)])
        plain = d.GruDescriptor(direction)
        yield Example(LayerType.GRU, plain, [x, *weights])
        yield Example(LayerType.GRU, plain, [x, *weights, None, bias, None, lengths])
        after = d.GruDescriptor(direction, linear_before_reset=True, clip=0.75)
        yield Example(LayerType.GRU, after, [x, *weights, bias, bias, state])


#: Function of a plain unit, with its parameters; steady ones, so that steps do not add up errors.
_UNITS = (
    (ActivationFunction.TANH, 1.0, 1.0),
    (ActivationFunction.SIGMOID, 0.0, 0.0),
    (ActivationFunction.RELU, 0.0, 0.0),
)
_MORE_UNITS = (
    (ActivationFunction.ELU, 0.5, 0.0),
    (ActivationFunction.HARD_SIGMOID, 0.2, 0.5),
    (ActivationFunction.SOFTSIGN, 0.0, 0.0),
)


def _rnns(
    of: Operands, batch: int, size: int, hidden: int, steps: int, *, full: bool
) -> Iterator[Example]:
    x = of.x(steps, batch, size)
    units = _UNITS + (_MORE_UNITS if full else ())
    for direction, (function, a, b) in zip(
        itertools.cycle(RecurrentDirection), units, strict=False
    ):
        k = 2 if direction is RecurrentDirection.BIDIRECTIONAL else 1
        weights = [of.parameter(k, hidden, size), of.parameter(k, hidden, hidden)]
        bias, state = of.parameter(k, hidden), of.x(k, batch, hidden)
        lengths = of.integers([max(steps - n, 0) for n in range(batch)])
        plain = d.RnnDescriptor(direction, function, a, b)
        yield Example(LayerType.RNN, plain, [x, *weights])
        yield Example(LayerType.RNN, plain, [x, *weights, None, bias, None, lengths])
        clipped = d.RnnDescriptor(direction, function, a, b, clip=0.75)
        yield Example(LayerType.RNN, clipped, [x, *weights, bias, bias, state])


def rounding_examples(of: Operands) -> Iterator[Example]:
    """Give steps whose products read rows rounded to 8 bits, which come alike everywhere."""
    batch, size, cells, _, _ = _SIZES[0]
    for rounding in (RowRounding.SYMMETRIC, RowRounding.ASYMMETRIC):
        fields: dict[str, Any] = {"cifg_enabled": False, "row_rounding": rounding}
        yield from _lstms(of, fields, batch, size, cells, None, 1)
        weights = [of.parameter(1, cells, size), of.parameter(1, cells, cells)]
        units = d.RnnDescriptor(row_rounding=rounding)
        state = of.x(1, batch, cells)
        operands = [of.x(1, batch, size), *weights, None, None, state]
        yield Example(LayerType.RNN, units, operands)


#: Peephole, layer normalisation, projection, CIFG, bound of the cell state.
_INTEGER_FORMS = (
    (False, False, False, False, 0.0),
    (True, False, True, True, 0.0),
    (False, True, True, False, 0.0),
    (True, True, False, False, 0.5),
)


def _in_integers(
    of: Operands,
    form: tuple[bool, bool, bool, bool, float],
    batch: int,
    size: int,
    cells: int,
    outputs: int,
    steps: int,
) -> Iterator[Example]:
    peephole, norm, projects, cifg, bound = form
    shown = outputs if projects else cells
    shapes = lstm_shapes(
        size, cells, outputs if projects else None, cifg=cifg, peephole=peephole, norm=norm
    )
    common: dict[str, Any] = {
        "cifg_enabled": cifg, "peephole_enabled": peephole, "projection_enabled": projects,
        "layer_norm_enabled": norm, "hidden_state_scale": 0.009, "hidden_state_zero_point": -2,
        "input_intermediate_scale": 0.0007, "forget_intermediate_scale": 0.0008,
        "cell_intermediate_scale": 0.0009, "output_intermediate_scale": 0.001,
    }  # fmt: skip
    step = d.QLstmDescriptor(cell_clip=bound, projection_clip=bound, **common)
    yield lstm_in_integers(of, LayerType.QLSTM, step, (batch, size), shown, cells, shapes)
    sequence = d.LstmDescriptor(
        activation_function=_TANH,
        clipping_threshold_cell=bound,
        clipping_threshold_projection=bound,
        **common,
    )
    kind = LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM
    yield lstm_in_integers(of, kind, sequence, (batch, steps, size), shown, cells, shapes)


def _lstms(
    of: Operands,
    fields: dict[str, Any],
    batch: int,
    size: int,
    cells: int,
    outputs: int | None,
    steps: int,
) -> Iterator[Example]:
    given = {"activation_function": _TANH, "projection_enabled": outputs is not None, **fields}
    shapes = lstm_shapes(
        size, cells, outputs,
        cifg=fields["cifg_enabled"],
        peephole=fields.get("peephole_enabled", False),
        norm=fields.get("layer_norm_enabled", False),
        projection_bias="clipping_threshold_projection" in fields,
    )  # fmt: skip
    while shapes[-1] is None:  # as networks have them: the last operand is there
        shapes.pop()
    states = [of.x(batch, cells if outputs is None else outputs), of.x(batch, cells)]
    known = [_parameter(of, shape) for shape in shapes]
    once = d.LstmDescriptor(**given)
    yield Example(LayerType.LSTM, once, [of.x(batch, size), *states, *known])
    for time_major in (False, True):
        shape = (steps, batch, size) if time_major else (batch, steps, size)
        sequence = d.LstmDescriptor(**given, time_major=time_major)
        operands = [of.x(*shape), *states, *known]
        yield Example(LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM, sequence, operands)


def _parameter(of: Operands, shape: Shape | None) -> Operand | None:
    return None if shape is None else of.parameter(*shape)


#: Batch, heads, heads of keys, queries, keys, size, columns.
_PROMPTS = (
    (1, 1, 1, 1, 1, 1, 1), (2, 4, 2, 5, 7, 8, 6), (1, 6, 1, 1, 33, 16, 16), (1, 2, 2, 9, 3, 5, 3),
    (1, 2, 2, 0, 3, 4, 4), (2, 2, 1, 3, 0, 4, 4), (1, 3, 3, 67, 131, 17, 70),
)  # fmt: skip
#: Shapes of inputs and angles.
_ROWS = (
    ((2,), (1,)), ((5,), (2,)), ((3, 16), (3, 8)), ((2, 5, 3, 12), (2, 5, 1, 4)),
    ((2, 3, 5, 66), (5, 33)), ((2, 0, 8), (1, 4)), ((1, 2, 1, 2, 1, 2, 3, 6), (2, 1, 2, 3, 2)),
)  # fmt: skip


def attention_examples(of: Operands, *, full: bool) -> Iterator[Example]:
    """Give examples in the data type of ``of``."""
    for shape, angles in _ROWS:
        for interleaved in (False, True):
            rotary = d.RotaryEmbeddingDescriptor(interleaved)
            operands = [of.x(*shape), of.x(*angles), of.x(*angles)]
            yield Example(LayerType.ROTARY_EMBEDDING, rotary, operands)
    for batch, heads, shared, queries, keys, size, columns in _PROMPTS if full else _PROMPTS[::2]:
        operands = [
            of.x(batch, heads, queries, size), of.x(batch, shared, keys, size),
            of.x(batch, shared, keys, columns),
        ]  # fmt: skip
        seen = Operand(TensorInfo((batch, 1, queries, keys), DataType.BOOLEAN))
        for causal in (False, True):
            plain = d.AttentionDescriptor(size**-0.5, 0.0, causal)
            for masks in ([], [of.x(queries, keys)], [of.x(1, heads, 1, keys)], [seen]):
                yield Example(LayerType.ATTENTION, plain, [*operands, *masks])
        capped = d.AttentionDescriptor(1.0, 2.5, False)
        yield Example(LayerType.ATTENTION, capped, operands)
        yield Example(LayerType.ATTENTION, capped, [*operands, of.x(keys)])
