# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Time per layer, from the native trace."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from armnn_py._native import trace
from armnn_py.ownership import Owner
from armnn_py.text import counted, html_table, printable, text_table

if TYPE_CHECKING:
    from types import TracebackType

    from armnn_py.runtime.loaded_network import LoadedNetwork
    from armnn_py.runtime.network_plan import NetworkPlan

__all__ = ["LayerProfile", "Profile", "flush_profiles"]

_HEAD = ("layer", "type", "backend", "kernel", "calls", "mean ms", "total ms", "%")
_NUMBERS = range(4, 8)

# The native buffer is one for the process and reading empties it, so all open profiles are served
# by whoever reads.
_lock = threading.RLock()
_open: list[Profile] = []


def flush_profiles() -> None:
    """Hand what was recorded to the open profiles; before a plan's address can be used again."""
    with _lock:
        if not _open:
            return
        events = trace.read()
        dropped = trace.dropped()
        for profile in _open:
            profile._take(events, dropped)


@dataclass(frozen=True, slots=True)
class LayerProfile:
    """All executions of one layer while the profile was open; times in nanoseconds."""

    layer: str
    type: str
    backend: str
    kernel: str
    calls: int
    total_ns: int

    @property
    def mean_ns(self) -> float:
        """Time of one execution."""
        return self.total_ns / self.calls


class Profile(Owner, instead="keep its .layers or to_json()"):
    """Records while its ``with`` block is open; holds the result afterwards.

    Only runs of the network that it was asked from are counted, also when others run, or are
    profiled, beside it. Use it once.
    """

    __slots__ = ("_dropped_before", "_network", "_sums", "dropped", "layers", "run_ns", "runs")

    CAPACITY = 1 << 18

    def __init__(self, network: LoadedNetwork) -> None:
        self._network = network
        self._sums: dict[tuple[NetworkPlan, int], list[int]] = {}
        self._dropped_before = 0
        self.layers: tuple[LayerProfile, ...] = ()
        self.runs = 0
        self.run_ns = 0
        self.dropped = 0

    def __enter__(self) -> Profile:
        with _lock:
            flush_profiles()
            trace.start(self.CAPACITY)
            self._dropped_before = trace.dropped()
            _open.append(self)
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with _lock:
            flush_profiles()
            _open.remove(self)
            trace.stop()
        layers = []
        for (plan, step), (calls, total) in self._sums.items():
            info = plan.steps[step]
            layers.append(
                LayerProfile(info.layer, info.type, info.backend, info.kernel, calls, total)
            )
        self.layers = tuple(layers)
        self._sums.clear()

    def _take(self, events: list[trace.TraceEvent], dropped: int) -> None:
        """Count the events of this profile's network; ``dropped`` is the process's count."""
        self.dropped = max(0, dropped - self._dropped_before)
        plans = {
            plan.native.address: plan for plan in self._network._plans() if plan.native is not None
        }
        for event in events:
            plan = plans.get(event.plan)
            if plan is None:
                continue
            if event.kind == trace.RUN:
                self.runs += 1
                self.run_ns += event.duration_ns
            elif event.kind == trace.STEP:
                entry = self._sums.setdefault((plan, event.id), [0, 0])
                entry[0] += 1
                entry[1] += event.duration_ns

    def __iter__(self) -> Iterator[LayerProfile]:
        return iter(self.layers)

    def slowest(self, count: int = 10) -> tuple[LayerProfile, ...]:
        """The layers that took the most time in all."""
        return tuple(sorted(self.layers, key=lambda layer: -layer.total_ns)[:count])

    def to_json(self) -> dict[str, Any]:
        """The profile as JSON-able values; times in microseconds."""
        return {
            "runs": self.runs,
            "run_us": self.run_ns / 1e3,
            "dropped_events": self.dropped,
            "layers": [
                {
                    "layer": layer.layer,
                    "type": layer.type,
                    "backend": layer.backend,
                    "kernel": layer.kernel,
                    "calls": layer.calls,
                    "total_us": layer.total_ns / 1e3,
                }
                for layer in self.layers
            ],
        }

    def _rows(self) -> list[tuple[str, ...]]:
        total = sum(layer.total_ns for layer in self.layers) or 1
        return [
            _HEAD,
            *(
                (
                    layer.layer,
                    layer.type,
                    layer.backend,
                    layer.kernel,
                    str(layer.calls),
                    f"{layer.mean_ns / 1e6:.3f}",
                    f"{layer.total_ns / 1e6:.3f}",
                    f"{100 * layer.total_ns / total:.1f}",
                )
                for layer in self.slowest(len(self.layers))
            ),
        ]

    @property
    def _total(self) -> str:
        lost = f"; {counted(self.dropped, 'event')} lost" if self.dropped else ""
        return f"{counted(self.runs, 'run')} in {self.run_ns / 1e6:.3f} ms{lost}"

    def __str__(self) -> str:
        if not self.layers:
            return "nothing was run"
        return f"{text_table(self._rows(), right=_NUMBERS)}\n{self._total}"

    def __repr__(self) -> str:
        return f"<Profile of '{printable(self._network.name)}': {self._total}>"

    def _repr_html_(self) -> str:
        return html_table(self._rows(), f"Profile of '{self._network.name}': {self._total}")
