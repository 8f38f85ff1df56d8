# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Repeated edges before a maximum, and cuts from cuts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.descriptors import Pooling2dDescriptor, SliceDescriptor, StridedSliceDescriptor

from .fusions import apply, pass_named, random_inputs, run, types

FOLD_EDGES_INTO_POOLING2D = pass_named("fold-edges-into-pooling2d")
MERGE_CONSECUTIVE_SLICES = pass_named("merge-consecutive-slices")
MAX, AVERAGE = ann.PoolingAlgorithm.MAX, ann.PoolingAlgorithm.AVERAGE
NHWC, NCHW = ann.DataLayout.NHWC, ann.DataLayout.NCHW


def same_outputs(runtime: ann.Runtime, network: ann.Network, after: ann.Network) -> None:
    inputs = random_inputs(network)
    inputs = {name: array - 5 for name, array in inputs.items()}  # a maximum below 0
    expected = run(runtime, network, inputs)
    for name, array in run(runtime, after, inputs).items():
        np.testing.assert_array_equal(array, expected[name])


def pooled(
    indices: Any, *, layout: ann.DataLayout = NHWC, kind: Any = MAX, axis: int = 1, **pool: Any
) -> ann.Network:
    network = ann.Network()
    shape = (2, 5, 5, 3) if layout is NHWC else (2, 3, 5, 5)
    x = network.add_input("x", ann.TensorInfo(shape))
    y = network.add_gather(x, np.asarray(indices, np.int32), axis)
    pool = {"stride": 2, **pool}
    network.add_output("y", network.add_pooling2d(y, kind, 3, data_layout=layout, **pool))
    return network


@pytest.mark.parametrize("layout", [NHWC, NCHW])
@pytest.mark.parametrize(("before", "after"), [(0, 0), (0, 2), (1, 0), (2, 1)])
@pytest.mark.parametrize("vertical", [True, False])
def test_edges(
    runtime: ann.Runtime, layout: ann.DataLayout, before: int, after: int, vertical: bool
) -> None:
    axis = (1 if layout is NHWC else 2) + (not vertical)
    network = pooled(
        np.pad(np.arange(5), (before, after), mode="edge"),
        layout=layout,
        axis=axis,
        padding=(0, 1, 0, 1),
    )
    graph, log = apply(network, FOLD_EDGES_INTO_POOLING2D)
    assert types(graph) == ["Pooling2d"]
    assert len(log.changes) == 1
    (pool,) = (node for node in graph if not node.is_host)
    d = pool.descriptor
    assert isinstance(d, Pooling2dDescriptor)
    assert (d.pad_top if vertical else d.pad_left) >= before
    same_outputs(runtime, network, graph.to_network()[0])


def test_both_dimensions(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 4, 2)))
    edge = np.array([0, 1, 2, 3, 3], np.int32)
    y = network.add_gather(network.add_gather(x, edge, 1), edge, 2)
    network.add_output("y", network.add_pooling2d(y, MAX, 3, stride=2))
    graph, log = apply(network, FOLD_EDGES_INTO_POOLING2D)
    assert types(graph) == ["Pooling2d"]
    assert len(log.changes) == 2
    same_outputs(runtime, network, graph.to_network()[0])


@pytest.mark.parametrize(
    "network",
    [
        pooled([0, 1, 2, 3, 4, 3]),
        pooled([0, 0, 1, 2, 3]),
        pooled([0, 1, 3, 2, 4, 4]),
        pooled([1, 1, 2, 3, 4, 4]),
        pooled([0, 1, 1], axis=0),
        pooled([0, 1, 2, 2], axis=3),
        pooled([0, 1, 2, 3, 4, 4], kind=AVERAGE),
        # A window of copies only: their maximum is the edge, that of padding 0.
        pooled([0] * 4 + [1, 2, 3, 4], stride=1),
        # A window that steps over the edge to its copy.
        pooled([0, 1, 2, 3, 4, 4, 4], dilation=2, stride=1),
    ],
    ids=[
        "reflected",
        "an element lost",
        "order",
        "another begin",
        "batch",
        "channels",
        "average",
        "only copies",
        "dilation",
    ],
)
def test_edges_near_misses(network: ann.Network) -> None:
    graph, log = apply(network, FOLD_EDGES_INTO_POOLING2D)
    assert types(graph) == ["Gather", "Pooling2d"]
    assert log.changes == []


