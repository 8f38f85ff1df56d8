# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The parts of a network that runs in stages, loaded when it turns out that it does."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from armnn_py.network import as_network
from armnn_py.network.conversions import written_out
from armnn_py.runtime.stages.staged_runs import StagedRuns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np

    from armnn_py.network import Network, Stage
    from armnn_py.optimizer import OptimizedNetwork
    from armnn_py.runtime.contexts.context_pool import ContextPool
    from armnn_py.runtime.network_owner import NetworkOwner
    from armnn_py.runtime.stages.bodies import Part


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
        The runner of the parts; None without one.
    """

    __slots__ = ("_given", "_lock", "_optimized", "_runtime", "_settings", "_whole", "runs")

    def __init__(
        self,
        optimized: OptimizedNetwork,
        runtime: NetworkOwner,
        plan_cache_size: int | None,
        plan_cache_bytes: int | None,
        threads: int | None,
    ) -> None:
        self._optimized = optimized
        self._runtime = runtime
        self._settings = (plan_cache_size, plan_cache_bytes, threads)
        self._lock = threading.Lock()
        #: Variables that were set before the parts were known.
        self._given: dict[str, np.ndarray] = {}
        self.runs: StagedRuns | None = None
        #: The network with loops written out, for bound arrays.
        self._whole: Part | None = None

    def whole(self) -> Part | None:
        """Return the network as one plan, if only loops, which can be written out, forbid that.

        It is loaded at the first call.
        """
        with self._lock:
            if self._whole is None:
                network = written_out(self._optimized.given)
                if network is not None:
                    self._whole = self._load_part(as_network(network))
            return self._whole

    def load(self, stages: Sequence[Stage]) -> None:
        """Load the parts of the network, which has no plan as a whole."""
        optimized = self._optimized

        made = StagedRuns(optimized.name, stages, list(optimized.outputs), self._load_part)
        with self._lock:
            is_first = self.runs is None
            if is_first:
                self.runs = made
                self._write(self._given)
        if not is_first:  # another thread was first
            for part in made.parts:
                part.close()

    def _load_part(self, network: Network) -> Part:
        plan_cache_size, plan_cache_bytes, threads = self._settings
        part = self._runtime.load_network(
            self._optimized.like_this(network),
            plan_cache_size=plan_cache_size,
            plan_cache_bytes=plan_cache_bytes,
            threads=threads,
        )
        self._runtime.forget(part.id)  # the whole network closes it
        return part

    def read_variable(self, pool: ContextPool, name: str) -> np.ndarray:
        """Return a copy of a variable: of the first part that has it, or of the network's pool."""
        for part in self:
            if name in part.state:
                return part.state[name]
        return pool.read_variable(name)

    def write_variables(self, pool: ContextPool, values: Mapping[str, np.ndarray]) -> None:
        """Set variables of all parts that have them, or of the network's pool."""
        with self._lock:
            if self.runs is None:
                self._given |= values
            self._write(values)
        if self.runs is None:
            pool.write_variables(values)

    def _write(self, values: Mapping[str, np.ndarray]) -> None:
        for part in self:
            part.state.update({name: one for name, one in values.items() if name in part.state})

    def reset_state(self) -> None:
        """Have the parts forget earlier runs."""
        self._given = {}
        for part in self:
            part.reset_state()

    def __iter__(self) -> Iterator[Part]:
        """The parts that there are now."""
        parts = [] if self.runs is None else list(self.runs.parts)
        return iter(parts if self._whole is None else [*parts, self._whole])
