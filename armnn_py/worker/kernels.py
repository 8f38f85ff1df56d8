# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The kernels that ran in a worker, for the profile of its host."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from armnn_py._native import abi, trace
from armnn_py.isolation.parts import number_of
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.runtime.plan.network_plan import NetworkPlan

_CAPACITY = 1 << 16
_COMPILED = LayerType.PRE_COMPILED.label


class Kernels:
    """Events of the runs of a worker, while a profile of the host is open."""

    def __init__(self) -> None:
        self.is_on = False
        self._lock = threading.Lock()
        self._events: dict[tuple[int, int], list[trace.TraceEvent]] = {}

    def turn(self, on: bool) -> None:
        """Begin or end to record."""
        with self._lock:
            if on == self.is_on:
                return
            self.is_on = on
            if on:
                trace.start(_CAPACITY)
            else:
                trace.stop()
                trace.read()
                self._events.clear()

    def of_run(self, plan: int, run: int) -> list[trace.TraceEvent]:
        """Take the events of a run that has ended."""
        with self._lock:
            for event in trace.read():
                self._events.setdefault((event.plan, event.run_id), []).append(event)
            return self._events.pop((plan, run), [])


class KernelsOfPlan:
    """Translates events of a plan into those that the host would see of the backend.

    Parameters
    ----------
    plan
        The plan of a sub-graph.
    guids
        Guids of the layers in the host, by the number in a layer's name.
    """

    def __init__(self, plan: NetworkPlan, guids: Sequence[int]) -> None:
        self._plan = plan
        #: By guid in the worker: that in the host.
        self._guids: dict[int, int] = {}
        #: Guids of all layers of the worker, which mean other layers in the host.
        self._others = {layer.guid for layer in plan.network.layers}
        #: By name of a step's layer: guids in the host of the layers that it computes.
        self._inside: dict[str, list[int]] = {}
        for row in plan.assignment:
            if row.guid is None or not row.layer.partition(" ")[0].isdecimal():
                continue
            self._guids[row.guid] = guids[number_of(row.layer)]
            self._inside.setdefault(row.run_by, []).append(self._guids[row.guid])

    def translate(self, events: Sequence[trace.TraceEvent]) -> list[tuple[int, str, int, int]]:
        """Phase, name, id and time of each event; a step without events of its own has two."""
        made: list[tuple[int, str, int, int]] = []
        in_step = 0
        for event in events:
            if event.kind in trace.PHASES:
                number = self._guids.get(event.id, 0 if event.id in self._others else event.id)
                made.append((event.kind, event.name, number, event.time_ns))
                in_step += event.id in self._guids
            elif event.kind == trace.STEP:
                info = self._plan.steps[event.id]
                inside = self._inside.get(info.layer, [])
                if inside and not (in_step and info.type == _COMPILED):
                    made += _of_step(info.kernel, inside, event)
                in_step = 0
        return made


def _of_step(
    kernel: str, guids: Sequence[int], step: trace.TraceEvent
) -> list[tuple[int, str, int, int]]:
    begin, end = step.time_ns, step.time_ns + step.duration_ns
    return [
        (abi.ARMNN_TRACE_BEGIN, kernel, guids[0], begin),
        *((abi.ARMNN_TRACE_INSTANT, kernel, guid, begin) for guid in guids[1:]),
        (abi.ARMNN_TRACE_END, kernel, guids[0], end),
    ]
