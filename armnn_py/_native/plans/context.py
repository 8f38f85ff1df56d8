# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Contexts of the native executor: what one caller of a plan has to itself.

A run is one C call with the GIL released.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, raise_status
from armnn_py._native.library import core
from armnn_py._native.memory.addresses import address_of
from armnn_py._native.plans.signal_gate import INTERRUPT_INTERVAL_NS, SignalGate
from armnn_py._native.table.guarded_calls import take_raised
from armnn_py.interrupts import interruptible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from armnn_py._native.plans.plan import NativePlan, PlanShapes
    from armnn_py._native.table.option_structs import NativeRunOptions

_DONE = {"read": "read", "write": "written"}

#: Run options that were written in part, by a caller who was interrupted: equal to none.
_UNKNOWN: Any = object()


class NativeContext:
    """One caller's arena and pointers; runs one inference at a time.

    Parameters
    ----------
    plan
        The plan that it runs.
    execution_data
        Of each workload factory of the plan, or None.
    handles
        Addresses of the tensor handles of the plan.
    network
        Name of the network, for messages.

    Raises
    ------
    ExecutionError
        If there is no memory for the arena.

    Attributes
    ----------
    inputs, outputs
        Addresses that the next run works over.
    has_state
        Whether workloads keep something from run to run.
    run_options
        The options of the next run; `set_run_options` changes them.
    call
        The native function that `run` calls, and its argument.
    """

    __slots__ = (
        "__weakref__",
        "_error",
        "_gate",
        "_kept_options",
        "_memories",
        "_network",
        "_options",
        "_reported_callback",
        "_run",
        "_shapes",
        "call",
        "caught",
        "handle",
        "has_state",
        "inputs",
        "outputs",
        "run_options",
        "stops",
    )

    def __init__(
        self,
        plan: NativePlan,
        execution_data: Sequence[int | None],
        handles: Sequence[int],
        network: str,
    ) -> None:
        self.caught: list[BaseException] = []
        self.stops: list[Any] = []
        data = (ctypes.c_void_p * max(len(execution_data), 1))(*execution_data)
        self._error = ErrorBuffer()
        self._network = network
        self.handle = ctypes.POINTER(abi.armnn_context_t)()
        status = core().armnn_context_create(
            plan.handle,
            data,
            ctypes.cast(
                (ctypes.c_void_p * max(len(handles), 1))(*handles),
                ctypes.POINTER(ctypes.POINTER(abi.armnn_tensor_handle_t)),
            ),
            ctypes.byref(self.handle),
            ctypes.byref(self._error.struct),
        )
        if status != abi.ARMNN_STATUS_OK:
            cause = take_raised(self._error.text)  # of a backend in Python, or in a worker
            what = f"network '{network}': no execution context could be made"
            raise_status(status, what, self._error, cause)
        self.has_state = bool(core().armnn_context_has_state(self.handle))
        self.inputs = (ctypes.c_void_p * max(plan.input_count, 1))()
        self.outputs = (ctypes.c_void_p * max(plan.output_count, 1))()
        self._run = abi.armnn_run_t()
        run = self._run
        run.header.struct_size = ctypes.sizeof(run)
        run.header.struct_type = abi.ARMNN_STRUCT_RUN
        run.context = self.handle
        run.inputs = self.inputs
        run.outputs = self.outputs
        run.interrupt_interval_ns = INTERRUPT_INTERVAL_NS
        run.error = ctypes.pointer(self._error.struct)
        # An untyped twin of the function: one integer argument is the cheapest call ctypes has.
        function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(("armnn_context_run", core()))
        self.call = (function, ctypes.addressof(run))
        self._memories: Any = None
        self._shapes: PlanShapes | None = None
        self._reported_callback: Any = None
        self._options: tuple[int, bool, bool, bool] | None = None
        self.run_options: NativeRunOptions | None = None
        self._kept_options: NativeRunOptions | None = None
        self._gate: SignalGate | None = None

    def run(self, options: tuple[int, bool, bool, bool]) -> int:
        """Run once over the addresses in `inputs` and `outputs`; returns the status code.

        ``options`` are a deadline on the clock of `time.monotonic_ns`, 0 for none, and whether the
        run is interruptible, strict, and stays; the same tuple again costs least. An interruptible
        one asks Python between steps: for signals, which only the main thread gets, and for the
        tokens in ``stops``. An exception of a signal handler is then in ``caught``. For a strict
        one it is an error if a backend does not take memory that it should import. One that stays
        lets backends keep what they imported of inputs and outputs, until `unimport`.
        """
        if self.caught:
            self.caught.clear()  # left by a run whose caller was interrupted
        if options is not self._options:
            self._set_options(options)
        call, argument = self.call
        status: int = call(argument)
        return status

    @property
    def run_pointer(self) -> Any:
        """The native structure of the runs."""
        return ctypes.pointer(self._run)

    def _set_options(self, options: tuple[int, bool, bool, bool]) -> None:
        """Write the options of a run; they seldom change from run to run."""
        self._options = None  # until all of it is written
        deadline_ns, interruptible, strict, stays = options
        run = self._run
        run.deadline_ns = deadline_ns
        run.strict = strict
        run.stays = stays
        if interruptible:
            if self._gate is None:
                self._gate = SignalGate(type(run.interrupt), self.caught, self.stops)
            run.interrupt = self._gate.callback
        else:
            run.interrupt = type(run.interrupt)()
        self._options = options

    def set_run_options(self, options: NativeRunOptions | None) -> None:
        """Give the runs from now on these options; None: none."""
        self.run_options = _UNKNOWN  # until all of it is written
        self._kept_options = options
        self._run.options = None if options is None else options.pointer
        self.run_options = options

    def set_memories(self, memories: Any) -> None:
        """Where inputs and then outputs of the next runs lie; None: all at their addresses."""
        self._memories = memories
        run = self._run
        run.memories = memories if memories is not None else type(run.memories)()

    def set_shapes(self, shapes: PlanShapes) -> None:
        """Let the next runs have these shapes: of a plan with bounded steps.

        Raises
        ------
        ArmnnError
            A tensor does not fit its place.
        """
        status = core().armnn_context_set_shapes(
            self.handle, ctypes.byref(shapes.struct), ctypes.byref(self._error.struct)
        )
        if status != abi.ARMNN_STATUS_OK:
            raise_status(status, f"network '{self._network}': shapes were refused", self._error)
        self._shapes = shapes  # the context points into them

    def follow_reported(self, shapes_behind: Callable[[int, list[int]], PlanShapes]) -> None:
        """Call a function after each step that reports sizes.

        It gets the number of the step and the sizes of its outputs, `MAX_DIMENSIONS` for each, and
        returns the shapes for the steps behind it. Its exception ends the run, in ``caught``.
        """
        kept: list[PlanShapes] = []

        def reported(step: int, dims: Any) -> int:
            try:
                with interruptible():
                    shapes = shapes_behind(step, dims)
                kept[:] = [shapes]
                return ctypes.addressof(shapes.struct)
            except BaseException as error:  # none may leave a callback
                self.caught.append(error)
                return 0

        self._reported_callback = self._run.reported = type(self._run.reported)(reported)

    @property
    def error(self) -> ErrorBuffer:
        """The record of the last failed run."""
        return self._error

    @property
    def failed_step(self) -> int | None:
        """Index of the step to blame for the last status, or None."""
        step: int = self._run.failed_step
        return None if step == abi.ARMNN_PLAN_NONE else step

    @property
    def failed_listener(self) -> int | None:
        """Index of the listener that did not let the run begin, or None."""
        listener: int = self._run.failed_listener
        return None if listener == abi.ARMNN_PLAN_NONE else listener

    @property
    def failed_side(self) -> int:
        """Of a step that moves a tensor: an ``ARMNN_RUN_SIDE_`` value."""
        return int(self._run.failed_side)

    @property
    def copies(self) -> tuple[int, int]:
        """How often the host copied a tensor in the last run, and how many bytes in all."""
        return self._run.copies, self._run.copied_bytes

    @property
    def run_id(self) -> int:
        """The number that trace events of the last run have; 0 if nothing of it was begun."""
        return int(self._run.run_id)

    def unimport(self) -> str:
        """Have backends give back memory of inputs and outputs; return the reason if one fails."""
        if not self.handle:
            return ""
        error = ErrorBuffer()
        status = core().armnn_context_unimport(self.handle, ctypes.byref(error.struct))
        return "" if status == abi.ARMNN_STATUS_OK else error.text or f"status {status}"

    def reset(self) -> None:
        """Have all workloads forget what earlier runs left.

        Raises
        ------
        ExecutionError
            A backend fails to.
        """
        if not self.handle:
            return
        status = core().armnn_context_reset(self.handle, ctypes.byref(self._error.struct))
        if status != abi.ARMNN_STATUS_OK:
            raise_status(status, f"network '{self._network}': no state could be reset", self._error)

    @property
    def is_state_lost(self) -> bool:
        """Whether the state of workloads is unknown: a run failed after it had changed, or a reset.

        Runs are refused until a reset succeeds.
        """
        return bool(core().armnn_context_is_state_lost(self.handle))

    @property
    def was_refused(self) -> bool:
        """Whether the last run was refused before anything of it was begun."""
        return not self._run.run_id

    @property
    def is_running(self) -> bool:
        """Whether a run is in flight."""
        return bool(core().armnn_context_is_running(self.handle))

    def read_variable(self, index: int, array: np.ndarray) -> None:
        """Copy a variable into a dense array; not during a run.

        Raises
        ------
        ArmnnError
            A backend fails to.
        """
        self._move_variable("read", index, array)

    def write_variable(self, index: int, array: np.ndarray) -> None:
        """Copy a dense array into a variable; as `read_variable`."""
        self._move_variable("write", index, array)

    def _move_variable(self, verb: str, index: int, array: np.ndarray) -> None:
        call = getattr(core(), f"armnn_context_{verb}_variable")
        error = ctypes.byref(self._error.struct)
        status = call(self.handle, index, address_of(array), array.nbytes, error)
        if status != abi.ARMNN_STATUS_OK:
            raise_status(
                status,
                f"network '{self._network}': a variable could not be {_DONE[verb]}",
                self._error,
            )

    def cancel(self) -> None:
        """Stop the run in flight before its next step; from any thread."""
        if self.handle:
            core().armnn_context_cancel(self.handle)

    @property
    def is_inside_handler(self) -> bool:
        """Whether a signal handler runs in the middle of this context's run right now."""
        return self._gate is not None and self._gate.is_inside_handler

    def destroy(self) -> None:
        """Free the arena; no run may be in flight."""
        self._run.context = None  # a signal handler may close in the middle of a call
        if self.handle:
            core().armnn_context_destroy(self.handle)
            self.handle = ctypes.POINTER(abi.armnn_context_t)()
        if self._gate is not None:
            self._gate.close()
            self._gate = None
        if self._reported_callback is not None:
            self._reported_callback = None
            self._run.reported = type(self._run.reported)()

    def abandon(self) -> None:
        """Forget the native context without freeing it: after a fork another thread was in it."""
        self.handle = ctypes.POINTER(abi.armnn_context_t)()
