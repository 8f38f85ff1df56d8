# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The lock file: which backend files may be opened, by their hash."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py.backends.probe.identity import FileIdentity
from armnn_py.backends.trust import lock_file
from armnn_py.backends.trust.lock_file import (
    LockedBackend,
    hash_of,
    read_lock_file,
    write_lock_file,
)

from .harness import Load, Workshop
from .judging import SOMEBODY, as_root, refused, verdict_on

# ---- The lock file -------------------------------------------------------------------------------


@pytest.fixture
def lock_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "locks" / "backends.lock"
    monkeypatch.setenv("ARMNN_PY_LOCK_FILE", str(path))
    return path


def lock(path: Path, *files: Path) -> None:
    write_lock_file(
        str(path), [LockedBackend("Mine", str(file), hash_of(str(file))) for file in files]
    )


def test_locked_opens_only_what_the_lock_file_names(
    folder: Path, workshop: Workshop, lock_path: Path, load: Load
) -> None:
    lock(lock_path, folder / "Test_Mine_backend.so")
    workshop.put_id(folder, "Other")
    registry = load(folder, trust="locked")
    assert list(registry) == ["Mine"]
    (other,) = registry.load_report.refused
    refused(other, "not-locked", f"is not named by {lock_path}")
    assert "armnn-py backends lock" in other.hint


def test_a_file_that_changed(folder: Path, lock_path: Path) -> None:
    file = folder / "Test_Mine_backend.so"
    lock(lock_path, file)
    with file.open("ab") as stream:
        stream.write(b"more")
    refused(verdict_on(folder, trust="locked"), "not-locked", "has changed since")
    verdict = verdict_on(folder)
    assert verdict.status == "loaded"
    assert "has changed since" in verdict.hint


def test_a_file_that_changed_and_has_its_old_time(folder: Path, lock_path: Path) -> None:
    """As one has that another version was copied into, with its time, in the same build."""
    file = folder / "Test_Mine_backend.so"
    lock(lock_path, file)
    _let_it_age(file)
    assert verdict_on(folder, trust="locked").status == "loaded"
    before = file.stat()
    data = file.read_bytes()
    with file.open("r+b") as stream:  # in a word that the system's loader ignores
        stream.seek(data.index(b"GCC: ("))
        stream.write(b"gcc")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    _let_it_age(file)
    refused(verdict_on(folder, trust="locked"), "not-locked", "has changed since")


def _let_it_age(file: Path) -> None:
    while FileIdentity.of(file.stat()).is_fresh:
        time.sleep(0.005)


def test_a_file_may_move(folder: Path, tmp_path: Path, lock_path: Path) -> None:
    lock(lock_path, folder / "Test_Mine_backend.so")
    shutil.move(folder, tmp_path / "elsewhere")
    assert verdict_on(tmp_path / "elsewhere", trust="locked").status == "loaded"


