# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Under an address sanitizer, a step that touches memory beside its tensors is found out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

_PROGRAM = """
import sys
import numpy as np
import armnn_py as ann

network = ann.Network()
value = network.add_input("x", ann.TensorInfo((25,)))
for i in range(4):
    value = network.add_elementwise_unary(value, ann.UnaryOperation.NEG, name=f"neg{i}")
network.add_output("y", value)
with ann.Runtime(sys.argv[1]) as runtime:
    with ann.load(network, ["Overrun"], runtime=runtime) as loaded:
        x = np.arange(25, dtype=np.float32)
        for _ in range(2):
            assert (loaded.run(x)["y"] == x).all()
print("right")
"""


@pytest.fixture(scope="module")
def sanitizer() -> str:
    """The compiler's address sanitizer, to be there before the program."""
    answer = subprocess.run(
        [os.environ.get("CC", "cc"), "-print-file-name=libasan.so"],
        capture_output=True,
        text=True,
        check=True,
    )
    path = answer.stdout.strip()
    if not Path(path).is_absolute():
        pytest.skip("the compiler has no address sanitizer")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]) -> Path:
    place = tmp_path_factory.mktemp("overrun")
    target = place / "Test_Overrun_backend.so"
    build_backend("overrun_backend.c", target, "-fsanitize=address", "-g")
    return place


def run(folder: Path, sanitizer: str, overrun: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _PROGRAM, str(folder)],
        env=os.environ
        | {"LD_PRELOAD": sanitizer, "ASAN_OPTIONS": "detect_leaks=0"}
        | {"ARMNN_TEST_OVERRUN": overrun, "ARMNN_PY_PROBE_SECONDS": "0"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_in_bounds_access_runs(folder: Path, sanitizer: str) -> None:
    result = run(folder, sanitizer, "0")
    assert result.stdout == "right\n", result.stderr
    assert "AddressSanitizer" not in result.stderr


# 25 elements take 100 bytes of the 128 that a tensor's place has; 32 are the neighbour's.
@pytest.mark.parametrize("overrun", ["1", "7", "40", "read 1", "read 16", "scratch 1"])
def test_out_of_bounds_access_is_named(folder: Path, sanitizer: str, overrun: str) -> None:
    result = run(folder, sanitizer, overrun)
    assert result.returncode != 0
    assert re.search("AddressSanitizer: (use-after-poison|heap-buffer-overflow)", result.stderr)
    assert "in neg_f32" in result.stderr
