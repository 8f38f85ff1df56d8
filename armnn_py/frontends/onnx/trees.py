# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Decision trees as layers.

Nodes of all trees are in one table, leaves among them, and a leaf leads to itself. Each turn takes
every row of the input down one level in every tree at once.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import counted, positions
from armnn_py.frontends.common.values import Array, Known, Unsupported, Value, dtype_of
from armnn_py.frontends.onnx.node import NodeView
from armnn_py.records import record
from armnn_py.types import ComparisonOperation, LogicalBinaryOperation, ReduceOperation

__all__ = ["AVERAGE", "SUM", "Nodes", "add_weight", "empty_table", "scores", "search"]

_MOST_LEVELS = 256
AVERAGE, SUM = 0, 1
_MODES = (
    ComparisonOperation.LESS_OR_EQUAL,
    ComparisonOperation.LESS,
    ComparisonOperation.GREATER_OR_EQUAL,
    ComparisonOperation.GREATER,
    ComparisonOperation.EQUAL,
    ComparisonOperation.NOT_EQUAL,
)
_LESS, _EQUAL = 1, 4


@record
class Nodes:
    """The nodes of all trees, those that compare and leaves alike."""

    modes: list[int] = field(default_factory=list)
    features: list[int] = field(default_factory=list)
    splits: list[float] = field(default_factory=list)
    hits: list[int] = field(default_factory=list)
    misses: list[int] = field(default_factory=list)
    tracks: list[bool] = field(default_factory=list)
    """Whether NaN is a hit."""

    def add(self, mode: int, feature: int, split: float, hit: int, miss: int, nan: bool) -> None:
        """Add a node that compares."""
        if len(self.modes) in (hit, miss):
            raise ParseError(f"node {len(self.modes)} of the trees leads to itself")
        self._add(mode, feature, split, hit, miss, nan)

    def _add(self, mode: int, feature: int, split: float, hit: int, miss: int, nan: bool) -> None:
        self.modes.append(mode)
        self.features.append(feature)
        self.splits.append(split)
        self.hits.append(hit)
        self.misses.append(miss)
        self.tracks.append(nan)

    def add_leaf(self) -> None:
        """Add a node that leads to itself."""
        own = len(self.modes)
        self._add(_EQUAL, 0, 0.0, own, own, False)


def search(nodes: Nodes, k: int, members: list[float]) -> None:
    """Halve ordered members at node ``k`` and below it, until one is left to be compared with.

    NaN is less than none of them, so that it gets to the last one, which says where it goes.
    """
    if len(members) == 1:
        nodes.modes[k], nodes.splits[k] = _EQUAL, members[0]
        return
    half = len(members) // 2
    lower, upper = len(nodes.modes), len(nodes.modes) + 1
    for _ in (lower, upper):
        nodes.add(_EQUAL, nodes.features[k], 0.0, nodes.hits[k], nodes.misses[k], nodes.tracks[k])
    nodes.modes[k], nodes.splits[k] = _LESS, members[half]
    nodes.hits[k], nodes.misses[k], nodes.tracks[k] = lower, upper, False
    search(nodes, lower, members[:half])
    search(nodes, upper, members[half:])


def empty_table(nodes: int, targets: int) -> Array:
    """Return the weights of each node, all 0."""
    if targets < 1:
        raise ParseError(f"{targets} targets")
    counted(nodes * targets)
    return np.zeros((nodes, targets), np.float32)


def add_weight(table: Array, node: int, target: int, weight: float) -> None:
    """Add to the weight that a leaf has for a target."""
    if not 0 <= target < table.shape[1]:
        raise ParseError(f"target {target} of {table.shape[1]}")
    with np.errstate(all="ignore"):  # a file may have weights beyond float32
        table[node, target] += weight


