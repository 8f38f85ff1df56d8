# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Decision trees as layers.

Nodes of all trees are in one table, leaves among them, and a leaf leads to itself. The layer
TreeLeaves takes rows down the trees; what their leaves have is gathered and joined.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from msgspec import Struct, field

from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import MOST_POSITIONS, counted
from armnn_py.frontends.common.values import (
    Array,
    Known,
    Unsupported,
    Value,
    dtype_of,
    shape_of,
)
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.types import ComparisonOperation, LayerType, ReduceOperation

_MOST_LEVELS = 256
_DENSE = 4
AVERAGE, SUM, MIN, MAX = range(4)
_REDUCED = {MIN: ReduceOperation.MIN, MAX: ReduceOperation.MAX}
_EMPTY = {MIN: math.inf, MAX: -math.inf}
_MODES, _NAN_HITS = 6, 8
_LESS, _EQUAL = 1, 4


class Nodes(Struct, frozen=True):
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


class Weights(Struct, frozen=True):
    """The weights that leaves add to targets: three lists of one length."""

    places: list[int] = field(default_factory=list)
    """Of the leaf among the nodes."""
    targets: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def add(self, place: int, target: int, value: float) -> None:
        """Add a weight that a leaf has for a target."""
        self.places.append(place)
        self.targets.append(target)
        self.values.append(value)

    def table(self, targets: int, empty: float = 0.0) -> tuple[Array, Array]:
        """Return the leaves that have weights, and a row of weights for each.

        Weights of one leaf and target are added up; ``empty`` fills the places of other targets.
        """
        if targets < 1:
            raise ParseError(f"the trees have {targets} targets, expected at least 1")
        wrong = [one for one in self.targets if not 0 <= one < targets]
        if wrong:
            raise ParseError(f"target {wrong[0]} is outside the {targets} targets")
        leaves, rows = np.unique(np.array(self.places, np.int64), return_inverse=True)
        # As large as the file lists, or no larger than any other array of positions.
        if len(leaves) * targets > _DENSE * len(self.values):
            counted(len(leaves) * targets)
        table = np.zeros((max(len(leaves), 1), targets), np.float32)
        with np.errstate(all="ignore"):  # a file may have weights beyond float32
            flat = rows.reshape(-1) * targets + np.array(self.targets, np.int64)
            np.add.at(table.reshape(-1), flat, np.array(self.values, np.float64))
        if empty:
            named = np.zeros(table.shape, np.bool_)
            named[rows, self.targets] = True
            table[~named] = empty
        return leaves, table

    def single(self, targets: int) -> Single | None:
        """Return the weights by leaf if each has one and a table of them would be very large."""
        leaves, first = np.unique(np.array(self.places, np.int64), return_index=True)
        if len(leaves) < len(self.places) or len(leaves) * targets <= MOST_POSITIONS:
            return None
        own = np.array(self.targets, np.int64)[first]
        if own.min() < 0 or own.max() >= targets:
            return None
        with np.errstate(over="ignore"):
            return Single(leaves, own.astype(np.int32), np.array(self.values, np.float32)[first])


class Single(Struct, frozen=True):
    """Leaves that have one weight each."""

    leaves: Array
    targets: Array
    values: Array


def _order(hits: Array, misses: Array, asks: Array, roots: Array) -> Array:
    """Return the nodes that ask, tree by tree, each behind those that lead to it."""
    level = np.full(len(hits), -1)
    owner = np.zeros(len(hits), np.int64)
    owner[roots] = np.arange(len(roots))
    front, depth = np.unique(roots), 0
    while len(front := front[asks[front]]):
        if depth == _MOST_LEVELS:
            raise Unsupported(f"trees of more than {_MOST_LEVELS} levels, or that have no end")
        level[front] = depth
        for ends in (hits, misses):
            owner[ends[front]] = owner[front]
        front = np.unique(np.concatenate([hits[front], misses[front]]))
        depth += 1
    reached = np.flatnonzero(level >= 0)
    found = reached[np.lexsort((level[reached], owner[reached]))]
    place = np.zeros(len(hits), np.int64)
    place[found] = np.arange(len(found))
    if all(np.all(~asks[e] | (place[e] > place[found])) for e in (hits[found], misses[found])):
        return found
    return reached[np.argsort(level[reached], kind="stable")]  # trees have nodes in common


def scores(
    view: NodeView, nodes: Nodes, roots: list[int], weights: Weights, targets: int, how: int = SUM
) -> Value:
    """Return what the leaves of all trees come to: [rows, targets].

    The least or greatest weight of a target is 0 if no leaf has one for it.
    """
    if how not in (AVERAGE, SUM, MIN, MAX):
        raise ParseError(f"attribute 'aggregate_function' is {how}, which is unknown")
    empty = _EMPTY.get(how, 0.0)
    single = None if empty else weights.single(targets)
    if single is not None:
        y, _ = _joined_singly(view, nodes, roots, single, targets)
        return view.emit.scale(y, 1 / len(roots), "mean") if how == AVERAGE else y
    leaves, table = weights.table(targets, empty)
    y = _joined(view, nodes, roots, leaves, table, how)
    if not empty or np.isfinite(table).all():
        return y
    emit = view.emit
    is_empty = emit.compare(ComparisonOperation.EQUAL, y, emit.scalar(empty, y), "is_empty")
    return emit.where(is_empty, emit.scalar(0, y), y, "known")


