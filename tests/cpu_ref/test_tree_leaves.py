# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""TREE_LEAVES: trees drawn at random, against a walk in numpy, and nodes that lead nowhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native import abi

ASKED = (np.less_equal, np.less, np.greater_equal, np.greater, np.equal, np.not_equal)
LAYER = abi.ARMNN_LAYER_TREE_LEAVES


def forest(rng: np.random.Generator, count: int, features: int) -> np.ndarray:
    """Nodes that lead to any behind them, or to leaves."""
    nodes = np.zeros((count, 4), np.int32)
    for k in range(count):
        leads = [int(rng.integers(k + 1, count)) if k + 1 < count and rng.random() < 0.7 else
                 -1 - int(rng.integers(50)) for _ in range(2)]  # fmt: skip
        nodes[k] = rng.integers(features), rng.integers(6) + 8 * rng.integers(2), *leads
    return nodes


def leaves(x: np.ndarray, splits: np.ndarray, nodes: np.ndarray, roots: Any) -> np.ndarray:
    """All walks at once, one step after the other."""
    place = np.broadcast_to(np.int32(roots), (len(x), len(roots))).copy()
    rows = np.arange(len(x))[:, None]
    while (place >= 0).any():
        feature, question, hit, miss = np.moveaxis(nodes[np.maximum(place, 0)], -1, 0)
        value, split = x[rows, feature], splits[np.maximum(place, 0)]
        holds = np.choose(question % 8, [ask(value, split) for ask in ASKED])
        holds |= np.isnan(value) & (question >= 8)
        place = np.where(place < 0, place, np.where(holds, hit, miss))
    return -1 - place


def drawn(seed: int, dtype: Any, rows: int = 13) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    values = np.array([-np.inf, -1.5, -0.0, 0.0, 1e-45, 2.5, np.inf, np.nan], dtype)
    nodes = forest(rng, 40, 5)
    roots = np.append(rng.integers(0, 40, 10), -7).astype(np.int32)
    return [rng.choice(values, (rows, 5)), rng.choice(values, 40), nodes, roots]


@pytest.mark.parametrize("seed", range(5))
def test_leaves(cpu_ref: Any, seed: int) -> None:
    x, splits, nodes, roots = drawn(seed, np.float32)
    (found,) = cpu_ref.run(LAYER, None, [x, splits, nodes, roots], [((13, 11), np.int32)])
    np.testing.assert_array_equal(found, leaves(x, splits, nodes, roots))


def test_doubles() -> None:
    """Splits and features that float32 does not tell apart."""
    x, splits, nodes, roots = drawn(3, np.float64)
    rng = np.random.default_rng(4)
    x, splits = (1 + rng.integers(-3, 3, one.shape) * 2.0**-40 for one in (x, splits))
    network = ann.Network()
    rows = network.add_input("x", ann.TensorInfo(x.shape, ann.DataType.FLOAT64))
    known = [network.add_constant(one) for one in (splits, nodes, roots)]
    network.add_output("y", network.add_tree_leaves(rows, *known))
    with ann.load(network, ["CpuRef"]) as net:
        np.testing.assert_array_equal(net.run(x)["y"], leaves(x, splits, nodes, roots))


@pytest.mark.parametrize(
    "node", [(0, 0, 0, -1), (0, 0, 2, -1), (5, 0, -1, -1), (-1, 0, -1, -1), (0, 6, -1, -1),
             (0, -1, -1, -1), (0, 16, -1, -1)], ids=str)  # fmt: skip
def test_nodes_that_do_not_fit(cpu_ref: Any, node: tuple[int, ...]) -> None:
    x, splits = np.zeros((2, 5), np.float32), np.zeros(2, np.float32)
    nodes = np.array([node, (0, 0, -1, -2)], np.int32)
    with pytest.raises(Exception, match="node 0 of the trees"):
        cpu_ref.run(LAYER, None, [x, splits, nodes, np.int32([0])], [((2, 1), np.int32)])


def test_a_root_outside(cpu_ref: Any) -> None:
    x, splits = np.zeros((2, 5), np.float32), np.zeros(1, np.float32)
    operands = [x, splits, np.array([(0, 0, -1, -2)], np.int32), np.int32([0, 1])]
    with pytest.raises(Exception, match="root 1 is node 1, but there are 1"):
        cpu_ref.run(LAYER, None, operands, [((2, 2), np.int32)])
