# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A network that is ready to run."""

from __future__ import annotations

import logging
import math
import threading
import weakref
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native.log import drain_log
from armnn_py.errors import InvalidArgumentError, UnknownNameError
from armnn_py.ownership import Owner
from armnn_py.runtime.buffers import bind_input, bind_output
from armnn_py.runtime.cancel import CancelToken
from armnn_py.runtime.execution_context import ExecutionContext
from armnn_py.runtime.network_plan import NetworkPlan
from armnn_py.runtime.notices import NetworkNotices
from armnn_py.runtime.profiling import Profile, flush_profiles

if TYPE_CHECKING:
    from types import TracebackType

    from armnn_py.optimizer import Assignment, OptimizedNetwork
    from armnn_py.runtime.runtime import Runtime
    from armnn_py.tensors import TensorInfo

__all__ = ["LoadedNetwork"]

_logger = logging.getLogger("armnn_py.runtime")

_Shapes = tuple[tuple[int, ...], ...]


#: Idle contexts kept for the next callers; a burst of threads must not hold its memory for ever.
_IDLE_CONTEXTS = 8
#: Seconds that close() waits at interpreter exit for runs that were told to stop.
EXIT_PATIENCE = 10.0
#: Seconds between two looks at the leases while close() waits.
_LOOK_AGAIN = 0.2


class _PlanEntry:
    """A plan and the contexts that wait for work."""

    __slots__ = ("contexts", "plan")

    def __init__(self, plan: NetworkPlan) -> None:
        self.plan = plan
        self.contexts: list[ExecutionContext] = []

    def destroy(self) -> None:
        for context in self.contexts:
            context.destroy()
        self.contexts.clear()
        self.plan.destroy()


class _Lease:
    """One call of `run` from start to end: what `close` waits for.

    The network holds it weakly and the frame of the call strongly. An exception that a signal
    handler raises at the worst moment can prevent that it is given back, but not that it ends.
    """

    __slots__ = ("__weakref__", "context", "entry", "thread")

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.entry: _PlanEntry | None = None
        self.context: ExecutionContext | None = None


def _check_stops(timeout: object, cancel: object) -> None:
    if timeout is not None and (
        isinstance(timeout, bool)
        or not isinstance(timeout, (int, float))
        or math.isnan(timeout)
        or timeout < 0
    ):
        raise InvalidArgumentError(
            f"timeout: {timeout!r} given, seconds >= 0 expected", hints=["None means no limit"]
        )
    if cancel is not None and not isinstance(cancel, CancelToken):
        raise InvalidArgumentError(f"cancel: {type(cancel).__name__} given, CancelToken expected")


