# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Collects what a model needs and the importer lacks, to say it all at once."""

from __future__ import annotations

from armnn_py.errors import UnsupportedOperator, UnsupportedOperatorError
from armnn_py.frontends.onnx.model import Node, OnnxModel
from armnn_py.frontends.onnx.table import operator_names

__all__ = ["Problems"]

_SHOWN_NODES = 5


class Problems:
    """The unsupported operators of a model, with reasons and node names."""

    def __init__(self, model: OnnxModel) -> None:
        self._model = model
        self._found: dict[tuple[str, str], list[str]] = {}

    def add(self, node: Node, reason: str) -> None:
        """Note that a node cannot be converted."""
        self._found.setdefault((node.operator, reason), []).append(node.name)

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
        else:
            reason = "no layer in armnn_py"
        self.add(node, reason)

    def raise_if_any(self) -> None:
        """Raise one error for everything that was noted."""
        if not self._found:
            return
        operators = [
            UnsupportedOperator(
                name,
                len(nodes),
                reason,
                (*nodes[:_SHOWN_NODES], *(["..."] if len(nodes) > _SHOWN_NODES else [])),
            )
            for (name, reason), nodes in sorted(self._found.items())
        ]
        kinds = len({operator.name for operator in operators})
        raise UnsupportedOperatorError(
            f"{kinds} {'kind' if kinds == 1 else 'kinds'} of operator in "
            f"'{self._model.path.name}' cannot be imported",
            operators=operators,
            hints=["shapes that an exporter leaves to run time often vanish with onnxsim"]
            if any("run time" in operator.reason for operator in operators)
            else ["export with standard operators only, or build these parts with Network"],
        )
