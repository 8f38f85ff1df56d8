# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend that changes the state of the process when it is opened: restored, and reported."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.exhaustive(kept=1)  # each case starts processes

#: Prints the state before and after, what the verdict says, and how a number of CpuRef comes out.
PROGRAM = """
import json, locale, logging, os, signal, sys
import numpy as np
import armnn_py as ann
logging.basicConfig()
locale.setlocale(locale.LC_ALL, "C.UTF-8")

def state():
    tiny = np.float32(1e-38)
    return {
        "mask": sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, ()))),
        "folder": os.getcwd(),
        "locale": locale.setlocale(locale.LC_ALL),
        "third": (np.array([1.0], np.float32) / np.array([3.0], np.float32)).tolist(),
        "two_thirds": (np.array([2.0], np.float32) / np.array([3.0], np.float32)).tolist(),
        "tiny": (np.array([tiny]) * np.float32(0.1)).tolist(),
        "long": float(np.longdouble(2) / np.longdouble(3)),
    }

def run(runtime, backends):
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((64,)))
    made = network.add_elementwise_unary(x, ann.UnaryOperation.ABS, name="middle")
    made = network.add_elementwise_unary(made, ann.UnaryOperation.SQRT, name="last")
    network.add_output("y", made)
    with ann.load(network, backends, runtime=runtime) as loaded:
        return loaded.run(np.linspace(-3, 3, 64, dtype=np.float32))["y"].tolist()

before = state()
with ann.Runtime(sys.argv[1]) as runtime:
    after = state()
    verdicts = [(v.status, v.hint) for v in runtime.load_report if v.id == "Deed"]
    computed = run(runtime, ["CpuRef"])
    mixed = run(runtime, ["Deed", "CpuRef"]) if sys.argv[2] == "runs" else None
    last = state()
result = json.dumps([before, after, last, verdicts, computed, mixed])
with open(sys.argv[3], "w") as file:
    file.write(result)
"""
WORDS = {
    "round": "how numbers are rounded",
    "mask": "which signals are blocked",
    "folder": "the working folder",
    "locale": "the locale",
}
if platform.machine() == "x86_64":
    WORDS["flush"] = "how numbers are rounded"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]) -> Path:
    made = tmp_path_factory.mktemp("state")
    build_backend("deed_backend.c", made / "Test_Deed_backend.so")
    return made


def run(folder: Path, deed: str, site: str, out: Path, **variables: str) -> tuple[list[Any], str]:
    """What the program writes, and standard error."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), "runs" if deed else "", str(out)],
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        | {"ARMNN_PY_PROBE_SECONDS": "0", "DEED_Deed": deed, "SITE_Deed": site}
        | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(out.read_text()), done.stderr


@pytest.mark.parametrize("site", ["constructor", "factory", "create"])
@pytest.mark.parametrize("deed", WORDS)
def test_restored_after_loading(folder: Path, deed: str, site: str, tmp_path: Path) -> None:
    (before, after, _, verdicts, computed, mixed), _ = run(folder, deed, site, tmp_path / "out")
    assert after == before
    ((status, hint),) = verdicts
    assert status == "loaded"
    assert hint == f"its code changed {WORDS[deed]} of the process, which was undone"
    assert mixed == computed


@pytest.mark.parametrize("site", ["support", "create_workload", "execute", "body"])
@pytest.mark.parametrize("deed", sorted({"round", "flush"} & WORDS.keys()))
def test_numbers_of_others_stay_right(folder: Path, deed: str, site: str, tmp_path: Path) -> None:
    (before, after, last, _, computed, mixed), said = run(folder, deed, site, tmp_path / "out")
    assert before == after == last
    assert mixed == computed
    if site != "body":
        assert "changed how the thread rounds or treats numbers near 0; that was undone" in said
        assert "'Deed'" in said


@pytest.mark.skipif(platform.machine() != "x86_64", reason="registers of x87")
@pytest.mark.parametrize("site", ["constructor", "create", "support", "create_workload", "execute"])
def test_numbers_in_long_double_stay_right(folder: Path, site: str, tmp_path: Path) -> None:
    (before, after, last, *_), _ = run(folder, "registers", site, tmp_path / "out")
    assert before == after == last


def test_no_message_for_a_good_file(folder: Path, tmp_path: Path) -> None:
    (before, after, last, verdicts, *_), said = run(folder, "", "", tmp_path / "out")
    assert before == after == last
    assert verdicts == [["loaded", ""]]
    assert said == ""
