# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A network that is ready to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Never, Self

from armnn_py._native.log import drain_log
from armnn_py.backends.options.model_options import mapping_of, warn_of_unused
from armnn_py.backends.options.run_options import RunOptions
from armnn_py.device_ids import without_ids
from armnn_py.errors import ExecutionError, InvalidArgumentError, StagesNeededError
from armnn_py.errors.shortage import tells_shortage
from armnn_py.habits import unexpected_arguments
from armnn_py.interrupts import deferred_interrupts
from armnn_py.later import public_class
from armnn_py.network.stages import HAS_LOOPS, why_stages
from armnn_py.ownership import Closing, Owner
from armnn_py.runtime.arrays.binding import Binder
from armnn_py.runtime.bound_network import bind_arrays
from armnn_py.runtime.bounded.bounded_plan import plan_bounded, plan_maker
from armnn_py.runtime.cancel import CancelToken
from armnn_py.runtime.contexts.context_pool import ContextPool
from armnn_py.runtime.contexts.plan_choice import PlanChoice, maker_of_the_plan
from armnn_py.runtime.debug_hook import DebugHook
from armnn_py.runtime.failover import NOTHING_LOST, Failover
from armnn_py.runtime.general_runs import GeneralRuns
from armnn_py.runtime.network_facts import NetworkFacts
from armnn_py.runtime.notices import NetworkNotices
from armnn_py.runtime.stages.staged_parts import StagedParts

if TYPE_CHECKING:
    import numpy as np

    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.optimizer import OptimizedNetwork
    from armnn_py.runtime.bound_network import BoundNetwork
    from armnn_py.runtime.bounded.bounded_sizes import BoundedSize, Bounds
    from armnn_py.runtime.network_owner import NetworkOwner
    from armnn_py.runtime.plan.network_plan import NetworkPlan


