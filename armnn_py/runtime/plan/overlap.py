# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The order of steps where queues of backends work beside others, and the fences between them.

A row of a backend that makes fences ends in a SIGNAL, after which the host goes on. The steps are
reordered so that such rows come as early, and waits as late, as data allows: what waits for nothing
goes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py._native import abi
from armnn_py.runtime.plan.planned import PlannedStep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.runtime.plan.planned import Build

_LINKS = (
    abi.ARMNN_PLAN_STEP_IMPORT,
    abi.ARMNN_PLAN_STEP_MAP,
    abi.ARMNN_PLAN_STEP_LEND,
    abi.ARMNN_PLAN_STEP_RETURN,
)


def add_fences(build: Build) -> None:
    """Reorder the steps of a plan; end rows with a fence or a wait, and wait for the fences."""
    before = _find_dependencies(build)
    order = _schedule(build.steps, before)
    build.steps = _Waits(build.steps, before).insert(_cut(build.steps, order))


def begins_of(steps: Sequence[PlannedStep]) -> list[int]:
    """Return for each step where the oldest row begins that may run beside it.

    Such a row is of another queue, and the host has not waited for its fence. Without one it is the
    step's own position. A queue does its own rows one after another, as ``after_enqueue_workload``
    in ``backend_api.h`` says.
    """
    pending: dict[int, tuple[int, object]] = {}  # by fence
    found: list[int] = []
    begin = 0
    for position, step in enumerate(steps):
        others = (first for first, context in pending.values() if context is not step.context)
        found.append(min(others, default=position))
        if step.workload is not None and step.makes_fences:
            continue  # of a row
        if step.is_fence and step.kind == abi.ARMNN_PLAN_STEP_SIGNAL:
            pending[step.fence] = begin, step.context
        elif step.is_fence and step.context is None:
            del pending[step.fence]
        begin = position + 1
    return found


# ---- Dependencies --------------------------------------------------------------------------------


class _Access(Struct, frozen=True):
    """A step reads or writes bytes of a buffer."""

    step: int
    begin: int
    end: int
    writes: bool

    def conflicts(self, other: _Access) -> bool:
        return (self.writes or other.writes) and self.begin < other.end and other.begin < self.end


def _find_dependencies(build: Build) -> list[set[int]]:
    """For each step: the earlier ones that must come before it, as they use the same bytes."""
    whole = _Buffers(build)
    accesses: dict[int, list[_Access]] = {}
    before: list[set[int]] = []
    for position, step in enumerate(build.steps):
        needed: set[int] = set()
        own: list[tuple[int, _Access]] = []
        unmaps = step.workload is None and step.kind == abi.ARMNN_PLAN_STEP_UNMAP
        for numbers, writes in ((step.inputs, unmaps), (step.outputs, True)):
            for number in numbers:
                if number == abi.ARMNN_PLAN_NONE:
                    continue
                if build.tensors[number].kind == abi.ARMNN_PLAN_TENSOR_CONSTANT:
                    continue  # never written
                buffer, begin, end = whole.place(number)
                own.append((buffer, _Access(position, begin, end, writes)))
        for buffer, access in own:
            needed.update(a.step for a in accesses.get(buffer, ()) if access.conflicts(a))
        for buffer, access in own:
            accesses.setdefault(buffer, []).append(access)
        needed.discard(position)
        before.append(needed)
    return before


class _Buffers:
    """Which tensors may lie in the same memory: sub-tensors, imported and mapped ones."""

    def __init__(self, build: Build) -> None:
        self._tensors = build.tensors
        self._above: dict[int, int] = {}
        self._linked: set[int] = set()
        for step in build.steps:
            if step.workload is not None or step.is_sync or step.kind not in _LINKS:
                continue
            roots = [id(build.tensors[n].location[0]) for n in (*step.inputs, *step.outputs)]
            for root in roots[1:]:
                first, other = self._find(roots[0]), self._find(root)
                if first != other:
                    self._above[other] = first
            self._linked.update(roots)

    def _find(self, root: int) -> int:
        while root in self._above:
            root = self._above[root]
        return root

    def place(self, number: int) -> tuple[int, int, int]:
        """The buffer of a tensor, and its begin and end there; all of it where memory is linked."""
        tensor = self._tensors[number]
        root, begin = tensor.location
        if id(root) in self._linked:
            return self._find(id(root)), 0, 1
        return id(root), begin, begin + max(tensor.size, 1)


# ---- Order ---------------------------------------------------------------------------------------


