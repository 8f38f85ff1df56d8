# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Objects and texts of a backend that lead nowhere: an error in words, and the program goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.exhaustive(kept=1)  # each case starts processes

PROGRAM = """
import sys
import numpy as np
import armnn_py as ann
with ann.Runtime(sys.argv[1]) as runtime:
    for verdict in runtime.load_report:
        if verdict.status != "loaded":
            print("verdict:", verdict.reason)
    for _ in range(2):
        network = ann.Network()
        x = network.add_input("x", ann.TensorInfo((4,)))
        network.add_output("y", network.add_elementwise_unary(x, ann.UnaryOperation.ABS))
        try:
            with ann.load(network, ["Careless"], runtime=runtime) as loaded:
                for _ in range(2):
                    try:
                        assert loaded.run(np.ones(4, np.float32))["y"][0] == 1
                        print("computed")
                    except ann.ArmnnError as error:
                        print("run:", repr(str(error)))
        except ann.ArmnnError as error:
            print("load:", repr(str(error)))
    with ann.load(network, ["CpuRef"], runtime=runtime) as loaded:
        assert loaded.run(np.full(4, -2, np.float32))["y"].tolist() == [2, 2, 2, 2]
print("done")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]) -> Path:
    made = tmp_path_factory.mktemp("careless")
    build_backend("careless_backend.c", made / "Test_Careless_backend.so")
    return made


def run(folder: Path, answer: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, str(folder)],
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        | {"ARMNN_PY_PROBE_SECONDS": "0", "ARMNN_TEST_ANSWER": answer},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("done\n")
    return done.stdout


def test_a_good_one_computes(folder: Path) -> None:
    assert run(folder, "") == "computed\n" * 4 + "done\n"


OBJECTS = {
    "null": "made no object",
    "wild": "gave an object at 0x40, which cannot be read",
    "tableless": "gave an object without a table",
    "wild_table": "gave an object whose table is at 0x40, which cannot be read",
    "long_table": "gave an object whose table",
}


@pytest.mark.parametrize("site", ["support", "factory", "workload"])
@pytest.mark.parametrize("what", OBJECTS)
def test_objects(folder: Path, what: str, site: str) -> None:
    said = run(folder, f"{what} {site}")
    words = OBJECTS[what]
    if (what, site) == ("null", "workload"):
        words = "made no workload for layer"
    if what == "long_table" and site != "workload":
        words = "whose table has tag"
    assert said.count(words) == 2
    assert "Careless" in said
    assert "computed" not in said


TEXTS = {
    "wild_text": "points to memory that cannot be read (0x40)",
    "null_text": "",
    "own_text": "words of its own",
    "endless_text": "x" * 100,
}


@pytest.mark.parametrize("site", ["support", "create", "make", "prepare", "execute"])
@pytest.mark.parametrize("what", TEXTS)
def test_texts(folder: Path, what: str, site: str) -> None:
    said = run(folder, f"{what} {site}")
    assert "computed" not in said
    if what == "wild_text" and site == "execute":
        assert "gave no message" in said
    elif what == "endless_text" and site != "execute":
        assert "(the backend's message is longer than 2048 bytes)" in said
    else:
        assert TEXTS[what] in said
    assert len(said) < 20_000


def test_the_name_of_a_kernel(folder: Path) -> None:
    assert run(folder, "wild name") == "computed\n" * 4 + "done\n"
