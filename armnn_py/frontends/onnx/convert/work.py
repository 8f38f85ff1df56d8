# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The state that all scopes of one conversion share, and the handling of nodes without a layer.

Such a node is run by a backend as it is, needs a stage before it, is computed between two stages,
or cannot be converted.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from armnn_py.descriptors import StandInDescriptor
from armnn_py.descriptors.attributes import check_attributes
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.stand_ins import RunsStandIns, stand_in
from armnn_py.frontends.common.values import Known, NotKnown, StringInput, Value
from armnn_py.frontends.onnx.convert.problems import OnnxProblems
from armnn_py.frontends.onnx.convert.sequence import TensorList
from armnn_py.frontends.onnx.file.graph_node import Body, Node
from armnn_py.frontends.onnx.file.tensors import Unreadable, all_reasons
from armnn_py.frontends.onnx.stages.cuts import can_be_cut
from armnn_py.frontends.onnx.text.strings import (
    StringOutputs,
    inputs_of,
    outputs_of_strings,
    touches_strings,
)
from armnn_py.network import OutputSlot

if TYPE_CHECKING:
    from armnn_py.frontends.onnx.file.model import OnnxModel
    from armnn_py.tensors import TensorInfo

Operands: TypeAlias = "Sequence[Value | None]"


class Work:
    """The state of one conversion that all its scopes share.

    Attributes
    ----------
    needed
        Inputs whose values decide shapes.
    cuts
        Nodes of the model's graph that read data which decide shapes: what they read has to be
        computed by a stage of its own.
    apart
        Those of them that run by themselves, turn by turn or one of two branches, by index; with
        the function that a node calls.
    """

    def __init__(
        self,
        model: OnnxModel,
        infos: Mapping[str, TensorInfo],
        backends: Sequence[RunsStandIns],
        emit: Emitter,
    ) -> None:
        self.model = model
        self.infos = infos
        self.backends = backends
        self.emit = emit
        self.problems = OnnxProblems(model)
        self.needed: set[str] = set()
        self.cuts: list[Node] = []
        self.apart: dict[int, Body | None] = {}
        #: Those of them that could be written out as well, by index.
        self.chosen_apart: set[int] = set()
        #: Types and shapes of the outputs of those of them that read or make strings, by index.
        self.strings: dict[int, StringOutputs] = {}
        #: Whether values of all inputs are given, and everything is computed at once.
        self.is_evaluation = False
        #: How many nodes of bodies may be converted from here on: loops are written out.
        self.budget = model.budget

    def may_choose_apart(self, node: Node, values: Mapping[str, Any]) -> bool:
        """Return whether a loop that makes many layers may run by itself."""
        model = self.model
        return (
            model.keeps_loops
            and node.op_type in ("Loop", "Scan")
            and not self.is_evaluation
            and not any(isinstance(values.get(n), TensorList | Unreadable) for n in node.reads)
            and not model.has_random_state  # one state for all runs of a body
            and node.index not in model.written_out
        )

    # ---- Nodes that are no layers ----------------------------------------------------------------

    def offer(
        self, node: Node, version: int, values: Operands, reason: str = ""
    ) -> Sequence[Value] | None:
        """Offer a node that no layer expresses to the backends; note it if none takes it."""
        if any(isinstance(value, TensorList) for value in values):
            self.problems.add_node(node, reason or "a sequence as an operand")
            return None
        slots: Sequence[Value] | None = None
        reasons: Sequence[str] = ()
        if not touches_strings(node, values):
            slots, reasons = self._stand_in(node, version, values)
        if slots is None and reason:
            self.problems.add_node(node, "; ".join((reason, *reasons)))
        elif slots is None:
            self.problems.add_unknown(node, reasons)
        return slots

    def cut_before(
        self, node: Node, version: int, values: Operands, reason: NotKnown
    ) -> Sequence[Value] | None:
        """Note that a node needs a stage before it, unless a backend runs it as it is."""
        if not can_be_cut(node, values, reason.index):
            return self.offer(node, version, values, str(reason))
        slots = self._taken(node, version, values)
        if slots is None:
            self.cuts.append(node)
        return slots

    def set_apart(
        self,
        node: Node,
        version: int,
        values: Operands,
        reason: str,
        *,
        read: Sequence[Any],
        function: Body | None = None,
        is_chosen: bool = False,
    ) -> Sequence[Value] | None:
        """Note that a node runs by itself, unless a backend runs it as it is.

        ``read`` are the values that it and its bodies read, ``function`` is what it calls;
        ``is_chosen``: it could be written out as well.
        """
        unreadable = [value for value in read if isinstance(value, Unreadable)]
        if unreadable:
            self.problems.add_node(node, all_reasons(unreadable))
            return None
        if any(isinstance(value, TensorList) for value in read):
            return self.offer(node, version, values, reason)
        slots = None if touches_strings(node, values) else self._taken(node, version, values)
        if slots is not None:
            return slots
        self.cuts.append(node)
        self.apart[node.index] = function
        if is_chosen:
            self.chosen_apart.add(node.index)
        # Its written-out nodes no longer count; each further node gives back less.
        self.budget = max(self.budget, self.model.budget >> len(self.apart))
        return None

    def compute_between(self, node: Node, values: Operands) -> list[StringInput | None]:
        """Note that a node that reads or makes strings is computed between stages.

        Returns
        -------
        list
            Strings that it makes, if their number is known, for nodes behind it.
        """
        found = self.strings[node.index] = outputs_of_strings(node, values)
        self.cuts.append(node)
        return inputs_of(found)

    def _taken(self, node: Node, version: int, values: Operands) -> Sequence[Value] | None:
        """Return the outputs of a node that a backend runs as it is."""
        if not self.backends:
            return None

        return self._stand_in(node, version, values)[0]

    def _stand_in(
        self, node: Node, version: int, values: Sequence[Value | None]
    ) -> tuple[Sequence[OutputSlot] | None, tuple[str, ...]]:
        described = functools.partial(_described, node, version)
        return stand_in(self.emit, self.backends, values, described, node.name)


def _described(node: Node, version: int, operands: int) -> StandInDescriptor:
    attributes = {name: _plain(name, value) for name, value in node.attributes.items()}
    return StandInDescriptor(
        operands,
        len(node.outputs),
        version,
        node.domain,
        node.op_type,
        check_attributes(attributes),
    )


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, Body):
        raise ValueError(f"attribute '{name}' is a graph, which no backend takes")
    if isinstance(value, Unreadable):
        raise ValueError(value.reason)
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, list):
        return [_plain(name, item) for item in value]
    return value.array if isinstance(value, Known) else value
