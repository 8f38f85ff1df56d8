# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which shapes do tensors have in a run, where one plan serves all shapes up to a bound?

Inference on the layers of the network at its bounds gives the shapes for all other sizes, too: it
was compared with the network at some smaller ones, see `armnn_py.runtime.bounded.bounded_plan`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from armnn_py.errors import ArmnnError
from armnn_py.network import ConstantLayer
from armnn_py.network.shapes import infer_shapes
from armnn_py.runtime.bounded.bounded_rules import descriptor_at, named
from armnn_py.runtime.bounded.bounded_sizes import BoundedRefusedError, evaluate, read_point
from armnn_py.runtime.contexts.plan_keys import PlanKey, read_key
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.network import Layer, OutputSlot
    from armnn_py.optimizer.placing.placed_network import PlacedNetwork
    from armnn_py.runtime.bounded.bounded_rules import Infos, LayerRules
    from armnn_py.runtime.bounded.bounded_sizes import BoundedSize, Point
    from armnn_py.tensors import TensorInfo

Reported = Mapping["OutputSlot", tuple[int, ...]]
_NOTHING: Reported = MappingProxyType({})


class BoundedShapes:
    """A network placed at its bounds, and the shapes of its tensors for smaller sizes.

    Attributes
    ----------
    placed
        The network; its shapes are upper bounds.
    sizes
        The sizes that inputs tell.
    masks
        By tensor: bits of the bounded dimensions; tensors without any are left out.
    reported
        Tensors some of whose sizes only the layer finds that makes them, with these bits.
    """

    def __init__(
        self, placed: PlacedNetwork, sizes: Sequence[BoundedSize], rules: LayerRules
    ) -> None:
        self.placed = placed
        self.sizes = tuple(sizes)
        self.masks: dict[OutputSlot, int] = {}
        self.reported: dict[OutputSlot, int] = {
            slot: sum(1 << axis for axis in slot.info.bounded)
            for layer in placed.network.layers
            if layer.type is LayerType.STAND_IN
            for slot in layer.outputs
            if slot.info.bounded
        }
        self.masks.update(self.reported)
        self._rules = rules
        self._inputs: dict[OutputSlot, Any] = {}
        self._order: list[Layer] = list(placed.network.layers)
        self._samples: list[Infos] = []
        for layer in placed.network.input_layers:
            places = {
                axis: i
                for i, s in enumerate(sizes)
                for n, axis in s.places
                if n == layer.name and s.bound > 1  # else it is always 1
            }
            if places:
                self._inputs[layer.outputs[0]] = (layer.outputs[0].info, places)

    # ---- In a run ----------------------------------------------------------------------------

    def point(self, key: PlanKey) -> Point:
        """Return the sizes that shapes of the inputs tell.

        Raises
        ------
        InvalidArgumentError
            One is above its bound, or differs between two dimensions of its name.
        """
        shapes, _ = read_key(key, self.placed.network.inputs)
        return read_point(self.sizes, shapes)

    def infos(self, point: Point, reported: Reported = _NOTHING) -> Infos:
        """Return the tensors that have not the shape of their bounds.

        ``reported`` are the shapes that layers have reported so far.

        Raises
        ------
        LayerValidationError
            A layer does not take these shapes.
        """
        found: Infos = {}
        made: dict[tuple[Any, ...], TensorInfo] = {}  # most tensors share a few shapes

        def note(slot: OutputSlot, shape: tuple[int, ...]) -> None:
            info = slot.info
            if shape == info.shape:
                return
            key = (shape, info.data_type, info.quantization)
            known = made.get(key)
            if known is None:
                known = made[key] = info.with_shape(shape)
            found[slot] = known

        for slot, (info, places) in self._inputs.items():
            dims = enumerate(info.static_shape)
            note(slot, tuple([point[places[d]] if d in places else size for d, size in dims]))
        rules = self._rules.of_layers
        for layer in self._order:
            operands = layer.inputs
            rule = rules.get(layer.guid)
            outputs = layer.outputs
            if layer.type is LayerType.STAND_IN:
                for slot in outputs:
                    note(
                        slot, reported.get(slot) or evaluate(self._rules.of_stand_ins[slot], point)
                    )
                continue
            if not outputs or (rule is None and not any(slot in found for slot in operands)):
                continue
            shapes = infer_shapes(
                layer.type,
                layer.descriptor if rule is None else descriptor_at(rule, point, layer, found),
                [None if slot is None else found.get(slot, slot.info) for slot in operands],
                [_value(slot) for slot in operands],
                outputs=[slot.info for slot in outputs],
                layer=layer.name,
            )
            for slot, shape in zip(outputs, shapes, strict=True):
                note(slot, shape)
        return found

    # ---- Of all runs -------------------------------------------------------------------------

    def layer_masks(self, layer: Layer) -> tuple[int, ...]:
        """Bits of bounded dimensions, for each input and each output of a layer."""
        slots = (*layer.inputs, *layer.outputs)
        return tuple(0 if slot is None else self.masks.get(slot, 0) for slot in slots)

    def sizes_of(self, slot: OutputSlot, axis: int) -> tuple[int, ...]:
        """Return a dimension of a tensor at each point that was looked at."""
        return tuple(sample.get(slot, slot.info).static_shape[axis] for sample in self._samples)

    def same_size(self, first: OutputSlot, second: OutputSlot) -> bool:
        """Whether two tensors of one size at the bounds have one size at all others."""
        return all(
            sample.get(first, first.info).byte_size == sample.get(second, second.info).byte_size
            for sample in self._samples
        )

    # ---- Comparison --------------------------------------------------------------------------

    def compare(self, rows: Sequence[Sequence[Layer]], points: Sequence[Point]) -> None:
        """Compare inference with the layers of the network at each point; the first are these.

        It finds which dimensions are bounded, and leaves out layers without any.

        Raises
        ------
        BoundedRefusedError
            They have other shapes.
        """
        for row, point in zip(rows[1:], points[1:], strict=True):
            self._sample(row, point)
        for slot, (_, places) in self._inputs.items():
            if any(not self.masks.get(slot, 0) >> axis & 1 for axis in places):
                raise BoundedRefusedError(["the network cannot be made for smaller sizes"])
        for reported in self._sample_reported():
            try:
                self._keep(self.infos(points[0], reported))
            except ArmnnError as error:
                raise BoundedRefusedError([error.message]) from error
        self._order = [
            layer
            for layer in self._order
            if layer.outputs
            and (
                layer.guid in self._rules.of_layers
                or any(slot in self.masks for slot in layer.inputs)
                or layer.type is LayerType.STAND_IN
            )
        ]

    def _sample_reported(self) -> list[dict[OutputSlot, tuple[int, ...]]]:
        """Shapes to compare with: each size that a layer tells on its own."""
        found = []
        for slot in self.reported:
            bounds = slot.info.static_shape
            for axis in slot.info.bounded:
                for size in {max(bounds[axis] - 1, 0), bounds[axis] // 2}:
                    found.append({slot: (*bounds[:axis], size, *bounds[axis + 1 :])})
        return found

    def _sample(self, layers: Sequence[Layer], point: Point) -> None:
        """Compare inference with the shapes of the network at a point, and keep the result."""
        try:
            found = self.infos(point)
        except ArmnnError as error:
            raise BoundedRefusedError([error.message]) from error
        for mine, other in zip(self.placed.network.layers, layers, strict=True):
            for slot, theirs in zip(mine.outputs, other.outputs, strict=True):
                if found.get(slot, slot.info).shape != theirs.info.shape:
                    raise BoundedRefusedError(
                        [f"{named(mine)}: its shape follows from the sizes in another way"]
                    )
        self._keep(found)

    def _keep(self, found: Infos) -> None:
        self._samples.append(found)
        for slot, info in found.items():
            for axis, (size, bound) in enumerate(zip(info.shape, slot.info.shape, strict=True)):
                if size != bound:
                    self.masks[slot] = self.masks.get(slot, 0) | 1 << axis


def _value(slot: OutputSlot | None) -> Any:
    layer = None if slot is None else slot.layer
    return layer.value if isinstance(layer, ConstantLayer) else None
