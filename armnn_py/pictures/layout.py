# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Positions of boxes: rows by the longest path, order within a row by barycentre.

A wire that passes rows has a position in each of them, so that it never runs through a box. Long
networks are cut into columns that stand side by side, read like those of a newspaper.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from armnn_py.pictures.drawing import Box

__all__ = ["BOX_WIDTH", "ROW", "Frame", "Layout", "frames_of", "lay_out"]

BOX_WIDTH, ROW = 230.0, 76.0
_LANE, _GAP = 10.0, 16.0
_GUTTER = 44.0
_SWEEPS = 8
#: A picture is wider than high, as screens are, but for networks of few rows.
_ASPECT, _ROWS_OF_A_COLUMN = 1.6, 14


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions and sizes of a picture.

    Attributes
    ----------
    places
        Centre of each box by id.
    routes
        For each wire, in order, the points that it passes: the centre of its source, a point in
        each row between, the centre of its target.
    columns
        Left edge of each column.
    width, height
        Size of the picture.
    pitch
        From the middle of a row to that of the next.
    """

    places: Mapping[int, tuple[float, float]]
    routes: Sequence[Sequence[tuple[float, float]]]
    columns: Sequence[float]
    width: float
    height: float
    pitch: float


def lay_out(
    nodes: Mapping[int, float],
    edges: Sequence[tuple[int, int]],
    *,
    min_width: float = 0.0,
    pitch: float = ROW,
) -> Layout:
    """Return positions of nodes and edges.

    Parameters
    ----------
    nodes
        Width of each node by id; a node stands after all those that it has edges from.
    edges
        Pairs (from, to).
    min_width
        Least width of the picture.
    pitch
        From the middle of a row to that of the next.
    """
    rank = _ranks(list(nodes), edges)
    widths: dict[int, float] = dict(nodes)
    chains: list[list[int]] = []
    lane_of: dict[tuple[int, int], int] = {}
    free = max(nodes, default=0) + 1
    for source, target in edges:
        chain = [source]
        for row in range(rank[source] + 1, rank[target]):
            # Readers of one tensor share its lane.
            if (source, row) not in lane_of:
                lane_of[source, row] = free
                rank[free], widths[free] = row, _LANE
                free += 1
            chain.append(lane_of[source, row])
        chains.append([*chain, target])
    above: dict[int, set[int]] = defaultdict(set)
    below: dict[int, set[int]] = defaultdict(set)
    for chain in chains:
        for upper, lower in pairwise(chain):
            below[upper].add(lower)
            above[lower].add(upper)
    rows: list[list[int]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for node, row in rank.items():
        rows[row].append(node)
    x = _positions(rows, widths, above, below)
    return _columns(nodes, rows, rank, x, widths, chains, min_width, pitch)


def _ranks(nodes: Sequence[int], edges: Sequence[tuple[int, int]]) -> dict[int, int]:
    before: dict[int, list[int]] = defaultdict(list)
    after: dict[int, list[int]] = defaultdict(list)
    for source, target in edges:
        before[target].append(source)
        after[source].append(target)
    rank: dict[int, int] = {}
    for node in nodes:
        rank[node] = max((rank[source] + 1 for source in before[node]), default=0)
    for node in reversed(nodes):
        # A box without wires into it stands next to its reader, not at the top.
        if not before[node] and after[node]:
            rank[node] = min(rank[target] for target in after[node]) - 1
    return rank


def _positions(
    rows: Sequence[list[int]],
    widths: Mapping[int, float],
    above: Mapping[int, set[int]],
    below: Mapping[int, set[int]],
) -> dict[int, float]:
    """Order each row by the mean positions of neighbours, then move nodes close to these."""
    x: dict[int, float] = {}
    for row in rows:
        for place, node in enumerate(row):
            x[node] = place * (BOX_WIDTH + _GAP)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        near = above if down else below
        for row in rows if down else reversed(rows):
            wanted = {node: _wanted(node, near.get(node, ()), widths, x) for node in row}
            row.sort(key=wanted.__getitem__)
            _settle(row, wanted, widths, x)
    return x


def _wanted(
    node: int, near: Iterable[int], widths: Mapping[int, float], x: Mapping[int, float]
) -> float:
    """Return the middle of a node's neighbours; lanes count only if none of them is a box.

    So a chain is a straight line, and wires that pass it go around.
    """
    others = list(near)
    boxes = [other for other in others if widths[other] != _LANE]
    chosen = boxes or others
    return sum(x[other] for other in chosen) / len(chosen) if chosen else x[node]


def _settle(
    row: Sequence[int],
    wanted: Mapping[int, float],
    widths: Mapping[int, float],
    x: dict[int, float],
) -> None:
    """Least squares under "no overlap": neighbours that would overlap move as one block."""
    offsets: list[float] = []
    at = 0.0
    for n, node in enumerate(row):
        if n:
            at += (widths[row[n - 1]] + widths[node]) / 2 + _GAP
        offsets.append(at)
    blocks: list[list[float]] = []  # weighted sum, weight, members
    for node, offset in zip(row, offsets, strict=True):
        weight = 1.0 if widths[node] == _LANE else 50.0
        blocks.append([weight * (wanted[node] - offset), weight, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] >= blocks[-1][0] / blocks[-1][1]:
            total, heft, members = blocks.pop()
            blocks[-1] = [blocks[-1][0] + total, blocks[-1][1] + heft, blocks[-1][2] + members]
    start = 0
    for total, heft, members in blocks:
        for n in range(start, start + int(members)):
            x[row[n]] = total / heft + offsets[n]
        start += int(members)


def _columns(
    nodes: Mapping[int, float],
    rows: Sequence[Sequence[int]],
    rank: Mapping[int, int],
    x: Mapping[int, float],
    widths: Mapping[int, float],
    chains: Sequence[Sequence[int]],
    min_width: float,
    pitch: float,
) -> Layout:
    spread = max((x[n] + widths[n] / 2 for n in x), default=0) - min(
        (x[n] - widths[n] / 2 for n in x), default=0
    )
    column_width = max(spread, BOX_WIDTH) + _GUTTER
    count = max(1, round(math.sqrt(len(rows) * pitch * _ASPECT / column_width)))
    length = max(_ROWS_OF_A_COLUMN, math.ceil(len(rows) / count))
    places: dict[int, tuple[float, float]] = {}
    columns: list[float] = []
    left = 0.0
    for first in range(0, len(rows), length):
        members = [node for row in rows[first : first + length] for node in row]
        start = min(x[n] - widths[n] / 2 for n in members)
        end = max(x[n] + widths[n] / 2 for n in members)
        columns.append(left)
        for n in members:
            places[n] = (left + x[n] - start, (rank[n] - first + 0.5) * pitch)
        left += end - start + _GUTTER
    return Layout(
        {node: places[node] for node in nodes},
        [[places[node] for node in chain] for chain in chains],
        columns,
        max(left - _GUTTER, min_width),
        min(length, len(rows)) * pitch,
        pitch,
    )


@dataclass(frozen=True, slots=True)
class Frame:
    """A rectangle, by its edges, around the boxes of a sub-graph.

    A sub-graph in several columns, or around boxes of others, has several.
    """

    part: int
    boxes: tuple[int, ...]
    left: float
    top: float
    right: float
    bottom: float


def frames_of(
    boxes: Sequence[Box],
    places: Mapping[int, tuple[float, float]],
    columns: Sequence[float],
    size: tuple[float, float],
) -> list[Frame]:
    """Return the frames of sub-graphs with several boxes; none if there is only one sub-graph.

    Parameters
    ----------
    boxes
        All boxes of the drawing.
    places
        Centre of each box by id.
    columns
        Left edges of the columns that the picture is cut into.
    size
        Width and height of a frame around a single box.
    """
    members: dict[tuple[int, int], list[int]] = defaultdict(list)
    for box in boxes:
        if box.part is not None and box.kind == "layer":
            members[box.part, bisect_right(columns, places[box.id][0])].append(box.id)
    if len({box.part for box in boxes} - {None}) < 2:
        return []
    ids = [box.id for box in boxes]
    frames = []
    for (part, _), own in members.items():
        own.sort(key=lambda number: places[number][::-1])
        run: list[int] = []
        for number in own:
            if run and _strangers(_around(part, [*run, number], places, size), ids, places):
                frames += _of_several(part, run, places, size)
                run = []
            run.append(number)
        frames += _of_several(part, run, places, size)
    return frames


def _of_several(
    part: int,
    ids: Sequence[int],
    places: Mapping[int, tuple[float, float]],
    size: tuple[float, float],
) -> list[Frame]:
    return [_around(part, ids, places, size)] if len(ids) > 1 else []


def _around(
    part: int,
    ids: Sequence[int],
    places: Mapping[int, tuple[float, float]],
    size: tuple[float, float],
) -> Frame:
    xs, ys = zip(*(places[number] for number in ids), strict=True)
    width, height = size[0] / 2, size[1] / 2
    return Frame(
        part, tuple(ids), min(xs) - width, min(ys) - height, max(xs) + width, max(ys) + height
    )


def _strangers(frame: Frame, ids: Sequence[int], places: Mapping[int, tuple[float, float]]) -> bool:
    """Whether the centre of a box of another sub-graph is inside."""
    own = set(frame.boxes)
    return any(
        frame.left < places[number][0] < frame.right
        and frame.top < places[number][1] < frame.bottom
        for number in ids
        if number not in own
    )
