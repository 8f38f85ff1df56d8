# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks of many layers: what optimising and loading take grows as the network does.

Lines of the package that are run are counted, not seconds: of a network twice as large, they are
twice as many. Were anything done for each pair of layers, there would be four times as many.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

import armnn_py as ann
from armnn_py.runtime.plan.memory_plan import UsageRecord, plan_arena

INFO = ann.TensorInfo((4,))
RELU = ann.ActivationFunction.RELU
BOUNDED = ann.ActivationFunction.BOUNDED_RELU


def chain(count: int) -> ann.Network:
    """Layers that work in place, one behind the other: all tensors lie in one place."""
    network = ann.Network("chain")
    x = network.add_input("x", INFO)
    for n in range(count):
        x = network.add_activation(x, BOUNDED, a=n + 1.0)
    network.add_output("y", x)
    return network


def reshapes(count: int) -> ann.Network:
    """Tensors that lie in others by turns because of Reshapes and of layers in place."""
    network = ann.Network("reshapes")
    x = network.add_input("x", ann.TensorInfo((4, 6)))
    for n in range(count // 2):
        x = network.add_activation(x, BOUNDED, a=n + 1.0)
        x = network.add_reshape(x, (6, 4) if n % 2 else (2, 12))
    network.add_output("y", x)
    return network


def outputs(count: int) -> ann.Network:
    network = ann.Network("outputs")
    x = network.add_input("x", INFO)
    for n in range(count):
        network.add_output(f"y{n}", network.add_activation(x, BOUNDED, a=n + 1.0))
    return network


def inputs(count: int) -> ann.Network:
    network = ann.Network("inputs")
    made = [network.add_input(f"x{n}", INFO) for n in range(count)]
    network.add_output("y", network.add_concat([network.add_activation(x, RELU) for x in made], 0))
    return network


def pieces(count: int) -> ann.Network:
    """A tensor that is needed until the end, and layers that work on pieces of it."""
    network = ann.Network("pieces")
    x = network.add_activation(network.add_input("x", ann.TensorInfo((16 * count,))), RELU)
    cut = network.add_split(x, count, axis=0).outputs
    network.add_output("y", network.add_concat([network.add_activation(y, RELU) for y in cut], 0))
    network.add_output("x again", x)
    return network


def tree(count: int) -> ann.Network:
    """Sums of two: the results of half of the layers live at one time, and die one by one."""
    network = ann.Network("tree")
    x = network.add_activation(network.add_input("x", INFO), RELU)
    values = [network.add_activation(x, BOUNDED, a=n + 1.0) for n in range(count // 2)]
    while len(values) > 1:
        values = [
            network.add_addition(*pair) for pair in zip(values[::2], values[1::2], strict=True)
        ]
    network.add_output("y", values[0])
    return network


@contextmanager
def counted_lines(into: list[int]) -> Iterator[None]:
    """Append how many lines of the package the block runs."""
    lines = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> Callable[..., Any]:
        nonlocal lines
        lines += event == "line"
        return count

    def enter(frame: FrameType, _event: str, _argument: Any) -> Callable[..., Any] | None:
        return count if frame.f_globals.get("__name__", "").startswith("armnn_py.") else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield
    finally:
        sys.settrace(before)
        into.append(lines)


@pytest.mark.exhaustive(kept=1)
@pytest.mark.parametrize("network_of", [chain, reshapes, outputs, inputs, pieces, tree])
def test_twice_the_layers_are_twice_the_work(
    runtime: ann.Runtime, network_of: Callable[[int], ann.Network]
) -> None:
    optimising: list[int] = []
    loading: list[int] = []
    for count in (256, 512):
        network = network_of(count)
        with counted_lines(optimising):
            optimized = ann.optimize(network, ["CpuRef"], runtime=runtime)
        with counted_lines(loading):
            loaded = runtime.load_network(optimized)
        loaded.close()
    for small, large in (optimising, loading):
        assert large < 2.4 * small


@pytest.mark.parametrize(
    "record_of",
    [
        lambda n, count: UsageRecord(n, count, 64),
        lambda n, count: UsageRecord(0, n, 64 + 64 * (n % 3)),
        lambda n, count: UsageRecord(n, count + n // 2, 64),
        lambda n, count: UsageRecord(n, n + 1 + 20 * (n % 2), 64 * (1 + n % 5)),
    ],
    ids=["outputs", "inputs", "tree", "short and long"],
)
def test_twice_the_buffers_are_twice_the_work(record_of: Callable[[int, int], UsageRecord]) -> None:
    work: list[int] = []
    for count in (512, 1024):
        records = [record_of(n, count) for n in range(count)]
        with counted_lines(work):
            plan_arena(records)
    assert work[1] < 2.6 * work[0]  # a tree over the steps is one level deeper
