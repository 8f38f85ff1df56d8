# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The layers inside a compiled part, from what its backend tells the trace.

A backend that runs several layers in one workload says so by events: ``begin`` with the name of a
kernel and the guid of a layer, ``instant`` with the guid of each further layer that the kernel
computes, and ``end``. Other events have guids that name no layer, or come from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.report import LayerAssignment
    from armnn_py.runtime.profiling import BackendEvent

__all__ = ["COMPILED", "InnerLayer", "find_inner_layers", "names_of"]

#: What a profile calls the type of a compiled part.
COMPILED = LayerType.PRE_COMPILED.label


@dataclass(slots=True)
class InnerLayer:
    """One kernel that ran inside a compiled part; times in nanoseconds."""

    kernel: str
    start_ns: int
    guids: list[int] = field(default_factory=list)
    duration_ns: int = 0


def find_inner_layers(
    events: Iterable[BackendEvent], known: Mapping[int, object]
) -> list[InnerLayer]:
    """Pair begins and ends of one step on one thread; ``known`` has the guids of layers."""
    found: list[InnerLayer] = []
    current: InnerLayer | None = None
    for event in events:
        if event.phase == "begin" and current is None and event.id in known:
            current = InnerLayer(event.name, event.time_ns, [event.id])
        elif current is None:
            continue
        elif event.phase == "instant" and event.id in known:
            current.guids.append(event.id)
        elif event.phase == "end" and event.name == current.kernel:
            current.duration_ns = event.time_ns - current.start_ns
            found.append(current)
            current = None
    return found


def names_of(guids: Iterable[int], known: Mapping[int, LayerAssignment]) -> tuple[str, str]:
    """Return the names and the types of layers, joined with plus signs."""
    layers = [known[guid] for guid in guids]
    return " + ".join(row.layer for row in layers), " + ".join(row.type for row in layers)
