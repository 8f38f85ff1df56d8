# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Rows that go down decision trees, by CpuAcc."""

from __future__ import annotations

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.types import DataType
from tests.cpu_ref.test_tree_leaves import drawn, leaves


def loaded(
    runtime: ann.Runtime, operands: list[np.ndarray], *, threads: int = 1
) -> ann.LoadedNetwork:
    x, splits, nodes, roots = operands
    network = ann.Network()
    rows = network.add_input("x", ann.TensorInfo(x.shape, DataType.from_numpy(x.dtype)))
    known = [network.add_constant(one) for one in (splits, nodes, roots)]
    network.add_output("y", network.add_tree_leaves(rows, *known))
    return ann.load(network, ["CpuAcc"], runtime=runtime, threads=threads)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rows", [1, 7, 8, 150])
@pytest.mark.parametrize("seed", range(3))
def test_leaves(runtime: ann.Runtime, seed: int, rows: int, threads: int) -> None:
    """Every question, NaN, infinities and zeros on both sides."""
    operands = drawn(seed, np.float32, rows)
    with loaded(runtime, operands, threads=threads) as net:
        found = net.run(operands[0])["y"]
        np.testing.assert_array_equal(found, leaves(*operands))


@pytest.mark.parametrize("question", range(14))
def test_one_question(runtime: ann.Runtime, question: int) -> None:
    """Rows without NaN take another loop."""
    if question % 8 > 5:
        pytest.skip("no question has this number")
    values = np.array([-np.inf, -1.0, -0.0, 0.0, 1e-45, 1.0, np.inf, np.nan], np.float32)
    nodes = np.array([[0, question, -1, -2]] * 8, np.int32)
    for count in (7, 8):
        x = values[:count, None].repeat(2, 1)
        operands = [x, values, nodes, np.arange(8, dtype=np.int32)]
        with loaded(runtime, operands) as net:
            np.testing.assert_array_equal(net.run(x)["y"], leaves(*operands))


def test_layers_left_to_other_backends(runtime: ann.Runtime) -> None:
    with pytest.raises(ann.ArmnnError, match="no kernel for float64"):
        loaded(runtime, drawn(1, np.float64))


def test_nodes_that_lead_back_are_refused(runtime: ann.Runtime) -> None:
    x, splits = np.zeros((2, 5), np.float32), np.zeros(1, np.float32)
    operands = [x, splits, np.array([(0, 0, 0, -1)], np.int32), np.int32([0])]
    with pytest.raises(ann.ArmnnError):
        loaded(runtime, operands)
