# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Assigns a backend to every node of a graph, and keeps the reasons of refusals.

Arm NN's order with its defects corrected: a placement rule, then the layer's own hint, then the
list of preferences; the first backend that takes the layer wins. A hint may name any loaded
backend; an unknown one is an error. All layers that no backend takes are reported together. A
float16 layer that a backend takes only in float32 runs there between conversions.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import TYPE_CHECKING

from msgspec import structs

from armnn_py.backends.questions.layer_support import LayerSignature
from armnn_py.errors import LayerRefusal
from armnn_py.optimizer.assignment.asking import Asking, node_signature, plain_signature
from armnn_py.optimizer.assignment.assignment_draft import AssignmentDraft, NodeAssignment
from armnn_py.optimizer.assignment.candidates import (
    Candidates,
    no_backend,
    unmatched_rules,
    unmet_rules,
)
from armnn_py.optimizer.assignment.check_quantization import check_quantization
from armnn_py.optimizer.lowering.layout_regions import save_transposes
from armnn_py.optimizer.lowering.layouts import LayoutPreferences, Preference, preference_of
from armnn_py.optimizer.lowering.reduce_precision import run_in_fp32
from armnn_py.optimizer.placing.placement import Placement
from armnn_py.tensors import TensorInfo
from armnn_py.text import counted
from armnn_py.types import DataType, LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence, Set

    from armnn_py.backends.backend import Backend
    from armnn_py.backends.options.model_options import ModelOptions
    from armnn_py.optimizer.graph import Graph, Node
    from armnn_py.optimizer.passes.base import PassLog
    from armnn_py.optimizer.placing.placement_record import PlacementRecord

__all__ = [
    "assign_nodes",
    "follow_layouts",
    "node_signature",
    "ranks_of_layers",
]


def assign_nodes(
    graph: Graph,
    backends: Sequence[Backend],
    available: Mapping[str, Backend],
    *,
    rules: Placement | None = None,
    log: PassLog | None = None,
    only: Set[Node] | None = None,
    excluded: Mapping[Node, Mapping[str, str]] | None = None,
    draft: AssignmentDraft | None = None,
    model_options: ModelOptions | None = None,
    record: PlacementRecord | None = None,
) -> AssignmentDraft:
    """Assign a backend to every node but the host's: sets ``node.backend``.

    Parameters
    ----------
    graph
        Without free dimensions. Conversions are inserted around float16 layers that their backend
        takes only in float32.
    backends
        Preferences, best first.
    available
        All loaded backends by id; hints and rules may name any of them.
    rules
        Which backend is to run which layer; see `Placement`.
    log
        Gets a sentence for each layer that runs between conversions.
    only
        Assign only these nodes, for example those that a backend could not compile.
    excluded
        By node: backends that must not get it, with the reason.
    draft
        The draft to continue; default: a new one.
    model_options
        Options of this model for the backends' support queries.
    record
        Notes questions and answers, where sizes are symbolic.

    Returns
    -------
    AssignmentDraft
        The assignments with their reasons.

    Raises
    ------
    UnknownNameError
        If a hint names a backend that is not loaded.
    GraphValidationError
        If layers make quantised values without a scale; lists all of them.
    NoBackendForLayerError
        If no backend takes some layers, or a strict rule cannot be met; ``.layers`` has each
        layer with each backend's reason.
    """
    rules = rules or Placement()
    if only is None:
        check_quantization(graph)
    with contextlib.ExitStack() as stack:
        todo = [node for node in graph.nodes if not node.is_host and (only is None or node in only)]
        assigner = _Assigner(
            graph,
            backends,
            available,
            rules,
            stack,
            model_options=model_options,
            draft=draft,
            log=log,
            todo=todo,
            is_first=only is None,
            record=record,
        )
        for node in todo:
            assigner.assign(node, (excluded or {}).get(node, {}))
        assigner.draft.with_preferences |= assigner.asking.with_preferences
    if assigner.unmet or assigner.refused or (only is None and rules.rules):
        unmatched = [] if only is not None else unmatched_rules(graph, rules)
        if assigner.unmet or unmatched:
            raise unmet_rules(assigner.unmet, unmatched, assigner.refused)
        if assigner.refused:
            raise no_backend(assigner.refused, [backend.id for backend in backends], available)
    return assigner.draft


