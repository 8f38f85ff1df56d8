# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One plan for all shapes up to bounds, or the reasons why each shape gets its own.

The network is built at the bounds and at some smaller sizes. If these have the same layers, and
inference of shapes on the layers of the first gives the shapes of the others, the layers are
independent of the sizes, and inference gives the shapes for all other sizes. Then backends are
asked, layer by layer.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from armnn_py.backends.questions.layer_support import LayerSignature, LayerSupport
from armnn_py.caller import caller_level
from armnn_py.errors import (
    ArmnnError,
    ArmnnWarning,
    BackendError,
    InputValuesNeededError,
    InvalidArgumentError,
    ShortageError,
)
from armnn_py.later import public_class
from armnn_py.network import AssignLayer, ConstantLayer
from armnn_py.runtime.bounded.bounded_rules import find_rules, named
from armnn_py.runtime.bounded.bounded_shapes import BoundedShapes
from armnn_py.runtime.bounded.bounded_sizes import (
    BoundedRefusedError,
    read_bounds,
    read_point,
    sample_points,
)
from armnn_py.runtime.contexts.plan_keys import read_key
from armnn_py.runtime.plan.network_plan import NetworkPlan
from armnn_py.runtime.threads import limited_threads
from armnn_py.tensors import format_shape
from armnn_py.text import first_of, printable
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from armnn_py.backends.backend import Backend
    from armnn_py.network import Layer
    from armnn_py.optimizer import OptimizedNetwork
    from armnn_py.optimizer.placing.placed_network import PlacedNetwork
    from armnn_py.runtime.bounded.bounded_sizes import BoundedSize, Bounds, Point
    from armnn_py.runtime.contexts.plan_keys import PlanKey
    from armnn_py.runtime.debug_hook import DebugHook
    from armnn_py.runtime.notices import NetworkNotices
    from armnn_py.tensors import TensorInfo


def find_bounded_shapes(optimized: OptimizedNetwork, sizes: Sequence[BoundedSize]) -> BoundedShapes:
    """Find out whether one plan can serve all shapes up to the bounds of sizes.

    Raises
    ------
    BoundedRefusedError
        It cannot.
    """
    points = sample_points(sizes)
    # Without free dimensions it was placed for bounded shapes from the start.
    placed: list[PlacedNetwork] = [] if optimized.is_dynamic else [optimized.placed]
    taken: list[Point] = [] if optimized.is_dynamic else points[:1]
    for point in points[len(placed) :]:
        shapes = _shapes_at(optimized.inputs, sizes, point)
        try:
            placed.append(optimized.place_bounded(shapes, trial=bool(placed)))
            taken.append(point)
        except ArmnnError as error:
            if not placed or isinstance(error, ShortageError):
                raise  # the bounds are the user's
            if any(value == 2 < size.bound for value, size in zip(point, sizes, strict=True)):
                continue  # windows need larger images than that
            given = ", ".join(f"{name} {format_shape(shape)}" for name, shape in shapes.items())
            raise BoundedRefusedError(
                [f"the network cannot be made for smaller sizes ({given}): {error.message}"]
            ) from error
    rows = [one.network.layers for one in placed]
    bounded = BoundedShapes(placed[0], sizes, find_rules(rows, taken))
    bounded.compare(rows, taken)
    _LayerCheck(bounded, optimized.runtime.backends).check()
    return bounded


def _shapes_at(
    inputs: Mapping[str, TensorInfo], sizes: Sequence[BoundedSize], point: Point
) -> dict[str, tuple[int, ...]]:
    at = {place: value for size, value in zip(sizes, point, strict=True) for place in size.places}
    return {
        name: tuple(at[name, axis] if dim is None else dim for axis, dim in enumerate(info.shape))
        for name, info in inputs.items()
    }


