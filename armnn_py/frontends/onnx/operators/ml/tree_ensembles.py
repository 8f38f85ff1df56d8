# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Ensembles of decision trees, of ai.onnx.ml: how their nodes are written down."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Array, Known, Unsupported, Value, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import MACHINE_LEARNING, operator
from armnn_py.frontends.onnx.operators.ml.labels import (
    above,
    labels_of,
    numbered_transform_of,
    picked,
    top,
    transform_of,
    transformed,
    two,
)
from armnn_py.frontends.onnx.operators.ml.list_attributes import (
    as_float32,
    integer_list,
    integers,
    reals,
    tensor_of_reals,
)
from armnn_py.frontends.onnx.operators.ml.trees import (
    AVERAGE,
    MAX,
    MIN,
    SUM,
    Nodes,
    Weights,
    named_scores,
    scores,
    search,
)
from armnn_py.types import ComparisonOperation

_NAMES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")
_MEMBER = 6
_AGGREGATES = {"AVERAGE": AVERAGE, "SUM": SUM, "MIN": MIN, "MAX": MAX}


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
            raise ParseError(
                f"branches have {len(leads)} targets and {len(leafs)} leaf flags, expected {count} "
                "(one a node)"
            )
        ends.append([count + k if f else k for k, f in zip(leads, leafs, strict=True)])
        if any(not 0 <= k < (len(ids) if f else count) for k, f in zip(leads, leafs, strict=True)):
            raise ParseError(f"a branch leads outside the {count} nodes or leaves")
    if not len(splits) == len(modes) == len(tracks) == count or len(weights) != len(ids):
        raise ParseError(
            f"attributes do not all have one element for each of {count} nodes and {len(ids)} "
            "leaves"
        )
    roots = integer_list(view, "tree_roots")
    if any(root >= count for root in roots):
        raise ParseError(f"root {max(roots)} is outside the {count} nodes")
    how = numbered_transform_of(view)
    sets = _sets(view)
    nodes = Nodes()
    for k in range(count):
        nodes.add(int(modes[k]), features[k], float(splits[k]), ends[0][k], ends[1][k],
                  bool(tracks[k]))  # fmt: skip
    for _ in ids:
        nodes.add_leaf()
    _expand(nodes, sets, count)
    listed = Weights(list(range(count, count + len(ids))), ids, weights.tolist())
    y = scores(view, nodes, roots, listed, targets, view.integer("aggregate_function", SUM))
    return view.emit.cast(transformed(view, y, how), view.dtype(0))


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


def _expand(nodes: Nodes, sets: list[list[float]], count: int) -> None:
    """Make of each question for members a search among them."""
    asked = [k for k in range(count) if nodes.modes[k] == _MEMBER]
    if len(asked) > len(sets):
        raise ParseError(f"there are {len(sets)} member sets for {len(asked)} nodes that need one")
    for k, members in zip(asked, sets, strict=False):
        if not members:
            raise ParseError("a member set is empty")
        search(nodes, k, sorted(set(members)))


@operator("TreeEnsembleRegressor", domain=MACHINE_LEARNING)
def _tree_ensemble_regressor(view: NodeView) -> Value:
    transform = transform_of(view)
    how, targets = view.text("aggregate_function", "SUM"), view.integer("n_targets", 1)
    if how not in _AGGREGATES:
        raise ParseError(f"attribute 'aggregate_function' is {quoted(how)}, which is unknown")
    nodes, roots, weights = _listed(view, "target")
    y = scores(view, nodes, roots, weights, targets, _AGGREGATES[how])
    y = _based(view, y, targets)
    # onnxruntime leaves a single score as it is, whatever the transform but this one.
    return y if targets == 1 and transform != "PROBIT" else transformed(view, y, transform)


def _based(view: NodeView, y: Value, targets: int) -> Value:
    """Add the base values, if there are some."""
    base = reals(view, "base_values")
    if len(base) not in (0, targets):
        raise ParseError(f"the node has {len(base)} base values, expected {targets} (one a target)")
    return view.emit.add(y, Known(as_float32(base)), "based") if len(base) else y


