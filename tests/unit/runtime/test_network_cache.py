# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""`load(..., cache=...)`: the model is imported once; what does not fit is made anew."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py import frontends
from armnn_py.optimizer import OptimizedNetwork
from armnn_py.python_backend import PythonBackend
from armnn_py.runtime import network_cache

DEMO = Path(ann.__file__).parent / "demo" / "digits.onnx"
IMAGE = {"image": np.random.default_rng(0).random((1, 1, 8, 8), np.float32)}


@pytest.fixture
def imports(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The models that were imported."""
    done: list[object] = []
    real = frontends.import_network

    def counted(model: Any, **kwargs: Any) -> ann.Network:
        done.append(model)
        return real(model, **kwargs)

    monkeypatch.setattr("armnn_py.runtime.load.import_network", counted)
    return done


def run(model: Any = DEMO, backends: Any = ("CpuRef",), **options: Any) -> bytes:
    with ann.load(model, list(backends), **options) as network:
        return network.run(IMAGE)["probabilities"].tobytes()


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.exists() else []


def test_the_second_load_imports_nothing(tmp_path: Path, imports: list[object]) -> None:
    folder = tmp_path / "a" / "b"
    expected = run()
    assert run(cache=folder) == run(cache=str(folder)) == run(DEMO.read_bytes(), cache=folder)
    assert run(cache=folder) == expected
    assert len(imports) == 2  # without a cache, and the first time
    (file,) = files(folder)
    assert file.suffix == ".armnnpy"
    assert folder.stat().st_mode & 0o777 == 0o700


def test_any_change_makes_another_network(
    tmp_path: Path, imports: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.onnx"
    other.write_bytes(DEMO.read_bytes() + b"\x32\x00")  # an empty producer_version once more
    ways: list[Any] = [
        lambda: run(cache=tmp_path / "c"),
        lambda: run(other, cache=tmp_path / "c"),
        lambda: run(cache=tmp_path / "c", shapes={"image": (1, 1, 8, 8)}),
        lambda: run(cache=tmp_path / "c", placement={"conv*": "CpuRef"}),
        lambda: run(cache=tmp_path / "c", placement={"conv1": "CpuRef"}),
        lambda: run(cache=tmp_path / "c", options=ann.OptimizerOptions(simplify=False)),
        lambda: run(cache=tmp_path / "c", options=ann.OptimizerOptions(disabled_passes=())),
    ]
    for way in ways:
        way()
    assert len(files(tmp_path / "c")) >= len(ways) - 1
    count = len(imports)
    for way in ways:
        way()
    assert len(imports) == count
    monkeypatch.setattr(network_cache, "__version__", "99.0")
    run(cache=tmp_path / "c")
    assert len(imports) == count + 1


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "other"])
def test_a_damaged_file_is_made_anew(
    tmp_path: Path, imports: list[object], caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    expected = run(cache=tmp_path)
    (file,) = files(tmp_path)
    data = bytearray(file.read_bytes())
    data[len(data) // 2 :: 100] = bytes(len(data[len(data) // 2 :: 100]))
    file.write_bytes(
        {"cut": data[:-100], "changed": data, "empty": b"", "other": b"PK\x03\x04"}[damage]
    )
    assert run(cache=tmp_path) == expected
    (told,) = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert "of the cache is not used and made anew" in told
    assert len(imports) == 2
    assert run(cache=tmp_path) == expected
    assert len(imports) == 2


def test_a_file_stays_that_there_is_no_memory_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(cache=tmp_path)
    kept = files(tmp_path)

    def fail(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("armnn_py.optimizer.saved.archive.map_file", fail)
    with pytest.raises(ann.OutOfMemoryError):
        run(cache=tmp_path)
    assert files(tmp_path) == kept


@pytest.mark.exhaustive
def test_two_writers_at_once(tmp_path: Path) -> None:
    code = (
        "import sys, armnn_py as ann\n"
        "for _ in range(4):\n"
        "    for file in __import__('pathlib').Path(sys.argv[2]).glob('*.armnnpy'):\n"
        "        file.unlink(missing_ok=True)\n"
        "    ann.load(sys.argv[1], ['CpuRef'], cache=sys.argv[2]).close()\n"
    )
    command = [sys.executable, "-W", "error", "-c", code, str(DEMO), str(tmp_path)]
    writers = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    for writer in writers:
        _, errors = writer.communicate(timeout=120)
        assert writer.returncode == 0, errors
        assert errors == b""
    assert all(file.suffix == ".armnnpy" for file in files(tmp_path))


def test_least_recently_used_entry_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(cache=tmp_path)
    (first,) = files(tmp_path)
    size = first.stat().st_size
    monkeypatch.setattr(network_cache, "MOST_BYTES", size * 5 // 2)
    os.utime(first, (1, 1))
    run(cache=tmp_path, shapes={"image": (1, 1, 8, 8)})
    run(cache=tmp_path)  # used: now it is the newest
    (tmp_path / "mine.txt").write_text("not of the cache")
    old = tmp_path / ".x.armnnpy.abc.tmp"
    old.write_bytes(b"left by a crash")
    os.utime(old, (1, 1))
    former = tmp_path / f"{'0' * 64}.armnn"  # the suffix that Arm NN's own files have
    former.write_bytes(first.read_bytes())
    os.utime(former, (1, 1))
    run(cache=tmp_path, placement={"conv*": "CpuRef"})
    names = files(tmp_path)
    assert first in names
    assert tmp_path / "mine.txt" in names
    assert old not in names
    assert former not in names
    assert len([path for path in names if path.suffix == ".armnnpy"]) == 2


def test_dropped_information_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Mine(PythonBackend):
        id = "Mine"

    caplog.set_level(logging.INFO, "armnn_py.runtime")
    with ann.Runtime(python_backends=[Mine()]) as runtime:
        ann.load(DEMO, ["CpuRef"], runtime=runtime, cache=tmp_path).close()
    assert "backend 'Mine' has parts in Python" in caplog.text
    with DEMO.open("rb") as stream:
        ann.load(stream, ["CpuRef"], cache=tmp_path).close()
    assert "the model is given as BufferedReader" in caplog.text
    assert files(tmp_path) == []


def test_a_folder_that_cannot_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "armnn_py.runtime")
    (tmp_path / "file").write_bytes(b"")
    assert run(cache=tmp_path / "file") == run()
    assert "is not kept" in caplog.text


def test_the_environment(
    tmp_path: Path, imports: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    run(cache=True)
    assert len(files(tmp_path / "xdg" / "armnn_py" / "networks")) == 1
    monkeypatch.setenv("ARMNN_PY_CACHE", "1")
    run()
    assert len(imports) == 1
    monkeypatch.setenv("ARMNN_PY_CACHE", str(tmp_path / "own"))
    run()
    assert len(files(tmp_path / "own")) == 1
    run(cache=False)
    with ann.Runtime(use_environment=False) as runtime:
        run(runtime=runtime)
    assert len(imports) == 4
    monkeypatch.setenv("ARMNN_PY_CACHE", "relative")
    with pytest.raises(ann.InvalidArgumentError, match="ARMNN_PY_CACHE: 'relative' given"):
        run()
    monkeypatch.delenv("ARMNN_PY_CACHE")
    with pytest.raises(ann.InvalidArgumentError, match="cache: 5 given"):
        run(cache=5)


def test_a_file_of_the_cache_is_a_saved_network(tmp_path: Path) -> None:
    run(cache=tmp_path)
    (file,) = files(tmp_path)
    with ann.Runtime() as runtime:
        assert OptimizedNetwork.load(file, runtime=runtime).assignment.counts == {"CpuRef": 12}


@pytest.mark.parametrize("kind", ["pipe", "endless", "folder", "loop", "elsewhere", "huge"])
def test_foreign_files_in_the_cache(tmp_path: Path, kind: str) -> None:
    expected = run(cache=tmp_path)
    (file,) = files(tmp_path)
    file.unlink()
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    elif kind == "huge":
        with file.open("wb") as stream:
            stream.truncate(1 << 40)
    else:
        file.symlink_to({"endless": "/dev/zero", "loop": file.name}.get(kind, elsewhere))
    assert run(cache=tmp_path) == expected
    assert not file.is_symlink()
    assert not elsewhere.exists()
    assert file.is_dir() if kind == "folder" else file.is_file()
    assert run(cache=tmp_path) == expected


@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_a_model_that_is_no_file(tmp_path: Path, kind: str) -> None:
    model = tmp_path / "net.onnx"
    if kind == "pipe":
        os.mkfifo(model)
    else:
        model.symlink_to("/dev/zero")
    with pytest.raises(ann.ParseError, match="not a regular file"):
        run(model, cache=tmp_path / "c")


def another_user(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    os.chown(path, 54321, 54321)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda file: file.chmod(0o666), "other users may write to it"),
        (lambda file: file.chmod(0o620), "other users may write to it"),
        (another_user, "it belongs to user 54321"),
    ],
    ids=["writable", "writable by the group", "foreign"],
)
def test_a_file_that_other_users_may_have_written_is_made_anew(
    tmp_path: Path,
    imports: list[object],
    caplog: pytest.LogCaptureFixture,
    spoil: Any,
    words: str,
) -> None:
    run(cache=tmp_path)
    (file,) = files(tmp_path)
    spoil(file)
    run(cache=tmp_path)
    assert words in caplog.text
    assert len(imports) == 2
    run(cache=tmp_path)
    assert len(imports) == 2


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda folder: folder.chmod(0o777), "every user may write to its folder"),
        (lambda folder: folder.chmod(0o1777), "every user may write to its folder"),
        (another_user, "its folder belongs to user 54321"),
    ],
    ids=["writable", "sticky", "foreign"],
)
def test_a_folder_where_other_users_may_put_files_is_not_used(
    tmp_path: Path,
    imports: list[object],
    caplog: pytest.LogCaptureFixture,
    spoil: Any,
    words: str,
) -> None:
    folder = tmp_path / "c"
    run(cache=folder)
    before = files(folder)
    spoil(folder)
    run(cache=folder)
    run(cache=folder, shapes={"image": (1, 1, 8, 8)})
    assert caplog.text.count(words) == 2
    assert len(imports) == 3
    assert files(folder) == before


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        run(cache=tmp_path / "c")
    finally:
        os.umask(before)
    (file,) = files(tmp_path / "c")
    assert file.stat().st_mode & 0o777 == 0o600


def test_without_a_home_nothing_is_kept(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    assert run(cache=True) == run()
    assert caplog.text.count("neither XDG_CACHE_HOME nor HOME is set") == 1
