# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Leases of execution contexts, the order of runs with one state, and the end that waits.

A lease records each borrowed context. Closing waits until there is no lease; a fork or an interrupt
at any moment leaves no lease that cannot end.
"""

from __future__ import annotations

import logging
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from armnn_py.errors import (
    ExecutionCancelledError,
    ExecutionTimeoutError,
    InvalidArgumentError,
)
from armnn_py.interrupts import interruptible
from armnn_py.runtime.contexts.plan_keys import read_key
from armnn_py.runtime.contexts.run_errors import lost_state
from armnn_py.runtime.ending import closed_error
from armnn_py.tensors import format_shape
from armnn_py.text import first_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from armnn_py.runtime.cancel import CancelToken
    from armnn_py.runtime.contexts.execution_context import ExecutionContext
    from armnn_py.runtime.contexts.plan_cache import Lease
    from armnn_py.runtime.contexts.plan_keys import PlanKey

_logger = logging.getLogger("armnn_py.runtime")
_get_ident = threading.get_ident

#: Seconds between two checks of the leases while closing waits.
_LOOK_AGAIN = 0.2


class LeaseBook:
    """The leases of one loaded network: whether it is open, and who is at work.

    Parameters
    ----------
    name
        Name of the network, for messages.

    Attributes
    ----------
    closed
        New leases are refused.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.closed = False
        self._leases: weakref.WeakSet[Lease] = weakref.WeakSet()
        self._make_locks()

    def _make_locks(self) -> None:
        # Re-entrant: a signal handler may run a network in the middle of a run.
        self._condition = threading.Condition()

    def check_open(self) -> None:
        """Raise `InvalidArgumentError` if the network is closed."""
        if self.closed:
            raise closed_error(
                f"network '{self.name}' is closed", "load it again, with load() or load_network()"
            )

    def at_work(self) -> list[Lease]:
        """The leases of running calls."""
        return [lease for lease in list(self._leases) if lease.thread]

    def shut(self, *, patience: float | None) -> bool:
        """Refuse new leases and wait for the existing ones to end.

        With ``patience`` running calls are stopped and waited for that many seconds. Returns
        whether the pool is to be freed: False if it was closed already, or if calls are still
        running.

        Raises
        ------
        InvalidArgumentError
            If a signal handler closes in the middle of a run of its own thread.
        """
        with self._condition:
            if self.closed:
                return False
            self._drop_own_leases()
            self.closed = True
            if patience is not None:
                for lease in self.at_work():
                    if lease.context is not None:
                        lease.context.cancel()
            # Checks again and again: a lease can also end without being given back.
            waited = 0.0
            try:
                with interruptible():
                    while self.at_work() and (patience is None or waited < patience):
                        self._condition.wait(_LOOK_AGAIN)
                        waited += _LOOK_AGAIN
            except BaseException:
                self.closed = False  # it can be closed again
                raise
            if self.at_work():
                _logger.warning("network '%s' was left running at exit", self.name)
                return False
            return True

    def reopen(self) -> None:
        """Undo `shut`, after a veto of a backend."""
        self.closed = False

    def forget_leases(self) -> None:
        """Forget all leases: no call can be running any more."""
        self._leases.clear()

    def _drop_own_leases(self) -> None:
        """Drop the calling thread's leases: it is in no run, so interrupts left them."""
        for lease in self.at_work():
            if lease.thread != _get_ident():
                continue
            if lease.context is not None and lease.context.is_inside_handler:
                raise InvalidArgumentError(
                    f"network '{self.name}' is running in this thread and cannot be closed",
                    hints=["cancel the run with a CancelToken, and close the network after it"],
                )
            lease.thread = 0
            if not lease.is_kept:
                lease.context = None  # `PlanEntry.find_lost` frees it

    def after_fork(self) -> None:
        """Forget leases of other threads: in the child of a fork only this thread exists."""
        self._make_locks()
        for lease in self.at_work():
            if lease.thread != _get_ident():
                self._abandon(lease)
                self._leases.discard(lease)

    def _abandon(self, lease: Lease) -> None:
        """Give up the context of a lease whose thread is gone, in the child of a fork."""
        entry, context = lease.entry, lease.context
        if entry is not None and context is not None:
            context.abandon()
            entry.forget(lease)


#: Seconds; a longer timeout waits as long as it takes.
_LONGEST_WAIT = 1e9


class Turn(Protocol):
    """A `Lease`: the right to run, while ``thread`` is not 0."""

    thread: int
    has_turn: bool
    context: ExecutionContext | None


class Turns(Protocol):
    """A `ContextPool`, as `RunSequence` uses it."""

    def check_open(self) -> None:
        """Raise if the pool is closed."""

    def at_work(self) -> Sequence[Turn]:
        """The leases of running calls."""


