# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Facts about a loaded network and its runs.

Names and shapes, backends of layers, memory; the time of each layer, tensors on the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from armnn_py.errors import InvalidArgumentError
from armnn_py.habits import missing_attribute
from armnn_py.network.stages import stages_needed
from armnn_py.optimizer import Assignment
from armnn_py.runtime.bounded.bounded_plan import report_without_bounds
from armnn_py.runtime.failover import NOTHING_LOST, Health
from armnn_py.runtime.network_state import NetworkState
from armnn_py.text import counted
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from armnn_py.network import ModelMetadata
    from armnn_py.optimizer import OptimizedNetwork
    from armnn_py.runtime.arrays.binding import Binder
    from armnn_py.runtime.bounded.bounded_plan import BoundedShapesReport
    from armnn_py.runtime.contexts.context_pool import ContextPool
    from armnn_py.runtime.debug_hook import DebugCallback, DebugHook
    from armnn_py.runtime.failover import Failover, LastRun
    from armnn_py.runtime.network_growth import Growth
    from armnn_py.runtime.network_memory import NetworkMemory
    from armnn_py.runtime.network_owner import NetworkOwner
    from armnn_py.runtime.profile.profiling import Profile
    from armnn_py.runtime.stages.staged_parts import StagedParts
    from armnn_py.runtime.stages.staged_runs import StagedRuns
    from armnn_py.tensors import TensorInfo


class Following(Protocol):
    """Sees the runs of a network; `ShadowRuns` is one."""

    def note(self, inputs: Any, outputs: dict[str, Any]) -> dict[str, Any]:
        """See one run; return ``outputs``."""

    def close(self) -> None:
        """See no more runs."""

    @property
    def report(self) -> Any:
        """The counts up to now."""

    def wait(self) -> Any:
        """Wait until all runs are compared; return the counts."""


