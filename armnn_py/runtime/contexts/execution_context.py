# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One caller's buffers for one plan: bind arrays, run, turn a status into an exception."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from typing import TYPE_CHECKING, Any, TypeAlias

from armnn_py._native import abi
from armnn_py._native.memory.addresses import address_of
from armnn_py._native.plans.context import NativeContext
from armnn_py.errors import ExecutionCancelledError
from armnn_py.interrupts import deferred_interrupts
from armnn_py.runtime.arrays.external_arrays import ExternalArray, build_memories, shown
from armnn_py.runtime.arrays.plain_arrays import CallersArrays, PlainArrays
from armnn_py.runtime.contexts.context_state import ContextHandles, ContextState
from armnn_py.runtime.contexts.run_errors import raise_failed, raise_lost_device
from armnn_py.runtime.profile.open_profiles import note_copies, open_profiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np

    from armnn_py.backends.options.run_options import RunOptions
    from armnn_py.runtime.cancel import CancelToken
    from armnn_py.runtime.contexts.plan_keys import PlanKey
    from armnn_py.runtime.plan.network_plan import NetworkPlan

_get_ident = threading.get_ident
_MAIN_THREAD = threading.main_thread().ident
#: Seconds; a longer timeout means no deadline, which would overflow the clock's 64 bits.
_LONGEST_TIMEOUT = 1e9
_log = logging.getLogger("armnn_py.runtime")

Way: TypeAlias = tuple[int, bool, bool, bool]

_WAYS: list[list[list[Way]]] = [
    [[(0, asks, strict, stays) for asks in (False, True)] for stays in (False, True)]
    for strict in (False, True)
]
"""Options of `NativeContext.run` without a deadline, each once: strict, stays, interruptible."""
_PLAIN_WAYS = _WAYS[False][False]