def follow_layouts(
    graph: Graph,
    backends: Sequence[Backend],
    available: Mapping[str, Backend],
    draft: AssignmentDraft,
    *,
    model_options: ModelOptions | None = None,
) -> list[str]:
    """Convert layers to the layouts that their backends want.

    Parameters
    ----------
    graph
        Every node has its backend; changed in place.
    backends
        Preferences, best first.
    available
        All loaded backends by id.
    draft
        The assignments so far; has the converted layers then.
    model_options
        Options of this model for the backends' questions.

    Returns
    -------
    list of str
        A sentence for each backend with converted layers.
    """
    if not draft.with_preferences:
        return []
    with contextlib.ExitStack() as stack:
        _Assigner(
            graph,
            backends,
            available,
            Placement(),
            stack,
            model_options=model_options,
            draft=draft,
        ).follow_layouts()
    kinds = Counter(
        (node.backend, node.descriptor.data_layout.name)  # type: ignore[union-attr]
        for node in draft.layouts
        if node in graph
    )
    left = sum(1 for node in graph if node.type is LayerType.TRANSPOSE and not node.origins)
    return [
        f"{counted(count, 'layer')} on {backend} converted to {layout}; "
        f"{counted(left, 'Transpose')} inserted in all"
        for (backend, layout), count in kinds.items()
    ]


@contextlib.contextmanager
def ranks_of_layers(
    graph: Graph,
    backends: Sequence[Backend],
    available: Mapping[str, Backend],
    *,
    rules: Placement | None = None,
    model_options: ModelOptions | None = None,
) -> Iterator[Callable[[Node], int | None]]:
    """Yield a function: how many backends refuse a layer before one takes it, None if all do.

    No backend is asked before the function is called.
    """
    with contextlib.ExitStack() as stack:
        assigner = _Assigner(
            graph, backends, available, rules or Placement(), stack, model_options=model_options
        )
        yield assigner.rank_of


