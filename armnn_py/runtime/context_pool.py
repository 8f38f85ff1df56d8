# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Plans by input shape, idle execution contexts, and leases of those at work.

A lease records each borrowed context. Closing waits until there is no lease; a fork or an interrupt
at any moment leaves no lease that cannot end.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import weakref
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, TypeAlias

from armnn_py._native.interrupts import deferred_interrupts, interruptible
from armnn_py.errors import InvalidArgumentError
from armnn_py.runtime.open_profiles import flush_profiles
from armnn_py.runtime.plan_keys import PlanKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import numpy as np

    from armnn_py.runtime.cancel import CancelToken
    from armnn_py.runtime.execution_context import ExecutionContext
    from armnn_py.runtime.network_plan import NetworkPlan
    from armnn_py.runtime.sequence import RunSequence

__all__ = ["ContextPool", "Lease", "Shapes"]

_logger = logging.getLogger("armnn_py.runtime")
_get_ident = threading.get_ident

Shapes: TypeAlias = PlanKey

#: Idle contexts kept for the next callers; a burst of threads must not hold its memory for ever.
_IDLE_CONTEXTS = 8
#: Seconds between two checks of the leases while closing waits.
_LOOK_AGAIN = 0.2


class _PlanEntry:
    """A plan and the contexts that were made for it."""

    __slots__ = ("idle", "kept", "made", "plan")

    def __init__(self, plan: NetworkPlan) -> None:
        self.plan = plan
        #: Leases that wait for work. Taking one out and putting it back are atomic, so that most
        #: calls take no lock.
        self.idle: list[Lease] = []
        #: Leases that stay with an object, until it is gone or gives them back.
        self.kept: list[tuple[weakref.ref[Any], Lease]] = []
        #: All contexts, so that one that an interrupt left without a lease is freed, too.
        self.made: list[ExecutionContext] = []

    @property
    def is_kept(self) -> bool:
        return any(owner() is not None for owner, _ in self.kept)

    def reclaim(self) -> list[ExecutionContext]:
        """Take back contexts whose owners are gone; return those beyond the idle limit."""
        surplus = []
        for pair in list(self.kept):
            owner, lease = pair
            if owner() is None and _take_out(self.kept, pair):
                lease.is_kept = False
                lease.thread = 0
                if lease.context is not None:
                    lease.context.release_addresses()
                    lease.context.reset_state()
                    lease.is_reset = True
                if len(self.idle) < _IDLE_CONTEXTS:
                    self.idle.insert(0, lease)  # behind that of the last run, which may have state
                elif lease.context is not None:
                    surplus.append(lease.context)
        return [context for context in surplus if _take_out(self.made, context)]

    def find_lost(self, leases: Iterable[Lease]) -> list[ExecutionContext]:
        """Contexts without a lease, left by calls that an interrupt ended."""
        held = {id(lease.context) for lease in leases}
        lost = [context for context in self.made if id(context) not in held]
        return [context for context in lost if _take_out(self.made, context)]

    def destroy(self) -> None:
        with deferred_interrupts():  # it could not be continued after an interrupt
            for context in self.made:
                context.destroy()
            self.made.clear()
            self.idle.clear()
            self.kept.clear()
            self.plan.destroy()


def _take_out(items: list[Any], item: object) -> bool:
    """Remove an item; return whether it was there: True for one caller only."""
    try:
        items.remove(item)
    except ValueError:  # a signal handler removed it meanwhile
        return False
    return True


def _late_context(plan: NetworkPlan) -> ExecutionContext:
    from armnn_py.runtime.late_context import LateContext

    return LateContext(plan)


class Lease:
    """The right to use a context: one call of ``run`` from start to end.

    Between two calls the pool holds it, with its context. During a call the pool holds it weakly
    and the call's frame strongly: an exception of a signal handler may keep it from being given
    back, but not from ending.

    Attributes
    ----------
    thread
        The thread of the running call; 0: none. It is set before the pool's ``closed`` is read, and
        `ContextPool.shut` sets ``closed`` before it reads this: one of the two sees the other.
    is_kept
        The context belongs to an object that outlives the call.
    is_reset
        The context of an idle lease was reset since its last run. Only networks with variables look
        at it: each of their runs has a lease of its own.
    """

    __slots__ = ("__weakref__", "context", "entry", "is_kept", "is_reset", "thread")

    def __init__(self) -> None:
        self.thread = _get_ident()
        self.entry: _PlanEntry | None = None
        self.context: ExecutionContext | None = None
        self.is_kept = False
        self.is_reset = False