def _schedule(steps: Sequence[PlannedStep], before: Sequence[set[int]]) -> list[int]:
    """A list schedule: of the steps that can be next, the one that keeps most devices busy."""
    after: list[list[int]] = [[] for _ in steps]
    for step, needed in enumerate(before):
        for other in needed:
            after[other].append(step)
    feeds = [False] * len(steps)  # a device, sooner or later
    for step in range(len(steps) - 1, -1, -1):
        feeds[step] = any(steps[n].makes_fences or feeds[n] for n in after[step])
    missing = [len(needed) for needed in before]
    ready = [step for step, count in enumerate(missing) if not count]
    pending: set[int] = set()
    order: list[int] = []
    current: object = None

    def waits(step: int) -> bool:
        here = steps[step].context
        if here is not None and here.takes_fences:
            return False
        return any(
            other in pending and (here is None or steps[other].context is not here)
            for other in before[step]
        )

    def rank(step: int) -> tuple[int, int]:
        here = steps[step]
        if waits(step):
            return (4 if feeds[step] else 5), step
        if here.context is not None and here.context is current:
            return 0, step
        if here.makes_fences:
            return 1, step
        return (2 if feeds[step] else 3), step

    while ready:
        step = min(ready, key=rank)
        if waits(step):  # the host waits for the queues: all that is in them is done then
            queues = {id(steps[other].context) for other in before[step] if other in pending}
            pending = {other for other in pending if id(steps[other].context) not in queues}
        ready.remove(step)
        order.append(step)
        current = steps[step].context
        if steps[step].makes_fences:
            pending.add(step)
        for follower in after[step]:
            missing[follower] -= 1
            if not missing[follower]:
                ready.append(follower)
    return order


def _cut(steps: Sequence[PlannedStep], order: Sequence[int]) -> list[list[int]]:
    """Rows of one backend that may return early; other steps are alone."""
    rows: list[list[int]] = []
    for step in order:
        context = steps[step].context
        if rows and context is not None and steps[rows[-1][-1]].context is context:
            rows[-1].append(step)
        else:
            rows.append([step])
    return rows


# ---- Waits ---------------------------------------------------------------------------------------


class _Waits:
    """Puts fences behind rows, and waits before the first step that needs one."""

    def __init__(self, steps: Sequence[PlannedStep], before: Sequence[set[int]]) -> None:
        self._steps = steps
        self._before = before
        self._fence_of: dict[int, int] = {}
        self._signals: list[PlannedStep] = []
        self._pending: list[int] = []
        self._told: set[tuple[int, int]] = set()
        self._out: list[PlannedStep] = []

    def insert(self, rows: Sequence[Sequence[int]]) -> list[PlannedStep]:
        for row in rows:
            self._wait_for(row)
            self._out += [self._steps[number] for number in row]
            last = self._steps[row[-1]]
            if last.context is None:
                continue
            end = PlannedStep([], [], factory=last.factory, context=last.context)
            if last.makes_fences:
                end.kind, end.fence = abi.ARMNN_PLAN_STEP_SIGNAL, len(self._signals)
                self._pending.append(end.fence)
                self._signals.append(end)
                self._fence_of |= dict.fromkeys(row, end.fence)
            self._out.append(end)
        while self._pending:
            self._host_wait(self._pending[0])
        return self._out

    def _wait_for(self, row: Sequence[int]) -> None:
        first = self._steps[row[0]]
        fences = {self._fence_of.get(other) for step in row for other in self._before[step]}
        for fence in sorted(f for f in fences if f is not None and f in self._pending):
            context = first.context
            if context is not None and self._signals[fence].context is context:
                continue  # a queue keeps its order
            if context is None or not context.takes_fences:
                if fence in self._pending:
                    self._host_wait(fence)
            elif (fence, first.factory) not in self._told:
                self._told.add((fence, first.factory))
                self._add_wait(fence, first)

    def _host_wait(self, fence: int) -> None:
        """Wait for a fence, and so for earlier ones of its queue."""
        context = self._signals[fence].context
        for other in [f for f in self._pending if f <= fence]:
            if self._signals[other].context is context:
                self._pending.remove(other)
                self._add_wait(other, None)

    def _add_wait(self, fence: int, queue: PlannedStep | None) -> None:
        factory = self._signals[fence].factory if queue is None else queue.factory
        self._out.append(
            PlannedStep(
                [],
                [],
                factory=factory,
                context=None if queue is None else queue.context,
                kind=abi.ARMNN_PLAN_STEP_WAIT,
                fence=fence,
            )
        )
