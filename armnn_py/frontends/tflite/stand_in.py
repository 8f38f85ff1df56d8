# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators that no layer expresses, as layers of the backend that runs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armnn_py.descriptors import StandInDescriptor
from armnn_py.descriptors.attributes import check_attributes
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.stand_ins import RunsStandIns, offer
from armnn_py.frontends.common.values import Known, Value, dense
from armnn_py.frontends.tflite.model import Operator
from armnn_py.network import OutputSlot
from armnn_py.types import LayerType

__all__ = ["DOMAIN", "stand_in"]

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
