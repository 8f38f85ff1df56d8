# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Frames around the boxes of one sub-graph, where no other box would be inside."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.pictures.drawing import Box

__all__ = ["Frame", "frames_of"]


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
