# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Finds the cuts of a graph: places where computed data decide shapes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from armnn_py.frontends.common.axes import normal_axis
from armnn_py.frontends.common.origins import MOST_BYTES
from armnn_py.frontends.common.unique_names import unique_name
from armnn_py.frontends.common.values import (
    Known,
    Unsupported,
    Value,
    as_handed,
    dtype_of,
    shape_of,
)
from armnn_py.frontends.onnx.convert.sequence import TensorList
from armnn_py.frontends.onnx.file.element_types import dtype_of_number, is_small, name_of
from armnn_py.frontends.onnx.file.graph_node import Node
from armnn_py.network import OutputSlot
from armnn_py.network.choices import Choice
from armnn_py.network.control import Operands
from armnn_py.types import LayerType

_WORK_OF_AN_ELEMENT = 512

Sizes: TypeAlias = "tuple[int | None, ...]"
"""None for a size that is not known."""
Found: TypeAlias = "tuple[np.dtype[Any], Sizes]"
"""Type and shape of an output."""
Outputs: TypeAlias = "list[Found]"

_COUNT = np.dtype(np.int64)


def _along(node: Node, shape: tuple[int, ...]) -> tuple[int | None, ...]:
    """Return a shape with the dimension free that an attribute names; a vector without one."""
    axis = node.attributes.get("axis")
    if not isinstance(axis, int):
        return (None,)
    axis = normal_axis(axis, len(shape))
    return tuple(None if index == axis else size for index, size in enumerate(shape))


def _target(node: Node) -> np.dtype[Any]:
    dtype = dtype_of_number(node.attributes["to"])  # its converter has looked at it
    assert dtype is not None
    return dtype


def _roi_align(node: Node, x: Value, regions: Value, *_: Value) -> Outputs:
    sizes = (node.attributes.get(f"output_{name}", 1) for name in ("height", "width"))
    return [(dtype_of(x), (shape_of(regions)[0], shape_of(x)[1], *sizes))]


#: Operators that decide how many elements there are, or that no layer computes, each with types
#: and shapes of its outputs.
_BETWEEN: dict[str, Callable[..., Outputs]] = {
    "BitCast": lambda node, x, *_: [(_target(node), shape_of(x))],
    "Compress": lambda node, x, *_: [(dtype_of(x), _along(node, shape_of(x)))],
    "CumProd": lambda _, x, *__: [(dtype_of(x), shape_of(x))],
    "NonZero": lambda _, x, *__: [(_COUNT, (len(shape_of(x)), None))],
    "RoiAlign": _roi_align,
    "Unique": lambda node, x, *_: [
        (dtype_of(x), _along(node, shape_of(x))),
        *[(_COUNT, (None,))] * 3,
    ],
}


def cut_by_counts(nodes: Sequence[Node]) -> list[Node]:
    """Return nodes of which none both computes and decides how many elements there are.

    Such a node makes all rows that there could be, and a Compress behind it, between two stages,
    leaves those that there are.
    """
    if not any(_decides(node) for node in nodes):
        return list(nodes)
    taken = {name for node in nodes for name in (*node.reads, *node.outputs, node.name)}
    found: list[Node] = []
    for node in nodes:
        if not _decides(node):
            found.append(node)
            continue
        made = tuple(unique_name(f"{node.outputs[0]}/{name}", taken) for name in ("rows", "valid"))
        name = unique_name(f"{node.name}/kept", taken)
        found += [
            node.changed(outputs=made),
            Node(0, name, "", "Compress", made, node.outputs[:1], {"axis": 0}),
        ]
    return [node.changed(index=index) for index, node in enumerate(found)]


def _decides(node: Node) -> bool:
    return node.op_type == "NonMaxSuppression" and not node.domain and any(node.outputs)


def is_computed_between(node: Node) -> bool:
    """Return whether a node is computed on arrays, between two stages."""
    if node.op_type == "RoiAlign" and node.attributes.get("sampling_ratio"):
        return False  # as many samples for each region
    return not node.domain and node.op_type in _BETWEEN


def work_between(values: Sequence[Value | None]) -> int:
    """Return how long such a node takes numpy, in the unit of `work_budget`."""
    first = values[0] if values else None
    return 0 if first is None else _WORK_OF_AN_ELEMENT * math.prod(shape_of(first))


def outputs_between(node: Node, values: Sequence[Value | None]) -> Outputs:
    """Return types and shapes of the outputs of such a node; None is what data decide."""
    return _BETWEEN[node.op_type](node, *values)


def choice_of(
    node: Node, x: Value, known: Mapping[int, Known], results: Mapping[str, int]
) -> Choice | None:
    """Return such a node as a function of arrays; None if only its converter computes it.

    ``x`` is its first operand, ``known`` are those that are the same in all runs.
    """
    if node.op_type not in ("Compress", "NonZero", "Unique") or is_small(dtype_of(x)):
        return None
    names = node.inputs[: 1 + (node.op_type == "Compress")]
    constants = {index: as_handed(known[index]) for index in range(len(names)) if index in known}
    operands = Operands(tuple(names), constants)
    if node.op_type == "NonZero":
        return Choice(node.label, operands, dict.fromkeys(results, 1), "places_of")
    axis = node.attributes.get("axis")
    axis = None if axis is None else normal_axis(axis, len(shape_of(x)))
    if node.op_type == "Compress":
        return Choice(node.label, operands, {**results}, "compress", axis)
    is_sorted = bool(node.attributes.get("sorted", 1))
    return Choice(node.label, operands, {**results}, "unique", axis, is_sorted)


def can_be_cut(node: Node, values: Sequence[Value | None], index: int) -> bool:
    """Return whether a stage before a node can compute what decides shapes.

    ``index`` is the number of the operand that does. The stage behind takes it as an input whose
    values decide shapes; such an input is small, and one that was large before cannot be.
    """
    if is_computed_between(node):
        return not any(isinstance(value, TensorList) for value in values)
    slot = values[index] if index < len(values) else None
    return (
        isinstance(slot, OutputSlot)
        and slot.layer.type is not LayerType.INPUT
        and slot.info.byte_size <= MOST_BYTES
    )


def common_type(found: Sequence[Found]) -> Found:
    """Return the type that results of branches have in common; sizes that differ are not known."""
    first = found[0]
    for other in found[1:]:
        if other[0] != first[0]:
            raise Unsupported(f"branches of types {name_of(first[0])} and {name_of(other[0])}")
        if len(other[1]) != len(first[1]):
            raise Unsupported(f"branches of rank {len(first[1])} and {len(other[1])}")
        sizes = (a if a == b else None for a, b in zip(first[1], other[1], strict=True))
        first = first[0], tuple(sizes)
    return first
