# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The offset of each tensor and scratch buffer in one arena, and outputs in the array of an input.

Greedy by size, smallest gap first (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural
Net Inference", 2020): the biggest record gets its offset first; each gets the smallest gap that
fits between earlier records whose lifetimes overlap its own, or the end.

A program that generates text has one array for the cache that goes into the network and comes out
of it with a row more. That is right if nothing reads the input after the output was written first.
One step may do both: if its backend says that this output may be the memory of that input, or if
it is a copy of the host, which has nothing to do then.
"""

from __future__ import annotations

import heapq
import itertools
from bisect import bisect_left, bisect_right, insort
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field

from armnn_py._native import abi
from armnn_py.tensors.memory import ALIGNMENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from armnn_py.runtime.plan.planned import Build, PlannedStep, PlannedTensor


class UsageRecord(Struct, frozen=True):
    """A buffer of ``size`` bytes that is needed from step ``first`` to ``last``, both inclusive.

    ``alignment`` is a power of two; less than 64 counts as 64.
    """

    first: int
    last: int
    size: int
    alignment: int = ALIGNMENT


class ArenaPlan(Struct, frozen=True):
    """Offsets in parallel to the records, and the size of the whole arena in bytes."""

    offsets: tuple[int, ...]
    size: int


def _round_up(value: int, alignment: int = ALIGNMENT) -> int:
    return (value + alignment - 1) // alignment * alignment


def plan_arena(records: Sequence[UsageRecord]) -> ArenaPlan:
    """Give every record an offset so that no two that live at the same time overlap.

    Parameters
    ----------
    records
        Buffers with lifetimes; sizes in bytes, zero allowed.

    Returns
    -------
    ArenaPlan
        Offsets are multiples of each record's alignment.
    """
    offsets = [0] * len(records)
    order = sorted(range(len(records)), key=lambda i: (-records[i].size, records[i].first, i))
    while order and not records[order[-1]].size:
        order.pop()  # empty ones need no room
    placed = [records[index] for index in order]
    occupied: _Few | Occupied = _Few()
    if len(placed) > _FEW:
        occupied = Occupied(placed)
    arena_size = 0
    for index in order:
        record = records[index]
        size = _round_up(record.size)
        alignment = max(record.alignment, ALIGNMENT)
        best_offset, best_gap, cursor = -1, -1, 0
        for begin, end in occupied.during(record.first, record.last):
            gap = begin - cursor
            if gap >= size and (best_gap < 0 or gap < best_gap):
                best_offset, best_gap = cursor, gap
            cursor = max(cursor, _round_up(end, alignment))
        if best_offset < 0:
            best_offset = cursor
        offsets[index] = best_offset
        occupied.add(record.first, record.last, best_offset, best_offset + size)
        arena_size = max(arena_size, best_offset + size)
    return ArenaPlan(tuple(offsets), arena_size)


#: So many buffers are all looked at.
_FEW = 64


class _Few:
    """As `Occupied`, for so few buffers that a tree takes more time than it saves."""

    __slots__ = ("_ranges",)

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int, int, int]] = []

    def add(self, first: int, last: int, begin: int, end: int) -> None:
        """Occupy bytes from ``begin`` to before ``end`` in steps ``first`` to ``last``."""
        self._ranges.append((begin, end, first, last))
        self._ranges.sort()

    def during(self, first: int, last: int) -> list[tuple[int, int]]:
        """Ranges of bytes that are occupied in one of these steps, by begin; they may overlap."""
        return [
            (begin, end)
            for begin, end, since, until in self._ranges
            if since <= last and until >= first
        ]


class Buffer(Protocol):
    """A `UsageRecord`, as far as it matters here: its first and last step."""

    @property
    def first(self) -> int:
        """The first step that needs it."""

    @property
    def last(self) -> int:
        """The last one."""


#: A query that meets more ranges than this adds a watched step, up to so many steps.
_MANY, _MOST_WATCHED = 32, 64


class Occupied:
    """Which bytes of the arena are occupied during which steps.

    A segment tree over the steps: node 1 stands for all of them, nodes ``2 n`` and ``2 n + 1`` for
    the halves of node ``n``. Each node has ranges of bytes, those that touch merged to one.

    Where thousands of buffers live at one time, each node has a few of them, with gaps that buffers
    of other nodes fill. Such a step is watched once it is met: its merged ranges are kept, too, and
    cover those of the nodes.

    Parameters
    ----------
    records
        All buffers that will be added.
    """

    def __init__(self, records: Sequence[Buffer]) -> None:
        self._first = min((record.first for record in records), default=0)
        last = max((record.last for record in records), default=0)
        self._leaves = 1 << (last - self._first).bit_length()
        #: How many buffers live at each step, in the end.
        self._living = _count_living(records, self._first, last)
        #: Watched steps, and the ranges occupied in them.
        self._watched: list[int] = []
        self._at: dict[int, list[int]] = {}
        #: All added ranges, for steps that are watched later.
        self._added: list[tuple[int, int, int, int]] = []
        #: By node: bytes that are occupied in all of its steps, and those in one at least; begins
        #: and ends of ranges in turn.
        self._always: dict[int, list[int]] = {}
        self._ever: dict[int, list[int]] = {}

    def add(self, first: int, last: int, begin: int, end: int) -> None:
        """Occupy bytes from ``begin`` to before ``end`` in steps ``first`` to ``last``."""
        parts, around = self._nodes(first, last)
        for node in parts:
            _unite(self._always.setdefault(node, []), begin, end)
        for node in around:
            _unite(self._ever.setdefault(node, []), begin, end)
        for step in self._watched_during(first, last):
            _unite(self._at[step], begin, end)
        self._added.append((first, last, begin, end))

    def during(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Ranges of bytes that are occupied in one of these steps, by begin; they may overlap.

        Ranges that lie within earlier ones are left out, mostly without visiting each.
        """
        parts, around = self._nodes(first, last)
        found = [self._at[step] for step in self._watched_during(first, last)]
        found += [self._ever.get(node, []) for node in parts]
        found += [self._always.get(node, []) for node in (*parts, *around)]
        sources = [bounds for bounds in found if bounds]
        ahead = [(bounds[0], number, 0) for number, bounds in enumerate(sources)]
        heapq.heapify(ahead)
        reach = count = 0
        while ahead:
            begin, number, index = ahead[0]
            bounds = sources[number]
            if bounds[index + 1] > reach:
                reach = bounds[index + 1]
                yield begin, reach
                count += 1
            index = bisect_right(bounds, reach) & ~1  # of the first range that ends further on
            if index < len(bounds):
                heapq.heapreplace(ahead, (bounds[index], number, index))
            else:
                heapq.heappop(ahead)
        if count > _MANY and len(self._watched) < _MOST_WATCHED:
            self._watch(first, last)

    def _watch(self, first: int, last: int) -> None:
        """Watch the step, of these, at which most buffers live."""
        living = self._living[first - self._first : last + 1 - self._first]
        step = first + living.index(max(living))
        if step in self._at:
            return
        insort(self._watched, step)
        bounds = self._at[step] = []
        for since, until, begin, end in self._added:
            if since <= step <= until:
                _unite(bounds, begin, end)

    def _watched_during(self, first: int, last: int) -> list[int]:
        watched = self._watched
        return watched[bisect_left(watched, first) : bisect_right(watched, last)]

    def _nodes(self, first: int, last: int) -> tuple[list[int], list[int]]:
        """The fewest nodes that have exactly these steps, and all above the first and last step."""
        left = first - self._first + self._leaves
        right = last - self._first + self._leaves
        around = []
        node, other = left, right
        while node:
            around.append(node)
            if other != node:
                around.append(other)
            node >>= 1
            other >>= 1
        parts = []
        right += 1
        while left < right:
            if left & 1:
                parts.append(left)
                left += 1
            if right & 1:
                right -= 1
                parts.append(right)
            left >>= 1
            right >>= 1
        return parts, around


def _count_living(records: Sequence[Buffer], first: int, last: int) -> list[int]:
    """How many buffers live at each step from ``first`` to ``last``."""
    changes = [0] * (last - first + 2)
    for buffer in records:
        changes[buffer.first - first] += 1
        changes[buffer.last + 1 - first] -= 1
    return list(itertools.accumulate(changes[:-1]))


def _unite(bounds: list[int], begin: int, end: int) -> None:
    """Add a range to ranges that neither overlap nor touch; begins and ends in turn."""
    # An odd index is inside of a range, or at its end.
    low, high = bisect_left(bounds, begin), bisect_right(bounds, end)
    if low != high or not low & 1:
        bounds[low:high] = [begin][low & 1 :] + [end][high & 1 :]


_INPUT, _OUTPUT = abi.ARMNN_PLAN_TENSOR_INPUT, abi.ARMNN_PLAN_TENSOR_OUTPUT


class InPlace(Struct, frozen=True):
    """The pairs of an input and an output, by index, that may be one array of the caller.

    Found when asked: a network of thousands of inputs and outputs has millions of pairs.
    """

    input_sizes: dict[int, int] = field(default_factory=dict)
    """Size in bytes of each input that may share its array, by index."""
    output_sizes: dict[int, int] = field(default_factory=dict)
    last_read: dict[int, int] = field(default_factory=dict)
    """Position of the last step that reads an input."""
    first_written: dict[int, int] = field(default_factory=dict)
    same_step: set[tuple[int, int]] = field(default_factory=set)
    """Pairs of which one step may read the input and write the output."""

    def __contains__(self, pair: object) -> bool:
        """Whether an input and an output may be one array."""
        assert isinstance(pair, tuple)
        index, output = pair
        size, write = self.input_sizes.get(index), self.first_written.get(output)
        if size is None or write is None or self.output_sizes.get(output) != size:
            return False
        read = self.last_read.get(index, -1)
        return read < write or (read == write and pair in self.same_step)


def find_in_place(build: Build) -> InPlace:
    """Find out when each input is last read, and each output first written."""
    found = InPlace()
    if build.has_fences:
        return found  # steps of queues go on beside those behind them
    unsure: set[int] = set()  # tensors of the caller that steps use beyond their end
    for position, step in enumerate(build.steps):
        read = _callers_tensors(build, step.inputs, _INPUT)
        written = _callers_tensors(build, step.outputs, _OUTPUT)
        for tensor in read:
            found.last_read[tensor.index] = position
        for tensor in written:
            found.first_written.setdefault(tensor.index, position)
        if not _ends_in_time(build, step):
            unsure.update(id(tensor) for tensor in (*read, *written))
    for position in {*found.last_read.values()} & {*found.first_written.values()}:
        found.same_step.update(_pairs_of(build, build.steps[position]))
    sizes = {_INPUT: found.input_sizes, _OUTPUT: found.output_sizes}
    for tensor in build.tensors:
        if tensor.kind in sizes and id(tensor) not in unsure:
            sizes[tensor.kind][tensor.index] = tensor.size
    return found


def _callers_tensors(build: Build, numbers: Sequence[int], kind: int) -> list[PlannedTensor]:
    """The inputs or outputs of the network in whose memory these tensors lie."""
    roots = [build.tensors[n].location[0] for n in numbers if n != abi.ARMNN_PLAN_NONE]
    return [root for root in roots if root.kind == kind]


def _ends_in_time(build: Build, step: PlannedStep) -> bool:
    """Whether what a step does with memory of the host is done when the next one begins."""
    if step.workload is not None:
        return step.context is None
    if step.is_sync:
        return True
    numbers = (*step.inputs, *step.outputs)
    return step.kind == abi.ARMNN_PLAN_STEP_COPY and all(
        build.tensors[number].kind != abi.ARMNN_PLAN_TENSOR_HANDLE for number in numbers
    )


def _pairs_of(build: Build, step: PlannedStep) -> Iterator[tuple[int, int]]:
    """The inputs that a step may read whole, once, while it writes an output in their place."""
    sources = _places(build, step.inputs, _INPUT)
    if step.workload is not None:  # masks of requirements are of 64 bits
        sources = {index: place for index, place in sources.items() if place < 64}
    for output, target in _places(build, step.outputs, _OUTPUT).items():
        for index, source in sources.items():
            if step.workload is None or step.workload.requirements.may_be_in_place(target, source):
                yield index, output


def _places(build: Build, numbers: Sequence[int], kind: int) -> dict[int, int]:
    """Where a step has inputs or outputs of the network whole and once, by their index."""
    found: dict[int, int | None] = {}
    for place, number in enumerate(numbers):
        if number == abi.ARMNN_PLAN_NONE:
            continue
        tensor = build.tensors[number]
        root, _ = tensor.location
        if root.kind == kind:
            is_whole = root is tensor and root.index not in found
            found[root.index] = place if is_whole else None
    return {index: place for index, place in found.items() if place is not None}
