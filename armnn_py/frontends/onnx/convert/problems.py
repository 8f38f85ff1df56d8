# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Why nodes and inputs of an ONNX model cannot be converted, also before shapes are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from armnn_py.errors import ParseError, UnsupportedOperatorError
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.problems import RUN_BY_A_BACKEND, Problems
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Known, NotKnown, Unsupported
from armnn_py.frontends.onnx.convert.faults import named
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import find_operator, operator_names
from armnn_py.frontends.onnx.file.binding import foreign_values, holding, is_foreign
from armnn_py.frontends.onnx.file.graph_node import Node
from armnn_py.frontends.onnx.file.model import OnnxModel, ValueInfo
from armnn_py.frontends.onnx.file.tensors import Unreadable, all_reasons
from armnn_py.network import Network
from armnn_py.text import first_of

if TYPE_CHECKING:
    from armnn_py.frontends.common.stand_ins import RunsStandIns


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


_TAKE_OUT = {"ConcatFromSequence", "OptionalHasElement", "SequenceAt", "SequenceLength"}


def check_inputs(model: OnnxModel, backends: Sequence[RunsStandIns] = ()) -> None:
    """Raise one error for all inputs that no tensor can hold.

    It also names outputs of such types, and operators that cannot be imported.
    """
    inputs, outputs = foreign_values(model)
    if not inputs:
        return
    beyond = {*(info.name for info in outputs), *_computed_from(model, inputs)}
    try:
        check_operators(model, backends)
    except UnsupportedOperatorError as found:
        others, hints = found.details, found.hints
    except ParseError:
        others, hints = (), ()  # a fault of the file; these inputs come first
    else:
        others, hints = (), ()
    first, *rest = inputs
    raise ParseError(
        f"{quoted(first.name)} {holding(first)}",
        path=model.path,
        details=[
            *first_of(f"input {quoted(info.name)} {holding(info)}" for info in rest),
            *first_of(
                f"output {quoted(info.name)} {holding(info)}"
                for info in model.outputs.values()
                if info.name in beyond
            ),
            *others,
        ],
        hints=hints,
    )


def _computed_from(model: OnnxModel, inputs: Sequence[ValueInfo]) -> set[str]:
    """Return the outputs that hold what no tensor can because these inputs do.

    A sequence or an optional value may be tensors by the end of a conversion, but not if it comes
    from an input of such a type. An element that an operator takes out of one is a tensor.
    """
    found = {info.name for info in inputs}
    for node in model.nodes:
        if node.op_type not in _TAKE_OUT and not found.isdisjoint(node.reads):
            found.update(filter(None, node.outputs))
    return {
        info.name
        for info in model.outputs.values()
        if info.name in found and is_foreign(info) and info.type_name != "no type"
    }


def check_operators(model: OnnxModel, backends: Sequence[RunsStandIns] = ()) -> None:
    """Raise one `UnsupportedOperatorError` for all that can be known without shapes.

    If ``backends`` run operators that no layer expresses, that is nothing: they are asked when
    shapes are known.
    """
    if backends:
        return
    from armnn_py.frontends.onnx.convert.functions import is_known

    problems = OnnxProblems(model)
    emit = Emitter(Network(model.name))
    for node in model.nodes:
        version = model.version_of(node.domain)
        entry = find_operator(node.domain, node.op_type, version)
        if entry is None:
            if not is_known(model, node, version):
                problems.add_unknown(node)
            continue
        values = [model.constants.get(name) for name in node.inputs]
        unreadable = [value for value in values if isinstance(value, Unreadable)]
        if unreadable:
            problems.add_node(node, all_reasons(unreadable))
        elif entry.check is not None:
            known = [value if isinstance(value, Known) else None for value in values]
            try:
                entry.check(NodeView(node, version, known, emit, model.used))
            except NotKnown:
                pass  # perhaps it is with shapes
            except Unsupported as reason:
                problems.add_node(node, str(reason))
            except ParseError as error:
                raise named(error, node) from error
    problems.raise_if_any()
