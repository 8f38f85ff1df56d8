# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Errors of a conversion that name the operator, its place and the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from armnn_py.errors import ArmnnError, ParseError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.tflite.binding import Entry
from armnn_py.frontends.tflite.model import Graph, Operator, TfliteModel
from armnn_py.frontends.tflite.problems import place_of
from armnn_py.frontends.tflite.reading import DAMAGE as DAMAGED_FILE
from armnn_py.tensors import TensorInfo, format_shape

__all__ = ["DAMAGE", "damaged", "located"]

#: Raised by numpy and Python inside a converter whose operands are damaged.
DAMAGE = (*DAMAGED_FILE, ArithmeticError)


class Conversion(Protocol):
    """The conversion of a graph, as far as its errors need it."""

    model: TfliteModel
    graph: Graph
    entry: Entry
    infos: Mapping[str, TensorInfo]


def located(error: ArmnnError, op: Operator, where: Conversion) -> ParseError:
    """Return an error that names the operator, its place and the file."""
    node = place_of(op, where.graph)
    label = f"operator {op.index} ({op.label}, {quoted(node)})"
    message = error.message if label in error.message else f"{label}: {error.message}"
    details = list(error.details)
    if any(_is_rebound(name, where) for name in where.infos):
        details += [f"input {quoted(n)}: {format_shape(i.shape)}" for n, i in where.infos.items()]
    return ParseError(
        quoted(message)[1:-1] if not message.isprintable() else message,
        node=node,
        path=where.model.path,
        details=details,
        hints=error.hints,
    )


def damaged(error: Exception, op: Operator, where: Conversion) -> ParseError:
    """Return the error for an operator whose converter met damage."""
    text = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return located(ParseError("it cannot be converted", details=[text]), op, where)


def _is_rebound(name: str, where: Conversion) -> bool:
    tensor = where.graph.tensors[where.entry.inputs[name]]
    return where.infos[name].shape != tensor.shape
