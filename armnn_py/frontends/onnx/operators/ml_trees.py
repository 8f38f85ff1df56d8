# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Ensembles of decision trees, of ai.onnx.ml.

Nodes of all trees are in one table, the leaves behind them, and a leaf leads to itself. Each turn
takes every row of the input down one level in every tree at once.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import Any

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import counted, positions
from armnn_py.frontends.common.values import Array, Known, Unsupported, Value, dtype_of
from armnn_py.frontends.onnx.ml_attributes import (
    as_float32,
    integer_list,
    integers,
    reals,
    tensor_of_reals,
)
from armnn_py.frontends.onnx.node import NodeView
from armnn_py.frontends.onnx.table import MACHINE_LEARNING, operator
from armnn_py.records import record
from armnn_py.types import ComparisonOperation, LogicalBinaryOperation, ReduceOperation

__all__: list[str] = []

_MOST_LEVELS = 256
_AVERAGE, _SUM = 0, 1
_MODES = (
    ComparisonOperation.LESS_OR_EQUAL,
    ComparisonOperation.LESS,
    ComparisonOperation.GREATER_OR_EQUAL,
    ComparisonOperation.GREATER,
    ComparisonOperation.EQUAL,
    ComparisonOperation.NOT_EQUAL,
)
_NAMES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
_LESS, _EQUAL, _MEMBER = 1, 4, 6


@record
class _Nodes:
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


@operator("TreeEnsemble", since=5, domain=MACHINE_LEARNING)
def _tree_ensemble(view: NodeView) -> Value:
    features = integer_list(view, "nodes_featureids")
    count, targets = len(features), view.integer("n_targets", 1)
    splits, weights = tensor_of_reals(view, "nodes_splits"), tensor_of_reals(view, "leaf_weights")
    modes, ids = integers(view, "nodes_modes"), integer_list(view, "leaf_targetids")
    tracks = view.ints("nodes_missing_value_tracks_true") or [0] * count
    ends: list[list[int]] = []
    for name in ("true", "false"):
        leads, leafs = (
            integer_list(view, f"nodes_{name}nodeids"),
            integer_list(view, f"nodes_{name}leafs"),
        )
        if len(leads) != count or len(leafs) != count:
            raise ParseError(f"{len(leads)} and {len(leafs)} ends of {count} nodes")
        ends.append([count + k if f else k for k, f in zip(leads, leafs, strict=True)])
        if any(not 0 <= k < (len(ids) if f else count) for k, f in zip(leads, leafs, strict=True)):
            raise ParseError(f"a node of {count} leads to none")
    if not len(splits) == len(modes) == len(tracks) == count or len(weights) != len(ids):
        raise ParseError(f"attributes of {count} nodes and {len(ids)} leaves have other lengths")
    roots = integer_list(view, "tree_roots")
    if view.integer("post_transform"):
        raise Unsupported(f"post_transform {view.integer('post_transform')}")
    sets = _sets(view)
    nodes = _Nodes()
    for k in range(count):
        nodes.add(int(modes[k]), features[k], float(splits[k]), ends[0][k], ends[1][k],
                  bool(tracks[k]))  # fmt: skip
    for _ in ids:
        nodes.add_leaf()
    _expand(nodes, sets, count)
    table = _table(len(nodes.modes), targets)
    for leaf, (target, weight) in enumerate(zip(ids, weights, strict=True)):
        _add_weight(table, count + leaf, target, float(weight))
    y = _scores(view, nodes, roots, table, view.integer("aggregate_function", _SUM))
    return view.emit.cast(y, view.dtype(0))


def _sets(view: NodeView) -> list[list[float]]:
    """Return the sets of members, which NaNs end."""
    found: list[list[float]] = [[]]
    if view.tensor("membership_values") is None:
        return found
    for value in tensor_of_reals(view, "membership_values").tolist():
        if math.isnan(value):
            found.append([])
        else:
            found[-1].append(value)
    return found


def _expand(nodes: _Nodes, sets: list[list[float]], count: int) -> None:
    """Make of each question for members a search among them."""
    asked = [k for k in range(count) if nodes.modes[k] == _MEMBER]
    if len(asked) > len(sets):
        raise ParseError(f"{len(sets)} sets of members for {len(asked)} nodes")
    for k, members in zip(asked, sets, strict=False):
        if not members:
            raise ParseError("a set has no members")
        _search(nodes, k, sorted(set(members)))