def test_edges_that_others_read_stay() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 4, 2)))
    y = network.add_gather(x, np.array([0, 1, 2, 3, 3], np.int32), 1)
    network.add_output("y", network.add_pooling2d(y, MAX, 2))
    network.add_output("z", y)
    assert not apply(network, FOLD_EDGES_INTO_POOLING2D)[1].changes


# ---- Cuts --------------------------------------------------------------------------------------


def cut_twice(first: tuple[Any, ...], later: tuple[Any, ...], **masks: int) -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((11, 12)))
    y = (
        network.add_strided_slice(x, *first, **masks)
        if len(first) == 3
        else network.add_slice(x, *first)
    )
    y = network.add_strided_slice(y, *later) if len(later) == 3 else network.add_slice(y, *later)
    network.add_output("y", y)
    return network


def test_one_dimension_after_the_other(runtime: ann.Runtime) -> None:
    network = cut_twice(([1, 0], [11, 12], [2, 1]), ([0, 3], [5, 12], [1, 4]))
    graph, log = apply(network, MERGE_CONSECUTIVE_SLICES)
    (node,) = (node for node in graph if not node.is_host)
    assert node.descriptor == StridedSliceDescriptor((1, 3), (10, 12), (2, 4))
    assert len(log.changes) == 1
    same_outputs(runtime, network, graph.to_network()[0])


def test_slices_become_a_slice(runtime: ann.Runtime) -> None:
    network = cut_twice(([1, 2], [9, 8]), ([3, 1], [4, 5]))
    graph, _ = apply(network, MERGE_CONSECUTIVE_SLICES)
    (node,) = (node for node in graph if not node.is_host)
    assert node.descriptor == SliceDescriptor((4, 3), (4, 5))
    same_outputs(runtime, network, graph.to_network()[0])


@pytest.mark.parametrize(
    ("first", "masks"),
    [
        (([-9, -50], [11, 50], [3, 2]), {}),
        (([5, 7], [3, 4], [1, 2]), {"begin_mask": 0b01, "end_mask": 0b10}),
        (([2, 2], [9, 8]), {}),
    ],
)
def test_numbers_that_count_from_the_end(
    runtime: ann.Runtime, first: tuple[Any, ...], masks: dict[str, int]
) -> None:
    network = cut_twice(first, ([-2, 1], [50, 3], [1, 2]), **masks)
    graph, _ = apply(network, MERGE_CONSECUTIVE_SLICES)
    assert len(types(graph)) == 1
    same_outputs(runtime, network, graph.to_network()[0])


def test_cuts_backwards_and_of_nothing_stay() -> None:
    for first, later in [
        (([10, 0], [0, 12], [-1, 1]), ([0, 3], [5, 12], [1, 4])),
        (([1, 0], [11, 12], [2, 1]), ([4, 3], [0, 12], [-1, 4])),
        (([1, 2], [9, 8]), ([3, 1], [0, 5])),
    ]:
        assert not apply(cut_twice(first, later), MERGE_CONSECUTIVE_SLICES)[1].changes


def test_a_cut_that_others_read_stays(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((6,)))
    first = network.add_slice(x, [1], [5])
    network.add_output("a", first)
    network.add_output("b", network.add_slice(first, [2], [2]))
    graph, log = apply(network, MERGE_CONSECUTIVE_SLICES)
    assert types(graph) == ["Slice", "Slice"]
    assert len(log.changes) == 1
    same_outputs(runtime, network, graph.to_network()[0])
