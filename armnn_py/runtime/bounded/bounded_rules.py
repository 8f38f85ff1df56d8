# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Rules by which the layers of a network at other sizes follow from those at its bounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from armnn_py.descriptors import ReshapeDescriptor
from armnn_py.network import ConstantLayer, VariableLayer
from armnn_py.runtime.bounded.bounded_sizes import (
    BoundedRefusedError,
    NoRuleError,
    evaluate,
    find_rule,
)
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.network import Layer, OutputSlot
    from armnn_py.runtime.bounded.bounded_sizes import Point
    from armnn_py.tensors import TensorInfo

Infos = dict["OutputSlot", "TensorInfo"]

#: Fields of descriptors that say again what the shapes say, so that kernels can go by these.
_FIELDS = {
    LayerType.BROADCAST_TO: {"target_shape"},
    LayerType.CONCAT: {"views"},
    LayerType.SLICE: {"size"},
    LayerType.SPLITTER: {"views"},
    LayerType.STACK: {"input_shape"},
}


class LayerRules(Struct, frozen=True):
    """What `evaluate` or `descriptor_at` turn into what a layer has at a point.

    Attributes
    ----------
    of_layers
        Rules of descriptors that depend on the sizes, by guid.
    of_stand_ins
        Rules of shapes, of the outputs of StandIn layers.
    """

    of_layers: dict[int, Any]
    of_stand_ins: dict[OutputSlot, Any]


def find_rules(rows: Sequence[Sequence[Layer]], points: Sequence[Point]) -> LayerRules:
    """Find the rules by which the layers of other points follow from the first.

    Parameters
    ----------
    rows
        The layers of the network at each point, that of the bounds first.
    points
        The sizes.

    Raises
    ------
    BoundedRefusedError
        There are none.
    """
    if any(len(row) != len(rows[0]) for row in rows):
        raise BoundedRefusedError(["the number of layers depends on the sizes"])
    rules = LayerRules({}, {})
    reasons = []
    for layers in zip(*rows, strict=True):
        try:
            _compare(layers, points, rules)
        except NoRuleError as error:
            reasons.append(f"{named(layers[0])}: {error}")
    if reasons:
        raise BoundedRefusedError(reasons)
    return rules


def _compare(layers: Sequence[Layer], points: Sequence[Point], rules: LayerRules) -> None:
    first = layers[0]
    for other in layers[1:]:
        if other.type is not first.type or _wiring(other) != _wiring(first):
            raise NoRuleError("another layer is in its place at other sizes")
    if isinstance(first, VariableLayer):
        for other in layers[1:]:
            assert isinstance(other, VariableLayer)
            if not _same_values(other.initial, first.initial):
                raise NoRuleError("its first values depend on the sizes")
        return
    if isinstance(first, ConstantLayer):
        for other in layers[1:]:
            assert isinstance(other, ConstantLayer)
            if not _same_values(other.value, first.value):
                raise NoRuleError("its values depend on the sizes")
        return
    if first.type is LayerType.STAND_IN:
        for slots in zip(*(layer.outputs for layer in layers), strict=True):
            rules.of_stand_ins[slots[0]] = find_rule([slot.info.shape for slot in slots], points)
    descriptors = [layer.descriptor for layer in layers]
    if all(descriptor == first.descriptor for descriptor in descriptors):
        return
    if first.type is LayerType.RESHAPE:
        rules.of_layers[first.guid] = _find_target(descriptors, points)
        return
    try:
        rule = find_rule(descriptors, points)
    except NoRuleError:
        raise NoRuleError("its parameters depend on the sizes") from None
    allowed = _FIELDS.get(first.type, set())
    for name, field in rule.fields.items():
        if field != getattr(first.descriptor, name) and name not in allowed:
            raise NoRuleError(f"its parameter '{name}' depends on the sizes")
    rules.of_layers[first.guid] = rule


def _find_target(descriptors: Sequence[Any], points: Sequence[Point]) -> tuple[Any, ...]:
    """The rule of the shape of a Reshape; None for one size that is what the others leave."""
    if len({len(descriptor.target_shape) for descriptor in descriptors}) > 1:
        raise NoRuleError("its parameter 'target_shape' depends on the sizes")
    rules: list[Any] = []
    for sizes in zip(*(descriptor.target_shape for descriptor in descriptors), strict=True):
        try:
            rules.append(find_rule(sizes, points))
        except NoRuleError:
            rules.append(None)
    if rules.count(None) > 1:
        raise NoRuleError("its parameter 'target_shape' depends on the sizes")
    return tuple(rules)


def descriptor_at(rule: Any, point: Point, layer: Layer, found: Infos) -> Any:
    """Return the descriptor of a layer by its rule; ``found`` are infos that differ from bounds."""
    if layer.type is not LayerType.RESHAPE:
        return evaluate(rule, point)
    shape = list(evaluate(rule, point))
    if None in shape:
        slot = layer.inputs[0]
        assert slot is not None
        others = math.prod(size for size in shape if size is not None)
        count = found.get(slot, slot.info).element_count
        shape[shape.index(None)] = count // others if others else 0
    return ReshapeDescriptor(tuple(shape))


def _same_values(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> bool:
    return first is second or (
        first.shape == second.shape
        and np.array_equal(first, second, equal_nan=first.dtype.kind == "f")
    )


def _wiring(layer: Layer) -> list[tuple[int, int] | None]:
    return [None if slot is None else (slot.layer.guid, slot.index) for slot in layer.inputs]


def named(layer: Layer) -> str:
    """Return a layer's name and type, for a reason."""
    return f"layer '{layer.name}' ({layer.shown_type.label})"