def test_a_file_of_another_size_is_not_read(
    folder: Path, workshop: Workshop, lock_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sparse file of terabytes would be hashed for hours."""
    (folder / "Test_Mine_backend.so").unlink()
    other = workshop.put_id(folder, "Other")
    size = other.stat().st_size
    write_lock_file(str(lock_path), [LockedBackend("Mine", "/x", hash_of(str(other)), size)])
    assert verdict_on(folder, trust="locked").status == "loaded"
    os.truncate(other, 1 << 42)
    monkeypatch.setattr(lock_file, "sha256_of", lambda descriptor: pytest.fail("it was read"))
    refused(verdict_on(folder, trust="locked"), "not-locked", "is not named by")
    assert "is not named by" in verdict_on(folder, trust="warn").hint
    lock_path.write_text(lock_path.read_text().replace('"size"', '"bytes"'))  # of an older release
    refused(verdict_on(folder, trust="locked"), "not-locked", "is not named by")


def test_locked_without_a_lock_file(folder: Path, lock_path: Path) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="there is no lock file") as raised:
        verdict_on(folder, trust="locked")
    assert str(lock_path) in str(raised.value)


@as_root
def test_locked_takes_no_file_of_another_user(folder: Path, lock_path: Path) -> None:
    file = folder / "Test_Mine_backend.so"
    lock(lock_path, file)
    os.chown(file, SOMEBODY, SOMEBODY)
    refused(verdict_on(folder, trust="locked"), "foreign-owner")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"version": 2}', '{"version": true, "backends": []}',
     '{"version": 1, "backends": [1]}',
     '{"version": 1, "backends": [{"id": 1, "path": "", "sha256": ""}]}',
     '{"version": 1, "backends": [{"id": "", "path": "", "sha256": "", "size": "1"}]}',
     "[" * 100_000],
)  # fmt: skip
def test_a_lock_file_of_no_sense(folder: Path, lock_path: Path, text: str) -> None:
    lock_path.parent.mkdir()
    lock_path.write_text(text)
    for level in ("warn", "locked"):
        with pytest.raises(ann.InvalidArgumentError, match="lock file"):
            verdict_on(folder, trust=level)
    assert verdict_on(folder, trust="open").status == "loaded"


@pytest.mark.parametrize("mode", [0o666, 0o620])
def test_a_lock_file_that_others_may_write_to(folder: Path, lock_path: Path, mode: int) -> None:
    lock(lock_path, folder / "Test_Mine_backend.so")
    lock_path.chmod(mode)
    for level in ("warn", "locked"):
        with pytest.raises(ann.InvalidArgumentError, match="other users may write to it"):
            verdict_on(folder, trust=level)


@as_root
def test_a_lock_file_of_another_user(folder: Path, lock_path: Path) -> None:
    lock(lock_path, folder / "Test_Mine_backend.so")
    os.chown(lock_path, SOMEBODY, SOMEBODY)
    with pytest.raises(ann.InvalidArgumentError, match=f"it belongs to user {SOMEBODY}"):
        verdict_on(folder)


@pytest.mark.parametrize("mode", [0o777, 0o1777], ids=["plain", "sticky"])
def test_a_lock_file_in_a_folder_that_others_may_write_to(
    folder: Path, lock_path: Path, mode: int
) -> None:
    lock(lock_path, folder / "Test_Mine_backend.so")
    lock_path.parent.chmod(mode)
    for level in ("warn", "locked"):
        with pytest.raises(ann.InvalidArgumentError, match="every user may write to its folder"):
            verdict_on(folder, trust=level)


def test_a_lock_file_below_a_folder_that_others_may_write_to(
    folder: Path, tmp_path: Path, lock_path: Path
) -> None:
    lock(lock_path, folder / "Test_Mine_backend.so")
    tmp_path.chmod(0o777)
    with pytest.raises(ann.InvalidArgumentError, match=r"anybody may write to .*lies under"):
        verdict_on(folder)


@as_root
def test_a_lock_file_in_a_folder_of_another_user(folder: Path, lock_path: Path) -> None:
    lock(lock_path, folder / "Test_Mine_backend.so")
    os.chown(lock_path.parent, SOMEBODY, SOMEBODY)
    with pytest.raises(ann.InvalidArgumentError, match=f"its folder belongs to user {SOMEBODY}"):
        verdict_on(folder)


@as_root
def test_a_lock_file_behind_a_link_of_another_user(
    folder: Path, tmp_path: Path, lock_path: Path
) -> None:
    away = tmp_path / "away.lock"
    lock(away, folder / "Test_Mine_backend.so")
    lock_path.parent.mkdir()
    lock_path.symlink_to(away)
    assert verdict_on(folder, trust="locked").status == "loaded"
    os.lchown(lock_path, SOMEBODY, SOMEBODY)
    with pytest.raises(ann.InvalidArgumentError, match=rf"the link .* user {SOMEBODY}"):
        verdict_on(folder, trust="locked")


def test_without_the_environment_there_is_no_lock_file(
    folder: Path, lock_path: Path, load: Load
) -> None:
    lock(lock_path)
    assert "is not named by" in verdict_on(folder).hint
    (verdict,) = load(folder, use_environment=False).load_report
    assert (verdict.status, verdict.hint) == ("loaded", "")


def test_a_lock_file_that_is_a_pipe(folder: Path, lock_path: Path) -> None:
    lock_path.parent.mkdir()
    os.mkfifo(lock_path)
    with pytest.raises(ann.InvalidArgumentError, match="not a regular file"):
        verdict_on(folder)


def test_a_path_that_is_not_utf8(lock_path: Path, tmp_path: Path) -> None:
    written = LockedBackend("Acme", os.fsdecode(os.fsencode(tmp_path) + b"/\xff.so"), "ab", 2)
    write_lock_file(str(lock_path), [written])
    read = read_lock_file(str(lock_path))
    assert read is not None
    assert read.backends == (written,)
