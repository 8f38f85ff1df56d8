# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Collects what a model needs and the importer lacks, to say it all at once."""

from __future__ import annotations

from armnn_py.errors import UnsupportedOperator, UnsupportedOperatorError
from armnn_py.frontends.onnx.model import Node, OnnxModel
from armnn_py.frontends.onnx.table import operator_names

__all__ = ["Problems"]


class Problems:
    """The unsupported operators of a model, with reasons and node names."""

    def __init__(self, model: OnnxModel) -> None:
        self._model = model
        self._found: dict[tuple[str, str], list[str]] = {}
        self._standard: set[tuple[str, str]] = set()

    def add(self, node: Node, reason: str) -> None:
        """Note that a node cannot be converted."""
        self._found.setdefault((node.operator, reason), []).append(node.name)
        if _is_standard(node):
            self._standard.add((node.operator, reason))

    def add_unknown(self, node: Node) -> None:
        """Note that no converter is registered for a node."""
        if (node.domain, node.op_type) in self._model.functions:
            reason = "a function of the model's own; onnx.inliner can inline it"
        elif node.domain:
            reason = f"domain '{node.domain}' is not supported"
        elif node.op_type in operator_names():
            reason = f"not in operator set {self._model.version_of('')}"
        elif node.op_type in ("If", "Loop", "Scan"):
            reason = "control flow"
        elif _is_standard(node):
            reason = "not supported by this version"
        else:
            reason = "no operator of standard ONNX"
        self.add(node, reason)

    def raise_if_any(self) -> None:
        """Raise one error for everything that was noted."""
        if not self._found:
            return
        operators = [
            UnsupportedOperator(name, len(nodes), reason, tuple(nodes))
            for (name, reason), nodes in sorted(self._found.items())
        ]
        kinds = len({operator.name for operator in operators})
        raise UnsupportedOperatorError(
            f"{kinds} {'kind' if kinds == 1 else 'kinds'} of operator in "
            f"'{self._model.path.name}' cannot be imported",
            operators=operators,
            hints=self._hints(),
        )

    def _hints(self) -> list[str]:
        if any("run time" in reason for _, reason in self._found):
            return ["shapes that an exporter leaves to run time often vanish with onnxsim"]
        hints = []
        if self._standard:
            hints.append("docs/onnx_operators.md lists what this version supports")
        if len(self._standard) < len(self._found):
            hints.append("export with standard operators only, or build these parts with Network")
        return hints


def _is_standard(node: Node) -> bool:
    from onnx import defs

    return not node.domain and bool(defs.has(node.op_type))