def _listed(view: NodeView, prefix: str) -> tuple[Nodes, list[int], Weights]:
    """Return the nodes, the roots, and the weights of leaves."""
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
        raise ParseError(f"attributes do not all have one element for each of {len(own)} nodes")
    nodes = Nodes()
    for k, tree in enumerate(trees):
        if modes[k] == "LEAF":
            nodes.add_leaf()
            continue
        hit, miss = places.get((tree, hits[k])), places.get((tree, misses[k]))
        if modes[k] not in _NAMES or hit is None or miss is None:
            raise ParseError(
                f"node {own[k]} of tree {tree} has unknown mode {modes[k]!r}, or a branch without "
                "a node"
            )
        nodes.add(_NAMES.index(modes[k]), features[k], float(splits[k]), hit, miss, bool(tracks[k]))
    leaves = (integer_list(view, f"{prefix}_treeids"), integer_list(view, f"{prefix}_nodeids"),
              integer_list(view, f"{prefix}_ids"), reals(view, f"{prefix}_weights"))  # fmt: skip
    if len({len(v) for v in leaves}) != 1:
        raise ParseError("attributes of weights differ in length")
    found = Weights()
    for tree, node, target, weight in zip(*leaves, strict=True):
        if (tree, node) not in places:
            raise ParseError(f"tree {tree} has no node {node}, but has a weight for it")
        found.add(places[tree, node], target, float(weight))
    # The first node of a tree is its root.
    first: dict[int, int] = {}
    for k, tree in enumerate(trees):
        first.setdefault(tree, k)
    return nodes, list(first.values()), found


@operator("TreeEnsembleClassifier", domain=MACHINE_LEARNING)
def _tree_ensemble_classifier(view: NodeView) -> Sequence[Value]:
    how, labels = transform_of(view), labels_of(view, "classlabels_int64s")
    nodes, roots, weights = _listed(view, "class")
    classes, named = len(labels), set(weights.targets)
    if not named <= set(range(classes)):
        raise ParseError(f"target {max(named)} is outside the {classes} classes")
    if classes == 1:
        raise Unsupported("a single class")
    if classes == 2 and len(named) < 2:
        return _one_score(view, (nodes, roots, weights), labels, how)
    found, count = named_scores(view, nodes, roots, weights, classes)
    emit, is_based = view.emit, bool(len(reals(view, "base_values")))
    found = _based(view, found, classes)
    if is_based:
        return picked(view, labels, top(view, found)), transformed(view, found, how)
    # A class that no leaf names is not the top, even if the others' scores are below its 0.
    is_named = emit.compare(ComparisonOperation.GREATER, count, emit.scalar(0, count), "is_named")
    asked = emit.where(is_named, found, emit.scalar(-np.inf, found), "asked")
    return picked(view, labels, top(view, asked)), transformed(view, found, how)


def _one_score(
    view: NodeView, trees: tuple[Nodes, list[int], Weights], labels: Array, how: str
) -> Sequence[Value]:
    """Return labels and scores of two classes of which the trees have one score.

    It is the second one's. If leaves name the second class, the first one's score is 0, and
    nothing adds the base value, as in onnxruntime.
    """
    nodes, roots, weights = trees
    base = reals(view, "base_values")
    if len(base) > 1:
        raise Unsupported("2 base values of one score")
    only = Weights(weights.places, [0] * len(weights.places), weights.values)
    score = scores(view, nodes, roots, only, 1)
    is_centred = min(weights.values, default=0.0) < 0
    rows = shape_of(score)[0]
    if 1 in weights.targets:
        zero = Known(np.zeros((1, 1), np.float32))
        first = view.emit.broadcast_to(zero, (rows, 1), "first")
        both = view.emit.concat([first, score], 1, "both")
        place = above(view, score, 0 if is_centred else 0.5, rows)
        return picked(view, labels, place), transformed(view, both, how)
    if len(base):
        score = view.emit.add(score, Known(as_float32(base)), "based")
    place = above(view, score, 0 if is_centred else 0.5, rows)
    return picked(view, labels, place), two(view, score, how, is_centred=is_centred)
