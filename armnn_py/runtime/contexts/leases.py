# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Leases of execution contexts, and the end that waits for them.

A lease records each borrowed context. Closing waits until there is no lease; a fork or an interrupt
at any moment leaves no lease that cannot end.
"""

from __future__ import annotations

import logging
import threading
import weakref
from typing import TYPE_CHECKING

from armnn_py.errors import InvalidArgumentError
from armnn_py.interrupts import interruptible
from armnn_py.runtime.ending import closed_error

if TYPE_CHECKING:
    from armnn_py.runtime.contexts.plan_cache import Lease

__all__ = ["LeaseBook"]

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
