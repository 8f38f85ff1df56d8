# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The counters of a backend in a worker, and whether the worker tells which kernels ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armnn_py._native.table.profiling_context import Counter, ProfilingContext
from armnn_py.isolation.messages import Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.isolation.supervisor import Supervisor


class WorkerCounters(ProfilingContext):
    """The counters as the worker describes them.

    Parameters
    ----------
    worker
        The worker.
    described
        For each counter its members, in order.
    """

    __slots__ = ("_counters", "_worker")

    def __init__(self, worker: Supervisor, described: Sequence[Sequence[Any]]) -> None:
        super().__init__(worker.id)
        self._worker = worker
        self._counters = _counters(described)

    @property
    def counters(self) -> tuple[Counter, ...]:
        """Those of the last answer."""
        return self._counters

    def _turn(self, on: bool) -> None:
        self._worker.is_profiled = on
        self._worker.running().ask(Request("profile", on))

    def read(self) -> dict[str, int]:
        """As `ProfilingContext.read`."""
        answer = self._worker.running().ask(Request("counters"))
        self._counters = _counters(answer["counters"])
        known = {counter.name for counter in self._counters}
        return {name: int(answer["values"][name]) for name in known & answer["values"].keys()}


def _counters(described: Sequence[Sequence[Any]]) -> tuple[Counter, ...]:
    return tuple(
        Counter(
            str(name), str(words), str(unit), "delta" if kind == "delta" else "absolute",
            float(multiplier),
        )
        for name, words, unit, kind, multiplier in described
    )  # fmt: skip
