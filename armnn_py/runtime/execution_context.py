# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One caller's buffers for one plan: bind arrays, run, turn a status into an exception."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np

from armnn_py._native import abi
from armnn_py._native.context import NativeContext
from armnn_py._native.memory import address_of
from armnn_py.errors import ExecutionCancelledError, ExecutionError
from armnn_py.interrupts import deferred_interrupts
from armnn_py.runtime.buffers import check_in_place, make_room
from armnn_py.runtime.context_handles import ContextHandles
from armnn_py.runtime.open_profiles import note_copies, open_profiles
from armnn_py.runtime.plain_arrays import PlainArrays
from armnn_py.runtime.plan_build import CallersNeeds
from armnn_py.runtime.run_errors import lost_state, raise_failed, raise_lost_device
from armnn_py.runtime.shared_outputs import SharedOutputs
from armnn_py.tensors.memory import ALIGNMENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from armnn_py.backends.run_options import RunOptions
    from armnn_py.runtime.buffers import Room
    from armnn_py.runtime.cancel import CancelToken
    from armnn_py.runtime.network_plan import NetworkPlan
    from armnn_py.runtime.plan_keys import PlanKey
    from armnn_py.runtime.shared_outputs import ViewToken

__all__ = ["ExecutionContext"]

_get_ident = threading.get_ident
_MAIN_THREAD = threading.main_thread().ident
#: Seconds; a longer timeout means no deadline, which would overflow the clock's 64 bits.
_LONGEST_TIMEOUT = 1e9
_NO_NEEDS = CallersNeeds()
#: How a run ended after which the state of workloads is not known; others: it failed.
_LOSSES = {
    abi.ARMNN_STATUS_CANCELLED: "a run was stopped in its middle",
    abi.ARMNN_STATUS_TIMEOUT: "a run was stopped in its middle, by its timeout",
}
_log = logging.getLogger("armnn_py.runtime")

Way: TypeAlias = tuple[int, bool, bool, bool]

_WAYS: list[list[list[Way]]] = [
    [[(0, asks, strict, stays) for asks in (False, True)] for stays in (False, True)]
    for strict in (False, True)
]
"""Options of `NativeContext.run` without a deadline, each once: strict, stays, interruptible."""
_PLAIN_WAYS = _WAYS[False][False]


