# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Can one plan serve all shapes up to a bound, and which shapes do tensors have in a run?

The network is built at the bounds and at some smaller sizes. If these have the same layers, and
inference of shapes on the layers of the first gives the shapes of the others, the layers are
independent of the sizes, and inference gives the shapes for all other sizes, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.backends.layer_support import LayerSignature, LayerSupport
from armnn_py.descriptors import ReshapeDescriptor
from armnn_py.errors import ArmnnError
from armnn_py.network import AssignLayer, ConstantLayer, VariableLayer
from armnn_py.network.shapes import infer_shapes
from armnn_py.runtime.late_sizes import (
    LateSize,
    NoRuleError,
    evaluate,
    find_rule,
    read_point,
    sample_points,
)
from armnn_py.runtime.plan_keys import PlanKey, read_key
from armnn_py.tensors import TensorInfo, format_shape
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.backends.backend import Backend
    from armnn_py.network import Layer, OutputSlot
    from armnn_py.optimizer import OptimizedNetwork
    from armnn_py.optimizer.placed_network import PlacedNetwork

__all__ = ["LateRefusedError", "LateShapes", "find_late_shapes"]

Point = tuple[int, ...]
Infos = dict["OutputSlot", TensorInfo]

Told = Mapping["OutputSlot", tuple[int, ...]]
_NOTHING: Told = MappingProxyType({})

#: Fields of descriptors that say again what the shapes say, so that kernels can go by these.
_FIELDS = {
    LayerType.BROADCAST_TO: {"target_shape"},
    LayerType.CONCAT: {"views"},
    LayerType.SLICE: {"size"},
    LayerType.SPLITTER: {"views"},
    LayerType.STACK: {"input_shape"},
}


class LateRefusedError(Exception):
    """One plan cannot serve all shapes; ``reasons`` say why. No user sees it.

    ``by_backends``: other backends might serve them.
    """

    def __init__(self, reasons: Sequence[str], *, by_backends: bool = False) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = tuple(reasons)
        self.by_backends = by_backends


