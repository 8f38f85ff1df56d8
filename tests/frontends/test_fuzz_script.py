# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``scripts/fuzz.py`` with some files of each format, always the same; an hour is for people."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.frontends.tflite.conftest import Builder
from tests.frontends.tflite.test_damage import make_sound

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "fuzz.py"


def fuzz(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments, "--findings", str(folder / "findings")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("name", "files"), [("onnx", 1500), ("tflite", 1500), ("so", 700), ("armnn", 2000)]
)
def test_no_exception_escapes(name: str, files: int, tmp_path: Path) -> None:
    seeds: list[str] = []
    if name == "tflite":
        seeds = [str(tmp_path / "sound.tflite")]
        Path(seeds[0]).write_bytes(make_sound(Builder()))
    done = fuzz(tmp_path, name, *seeds, "--files", str(files), "--seed", "7")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{name}: {files} damaged files" in done.stdout
    assert "0 findings" in done.stdout


@pytest.mark.exhaustive
@pytest.mark.timeout(300)
def test_each_part_of_a_compiled_program_is_believed_as_little(tmp_path: Path) -> None:
    """Some bytes of all kinds of operators, changed one at a time; --sweep 1 has all of them."""
    done = fuzz(tmp_path, "armnn", "--sweep", "97", "--minutes", "4")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 findings" in done.stdout
    assert int(done.stdout.split()[1]) > 1500


def test_escaping_exception_is_kept(tmp_path: Path, monkeypatch: Any) -> None:
    """An importer that raises an error that is not ours, by a module that stands in for it."""
    (tmp_path / "sitecustomize.py").write_text(
        "import armnn_py.frontends as f\n"
        "def bad(path): raise KeyError('escaped')\n"
        "f.import_model = bad\n",
        encoding="utf-8",
    )
    (tmp_path / "any.onnx").write_bytes(b"\x08\x08")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    done = fuzz(tmp_path, "onnx", str(tmp_path / "any.onnx"), "--minutes", "0.05")
    assert done.returncode == 1
    assert "KeyError: 'escaped'" in done.stdout
    assert len(list((tmp_path / "findings").glob("*.onnx"))) >= 1


@pytest.mark.exhaustive
def test_hangs_are_distinguished_by_their_place(tmp_path: Path, monkeypatch: Any) -> None:
    """An importer that is stuck in one place, then in another; the timer's signal comes at once."""
    (tmp_path / "sitecustomize.py").write_text(
        "import armnn_py.frontends as f, pathlib, signal\n"
        "mark = pathlib.Path(__file__).with_name('mark')\n"
        "def here(): signal.raise_signal(signal.SIGPROF)\n"
        "def there(): signal.raise_signal(signal.SIGPROF)\n"
        "def stuck(path):\n"
        "    if mark.exists(): there()\n"
        "    mark.touch()\n"
        "    here()\n"
        "f.import_model = stuck\n",
        encoding="utf-8",
    )
    (tmp_path / "any.onnx").write_bytes(b"\x08\x08")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    done = fuzz(tmp_path, "onnx", str(tmp_path / "any.onnx"), "--files", "2")
    assert done.returncode == 1
    kept = [path.read_text() for path in (tmp_path / "findings").glob("*.txt")]
    assert all(text.startswith("hang") for text in kept)
    assert sorted(text.split()[-1] for text in kept) == ["here", "there"]
