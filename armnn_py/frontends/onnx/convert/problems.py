# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Why a node of an ONNX model cannot be converted."""

from __future__ import annotations

from collections.abc import Sequence

from armnn_py.frontends.common.problems import RUN_BY_A_BACKEND, Problems
from armnn_py.frontends.onnx.convert.table import operator_names
from armnn_py.frontends.onnx.file.graph_node import Node
from armnn_py.frontends.onnx.file.model import OnnxModel


class OnnxProblems(Problems):
    """The nodes of an ONNX model that cannot be converted."""

    def __init__(self, model: OnnxModel) -> None:
        super().__init__(model.source_name)
        self._model = model
        self._standard: set[tuple[str, str]] = set()

    def add_node(self, node: Node, reason: str) -> None:
        """Note that a node cannot be converted."""
        self.add(node.operator, reason, node.name)
        if _is_standard(node):
            self._standard.add((node.operator, reason))

    def add_unknown(self, node: Node, reasons: Sequence[str] = ()) -> None:
        """Note that no converter is registered for a node, and what backends said of it."""
        if node.domain:
            reason = f"domain '{node.domain}' is not supported"
        elif node.op_type in operator_names():
            reason = f"not in operator set {self._model.version_of('')}"
        elif _is_standard(node):
            reason = "not supported by this version"
        else:
            reason = "no operator of standard ONNX"
        self.add_node(node, "; ".join((reason, *reasons)))

    def hints(self) -> list[str]:
        """Return advice on another export, or the list of supported operators."""
        if any("run time" in reason for _, reason in self.found):
            return ["shapes that an exporter leaves to run time often vanish with onnxsim"]
        hints = []
        if self._standard:
            hints.append("'armnn-py operators' lists what this version supports")
        if len(self._standard) < len(self.found):
            hints += ["export with standard operators only", RUN_BY_A_BACKEND]
        return hints


def _is_standard(node: Node) -> bool:
    from onnx import defs

    return not node.domain and bool(defs.has(node.op_type))
