# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Commands in a folder of files that end, stop or copy the process that opens them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import DEMO, Command

DEEDS = ("abort", "exit", "_exit", "trap", "divide", "stack", "hang", "fork", "close", "wild")
SITES = {"abort": "constructor", "exit": "factory", "_exit": "create", "hang": "devices",
         "stack": "id", "wild": "support", "divide": "version", "trap": "destroy",
         "fork": "create", "close": "destructor"}  # fmt: skip


@pytest.fixture(scope="module")
def bad_folder(
    tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]
) -> Path:
    folder = tmp_path_factory.mktemp("bad")
    for deed in DEEDS:
        name = deed.strip("_").capitalize() + ("Now" if deed == "_exit" else "")
        defines = {"BACKEND_ID": name, "DEED": deed, "SITE": SITES[deed]}
        flags = [f'-D{key}="{value}"' for key, value in defines.items()]
        build_backend("deed_backend.c", folder / f"Bad_{name}_backend.so", *flags)
    build_backend("deed_backend.c", folder / "Good_Deed_backend.so")
    return folder


def test_list_names_each_with_its_reason(command: Command, bad_folder: Path) -> None:
    for _ in range(2):  # tried, then known
        answer = command("--backend-path", bad_folder, "backends", "list", "--json")
        assert answer.code == 0
        verdicts = {Path(v["path"]).name: v for v in answer.json["verdicts"]}
        bad = [verdict for name, verdict in verdicts.items() if name.startswith("Bad_")]
        assert len(bad) == len(DEEDS)
        for verdict in bad:
            assert verdict["status"] == "refused"
            assert verdict["reason"]
            assert verdict["hint"]
            assert verdict["probe"]["ended"]
        assert verdicts["Good_Deed_backend.so"]["status"] == "loaded"
        assert verdicts["Good_Deed_backend.so"]["probe"]["load_seconds"] > 0
    text = command("--backend-path", bad_folder, "backends", "list")
    assert text.code == 0
    assert "its last output: 'cannot go on'" in text.out
    assert "did not return within 1 s" in text.out


def test_doctor_lives(command: Command, bad_folder: Path) -> None:
    answer = command("--backend-path", bad_folder, "doctor", "--json")
    assert answer.code == 0
    [row] = [row for row in answer.json["checks"] if row["check"] == "backends"]
    assert row["result"] == "warning"
    assert f"{len(DEEDS)} refused" in row["detail"]
    files = [row for row in answer.json["checks"] if row["check"] == "backend file"]
    assert len(files) == len(DEEDS)
    for row in files:
        assert row["result"] == "warning"
        assert row["detail"].startswith(f"{bad_folder}/Bad_")
        assert row["detail"].count(": ") >= 2


def test_run_opens_what_is_named(command: Command, bad_folder: Path) -> None:
    answer = command(
        "--backend-path", bad_folder, "run", DEMO, "--random", "1", "-b", "CpuRef", "-vv"
    )
    assert answer.code == 0
    assert "probabilities" in answer.out
    assert "opening" not in answer.err
    assert "trying" not in answer.err


def test_run_with_all_of_them(command: Command, bad_folder: Path) -> None:
    answer = command("--backend-path", bad_folder, "run", DEMO, "--random", "1")
    assert answer.code == 0
    assert "warning: refused, though named by dynamic_backends_path" in answer.err


def test_an_unusable_backend_that_is_named(command: Command, bad_folder: Path) -> None:
    answer = command("--backend-path", bad_folder, "run", DEMO, "--random", "1", "-b", "Abort")
    assert answer.code == 4
    assert "backend 'Abort' is not loaded" in answer.err
    assert "signal 6 (SIGABRT)" in answer.err
    assert "hint:" in answer.err


def test_check_ends_what_the_file_has_started(
    command: Command,
    tmp_path: Path,
    build_backend: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The process that checks the file goes on, and the copy that it left does not stay."""
    (tmp_path / "processes").touch()
    monkeypatch.setenv("ARMNN_TEST_PROCESSES", str(tmp_path / "processes"))
    file = tmp_path / "Bad_Fork_backend.so"
    build_backend("deed_backend.c", file, '-DDEED="fork_hang"', '-DSITE="constructor"')
    command("backends", "check", file, "--timeout", "5")
    [(_, number)] = [line.split() for line in (tmp_path / "processes").read_text().splitlines()]
    state = Path(f"/proc/{number}/stat")
    for _ in range(200):  # a killed process is gone in a moment, or waits for its parent
        if not state.exists() or ") Z" in state.read_text():
            return
        time.sleep(0.02)
    os.kill(int(number), signal.SIGKILL)
    pytest.fail("the copy is still there")


def test_paths_opens_nothing(command: Command, bad_folder: Path) -> None:
    answer = command("--backend-path", bad_folder, "backends", "paths", "-vv")
    assert answer.code == 0
    assert str(bad_folder) in answer.out
    assert "opening" not in answer.err
    assert "trying" not in answer.err


def test_opening_is_logged_before_it_happens(command: Command, bad_folder: Path) -> None:
    err = command("--backend-path", bad_folder, "backends", "list", "-vv").err
    file = bad_folder / "Good_Deed_backend.so"
    assert err.index(f"opening {file}") < err.index(f"{file}: loaded 'Deed'")
    assert f"opening {bad_folder / 'Bad_Abort_backend.so'}" not in err


def test_no_dynamic(command: Command, bad_folder: Path) -> None:
    answer = command("--no-dynamic", "--backend-path", bad_folder, "backends", "list", "--json")
    assert [v["place"] for v in answer.json["verdicts"]] == ["static"]
    places = command("backends", "paths", "--no-dynamic", "--json").json
    assert places["places"] == []
    assert places["linked"] == ["Arm_CpuRef"]


def test_allowed_and_denied(command: Command, bad_folder: Path) -> None:
    folder = ("--backend-path", bad_folder, "backends", "list", "--json")
    codes = [
        {v["path"].rpartition("/")[2]: v["code"] for v in command(*folder, *more).json["verdicts"]}
        for more in (("--allow-backend", "CpuRef"), ("--deny-backend", "Deed"))
    ]
    name = "Good_Deed_backend.so"
    assert [code[name] for code in codes] == ["not-allowed", "denied"]
    assert [code["Arm_CpuRef"] for code in codes] == ["ok", "ok"]


def test_warnings_about_a_used_file_are_listed(
    command: Command, tmp_path: Path, build_backend: Callable[..., None]
) -> None:
    flags = ('-DDEED="folder"', '-DSITE="create"')
    build_backend("deed_backend.c", tmp_path / "Test_Deed_backend.so", *flags)
    answer = command("--backend-path", tmp_path, "backends", "list")
    assert answer.code == 0
    assert "note: Test_Deed_backend.so: its code changed the working folder of the" in answer.out
