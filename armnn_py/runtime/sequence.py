# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The one state of a loaded network with variables, whichever context runs next."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Protocol

from armnn_py.errors import (
    ExecutionCancelledError,
    ExecutionTimeoutError,
    InvalidArgumentError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from armnn_py.runtime.cancel import CancelToken
    from armnn_py.runtime.execution_context import ExecutionContext

__all__ = ["RunSequence"]

#: Seconds between two looks whether the turn has come.
_LOOK_AGAIN = 0.2
#: Seconds; a longer timeout waits as long as it takes.
_LONGEST_WAIT = 1e9


class Turn(Protocol):
    """A `Lease`: the right to run, while ``thread`` is not 0."""

    thread: int
    is_kept: bool
    context: ExecutionContext | None


class Turns(Protocol):
    """A `ContextPool`, as `RunSequence` uses it."""

    def check_open(self) -> None:
        """Raise if the pool is closed."""

    def at_work(self) -> Sequence[Turn]:
        """The leases of running calls."""


class RunSequence:
    """The variables between the runs of a loaded network, which follow one another.

    The context of the last run has them. Another one, for other input shapes or because the first
    is lent, gets them before it runs. Its methods are called by who has the turn to run.

    Parameters
    ----------
    name
        Name of the network, for messages.
    variables
        Names of the variables.

    Attributes
    ----------
    context
        The context that has the values; None: there is none, and `_values` has those that are not
        the initial ones.
    """

    __slots__ = ("_name", "_values", "_variables", "context")

    def __init__(self, name: str, variables: tuple[str, ...]) -> None:
        self._name = name
        self._variables = variables
        self._values: dict[str, np.ndarray[Any, Any]] = {}
        self.context: ExecutionContext | None = None

    def await_turn(
        self,
        pool: Turns,
        condition: threading.Condition,
        timeout: float | None,
        cancel: CancelToken | None,
    ) -> None:
        """Wait until no run of the sequence is in flight.

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
            before = [lease for lease in pool.at_work() if not lease.is_kept]
            for lease in before:
                if lease.thread == threading.get_ident():
                    self._end_own(lease)
            if not any(lease.thread for lease in before):
                return
            why = ["it waited for a run before: the network has variables"]
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
                f"network '{self._name}' is running in this thread, and has variables: its runs "
                "follow one another",
                hints=["bind() gives arrays with variables of their own"],
            )
        lease.thread = 0
        lease.context = None  # the pool takes it back when it needs one, or frees it

    def enter(self, context: ExecutionContext) -> None:
        """Give a context the values, before it runs."""
        if self.context is context:
            return
        if self.context is not None:
            for name in self._variables:
                context.write_variable(name, self.context.read_variable(name))
        else:
            context.reset_state()
            for name, array in self._values.items():
                context.write_variable(name, array)
        self.context = context
        self._values = {}

    def leave(self) -> None:
        """Take the values out of their context, which is about to get another owner."""
        context = self.context
        if context is not None:
            self._values = {name: context.read_variable(name) for name in self._variables}
            self.context = None

    def reset(self) -> None:
        """Back to the initial values."""
        self.context = None
        self._values = {}

    def read(self, name: str) -> np.ndarray[Any, Any]:
        """A copy of the value of a variable."""
        if self.context is not None:
            return self.context.read_variable(name)
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
                self.context.write_variable(name, array)
            else:
                self._values[name] = array
