# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Why an operator of a TensorFlow Lite model cannot be converted."""

from __future__ import annotations

from collections.abc import Sequence

from armnn_py.frontends.common.problems import RUN_BY_A_BACKEND, Problems
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.tflite.model import Graph, Operator, TfliteModel

__all__ = ["TfliteProblems", "place_of"]

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
