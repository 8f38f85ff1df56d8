# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Plans by input shape or for many shapes, each with its execution contexts."""

from __future__ import annotations

import math
import threading
import weakref
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from armnn_py.errors import InvalidArgumentError
from armnn_py.interrupts import deferred_interrupts
from armnn_py.runtime.contexts.execution_context import ExecutionContext
from armnn_py.tensors import MAX_DIMENSIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np

    from armnn_py._native.plans.plan import PlanShapes
    from armnn_py.network import OutputSlot
    from armnn_py.runtime.bounded.bounded_tables import ShapeTable
    from armnn_py.runtime.contexts.plan_keys import PlanKey
    from armnn_py.runtime.plan.network_plan import NetworkPlan

_get_ident = threading.get_ident

#: Idle contexts kept for the next callers; a burst of threads must not hold its memory for ever.
IDLE_CONTEXTS = 8

#: Bytes that the plans of a network may take together, if nothing else is asked for; few shapes
#: that take turns may have more, so that none of them is planned again.
PLAN_CACHE_BYTES = 64 * 1024 * 1024
_FEW, _BYTES_OF_FEW = 4, 256 * 1024 * 1024

#: Estimates of the Python objects and C structures of a plan, and of each step of it.
_BYTES_OF_PLAN = 64 * 1024
_BYTES_OF_STEP = 8 * 1024


def take_out(items: list[Any], item: object) -> bool:
    """Remove an item; return whether it was there: True for one caller only."""
    try:
        items.remove(item)
    except ValueError:  # a signal handler removed it meanwhile
        return False
    return True


class Lease:
    """The right to use a context: one call of ``run`` from start to end.

    Between two calls the pool holds it, with its context. During a call the pool holds it weakly
    and the call's frame strongly: an exception of a signal handler may keep it from being given
    back, but not from ending.

    Attributes
    ----------
    thread
        The thread of the running call; 0: none. It is set before the pool's ``closed`` is read, and
        `LeaseBook.shut` sets ``closed`` before it reads this: one of the two sees the other.
    is_kept
        The context belongs to an object that outlives the call.
    has_turn
        Of a network with state: the call is the one that may use the state.
    """

    __slots__ = ("__weakref__", "context", "entry", "has_turn", "is_kept", "thread")

    def __init__(self) -> None:
        self.thread = _get_ident()
        self.entry: PlanEntry | None = None
        self.context: ExecutionContext | None = None
        self.is_kept = False
        self.has_turn = False


class PlanEntry:
    """A plan and the contexts that were made for it."""

    __slots__ = (
        "_bytes_of_context",
        "_bytes_of_plan",
        "gone",
        "idle",
        "kept",
        "made",
        "packed",
        "plan",
    )

    def __init__(self, plan: NetworkPlan) -> None:
        self.plan = plan
        self._bytes_of_plan = _BYTES_OF_PLAN + _BYTES_OF_STEP * len(plan.steps)
        #: Bytes that backends packed for this plan alone.
        self.packed = plan.packed_size - plan.shared_size
        self._bytes_of_context = plan.arena_size + plan.persistent_size
        #: Leases that wait for work. Taking one out and putting it back are atomic, so that most
        #: calls take no lock.
        self.idle: list[Lease] = []
        #: Leases that stay with an object, until it is gone or gives them back.
        self.kept: list[tuple[weakref.ref[Any], Lease]] = []
        #: Of their owners, those that are gone since `reclaim`: the collector itself notes it, so
        #: that a run has nothing to look through.
        self.gone: list[weakref.ref[Any]] = []
        #: All contexts, so that one left without a lease by an interrupt is also freed.
        self.made: list[ExecutionContext] = []

    @property
    def is_kept(self) -> bool:
        """Whether a context stays with an object that is still there."""
        return any(owner() is not None for owner, _ in self.kept)

    @property
    def bytes(self) -> int:
        """Estimated memory of the plan and its contexts, without packed weights."""
        return (len(self.made) or 1) * self._bytes_of_context + self._bytes_of_plan

    def make_context(self) -> ExecutionContext:
        """Make a context without an owner."""
        if self.plan.bounded is None:
            self.made.append(ExecutionContext(self.plan))
        else:
            self.made.append(BoundedContext(self.plan))
        return self.made[-1]

    def keep(self, lease: Lease, owner: object) -> None:
        """Leave the context of a lease to an object."""
        lease.is_kept = True
        self.kept.append((weakref.ref(owner, self.gone.append), lease))

    def reclaim(self) -> list[ExecutionContext]:
        """Take back contexts whose owners are gone; return those that are to be destroyed."""
        self.gone.clear()  # first: an owner that goes from here on is found by the next call
        pairs = [pair for pair in list(self.kept) if pair[0]() is None]
        return [c for _, lease in pairs if (c := self.take_back(lease)) is not None]

    def take_back(self, lease: Lease) -> ExecutionContext | None:
        """Take back the context of an owner, for any call; return it if it is to be destroyed."""
        for pair in list(self.kept):
            if pair[1] is lease and take_out(self.kept, pair):
                break
        else:
            return None  # taken back already
        lease.is_kept = False
        lease.thread = 0
        context = lease.context
        if context is not None:
            context.release_addresses()
            if len(self.idle) >= IDLE_CONTEXTS:
                lease.context = None
                return context if take_out(self.made, context) else None
        self.idle.insert(0, lease)  # behind that of the last run, whose memory is in caches
        return None

    def find_lost(self, leases: Iterable[Lease]) -> list[ExecutionContext]:
        """Contexts without a lease, left by calls that an interrupt ended."""
        held = {id(lease.context) for lease in leases}
        return [context for context in self.made if id(context) not in held]

    def forget(self, lease: Lease) -> None:
        """Forget a lease and its context, which must not be touched any more."""
        self.kept = [pair for pair in self.kept if pair[1] is not lease]
        take_out(self.made, lease.context)

    def destroy(self) -> None:
        """Free the contexts and the plan."""
        with deferred_interrupts():  # it could not be continued after an interrupt
            for context in self.made:
                context.destroy()
            self.made.clear()
            self.idle.clear()
            self.kept.clear()
            self.plan.destroy()


