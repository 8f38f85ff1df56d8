# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Execution contexts of a loaded network, lent to its calls."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

from armnn_py.errors import InvalidArgumentError
from armnn_py.runtime.contexts.leases import LeaseBook, RunSequence
from armnn_py.runtime.contexts.plan_cache import (
    IDLE_CONTEXTS,
    Lease,
    PlanCache,
    PlanEntry,
    take_out,
)
from armnn_py.runtime.profile.open_profiles import flush_profiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import numpy as np

    from armnn_py.runtime.cancel import CancelToken
    from armnn_py.runtime.contexts.execution_context import ExecutionContext
    from armnn_py.runtime.contexts.plan_keys import PlanKey
    from armnn_py.runtime.plan.network_plan import NetworkPlan

_get_ident = threading.get_ident


class ContextPool(LeaseBook):
    """The plans of one loaded network and their execution contexts; safe from several threads.

    Parameters
    ----------
    name
        Name of the network, for messages.
    make_plan
        Makes the plan for a set of input shapes; may take long and may raise.
    capacity
        How many plans are kept, most recently used first; None: as many as ``limit`` allows.
    limit
        Bytes that plans may take together, see `PlanCache`.
    variables
        Names of the variables of the network.

    Attributes
    ----------
    sequence
        Of a network with state, which are variables, or what workloads keep: runs wait for one
        another and share one state. Not so those of contexts that are kept. A network without
        variables gets it with the first plan whose workloads have state.
    """

    def __init__(
        self,
        name: str,
        make_plan: Callable[[PlanKey], NetworkPlan],
        capacity: int | None,
        limit: int | None,
        variables: tuple[str, ...] = (),
    ) -> None:
        super().__init__(name)
        self.sequence: RunSequence | None = _sequence(name, variables) if variables else None
        self._variables = variables
        self._make_plan = make_plan
        self._plans = PlanCache(capacity, limit)
        self._only: PlanEntry | None = None  # while there are no free dimensions
        self.fixed: PlanKey | None = None  # the only shapes, if there are no free dimensions

    def _make_locks(self) -> None:
        super()._make_locks()
        self._build_lock = threading.RLock()

    # ---- Borrowing -----------------------------------------------------------------------------

    def take(self) -> Lease | None:
        """A lease with an idle context, for a network without free dimensions.

        None if none is ready: then call `start` and `borrow`. Nearly every run takes this
        way; there is no lock in it.
        """
        entry = self._only
        if entry is None or entry.gone:
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
                self.sequence.await_turn(lease, self, self._condition, timeout, cancel)
            self._leases.add(lease)
        return lease

    def borrow(
        self,
        lease: Lease,
        key: PlanKey,
        *,
        new_sequence: bool = False,
        timeout: float | None = None,
        cancel: CancelToken | None = None,
    ) -> ExecutionContext:
        """Give a lease of `start` a context for these input shapes, idle until now or fresh.

        With ``new_sequence`` one without the state of the runs before. ``timeout`` and ``cancel``
        stop the wait for a turn, where the plan is the first with state.

        Raises
        ------
        InvalidArgumentError
            The state cannot go to other shapes.
        """
        while True:
            if self.sequence is not None and not new_sequence:
                with self._condition:
                    if not lease.has_turn:
                        # The plan tells of the state only now; or a signal handler ran the network
                        # since `start`, and took the turn.
                        self.sequence.await_turn(lease, self, self._condition, timeout, cancel)
                self._check_shapes(self.sequence, key)
            entry = self._entry(key)
            sequence = self.sequence
            with self._condition:
                if self._plans.find(key) is not entry:
                    continue  # evicted between the two lines above
                if sequence is not None and not (lease.has_turn or new_sequence):
                    continue
                self._plans.touch(key)
                lease.entry = entry
                surplus = entry.reclaim()
                lease.context = self._find_context(entry, new_sequence)
                if lease.context is None:
                    surplus += self._take_lost(entry)
            for context in surplus:
                context.destroy()
            if lease.context is None:
                lease.context = entry.make_context()
            if new_sequence:
                lease.context.state.begin_sequence()
            elif sequence is not None:
                sequence.enter(lease.context)
            return lease.context

    def _find_context(self, entry: PlanEntry, new_sequence: bool) -> ExecutionContext | None:
        """Take an idle context: that of the sequence, if the call is in it, or any other.

        The lock is held.
        """
        own = None if self.sequence is None else self.sequence.context
        if own is not None:
            lease_of_own = next((lease for lease in entry.idle if lease.context is own), None)
            if not new_sequence and own in entry.made:
                take_out(entry.idle, lease_of_own)  # not there if an interrupt ended the call
                return own
            spare = [lease for lease in list(entry.idle) if lease is not lease_of_own]
            return next((x.context for x in spare[::-1] if take_out(entry.idle, x)), None)
        try:
            idle = entry.idle.pop()
        except IndexError:
            return None
        context, idle.context = idle.context, None
        return context

    def _take_lost(self, entry: PlanEntry) -> list[ExecutionContext]:
        """Take out the contexts that interrupts left, but for that of the sequence."""
        if not entry.made:  # it is new: leases of other plans need not be looked through
            return []
        lost = entry.find_lost(list(self._leases))
        own = None if self.sequence is None else self.sequence.context
        return [context for context in lost if context is not own and take_out(entry.made, context)]

    def keep(self, lease: Lease, owner: object) -> None:
        """Keep the context of a lease for ``owner``, until that is gone or `release` is called."""
        with self._condition:
            assert lease.entry is not None
            lease.entry.keep(lease, owner)

    def resume(self, lease: Lease) -> None:
        """Begin one run over a context that is kept; `give_back` ends it."""
        lease.thread = _get_ident()
        if self.closed:
            self.give_back(lease)
            self.check_open()

    def release(self, lease: Lease) -> None:
        """Take a context back that was kept; harmless when repeated or closed meanwhile."""
        with self._condition:
            context = None if lease.entry is None else lease.entry.take_back(lease)
        if context is not None:
            context.destroy()

    def give_back(self, lease: Lease) -> None:
        """End a lease, also one that never got a context."""
        entry = lease.entry
        if entry is None or lease.context is None:
            lease.thread = 0
            with self._condition:
                self._leases.discard(lease)
        elif lease.is_kept:
            lease.thread = 0
        elif len(entry.idle) < IDLE_CONTEXTS or (
            self.sequence is not None and self.sequence.context is lease.context
        ):
            lease.thread = 0
            entry.idle.append(lease)
        else:
            if take_out(entry.made, lease.context):
                lease.context.destroy()  # while the lease still keeps its plan alive
            lease.context = None
            lease.thread = 0
        if self.closed or self.sequence is not None:
            with self._condition:
                self._condition.notify_all()

    # ---- Plans ---------------------------------------------------------------------------------

    def fix(self, key: PlanKey) -> None:
        """Make the plan of a network whose inputs always have these shapes."""
        entry = self._entry(key)
        self.fixed = key
        if self.sequence is None:  # else a run has to wait for its turn
            self._only = entry

    def plan(self, key: PlanKey) -> NetworkPlan:
        """The plan for these input shapes, made if missing; call it with a lease."""
        return self._entry(key).plan

    def _entry(self, key: PlanKey) -> PlanEntry:
        entry = self._plans.find(key)
        if entry is not None:
            return entry
        with self._build_lock:
            entry = self._plans.find(key)
            if entry is None:
                entry = PlanEntry(self._make_plan(key))
                self._find_state(entry)
                flush_profiles()  # before a plan with uncounted events is destroyed
                with self._condition:
                    busy = {id(lease.entry) for lease in self._leases if lease.thread}
                    own = None if self.sequence is None else self.sequence.context
                    victims = self._plans.add(
                        key, entry, lambda e: id(e) in busy or e.is_kept or own in e.made
                    )
                for victim in victims:
                    victim.destroy()
            return entry

    def _find_state(self, entry: PlanEntry) -> None:
        """Have runs follow one another from now on if workloads of the plan have state.

        Only a context shows whether they make data that can be reset.
        """
        if not entry.plan.state_layers:
            return
        try:
            context = entry.make_context()
        except BaseException:
            entry.destroy()
            raise
        lease = Lease()
        lease.thread = 0
        lease.entry, lease.context = entry, context
        entry.idle.append(lease)
        with self._condition:
            self._leases.add(lease)
            if context.state.is_in_workloads and self.sequence is None:
                self.sequence = _sequence(self.name, self._variables)

    def _check_shapes(self, sequence: RunSequence, key: PlanKey) -> None:
        """Raise unless the state of the sequence can be used in a run of these shapes."""
        context = sequence.context
        if context is None or not context.state.is_in_workloads or self.fixed is not None:
            return
        entry = self._plans.find(key)
        if entry is None or context not in entry.made:
            sequence.refuse_shapes(key)

    @property
    def latest(self) -> NetworkPlan | None:
        """The plan that was used last, or None before the first."""
        plans = self.plans
        return plans[-1] if plans else None

    @property
    def plans(self) -> list[NetworkPlan]:
        """All plans, that of the last use at the end."""
        return [entry.plan for entry in self.entries]

    @property
    def entries(self) -> list[PlanEntry]:
        """All plans with their contexts, in the same order."""
        with self._condition:
            return self._plans.entries

    # ---- State ---------------------------------------------------------------------------------

    def reset_state(self) -> None:
        """Begin a new sequence: not of contexts that are kept.

        Raises
        ------
        InvalidArgumentError
            A run of the sequence is in flight, or the pool is closed.
        ExecutionError
            A backend fails to.
        """
        with self._condition:
            self.check_open()
            if self.sequence is None:
                return
            if self.sequence.runs_before(self):
                raise InvalidArgumentError(
                    f"network '{self.name}': cannot reset the state of a run in flight",
                    hints=["wait until it has ended, or give each sequence a bind() of its own"],
                )
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

    # ---- Closing -------------------------------------------------------------------------------

    def free(self) -> None:
        """Destroy contexts and plans, after `shut`."""
        flush_profiles()  # outside of the lock: it asks this pool for its plans
        with self._condition:
            entries = self._plans.clear()
            self._only = None
            if self.sequence is not None:
                self.sequence.forget()
            for entry in entries:
                entry.kept.clear()  # contexts that are freed are not released any more
        for entry in entries:
            entry.destroy()

    def _abandon(self, lease: Lease) -> None:
        if self.sequence is not None and self.sequence.context is lease.context is not None:
            self.sequence.lose("this process was forked while a run was in flight")
        super()._abandon(lease)


def _sequence(name: str, variables: tuple[str, ...]) -> RunSequence:
    return RunSequence(name, variables)