class NetworkFacts:
    """The part of a `LoadedNetwork` that shows it and its runs, and changes neither."""

    name: str
    #: Compares its runs in the background; None without ``shadow=`` of `load`.
    shadow: Following | None
    _binder: Binder
    _debug: DebugHook
    _failover: Failover | None
    #: Of `load`; None: `optimize` and `Runtime.load_network` were called.
    _growth: Growth | None
    _late_shapes: BoundedShapesReport | None
    _optimized: OptimizedNetwork
    _parts: StagedParts
    _pool: ContextPool
    _runtime: NetworkOwner
    _state: NetworkState | None

    if not TYPE_CHECKING:  # any name would be one for type checkers

        def __getattr__(self, name: str) -> None:
            """Raise the error for a name that does not exist, with a hint."""
            raise missing_attribute("LoadedNetwork", name, self)

    @property
    def _stages(self) -> StagedRuns | None:
        """The runner of its parts, if it runs in stages and has one."""
        return self._parts.runs

    @property
    def inputs(self) -> Mapping[str, TensorInfo]:
        """Inputs by name, in order; a free dimension is None."""
        return dict(self._binder.inputs)

    @property
    def outputs(self) -> Mapping[str, TensorInfo]:
        """Outputs by name, in order."""
        return dict(self._binder.outputs)

    @property
    def state(self) -> NetworkState:
        """The variables, which stay from run to run: arrays by name, to read and to set.

        Runs of a network with variables follow one another, also those of several threads, and
        share these values; the arrays of each `bind` have variables of their own. They have the
        values that `Network.add_variable` got, until the first run and after `reset_state`. A run
        that fails or is stopped changes none of them. They outlast a change of input shapes.
        """
        if self._state is None:
            pool, parts = self._pool, self._parts

            self._state = NetworkState(
                self.name,
                self._optimized.variables,
                lambda name: parts.read_variable(pool, name),
                lambda values: parts.write_variables(pool, values),
            )
        return self._state

    @property
    def last_run(self) -> LastRun:
        """How the last run of the calling thread was answered: by the next backend, or as usual."""
        return NOTHING_LOST if self._failover is None else self._failover.last_run

    @property
    def health(self) -> Health:
        """Whether the isolated backends of the network are there, and who answers if not."""
        return Health("ready") if self._failover is None else self._failover.health()

    @property
    def metadata(self) -> ModelMetadata:
        """Metadata of the model file: producer, operator sets, the author's own data."""
        return self._optimized.metadata

    @property
    def runtime(self) -> NetworkOwner:
        """The `Runtime` that loaded it."""
        return self._runtime

    @property
    def bounded_shapes(self) -> BoundedShapesReport:
        """Whether one plan serves all shapes up to the ``bounds`` of `load`, and why not."""
        if self._late_shapes is None:
            self._late_shapes = report_without_bounds(self._optimized)
        return self._late_shapes

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._pool.closed

    @property
    def assignment(self) -> Assignment:
        """Backend and reason of each layer.

        With free dimensions: of the shapes that ran last; empty before the first run.
        """
        if self._stages is not None:
            parts = [part.assignment for part in self._stages.parts]
            whole = Assignment(
                [record for one in parts for record in one],
                is_pending=any(one.is_pending for one in parts),
                stages=len(self._stages),
            )
            return whole.with_skipped(self._optimized.skipped)
        plan = self._pool.latest
        found = self._optimized.assignment if plan is None else plan.assignment
        return found.with_skipped(self._optimized.skipped)

    @property
    def arena_size(self) -> int:
        """Bytes of memory that one execution context needs; 0 while dimensions are free."""
        if self._stages is not None:
            return sum(part.arena_size for part in self._stages.parts)
        plan = self._pool.latest
        return plan.arena_size if plan is not None else 0

    @property
    def persistent_size(self) -> int:
        """Bytes that one execution context keeps from run to run, besides its `arena_size`.

        They are what workloads ask for; a backend may have state of its own. 0 while dimensions are
        free.
        """
        if self._stages is not None:
            return sum(part.persistent_size for part in self._stages.parts)
        plan = self._pool.latest
        return plan.persistent_size if plan is not None else 0

    @property
    def packed_size(self) -> int:
        """Bytes that backends state to keep for all contexts, such as packed weights.

        Backends need not state it. 0 while dimensions are free.
        """
        if self._stages is not None:
            return sum(part.packed_size for part in self._stages.parts)
        plan = self._pool.latest
        return plan.packed_size if plan is not None else 0

    @property
    def memory(self) -> NetworkMemory:
        """The memory of the network by holder, measured when it is asked for.

        It takes some milliseconds for each hundred layers.
        """
        from armnn_py.runtime.network_memory import memory_of

        self._pool.check_open()
        return memory_of(self, self._growth)

    @property
    def elided(self) -> tuple[str, ...]:
        """Names of layers that are not executed, because their tensors share memory.

        They are Concat and Splitter along the outermost axis, and Reshape; profiles do not show
        them. With free dimensions: of the shapes that ran last; empty before the first run.
        """
        if self._stages is not None:
            return tuple(name for part in self._stages.parts for name in part.elided)
        plan = self._pool.latest
        return tuple(plan.elided) if plan is not None else ()

    def __repr__(self) -> str:
        if self._pool.closed:
            return f"<LoadedNetwork '{self.name}' closed>"
        if self._stages is not None:
            return f"<LoadedNetwork '{self.name}' in {len(self._stages)} stages>"
        assignment = self.assignment
        if not len(assignment) and self._optimized.is_dynamic:
            return f"<LoadedNetwork '{self.name}' with free dimensions>"
        counts = assignment.counts
        return (
            f"<LoadedNetwork '{self.name}' {counted(sum(counts.values()), 'layer')} "
            f"on {'+'.join(counts) or 'no backend'}>"
        )

    def _refuse_stages(self) -> None:
        """Raise if the network has no single plan, because it runs in stages."""
        if self._stages is not None:
            raise stages_needed(self.name, self._stages.stages)

    # ---- Runs ----------------------------------------------------------------------------------

    def profile(self) -> Profile:
        """Record the time of each layer.

        Of a network that runs in stages, because data decide shapes, all stages are recorded, and
        what is computed between them.

        Raises
        ------
        InvalidArgumentError
            The network is closed.

        Examples
        --------
        >>> import numpy as np
        >>> import armnn_py as ann
        >>> with ann.load("model.onnx", backends=["CpuRef"]) as network:
        ...     with network.profile() as profile:
        ...         outputs = network.run(np.load("image.npy"))
        >>> print(profile)  # a table; here its last line
        layer ...
        1 run in ... ms
        """
        self._pool.check_open()

        from armnn_py.runtime.profile.profiling import Profile

        return Profile(self.name, self, self._runtime.backends)

    def register_debug_callback(self, callback: DebugCallback | None) -> None:
        """Show the tensors at Debug layers while the network runs; Arm NN's name.

        Parameters
        ----------
        callback
            Called with the name of a layer, the index of its output and a copy of that tensor, in
            the order of execution and on the thread of the run. An exception ends the run, and
            `run` raises it. Replaces the callback before; None removes it.

        Raises
        ------
        InvalidArgumentError
            It is not callable, or the network has no Debug layers or is closed.

        Examples
        --------
        >>> import numpy as np
        >>> import armnn_py as ann
        >>> network = ann.Network()
        >>> x = network.add_input("x", ann.TensorInfo((2,)))
        >>> y = network.add_output("y", network.add_floor(x, name="whole"))
        >>> debug = ann.OptimizerOptions(debug=True)
        >>> with ann.load(network, ["CpuRef"], options=debug) as loaded:
        ...     loaded.register_debug_callback(lambda *seen: print(*seen))
        ...     outputs = loaded.run(np.float32([2.5, 8]))
        x 0 [2.5 8. ]
        whole 0 [2. 8.]
        """
        self._pool.check_open()
        if callback is not None and not callable(callback):
            raise InvalidArgumentError(
                f"debug callback: {type(callback).__name__} given, a callable expected"
            )
        layers = self._optimized.contents.layers
        if not self._optimized.options.debug and all(
            layer.type is not LayerType.DEBUG for layer in layers
        ):
            raise InvalidArgumentError(
                f"network '{self.name}' has no Debug layers",
                hints=["optimize(network, debug=True) puts one behind each layer"],
            )
        self._debug.callback = callback
