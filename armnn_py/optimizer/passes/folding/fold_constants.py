# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers whose inputs are all constant become constants.

Arm NN does so for Permute and Dequantize of a Constant; here it is any layer that a loaded backend
computes, and Shape and Rank of any tensor. Movements and conversions of constants are done here;
other layers of the whole graph are computed together in one run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.descriptors import PermuteDescriptor
from armnn_py.descriptors.base import plain_descriptor
from armnn_py.memory_budget import computed_budget, work_budget
from armnn_py.network import Network
from armnn_py.optimizer.passes.base import PassLog, may_merge
from armnn_py.optimizer.passes.folding.fold_work import work_of
from armnn_py.tensors.info import plain_info
from armnn_py.types import DataType, LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from armnn_py.network import OutputSlot
    from armnn_py.optimizer.graph import Graph, Node, Value

#: A constant may be this much larger than the ones that it is made of,
_GROWTH = 4
#: or have this many bytes; a tile or a fill of many megabytes is made anew in each run.
_SMALL = 1 << 20
#: Multiply-adds that may be computed for each byte of constants.
_WORK = 32
#: No intermediate tensor has more bytes.
_LARGEST = 1 << 30

_SHAPES = frozenset({LayerType.RANK, LayerType.SHAPE})
_HALF_AND_SINGLE = {DataType.FLOAT16, DataType.FLOAT32}


def _is_computable(layer_type: LayerType) -> bool:
    facts = FACTS[layer_type]
    if layer_type is LayerType.DEQUANTIZE_BLOCKS:
        return False  # weights of few bits stay small: a backend decodes them where it needs them
    return not (facts.host or facts.moves_memory or facts.opaque)


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    known = _knowable(graph)
    _unite_equal(graph, known, log)
    wanted = _wanted(known)
    found: dict[Value, NDArray[Any]] = {}
    pending = []
    nodes = _ancestors(known, wanted)
    for node in nodes:
        array = _compute(node, found)
        if array is None:
            pending.append(node)
        else:
            array.flags.writeable = False
            found[node.output] = array
    found.update(_evaluate(pending, wanted, found, log))
    for node in wanted:
        if all(value in found for value in node.outputs if value.users):
            _fold(graph, node, found, log)
    for node in reversed(nodes):
        if not any(value.users for value in node.outputs):
            graph.remove(node)


# ---- What can be known, and what of it is wanted -----------------------------------------------


def _bytes(values: Iterable[Value]) -> int:
    return sum(value.info.byte_size for value in values)


def _knowable(graph: Graph) -> dict[Node, int]:
    """Nodes that depend on constants alone, in order, and how many bytes of constants."""
    known: dict[Node, int] = {}
    total = _bytes(n.output for n in graph if n.type is LayerType.CONSTANT)
    budget, work = computed_budget(total, _GROWTH), work_budget(total, _WORK)
    for node in graph.nodes:
        if not _is_computable(node.type) or not node.inputs or _bytes(node.outputs) > _LARGEST:
            continue
        if _changes_with_shapes(node):
            continue
        if not all(may_merge(node, user) for value in node.outputs for user, _ in value.users):
            continue
        if node.type in _SHAPES:
            known[node] = 0
            continue
        if _bytes(node.outputs) > budget:
            continue
        sources = 0
        for value in node.inputs:
            if value is None:
                continue
            if value.constant is not None:
                sources += value.info.byte_size
            elif value.node in known:
                sources += known[value.node]
            else:
                break
        else:
            cost = work_of(node)
            if cost <= work:
                known[node] = min(sources, total)  # shared ones were counted repeatedly
                budget -= _bytes(node.outputs)
                work -= cost
    return known


def _unite_equal(graph: Graph, known: dict[Node, int], log: PassLog) -> None:
    """Keep one of equal nodes that read the same values, so that it is computed once."""
    first: dict[Hashable, Node] = {}
    for node in list(known):
        infos = tuple(value.info for value in node.outputs)
        key = (node.type, node.descriptor, tuple(node.inputs), infos, node.pin)
        kept = first.setdefault(key, node)
        if kept is not node:
            log.changed(f"'{node.name}' does what '{kept.name}' does, and is gone")
            graph.substitute(node, kept)
            del known[node]


def _changes_with_shapes(node: Node) -> bool:
    """Whether other shapes of the network's inputs make another constant."""
    return plain_descriptor(node.descriptor) is not node.descriptor or any(
        plain_info(value.info) is not value.info for value in node.outputs
    )


def _wanted(known: dict[Node, int]) -> dict[Node, None]:
    """Nodes to turn into constants: what others read of them is not too large."""
    wanted: dict[Node, None] = {}
    vanishing: set[Node] = set()
    for node in reversed(known):
        read = [
            value
            for value in node.outputs
            if any(user not in wanted and user not in vanishing for user, _ in value.users)
        ]
        if not read:
            vanishing.add(node)
        elif any(value.info.data_type.is_packed for value in read):
            continue  # no Constant layer holds it
        elif _bytes(read) <= max(_SMALL, _GROWTH * known[node]):
            wanted[node] = None
    return dict.fromkeys(reversed(wanted))


