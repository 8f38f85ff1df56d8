# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks over the backend "State", whose layers add up their inputs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

import armnn_py as ann
from armnn_py.python_backend import KernelCall, PythonBackend, kernel

ONES = np.ones(4, np.float32)


def live_states(folder: Path) -> int:
    """States that the backend of `make_runtime` has made and not destroyed."""
    return int(ctypes.CDLL(str(folder / "backends/Test_State_backend.so")).live_states())


def add_sums(network: ann.Network, x: ann.Source) -> ann.Source:
    """Two layers that each add up their inputs: 1, then 1 + 2, then 1 + 2 + 3, ..."""
    for index in range(2):
        x = network.add_elementwise_unary(
            x, ann.UnaryOperation.ABS, name=f"sum{index}", backend="State"
        )
    return x


def sums() -> ann.Network:
    """Two sums of four numbers, `add_sums`."""
    network = ann.Network("sums")
    network.add_output("y", add_sums(network, network.add_input("x", ann.TensorInfo((4,)))))
    return network


def sums_with_variable() -> ann.Network:
    """As `sums`, with a variable ``last``: the input before."""
    network = ann.Network("both")
    x = network.add_input("x", ann.TensorInfo((4,)))
    last = network.add_variable("last", ann.TensorInfo((4,)))
    network.assign(last, network.add_addition(x, np.zeros(4, np.float32)))
    network.add_output("y", add_sums(network, x))
    network.add_output("before", network.add_addition(last, np.zeros(4, np.float32)))
    return network


def sums_and_tail(*, sums_first: bool = True) -> ann.Network:
    """As `sums`, with a layer on "Tail" behind the sums, or before them; then another one."""
    network = ann.Network("tailed")
    x: ann.Source = network.add_input("x", ann.TensorInfo((4,)))
    if sums_first:
        x = add_sums(network, x)
    x = network.add_elementwise_unary(x, ann.UnaryOperation.NEG, name="tail", backend="Tail")
    if not sums_first:
        x = add_sums(network, x)
    network.add_output("y", network.add_addition(x, np.zeros(4, np.float32)))
    return network


def free_sums() -> ann.Network:
    """As `sums`, over rows of four numbers whose count is free."""

    def build(infos: Mapping[str, ann.TensorInfo]) -> ann.Network:
        network = ann.Network("rows")
        network.add_output("y", add_sums(network, network.add_input("x", infos["x"])))
        return network

    info = ann.TensorInfo((None, 4), dimension_names=("rows", None))
    return ann.Network.from_builder("rows", {"x": info}, build, {"y": info})


class Tail(PythonBackend):
    """Copies; calls `before` first, which may raise."""

    id = "Tail"
    before: Callable[[], None] = staticmethod(lambda: None)

    @kernel(ann.LayerType.ELEMENTWISE_UNARY, operation=ann.UnaryOperation.NEG)
    def copy(self, call: KernelCall) -> np.ndarray:
        """Copy the input."""
        self.before()
        return call.inputs[0].copy()
