# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""backends lock: written, checked, and what a locked program does."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from .conftest import Command


@pytest.fixture
def folder(tmp_path: Path, dozen_folder: Path) -> Path:
    """A folder of ones own with the backend "Dozen"."""
    made = tmp_path / "backends"
    shutil.copytree(dozen_folder, made)
    return made


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "settings" / "backends.lock"
    monkeypatch.setenv("ARMNN_PY_LOCK_FILE", str(path))
    return path


def test_a_lock_file_names_what_loads(command: Command, folder: Path, lock: Path) -> None:
    answer = command("--backend-path", folder, "backends", "lock")
    assert answer.code == 0
    assert f"1 file named by {lock}" in answer.out
    file = folder / "Test_Dozen_backend.so"
    (entry,) = json.loads(lock.read_text())["backends"]
    assert entry == {
        "id": "Dozen", "path": str(file), "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "size": file.stat().st_size,
    }  # fmt: skip
    assert lock.stat().st_mode & 0o077 == 0
    document = command("--backend-path", folder, "backends", "lock", "--check", "--json").json
    assert (document["written"], document["backends"]) == (False, [entry])


def test_a_changed_file_fails_the_check_and_is_not_opened(
    command: Command, folder: Path, lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ("--backend-path", folder)
    assert command(*given, "backends", "lock").code == 0
    with (folder / "Test_Dozen_backend.so").open("ab") as stream:
        stream.write(b"more")
    checked = command(*given, "backends", "lock", "--check")
    assert checked.code == 4
    assert f"1 file of backends not named by {lock}" in checked.err
    monkeypatch.setenv("ARMNN_PY_TRUST", "locked")
    verdicts = command(*given, "backends", "list", "--json").json["verdicts"]
    (verdict,) = (one for one in verdicts if one["place"] == "argument")
    assert (verdict["status"], verdict["code"]) == ("refused", "not-locked")
    checked = command(*given, "backends", "lock", "--check")  # nor does the check open it
    assert checked.code == 4
    assert f"1 file of backends not named by {lock}" in checked.err
    assert str(folder / "Test_Dozen_backend.so") in checked.err
    monkeypatch.delenv("ARMNN_PY_TRUST")
    assert command(*given, "backends", "lock").code == 0
    assert command(*given, "backends", "lock", "--check").code == 0


def test_a_locked_check_runs_nothing_of_other_files(
    command: Command, folder: Path, lock: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program with its trust in the lock file may have the environment of who looks at a file."""
    file = folder / "Test_Dozen_backend.so"
    assert command("--backend-path", folder, "backends", "lock").code == 0
    monkeypatch.setenv("ARMNN_PY_TRUST", "locked")
    assert command("backends", "check", file).code == 0
    with file.open("ab") as stream:
        stream.write(b"more")
    checked = command("backends", "check", file)
    assert checked.code == 4
    assert f"step inspect: has changed since {lock} was written" in checked.err
    tested = command("backends", "test", file, "--layer", "Activation")
    assert tested.code != 0
    assert "has changed since" in tested.err
    monkeypatch.setenv("ARMNN_PY_TRUST", "warn")
    assert command("backends", "check", file).code == 0


def test_another_place(command: Command, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "my.lock"
    given = ("--backend-path", folder, "backends", "lock", "-o", path)
    assert command(*given, "--check").code == 4
    assert command(*given).code == 0
    assert command(*given, "--check").code == 0


def test_without_a_place(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME", "ARMNN_PY_LOCK_FILE"):
        monkeypatch.delenv(name, raising=False)
    answer = command("backends", "lock")
    assert answer.code == 2
    assert "the lock file has no default place" in answer.err
