# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators that no layer expresses: planned for values, cut out, given to a backend, or noted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from armnn_py.descriptors import StandInDescriptor
from armnn_py.descriptors.attributes import check_attributes
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.origins import origins
from armnn_py.frontends.common.stand_ins import RunsStandIns, offer
from armnn_py.frontends.common.values import Known, Unsupported, Value, dense
from armnn_py.frontends.tflite.complex_values import ComplexValue
from armnn_py.frontends.tflite.model import Operator, TfliteModel
from armnn_py.frontends.tflite.node import RunTimeOperand
from armnn_py.frontends.tflite.problems import TfliteProblems
from armnn_py.frontends.tflite.subgraphs import Calls
from armnn_py.network import OutputSlot
from armnn_py.types import LayerType

__all__ = ["by_values", "elsewhere"]

Values: TypeAlias = "Sequence[Value | ComplexValue | None]"


class Conversion(Protocol):
    """The conversion of a graph, as far as this needs it."""

    model: TfliteModel
    backends: Sequence[RunsStandIns]
    emit: Emitter
    wanted: set[str]
    cuts: list[Operator]
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
        return stand_in(op, plain, within.emit, within.backends)
    except Unsupported as other:
        return None, (str(other),)


DOMAIN = "tflite"
"""Domain of builtin and custom operators of TensorFlow Lite."""


def stand_in(
    op: Operator, values: Sequence[Value | None], emit: Emitter, backends: Sequence[RunsStandIns]
) -> tuple[Sequence[OutputSlot] | None, tuple[str, ...]]:
    """Make an operator a StandIn layer of the first backend that runs it.

    Its attributes are the options by the names of the schema; a custom operator has its bytes as
    ``custom_options``.

    Returns
    -------
    tuple of slots, or None
        The outputs of the layer; None if no backend runs the operator.
    tuple of str
        The reasons of the backends that refuse.
    """
    if not backends:
        return None, ()
    given = list(values)
    while given and given[-1] is None:
        given.pop()
    attributes: dict[str, Any] = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in op.options.items()
        if value != ()
    }
    if op.custom_options:
        attributes["custom_options"] = np.frombuffer(op.custom_options, np.uint8)
    try:
        descriptor = StandInDescriptor(
            len(given), len(op.outputs), op.version, DOMAIN, op.label, check_attributes(attributes)
        )
        infos = [None if value is None else value.info for value in given]
    except ValueError as error:
        return None, (str(error),)
    known = {
        index: dense(value.array) for index, value in enumerate(given) if isinstance(value, Known)
    }
    answer = offer(backends, descriptor, infos, known, op.label)
    if answer.outputs is None:
        return None, answer.reasons
    layer = emit.layers(
        LayerType.STAND_IN, given, descriptor, outputs=answer.outputs, backend=answer.backend
    )
    return layer.outputs, ()
