# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that may as well work on permuted operands, and their parameters if they do.

Those are the elementwise layers, and layers whose parameters refer to dimensions: the table says
which layers, and each descriptor which of its fields. A reduction that drops dimensions makes the
same tensor of a permuted operand if the dimensions that are left keep their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from armnn_py.descriptors import ReduceDescriptor, View
from armnn_py.optimizer.passes.permutes.movement import has_one_meaning, inverse
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from armnn_py.descriptors import Descriptor
    from armnn_py.optimizer.graph import Node, Value


def is_permutable(node: Node) -> bool:
    """Whether a layer makes the permuted result of permuted operands, whatever the permutation."""
    facts = FACTS[node.type]
    rank = node.outputs[0].info.rank if node.outputs else 0
    if rank < 2 or not (facts.pointwise or facts.permutable):
        return False
    if any(getattr(node.descriptor, field) != need for field, need in facts.permutable_if):
        return False
    for index, need in facts.operand_ranks:
        operand = node.inputs[index]
        if operand is None or operand.info.rank != need:
            return False
    if any(value.info.rank != rank or not has_one_meaning(value.info) for value in node.outputs):
        return False
    return all(
        has_one_meaning(value.info)
        and (value.info.rank == rank or (value.constant is not None and facts.pointwise))
        for value in permuted_operands(node)
    )


def permuted_operands(node: Node) -> list[Value]:
    """Return the operands of a permutable layer that are permuted if its result is."""
    return [
        value
        for index, value in enumerate(node.inputs)
        if value is not None and is_permuted_operand(node, index)
    ]


def is_permuted_operand(node: Node, index: int) -> bool:
    """Whether an operand of a permutable layer is one of `permuted_operands`."""
    return index in (FACTS[node.type].permuted_operands or (index,))


def absorbs(node: Node, sources: Sequence[int]) -> bool:
    """Whether a layer makes the same result, not permuted, of a permuted operand."""
    d = node.descriptor
    if not isinstance(d, ReduceDescriptor) or d.keep_dims:
        return False
    value = node.inputs[0]
    if value is None or value.info.rank != len(sources) or not has_one_meaning(value.info):
        return False
    dropped = {axis % len(sources) for axis in d.axes} or set(range(len(sources)))
    kept = [source for source in sources if source not in dropped]
    return kept == sorted(kept)


def with_permuted_operands(
    d: Descriptor | None, sources: Sequence[int], rank: int
) -> Descriptor | None:
    """Return the parameters for operands whose dimension i is now what ``sources[i]`` was.

    ``rank`` is that of the operands.
    """
    if d is None:
        return None
    position = inverse(sources)  # where each dimension is now
    change: dict[str, Callable[[Any], Any]] = {
        "axis": lambda axis: position[axis % rank],
        "optional_axis": lambda axis: axis if axis < 0 else position[axis],
        "axes": lambda axes: tuple(sorted(position[axis % rank] for axis in axes)),
        "each": lambda values: tuple(values[source] for source in sources),
        "mask": lambda mask: _mask(mask, sources),
        "views": lambda views: _views(views, sources),
    }
    changed = {name: change[role](getattr(d, name)) for name, role in d.roles.items()}
    return structs.replace(d, **changed) if changed else d


def _views(views: Sequence[View], sources: Sequence[int]) -> tuple[View, ...]:
    return tuple(
        View(
            tuple(view.origin[source] for source in sources),
            tuple(view.size[source] for source in sources),
        )
        for view in views
    )


def _mask(mask: int, sources: Sequence[int]) -> int:
    return sum(1 << index for index, source in enumerate(sources) if mask >> source & 1)
