# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Indices and axes outside of a tensor, which only a run finds: its message names them."""

from __future__ import annotations

import contextlib
import threading
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native import abi

from .harness import Layers, descriptor

FAR = [5, -6, 2**31 - 1, -(2**31), 2**32, 2**63 - 1, -(2**63)]
X = np.zeros((4, 5, 6), np.float32)


def run(cpu_ref: Layers, layer: int, operands: list[Any], shape: Any, form: Any = None) -> str:
    """The message of a run that fails."""
    with pytest.raises(ann.ExecutionError) as raised:
        cpu_ref.run(layer, form, operands, [(shape, np.float32)])
    return str(raised.value)


@pytest.mark.parametrize("bad", FAR)
def test_gather(cpu_ref: Layers, bad: int) -> None:
    layer = abi.ARMNN_LAYER_GATHER
    form = descriptor(abi.armnn_gather_descriptor_t, layer, axis=1)
    for dtype in (np.int32, np.int64) if abs(bad) <= 2**31 else (np.int64,):
        message = run(cpu_ref, layer, [X, np.array([0, 4, bad, 1], dtype)], (4, 4, 6), form)
        assert f"index {bad} at place 2" in message
        assert "[-5, 5)" in message


def test_gather_of_nothing(cpu_ref: Layers) -> None:
    layer, empty = abi.ARMNN_LAYER_GATHER, np.zeros((0, 2), np.float32)
    form = descriptor(abi.armnn_gather_descriptor_t, layer, axis=0)
    assert "index 0 at place 0" in run(cpu_ref, layer, [empty, np.int64([0])], (1, 2), form)


def test_indices_that_change_in_a_run() -> None:
    """What is not there any more when it is read, though it was checked, counts as 0."""
    indices, ends = np.zeros(400_000, np.int64), threading.Event()

    def change() -> None:
        while not ends.is_set():
            indices[200_000:200_064] = 1 << 40
            indices[200_000:200_064] = 0

    network = ann.Network()
    slot = network.add_input("x", ann.TensorInfo(indices.shape, ann.DataType.SIGNED64))
    network.add_output("y", network.add_gather(np.float32([3, 4, 5]), slot))
    thread = threading.Thread(target=change)
    thread.start()
    try:
        with (
            ann.Runtime(enable_dynamic_backends=False) as runtime,
            runtime.load_network(ann.optimize(network, ["CpuRef"], runtime=runtime)) as net,
        ):
            for _ in range(200):
                with contextlib.suppress(ann.ExecutionError):  # it was seen
                    assert (net.run({"x": indices})["y"] == 3).all()
    finally:
        ends.set()
        thread.join()


@pytest.mark.parametrize("bad", FAR)
def test_vectors_of_indices(cpu_ref: Layers, bad: int) -> None:
    vectors = np.array([[0, 4], [1, bad]], np.int64)
    scatter = abi.ARMNN_LAYER_SCATTER_ND
    form = descriptor(abi.armnn_scatter_nd_descriptor_t, scatter, input_enabled=True)
    for message in (
        run(cpu_ref, abi.ARMNN_LAYER_GATHER_ND, [X, vectors], (2, 6)),
        run(cpu_ref, scatter, [X, vectors, np.zeros((2, 6), np.float32)], X.shape, form),
    ):
        assert f"index {bad} at place 3" in message
        assert "[-5, 5), the bounds of dimension 1" in message


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ([3], "axis 3 of 3 dimensions is to be reversed"),
        ([-4], "axis -4 of 3 dimensions is to be reversed"),
        ([0, -3], "axis 0 is to be reversed twice"),
    ],
)
def test_reverse(cpu_ref: Layers, axes: list[int], words: str) -> None:
    assert words in run(cpu_ref, abi.ARMNN_LAYER_REVERSE_V2, [X, np.int32(axes)], X.shape)
