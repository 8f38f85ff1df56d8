# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Fault injection: memory or open files run out at any moment of a load and a run."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

import armnn_py as ann
from tests.conftest import SANITIZE

pytestmark = pytest.mark.alone

DEMO = Path(ann.__file__).parent / "demo" / "digits.onnx"
IMAGE = np.linspace(0, 1, 64, dtype=np.float32).reshape(1, 1, 8, 8)

#: Loads and runs a model; "numbers" or "short of memory" is as it should be.
PROGRAM = """
import ctypes, json, os, resource, sys
import numpy as np
import armnn_py as ann

model, image, wanted = sys.argv[1], *map(np.load, sys.argv[2:4])

def outcome():
    try:
        with ann.load(model) as network:
            found, = network.run(image).values()
        return "numbers" if np.allclose(found, wanted, 1e-4, 1e-5) else "other numbers"
    except ann.ShortageError as error:
        return f"short of {error.resource}"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
"""

#: Each allocation of the native libraries fails once alone, or with all that follow.
ALLOCATIONS = """
runtime = ann.Runtime()  # the files stay open
shim = ctypes.CDLL(None)
for line in open("/proc/self/maps"):
    if " r-xp " in line and ("libarmnn_core" in line or "_backend.so" in line):
        shim.fail_calls_from(*[ctypes.c_size_t(int(x, 16)) for x in line.split()[0].split("-")])
found, number, seen = [outcome()], 1, 1
while seen >= number:
    number += int(sys.argv[5]) if len(found) > 1 else 0
    shim.fail_at(ctypes.c_long(number), int(sys.argv[4]))
    found.append(outcome())
    seen = shim.fail_at(ctypes.c_long(0), 0)
print(json.dumps(found))
"""

#: A process for each limit: what is imported late is imported under it.
LIMITS = """
found = []
for limit in map(int, sys.argv[5:]):
    reader, writer = os.pipe()
    if not os.fork():
        if sys.argv[4] == "RLIMIT_AS":
            limit += int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(getattr(resource, sys.argv[4]), (limit, limit))
        os.write(writer, outcome().encode())
        os._exit(0)
    os.close(writer)
    with open(reader) as told:
        found.append(told.read())
    os.wait()
print(json.dumps(found))
"""


@pytest.fixture
def outcomes(tmp_path: Path) -> Callable[..., list[str]]:
    """Run a program on the demo model; the right numbers are those of onnx's reference."""

    def run(program: str, *arguments: object, preload: str = "") -> list[str]:
        (name,) = (one.name for one in onnx.load(DEMO).graph.input)
        (wanted,) = ReferenceEvaluator(onnx.load(DEMO)).run(None, {name: IMAGE})
        np.save(tmp_path / "image.npy", IMAGE)
        np.save(tmp_path / "wanted.npy", wanted)
        command = [sys.executable, "-c", PROGRAM + program, DEMO]
        done = subprocess.run(
            [*command, tmp_path / "image.npy", tmp_path / "wanted.npy", *map(str, arguments)],
            env=os.environ | {"LD_PRELOAD": preload},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        found: list[str] = json.loads(done.stdout)
        return found

    return run


@pytest.mark.skipif(bool(SANITIZE), reason="the sanitizer has its own allocator")
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the shim needs glibc")
@pytest.mark.parametrize(("lasting", "step"), [(0, 2), (1, 3)], ids=["one", "all from one on"])
def test_native_allocations_that_fail(
    lasting: int,
    step: int,
    outcomes: Callable[..., list[str]],
    build_backend: Callable[..., None],
    tmp_path: Path,
) -> None:
    shim = tmp_path / "failing_allocations.so"
    build_backend("failing_allocations.c", shim)
    found = outcomes(ALLOCATIONS, lasting, step, preload=str(shim))
    assert found[0] == found[-1] == "numbers"
    assert set(found) == {"numbers", "short of memory"}
    assert found.count("short of memory") > 10


def test_limits_of_memory(outcomes: Callable[..., list[str]]) -> None:
    megabytes = (1, 8, 14, 20, 28, 1024)
    found = outcomes(LIMITS, "RLIMIT_AS", *[size << 20 for size in megabytes])
    assert found[-1] == "numbers"
    assert found[0] != "numbers"
    # CPython itself raises SystemError, or ValueError of its parser, where memory is short.
    pythons = ("SystemError: ", "ValueError: field ")
    ours = [one for one in found if not one.startswith(pythons)]
    assert set(ours) == {"numbers", "short of memory"}


def test_limits_of_open_files(outcomes: Callable[..., list[str]]) -> None:
    found = outcomes(LIMITS, "RLIMIT_NOFILE", 4, 5, 6, 7, 16)
    assert found[-1] == "numbers"
    assert set(found) == {"numbers", "short of files"}
