# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The process that forks workers: who shares it, what workers have from their host, its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py import Isolation
from tests.isolation.conftest import absolute, soon

GIVEN = np.full(64, -2, np.float32)


def parent_of(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def test_runtimes_share_it_and_the_last_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/nowhere")  # not the one of all these tests
    with ann.Runtime(isolate=["CpuAcc"]) as first:
        keeper = parent_of(first.isolated["CpuAcc"].process_id)
        with ann.Runtime(isolate=["CpuAcc"]) as second:
            assert parent_of(second.isolated["CpuAcc"].process_id) == keeper
        assert parent_of(first.isolated["CpuAcc"].process_id) == keeper
    assert not Path(f"/proc/{keeper}").exists()


@pytest.mark.parametrize(
    ("name", "is_shared"), [("SOME_VARIABLE", True), ("LD_LIBRARY_PATH", False)]
)
def test_workers_have_the_surroundings_of_their_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, is_shared: bool
) -> None:
    with ann.Runtime(isolate=["CpuAcc"]) as first:
        monkeypatch.setenv(name, str(tmp_path))
        monkeypatch.chdir(tmp_path)
        with ann.Runtime(isolate=["CpuAcc"]) as second:
            worker = second.isolated["CpuAcc"].process_id
            assert Path(f"/proc/{worker}/cwd").readlink() == tmp_path
            keepers = {parent_of(one.isolated["CpuAcc"].process_id) for one in (first, second)}
            assert len(keepers) == (1 if is_shared else 2)


def test_a_first_worker_opens_a_backend_without_the_modules_of_sub_graphs() -> None:
    code = (
        "import sys, armnn_py.worker.keeper\n"
        "late = {'numpy', 'armnn_py.network', 'armnn_py.optimizer'}\n"
        "print(*late & sys.modules.keys())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.split() == []


def test_later_workers_find_these_modules_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/elsewhere")  # not the one of all these tests
    with ann.Runtime(isolate=["CpuAcc"]) as first:
        maps = Path(f"/proc/{parent_of(first.isolated['CpuAcc'].process_id)}/maps")
        assert soon(lambda: "_multiarray_umath" in maps.read_text())


def test_a_worker_has_only_its_own_descriptors() -> None:
    with ann.Runtime(isolate=["CpuAcc"]) as first, ann.Runtime(isolate=["CpuAcc"]) as second:
        folders = [Path(f"/proc/{one.isolated['CpuAcc'].process_id}/fd") for one in (first, second)]
        for folder in folders:  # standard streams, and the connection, once modules are imported
            assert soon(lambda folder=folder: len(list(folder.iterdir())) == 4)


def test_another_takes_the_place_of_one_that_ended(deed_folder: Path) -> None:
    with (
        ann.Runtime(deed_folder, isolate={"Deed": Isolation(restarts=2)}) as runtime,
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded,
    ):
        worker = runtime.isolated["Deed"].process_id
        os.kill(parent_of(worker), signal.SIGKILL)
        assert soon(lambda: len(runtime.events) == 2)
        ended, restarted = runtime.events
        assert ended.reason == "the process that started it ended"
        assert restarted.kind == "restarted"
        assert (loaded.run(GIVEN)["y"] == 2).all()
