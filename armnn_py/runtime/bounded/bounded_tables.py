# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The shapes of all tensors of a plan, by those of the inputs of a run."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from armnn_py._native.plans.plan import PlanShapes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from armnn_py.network import OutputSlot
    from armnn_py.runtime.bounded.bounded_shapes import BoundedShapes, Reported
    from armnn_py.runtime.contexts.plan_keys import PlanKey
    from armnn_py.runtime.plan.planned import Build
    from armnn_py.tensors import TensorInfo

#: Tables kept, those used last: enough for the steps of a growing sequence that begins anew.
_TABLES = 256


class ShapeTable:
    """The shapes of all tensors for some shapes of the inputs.

    Attributes
    ----------
    shapes
        For the native context.
    outputs
        Infos of the network's outputs by name.
    """

    __slots__ = ("outputs", "shapes")

    def __init__(self, shapes: PlanShapes, outputs: Mapping[str, TensorInfo]) -> None:
        self.shapes = shapes
        self.outputs = outputs


class ShapeTables:
    """Tables by shapes of the inputs, for all contexts of one plan."""

    def __init__(self, bounded: BoundedShapes, build: Build) -> None:
        self._bounded = bounded
        self.reported = bounded.reported
        self._tables: OrderedDict[Any, ShapeTable] = OrderedDict()
        self._numbers: Mapping[OutputSlot, int] = build.number_of
        self._sizes = [tensor.size for tensor in build.tensors]
        self._infos: list[TensorInfo | None] = [None] * len(self._sizes)
        for slot, number in self._numbers.items():
            self._infos[number] = slot.info
        self._base = PlanShapes(self._infos, self._sizes, {})
        self._outputs = {
            layer.name: slot
            for layer in bounded.placed.network.output_layers
            for slot in layer.inputs
            if slot is not None
        }

    def find(self, key: PlanKey, reported: Reported | None = None) -> ShapeTable:
        """The table for shapes of the inputs, and those reported so far, made if missing.

        Raises
        ------
        InvalidArgumentError
            A size is above its bound.
        LayerValidationError
            A layer does not take these shapes.
        """
        name = (key, tuple(reported.values())) if reported else key
        table = self._tables.get(name)
        if table is None:
            table = self._make(
                self._bounded.infos(self._bounded.point(key), reported or {}), reported or {}
            )
            self._tables[name] = table
            while len(self._tables) > _TABLES:
                try:
                    self._tables.popitem(last=False)
                except KeyError:  # another thread was faster
                    break
        return table

    def _make(self, found: Mapping[OutputSlot, TensorInfo], reported: Reported) -> ShapeTable:
        infos, sizes = self._infos.copy(), self._sizes.copy()
        for slot, info in found.items():
            number = self._numbers.get(slot)
            if number is not None:
                infos[number] = info
                sizes[number] = info.byte_size
        outputs = {name: found.get(slot, slot.info) for name, slot in self._outputs.items()}
        unknown = {
            self._numbers[slot]: mask
            for slot, mask in self._bounded.reported.items()
            if slot not in reported and slot in self._numbers
        }
        return ShapeTable(PlanShapes(infos, sizes, unknown, self._base), outputs)
