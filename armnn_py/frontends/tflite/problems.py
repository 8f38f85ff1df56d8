# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Why an operator of a TensorFlow Lite model cannot be converted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from armnn_py.errors import ArmnnError, ParseError
from armnn_py.frontends.common.problems import RUN_BY_A_BACKEND, Problems
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.tflite.binding import Entry
from armnn_py.frontends.tflite.model import Graph, Operator, TfliteModel
from armnn_py.frontends.tflite.reading import DAMAGE as DAMAGED_FILE
from armnn_py.tensors import TensorInfo, format_shape

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


_CONTROL = {"CALL"}


def place_of(op: Operator, graph: Graph) -> str:
    """Return the name of an operator: that of its first output, which the file gives it."""
    if op.outputs and graph.tensors[op.outputs[0]].name:
        return graph.tensors[op.outputs[0]].short_name
    return f"{op.label.lower()}_{op.index}"


class TfliteProblems(Problems):
    """The operators of a TensorFlow Lite model that cannot be converted."""

    def __init__(self, model: TfliteModel, graph: Graph) -> None:
        super().__init__(model.source_name)
        self._graph = graph
        self._has_custom = False

    def add_operator(self, op: Operator, reason: str, reasons: Sequence[str] = ()) -> None:
        """Note that an operator cannot be converted, and what backends said of it."""
        self._has_custom |= bool(op.custom)
        text = "; ".join((reason, *reasons))
        self.add(_printable(op.label), text, place_of(op, self._graph))

    def add_unknown(self, op: Operator, reasons: Sequence[str] = ()) -> None:
        """Note an operator without a converter."""
        if op.custom:
            reason = "a custom operator"
        elif op.name.startswith("builtin code"):
            reason = "not in the schema of this version"
        elif op.name in _CONTROL:
            reason = "control flow"
        elif op.name == "DELEGATE":
            reason = "a part that was compiled for a delegate"
        else:
            reason = "not supported by this version"
        self.add_operator(op, reason, reasons)

    def hints(self) -> list[str]:
        """Return advice on another export, or the list of supported operators."""
        hints = ["'armnn-py operators --format tflite' lists what this version supports"]
        if self._has_custom:
            hints.append(RUN_BY_A_BACKEND)
        return hints


def _printable(label: str) -> str:
    return quoted(label)[1:-1]
