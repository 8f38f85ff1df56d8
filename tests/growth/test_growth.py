# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The growth rule rehearsed: hosts and backends of two minor versions that really differ.

The next minor version is made from the present sources (`next_minor`). A backend built from the
present headers meets its host; a backend built from its headers for the present minor meets ours.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native import abi

from . import next_minor

REPOSITORY = next_minor.REPOSITORY
FIXTURES = REPOSITORY / "tests" / "fixtures"
SOURCE = FIXTURES / "growth_backend.c"
INCLUDE = REPOSITORY / "native" / "include"
NEXT = abi.ARMNN_BACKEND_API_MINOR + 1
PARTS = ("layer", "data type", "enumerator", "field")

pytestmark = [
    pytest.mark.packaging,
    pytest.mark.exhaustive(kept=1),
    pytest.mark.skipif(shutil.which("cmake") is None, reason="needs cmake"),
]


def build(target: Path, include: Path, name: str, *defines: str, source: Path = SOURCE) -> Path:
    command = [
        *(os.environ.get("CC") or "cc").split(),
        *("-std=gnu11", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", f"-I{include}"),
        *(f"-I{FIXTURES}", f'-DGROWTH_ID="{name}"', *defines, str(source), "-o", str(target)),
        f"-Wl,--version-script={REPOSITORY / 'cmake' / 'backend_exports.map'}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module")
def ahead(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project one minor version on."""
    return next_minor.make(tmp_path_factory.mktemp("ahead"), NEXT)


@pytest.fixture(scope="module")
def told(ahead: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the host of the next minor version says of a backend of the first, and of its own."""
    core = next_minor.build_core(ahead)
    folder = tmp_path_factory.mktemp("backends")
    headers = ahead / "native" / "include"
    build(folder / "Acme_Old_backend.so", INCLUDE, "Old")
    understands = "-DGROWTH_UNDERSTOOD=ARMNN_FIELD_SOFTMAX_REHEARSAL"
    build(folder / "Acme_New_backend.so", headers, "New", understands)
    journal = folder / "journal.txt"
    environment = {
        **os.environ,
        "PYTHONPATH": str(ahead),
        "ARMNN_PY_CORE_LIBRARY": str(core),
        "ARMNN_TEST_JOURNAL": str(journal),
    }
    environment.pop("GROWTH_REPLACE", None)
    script = Path(__file__).with_name("new_host.py")
    done = subprocess.run(
        [sys.executable, str(script), str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=folder,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    found["journal"] = journal.read_text(encoding="utf-8").splitlines()
    return found


@pytest.mark.exhaustive
def test_the_old_backend_sees_nothing_that_came_later(told: dict[str, Any]) -> None:
    seen = [line for line in told["journal"] if line.startswith("Old ")]
    assert set(seen) == {"Old asked", "Old optimises"}


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("layer", "layer type Rehearsal came with version"),
        ("data type", "data type rehearsal64 came with version"),
        ("enumerator", "ActivationFunction.REHEARSAL came with version"),
        ("field", "SoftmaxDescriptor.rehearsal is a field that the backend does not know of"),
    ],
)
def test_layer_support_answers_in_its_stead(told: dict[str, Any], what: str, words: str) -> None:
    assert told[what]["Old"].startswith(words)
    assert told[what]["New"] == ""
    assert told["known"] is True


def test_so_it_does_for_many_layers_at_once(told: dict[str, Any]) -> None:
    assert told["many"] == [True, False, False, False, False, True]


def test_layers_go_to_the_backend_that_knows_them(told: dict[str, Any]) -> None:
    assert told["assignment"] == ["Old", "New", "New", "New", "New"]
    assert "4 layers cannot run on 'Old'" in told["alone"]


def test_sub_graphs_leave_out_what_came_later(told: dict[str, Any]) -> None:
    # One sub-graph, of the one layer that the backend knows; the journal shows no other.
    assert told["journal"].count("Old optimises") == 3  # mixed, forced, replaced
    assert told["forced"] == []


def test_replacement_layers_cannot_be_later_than_the_backend(told: dict[str, Any]) -> None:
    text = told["replaced"]
    assert re.search(r"layer type Rehearsal came with version \d+\.\d+ of the backend API", text)
    assert told["replaced by New"] == "done"


def test_handle_factories_are_not_shown_later_neighbours(told: dict[str, Any]) -> None:
    assert told["neighbours"] == {**dict.fromkeys(PARTS, False), "known": True}


# ---- The other way round: a newer header, an older host ------------------------------------------

KERNEL = """
#define ARMNN_TARGET_MINOR %d
#include "armnn/backend_kit.h"
static armnn_status_t negate(const armnn_kernel_call_t* call, armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)error;
  for (uint64_t i = 0; i < ARMNN_COUNT(call); ++i) {
    ARMNN_OUT(call, 0, float)[i] = -ARMNN_IN(call, 0, float)[i];
  }
  return ARMNN_STATUS_OK;
}
static const armnn_kernel_t kernels[] = {
    ARMNN_KERNEL_UNARY(NEG, FLOAT32, negate),
    ARMNN_KERNEL(REHEARSAL, FLOAT32, negate),
};
ARMNN_DEFINE_BACKEND("Ahead", kernels)
"""


def build_ahead(ahead: Path, folder: Path, target_minor: int) -> None:
    source = folder.with_suffix(".c")
    source.write_text(KERNEL % target_minor, encoding="utf-8")
    headers = ahead / "native" / "include"
    build(folder / "Acme_Ahead_backend.so", headers, "Ahead", source=source)


def test_a_newer_backend_for_this_minor_runs_here(ahead: Path, tmp_path: Path) -> None:
    build_ahead(ahead, tmp_path, abi.ARMNN_BACKEND_API_MINOR)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3,)))
    network.add_output("y", network.add_elementwise_unary(x, ann.UnaryOperation.NEG))
    with ann.Runtime(dynamic_backends_path=tmp_path, bundled_backends=False) as runtime:
        (verdict,) = runtime.load_report
        assert verdict.code == "ok", verdict
        with ann.load(network, ["Ahead"], runtime=runtime) as loaded:
            y = loaded.run({"x": np.float32([1, -2, 3])})["y"]
    np.testing.assert_array_equal(y, [-1, 2, -3])


def test_a_newer_backend_for_its_own_minor_is_refused_here(ahead: Path, tmp_path: Path) -> None:
    build_ahead(ahead, tmp_path, NEXT)
    with (
        pytest.warns(ann.BackendSkippedWarning, match=f"ARMNN_TARGET_MINOR={NEXT - 1}"),
        ann.Runtime(dynamic_backends_path=tmp_path, bundled_backends=False) as runtime,
    ):
        (verdict,) = runtime.load_report
    assert verdict.stage == "version"