class PlanCache:
    """Plans by input shapes, most recently used last. No locks: its user has one.

    Parameters
    ----------
    capacity
        How many plans are kept, those in use not counted out; None: as many as ``limit`` allows.
    limit
        Bytes that plans may take together; the one that was added last is kept in any case. None:
        64 MiB, or 256 MiB for up to 4 plans.
    """

    __slots__ = ("_capacity", "_entries", "_limit")

    def __init__(self, capacity: int | None, limit: int | None) -> None:
        self._capacity = capacity
        self._limit = limit
        self._entries: OrderedDict[PlanKey, PlanEntry] = OrderedDict()

    def find(self, key: PlanKey) -> PlanEntry | None:
        """The entry for these shapes."""
        return self._entries.get(key)

    def touch(self, key: PlanKey) -> None:
        """Note that the entry was used."""
        self._entries.move_to_end(key)

    def add(
        self, key: PlanKey, entry: PlanEntry, is_needed: Callable[[PlanEntry], bool]
    ) -> list[PlanEntry]:
        """Add an entry; take out and return those beyond the limits that were not used longest.

        Entries that ``is_needed`` stay.
        """
        self._entries[key] = entry
        gone: list[PlanEntry] = []
        if not self._is_too_much():  # nearly always: who is needed need not be found out
            return gone
        for old, other in list(self._entries.items()):
            if other is entry or is_needed(other):
                continue
            gone.append(self._entries.pop(old))
            if not self._is_too_much():
                break
        return gone

    def _is_too_much(self) -> bool:
        """Whether there are too many entries, or too many bytes of them.

        Packed weights count from the second plan on: the network needs those of one plan anyway.
        """
        count = len(self._entries)
        if self._capacity is not None and count > self._capacity:
            return True
        packed = [entry.packed for entry in self._entries.values()]
        total = sum([e.bytes for e in self._entries.values()]) + sum(packed) - max(packed)
        if self._limit is not None:
            return total > self._limit
        return total > (_BYTES_OF_FEW if count <= _FEW else PLAN_CACHE_BYTES)

    @property
    def entries(self) -> list[PlanEntry]:
        """All entries, that of the last use at the end."""
        return list(self._entries.values())

    def clear(self) -> list[PlanEntry]:
        """Take out all entries."""
        entries = self.entries
        self._entries.clear()
        return entries


class BoundedContext(ExecutionContext):
    """An arena for the bounds of all shapes."""

    __slots__ = ("_key", "_table", "_tables", "_told")

    def __init__(self, plan: NetworkPlan) -> None:
        super().__init__(plan)
        self._key: PlanKey | None = None
        self._tables = plan.shape_tables
        self._table: ShapeTable | None = None
        #: Sizes that layers have reported in this run.
        self._told: dict[OutputSlot, tuple[int, ...]] = {}
        if plan.telling:
            self._may_call_python = True
            self.native.follow_reported(self._shapes_behind)

    def set_key(self, key: PlanKey) -> None:
        """Let the next runs have inputs of these shapes.

        Raises
        ------
        InvalidArgumentError, LayerValidationError
            The network does not take them; the context stays as it is.
        """
        if key == self._key:
            return
        table = self._tables.find(key)
        self._key = None
        self.native.set_shapes(table.shapes)
        self.arrays.set_outputs(table.outputs.values())
        self._table, self._key = table, key

    def set_addresses(self, inputs: Iterable[np.ndarray], outputs: Iterable[np.ndarray]) -> None:
        """As for every context; not where a run reports the sizes of outputs."""
        if self.plan.telling:
            layer = next(iter(self.plan.telling.values()))
            raise InvalidArgumentError(
                f"network '{self.plan.network.name}': bind() needs outputs of known sizes, layer "
                f"'{layer.name}' reports sizes only when it runs",
                hints=["run() returns arrays of the sizes of each run"],
            )
        super().set_addresses(inputs, outputs)

    def _calls_python(self) -> bool:
        return bool(self.plan.telling) or super()._calls_python()

    def _shapes_behind(self, step: int, dims: Sequence[int]) -> PlanShapes:
        """The shapes behind a step that has reported sizes."""
        assert self._key is not None
        for index, slot in enumerate(self.plan.telling[step].outputs):
            if slot in self._tables.reported:
                begin = index * MAX_DIMENSIONS
                self._told[slot] = tuple(dims[begin + d] for d in range(slot.info.rank))
        self._table = self._tables.find(self._key, self._told)
        return self._table.shapes

    def run(
        self,
        inputs: Sequence[np.ndarray],
        out: Mapping[str, np.ndarray] | None,
        **options: Any,
    ) -> dict[str, np.ndarray]:
        """Run over arrays of any shapes up to the bounds."""
        self.set_key(tuple([array.shape for array in inputs]))
        if not self.plan.telling:
            return super().run(inputs, out, **options)
        self._told.clear()
        try:
            outputs = super().run(inputs, out, **options)
        finally:
            self._key = None  # the next run begins before anything is reported
        assert self._table is not None
        return {
            name: _first(array, self._table.outputs[name].static_shape)
            for name, array in outputs.items()
        }


def _first(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The elements of a dense tensor that lies at the begin of an array."""
    return array if array.shape == shape else array.reshape(-1)[: math.prod(shape)].reshape(shape)
