# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Lifetimes to offsets: where each tensor and each scratch buffer lies in one arena.

Greedy by size, smallest gap first (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural
Net Inference", 2020): records are placed biggest first, each into the smallest gap between records
already placed whose lifetimes overlap its own, or behind them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.records import record
from armnn_py.tensors.memory import ALIGNMENT

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ArenaPlan", "UsageRecord", "plan_arena"]


@record
class UsageRecord:
    """A buffer of ``size`` bytes that is needed from step ``first`` to ``last``, both inclusive.

    ``alignment`` is a power of two; less than 64 counts as 64.
    """

    first: int
    last: int
    size: int
    alignment: int = ALIGNMENT


@record
class ArenaPlan:
    """Offsets in parallel to the records, and the size of the whole arena in bytes."""

    offsets: tuple[int, ...]
    size: int


def _round_up(value: int, alignment: int = ALIGNMENT) -> int:
    return (value + alignment - 1) // alignment * alignment


def plan_arena(records: Sequence[UsageRecord]) -> ArenaPlan:
    """Place every record so that no two that live at the same time overlap.

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
    # Placed records by offset; scanning them in order yields the gaps.
    placed: list[tuple[int, int, int, int]] = []  # offset, end, first, last
    order = sorted(range(len(records)), key=lambda i: (-records[i].size, records[i].first, i))
    arena_size = 0
    for index in order:
        record = records[index]
        size = _round_up(record.size)
        alignment = max(record.alignment, ALIGNMENT)
        if size == 0:
            continue
        best_offset, best_gap, cursor = -1, -1, 0
        for offset, end, first, last in placed:
            if last < record.first or record.last < first:
                continue
            gap = offset - cursor
            if gap >= size and (best_gap < 0 or gap < best_gap):
                best_offset, best_gap = cursor, gap
            cursor = max(cursor, _round_up(end, alignment))
        if best_offset < 0:
            best_offset = cursor
        offsets[index] = best_offset
        placed.append((best_offset, best_offset + size, record.first, record.last))
        placed.sort()
        arena_size = max(arena_size, best_offset + size)
    return ArenaPlan(tuple(offsets), arena_size)