class ContextPool:
    """The plans of one loaded network and their execution contexts; safe from several threads.

    Parameters
    ----------
    name
        Name of the network, for messages.
    make_plan
        Makes the plan for a set of input shapes; may take long and may raise.
    capacity
        How many plans are kept, most recently used first.
    sequence
        Of a network with variables: runs wait for one another and share one state. Not so those of
        contexts that are kept.
    """

    def __init__(
        self,
        name: str,
        make_plan: Callable[[Shapes], NetworkPlan],
        capacity: int,
        sequence: RunSequence | None = None,
    ) -> None:
        self.sequence = sequence
        self.name = name
        self.closed = False
        self._make_plan = make_plan
        self._capacity = capacity
        self._entries: OrderedDict[Shapes, _PlanEntry] = OrderedDict()
        self._only: _PlanEntry | None = None  # while there are no free dimensions
        self.fixed: Shapes | None = None  # the only shapes, if there are no free dimensions
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
                f"network '{self.name}' is closed",
                hints=["load it again, with load() or load_network()"],
            )

    def take(self) -> Lease | None:
        """A lease with an idle context, for a network without free dimensions.

        None if there is none ready: then call `start` and `borrow`. Nearly every run takes this
        way; there is no lock in it.
        """
        entry = self._only
        if entry is None or entry.kept:
            return None
        try:
            lease = entry.idle.pop()
        except IndexError:
            return None
        lease.thread = _get_ident()
        if self.closed:
            self.give_back(lease)
            return None
        return lease

    def start(
        self,
        *,
        timeout: float | None = None,
        cancel: CancelToken | None = None,
        waits: bool = True,
    ) -> Lease:
        """Return a lease without a context: from now on closing waits for it.

        With a sequence it waits for the runs before, if ``waits``, at most ``timeout`` seconds and
        until ``cancel``.

        Raises
        ------
        InvalidArgumentError
            The pool is closed, or the calling thread would wait for itself.
        ExecutionTimeoutError, ExecutionCancelledError
            It was stopped while it waited.
        """
        lease = Lease()
        with self._condition:
            self.check_open()
            if self.sequence is not None and waits:
                self.sequence.await_turn(self, self._condition, timeout, cancel)
            self._leases.add(lease)
        return lease

    def fix(self, key: Shapes) -> None:
        """Make the plan of a network whose inputs always have these shapes."""
        entry = self._entry(key)
        self.fixed = key
        if self.sequence is None:  # else a run has to wait for its turn
            self._only = entry

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
                flush_profiles()  # before a plan with uncounted events is destroyed
                with self._condition:
                    self._entries[key] = entry
                    victims = self._evict(keep=key)
                for victim in victims:
                    victim.destroy()
            return entry

    def _evict(self, keep: Shapes) -> list[_PlanEntry]:
        """Take out the plans that were not used for the longest time; the lock is held."""
        busy = {id(lease.entry) for lease in self._leases if lease.thread}
        idle = [
            k
            for k, e in self._entries.items()
            if id(e) not in busy and not e.is_kept and k != keep and not self._has_state(e)
        ]
        surplus = max(0, len(self._entries) - self._capacity)
        return [self._entries.pop(key) for key in idle[:surplus]]

    def _has_state(self, entry: _PlanEntry) -> bool:
        """Whether a context of this plan has the variables of the sequence."""
        return self.sequence is not None and self.sequence.context in entry.made

    def borrow(self, lease: Lease, key: Shapes, *, new_sequence: bool = False) -> ExecutionContext:
        """Give a lease of `start` a context for these input shapes, idle until now or fresh.

        With ``new_sequence`` never one that has state, which is that of the runs before.
        """
        from armnn_py.runtime.execution_context import ExecutionContext

        while True:
            entry = self._entry(key)
            with self._condition:
                if self._entries.get(key) is not entry:
                    continue  # evicted between the two lines above
                if self.sequence is not None and not lease.thread:
                    # A signal handler ran the network since `start`, and took the turn.
                    self.sequence.await_turn(self, self._condition, None, None)
                    lease.thread = _get_ident()
                self._entries.move_to_end(key)
                lease.entry = entry
                surplus = entry.reclaim()
                try:
                    idle = self._find_idle(entry, new_sequence) or entry.idle.pop()
                except IndexError:
                    surplus += entry.find_lost(list(self._leases))
                    self._keep_state(entry, surplus, None if new_sequence else lease)
                else:
                    has_state = idle.context is not None and idle.context.has_state
                    if new_sequence and has_state and not idle.is_reset:
                        entry.idle.append(idle)
                    else:
                        lease.context = idle.context
                        idle.context = None
            for context in surplus:
                context.destroy()
            if lease.context is None:
                lease.context = (
                    ExecutionContext(entry.plan)
                    if entry.plan.late is None
                    else _late_context(entry.plan)
                )
                entry.made.append(lease.context)
            if self.sequence is not None and not new_sequence:
                self.sequence.enter(lease.context)
            return lease.context

    def _find_idle(self, entry: _PlanEntry, new_sequence: bool) -> Lease | None:
        """Of a sequence: the idle lease of the right context; None: any other will do.

        That is the context that has the variables, or, for a new sequence, one that was reset.
        """
        if self.sequence is None:
            return None
        for lease in list(entry.idle):
            has_variables = lease.context is self.sequence.context
            fits = lease.is_reset if new_sequence else has_variables
            if fits and _take_out(entry.idle, lease):
                return lease
        return None

    def _keep_state(
        self, entry: _PlanEntry, lost: list[ExecutionContext], lease: Lease | None
    ) -> None:
        """Take the context that has the variables out of those that an interrupt left."""
        context = None if self.sequence is None else self.sequence.context
        if context is not None and _take_out(lost, context):
            entry.made.append(context)
            if lease is not None:
                lease.context = context

    def keep(self, lease: Lease, owner: object) -> None:
        """Keep the context of a lease for ``owner``, until that is gone or `release` is called."""
        if self.sequence is not None and self.sequence.context is lease.context:
            self.sequence.leave()
        with self._condition:
            assert lease.entry is not None
            lease.is_kept = True
            lease.entry.kept.append((weakref.ref(owner), lease))

    def resume(self, lease: Lease) -> None:
        """Begin one run over a context that is kept; `give_back` ends it."""
        lease.thread = _get_ident()
        if self.closed:
            self.give_back(lease)
            self.check_open()

    def release(self, lease: Lease) -> None:
        """Take a context back that was kept; harmless when repeated or closed meanwhile."""
        with self._condition:
            entry = lease.entry
            if entry is None:
                return
            for pair in list(entry.kept):
                if pair[1] is lease and _take_out(entry.kept, pair):
                    if lease.context is not None:
                        lease.context.release_addresses()
                        lease.context.reset_state()
                        lease.is_reset = True
                    lease.is_kept = False
                    entry.idle.insert(0, lease)  # behind that of the last run

    def reset_state(self) -> None:
        """Reset the state of all contexts but those that are kept.

        Raises
        ------
        InvalidArgumentError
            One of them runs, or the pool is closed.
        ExecutionError
            A backend fails to.
        """
        with self._condition:
            self.check_open()
            if any(not lease.is_kept for lease in self.at_work()):
                raise InvalidArgumentError(
                    f"network '{self.name}': cannot reset the state of a run in flight",
                    hints=["wait until it has ended, or give each sequence a bind() of its own"],
                )
            for entry in self._entries.values():
                for lease in list(entry.idle):
                    if lease.context is not None:
                        lease.context.reset_state()
            if self.sequence is not None:
                self.sequence.reset()

    def read_variable(self, name: str) -> np.ndarray[Any, Any]:
        """A copy of a variable of the sequence."""
        with self._between_runs() as sequence:
            return sequence.read(name)

    def write_variables(self, values: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Set variables of the sequence."""
        with self._between_runs() as sequence:
            sequence.write(values)

    @contextlib.contextmanager
    def _between_runs(self) -> Iterator[RunSequence]:
        """Have the turn of a run, for other work on its variables."""
        lease = self.start()
        try:
            assert self.sequence is not None
            if self.sequence.context is None and self.fixed is not None:
                self.borrow(lease, self.fixed)  # the first values are those of its plan
            yield self.sequence
        finally:
            self.give_back(lease)

    def give_back(self, lease: Lease) -> None:
        """End a lease, also one that never got a context."""
        entry = lease.entry
        if entry is None or lease.context is None:
            lease.thread = 0
            with self._condition:
                self._leases.discard(lease)
        elif lease.is_kept:
            lease.thread = 0
        elif len(entry.idle) < _IDLE_CONTEXTS or (
            self.sequence is not None and self.sequence.context is lease.context
        ):
            lease.thread = 0
            entry.idle.append(lease)
        else:
            if _take_out(entry.made, lease.context):
                lease.context.destroy()  # while the lease still keeps its plan alive
            lease.context = None
            lease.thread = 0
        if self.closed or self.sequence is not None:
            with self._condition:
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

    def at_work(self) -> list[Lease]:
        """The leases of running calls."""
        return [lease for lease in list(self._leases) if lease.thread]

    def reopen(self) -> None:
        """Undo `shut`, after a veto of a backend."""
        self.closed = False

    def free(self) -> None:
        """Destroy contexts and plans, after `shut`."""
        flush_profiles()  # outside of the lock: it asks this pool for its plans
        with self._condition:
            entries = list(self._entries.values())
            self._entries.clear()
            self._only = None
            if self.sequence is not None:
                self.sequence.reset()
            for entry in entries:
                entry.kept.clear()  # contexts that are freed are not released any more
        for entry in entries:
            entry.destroy()

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
                lease.context = None  # `find_lost` frees it

    def after_fork(self) -> None:
        """Forget leases of other threads: in the child of a fork only this thread exists."""
        self._make_locks()
        for lease in self.at_work():
            if lease.thread == _get_ident():
                continue
            entry, context = lease.entry, lease.context
            if context is not None and entry is not None:
                context.abandon()
                if self.sequence is not None and self.sequence.context is context:
                    self.sequence.reset()  # the values of a run in flight are lost
                entry.kept = [pair for pair in entry.kept if pair[1] is not lease]
                _take_out(entry.made, context)
            self._leases.discard(lease)
