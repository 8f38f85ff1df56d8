# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One plan for all shapes up to bounds, or the reasons why each shape gets its own."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from armnn_py.caller import caller_level
from armnn_py.errors import (
    ArmnnWarning,
    BackendError,
    InputValuesNeededError,
    InvalidArgumentError,
)
from armnn_py.later import public_class
from armnn_py.runtime.bounded.late_search import find_late_shapes
from armnn_py.runtime.bounded.late_sizes import LateRefusedError, read_bounds, read_point
from armnn_py.runtime.contexts.plan_keys import read_key
from armnn_py.runtime.plan.network_plan import NetworkPlan
from armnn_py.runtime.threads import limited_threads
from armnn_py.text import first_of, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from armnn_py.optimizer import OptimizedNetwork
    from armnn_py.runtime.bounded.late_sizes import Bounds, LateSize
    from armnn_py.runtime.contexts.plan_keys import PlanKey
    from armnn_py.runtime.debug_hook import DebugHook
    from armnn_py.runtime.notices import NetworkNotices

__all__ = ["LateShapesReport", "make_plan", "plan_late", "plan_maker", "report_without_bounds"]

#: Reasons that the warning has.
_SHOWN = 3


@public_class
@dataclass(frozen=True, slots=True)
class LateShapesReport:
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
        A layer tells sizes when it runs, and the layers behind it do not take that.
    """
    layers = optimized.contents.layers
    if not any(slot.info.late for layer in layers for slot in layer.outputs):
        return NetworkPlan(optimized, network_id, debug)

    try:
        late = find_late_shapes(optimized, ())
        return NetworkPlan(optimized, network_id, debug, late=late)
    except LateRefusedError as error:
        raise BackendError(
            f"network '{optimized.name}': a layer tells sizes only when it runs, and they cannot "
            "be used",
            details=error.reasons,
            hints=["'armnn-py backends show ID' and docs/kernel_features.md: dynamic shapes"],
        ) from error


def plan_maker(
    optimized: OptimizedNetwork,
    network_id: int,
    debug: DebugHook,
    notices: NetworkNotices,
    late: list[NetworkPlan],
    limits: list[LateSize],
    threads: int | None,
) -> Callable[[PlanKey], NetworkPlan]:
    """Make plans without a reference to the loaded network, so that dropping it frees it.

    ``late`` has the plan for all shapes, if there is one; it is taken out. ``limits`` are bounds
    that plans of one set of shapes also keep. ``threads``: see `limited_threads`.
    """

    def plan_of(key: PlanKey) -> NetworkPlan:
        if late:
            return late.pop()
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


def plan_late(
    optimized: OptimizedNetwork,
    notices: NetworkNotices,
    debug: DebugHook,
    bounds: Bounds | None,
    out: list[NetworkPlan],
    limits: list[LateSize],
) -> LateShapesReport:
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
        return LateShapesReport(shown, True)
    try:
        late = find_late_shapes(optimized, sizes)
        notices.tell_newcomers(late.placed.layer_backends)
        out.append(NetworkPlan(optimized, notices.network_id, debug, late=late))
    except InputValuesNeededError as error:
        reasons: tuple[str, ...] = (error.message,)
        hint = ""
    except LateRefusedError as error:
        reasons, hint = error.reasons, _hint(optimized) if error.by_backends else ""
    else:
        return LateShapesReport(shown, True)
    limits.extend(sizes)
    _warn_of_many_plans(optimized.name, reasons, hint)
    return LateShapesReport(shown, False, reasons)


def report_without_bounds(optimized: OptimizedNetwork) -> LateShapesReport:
    """The reason why a plan for all shapes is missing, if none was asked for."""
    reason = "no bounds were given" if optimized.is_dynamic else "all shapes are known"
    return LateShapesReport(MappingProxyType({}), False, (reason,))


def _warn_of_many_plans(name: str, reasons: Sequence[str], hint: str) -> None:
    lines = [f"network '{name}': each input shape gets a plan of its own in spite of bounds"]
    lines += [f"  {printable(reason)}" for reason in reasons[:_SHOWN]]
    if len(reasons) > _SHOWN:
        lines.append(f"  and {len(reasons) - _SHOWN} more reasons, see .late_shapes.reasons")
    lines += [f"hint: {hint}"] if hint else []
    warnings.warn("\n".join(lines), ArmnnWarning, stacklevel=caller_level())


def _hint(optimized: OptimizedNetwork) -> str:
    ids = [backend.id for backend in optimized.backends]
    if ids == ["CpuRef"] or "CpuRef" not in optimized.runtime.backends:
        return ""
    return "backends=['CpuRef'] takes sizes up to bounds, and is slower"
