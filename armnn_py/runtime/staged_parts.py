# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The parts of a network that runs in stages, loaded when it turns out that it does."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from armnn_py.network import Network, Stage
    from armnn_py.optimizer import OptimizedNetwork
    from armnn_py.runtime.network_owner import NetworkOwner
    from armnn_py.runtime.staged_runs import Part, StagedRuns

__all__ = ["StagedParts"]


class StagedParts:
    """The loaded parts, in order; none of a network with plans of its own.

    Parameters
    ----------
    optimized
        The whole network.
    runtime
        Loads the parts.
    plan_cache_size, plan_cache_bytes, threads
        As `Runtime.load_network` takes them, for each part.

    Attributes
    ----------
    runs
        What runs the parts; None: nobody knows of any.
    """

    __slots__ = ("_lock", "_optimized", "_runtime", "_settings", "runs")

    def __init__(
        self,
        optimized: OptimizedNetwork,
        runtime: NetworkOwner,
        plan_cache_size: int | None,
        plan_cache_bytes: int,
        threads: int | None,
    ) -> None:
        self._optimized = optimized
        self._runtime = runtime
        self._settings = (plan_cache_size, plan_cache_bytes, threads)
        self._lock = threading.Lock()
        self.runs: StagedRuns | None = None

    def load(self, stages: Sequence[Stage]) -> None:
        """Load the parts of the network, which has no plan as a whole."""
        from armnn_py.runtime.staged_runs import StagedRuns  # late: few networks have stages

        plan_cache_size, plan_cache_bytes, threads = self._settings
        runtime, optimized = self._runtime, self._optimized

        def load(network: Network) -> Part:
            part = runtime.load_network(
                optimized.like_this(network),
                plan_cache_size=plan_cache_size,
                plan_cache_bytes=plan_cache_bytes,
                threads=threads,
            )
            runtime.forget(part.id)  # the whole network closes it
            return part

        made = StagedRuns(optimized.name, stages, list(optimized.outputs), load)
        with self._lock:
            is_first = self.runs is None
            if is_first:
                self.runs = made
        if not is_first:  # another thread was first
            for part in made.parts:
                part.close()

    def __iter__(self) -> Iterator[Part]:
        """The parts that there are now."""
        return iter([] if self.runs is None else list(self.runs.parts))