class _LayerCheck:
    """Whether the host can lay out the tensors, and each backend takes its layers."""

    def __init__(self, bounded: BoundedShapes, backends: Mapping[str, Backend]) -> None:
        self._bounded = bounded
        self._placed = bounded.placed
        self._backends = backends
        self._supports: dict[str, LayerSupport] = {}
        self._asked: dict[tuple[str, LayerSignature, tuple[int, ...]], str] = {}

    def check(self) -> None:
        """Check all layers.

        Raises
        ------
        BoundedRefusedError
            They do not; has all reasons.
        """
        reasons = []
        try:
            for layer in self._placed.network.layers:
                is_late = any(self._bounded.layer_masks(layer))
                if isinstance(layer, AssignLayer) and is_late:
                    reasons.append(
                        f"variable '{layer.variable.name}': what is assigned to it has "
                        "bounded sizes"
                    )
                if FACTS[layer.type].host:
                    continue
                if is_late:
                    reason = self._why_not(layer) or self._ask(layer)
                else:
                    reason = self._why_not_static(layer)
                if reason:
                    reasons.append(f"{named(layer)}: {reason}")
        finally:
            for support in self._supports.values():
                support.close()
        if reasons:
            raise BoundedRefusedError(reasons, by_backends=True)

    def _why_not(self, layer: Layer) -> str:
        """Why the host cannot offer such a layer to a backend; empty if it can."""
        slots = [slot for slot in (*layer.inputs, *layer.outputs) if slot is not None]
        if layer.type is LayerType.DEBUG:
            return "Debug layers show tensors of fixed shapes"
        equal: dict[tuple[int, int], tuple[int, ...]] = {}
        for slot in slots:
            if slot in self._bounded.reported and slot.layer is layer:
                continue  # it knows itself which of them are equal
            shape = slot.info.static_shape
            for axis, bound in enumerate(shape):
                if not self._bounded.masks.get(slot, 0) >> axis & 1:
                    continue
                sizes = self._bounded.sizes_of(slot, axis)
                if equal.setdefault((len(shape) - axis, bound), sizes) != sizes:
                    return f"two sizes have the bound {bound} and are different: choose others"
        return ""

    def _why_not_static(self, layer: Layer) -> str:
        """Why a layer without bounded dimensions cannot do with tensors in host memory."""
        backend_id = self._placed.layer_backends[layer.guid]
        assert backend_id is not None
        if self._backends[backend_id].api.register_tensor_handle_factories:
            return f"backend '{backend_id}' has its tensors in memory of its own"
        return ""

    def _ask(self, layer: Layer) -> str:
        """Why the backend does not take a layer; empty if it does."""
        backend_id = self._placed.layer_backends[layer.guid]
        assert backend_id is not None
        signature = LayerSignature(
            layer.type,
            layer.descriptor,
            tuple(None if slot is None else slot.info for slot in layer.inputs),
            tuple(slot.info for slot in layer.outputs),
            tuple(
                slot is not None and isinstance(slot.layer, ConstantLayer) for slot in layer.inputs
            ),
        )
        bounded = self._bounded.layer_masks(layer)
        known = self._asked.get((backend_id, signature, bounded))
        if known is not None:
            return known
        support = self._supports.get(backend_id)
        if support is None:
            backend = self._backends[backend_id]
            support = LayerSupport(backend, self._placed.model_options.of(backend))
            self._supports[backend_id] = support
        answer = support.ask_bounded(signature, bounded)
        reason = "" if answer else f"backend '{backend_id}' refuses bounded shapes: {answer.reason}"
        self._asked[(backend_id, signature, bounded)] = reason
        return reason


#: Reasons that the warning has.
_SHOWN = 3


@public_class
@dataclass(frozen=True, slots=True)
class BoundedShapesReport:
    """Whether one plan serves all input shapes; true if it does.

    Attributes
    ----------
    bounds
        The bound of each free dimension by its name, or by its input and place if it has none;
        empty where none were given.
    one_plan
        Whether all shapes up to the bounds share a plan.
    reasons
        Why they do not, with the layers and backends.
    """

    bounds: Mapping[str, int]
    one_plan: bool
    reasons: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.one_plan


def make_plan(optimized: OptimizedNetwork, network_id: int, debug: DebugHook) -> NetworkPlan:
    """Make the plan of a network whose inputs have known shapes.

    Raises
    ------
    BackendError
        A layer reports sizes when it runs, and the layers behind it do not take that.
    """
    layers = optimized.contents.layers
    if not any(slot.info.bounded for layer in layers for slot in layer.outputs):
        return NetworkPlan(optimized, network_id, debug)

    try:
        bounded = find_bounded_shapes(optimized, ())
        return NetworkPlan(optimized, network_id, debug, bounded=bounded)
    except BoundedRefusedError as error:
        raise BackendError(
            f"network '{optimized.name}': a layer reports sizes only when it runs, and they cannot "
            "be used",
            details=error.reasons,
            hints=["'armnn-py backends show ID' and docs/kernel_features.md: dynamic shapes"],
        ) from error


