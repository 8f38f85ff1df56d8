# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A real backend of Arm NN's C++ library is refused in words, and the process lives on.

``ARMNN_PY_DEBIAN_BACKEND`` names ``Arm_CpuRef_backend.so`` of Debian's package
libarmnn-cpuref-backend22, unpacked beside what libarmnn22 unpacks to.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

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
    """A folder with Debian's file alone, and one with a good backend."""
    debian = tmp_path / "debian"
    debian.mkdir()
    shutil.copy(os.environ["ARMNN_PY_DEBIAN_BACKEND"], debian / "Arm_CpuRef_backend.so")
    workshop.put_id(tmp_path / "good", "Good")
    return [debian, tmp_path / "good"]


def test_with_arm_nns_library(places: list[Path]) -> None:
    libraries = Path(os.environ["ARMNN_PY_DEBIAN_BACKEND"]).parents[1]
    assert (libraries / "libarmnn.so.22").exists()
    answer = run_child(_SEARCH, *places, LD_LIBRARY_PATH=str(libraries))
    good = ["loaded", "create", "ok", "Good", "1.0", ""]
    for alone, with_ours in zip(answer[::2], answer[1::2], strict=True):
        ids, debian, other = alone
        assert (ids, other) == (["Good"], good)
        # It passes the version rule: Arm NN's number and ours are both 1.0.
        assert debian[:5] == ["refused", "table", "table-object", "CpuRef", "1.0"]
        assert "returned a C++ object, not a table" in debian[5]
        assert "Arm NN's C++ library" in debian[5]
        ids, debian, other = with_ours
        assert [name for name in ids if name != "CpuAcc"][-1] == "Good"
        assert other == good
        assert debian[:5] == ["duplicate", "unique", "id-taken", "CpuRef", "1.0"]


def test_without_arm_nns_library(places: list[Path]) -> None:
    answer = run_child(_SEARCH, *places)
    for ids, debian, _ in answer:
        assert [name for name in ids if name != "CpuAcc"][-1] == "Good"
        assert debian[:3] == ["refused", "open", "needed-library-missing"]
        assert "libarmnn.so.22: cannot open shared object file" in debian[5]