class ExecutionContext:
    """An arena and execution data of every backend; runs one inference at a time.

    Attributes
    ----------
    plan
        The plan that it runs.
    arrays
        Requirements on arrays of callers and on fresh ones.
    state
        The state that stays from run to run.
    native
        The native context.
    loop
        The loop whose turns it ran last, prepared by `RepeatedRun`; None before the first.
    """

    __slots__ = (
        "_backends",
        "_bound",
        "_data",
        "_handles",
        "_may_call_python",
        "_memory_problems",
        "_plain",
        "arrays",
        "loop",
        "native",
        "plan",
        "state",
    )

    def __init__(self, plan: NetworkPlan) -> None:
        assert plan.native is not None
        self.plan = plan
        self._data: list[int | None] = []
        with contextlib.ExitStack() as undo:
            self._handles = ContextHandles(plan.backends, plan.handles)
            undo.callback(self._handles.close)
            undo.callback(self._destroy_data)
            undo.callback(self._handles.destroy)
            for factory in plan.factories:
                self._data.append(factory.create_execution_data())
            self.native = NativeContext(
                plan.native, self._data, self._handles.addresses, plan.network.name
            )
            undo.callback(self.native.destroy)
            self.state = ContextState(plan, self.native)
            undo.pop_all()
        self._backends = plan.backends
        #: If no backend can call Python, runs need not check each time whether one does.
        self._may_call_python = (plan.debug is not None and plan.debug.is_used) or any(
            backend.may_call_python for backend in plan.backends
        )
        self.arrays = CallersArrays(plan)
        self.loop: object = None
        self._plain: PlainArrays | None = None
        if plan.bounded is None:
            infos = plan.network.outputs.items()
            rooms = [room for _, _, room in self.arrays.outputs]
            self._plain = PlainArrays(
                self.native,
                plan.network.inputs.items(),
                [(name, info, room) for (name, info), room in zip(infos, rooms, strict=True)],
            )
        #: Why external memory of the run could not be mapped.
        self._memory_problems: list[str] = []
        #: Arrays that backends may have imported for more than one run.
        self._bound: list[np.ndarray] = []

    def run_plain(self, inputs: Any, out: Any) -> dict[str, np.ndarray] | None:
        """Run without any options over what `LoadedNetwork.run` was given.

        None: nothing was done, because something is not as nearly all callers give it.
        """
        if self._bound:  # an interrupt ended bind() early
            self.release_addresses()
        plain = self._plain
        if plain is None or (out is not None and type(out) is not dict):
            return None
        kept = plain.set_inputs(inputs)  # whatever becomes of ``inputs`` during the run
        if kept is None:
            return None
        try:
            made = plain.set_outputs(out)
        except MemoryError:
            return None  # the other way says of which output
        if made is not None:
            if self.native.run_options is not None:
                self.native.set_run_options(None)
            self._run(_PLAIN_WAYS[_get_ident() == _MAIN_THREAD])
        return made

    def run(
        self,
        inputs: Sequence[np.ndarray],
        out: Mapping[str, np.ndarray] | None,
        *,
        timeout: float | None = None,
        cancel: CancelToken | None = None,
        strict: bool = False,
        options: RunOptions | None = None,
        begin: float = 0.0,
    ) -> dict[str, np.ndarray]:
        """Run over dense arrays of the right shapes, in the order of the network's inputs.

        ``begin`` is the time of the monotonic clock from which ``timeout`` counts; 0: now.
        ``strict`` makes it an error if an array is not aligned as its users need it, or if a
        backend refuses memory that it should import.
        """
        if self._bound:  # an interrupt ended bind() early
            self.release_addresses()
        if strict:
            self.arrays.check_inputs(inputs)
            self.arrays.check_outputs(out or {})
        native = self.native
        for index, array in enumerate(inputs):
            native.inputs[index] = address_of(array)
        outputs: dict[str, np.ndarray] = {}
        for index, (name, _, room) in enumerate(self.arrays.outputs):
            if out is not None and name in out:
                outputs[name] = out[name]
                native.outputs[index] = address_of(out[name])
            else:
                try:
                    outputs[name], native.outputs[index] = room.take()
                except MemoryError as error:
                    self.arrays.raise_no_memory(name, room, error)
        if type(inputs) is not list or (out is not None and type(out) is not dict):
            self._set_memories([*inputs, *outputs.values()])
            try:
                self.execute(
                    timeout=timeout, cancel=cancel, strict=strict, options=options, begin=begin
                )
            finally:
                self._drop_memories()

            return {name: shown(array) for name, array in outputs.items()}
        self.execute(timeout=timeout, cancel=cancel, strict=strict, options=options, begin=begin)
        return outputs

    def _drop_memories(self) -> None:
        self.native.set_memories(None)
        self._memory_problems = []

    def _set_memories(self, arrays: Sequence[np.ndarray]) -> None:
        """Tell the executor of the external ones of all inputs and then outputs."""
        native = self.native
        count = len(self.plan.network.inputs)
        externals = [(i, a) for i, a in enumerate(arrays) if type(a) is ExternalArray]
        for index, array in externals:
            addresses = native.inputs if index < count else native.outputs
            addresses[index if index < count else index - count] = array.address or None
        native.set_memories(build_memories(arrays) if externals else None)
        self._memory_problems = [array.problem for _, array in externals if array.problem]

    def set_key(self, key: PlanKey) -> None:
        """Let the next runs have inputs of these shapes; here they are those of the plan."""

    def set_addresses(self, inputs: Iterable[np.ndarray], outputs: Iterable[np.ndarray]) -> None:
        """Let every `execute` from now on work over these arrays; `release_addresses` ends it.

        Backends' imports of them stay, so the arrays are held here until then.
        """
        native = self.native
        arrays = list(inputs), list(outputs)
        everything = [*arrays[0], *arrays[1]]
        has_external = any(hasattr(array, "external") for array in everything)
        if self.plan.handles or has_external:
            self._bound = everything
        for index, array in enumerate(arrays[0]):
            native.inputs[index] = address_of(array)
        for index, array in enumerate(arrays[1]):
            native.outputs[index] = address_of(array)
        if has_external:
            self._set_memories(everything)

    def release_addresses(self) -> None:
        """Have backends give back the arrays of `set_addresses`, which may be freed then."""
        if self._bound:
            with deferred_interrupts():
                problem = self.native.unimport()
            self._bound.clear()
            self.native.set_memories(None)
            self._memory_problems = []
            if problem:
                _log.warning("network '%s': %s", self.plan.network.name, problem)

    @property
    def is_running(self) -> bool:
        """Whether a run is in flight."""
        return self.native.is_running

    def execute(
        self,
        *,
        timeout: float | None = None,
        cancel: CancelToken | None = None,
        strict: bool = False,
        options: RunOptions | None = None,
        begin: float = 0.0,
    ) -> None:
        """Run over memory whose addresses were set; they are not checked again."""
        native = self.native
        wanted = None if options is None else options.for_plan(self.plan.listeners)
        if native.run_options is not wanted:
            native.set_run_options(wanted)
        way = _WAYS[strict][bool(self._bound)][cancel is not None or _get_ident() == _MAIN_THREAD]
        if timeout is None and cancel is None:
            self._run(way, strict=strict)
            return
        if timeout is not None and timeout < _LONGEST_TIMEOUT:
            start = int(begin * 1e9) or time.monotonic_ns()
            way = (start + int(timeout * 1e9), *way[1:])
        if cancel is not None:
            native.stops.append(cancel)
            cancel._attach(native)
        try:
            if cancel is not None and cancel.cancelled:
                raise ExecutionCancelledError(
                    f"network '{self.plan.network.name}': cancelled before it started"
                )
            self._run(way, timeout, strict=strict)
        finally:
            if cancel is not None:
                cancel._detach(native)
                native.stops.clear()

    def _run(self, way: Way, timeout: float | None = None, *, strict: bool = False) -> None:
        for backend in self._backends:
            if backend.lost_device is not None:
                raise_lost_device(self.plan)
        native = self.native
        if self._may_call_python and self._calls_python():
            with deferred_interrupts():
                status = native.run(way)
        else:
            status = native.run(way)
        if open_profiles:
            note_copies(self.plan, native)
        if status != abi.ARMNN_STATUS_OK or native.caught:
            self._raise(status, timeout, strict=strict)

    def _calls_python(self) -> bool:
        """Whether the run calls Python in its middle, where signal handlers must wait."""
        debug = self.plan.debug
        if debug is not None and debug.is_used:
            debug.take_raised()  # left by a run whose caller was interrupted
            return True
        return any(backend.calls_python for backend in self._backends)

    def _raise(self, status: int, timeout: float | None, *, strict: bool = False) -> None:
        """Raise the error of a failed run; an exception of a signal handler goes first."""
        self.state.note_failure(status)

        raise_failed(
            self.plan, self.native, status, timeout, strict=strict, memory=self._memory_problems
        )

    @property
    def copies(self) -> tuple[int, int]:
        """How often the host copied a tensor in the last run, and how many bytes in all."""
        return self.native.copies

    @property
    def is_inside_handler(self) -> bool:
        """Whether a signal handler runs in the middle of this context's run right now."""
        return self.native.is_inside_handler

    def cancel(self) -> None:
        """Stop the run in flight before its next step; from any thread."""
        self.native.cancel()

    def destroy(self) -> None:
        """Free the arena, the tensor handles and the backends' execution data."""
        with contextlib.ExitStack() as steps:
            steps.callback(self._handles.close)
            steps.callback(self._destroy_data)
            steps.callback(self._handles.destroy)
            steps.callback(self.native.destroy)
            steps.callback(self.release_addresses)

    def abandon(self) -> None:
        """Forget everything without freeing it: after a fork another thread was in it."""
        self.native.abandon()
        self._handles.abandon()
        self._bound.clear()
        self._data = []

    def _destroy_data(self) -> None:
        for factory, data in zip(self.plan.factories, self._data, strict=False):
            factory.destroy_execution_data(data)
        self._data = []
