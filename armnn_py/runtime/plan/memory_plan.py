# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From lifetimes to the offset of each tensor and scratch buffer in one arena.

Greedy by size, smallest gap first (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural
Net Inference", 2020): the biggest record gets its offset first; each gets the smallest gap that
fits between earlier records whose lifetimes overlap its own, or the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from armnn_py.runtime.plan.occupied import Occupied
from armnn_py.tensors.memory import ALIGNMENT

if TYPE_CHECKING:
    from collections.abc import Sequence


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