class LateShapes:
    """A network placed at its bounds, and the shapes of its tensors for smaller sizes.

    Attributes
    ----------
    placed
        The network; its shapes are upper bounds.
    sizes
        The sizes that inputs tell.
    masks
        By tensor: bits of the dimensions that are known late; tensors without any are left out.
    told
        Tensors some of whose sizes only the layer finds that makes them, with these bits.
    """

    def __init__(self, placed: PlacedNetwork, sizes: Sequence[LateSize]) -> None:
        self.placed = placed
        self.sizes = tuple(sizes)
        self.masks: dict[OutputSlot, int] = {}
        self.told: dict[OutputSlot, int] = {
            slot: sum(1 << axis for axis in slot.info.late)
            for layer in placed.network.layers
            if layer.type is LayerType.STAND_IN
            for slot in layer.outputs
            if slot.info.late
        }
        self.masks.update(self.told)
        self._rules: dict[int, Any] = {}  # of descriptors, by guid
        self._stated: dict[OutputSlot, Any] = {}  # rules of shapes, of outputs of StandIn layers
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

    def infos(self, point: Point, told: Told = _NOTHING) -> Infos:
        """Return the tensors that have not the shape of their bounds.

        ``told`` are the shapes that layers have told so far.

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
        for layer in self._order:
            operands = layer.inputs
            rule = self._rules.get(layer.guid)
            outputs = layer.outputs
            if layer.type is LayerType.STAND_IN:
                for slot in outputs:
                    note(slot, told.get(slot) or evaluate(self._stated[slot], point))
                continue
            if not outputs or (rule is None and not any(slot in found for slot in operands)):
                continue
            shapes = infer_shapes(
                layer.type,
                layer.descriptor if rule is None else _descriptor(rule, point, layer, found),
                [None if slot is None else found.get(slot, slot.info) for slot in operands],
                [_value(slot) for slot in operands],
                outputs=[slot.info for slot in outputs],
                layer=layer.name,
            )
            for slot, shape in zip(outputs, shapes, strict=True):
                note(slot, shape)
        return found

    def same_size(self, first: OutputSlot, second: OutputSlot) -> bool:
        """Whether two tensors of one size at the bounds have one size at all others."""
        return all(
            sample.get(first, first.info).byte_size == sample.get(second, second.info).byte_size
            for sample in self._samples
        )

    # ---- Analysis ------------------------------------------------------------------------------

    def compare(self, others: Sequence[PlacedNetwork], points: Sequence[Point]) -> None:
        """Find the rules by which the network of other points follows from this one.

        Raises
        ------
        LateRefusedError
            It does not.
        """
        networks = [self.placed.network, *(other.network for other in others)]
        rows = [network.layers for network in networks]
        if any(len(row) != len(rows[0]) for row in rows):
            raise LateRefusedError(["the number of layers depends on the sizes"])
        reasons = []
        for layers in zip(*rows, strict=True):
            try:
                self._compare_layer(layers, points)
            except NoRuleError as error:
                reasons.append(f"{_name(layers[0])}: {error}")
        if reasons:
            raise LateRefusedError(reasons)
        for network, point in zip(networks[1:], points[1:], strict=True):
            self._sample(network.layers, point)
        for slot, (_, places) in self._inputs.items():
            if any(not self.masks.get(slot, 0) >> axis & 1 for axis in places):
                raise LateRefusedError(["the network cannot be made for smaller sizes"])
        for told in self._sample_told():
            try:
                self._keep(self.infos(points[0], told))
            except ArmnnError as error:
                raise LateRefusedError([error.message]) from error
        self._order = [
            layer
            for layer in self._order
            if layer.outputs
            and (
                layer.guid in self._rules
                or any(slot in self.masks for slot in layer.inputs)
                or layer.type is LayerType.STAND_IN
            )
        ]

    def _sample_told(self) -> list[dict[OutputSlot, tuple[int, ...]]]:
        """Shapes to compare with: each size that a layer tells on its own."""
        found = []
        for slot in self.told:
            bounds = slot.info.static_shape
            for axis in slot.info.late:
                for size in {max(bounds[axis] - 1, 0), bounds[axis] // 2}:
                    found.append({slot: (*bounds[:axis], size, *bounds[axis + 1 :])})
        return found

    def _compare_layer(self, layers: Sequence[Layer], points: Sequence[Point]) -> None:
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
                self._stated[slots[0]] = find_rule([slot.info.shape for slot in slots], points)
        descriptors = [layer.descriptor for layer in layers]
        if all(descriptor == first.descriptor for descriptor in descriptors):
            return
        if first.type is LayerType.RESHAPE:
            self._rules[first.guid] = _find_target(descriptors, points)
            return
        try:
            rule = find_rule(descriptors, points)
        except NoRuleError:
            raise NoRuleError("its parameters depend on the sizes") from None
        allowed = _FIELDS.get(first.type, set())
        for name, field in rule.fields.items():
            if field != getattr(first.descriptor, name) and name not in allowed:
                raise NoRuleError(f"its parameter '{name}' depends on the sizes")
        self._rules[first.guid] = rule

    def _sample(self, layers: Sequence[Layer], point: Point) -> None:
        """Compare inference with the shapes of the network at a point, and keep the result."""
        try:
            found = self.infos(point)
        except ArmnnError as error:
            raise LateRefusedError([error.message]) from error
        for mine, other in zip(self.placed.network.layers, layers, strict=True):
            for slot, theirs in zip(mine.outputs, other.outputs, strict=True):
                if found.get(slot, slot.info).shape != theirs.info.shape:
                    raise LateRefusedError(
                        [f"{_name(mine)}: its shape follows from the sizes in another way"]
                    )
        self._keep(found)

    def _keep(self, found: Infos) -> None:
        self._samples.append(found)
        for slot, info in found.items():
            for axis, (size, bound) in enumerate(zip(info.shape, slot.info.shape, strict=True)):
                if size != bound:
                    self.masks[slot] = self.masks.get(slot, 0) | 1 << axis

    def check_layers(self, backends: Mapping[str, Backend]) -> None:
        """Check that the host can lay out the tensors, and each backend takes its layers.

        Raises
        ------
        LateRefusedError
            They do not; has all reasons.
        """
        reasons = []
        supports: dict[str, LayerSupport] = {}
        asked: dict[tuple[str, LayerSignature, tuple[int, ...]], str] = {}
        try:
            for layer in self.placed.network.layers:
                if isinstance(layer, AssignLayer) and any(self.layer_masks(layer)):
                    reasons.append(
                        f"variable '{layer.variable.name}': what is assigned to it has sizes that "
                        "are known late"
                    )
                if FACTS[layer.type].host:
                    continue
                if any(self.layer_masks(layer)):
                    reason = self._why_not(layer) or self._ask(layer, backends, supports, asked)
                else:
                    reason = self._why_not_static(layer, backends)
                if reason:
                    reasons.append(f"{_name(layer)}: {reason}")
        finally:
            for support in supports.values():
                support.close()
        if reasons:
            raise LateRefusedError(reasons, by_backends=True)

    def _why_not(self, layer: Layer) -> str:
        """Why the host cannot offer such a layer to a backend; empty if it can."""
        slots = [slot for slot in (*layer.inputs, *layer.outputs) if slot is not None]
        if layer.type is LayerType.DEBUG:
            return "Debug layers show tensors of fixed shapes"
        equal: dict[tuple[int, int], tuple[int, ...]] = {}
        for slot in slots:
            if slot in self.told and slot.layer is layer:
                continue  # it knows itself which of them are equal
            shape = slot.info.static_shape
            for axis, bound in enumerate(shape):
                if not self.masks.get(slot, 0) >> axis & 1:
                    continue
                sizes = tuple(s.get(slot, slot.info).static_shape[axis] for s in self._samples)
                if equal.setdefault((len(shape) - axis, bound), sizes) != sizes:
                    return f"two sizes have the bound {bound} and are different: choose others"
        return ""

    def _why_not_static(self, layer: Layer, backends: Mapping[str, Backend]) -> str:
        """Why a layer without late dimensions cannot do with tensors in host memory."""
        backend_id = self.placed.layer_backends[layer.guid]
        assert backend_id is not None
        if backends[backend_id].api.register_tensor_handle_factories:
            return f"backend '{backend_id}' has its tensors in memory of its own"
        return ""

    def _ask(
        self,
        layer: Layer,
        backends: Mapping[str, Backend],
        supports: dict[str, LayerSupport],
        asked: dict[tuple[str, LayerSignature, tuple[int, ...]], str],
    ) -> str:
        backend_id = self.placed.layer_backends[layer.guid]
        assert backend_id is not None
        signature = LayerSignature(
            layer.type,
            layer.descriptor,
            tuple(None if slot is None else slot.info for slot in layer.inputs),
            tuple(slot.info for slot in layer.outputs),
            tuple(_value(slot) is not None for slot in layer.inputs),
        )
        late = self.layer_masks(layer)
        known = asked.get((backend_id, signature, late))
        if known is not None:
            return known
        support = supports.get(backend_id)
        if support is None:
            backend = backends[backend_id]
            support = LayerSupport(backend, self.placed.model_options.of(backend))
            supports[backend_id] = support
        answer = support.ask_late(signature, late)
        reason = "" if answer else f"backend '{backend_id}' refuses late shapes: {answer.reason}"
        asked[(backend_id, signature, late)] = reason
        return reason

    def layer_masks(self, layer: Layer) -> tuple[int, ...]:
        """Bits of late dimensions, for each input and each output of a layer."""
        slots = (*layer.inputs, *layer.outputs)
        return tuple(0 if slot is None else self.masks.get(slot, 0) for slot in slots)


def find_late_shapes(optimized: OptimizedNetwork, sizes: Sequence[LateSize]) -> LateShapes:
    """Find out whether one plan can serve all shapes up to the bounds of sizes.

    Raises
    ------
    LateRefusedError
        It cannot.
    """
    points = sample_points(sizes)
    # Without free dimensions it was placed for late shapes from the start.
    placed: list[PlacedNetwork] = [] if optimized.is_dynamic else [optimized.placed]
    taken: list[Point] = [] if optimized.is_dynamic else points[:1]
    for point in points[len(placed) :]:
        shapes = _shapes_at(optimized.inputs, sizes, point)
        try:
            placed.append(optimized.place_late(shapes, trial=bool(placed)))
            taken.append(point)
        except ArmnnError as error:
            if not placed:
                raise  # the bounds are the user's
            if any(value == 2 < size.bound for value, size in zip(point, sizes, strict=True)):
                continue  # windows need larger images than that
            given = ", ".join(f"{name} {format_shape(shape)}" for name, shape in shapes.items())
            raise LateRefusedError(
                [f"the network cannot be made for smaller sizes ({given}): {error.message}"]
            ) from error
    late = LateShapes(placed[0], sizes)
    late.compare(placed[1:], taken)
    late.check_layers(optimized.runtime.backends)
    return late


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


def _descriptor(rule: Any, point: Point, layer: Layer, found: Infos) -> Any:
    """The descriptor of a layer that has a rule for it."""
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


def _shapes_at(
    inputs: Mapping[str, TensorInfo], sizes: Sequence[LateSize], point: Point
) -> dict[str, tuple[int, ...]]:
    at = {place: value for size, value in zip(sizes, point, strict=True) for place in size.places}
    return {
        name: tuple(at[name, axis] if dim is None else dim for axis, dim in enumerate(info.shape))
        for name, info in inputs.items()
    }


def _same_values(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> bool:
    return first is second or (
        first.shape == second.shape
        and np.array_equal(first, second, equal_nan=first.dtype.kind == "f")
    )


def _value(slot: OutputSlot | None) -> Any:
    layer = None if slot is None else slot.layer
    return layer.value if isinstance(layer, ConstantLayer) else None


def _wiring(layer: Layer) -> list[tuple[int, int] | None]:
    return [None if slot is None else (slot.layer.guid, slot.index) for slot in layer.inputs]


def _name(layer: Layer) -> str:
    return f"layer '{layer.name}' ({layer.shown_type.label})"
