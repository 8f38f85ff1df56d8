# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators that no layer expresses: planned for values, cut out, given to a backend, or noted."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from armnn_py.descriptors import StandInDescriptor
from armnn_py.descriptors.attributes import check_attributes
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.origins import origins
from armnn_py.frontends.common.stand_ins import RunsStandIns, stand_in
from armnn_py.frontends.common.values import Unsupported, Value
from armnn_py.frontends.tflite.complex_values import ComplexValue
from armnn_py.frontends.tflite.model import Operator, TfliteModel
from armnn_py.frontends.tflite.node import RunTimeOperand
from armnn_py.frontends.tflite.problems import TfliteProblems
from armnn_py.frontends.tflite.subgraphs import Calls

Values: TypeAlias = "Sequence[Value | ComplexValue | None]"


class Conversion(Protocol):
    """The conversion of a graph, as far as this needs it."""

    model: TfliteModel
    backends: Sequence[RunsStandIns]
    emit: Emitter
    wanted: set[str]
    cuts: list[Operator]
    begun: set[int]
    calls: Calls
    problems: TfliteProblems


def by_values(
    within: Conversion, op: Operator, values: Values, reason: RunTimeOperand
) -> Sequence[Value] | None:
    """Note that values decide shapes: those of inputs, or those that a stage before computes.

    Of operators with sub-graphs the outermost one runs by itself.
    """
    from armnn_py.frontends.tflite.stages import can_be_cut, is_between  # late: few models need it

    needed = origins(reason.value)
    is_cut = can_be_cut(within.model, op, reason.value)
    if needed is None or (is_cut and is_between(op)):
        if within.calls.depth and is_cut:
            raise reason
        if is_cut:
            taken, _ = _taken(within, op, values)
            if taken is None:
                within.cuts.append(op)
                if reason.begins:
                    within.begun.add(op.index)
                within.calls.start_again(len(within.cuts))
            return taken
    if needed is None:
        return elsewhere(within, op, values, str(reason))
    within.wanted |= needed
    return None


def elsewhere(
    within: Conversion, op: Operator, values: Values, reason: str | None
) -> Sequence[Value] | None:
    """Offer an operator to the backends; note it if none takes it."""
    slots, reasons = _taken(within, op, values)
    if slots is not None:
        return slots
    if reason is None:
        within.problems.add_unknown(op, reasons)
    else:
        within.problems.add_operator(op, reason, reasons)
    return None


def _taken(
    within: Conversion, op: Operator, values: Values
) -> tuple[Sequence[Value] | None, Sequence[str]]:
    """Return the outputs of an operator that a backend runs as it is, or why none does."""
    plain = [value for value in values if not isinstance(value, ComplexValue)]
    if len(plain) < len(values):
        return None, ("complex64 operands, which no tensor has",)
    try:
        described = functools.partial(_described, op)
        return stand_in(within.emit, within.backends, plain, described, op.label)
    except Unsupported as other:
        return None, (str(other),)


DOMAIN = "tflite"
"""Domain of builtin and custom operators of TensorFlow Lite."""


def _described(op: Operator, operands: int) -> StandInDescriptor:
    """Return the descriptor of an operator; its options have the names of the schema.

    A custom operator has its bytes as ``custom_options``.
    """
    attributes: dict[str, Any] = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in op.options.items()
        if value != ()
    }
    if op.custom_options:
        attributes["custom_options"] = np.frombuffer(op.custom_options, np.uint8)
    return StandInDescriptor(
        operands, len(op.outputs), op.version, DOMAIN, op.label, check_attributes(attributes)
    )
