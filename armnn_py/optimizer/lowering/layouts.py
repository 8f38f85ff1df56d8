# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers in the layout that their backends want, between Transposes.

A backend says of a layer with a ``data_layout`` in which one it would have it. Such a layer is
converted alone first, as its backend would do it inside of its kernel: a Transpose before it and
one behind it, weights at once. Two that meet cancel here; `save_transposes` then saves those around
layers to which the order of dimensions is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from armnn_py.backends.questions.layer_support import LayerSignature
from armnn_py.descriptors import PermuteDescriptor
from armnn_py.optimizer.assignment.asking import node_signature
from armnn_py.optimizer.graph import NO_PIN
from armnn_py.optimizer.passes.permutes.movement import (
    has_one_meaning,
    inverse,
    keeps_values,
    only_input,
    permuted_constant,
    permuted_info,
    sources_of,
)
from armnn_py.types import DataLayout, LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from armnn_py.optimizer.assignment.asking import Asking
    from armnn_py.optimizer.graph import Graph, Node, Value
    from armnn_py.tensors import TensorInfo


def order_of(layout: DataLayout, target: DataLayout) -> tuple[int, ...]:
    """Return for each dimension of ``target`` which one of ``layout`` it is."""
    return tuple(layout.name.index(letter) for letter in target.name)


def layout_of(key: LayerSignature) -> DataLayout | None:
    """Return the layout of a layer that can be converted to another one, else None."""
    laid_out = FACTS[key.type].laid_out_operands
    if not laid_out:
        return None
    descriptor: Any = key.descriptor
    layout: DataLayout = descriptor.data_layout
    operands = [key.inputs[index] for index in laid_out]
    if any(info is None or info.rank != layout.rank for info in (*operands, *key.outputs)):
        return None
    # Scales along an axis are no matter in weights that are known; a Transpose keeps only one.
    moved = [key.inputs[index] for index in laid_out if not key.constants[index]]
    if not all(info is None or has_one_meaning(info) for info in (*moved, *key.outputs)):
        return None
    return layout


def in_layout(key: LayerSignature, target: DataLayout) -> LayerSignature:
    """Return a layer as it is in another layout."""
    descriptor: Any = key.descriptor
    sources = order_of(descriptor.data_layout, target)
    laid_out = FACTS[key.type].laid_out_operands
    return key._replace(
        descriptor=structs.replace(descriptor, data_layout=target),
        inputs=tuple(
            permuted_info(info, sources) if info is not None and index in laid_out else info
            for index, info in enumerate(key.inputs)
        ),
        outputs=tuple(permuted_info(info, sources) for info in key.outputs),
    )


def transpose_of(info: TensorInfo, sources: tuple[int, ...]) -> LayerSignature:
    """Return the Transpose of a tensor."""
    descriptor = PermuteDescriptor(sources)
    outputs = (permuted_info(info, sources),)
    return LayerSignature(LayerType.TRANSPOSE, descriptor, (info,), outputs, (False,))


def _transposes_around(key: LayerSignature, target: DataLayout) -> Iterator[LayerSignature]:
    """The Transposes that a layer alone needs in another layout; constants need none."""
    descriptor: Any = key.descriptor
    sources = order_of(descriptor.data_layout, target)
    for index in FACTS[key.type].laid_out_operands:
        info = key.inputs[index]
        if info is not None and not key.constants[index]:
            yield transpose_of(info, sources)
    for info in key.outputs:
        yield transpose_of(permuted_info(info, sources), inverse(sources))


class Preference(Struct, frozen=True):
    """The other layout in which a backend wants and takes a layer, or None and the reason.

    The reason is empty where the backend wants no other.
    """

    layout: DataLayout | None
    reason: str = ""


def preference_of(asking: Asking, backend_id: str, key: LayerSignature) -> Preference:
    """Ask a backend in which layout it would have a layer, and whether it then takes it."""
    support = asking.support_of(backend_id)
    layout = None
    if support.prefers_layouts and layout_of(key) is not None:
        layout = support.preferred_layout(key)
    if layout is None:
        return Preference(None)
    why_not = _why_not(asking, backend_id, key, layout)
    return Preference(None, f"in {layout.name}: {why_not}") if why_not else Preference(layout)


def _why_not(asking: Asking, backend_id: str, key: LayerSignature, layout: DataLayout) -> str:
    """Why a layer cannot run in another layout; empty if it can."""
    answer = asking.ask(backend_id, in_layout(key, layout))
    if not answer:
        return answer.reason
    for around in _transposes_around(key, layout):
        if asking.taker(backend_id, around) is None:
            return f"no backend takes the Transpose of {around.inputs[0]}"
    return ""


