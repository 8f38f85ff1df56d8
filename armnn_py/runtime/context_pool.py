# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Plans by input shape, idle execution contexts, and who is at work.

What is borrowed is remembered as a lease. Closing waits until there is no lease; forking and
interrupts at the worst moment leave no lease behind that nobody could end.
"""

from __future__ import annotations

import logging
import threading
import weakref
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from armnn_py.errors import InvalidArgumentError
from armnn_py.runtime.execution_context import ExecutionContext
from armnn_py.runtime.profiling import flush_profiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from armnn_py.runtime.network_plan import NetworkPlan

__all__ = ["ContextPool", "Lease", "Shapes"]

_logger = logging.getLogger("armnn_py.runtime")

Shapes = tuple[tuple[int, ...], ...]

#: Idle contexts kept for the next callers; a burst of threads must not hold its memory for ever.
_IDLE_CONTEXTS = 8
#: Seconds between two looks at the leases while closing waits.
_LOOK_AGAIN = 0.2


class _PlanEntry:
    """A plan and the contexts that wait for work."""

    __slots__ = ("contexts", "kept", "plan")

    def __init__(self, plan: NetworkPlan) -> None:
        self.plan = plan
        self.contexts: list[ExecutionContext] = []
        #: Contexts that stay with an object, until it is gone or gives them back.
        self.kept: list[tuple[weakref.ref[Any], ExecutionContext]] = []

    @property
    def is_kept(self) -> bool:
        return any(owner() is not None for owner, _ in self.kept)

    def reclaim(self) -> list[ExecutionContext]:
        """Take contexts back whose owners are gone; returns those that are too many."""
        if not self.kept:
            return []
        gone = [context for owner, context in self.kept if owner() is None]
        self.kept = [pair for pair in self.kept if pair[1] not in gone]
        room = max(0, _IDLE_CONTEXTS - len(self.contexts))
        self.contexts += gone[:room]
        return gone[room:]

    def destroy(self) -> None:
        for context in [*self.contexts, *(context for _, context in self.kept)]:
            context.destroy()
        self.contexts.clear()
        self.kept.clear()
        self.plan.destroy()


class Lease:
    """One call of ``run`` from start to end.

    The pool holds it weakly and the frame of the call strongly. An exception that a signal handler
    raises at the worst moment can prevent that it is given back, but not that it ends.
    """

    __slots__ = ("__weakref__", "context", "entry", "is_kept", "thread")

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.entry: _PlanEntry | None = None
        self.context: ExecutionContext | None = None
        self.is_kept = False  # the context belongs to an object that outlives the call


class ContextPool:
    """The plans of one loaded network and their execution contexts; safe from several threads.

    Parameters
    ----------
    name
        Of the network, for messages.
    make_plan
        Makes the plan for a set of input shapes; may take long and may raise.
    capacity
        How many plans are kept, most recently used first.
    """

    def __init__(
        self, name: str, make_plan: Callable[[Shapes], NetworkPlan], capacity: int
    ) -> None:
        self.name = name
        self.closed = False
        self._make_plan = make_plan
        self._capacity = capacity
        self._entries: OrderedDict[Shapes, _PlanEntry] = OrderedDict()
        self._leases: weakref.WeakSet[Lease] = weakref.WeakSet()
        self._make_locks()

    def _make_locks(self) -> None:
        # Both are re-entrant: a signal handler may run a network in the middle of a run.
        self._condition = threading.Condition()
        self._build_lock = threading.RLock()

    # ---- Borrowing -----------------------------------------------------------------------------

    def check_open(self) -> None:
        """Raise `InvalidArgumentError` if the pool is closed."""
        if self.closed:
            raise InvalidArgumentError(
                f"network '{self.name}' is closed", hints=["load it again with load_network()"]
            )

    def start(self, lease: Lease) -> None:
        """Register a lease: from now on closing waits for it."""
        with self._condition:
            self.check_open()
            self._leases.add(lease)

    def plan(self, key: Shapes) -> NetworkPlan:
        """The plan for these input shapes, made if there is none yet; call it with a lease."""
        return self._entry(key).plan

    def _entry(self, key: Shapes) -> _PlanEntry:
        entry = self._entries.get(key)
        if entry is not None:
            return entry
        with self._build_lock:
            entry = self._entries.get(key)
            if entry is None:
                entry = _PlanEntry(self._make_plan(key))
                flush_profiles()  # before a plan goes whose events were not counted yet
                with self._condition:
                    self._entries[key] = entry
                    victims = self._evict(keep=key)
                for victim in victims:
                    victim.destroy()
            return entry

    def _evict(self, keep: Shapes) -> list[_PlanEntry]:
        """Take out the plans that were not used for the longest time; the lock is held."""
        busy = {id(lease.entry) for lease in self._leases}
        idle = [
            k for k, e in self._entries.items() if id(e) not in busy and not e.is_kept and k != keep
        ]
        surplus = max(0, len(self._entries) - self._capacity)
        return [self._entries.pop(key) for key in idle[:surplus]]

    def borrow(self, lease: Lease, key: Shapes) -> ExecutionContext:
        """A context for these input shapes, idle until now or fresh."""
        while True:
            entry = self._entry(key)
            with self._condition:
                if self._entries.get(key) is not entry:
                    continue  # evicted between the two lines above
                self._entries.move_to_end(key)
                lease.entry = entry
                surplus = entry.reclaim()
                if entry.contexts:
                    # Two steps instead of pop(): an interrupt between them loses nothing.
                    lease.context = entry.contexts[-1]
                    del entry.contexts[-1]
            for context in surplus:
                context.destroy()
            if lease.context is None:
                lease.context = ExecutionContext(entry.plan)
            return lease.context

    def keep(self, lease: Lease, owner: object) -> None:
        """The context of a lease stays with ``owner`` as long as that lives, or `release`."""
        with self._condition:
            assert lease.entry is not None
            assert lease.context is not None
            lease.is_kept = True
            lease.entry.kept.append((weakref.ref(owner), lease.context))

    def resume(self, lease: Lease, context: ExecutionContext) -> None:
        """Register a lease for one run of a context that is kept."""
        lease.context = context
        lease.is_kept = True
        self.start(lease)

    def release(self, context: ExecutionContext) -> None:
        """Take a context back that was kept; harmless when repeated or closed meanwhile."""
        with self._condition:
            for entry in self._entries.values():
                for pair in entry.kept:
                    if pair[1] is context:
                        entry.kept.remove(pair)
                        entry.contexts.append(context)
                        return

    def give_back(self, lease: Lease) -> None:
        """End a lease, also one that never got a context."""
        entry, context = lease.entry, None if lease.is_kept else lease.context
        if entry is not None and context is not None and len(entry.contexts) >= _IDLE_CONTEXTS:
            context.destroy()  # while the lease still keeps its plan alive
            context = None
        with self._condition:
            if entry is not None and context is not None:
                entry.contexts.append(context)
            lease.entry = lease.context = None
            self._leases.discard(lease)
            if self.closed:
                self._condition.notify_all()

    # ---- Looking -------------------------------------------------------------------------------

    @property
    def latest(self) -> NetworkPlan | None:
        """The plan that was used last, or None if there is none yet."""
        with self._condition:
            return next(reversed(self._entries.values())).plan if self._entries else None

    @property
    def plans(self) -> list[NetworkPlan]:
        """All plans, that of the last use at the end."""
        with self._condition:
            return [entry.plan for entry in self._entries.values()]

    # ---- Closing -------------------------------------------------------------------------------

    def shut(self, *, patience: float | None) -> bool:
        """Take no new lease and wait for those there are.

        With ``patience`` running calls are stopped and waited for that many seconds. Returns
        whether there is something left to free: False if it was closed already, or if calls are
        still running.

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
            return not self._leases

    def reopen(self) -> None:
        """Undo `shut`: a backend objected."""
        self.closed = False

    def free(self) -> None:
        """Destroy contexts and plans, after `shut`."""
        flush_profiles()  # outside of the lock: it asks this pool for its plans
        with self._condition:
            entries = list(self._entries.values())
            self._entries.clear()
        for entry in entries:
            entry.destroy()

    def forget_leases(self) -> None:
        """Nobody can be running any more: what is left of leases is of no account."""
        self._leases.clear()

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
            if context is not None and not lease.is_kept:
                context.destroy()
                lease.context = None

    def after_fork(self) -> None:
        """In the child only this thread exists: what the others held is theirs for ever."""
        self._make_locks()
        for lease in list(self._leases):
            if lease.thread != threading.get_ident():
                if lease.context is not None:
                    lease.context.abandon()
                    self._forget(lease.context)
                self._leases.discard(lease)

    def _forget(self, context: ExecutionContext) -> None:
        for entry in self._entries.values():
            entry.kept = [pair for pair in entry.kept if pair[1] is not context]
