# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Weights of a network lie once in memory, which host and worker have mapped."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native.memory.owned import map_file, mapped_file_at
from armnn_py.network import ConstantLayer
from tests.isolation.conftest import soon

RANDOM = np.random.default_rng(1)
WEIGHTS = RANDOM.integers(-4, 5, (256, 256)).astype(np.float32)
X = RANDOM.integers(-4, 5, (1, 256)).astype(np.float32)


def two_products(*hints: str) -> ann.Network:
    network = ann.Network()
    value: Any = network.add_input("x", ann.TensorInfo((1, 256)))
    for hint, weights in zip(hints, (WEIGHTS, WEIGHTS.T), strict=True):
        value = network.add_fully_connected(value, weights)
        value.backend_hint = hint
    network.add_output("y", network.add_addition(value, np.ones((1, 256), np.float32)))
    return network


def are_shared(network: ann.Network) -> list[bool]:
    """Whether each constant lies in a file in memory, in the order of the network."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    ranges = [
        [int(end, 16) for end in line.split()[0].split("-")]
        for line in lines
        if "/memfd:armnn_py" in line
    ]
    constants = [layer for layer in network.layers if isinstance(layer, ConstantLayer)]
    places = [layer.value.__array_interface__["data"][0] for layer in constants]
    return [any(begin <= place < end for begin, end in ranges) for place in places]


def test_large_weights_lie_in_the_memory_of_the_worker() -> None:
    network = two_products("CpuRef", "CpuRef")
    constants = [layer.value for layer in network.layers if isinstance(layer, ConstantLayer)]
    expected = X @ WEIGHTS @ WEIGHTS.T + 1
    with (
        ann.Runtime(isolate={"CpuRef": ann.Isolation(restarts=0)}) as runtime,
        ann.load(network, ["CpuRef", "CpuAcc"], runtime=runtime) as loaded,
    ):
        assert are_shared(network) == [array.nbytes >= 1 << 16 for array in constants]
        np.testing.assert_array_equal(loaded.run(X)["y"], expected)
        os.kill(runtime.isolated["CpuRef"].process_id, signal.SIGKILL)
        np.testing.assert_array_equal(loaded.run(X)["y"], expected)
        assert loaded.last_run.degraded
    now = [layer.value for layer in network.layers if isinstance(layer, ConstantLayer)]
    for before, array in zip(constants, now, strict=True):
        np.testing.assert_array_equal(array, before)
        assert not array.flags.writeable


def test_weights_stay_where_another_backend_uses_some() -> None:
    network = two_products("CpuRef", "CpuAcc")
    with (
        ann.Runtime(isolate=["CpuRef"]) as runtime,
        ann.load(network, ["CpuRef", "CpuAcc"], runtime=runtime) as loaded,
    ):
        assert not any(are_shared(network))
        np.testing.assert_array_equal(loaded.run(X)["y"], X @ WEIGHTS @ WEIGHTS.T + 1)


def test_weights_of_a_saved_network_are_mapped_by_host_and_worker(tmp_path: Path) -> None:
    path = tmp_path / "network.armnnpy"
    with ann.Runtime() as runtime:
        ann.optimize(two_products("CpuRef", "CpuRef"), ["CpuRef"], runtime=runtime).save(path)
    expected = X @ WEIGHTS @ WEIGHTS.T + 1
    before = files_in_memory()
    with (
        ann.Runtime(isolate={"CpuRef": ann.Isolation(restarts=1)}) as runtime,
        ann.load(path, runtime=runtime) as loaded,
    ):
        np.testing.assert_array_equal(loaded.run(X)["y"], expected)
        worker = runtime.isolated["CpuRef"].process_id
        assert str(path) in Path(f"/proc/{worker}/maps").read_text()
        made = files_in_memory().items() - before.items()
        assert made
        assert all(size < WEIGHTS.nbytes for _, size in made)
        path.unlink()  # another worker gets the same file
        os.kill(worker, signal.SIGKILL)
        assert soon(lambda: len(runtime.events) == 2)
        np.testing.assert_array_equal(loaded.run(X)["y"], expected)
        assert not loaded.last_run.degraded


def files_in_memory() -> dict[int, int]:
    """The files in memory that this process shares with workers: their sizes by inode."""
    links = [one for one in Path("/proc/self/fd").iterdir() if one.is_symlink()]
    found = [one.stat() for one in links if "/memfd:armnn_py" in str(one.readlink())]
    return {one.st_ino: one.st_size for one in found}


@pytest.mark.parametrize("change", ["renamed", "written"])
def test_a_mapped_file_that_changed_is_not_opened_again(tmp_path: Path, change: str) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"12345678")
    with path.open("rb") as stream:
        array = map_file(stream.fileno(), str(path))
    place = array.__array_interface__["data"][0]
    file = mapped_file_at(place + 2, 6)
    assert file is not None
    assert mapped_file_at(place + 2, 7) is None
    descriptor = file.open()
    assert descriptor is not None
    assert os.pread(descriptor, 8, 0) == b"12345678"
    os.close(descriptor)
    if change == "renamed":
        path.rename(tmp_path / "other")
        path.write_bytes(b"12345678")
    else:
        os.utime(path, ns=(0, 0))
    assert file.open() is None
    del array
    assert file.bytes_at(place, 1) is None
