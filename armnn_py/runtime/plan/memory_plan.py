# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From lifetimes to the offset of each tensor and scratch buffer in one arena.

Greedy by size, smallest gap first (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural
Net Inference", 2020): the biggest record gets its offset first; each gets the smallest gap that
fits between earlier records whose lifetimes overlap its own, or the end.
"""

from __future__ import annotations

import heapq
import itertools
from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from armnn_py.tensors.memory import ALIGNMENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["ArenaPlan", "UsageRecord", "plan_arena"]


@dataclass(frozen=True, slots=True)
class UsageRecord:
    """A buffer of ``size`` bytes that is needed from step ``first`` to ``last``, both inclusive.

    ``alignment`` is a power of two; less than 64 counts as 64.
    """

    first: int
    last: int
    size: int
    alignment: int = ALIGNMENT


@dataclass(frozen=True, slots=True)
class ArenaPlan:
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