def _levels(nodes: Nodes, roots: list[int]) -> int:
    """Return how many turns it takes from the roots until all are at leaves."""
    if not roots or not all(0 <= root < len(nodes.modes) for root in roots):
        raise ParseError(f"{len(roots)} roots, or one that is none of {len(nodes.modes)} nodes")
    front, levels = set(roots), 0
    while front := {k for k in front if nodes.hits[k] != k}:
        if levels == _MOST_LEVELS:
            raise Unsupported(f"trees of more than {_MOST_LEVELS} levels, or that have no end")
        front = {nodes.hits[k] for k in front} | {nodes.misses[k] for k in front}
        levels += 1
    return levels


def scores(view: NodeView, nodes: Nodes, roots: list[int], table: Array, how: int) -> Value:
    """Return what the leaves of all trees add up to: [rows, targets]."""
    if how not in (AVERAGE, SUM):
        raise Unsupported(f"aggregate_function {how}")
    emit, shape = view.emit, view.shape(0)
    if len(shape) != 2 or not all(0 <= f < shape[1] for f in nodes.features):
        raise ParseError(f"an input of shape {shape} lacks features of the trees")
    # Doubles stay doubles: a feature rounded to float32 may lead to another leaf.
    real = np.float64 if dtype_of(view.value(0)) == np.float64 else np.float32
    x = emit.cast(view.value(0), real, "real")
    flat = emit.reshape(x, (shape[0] * shape[1],), "flat")
    row = Known(positions(shape[0], np.int32).reshape(-1, 1) * np.int32(shape[1]))
    place: Value = Known(np.array([roots], np.int32))
    for level in range(_levels(nodes, roots)):
        with emit.below(f"level{level}"):
            place = _step(view, nodes, flat, row, place)
    leaves = emit.gather(Known(table), place, 0, "leaves")
    y = emit.reduce(ReduceOperation.SUM, leaves, (1,), False, "sum")
    y = emit.scale(y, 1 / len(roots), "mean") if how == AVERAGE else y
    return emit.broadcast_to(y, (shape[0], table.shape[1]), "scores")


def _step(view: NodeView, nodes: Nodes, flat: Value, row: Value, place: Value) -> Value:
    """Return where the nodes at these places lead."""
    emit = view.emit

    def of(numbers: list[int] | list[float], name: str, dtype: Any = np.int32) -> Value:
        with np.errstate(over="ignore"):
            array: Array = np.array(numbers, dtype)
        return emit.gather(Known(array), place, 0, name)

    at = emit.add(of(nodes.features, "features"), row, "at")
    x, split = emit.gather(flat, at, 0, "x"), of(nodes.splits, "splits", dtype_of(flat))
    modes = sorted({nodes.modes[k] for k in range(len(nodes.modes)) if nodes.hits[k] != k})
    if any(mode not in range(len(_MODES)) for mode in modes):
        raise ParseError(f"modes {modes} of nodes")
    mode = of(nodes.modes, "modes") if len(modes) > 1 else None
    hit: Value | None = None
    for number in modes:
        one = emit.compare(_MODES[number], x, split, "holds")
        if mode is not None:
            is_mode = emit.compare(
                ComparisonOperation.EQUAL, mode, emit.scalar(number, mode), "is_mode"
            )
            one = emit.logical(LogicalBinaryOperation.AND, one, is_mode, "asked")
        hit = one if hit is None else emit.logical(LogicalBinaryOperation.OR, hit, one, "any")
    assert hit is not None
    if any(nodes.tracks):
        tracks = emit.cast(of([int(t) for t in nodes.tracks], "tracks"), np.bool_, "tracked")
        is_nan = emit.compare(ComparisonOperation.NOT_EQUAL, x, x, "is_nan")
        missing = emit.logical(LogicalBinaryOperation.AND, is_nan, tracks, "missing")
        hit = emit.logical(LogicalBinaryOperation.OR, hit, missing, "or_missing")
    return emit.where(hit, of(nodes.hits, "hits"), of(nodes.misses, "misses"))