class LayoutPreferences:
    """Asks for preferred layouts and follows them.

    Parameters
    ----------
    graph
        Changed in place.
    asking
        Asks the backends.
    original
        Gets each converted node with the layout that it had at first.
    place
        Called with each inserted layer and its backend.
    tidy
        Whether Transposes without a consumer are taken out. Not while backends look at
        sub-graphs, where they may be.
    """

    def __init__(
        self,
        graph: Graph,
        asking: Asking,
        original: dict[Node, DataLayout],
        place: Callable[[Node, str], None],
        *,
        tidy: bool = True,
    ) -> None:
        self._graph = graph
        self._asking = asking
        self._original = original
        self._place = place
        self._tidy = tidy
        self._made: dict[tuple[Value, tuple[int, ...]], Value] = {}

    def follow(self, node: Node, backend_id: str) -> bool:
        """Convert a layer to the layout that a backend wants, if it wants another."""
        layout = preference_of(self._asking, backend_id, node_signature(node)).layout
        if layout is None:
            return False
        self.convert(node, backend_id, layout)
        return True

    def rescue(self, node: Node, backend_id: str, key: LayerSignature) -> bool:
        """Convert a refused layer to the backend's preference, or back to the user's layout."""
        if self.follow(node, backend_id):
            return True
        first = self._original.get(node)
        if first is None or layout_of(key) in (None, first):
            return False
        if _why_not(self._asking, backend_id, key, first):
            return False
        self.convert(node, backend_id, first)
        return True

    # ---- Changing the graph --------------------------------------------------------------------

    def convert(self, node: Node, backend_id: str, target: DataLayout) -> None:
        """Let a layer compute in another layout, between Transposes."""
        graph, descriptor = self._graph, node.descriptor
        assert descriptor is not None
        layout: DataLayout = descriptor.data_layout  # type: ignore[attr-defined]
        sources = order_of(layout, target)
        for index in FACTS[node.type].laid_out_operands:
            value = node.inputs[index]
            if value is not None:
                graph.set_input(node, index, self._permuted(value, sources, target, backend_id))
                self._drop(value, node.inputs[index])
        node.descriptor = structs.replace(descriptor, data_layout=target)
        for value in node.outputs:
            value.info = permuted_info(value.info, sources)
            self._let_others_read(value, inverse(sources), layout, backend_id)
        if self._original.setdefault(node, layout) is target:
            del self._original[node]

    def _permuted(
        self, value: Value, sources: tuple[int, ...], target: DataLayout, backend_id: str
    ) -> Value:
        """The permuted form of a value, which may be there already."""
        before = value.node
        if sources_of(before) == inverse(sources) and keeps_values(before):
            return only_input(before)
        made = self._made.get((value, sources))
        is_constant = value.constant is not None
        is_there = made is not None and made.node in self._graph
        if made is not None and is_there and (is_constant or made.node.inputs == [value]):
            return made
        if is_constant:
            made = permuted_constant(self._graph, value, sources)
        else:
            made = self._add(value, sources, target, backend_id)
        self._made[value, sources] = made
        return made

    def _drop(self, value: Value, instead: Value | None) -> None:
        """Take out a value without consumers, if that is allowed."""
        node = value.node
        if value.users or node not in self._graph:
            return
        if node.type is LayerType.CONSTANT and instead is not None:
            self._graph.adopt(instead.node, node)
            self._graph.remove(node)
        elif self._tidy and sources_of(node) is not None:
            self._graph.remove(node)

    def _let_others_read(
        self, value: Value, undone: tuple[int, ...], layout: DataLayout, backend_id: str
    ) -> None:
        """Put a Transpose between a permuted value and its readers, or take one out."""
        back: Value | None = None
        for user, index in list(value.users):
            if self._tidy and sources_of(user) == inverse(undone) and keeps_values(user):
                self._graph.bypass(user, value)
                continue
            if back is None:
                back = self._add(value, undone, layout, backend_id)
            self._graph.set_input(user, index, back)

    def _add(
        self, value: Value, sources: tuple[int, ...], layout: DataLayout, backend_id: str
    ) -> Value:
        slot = "" if len(value.node.outputs) == 1 else f" ({value.index})"
        node = self._graph.add(
            LayerType.TRANSPOSE,
            [value],
            PermuteDescriptor(sources),
            name=f"{layout.name} of {value.node.name}{slot}",
            near=value.node,
            infos=[permuted_info(value.info, sources)],
        )
        node.pin = NO_PIN
        self._place(node, self._asking.taker(backend_id, node_signature(node)) or backend_id)
        return node.output


def tidy(graph: Graph) -> bool:
    """Take out inserted Transposes that undo each other or are unused; return whether any were.

    For when no backend looks at sub-graphs any more; see `LayoutPreferences`.
    """
    count = len(graph)
    nodes = [node for node in graph.nodes if sources_of(node) is not None]
    for node in nodes:
        before, sources = only_input(node).node, sources_of(node)
        taken_back = sources_of(before)
        if taken_back is None or sources is None or inverse(taken_back) != sources:
            continue
        if not (node.origins and before.origins) and keeps_values(node) and keeps_values(before):
            graph.bypass(node, only_input(before))
    for node in reversed(nodes):
        if node in graph and not node.origins and not node.output.users:
            graph.remove(node)
    return len(graph) != count
