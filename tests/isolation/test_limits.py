# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Limits of a worker hold for the code of its backend, and are checked when they are given."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py import Isolation
from armnn_py._native.process.confinement import has_filters, landlock_version

needs_landlock = pytest.mark.skipif(not landlock_version(), reason="the kernel has no Landlock")
needs_seccomp = pytest.mark.skipif(not has_filters(), reason="the kernel has no seccomp")

_CONFINED = """
import os, socket, subprocess, sys
from armnn_py._native.process import confinement
from armnn_py.isolation.settings import Isolation
from armnn_py.worker.serve import apply_limits

apply_limits(Isolation(**eval(sys.argv[1])), [])

def tried(action):
    try:
        action()
    except OSError as error:
        return type(error).__name__
    return "done"

print(tried(lambda: socket.socket(socket.AF_INET)))
print(tried(lambda: socket.socket(socket.AF_INET6)))
print(tried(lambda: socket.socket(socket.AF_UNIX)))
print(tried(lambda: subprocess.run(["true"], check=True)))
print(tried(lambda: open(sys.argv[2] + "/inside", "w")))
print(tried(lambda: open(sys.argv[3] + "/outside", "w")))
print(tried(lambda: os.listdir(sys.argv[3])))
print(tried(lambda: bytearray(1 << 30)) if "memory" in sys.argv[1] else "done")
print(tried(lambda: os.pwrite(os.memfd_create("large"), b"x", 1 << 20)))
"""


def confined(tmp_path: Path, **limits: Any) -> list[str]:
    """Apply limits in a process; say which of nine things it can do."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    command = [sys.executable, "-c", _CONFINED, repr(limits), str(inside), str(outside)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def test_without_limits_everything_can_be_done(tmp_path: Path) -> None:
    assert confined(tmp_path) == ["done"] * 9


@needs_seccomp
def test_no_network(tmp_path: Path) -> None:
    assert confined(tmp_path, network=False)[:4] == ["PermissionError"] * 2 + ["done"] * 2


@needs_seccomp
def test_no_programs(tmp_path: Path) -> None:
    assert confined(tmp_path, programs=False)[:4] == ["done"] * 3 + ["PermissionError"]


def test_bytes_of_a_file(tmp_path: Path) -> None:
    assert confined(tmp_path, written="1M") == ["done"] * 8 + ["OSError"]
    (tmp_path / "more").mkdir()
    assert confined(tmp_path / "more", written="2M") == ["done"] * 9


@needs_landlock
def test_files_as_listed(tmp_path: Path) -> None:
    made = confined(tmp_path, files=[str(tmp_path / "ins*")])
    assert made[4:7] == ["done", "PermissionError", "PermissionError"]


@needs_landlock
@needs_seccomp
def test_a_backend_runs_in_the_tightest_worker() -> None:
    limits = Isolation(files=[], network=False, programs=False, memory="2G", open_files=64)
    network = ann.Network("t")
    x = network.add_input("x", ann.TensorInfo((1, 8)))
    network.add_output("y", network.add_softmax(x))
    with (
        ann.Runtime(isolate={"CpuAcc": limits}) as runtime,
        ann.load(network, ["CpuAcc"], runtime=runtime) as loaded,
    ):
        made = loaded.run(np.zeros((1, 8), np.float32))["y"]
    np.testing.assert_allclose(made, np.full((1, 8), 0.125), rtol=1e-6)


@pytest.mark.parametrize(
    "wrong",
    [
        {"memory": "5X"}, {"memory": 0}, {"written": "5X"},
        {"deadline": 0}, {"deadline": float("nan")},
        {"patience": None}, {"threads": 0}, {"open_files": 3}, {"restarts": -1},
        {"files": "/dev"}, {"files": [3]},
    ],
)  # fmt: skip
def test_a_limit_of_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(ann.InvalidArgumentError, match=name):
        Isolation(**wrong)