class LoadedNetwork(Owner, instead="threads share it; for another process pickle the Network"):
    """A network with packed weights and a native plan; made by `Runtime.load_network`.

    Safe from several threads: each call of `run` borrows an execution context (an arena), weights
    are shared. A network with free dimensions gets one plan per set of input shapes; the
    ``plan_cache_size`` most recently used are kept.

    Use it in a ``with`` block, or call `close`.
    """

    def __init__(
        self,
        optimized: OptimizedNetwork,
        runtime: Runtime,
        network_id: int,
        *,
        plan_cache_size: int = 8,
        owns_runtime: bool = False,
    ) -> None:
        self._closed = True  # until there is something to close
        self.id = network_id
        self.name = optimized.name
        self._optimized = optimized
        self._runtime = runtime
        self._owns_runtime = owns_runtime
        self._plan_cache_size = plan_cache_size
        self._inputs = dict(optimized.inputs)
        self._outputs = dict(optimized.outputs)
        self._input_items = [
            (name, info, info.dtype, tuple(info.shape)) for name, info in self._inputs.items()
        ]
        self._entries: OrderedDict[_Shapes, _PlanEntry] = OrderedDict()
        self._leases: weakref.WeakSet[_Lease] = weakref.WeakSet()
        self._make_locks()
        self._notices = NetworkNotices(runtime.backends, network_id, self.name)
        try:
            if not optimized.is_dynamic:
                shapes = tuple(info.static_shape for info in self._inputs.values())
                self._entries[shapes] = _PlanEntry(NetworkPlan(optimized, network_id))
            self._notices.after_load()
        except BaseException:
            for entry in self._entries.values():
                entry.destroy()
            self._notices.after_unload()
            raise
        self._closed = False
        drain_log()

    def _make_locks(self) -> None:
        self._condition = threading.Condition()  # re-entrant: a signal handler may run a network
        self._build_lock = threading.RLock()

    # ---- What it is ----------------------------------------------------------------------------

    @property
    def inputs(self) -> Mapping[str, TensorInfo]:
        """Inputs by name, in order; a free dimension is None."""
        return dict(self._inputs)

    @property
    def outputs(self) -> Mapping[str, TensorInfo]:
        """Outputs by name, in order."""
        return dict(self._outputs)

    @property
    def runtime(self) -> Runtime:
        """The runtime that loaded it."""
        return self._runtime

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    @property
    def assignment(self) -> Assignment:
        """Backend and reason of each layer.

        With free dimensions: of the shapes that ran last; empty before the first run.
        """
        with self._condition:
            if self._entries:
                return next(reversed(self._entries.values())).plan.assignment
        return self._optimized.assignment

    @property
    def arena_size(self) -> int:
        """Bytes of memory that one execution context needs; 0 while dimensions are free."""
        with self._condition:
            if self._entries:
                return next(reversed(self._entries.values())).plan.arena_size
        return 0

    # ---- Running -------------------------------------------------------------------------------

    def run(
        self,
        inputs: Mapping[str, Any] | Sequence[Any] | Any,
        *,
        out: Mapping[str, np.ndarray] | None = None,
        timeout: float | None = None,
        cancel: CancelToken | None = None,
    ) -> dict[str, np.ndarray]:
        """Run one inference.

        Parameters
        ----------
        inputs
            Arrays by name; a list or tuple in the order of `inputs`; or, for a network with one
            input, the array itself. Anything with the DLPack, array or buffer protocol on the CPU
            is taken; dtype and shape must fit exactly, nothing is converted silently.
        out
            Arrays to write outputs into, by name; outputs that are not named are fresh arrays.
        timeout
            Seconds after which the run stops before its next layer.
        cancel
            A token that stops the run from another thread.

        Returns
        -------
        dict
            Output arrays by name.

        Raises
        ------
        InvalidArgumentError
            A name, dtype or shape does not fit, or the network is closed.
        ExecutionError
            A layer failed; says which on which backend.
        ExecutionTimeoutError, ExecutionCancelledError
            The run was stopped.
        KeyboardInterrupt
            Ctrl-C; the network stays usable.
        """
        if timeout is not None or cancel is not None:
            _check_stops(timeout, cancel)
        arrays = self._bind(inputs)
        lease = _Lease()
        try:
            self._start(lease)
            if out is not None:
                arrays = self._check_out(out, arrays)
            context = self._borrow(lease, tuple([array.shape for array in arrays]))
            return context.run(arrays, out, timeout=timeout, cancel=cancel)
        finally:
            self._give_back(lease)
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

    def _bind(self, inputs: Any) -> list[np.ndarray]:
        items = self._input_items
        if isinstance(inputs, Mapping):
            if len(inputs) != len(items) or any(name not in inputs for name in self._inputs):
                self._raise_names(inputs)
            values = [inputs[item[0]] for item in items]
        elif isinstance(inputs, (list, tuple)):
            if len(inputs) != len(items):
                raise InvalidArgumentError(
                    f"network '{self.name}' has {len(items)} inputs, {len(inputs)} given",
                    details=[f"inputs: {', '.join(self._inputs)}"],
                )
            values = list(inputs)
        elif len(items) == 1:
            values = [inputs]
        else:
            raise InvalidArgumentError(
                f"network '{self.name}' has {len(items)} inputs: pass a dict by name",
                details=[f"inputs: {', '.join(self._inputs)}"],
            )
        arrays = []
        for value, (name, info, dtype, shape) in zip(values, items, strict=True):
            if (
                type(value) is np.ndarray
                and value.dtype == dtype
                and value.shape == shape
                and value.flags.c_contiguous
                and value.flags.aligned
            ):
                arrays.append(value)
            else:
                arrays.append(bind_input(name, value, info))
        return arrays

    def _raise_names(self, inputs: Mapping[str, Any]) -> None:
        valid = list(self._inputs)
        for name in inputs:
            if name not in self._inputs:
                raise UnknownNameError(
                    f"network '{self.name}' has no input '{name}'", name=str(name), valid=valid
                )
        missing = [f"'{name}'" for name in valid if name not in inputs]
        raise InvalidArgumentError(
            f"network '{self.name}': no array for input {', '.join(missing)}",
            details=[f"inputs: {', '.join(valid)}"],
        )

    def _check_out(
        self, out: Mapping[str, np.ndarray], arrays: list[np.ndarray]
    ) -> list[np.ndarray]:
        """Check the caller's arrays; an input that one of them overlaps is copied first."""
        if not isinstance(out, Mapping):
            raise InvalidArgumentError(f"out: a dict by name expected, {type(out).__name__} given")
        checked: list[np.ndarray] = []
        for name, array in out.items():
            if name not in self._outputs:
                raise UnknownNameError(
                    f"network '{self.name}' has no output '{name}'",
                    name=str(name),
                    valid=list(self._outputs),
                )
            bind_output(name, array, self._output_info(name, arrays))
            if any(np.may_share_memory(array, other) for other in checked):
                raise InvalidArgumentError(f"output '{name}': its array overlaps another output's")
            checked.append(array)
        return [
            array.copy() if any(np.may_share_memory(array, o) for o in checked) else array
            for array in arrays
        ]

    def _output_info(self, name: str, arrays: list[np.ndarray]) -> TensorInfo:
        """The info of an output for these inputs, free dimensions bound."""
        if not self._optimized.is_dynamic:
            return self._outputs[name]
        entry = self._entry(tuple([array.shape for array in arrays]))
        return entry.plan.network.outputs[name]

    # ---- Plans and contexts --------------------------------------------------------------------

    def _start(self, lease: _Lease) -> None:
        with self._condition:
            self._check_open()
            self._leases.add(lease)

    def _entry(self, key: _Shapes) -> _PlanEntry:
        """The plan for these input shapes, made if there is none yet; call it with a lease."""
        entry = self._entries.get(key)
        if entry is not None:
            return entry
        with self._build_lock:
            entry = self._entries.get(key)
            if entry is None:
                shapes = dict(zip(self._inputs, key, strict=True))
                entry = _PlanEntry(NetworkPlan(self._optimized.specialize(shapes), self.id))
                flush_profiles()
                with self._condition:
                    self._entries[key] = entry
                    victims = self._evict(keep=key)
                for victim in victims:
                    victim.destroy()
            return entry

    def _evict(self, keep: _Shapes) -> list[_PlanEntry]:
        """Take out the plans that were not used for the longest time; the lock is held."""
        busy = {id(lease.entry) for lease in self._leases}
        idle = [k for k, e in self._entries.items() if id(e) not in busy and k != keep]
        surplus = max(0, len(self._entries) - self._plan_cache_size)
        return [self._entries.pop(key) for key in idle[:surplus]]

    def _borrow(self, lease: _Lease, key: _Shapes) -> ExecutionContext:
        while True:
            entry = self._entry(key)
            with self._condition:
                if self._entries.get(key) is not entry:
                    continue  # evicted between the two lines above
                if self._optimized.is_dynamic:
                    self._entries.move_to_end(key)
                lease.entry = entry
                if entry.contexts:
                    # Two steps instead of pop(): an interrupt between them loses nothing.
                    lease.context = entry.contexts[-1]
                    del entry.contexts[-1]
            if lease.context is None:
                lease.context = ExecutionContext(entry.plan)
            return lease.context

    def _give_back(self, lease: _Lease) -> None:
        surplus = None
        with self._condition:
            self._leases.discard(lease)
            entry, context = lease.entry, lease.context
            lease.entry = lease.context = None
            if entry is not None and context is not None:
                if len(entry.contexts) < _IDLE_CONTEXTS:
                    entry.contexts.append(context)
                else:
                    surplus = context
            if surplus is None and self._closed:
                self._condition.notify_all()
        if surplus is not None:
            surplus.destroy()
            with self._condition:
                self._condition.notify_all()

    def _check_open(self) -> None:
        if self._closed:
            raise InvalidArgumentError(
                f"network '{self.name}' is closed", hints=["load it again with load_network()"]
            )

    # ---- Profile and end -----------------------------------------------------------------------

    def profile(self) -> Profile:
        """Record the time of each layer: ``with loaded.profile() as profile: loaded.run(...)``."""
        self._check_open()
        return Profile(self)

    def _plans(self) -> list[NetworkPlan]:
        with self._condition:
            return [entry.plan for entry in self._entries.values()]

    def close(self) -> None:
        """Free everything; waits for running calls, later calls raise. Harmless when repeated.

        Raises
        ------
        InvalidArgumentError
            If a signal handler calls it in the middle of a run of its own thread, which would have
            to wait for itself.
        BackendError
            If the context of a backend does not let it be closed: the network stays as it was. At
            interpreter exit, and when a network is dropped without `close`, that is only logged.
        """
        self._close(patience=None)

    def _close(self, *, patience: float | None, obey: bool = True) -> None:
        """Close; with ``patience`` running calls are stopped and waited for that many seconds.

        ``obey``: a backend may veto it.
        """
        with self._condition:
            if self._closed:
                return
            self._drop_own_leases()
            self._closed = True
            if patience is not None:
                for lease in list(self._leases):
                    if lease.context is not None:
                        lease.context.cancel()
            # Looks again now and then: a lease can also end without being given back.
            waited = 0.0
            while self._leases and (patience is None or waited < patience):
                self._condition.wait(_LOOK_AGAIN)
                waited += _LOOK_AGAIN
            if self._leases:
                _logger.warning("network '%s' was left running at exit", self.name)
                return
        try:
            self._notices.before_unload(obey=obey)
        except BaseException:
            self._closed = False
            raise
        with self._condition:
            flush_profiles()
            entries = list(self._entries.values())
            self._entries.clear()
        for entry in entries:
            entry.destroy()
        self._notices.after_unload()
        drain_log()
        self._runtime._forget(self)
        if self._owns_runtime:
            self._runtime.close()

    def _drop_own_leases(self) -> None:
        """The calling thread is not in a run: its leases are left over from interrupts."""
        for lease in list(self._leases):
            if lease.thread != threading.get_ident():
                continue
            context = lease.context
            if context is not None and context.is_inside_handler:
                raise InvalidArgumentError(
                    f"network '{self.name}' is running in this thread and cannot be closed",
                    hints=["cancel the run with a CancelToken, and close the network after it"],
                )
            self._leases.discard(lease)
            if context is not None:
                context.destroy()
                lease.context = None

    def _after_fork(self) -> None:
        """In the child only this thread exists: what the others held is theirs for ever."""
        self._make_locks()
        for lease in list(self._leases):
            if lease.thread != threading.get_ident() and lease.context is not None:
                lease.context.abandon()
                self._leases.discard(lease)

    def __enter__(self) -> LoadedNetwork:
        self._check_open()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # Nobody can be running it: a run holds the network.
        if not getattr(self, "_closed", True):
            self._leases.clear()
            self._close(patience=None, obey=False)

    def __repr__(self) -> str:
        if self._closed:
            return f"<LoadedNetwork '{self.name}' closed>"
        assignment = self.assignment
        if not len(assignment) and self._optimized.is_dynamic:
            return f"<LoadedNetwork '{self.name}' with free dimensions>"
        layers = len(assignment)
        return (
            f"<LoadedNetwork '{self.name}' {layers} layer{'s' if layers != 1 else ''} "
            f"on {'+'.join(assignment.counts) or 'no backend'}>"
        )
