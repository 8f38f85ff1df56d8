# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From a kernel that is wrong to the layer inside of it, or to layers that are wrong together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from armnn_py.comparing.differences import Difference
from armnn_py.comparing.groups import Group, constant_layers, group_of, split
from armnn_py.comparing.pieces import piece_of
from armnn_py.comparing.sides import BackendSide
from armnn_py.comparing.tensors import Place, place_of
from armnn_py.later import public_class

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.comparing.layers import LayerComparer, LayerDifference, Values
    from armnn_py.comparing.sides import Arrays


@public_class
@dataclass(frozen=True, slots=True)
class Finding:
    """The cause of an error.

    Attributes
    ----------
    kind
        ``"layer"``: a layer is wrong by itself. ``"fused"``: only these layers together are.
        ``"network"``: no layer is wrong by itself; this is the first one whose result differs.
    group
        The layers.
    error
        The error of their output.
    values
        Tensors of the reference at their border, by place.
    """

    kind: str
    group: Group
    error: Difference
    values: Values

    @property
    def layer(self) -> str:
        """Name of the layer, or of the first and the last one."""
        return self.group.name

    def __str__(self) -> str:
        on = f" on {self.group.backend}" if self.group.backend else ""
        named = f"'{self.group.name}' ({self.group.type}){on}"
        if self.kind == "layer":
            return f"first layer beyond tolerance: {named}: {self.error.worst}"
        if self.kind == "fused":
            return (
                f"beyond tolerance: {len(self.group.layers)} layers that run as one, {named}: "
                f"{self.error.worst}; each alone is right"
            )
        return (
            f"first seen behind {named}: {self.error.worst}; with the reference's inputs each "
            "layer is right"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the finding as JSON-able values."""
        return {
            "kind": self.kind,
            "layer": self.layer,
            "type": self.group.type,
            "backend": self.group.backend,
            "layers": [layer.name for layer in self.group.layers],
            "error": self.error.to_json(),
        }


def narrow(
    comparer: LayerComparer, rows: Sequence[LayerDifference], inputs: Arrays, values: Values
) -> Finding | None:
    """Return the first cause of the errors in a table of layers; None if all are right.

    Parameters
    ----------
    comparer
        Made the table.
    rows
        The table.
    inputs, values
        Inputs by name, and the reference's tensors by place, that it was made with.
    """
    beyond = [row for row in rows if not row.own.passed]
    wrong = min(beyond, key=lambda row: len(row.group.layers) > 1, default=None)
    if wrong is None:
        seen = next((row for row in rows if not row.accumulated.passed), None)
        return None if seen is None else Finding("network", seen.group, seen.accumulated, values)
    if len(wrong.group.layers) == 1:
        return Finding("layer", wrong.group, wrong.own, values)
    inner = {**values, **_inner_tensors(comparer, wrong.group, inputs, values)}
    parts = split(wrong.group, constant_layers(comparer.network), inner)
    if len(parts) > 1:
        own = comparer.own(parts, inner)
        for part, errors in zip(parts, own, strict=True):
            error = Difference.largest(errors.values())
            if not error.passed:
                kind = "layer" if len(part.layers) == 1 else "fused"
                return Finding(kind, part, error, inner)
        return _fused(comparer, parts, wrong, inner)
    return Finding("fused", wrong.group, wrong.own, values)


def _inner_tensors(
    comparer: LayerComparer, group: Group, inputs: Arrays, values: Values
) -> dict[Place, NDArray[Any]]:
    """Return the reference's tensors between the layers of a group."""
    slots = [slot for layer in group.layers for slot in layer.outputs if slot.consumers]
    reference = comparer.reference
    if not isinstance(reference, BackendSide):
        return reference.tensors(inputs, slots)
    names = {place_of(slot): f"tensor {number}" for number, slot in enumerate(slots)}
    whole = Group(group.layers, group.inputs, tuple(slots), group.backend)
    piece = piece_of("reference", [whole], lambda slot: names.get(place_of(slot), "input"))
    fed = {name: values[place_of(slot)] for name, slot in piece.inputs.items()}
    found = reference.run(piece.network, fed)
    return {place_of(slot): found[name] for name, slot in piece.outputs.items()}


def _fused(
    comparer: LayerComparer, parts: Sequence[Group], wrong: LayerDifference, values: Values
) -> Finding:
    """Find the fewest layers in a row that are wrong together, half of them at a time.

    All other layers are the reference's.
    """
    constants = constant_layers(comparer.network)

    def of(first: int, end: int) -> Group:
        layers = [layer for part in parts[first:end] for layer in part.layers]
        return group_of(layers, constants, wrong.group.backend)

    def error_of(first: int, end: int) -> Difference:
        (errors,) = comparer.own([of(first, end)], values)
        return Difference.largest(errors.values())

    end = _bisect(1, len(parts), lambda n: not error_of(0, n).passed)
    first = end - _bisect(1, end, lambda n: not error_of(end - n, end).passed)
    error = error_of(first, end)
    if error.passed:  # it depends on more than the layers in a row
        return Finding("fused", wrong.group, wrong.own, values)
    return Finding("fused", of(first, end), error, values)


def _bisect(low: int, high: int, is_wrong: Callable[[int], bool]) -> int:
    """Return the least number from ``low`` on that is wrong; ``high`` is."""
    while low < high:
        middle = (low + high) // 2
        if is_wrong(middle):
            high = middle
        else:
            low = middle + 1
    return high
