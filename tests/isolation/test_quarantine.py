# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend whose worker ended too often is not used until its file changes or it is released."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py import Isolation, WorkerEvent, environment
from armnn_py.cli.main import main
from armnn_py.isolation.deaths import Deaths
from tests.isolation.conftest import absolute, soon

pytestmark = pytest.mark.exhaustive(kept=1)  # each case starts processes

MINUS = np.full(64, -2, np.float32)
LIMITS = {"Deed": Isolation(restarts=0)}


@pytest.fixture
def folder(deed_folder: Path, tmp_path: Path) -> Path:
    """A copy of the backend that has ended too often."""
    copy = tmp_path / "backends"
    shutil.copytree(deed_folder, copy)
    return copy


@pytest.fixture
def ended(folder: Path, deed: Callable[[str, str], None]) -> Path:
    deed("segv", "execute")
    with (
        ann.Runtime(folder, isolate=LIMITS) as runtime,
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded,
    ):
        assert (loaded.run(MINUS)["y"] == 2).all()
        assert soon(lambda: len(runtime.events) == 2)
    deed("", "")
    return folder


def verdict_on(folder: Path) -> ann.Verdict | None:
    with ann.Runtime(folder, isolate=LIMITS) as runtime:
        if "Deed" in runtime.backends:
            return None
        return next(one for one in runtime.load_report if one.place == "isolated")


def test_the_verdict_names_the_last_end_and_the_way_out(ended: Path) -> None:
    verdict = verdict_on(ended)
    assert verdict is not None
    assert "in quarantine" in verdict.reason
    assert "SIGSEGV" in verdict.reason
    assert "armnn-py backends release Deed" in verdict.hint


def test_only_libraries_that_the_backend_brought_count(folder: Path) -> None:
    found = []
    for wait in (0.0, 2.0):  # after a second without work the keeper imports what compiling needs
        time.sleep(wait)
        with ann.Runtime(folder, isolate=LIMITS) as runtime:
            found.append(runtime.isolated["Deed"]._worker.facts["libraries"])
    assert found[0] == found[1] == [str(folder / "Test_Deed_backend.so")]


def test_release_lifts_it_once(ended: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backends", "release", "Deed"]) == 0
    assert verdict_on(ended) is None
    assert main(["backends", "release", "Deed"]) != 0
    assert "'Deed' is not in quarantine" in capsys.readouterr().err


def test_another_file_lifts_it(ended: Path) -> None:
    file = ended / "Test_Deed_backend.so"
    shutil.copy(file, ended / "copy")
    (ended / "copy").replace(file)
    assert verdict_on(ended) is None


def test_the_list_shows_ends_of_the_last_week(
    ended: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["backends", "list", "--backend-path", str(ended)]) == 0
    assert "workers: Deed: in quarantine, 1 end within a week" in capsys.readouterr().out
    assert main(["backends", "list", "--json", "--backend-path", str(ended)]) == 0
    (end,) = json.loads(capsys.readouterr().out)["worker_ends"]
    assert end["backend"] == "Deed"
    assert end["is_last"] is True


def test_the_list_names_a_recording_of_an_earlier_end(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deaths = Deaths(environment.cache_folder())  # a runtime records the first ends alone
    for number, recording in enumerate(["first.zip", "second.zip", None]):
        event = WorkerEvent("ended", "Deed", reason="SIGSEGV", recording=recording)
        deaths.note(event, "state", is_last=number == 2)
    assert main(["backends", "list"]) == 0
    shown = capsys.readouterr().out
    assert "workers: Deed: in quarantine, 3 ends within a week" in shown
    assert "workers: Deed: last call recorded in second.zip" in shown


@pytest.mark.parametrize("damage", [b"{", b"[1]", b'[{"time": "x"}]', b"[]" * 1_000_000])
def test_damaged_records_count_for_nothing(ended: Path, cache: Path, damage: bytes) -> None:
    (record,) = cache.rglob("worker-ends.json")
    record.write_bytes(damage)
    assert verdict_on(ended) is None