class ExecutionContext:
    """An arena and execution data of every backend; runs one inference at a time."""

    __slots__ = (
        "_backends",
        "_bound",
        "_data",
        "_handles",
        "_input_needs",
        "_may_call_python",
        "_memory_problems",
        "_native",
        "_output_specs",
        "_plain",
        "_shared_outputs",
        "_state_loss",
        "is_fresh",
        "plan",
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
            self._native = NativeContext(
                plan.native, self._data, self._handles.addresses, plan.network.name
            )
            undo.callback(self._native.destroy)
            self._reset_variables()
            undo.pop_all()
        self._backends = plan.backends
        #: If no backend can call Python, runs need not check each time whether one does.
        self._may_call_python = (plan.debug is not None and plan.debug.is_used) or any(
            backend.may_call_python for backend in plan.backends
        )
        self._output_specs = []
        for index, (name, info) in enumerate(plan.network.outputs.items()):
            needs = plan.output_needs.get(index, _NO_NEEDS)
            room = make_room(
                info.static_shape, info.dtype, max(ALIGNMENT, needs.alignment), needs.readable
            )
            self._output_specs.append((name, needs, room))
        self._plain: PlainArrays | None = None
        if plan.late is None:
            infos = plan.network.outputs.items()
            rooms = [room for _, _, room in self._output_specs]
            self._plain = PlainArrays(
                self._native,
                plan.network.inputs.items(),
                [(name, info, room) for (name, info), room in zip(infos, rooms, strict=True)],
            )
        self._shared_outputs = SharedOutputs()
        #: Whether no run has left anything in it.
        self.is_fresh = True
        #: How the run ended after which nobody knows what workloads keep.
        self._state_loss = ""
        #: Why external memory of the run could not be mapped.
        self._memory_problems: list[str] = []
        #: Arrays that backends may have imported for more than one run.
        self._bound: list[np.ndarray] = []
        self._input_needs = plan.input_needs

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
            if self._native.run_options is not None:
                self._native.set_run_options(None)
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
            self.check_inputs(inputs)
            self.check_outputs(out or {})
        native = self._native
        for index, array in enumerate(inputs):
            native.inputs[index] = address_of(array)
        outputs: dict[str, np.ndarray] = {}
        for index, (name, _, room) in enumerate(self._output_specs):
            if out is not None and name in out:
                outputs[name] = out[name]
                native.outputs[index] = address_of(out[name])
            else:
                try:
                    outputs[name], native.outputs[index] = room.take()
                except MemoryError as error:
                    self._raise_no_memory(name, room, error)
        if type(inputs) is not list or (out is not None and type(out) is not dict):
            self._set_memories([*inputs, *outputs.values()])
            try:
                self.execute(
                    timeout=timeout, cancel=cancel, strict=strict, options=options, begin=begin
                )
            finally:
                self._drop_memories()
            from armnn_py.runtime.external_arrays import shown

            return {name: shown(array) for name, array in outputs.items()}
        self.execute(timeout=timeout, cancel=cancel, strict=strict, options=options, begin=begin)
        return outputs

    def _drop_memories(self) -> None:
        self._native.set_memories(None)
        self._memory_problems = []

    def _set_memories(self, arrays: Sequence[np.ndarray]) -> None:
        """Tell the executor of the external ones of all inputs and then outputs."""
        from armnn_py.runtime.external_arrays import ExternalArray, build_memories

        native = self._native
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
        native = self._native
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
                problem = self._native.unimport()
            self._bound.clear()
            self._native.set_memories(None)
            self._memory_problems = []
            if problem:
                _log.warning("network '%s': %s", self.plan.network.name, problem)

    @property
    def has_workload_state(self) -> bool:
        """Whether workloads keep something from run to run."""
        return self._native.has_state

    def begin_sequence(self) -> None:
        """Begin runs that have nothing to do with earlier ones."""
        if not self.is_fresh:
            self.reset_state()
        self.is_fresh = False

    def reset_state(self) -> None:
        """Have workloads and variables forget what earlier runs left; not during a run."""
        if not self._native.has_state and not self.plan.variables:
            return
        with deferred_interrupts():
            if self._native.has_state:
                self._state_loss = "a backend did not reset it"
                self._native.reset()
                self._state_loss = ""
            self._reset_variables()

    def _reset_variables(self) -> None:
        for index, variable in enumerate(self.plan.variables):
            self._native.write_variable(index, variable.initial)

    def read_variable(self, name: str) -> np.ndarray:
        """A copy of the value of a variable; not during a run."""
        for index, variable in enumerate(self.plan.variables):
            if variable.name == name:
                array = np.empty(variable.info.static_shape, variable.info.dtype)
                with deferred_interrupts():
                    self._native.read_variable(index, array)
                return array
        raise KeyError(name)

    def write_variable(self, name: str, array: np.ndarray) -> None:
        """Set a variable to a dense array of its shape and dtype; not during a run."""
        for index, variable in enumerate(self.plan.variables):
            if variable.name == name:
                with deferred_interrupts():
                    self._native.write_variable(index, array)

    @property
    def is_running(self) -> bool:
        """Whether a run is in flight."""
        return self._native.is_running

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
        native = self._native
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
        native = self._native
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

    # ---- Memory of callers -----------------------------------------------------------------------

    def check_inputs(self, arrays: Sequence[np.ndarray]) -> None:
        """Raise `InvalidArgumentError` unless the arrays can be used without a copy."""
        for index, (name, array) in enumerate(zip(self.plan.network.inputs, arrays, strict=True)):
            needs = self._input_needs.get(index, _NO_NEEDS)
            check_in_place("input", name, array, needs.alignment, needs.readable)

    def check_outputs(self, arrays: Mapping[str, np.ndarray]) -> None:
        """As `check_inputs` for arrays that outputs are written into."""
        for name, needs, _ in self._output_specs:
            if name in arrays:
                check_in_place("output", name, arrays[name], needs.alignment, needs.readable)

    def fresh_inputs(self) -> list[np.ndarray]:
        """Arrays for the inputs, filled with zeros."""
        arrays = []
        for index, info in enumerate(self.plan.network.inputs.values()):
            needs = self._input_needs.get(index, _NO_NEEDS)
            alignment = max(ALIGNMENT, needs.alignment)
            room = make_room(info.static_shape, info.dtype, alignment, needs.readable)
            arrays.append(room.take()[0])
            arrays[-1].fill(0)
        return arrays

    def fresh_outputs(self, given: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Arrays for the outputs in order: those given, and fresh ones."""
        outputs = {}
        for name, _, room in self._output_specs:
            try:
                outputs[name] = given[name] if name in given else room.take()[0]
            except MemoryError as error:
                self._raise_no_memory(name, room, error)
        return outputs

    def lend_outputs(self) -> tuple[dict[str, np.ndarray], ViewToken]:
        """Arrays for the outputs of a run, in memory that is used again when the token is gone."""
        return self._shared_outputs.take(lambda: self.fresh_outputs({}))

    def _raise_no_memory(self, name: str, room: Room, error: MemoryError) -> NoReturn:
        raise ExecutionError(
            f"output '{name}' of network '{self.plan.network.name}': out of memory",
            status=abi.ARMNN_STATUS_OUT_OF_MEMORY,
            details=[f"{room.size} bytes were asked for"],
        ) from error

    def _raise(self, status: int, timeout: float | None, *, strict: bool = False) -> None:
        """Raise the error of a failed run; an exception of a signal handler goes first."""
        native = self._native
        if native.handle and native.has_state and native.is_state_lost:
            if native.was_refused and not native.caught:
                raise lost_state(
                    self.plan.network.name,
                    self._state_loss or "a run failed",
                    self.plan.state_layers,
                )
            if not native.was_refused:
                self._state_loss = _LOSSES.get(status, "a run failed")
        raise_failed(
            self.plan, native, status, timeout, strict=strict, memory=self._memory_problems
        )

    @property
    def copies(self) -> tuple[int, int]:
        """How often the host copied a tensor in the last run, and how many bytes in all."""
        return self._native.copies

    @property
    def is_inside_handler(self) -> bool:
        """Whether a signal handler runs in the middle of this context's run right now."""
        return self._native.is_inside_handler

    def cancel(self) -> None:
        """Stop the run in flight before its next step; from any thread."""
        self._native.cancel()

    def destroy(self) -> None:
        """Free the arena, the tensor handles and the backends' execution data."""
        with contextlib.ExitStack() as steps:
            steps.callback(self._handles.close)
            steps.callback(self._destroy_data)
            steps.callback(self._handles.destroy)
            steps.callback(self._native.destroy)
            steps.callback(self.release_addresses)

    def abandon(self) -> None:
        """Forget everything without freeing it: after a fork another thread was in it."""
        self._native.abandon()
        self._handles.abandon()
        self._bound.clear()
        self._data = []

    def _destroy_data(self) -> None:
        for factory, data in zip(self.plan.factories, self._data, strict=False):
            factory.destroy_execution_data(data)
        self._data = []
