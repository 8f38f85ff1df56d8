# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which bytes of an arena are occupied when, for plans of many buffers."""

from __future__ import annotations

import heapq
import itertools
from bisect import bisect_left, bisect_right, insort
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Occupied"]


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
