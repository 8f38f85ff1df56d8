# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arm NN's own C++ library: each side refuses the other's backends in words, and lives on.

``ARMNN_PY_DEBIAN_BACKEND`` names ``Arm_CpuRef_backend.so`` of Debian's package
libarmnn-cpuref-backend22, unpacked beside what libarmnn22 and libarmnn-dev unpack to.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import armnn_py as ann

from .harness import Workshop, run_child

pytestmark = pytest.mark.debian

_SEARCH = """
import json, sys
from armnn_py.backends import load_backends
answer = []
for turn in range(3):
    for bundled in (False, True):
        with load_backends(
            dynamic_backends_path=sys.argv[1:], bundled_backends=bundled
        ) as registry:
            answer.append([list(registry)] + [
                [v.status, v.stage, v.code, v.id, v.version, v.reason]
                for v in registry.load_report if v.place == "argument"
            ])
print(json.dumps(answer))
"""


@pytest.fixture
def places(tmp_path: Path, workshop: Workshop) -> list[Path]:
    """Debian's file, named itself since its id is reserved, and a folder with a good backend."""
    debian = tmp_path / "debian"
    debian.mkdir()
    shutil.copy(os.environ["ARMNN_PY_DEBIAN_BACKEND"], debian / "Arm_CpuRef_backend.so")
    workshop.put_id(tmp_path / "good", "Good")
    return [debian / "Arm_CpuRef_backend.so", tmp_path / "good"]


def test_with_arm_nns_library(places: list[Path]) -> None:
    libraries = Path(os.environ["ARMNN_PY_DEBIAN_BACKEND"]).parents[1]
    assert (libraries / "libarmnn.so.22").exists()
    answer = run_child(_SEARCH, *places, LD_LIBRARY_PATH=str(libraries))
    good = ["loaded", "create", "ok", "Good", "2.0", ""]
    for alone, with_ours in zip(answer[::2], answer[1::2], strict=True):
        ids, debian, other = alone
        assert (ids, other) == (["Good"], good)
        assert debian[:5] == ["refused", "version", "version-major", "CpuRef", "1.0"]
        assert "which is Arm NN's C++ interface" in debian[5]
        ids, debian, other = with_ours
        assert [name for name in ids if name != "CpuAcc"][-1] == "Good"
        assert other == good
        assert debian[:5] == ["refused", "version", "version-major", "CpuRef", "1.0"]


def test_without_arm_nns_library(places: list[Path]) -> None:
    answer = run_child(_SEARCH, *places)
    for ids, debian, _ in answer:
        assert [name for name in ids if name != "CpuAcc"][-1] == "Good"
        assert debian[:3] == ["refused", "open", "needed-library-missing"]
        assert "libarmnn.so.22: cannot open shared object file" in debian[5]


def test_arm_nn_refuses_ours(tmp_path: Path) -> None:
    """Arm NN searches a folder of ours by its own rules, which are the same up to the version."""
    libraries = Path(os.environ["ARMNN_PY_DEBIAN_BACKEND"]).parents[1]
    host, folder = tmp_path / "host", tmp_path / "folder"
    source = Path(__file__).with_name("arm_nn_host.cpp")
    include, library = libraries.parents[1] / "include", libraries / "libarmnn.so.22"
    command = ["c++", "-std=c++14", "-isystem", include, source, library, "-o", host]
    subprocess.run([*command, f"-Wl,-rpath,{libraries}"], check=True)
    folder.mkdir()
    with ann.Runtime() as runtime:
        ours = [v.path for v in runtime.load_report if v.status == "loaded" and v.path]
    copies = [shutil.copy(path, folder) for path in ours if path.endswith("_backend.so")]
    shutil.copy(os.environ["ARMNN_PY_DEBIAN_BACKEND"], folder / "Arm_CpuRef_backend.so")
    assert copies, "the package has a backend that is a file"
    done = subprocess.run([host, folder], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    refused = [line for line in lines if "(version [2.0])" in line]
    assert len(refused) == len(copies), done.stdout
    assert all("Cannot create a valid dynamic backend" in line for line in refused)
    assert {"supported: CpuRef", "alive"} <= set(lines)
