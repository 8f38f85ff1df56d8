# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Models and saved networks that are mapped: their descriptors, and what truncation does."""

from __future__ import annotations

import gc
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from tests.frontends.tflite.conftest import Builder

DEMO = Path(ann.__file__).parent / "demo" / "digits.onnx"
SIZE = 256

#: Truncates the file of a network that has run, and runs it again.
PROGRAM = """
import os, sys
import numpy as np
import armnn_py as ann
network = ann.load(sys.argv[1], sys.argv[2:] or None)
x = np.ones(next(iter(network.inputs.values())).shape, np.float32)
network.run(x)
os.truncate(sys.argv[1], 4096)
print("truncated", flush=True)
network.run(x)
"""


def tflite(folder: Path) -> Path:
    """A product with 256 KiB of weights."""
    b = Builder()
    x, y = b.tensor("x", (1, SIZE)), b.tensor("y", (1, SIZE))
    w = b.constant("w", np.eye(SIZE, dtype=np.float32))
    b.op("FULLY_CONNECTED", [x, w, -1], [y], ("FullyConnectedOptions", {}))
    b.ends([x], [y])
    path = folder / "product.tflite"
    path.write_bytes(b.data())
    return path


def saved(folder: Path) -> Path:
    path = folder / "product.armnnpy"
    with ann.Runtime() as runtime:
        network = ann.import_model(tflite(folder))
        ann.optimize(network, ["CpuRef"], runtime=runtime).save(path)
    return path


def onnx(_folder: Path) -> Path:
    return DEMO


@pytest.mark.skipif(platform.system() != "Linux", reason="needs /proc")
@pytest.mark.parametrize("make", [tflite, saved, onnx])
def test_close_gives_descriptors_back(make: Callable[[Path], Path], tmp_path: Path) -> None:
    """The collector of cycles rests: nothing but `close` gives anything back."""
    path = make(tmp_path)
    ann.load(path).close()  # what is opened once
    descriptors = Path("/proc/self/fd")
    before = len(list(descriptors.iterdir()))
    gc.disable()
    try:
        for _ in range(60):
            ann.load(path).close()
        assert len(list(descriptors.iterdir())) == before
    finally:
        gc.enable()


def run_and_truncate(path: Path, *backends: str, **environment: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), *backends],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(("make", "backends"), [(tflite, ["CpuRef"]), (saved, [])])
def test_a_file_that_is_truncated_in_use_is_named(
    make: Callable[[Path], Path], backends: list[str], tmp_path: Path
) -> None:
    path = make(tmp_path)
    code, printed, told = run_and_truncate(path, *backends)
    assert (code, printed) == (-signal.SIGBUS, "truncated\n")
    assert told.splitlines() == [
        f"armnn_py: SIGBUS: '{path}' was truncated while in use",
        "hint: write a new file and rename it instead of writing into this one",
    ]


def test_no_message_if_disabled_by_the_environment(tmp_path: Path) -> None:
    path = tflite(tmp_path)
    code, _, told = run_and_truncate(path, "CpuRef", ARMNN_PY_CRASH_REPORT="0")
    assert (code, told) == (-signal.SIGBUS, "")