class RunSequence:
    """The state between the runs of a loaded network, which follow one another.

    The state is variables and what workloads keep. The context of the last run has it. A context
    for other input shapes gets the variables before it runs. Only workloads can read what they
    keep: such a state stays with its context until it is reset. A run calls methods in its turn.

    Parameters
    ----------
    name
        Name of the network, for messages.
    variables
        Names of the variables.

    Attributes
    ----------
    context
        The context with the state. If it is None, `_values` has the variables that were changed.
    """

    __slots__ = ("_loss", "_name", "_values", "_variables", "context")

    def __init__(self, name: str, variables: tuple[str, ...]) -> None:
        self._name = name
        self._variables = variables
        self._values: dict[str, np.ndarray[Any, Any]] = {}
        #: Why the state of workloads is unknown, if the context does not know.
        self._loss = ""
        self.context: ExecutionContext | None = None

    def runs_before(self, pool: Turns) -> bool:
        """Whether a run of the sequence is in flight; the pool's lock is held.

        Raises
        ------
        InvalidArgumentError
            It is a run of the calling thread.
        """
        before = [lease for lease in pool.at_work() if lease.has_turn]
        for lease in before:
            if lease.thread == threading.get_ident():
                self._end_own(lease)
        return any(lease.thread for lease in before)

    def await_turn(
        self,
        turn: Turn,
        pool: Turns,
        condition: threading.Condition,
        timeout: float | None,
        cancel: CancelToken | None,
    ) -> None:
        """Wait until no run of the sequence is in flight; then it is the turn of ``turn``.

        ``condition`` is the pool's; its lock is held, and it is notified when a run ends.

        Raises
        ------
        InvalidArgumentError
            The pool is closed meanwhile, or the calling thread would wait for itself.
        ExecutionTimeoutError, ExecutionCancelledError
            It took too long, or was cancelled.
        """
        end = None if timeout is None else time.monotonic() + min(timeout, _LONGEST_WAIT)
        while True:
            if not self.runs_before(pool):
                turn.thread = threading.get_ident()
                turn.has_turn = True
                return
            why = [f"it waited for a run before: {self._why}"]
            if cancel is not None and cancel.cancelled:
                raise ExecutionCancelledError(
                    f"network '{self._name}': cancelled before it started", details=why
                )
            left = _LOOK_AGAIN if end is None else end - time.monotonic()
            if left <= 0:
                raise ExecutionTimeoutError(
                    f"network '{self._name}': not done after {timeout:g} s", details=why
                )
            # Checks again and again: a lease can also end without being given back.
            condition.wait(min(_LOOK_AGAIN, left))
            pool.check_open()

    def _end_own(self, lease: Turn) -> None:
        """End a lease of this thread that an interrupt left; raise if its run is in flight."""
        if lease.context is not None and lease.context.is_running:
            raise InvalidArgumentError(
                f"network '{self._name}' is running in this thread",
                details=[f"its runs follow one another: {self._why}"],
                hints=["bind() gives arrays with a state of their own"],
            )
        lease.thread = 0
        lease.has_turn = False
        lease.context = None  # the pool takes it back when it needs one, or frees it

    @property
    def _why(self) -> str:
        return "the network has variables" if self._variables else "its layers have state"

    def enter(self, context: ExecutionContext) -> None:
        """Give a context the state, before it runs.

        Raises
        ------
        ExecutionError
            The state is unknown, or a backend fails to reset its own.
        """
        if self.context is context:
            return
        if self._loss and context.state.is_in_workloads:
            raise lost_state(self._name, self._loss, context.plan.state_layers)
        context.state.begin_sequence()
        if self.context is not None:
            for name in self._variables:
                context.state.write(name, self.context.state.read(name))
        for name, array in self._values.items():
            context.state.write(name, array)
        self.context = context
        self._values = {}

    def refuse_shapes(self, key: PlanKey) -> NoReturn:
        """Raise the error of a run whose shapes are not those of what workloads keep."""
        assert self.context is not None
        plan = self.context.plan
        shapes, values = read_key(key, plan.network.inputs)
        raise InvalidArgumentError(
            f"network '{self._name}': its layers have state from runs of other shapes",
            details=first_of(
                f"input '{name}': {format_shape(info.static_shape)} before, "
                f"{format_shape(shapes[name])} given"
                for name, info in plan.network.inputs.items()
                if info.static_shape != shapes[name]
            )
            + first_of(f"input '{name}': its values decide shapes" for name in values)
            + first_of(f"state: {layer}" for layer in plan.state_layers),
            hints=[
                "reset_state() begins a new sequence, of any shapes",
                "bind() gives arrays of each shape a state of their own",
                "load(bounds=...) has one state for all shapes, if the backends take that",
            ],
        )

    def reset(self) -> None:
        """Back to the first state.

        Raises
        ------
        ExecutionError
            A backend fails to reset its own; runs are refused then.
        """
        if self.context is not None:
            self.context.state.reset()
            self.context.state.is_fresh = True
        self.forget()

    def forget(self) -> None:
        """Have no state: that of the next context is the first one."""
        self.context = None
        self._values = {}
        self._loss = ""

    def lose(self, why: str) -> None:
        """Forget the context, whose memory must not be touched any more."""
        context = self.context
        self.forget()
        if context is not None and context.state.is_in_workloads:
            self._loss = why

    def read(self, name: str) -> np.ndarray[Any, Any]:
        """A copy of the value of a variable."""
        if self.context is not None:
            return self.context.state.read(name)
        if name not in self._values:
            raise InvalidArgumentError(
                f"network '{self._name}': the first value of variable '{name}' is not known before "
                "a run, because the network has free dimensions",
                hints=["run it, or set state[...] yourself"],
            )
        return self._values[name].copy()

    def write(self, values: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Set variables."""
        for name, array in values.items():
            if self.context is not None:
                self.context.state.write(name, array)
            else:
                self._values[name] = array