def _ancestors(known: dict[Node, int], wanted: dict[Node, None]) -> list[Node]:
    """The wanted nodes and the nodes that they are computed from, in order."""
    needed = set(wanted)
    for node in reversed(known):
        if node in needed and node.type not in _SHAPES:
            needed.update(v.node for v in node.inputs if v is not None and v.node in known)
    return [node for node in known if node in needed]


# ---- Values ------------------------------------------------------------------------------------


def _compute(node: Node, found: dict[Value, NDArray[Any]]) -> NDArray[Any] | None:
    """The value of a layer that only moves or converts, if its input's is known."""
    value = node.inputs[0]
    if value is None or len(node.outputs) != 1:
        return None
    info = node.output.info
    if node.type is LayerType.RANK:
        return np.array(value.info.rank, info.dtype)
    if node.type is LayerType.SHAPE:
        return np.array(value.info.static_shape, info.dtype)
    array = value.constant if value.constant is not None else found.get(value)
    if array is None or value.info.data_type.is_packed:
        return None
    if isinstance(node.descriptor, PermuteDescriptor):
        axes = node.descriptor.mappings
        return np.ascontiguousarray(array.transpose(axes)).reshape(info.static_shape)
    if node.type is LayerType.RESHAPE:
        return array.reshape(info.static_shape)
    if node.type is LayerType.CAST and {value.info.data_type, info.data_type} == _HALF_AND_SINGLE:
        with np.errstate(over="ignore"):
            return array.astype(info.dtype)
    if node.type is LayerType.DEQUANTIZE:
        return _dequantized(array, value, info.data_type)
    return None


def _dequantized(array: NDArray[Any], value: Value, target: DataType) -> NDArray[Any] | None:
    """``scale * (q - zero_point)``, with the scales of an axis along that axis."""
    if target is DataType.BFLOAT16:
        return None
    quantization = value.info.quantization
    if quantization is None:
        return array.astype(target.numpy) if value.info.data_type is DataType.FLOAT16 else None
    with np.errstate(over="ignore"):
        return value.info.dequantize(array).astype(target.numpy)


def _evaluate(
    nodes: Sequence[Node],
    wanted: dict[Node, None],
    found: dict[Value, NDArray[Any]],
    log: PassLog,
) -> dict[Value, NDArray[Any]]:
    """The values of wanted nodes, computed by a backend; without those that it cannot compute.

    If no backend runs all of them together, independent groups are tried one by one.
    """
    if log.evaluate is None or not nodes:
        return {}
    everything = _run_nodes(nodes, wanted, found, log)
    if everything is not None:
        return everything
    results: dict[Value, NDArray[Any]] = {}
    groups = _groups(nodes)
    if len(groups) > 1:
        for group in groups:
            results.update(_run_nodes(group, wanted, found, log) or {})
    return results


def _run_nodes(
    nodes: Sequence[Node],
    wanted: dict[Node, None],
    found: dict[Value, NDArray[Any]],
    log: PassLog,
) -> dict[Value, NDArray[Any]] | None:
    network = Network("constants")
    slot_of: dict[Value, OutputSlot] = {}
    value_of: dict[str, Value] = {}
    for node in nodes:
        for value in node.inputs:
            if value is not None and value not in slot_of:
                array = value.constant if value.constant is not None else found[value]
                constant = network.append_unchecked(
                    f"constant_{len(slot_of)}",
                    LayerType.CONSTANT,
                    None,
                    (),
                    [value.info],
                    value=array,
                )
                slot_of[value] = constant.output
        layer = network.append_unchecked(
            node.name,
            node.type,
            node.descriptor,
            tuple(None if value is None else slot_of[value] for value in node.inputs),
            [value.info for value in node.outputs],
        )
        slot_of.update(zip(node.outputs, layer.outputs, strict=True))
        for value in node.outputs:
            if node in wanted and value.users:
                name = f"value_{len(value_of)}"
                network.add_output(name, slot_of[value])
                value_of[name] = value
    assert log.evaluate is not None
    results = log.evaluate(network)
    if results is None:
        return None
    return {value_of[name]: array for name, array in results.items()}


def _groups(nodes: Sequence[Node]) -> list[list[Node]]:
    """Nodes grouped by dependence."""
    parent = {node: node for node in nodes}

    def root(node: Node) -> Node:
        while parent[node] is not node:
            parent[node] = node = parent[parent[node]]
        return node

    for node in nodes:
        for value in node.inputs:
            if value is not None and value.node in parent:
                parent[root(value.node)] = root(node)
    groups: dict[Node, list[Node]] = {}
    for node in nodes:
        groups.setdefault(root(node), []).append(node)
    return list(groups.values())


# ---- Change ------------------------------------------------------------------------------------


def _fold(graph: Graph, node: Node, found: dict[Value, NDArray[Any]], log: PassLog) -> None:
    for value in node.outputs:
        if not value.users:
            continue
        array = np.asarray(found[value]).reshape(value.info.static_shape)
        name = node.name if len(node.outputs) == 1 else f"{node.name} ({value.index})"
        graph.replace(value, graph.add_constant(array, value.info, name=name, near=node))
    log.changed(f"{node.shown_type.label} '{node.name}' computed: its inputs are constant")