def named_scores(
    view: NodeView, nodes: Nodes, roots: list[int], weights: Weights, targets: int
) -> tuple[Value, Value]:
    """Return sums, and in how many trees the leaf has a weight for each target."""
    single = weights.single(targets)
    if single is not None:
        return _joined_singly(view, nodes, roots, single, targets)
    leaves, table = weights.table(targets)
    counts = Weights(weights.places, weights.targets, [1.0] * len(weights.places))
    both = np.concatenate([table, counts.table(targets)[1] != 0], 1, dtype=np.float32)
    y = _joined(view, nodes, roots, leaves, both, SUM)
    found, count = view.emit.split(y, [targets] * 2, 1, "found")
    return found, count


def _joined(
    view: NodeView, nodes: Nodes, roots: list[int], leaves: Array, table: Array, how: int
) -> Value:
    """Take all trees down to their leaves, and join the rows of the table that these have."""
    emit, rows = view.emit, view.shape(0)[0]
    found, is_whole = _found(view, nodes, roots, leaves)
    if not is_whole:
        table = np.concatenate([table, np.full_like(table[:1], _EMPTY.get(how, 0.0))])
    each = emit.gather(Known(table), found, 0, "leaves")
    y = emit.reduce(_REDUCED.get(how, ReduceOperation.SUM), each, (1,), False, "joined")
    y = emit.scale(y, 1 / len(roots), "mean") if how == AVERAGE else y
    return emit.broadcast_to(y, (rows, table.shape[1]), "scores")


def _joined_singly(
    view: NodeView, nodes: Nodes, roots: list[int], single: Single, targets: int
) -> tuple[Value, Value]:
    """Add up weights by target, and count the trees that have one, without a table of all."""
    emit, rows = view.emit, view.shape(0)[0]
    found, _ = _found(view, nodes, roots, single.leaves)
    columns = [np.append(single.targets, np.int32(-1)), np.append(single.values, np.float32(0))]
    own, weight = (
        emit.reshape(gathered, (*shape_of(gathered), 1), f"{name}_wide")
        for name, column in zip(("target", "weight"), columns, strict=True)
        for gathered in [emit.gather(Known(column), found, 0, name)]
    )
    each = Known(np.arange(targets, dtype=np.int32).reshape(1, 1, targets))
    is_own = emit.compare(ComparisonOperation.EQUAL, own, each, "is_own")
    parts = {
        "sum": emit.where(is_own, weight, emit.scalar(0, weight), "weights"),
        "count": emit.cast(is_own, np.float32, "ones"),
    }
    sums, counts = (
        emit.reduce(ReduceOperation.SUM, value, (1,), False, name) for name, value in parts.items()
    )
    shape = (rows, targets)
    return emit.broadcast_to(sums, shape, "scores"), emit.broadcast_to(counts, shape, "counts")


def _found(view: NodeView, nodes: Nodes, roots: list[int], leaves: Array) -> tuple[Value, bool]:
    """Return the place in ``leaves`` of what each row of the input comes to in each tree.

    Leaves that are not listed have the place behind the last one. Also returned: whether all are.
    """
    emit, shape, count = view.emit, view.shape(0), len(nodes.modes)
    if len(shape) != 2 or not all(0 <= f < shape[1] for f in nodes.features):
        raise ParseError(f"an input of shape {shape} lacks features that the trees read")
    if not roots or not all(0 <= root < count for root in roots):
        raise ParseError(
            f"{len(roots)} roots given, expected at least one, and each below {count} nodes"
        )
    # Doubles stay doubles: a feature rounded to float32 may lead to another leaf.
    real = np.float64 if dtype_of(view.value(0)) == np.float64 else np.float32
    x = emit.cast(view.value(0), real, "real")
    operands = [x, *(Known(one) for one in _numbered(nodes, roots, leaves, real))]
    found = emit.layer(LayerType.TREE_LEAVES, operands, name="found")
    is_leaf = np.array(nodes.hits, np.int64) == np.arange(count)
    return found, len(leaves) >= int(is_leaf.sum())


def _numbered(nodes: Nodes, roots: list[int], leaves: Array, real: Any) -> tuple[Array, ...]:
    """Return splits, nodes and roots as the layer has them, without what nothing leads to."""
    count, starts = len(nodes.modes), np.array(roots, np.int64)
    hits, misses, modes, features = (
        np.array(column, np.int64)
        for column in (nodes.hits, nodes.misses, nodes.modes, nodes.features)
    )
    asks = hits != np.arange(count)
    if not np.isin(modes[asks], range(_MODES)).all():
        raise ParseError(
            f"nodes have modes {np.unique(modes[asks]).tolist()}, of which some are unknown"
        )
    order = _order(hits, misses, asks, starts)
    if not len(order):  # trees that are leaves: no tensor is empty
        order = np.zeros(1, np.int64)
    # The number of a node, or -1 - the place of a leaf.
    number = np.full(count, -1 - max(len(leaves), 1))
    number[leaves] = -1 - np.arange(len(leaves))
    ask = order[asks[order]]
    number[ask] = np.arange(len(ask))
    questions = modes + np.where(np.array(nodes.tracks, np.bool_), _NAN_HITS, 0)
    columns = [features[order], questions[order], number[hits[order]], number[misses[order]]]
    with np.errstate(over="ignore"):
        splits = np.array(nodes.splits, real)[order]
    return splits, np.stack(columns, 1).astype(np.int32), number[starts].astype(np.int32)