class _Assigner:
    """The state of one call of `assign_nodes`."""

    def __init__(
        self,
        graph: Graph,
        backends: Sequence[Backend],
        available: Mapping[str, Backend],
        rules: Placement,
        stack: contextlib.ExitStack,
        *,
        model_options: ModelOptions | None,
        draft: AssignmentDraft | None = None,
        log: PassLog | None = None,
        todo: Sequence[Node] = (),
        is_first: bool = True,
        record: PlacementRecord | None = None,
    ) -> None:
        self.graph = graph
        self.available = available
        self.rules = rules
        self.candidates = Candidates(rules, [backend.id for backend in backends], available)
        self.log = log
        self.draft = draft or AssignmentDraft()
        self.refused: list[LayerRefusal] = []
        #: Layers whose strict rule is not met, with the rule.
        self.unmet: list[tuple[str, LayerRefusal]] = []
        self._is_first = is_first
        self.asking = Asking(backends, available, model_options, stack, todo, record)
        self.layouts = LayoutPreferences(
            graph, self.asking, self.draft.layouts, self.place, tidy=is_first
        )

    def assign(self, node: Node, excluded: Mapping[str, str]) -> None:
        """Find a backend, or note that every backend refuses."""
        rule = self.candidates.rule_of(node)
        refusals: list[tuple[str, str]] = []
        for backend_id in self.candidates.ids(node, rule):
            if backend_id in excluded:
                refusals.append((backend_id, excluded[backend_id]))
                continue
            key = node_signature(node)
            answer = self.asking.ask(backend_id, key)
            note = ""
            preference = Preference(None) if answer else preference_of(self.asking, backend_id, key)
            if not answer and not self._converts(node, backend_id, key, preference):
                if not self._rescue(node, backend_id, key):
                    refusals.append((backend_id, preference.reason or answer.reason))
                    continue
                note = f"in float32 between conversions: {backend_id}: {answer.reason}"
            note = self._with_layout(node, note)
            node.backend = backend_id
            followed = rule is not None and backend_id in self.rules.rules[rule].backends
            told = self.rules.describe(rule) if rule is not None and followed else None
            assigned = NodeAssignment(
                backend_id, node.shown_type.label, tuple(refusals), node.pin.hint, told, note
            )
            self.draft.put(node, assigned)
            for origin in node.origins:
                if told is not None and self.rules.number_for(origin.name, origin.type) != rule:
                    self.draft.origins[origin] = structs.replace(assigned, rule=None)
            self.unmet += self.candidates.broken_rules(node, backend_id, tuple(refusals))
            return
        refusal = LayerRefusal(node.name, node.shown_type.label, tuple(refusals))
        if rule is not None and self.candidates.is_strict(node, rule):
            self.unmet.append((self.rules.describe(rule), refusal))
        else:
            self.refused.append(refusal)

    def place(self, node: Node, backend_id: str) -> None:
        """Give an inserted layer its backend."""
        node.backend = backend_id
        self.draft.put(node, NodeAssignment(backend_id, node.shown_type.label))

    def follow_layouts(self) -> None:
        """Convert the layers whose backends want another layout; save Transposes between them."""
        for node in self.graph.nodes:
            backend_id = node.backend
            if backend_id is None or backend_id not in self.draft.with_preferences:
                continue
            if self.layouts.follow(node, backend_id) and node in self.draft.nodes:
                known = self.draft.nodes[node]
                self.draft.put(
                    node, structs.replace(known, note=self._with_layout(node, known.note))
                )

        save_transposes(self.graph, self.asking, self.draft.layouts, self.place)

    def _with_layout(self, node: Node, note: str) -> str:
        """A note, with the layout of a layer that was converted."""
        if node not in self.draft.layouts:
            return note
        layout = node.descriptor.data_layout  # type: ignore[union-attr]
        return "; ".join(filter(None, (f"in {layout.name}", note)))

    def _converts(
        self, node: Node, backend_id: str, key: LayerSignature, preference: Preference
    ) -> bool:
        """Whether a backend takes a layer in another layout; `follow_layouts` converts it.

        A layer that a backend gave back is converted at once.
        """
        if self._is_first:
            return preference.layout is not None
        return self.layouts.rescue(node, backend_id, key)

    def rank_of(self, node: Node) -> int | None:
        """How many backends come before the first that takes a layer, if need be converted."""
        if node.pin.hint is not None and node.pin.hint not in self.available:
            return None
        # Its answer decides between ways to say the same; `assign` asks again for each shape.
        key = plain_signature(node_signature(node))
        for rank, backend_id in enumerate(self.candidates.ids(node, self.candidates.rule_of(node))):
            if backend_id not in self.available:
                continue
            if (
                self.asking.ask(backend_id, key)
                or preference_of(self.asking, backend_id, key).layout
            ):
                return rank
        return None

    def _rescue(self, node: Node, backend_id: str, key: LayerSignature) -> bool:
        """Let a float16 layer run in float32, if that and its conversions find a backend."""
        wide = _in_float32(key)
        if wide is None:
            return False
        takes = self.asking.ask(backend_id, wide)
        if not takes and preference_of(self.asking, backend_id, wide).layout is None:
            return False
        if not all(self.asking.taker(backend_id, around) for around in _conversions_around(key)):
            return False

        for added in run_in_fp32(self.graph, node):
            taker = self.asking.taker(backend_id, node_signature(added)) or backend_id
            self.place(added, taker)
        if not takes and not self._is_first:
            self.layouts.follow(node, backend_id)
        if self.log is not None:
            self.log.changed(f"'{node.name}' runs in float32 on {backend_id}, between conversions")
        return True


def _in_float32(key: LayerSignature) -> LayerSignature | None:
    """The same layer in float32; None if it has no float16."""
    if key.type is LayerType.CAST:
        return None  # a Cast changes types itself
    inputs = tuple(None if info is None else _widened(info) for info in key.inputs)
    outputs = tuple(_widened(info) for info in key.outputs)
    if inputs == key.inputs and outputs == key.outputs:
        return None
    return key._replace(inputs=inputs, outputs=outputs)


def _conversions_around(key: LayerSignature) -> Iterator[LayerSignature]:
    """The conversions that a layer needs to run in float32; constants are converted at once."""
    for info, constant in zip(key.inputs, key.constants, strict=True):
        if info is not None and info.data_type is DataType.FLOAT16 and not constant:
            yield _cast(info, _widened(info))
    for info in key.outputs:
        if info.data_type is DataType.FLOAT16:
            yield _cast(_widened(info), info)


def _cast(source: TensorInfo, target: TensorInfo) -> LayerSignature:
    return LayerSignature(LayerType.CAST, None, (source,), (target,), (False,))


def _widened(info: TensorInfo) -> TensorInfo:
    if info.data_type is not DataType.FLOAT16:
        return info
    return TensorInfo(info.shape, DataType.FLOAT32)
