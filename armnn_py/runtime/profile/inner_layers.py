# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The layers inside a compiled sub-graph, from its backend's trace events.

A backend that runs several layers in one workload reports them by events: ``begin`` with the name
of a kernel and the guid of a layer, ``instant`` with the guid of each further layer that the kernel
computes, and ``end``. Other events have guids of no layer, or come from other code.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.reports.report_layer import LayerAssignment
    from armnn_py.runtime.profile.profile_records import BackendEvent

__all__ = ["COMPILED", "InnerLayer", "find_inner_layers", "group_by_kernel", "names_of"]

#: The type of a compiled sub-graph in a profile.
COMPILED = LayerType.PRE_COMPILED.label


@dataclass(slots=True)
class InnerLayer:
    """One kernel that ran inside a compiled sub-graph; times in nanoseconds."""

    kernel: str
    start_ns: int
    guids: list[int] = field(default_factory=list)
    duration_ns: int = 0


def find_inner_layers(
    events: Iterable[BackendEvent], known: Mapping[int, object]
) -> list[InnerLayer]:
    """Pair begins and ends of one step on one thread; ``known`` has the guids of layers.

    Of nested pairs the outermost counts. A begin whose end was lost is ignored.
    """
    closed: list[InnerLayer] = []
    opened: list[InnerLayer] = []
    for event in events:
        if event.id not in known:
            continue
        if event.phase == "begin":
            opened.append(InnerLayer(event.name, event.time_ns, [event.id]))
        elif event.phase == "instant":
            if opened:
                opened[-1].guids.append(event.id)
        else:
            depth = _matching(opened, event)
            if depth is None:
                continue
            current = opened[depth]
            del opened[depth:]
            current.duration_ns = event.time_ns - current.start_ns
            while closed and closed[-1].start_ns >= current.start_ns:
                closed.pop()
            closed.append(current)
    return closed


def _matching(opened: list[InnerLayer], end: BackendEvent) -> int | None:
    """Return which open begin an end belongs to: the last of its name and layer."""
    for depth in reversed(range(len(opened))):
        if opened[depth].kernel == end.name and opened[depth].guids[0] == end.id:
            return depth
    return None


def group_by_kernel(inner: Iterable[InnerLayer]) -> list[tuple[InnerLayer, int]]:
    """Return the first run of each kernel on each set of layers, and the time of all its runs.

    A kernel may run several times for a layer, such as a product for each row of pixels: together
    that is one execution. Another kernel on the same layers, such as the conversion of their
    inputs, counts apart.
    """
    groups: dict[tuple[str, tuple[int, ...]], list[InnerLayer]] = {}
    for one in inner:
        groups.setdefault((one.kernel, tuple(one.guids)), []).append(one)
    return [(group[0], sum(one.duration_ns for one in group)) for group in groups.values()]


def names_of(guids: Iterable[int], known: Mapping[int, LayerAssignment]) -> tuple[str, str]:
    """Return the names and the types of layers, joined with plus signs."""
    layers = [known[guid] for guid in guids]
    return " + ".join(row.layer for row in layers), " + ".join(row.type for row in layers)
