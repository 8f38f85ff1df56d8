# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The file in which findings are kept: how it grows, and what it may be instead."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from armnn_py.backends.probe import cache as probe_cache
from armnn_py.backends.probe.findings import ProbeFinding
from armnn_py.backends.probe.identity import FileIdentity

from .harness import LOADED, Workshop, forget_findings

SOURCE = "deed_backend.c"


@pytest.fixture
def file(tmp_path: Path, workshop: Workshop) -> Path:
    """A backend that does nothing wrong."""
    return workshop.put(tmp_path / "place", "Deed", source=SOURCE)


def test_new_lines_are_added_and_old_ones_go(
    file: Path, cache: Path, tried: list[str], load_once, tmp_path: Path, workshop: Workshop
) -> None:
    """One line is added for each finding; the file is replaced when most of its lines are old."""
    other = workshop.put(tmp_path / "other", "Deed", source=SOURCE)
    assert load_once(other.parent) == LOADED
    [kept] = cache.iterdir()
    counts, inodes = [], set()
    for moment in range(1, 50):
        os.utime(file, ns=(moment, moment))
        assert load_once(file.parent) == LOADED
        counts.append(kept.read_bytes().count(b"\n"))
        inodes.add(kept.stat().st_ino)
    assert counts[:5] == [3, 4, 5, 6, 7]
    assert max(counts) < 45
    assert len(inodes) == 2
    forget_findings()
    assert load_once(file.parent) == LOADED
    assert load_once(other.parent) == LOADED
    assert tried == [other.name, *[file.name] * 49]


def test_truncated_files_are_skipped(
    cache: Path, tried: list[str], load_once, tmp_path: Path, workshop: Workshop
) -> None:
    first, *rest = (
        workshop.put(tmp_path / name, "Deed", source=SOURCE) for name in ("one", "two", "three")
    )
    assert load_once(first.parent) == LOADED
    [kept] = cache.iterdir()
    with kept.open("ab") as stream:
        stream.write(kept.read_bytes().splitlines()[1][:100])
    for _ in range(2):
        forget_findings()
        for file in (first, *rest):
            assert load_once(file.parent) == LOADED
    assert tried == [file.name for file in (first, *rest)]


def test_many_files_are_known(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as fit into a file of some megabytes; the oldest go first."""
    cache.mkdir(parents=True)
    finding = ProbeFinding("exit", "passed", 0, (), "Deed", (1, 0), "", 0.001, 1.0, (), ())

    def known() -> list[int]:
        forget_findings()
        found = probe_cache.cache_of(str(cache))
        return [i for i in range(3000) if found.find(FileIdentity(1, i, 1, 1, 1), 1.0, "/x")]

    kept = probe_cache.cache_of(str(cache))
    for i in range(3000):
        kept.put(FileIdentity(1, i, 1, 1, 1), finding)
        if i % 500 == 499:
            kept.save()
    assert known() == list(range(3000))
    [file] = cache.iterdir()
    monkeypatch.setattr(probe_cache, "_MOST_BYTES", file.stat().st_size)
    monkeypatch.setattr(probe_cache, "_MOST_REWRITTEN", file.stat().st_size // 2)
    now = probe_cache.time.time()
    monkeypatch.setattr(probe_cache.time, "time", lambda: now + 10)
    kept = probe_cache.cache_of(str(cache))
    kept.put(FileIdentity(1, 0, 1, 1, 1), finding)
    kept.save()
    remembered = known()
    assert 0 in remembered
    assert 1000 < len(remembered) < 2000


# ---- Files that are not caches ------------------------------------------------------------------


def make_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def make_endless(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def make_huge(path: Path) -> None:
    os.truncate(path, 1 << 40)


def make_damaged(path: Path) -> None:
    path.write_bytes(bytes(byte ^ 0x55 for byte in path.read_bytes()))


def make_cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 20)


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def make_writable(path: Path) -> None:
    path.chmod(0o666)


def make_folder_writable(path: Path) -> None:
    path.parent.chmod(0o777)


def make_foreign(path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root gives files away")
    os.chown(path, 65534, 65534)


@pytest.mark.parametrize(
    "spoil",
    [
        make_fifo, make_endless, make_huge, make_damaged, make_cut, make_folder, make_writable,
        make_foreign, make_folder_writable,
    ],
)  # fmt: skip
def test_a_spoilt_cache(
    file: Path, spoil: Callable[[Path], None], cache: Path, tried: list[str], load_once
) -> None:
    """It counts as empty, and is replaced by one of our own if that can be done."""
    load_once(file.parent)
    [kept] = cache.iterdir()
    spoil(kept)
    forget_findings()
    assert load_once(file.parent) == LOADED
    assert tried == [file.name] * 2
    forget_findings()
    assert load_once(file.parent) == LOADED
    assert len(tried) == (3 if spoil in (make_folder, make_folder_writable) else 2)


def test_every_single_byte_may_be_wrong(
    cache: Path, tried: list[str], load_once, tmp_path: Path, workshop: Workshop
) -> None:
    file = workshop.put(tmp_path / "place", "Deed", 'DEED="abort"', 'SITE="id"', source=SOURCE)
    load_once(file.parent)
    [kept] = cache.iterdir()
    data = kept.read_bytes()
    found = probe_cache.cache_of(str(cache))
    [(key, entry)] = found._read().items()
    for position in range(len(data)):
        for value in (0, ord("9"), ord("\t"), ord("\n"), 255):
            changed = bytearray(data)
            changed[position] = value
            kept.write_bytes(changed)
            assert found._read() in ({}, {key: entry})


def test_a_cache_of_another_release(file: Path, cache: Path, tried: list[str], load_once) -> None:
    load_once(file.parent)
    [kept] = cache.iterdir()
    kept.write_bytes(kept.read_bytes().replace(b"probes ", b"probes 9", 1))
    forget_findings()
    load_once(file.parent)
    assert tried == [file.name] * 2


def test_no_cache_folder(
    tried: list[str],
    load_once,
    tmp_path: Path,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The findings are known to this process."""
    forget_findings()
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    file = workshop.put(tmp_path / "place", "Deed", source=SOURCE)
    assert load_once(file.parent) == load_once(file.parent) == LOADED
    assert tried == [file.name]


def test_many_processes_at_once(cache: Path, tmp_path: Path, workshop: Workshop) -> None:
    files = [workshop.put_id(tmp_path / str(i), f"Id{i}") for i in range(4)]
    code = (
        "import sys; from armnn_py.backends import load_backends; "
        "load_backends(dynamic_backends_path=sys.argv[1], bundled_backends=False).close()"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    children = [
        subprocess.Popen([sys.executable, "-c", code, str(file.parent)], env=environment)
        for file in files
    ]
    assert [child.wait() for child in children] == [0] * 4
    assert len(probe_cache.ProbeCache(str(cache))._read()) == 4
    assert len(list(cache.iterdir())) == 1