def _search(nodes: _Nodes, k: int, members: list[float]) -> None:
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
    _search(nodes, lower, members[:half])
    _search(nodes, upper, members[half:])


@operator("TreeEnsembleRegressor", domain=MACHINE_LEARNING)
def _tree_ensemble_regressor(view: NodeView) -> Value:
    if view.text("post_transform", "NONE") != "NONE":
        raise Unsupported(f"post_transform {view.text('post_transform')!r}")
    how, targets = view.text("aggregate_function", "SUM"), view.integer("n_targets", 1)
    if how not in ("SUM", "AVERAGE"):
        raise Unsupported(f"aggregate_function {how!r}")
    trees, own = integer_list(view, "nodes_treeids"), integer_list(view, "nodes_nodeids")
    places = {key: k for k, key in enumerate(zip(trees, own, strict=False))}
    modes, features = (
        view.node.attributes.get("nodes_modes"),
        integer_list(view, "nodes_featureids"),
    )
    hits, misses = integer_list(view, "nodes_truenodeids"), integer_list(view, "nodes_falsenodeids")
    splits = reals(view, "nodes_values")
    tracks = view.ints("nodes_missing_value_tracks_true") or [0] * len(own)
    given = (trees, features, hits, misses, splits, tracks)
    if not isinstance(modes, list) or any(len(v) != len(own) for v in (*given, modes)):
        raise ParseError(f"attributes of {len(own)} nodes have other lengths")
    nodes = _Nodes()
    for k, tree in enumerate(trees):
        if modes[k] == "LEAF":
            nodes.add_leaf()
            continue
        hit, miss = places.get((tree, hits[k])), places.get((tree, misses[k]))
        if modes[k] not in _NAMES or hit is None or miss is None:
            raise ParseError(f"node {own[k]} of tree {tree} has mode {modes[k]!r} or leads to none")
        nodes.add(_NAMES.index(modes[k]), features[k], float(splits[k]), hit, miss, bool(tracks[k]))
    table = _table(len(own), targets)
    leaves = (integer_list(view, "target_treeids"), integer_list(view, "target_nodeids"),
              integer_list(view, "target_ids"), reals(view, "target_weights"))  # fmt: skip
    if len({len(v) for v in leaves}) != 1:
        raise ParseError("attributes of targets differ in length")
    for tree, node, target, weight in zip(*leaves, strict=True):
        if (tree, node) not in places:
            raise ParseError(f"a weight of node {node} of tree {tree}, which is none")
        _add_weight(table, places[tree, node], target, float(weight))
    # The first node of a tree is its root.
    first: dict[int, int] = {}
    for k, tree in enumerate(trees):
        first.setdefault(tree, k)
    roots = list(first.values())
    y = _scores(view, nodes, roots, table, _AVERAGE if how == "AVERAGE" else _SUM)
    base = reals(view, "base_values")
    if not len(base):
        return y
    if len(base) != targets:
        raise ParseError(f"{len(base)} base values of {targets} targets")
    return view.emit.add(y, Known(as_float32(base)))


def _table(nodes: int, targets: int) -> Array:
    """Return the weights of each node, all 0."""
    if targets < 1:
        raise ParseError(f"{targets} targets")
    counted(nodes * targets)
    return np.zeros((nodes, targets), np.float32)


def _add_weight(table: Array, node: int, target: int, weight: float) -> None:
    if not 0 <= target < table.shape[1]:
        raise ParseError(f"target {target} of {table.shape[1]}")
    with np.errstate(all="ignore"):  # a file may have weights beyond float32
        table[node, target] += weight


def _levels(nodes: _Nodes, roots: list[int]) -> int:
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


def _scores(view: NodeView, nodes: _Nodes, roots: list[int], table: Array, how: int) -> Value:
    """Return what the leaves of all trees add up to: [rows, targets]."""
    if how not in (_AVERAGE, _SUM):
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
    y = emit.scale(y, 1 / len(roots), "mean") if how == _AVERAGE else y
    return emit.broadcast_to(y, (shape[0], table.shape[1]), "scores")


def _step(view: NodeView, nodes: _Nodes, flat: Value, row: Value, place: Value) -> Value:
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
