# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Saves Transposes between converted layers: the layers between them take their layout.

As in the pass ``permute-regions``, but each layer stays on its backend, which must take it in the
new form, and layers of backends that converted nothing stay as they are. The cost is the bytes
that are moved: where a tensor forks or tensors join, there are never more of them than before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.descriptors import ReshapeDescriptor
from armnn_py.optimizer.assignment.asking import node_signature
from armnn_py.optimizer.lowering.layouts import order_of, transpose_of
from armnn_py.optimizer.passes.permutes.movement import moves_nothing, permuted_info
from armnn_py.optimizer.passes.permutes.permutable import (
    absorbs,
    is_permutable,
    is_permuted_operand,
    with_permuted_operands,
)
from armnn_py.optimizer.passes.permutes.regions import (
    Region,
    RegionChange,
    moves,
    permutations_of,
    regions_of,
)
from armnn_py.types import DataLayout, LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from armnn_py.backends.questions.layer_support import LayerSignature
    from armnn_py.optimizer.assignment.asking import Asking
    from armnn_py.optimizer.graph import Graph, Node, Value
    from armnn_py.tensors import TensorInfo

#: Beside the bytes of a Transpose, so that of none at all is better than of nothing.
_EACH = 2
#: A Transpose that no backend takes.
_NEVER = 1 << 100


def save_transposes(
    graph: Graph,
    asking: Asking,
    original: Mapping[Node, DataLayout],
    place: Callable[[Node, str], None],
) -> None:
    """Let layers around converted ones compute in their layout where that moves fewer bytes.

    Parameters
    ----------
    graph
        Every node has its backend; changed in place.
    asking
        Asks the backends.
    original
        The converted nodes, with the layouts that they had before.
    place
        Called with each inserted layer and its backend.
    """
    orders: dict[str, dict[tuple[int, ...], DataLayout]] = {}
    for node, layout in original.items():
        if node in graph and node.backend is not None:
            target: DataLayout = node.descriptor.data_layout  # type: ignore[union-attr]
            own = orders.setdefault(node.backend, {})
            own[order_of(layout, target)] = target
            own[order_of(target, layout)] = layout
    for backend_id, own in orders.items():

        def is_own(node: Node, backend_id: str = backend_id) -> bool:
            return node.backend == backend_id and is_permutable(node)

        for nodes in list(regions_of(graph, is_own)):
            for sources in permutations_of(nodes):
                if sources not in own:
                    continue
                region = _PlacedRegion(nodes, sources, backend_id, asking)
                region.choose()
                if region.chosen and region.gain() >= 0:
                    change = _PlacedChange(graph, region, own)
                    change.apply()
                    for added in change.added:
                        _settle(added, backend_id, asking, place)
    if orders:
        _turn_into_reshapes(graph, asking, place)


def _settle(
    node: Node, backend_id: str, asking: Asking, place: Callable[[Node, str], None]
) -> None:
    place(node, asking.taker(backend_id, node_signature(node)) or backend_id)


class _PlacedRegion(Region):
    """A region of one backend.

    On a tie a layer goes with its neighbours: an activation behind a convolution may be fused.
    """

    joins_on_tie = True

    def __init__(
        self, nodes: Sequence[Node], sources: tuple[int, ...], backend_id: str, asking: Asking
    ) -> None:
        self._backend_id = backend_id
        self._asking = asking
        self._weights: dict[TensorInfo, int] = {}
        self._absorbs: dict[Node, bool] = {}
        willing = [node for node in nodes if asking.ask(backend_id, _permuted(node, sources))]
        super().__init__(willing, sources)

    def weigh(self, value: Value) -> int:
        info = value.info
        known = self._weights.get(info)
        if known is None:
            there = transpose_of(info, self.sources)
            back = transpose_of(permuted_info(info, self.sources), self.undone)
            known = _NEVER
            if all(self._asking.taker(self._backend_id, one) for one in (there, back)):
                known = 1 if moves_nothing(info, self.sources) else _EACH + info.byte_size
            self._weights[info] = known
        return known

    def absorbs(self, node: Node) -> bool:
        known = self._absorbs.get(node)
        if known is None:
            known = self._absorbs[node] = (
                node.backend == self._backend_id
                and absorbs(node, self.sources)
                and bool(self._asking.ask(self._backend_id, _absorbing(node, self.sources)))
            )
        return known


def _permuted(node: Node, sources: tuple[int, ...]) -> LayerSignature:
    """A layer of a region as it is when it is permuted."""
    key = _absorbing(node, sources)
    return key._replace(outputs=tuple(permuted_info(info, sources) for info in key.outputs))


def _absorbing(node: Node, sources: tuple[int, ...]) -> LayerSignature:
    """A layer with permuted operands, the outputs as they are."""
    key = node_signature(node)
    rank = len(sources)
    inputs = tuple(
        permuted_info(info.with_shape((1,) * (rank - info.rank) + info.static_shape), sources)
        if info is not None and is_permuted_operand(node, index)
        else info
        for index, info in enumerate(key.inputs)
    )
    return key._replace(
        descriptor=with_permuted_operands(key.descriptor, sources, rank), inputs=inputs
    )


class _PlacedChange(RegionChange):
    """Names new Transposes by the layout that they make."""

    def __init__(
        self, graph: Graph, region: Region, layouts: Mapping[tuple[int, ...], DataLayout]
    ) -> None:
        super().__init__(graph, region)
        self._layouts = layouts

    def name_of(self, value: Value, sources: tuple[int, ...], like: Node) -> str:
        if like.origins:
            return like.name
        slot = "" if len(value.node.outputs) == 1 else f" ({value.index})"
        return f"{self._layouts[sources].name} of {value.node.name}{slot}"


def _turn_into_reshapes(graph: Graph, asking: Asking, place: Callable[[Node, str], None]) -> None:
    """Inserted Transposes that move no element become Reshapes, where a backend takes these."""
    for node in graph.nodes:
        sources = moves(node)
        if sources is None or node.origins or node.backend is None:
            continue
        before, after = node.inputs[0], node.output
        assert before is not None
        if not moves_nothing(before.info, sources):
            continue
        reshape = graph.add(
            LayerType.RESHAPE,
            [before],
            ReshapeDescriptor(after.info.static_shape),
            name=node.name,
            near=node,
            infos=[after.info],
        )
        taker = asking.taker(node.backend, node_signature(reshape))
        if taker is None:
            graph.remove(reshape)
        else:
            place(reshape, taker)
            graph.substitute(node, reshape)