@public_class
class LoadedNetwork(
    NetworkFacts,
    Closing,
    Owner,
    instead="threads share it; another process loads the model, or a pickled Network",
):
    """A network with packed weights and a native plan; made by `Runtime.load_network`.

    Safe from several threads: each call of `run` borrows an execution context (an arena), weights
    are shared. The first run allocates the arena and later runs reuse it, whatever other networks
    run in between. Runs of a network with state follow one another, see `state` and `reset_state`.
    A network with free dimensions gets one plan per set of input shapes; those most recently used
    are kept, up to ``plan_cache_bytes`` and ``plan_cache_size``, and that of the state. Where data
    that it computes decide shapes, it runs in stages, each of which is loaded like a network.

    Use it in a ``with`` block, or call `close`.
    """

    def __init__(
        self,
        optimized: OptimizedNetwork,
        runtime: NetworkOwner,
        network_id: int,
        *,
        plan_cache_size: int | None = None,
        plan_cache_bytes: int | None = None,
        owns_runtime: bool = False,
        bounds: Bounds | None = None,
        threads: int | None = None,
    ) -> None:
        self._is_loaded = False  # True when there is something to close
        self._growth = None
        self.id = network_id
        self.name = optimized.name
        self._optimized = optimized
        self._runtime = runtime
        self._owns_runtime = owns_runtime
        defaults = optimized.metadata.defaults
        self._binder = Binder(self.name, optimized.inputs, optimized.outputs, defaults)
        self._debug = DebugHook(guards=runtime.guards)
        self._failover: Failover | None = None
        if runtime.is_followed(None):
            self._failover = Failover(optimized, runtime)
        self._notices = NetworkNotices(runtime.backends, network_id, self.name)
        self._parts = StagedParts(optimized, runtime, plan_cache_size, plan_cache_bytes, threads)
        bounded: list[NetworkPlan] = []
        limits: list[BoundedSize] = []
        has_many = bounds is not None or optimized.is_dynamic
        if has_many:
            plan_of = plan_maker(
                optimized, network_id, self._debug, self._notices, bounded, limits, threads
            )
        else:
            plan_of = maker_of_the_plan(optimized, network_id, self._debug, threads)
        self._pool = pool = ContextPool(
            self.name, plan_of, plan_cache_size, plan_cache_bytes, tuple(optimized.variables)
        )
        self._state = self._late_shapes = None  # made when somebody asks
        self.shadow = None
        try:
            if has_many:
                self._late_shapes = plan_bounded(
                    optimized, self._notices, self._debug, bounds, bounded, limits
                )
            self._choice = PlanChoice(optimized, self._binder, pool, has_bounded_plan=bool(bounded))
            self._runs = GeneralRuns(self._binder, pool, self._choice, self._parts)
            if optimized.contents.stages:
                self._parts.load(optimized.contents.stages)
            self._notices.after_load()
        except BaseException:
            self._pool.free()
            for part in self._parts:
                part.close()
            self._notices.after_unload()
            raise
        self._is_loaded = True
        drain_log()

    # ---- Running -------------------------------------------------------------------------------

    def run(
        self,
        inputs: Mapping[str, Any] | Sequence[Any] | Any = None,
        *others: Never,
        outputs: Sequence[str] | None = None,
        out: Mapping[str, np.ndarray] | None = None,
        timeout: float | None = None,
        cancel: CancelToken | None = None,
        share_inputs: bool = False,
        share_outputs: bool = False,
        options: Mapping[str, Mapping[str, OptionValue]] | None = None,
        **unknown: Never,
    ) -> dict[str, np.ndarray]:
        """Run one inference.

        Parameters
        ----------
        inputs
            Arrays by name; a list or tuple in the order of `inputs`; or, for a network with one
            input, the array itself. Anything with the DLPack, array or buffer protocol on the CPU
            is taken; dtype and shape must fit exactly, nothing is converted silently. An
            `ExternalMemory` stands for an array that lies elsewhere.
        outputs
            Names of the outputs to return, in this order; default: all of them. The others are
            computed, too: a network without them takes less time.
        out
            Arrays to write outputs into, by name, or `ExternalMemory`; outputs that are not named
            are fresh arrays.
        timeout
            Seconds after which the run stops before its next layer.
        cancel
            A token that stops the run from another thread.
        share_inputs
            Use the inputs, and the arrays of ``out``, without copying: an array that must be
            copied, because it is not contiguous, not aligned, or refused by the backend that should
            import it, is an error.
        share_outputs
            Return views of memory that stays with the network instead of fresh arrays. No view
            ever shows another run's numbers: memory is written again only when its last view is
            gone, and views that are held when the network is closed stay as they are. Drop views
            before the next run, which needs more memory otherwise.
        options
            Options of this run by backend id: ``{"AcmeNpu": {"priority": 3}}``. The backend's
            ``run_options`` lists those that it understands; one without layers here gets none.

        Returns
        -------
        dict
            Output arrays by name.

        Raises
        ------
        InvalidArgumentError
            A name, dtype or shape does not fit, memory cannot be shared, an option has a value that
            is not allowed, layers have state from runs of other shapes, or the network is closed.
        UnknownNameError, BackendNotFoundError
            The option or the backend is unknown.
        ExecutionError
            A layer failed, or a backend refused shared memory or the run; the text names layer and
            backend. Or layers have an unknown state, see `reset_state`.
        ExecutionTimeoutError, ExecutionCancelledError
            The run was stopped.
        KeyboardInterrupt
            Ctrl-C; the network stays usable.

        Examples
        --------
        >>> import numpy as np
        >>> import armnn_py as ann
        >>> with ann.load("model.onnx") as network:
        ...     outputs = network.run({"image": np.load("image.npy")}, timeout=10.0)
        >>> outputs["probabilities"].argmax()
        np.int64(4)
        """
        if others or unknown:
            raise unexpected_arguments("run()", unknown, others)
        pool = self._pool
        failover = self._failover
        if failover is not None:
            failover.last_run = NOTHING_LOST
        try:
            if not (
                share_inputs
                or share_outputs
                or timeout is not None
                or cancel is not None
                or outputs is not None
                or options is not None
            ):
                lease = pool.take()
                if lease is not None:
                    try:
                        context = lease.context  # None: a signal handler has closed the network
                        plain = None if context is None else context.run_plain(inputs, out)
                    finally:
                        pool.give_back(lease)
                        drain_log()
                    if plain is not None:
                        return plain if self.shadow is None else self.shadow.note(inputs, plain)
            found = self._runs.run(
                inputs, outputs, out, timeout, cancel, options, self._run_options,
                share_inputs=share_inputs, share_outputs=share_outputs,
            )  # fmt: skip
            return found if self.shadow is None else self.shadow.note(inputs, found)
        except ExecutionError as error:
            if failover is None:
                raise
            return failover.run(
                error, self.state, inputs=inputs, outputs=outputs, out=out, timeout=timeout,
                cancel=cancel, options=options, share_inputs=share_inputs,
                share_outputs=share_outputs,
            )  # fmt: skip

    @tells_shortage("prepare the network")
    def prepare(self, shapes: Bounds | Sequence[Bounds]) -> None:
        """Make plans before runs need them.

        Parameters
        ----------
        shapes
            Sizes of the free dimensions by name, ``{"sequence": 128}``, or whole shapes by input,
            ``{"tokens": (1, 128)}``; or a list of such mappings. Plans stay as those of runs do:
            those beyond the limits of the plan cache are made in vain. A network of fixed shapes,
            or with one plan for all, has its plan already.

        Raises
        ------
        InvalidArgumentError
            A size is missing, does not fit its input, or the network is closed; or values of
            inputs or data decide shapes, so that only a run can make the plan.
        UnknownNameError
            Neither a free dimension nor an input has such a name.

        Examples
        --------
        >>> import numpy as np
        >>> import armnn_py as ann
        >>> def rows(infos):
        ...     network = ann.Network()
        ...     x = network.add_input("x", infos["x"])
        ...     network.add_output("y", network.add_softmax(x))
        ...     return network
        >>> info = ann.TensorInfo((None, 4), dimension_names=("rows", None))
        >>> network = ann.Network.from_builder("rows", {"x": info}, rows, {"y": info})
        >>> with ann.load(network, ["CpuRef"]) as loaded:
        ...     loaded.prepare([{"rows": 1}, {"rows": 8}])
        ...     outputs = loaded.run(np.zeros((8, 4), np.float32))  # finds its plan
        """
        try:
            self._refuse_stages()
            self._choice.prepare(shapes)
        except StagesNeededError as error:
            if why_stages(error.stages) != HAS_LOOPS:
                raise
            if self._stages is None:
                self._parts.load(error.stages)
        drain_log()

    #: Arm NN's name for `run`.
    enqueue_workload = run

    def __call__(self, *arrays: Any, **named: Any) -> dict[str, np.ndarray]:
        """Run with arrays in order or by name: ``loaded(image)`` or ``loaded(image=image)``."""
        if arrays and named:
            raise InvalidArgumentError("pass arrays by position or by name, not both")
        if len(arrays) == 1 and isinstance(arrays[0], Mapping):
            return self.run(arrays[0])
        return self.run(named if named or not arrays else list(arrays))

    def _run_options(self, options: Mapping[str, Mapping[str, OptionValue]]) -> RunOptions:
        """Check options of a run."""
        if self._optimized.skipped:
            options = without_ids(mapping_of(options, "options"), self._optimized.skipped)

        checked = RunOptions(options, self._runtime.backends)
        chosen = (backend.id for backend in self._optimized.backends)
        warn_of_unused("options", options, dict.fromkeys([*chosen, *self.assignment.counts]))
        return checked

    @tells_shortage("bind the network")
    def bind(
        self,
        inputs: Mapping[str, Any] | Sequence[Any] | Any | None = None,
        outputs: Mapping[str, np.ndarray] | None = None,
        *,
        options: Mapping[str, Mapping[str, OptionValue]] | None = None,
    ) -> BoundNetwork:
        """Check arrays once and run over them often: the least cost for each call.

        Parameters
        ----------
        inputs
            Arrays as for `run`, used without copying; default: new arrays of zeros. With free
            dimensions their shapes bind them. An input whose values decide shapes, such as
            the axes of a reduction, keeps them: its array is copied and cannot be written.
        outputs
            Arrays to write outputs into, by name; other outputs get new arrays. One may be the
            very array of an input that no layer reads later, such as a cache.
        options
            Options of each run, as for `run`.

        Raises
        ------
        InvalidArgumentError
            A name, dtype or shape does not fit, an array is not contiguous or not aligned, an
            output overlaps another array and would be written too early, an option has a value
            that is not allowed, the network is closed, or runs in stages because data decide
            shapes.
        UnknownNameError, BackendNotFoundError
            The option or the backend is unknown.

        Examples
        --------
        >>> import numpy as np
        >>> import armnn_py as ann
        >>> with ann.load("model.onnx") as network, network.bind() as bound:
        ...     for image in [np.load("image.npy")]:
        ...         bound.inputs["image"][...] = image
        ...         print(bound.run()["probabilities"].argmax())
        4
        """
        run_options = None if options is None else self._run_options(options)
        try:
            self._refuse_stages()

            return bind_arrays(
                self, self._pool, self._binder, self._choice, inputs, outputs, run_options
            )
        except StagesNeededError:
            whole = self._parts.whole()
            if whole is None:
                raise
            bound: BoundNetwork = whole.bind(inputs, outputs, options=options)
            return bound

    def reset_state(self) -> None:
        """Have recurrent layers and variables forget earlier runs: a new sequence begins.

        Variables get their first values again, see `state`. Backends may also keep state, which is
        not shown: all runs share it and follow one another, whichever threads call, but for those
        of each `bind`, which has a state and a ``reset_state`` of its own. Such a state does not
        go to other input shapes, and is unknown after a run that failed or was stopped in its
        middle: runs are refused then, until it is reset.

        Raises
        ------
        InvalidArgumentError
            A run is in flight, or the network is closed.
        ExecutionError
            A backend fails to.
        """
        self._pool.reset_state()
        self._parts.reset_state()

    # ---- End -------------------------------------------------------------------------------------

    def close(self) -> None:
        """Free everything; waits for running calls, later calls raise. Harmless when repeated.

        Outputs stay as they are, views of a run with ``share_outputs=True`` too: the last view
        frees the memory below it.

        Raises
        ------
        InvalidArgumentError
            If a signal handler calls it in the middle of a run of its own thread: that would wait
            for itself.
        BackendError
            If the context of a backend vetoes it: the network stays open. At interpreter exit, and
            when a network is dropped without `close`, a veto is only logged.
        """
        self._close(patience=None)

    def _close(self, *, patience: float | None, obey: bool = True) -> None:
        """Close; with ``patience`` running calls are stopped and waited for that many seconds.

        ``obey``: a backend may veto it.
        """
        if self.shadow is not None:
            self.shadow.close()
        # An interrupt between two steps would leave it neither open nor closed; only the wait for
        # runs can be interrupted, and then it stays open.
        with deferred_interrupts():
            if not self._pool.shut(patience=patience):
                return
            try:
                self._notices.before_unload(obey=obey)
                for part in self._parts:
                    part._close(patience=patience, obey=obey)
            except BaseException:
                self._pool.reopen()
                raise
            self._pool.free()
            self._notices.after_unload()
            if self._failover is not None:
                self._failover.close()
            drain_log()
            self._runtime.forget(self.id)
            if self._owns_runtime:
                self._runtime.close()

    def _after_fork(self) -> None:
        self._pool.after_fork()
        for part in self._parts:
            part._after_fork()

    def __enter__(self) -> Self:
        self._pool.check_open()
        return self

    def __del__(self) -> None:
        # No run can be under way: a run holds the network.
        if getattr(self, "_is_loaded", False) and not self._pool.closed:
            self._pool.forget_leases()
            self._close(patience=None, obey=False)