def plan_maker(
    optimized: OptimizedNetwork,
    network_id: int,
    debug: DebugHook,
    notices: NetworkNotices,
    bounded: list[NetworkPlan],
    limits: list[BoundedSize],
    threads: int | None,
) -> Callable[[PlanKey], NetworkPlan]:
    """Make plans without a reference to the loaded network, so that dropping it frees it.

    ``bounded`` has the plan for all shapes, if there is one; it is taken out. ``limits`` are bounds
    that plans of one set of shapes also keep. ``threads``: see `limited_threads`.
    """

    def plan_of(key: PlanKey) -> NetworkPlan:
        if bounded:
            return bounded.pop()
        shapes, values = read_key(key, optimized.inputs)
        if limits:
            read_point(limits, shapes)
        with limited_threads(threads):
            specialized = optimized.specialize_cheaply(shapes, values)
            if optimized.is_dynamic:
                specialized.forget_sources()  # with their weights; it is never saved
                notices.tell_newcomers(specialized.placed.layer_backends)
            return make_plan(specialized, network_id, debug)

    return plan_of


def plan_bounded(
    optimized: OptimizedNetwork,
    notices: NetworkNotices,
    debug: DebugHook,
    bounds: Bounds | None,
    out: list[NetworkPlan],
    limits: list[BoundedSize],
) -> BoundedShapesReport:
    """Make the plan for all shapes, and put it into ``out``, if it can be made.

    Otherwise the bounds are put into ``limits``, and a warning tells why.

    Raises
    ------
    InvalidArgumentError
        The bounds do not fit the network, or it has no free dimensions.
    BackendError
        A context does not let the network be loaded.
    """
    if bounds is None:
        return report_without_bounds(optimized)
    if not optimized.is_dynamic:
        raise InvalidArgumentError(
            f"network '{optimized.name}': bounds given, but no dimension is free",
            details=first_of(
                f"input '{name}': {info!r}" for name, info in optimized.inputs.items()
            ),
        )

    sizes = read_bounds(optimized.inputs, bounds)
    shown = MappingProxyType({size.name: size.bound for size in sizes})
    if all(size.bound == 1 for size in sizes):  # one set of shapes, and its plan
        limits.extend(sizes)
        return BoundedShapesReport(shown, True)
    try:
        bounded = find_bounded_shapes(optimized, sizes)
        notices.tell_newcomers(bounded.placed.layer_backends)
        out.append(NetworkPlan(optimized, notices.network_id, debug, bounded=bounded))
    except InputValuesNeededError as error:
        reasons: tuple[str, ...] = (error.message,)
        hint = ""
    except BoundedRefusedError as error:
        reasons, hint = error.reasons, _hint(optimized) if error.by_backends else ""
    else:
        return BoundedShapesReport(shown, True)
    limits.extend(sizes)
    _warn_of_many_plans(optimized.name, reasons, hint)
    return BoundedShapesReport(shown, False, reasons)


def report_without_bounds(optimized: OptimizedNetwork) -> BoundedShapesReport:
    """The reason why a plan for all shapes is missing, if none was asked for."""
    reason = "no bounds were given" if optimized.is_dynamic else "all shapes are known"
    return BoundedShapesReport(MappingProxyType({}), False, (reason,))


def _warn_of_many_plans(name: str, reasons: Sequence[str], hint: str) -> None:
    lines = [f"network '{name}': each input shape gets a plan of its own in spite of bounds"]
    lines += [f"  {printable(reason)}" for reason in reasons[:_SHOWN]]
    if len(reasons) > _SHOWN:
        lines.append(f"  and {len(reasons) - _SHOWN} more reasons, see .bounded_shapes.reasons")
    lines += [f"hint: {hint}"] if hint else []
    warnings.warn("\n".join(lines), ArmnnWarning, stacklevel=caller_level())


def _hint(optimized: OptimizedNetwork) -> str:
    ids = [backend.id for backend in optimized.backends]
    if ids == ["CpuRef"] or "CpuRef" not in optimized.runtime.backends:
        return ""
    return "backends=['CpuRef'] takes sizes up to bounds, and is slower"
