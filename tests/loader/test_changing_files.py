# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Files that change while they are being loaded."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from armnn_py._native import dynamic_library
from armnn_py.backends import elf, shared_library
from armnn_py.backends.elf import ElfError
from armnn_py.backends.shared_library import mapped_libraries

from .harness import Load, Workshop, mapped_files, only, outcome

Change = Callable[[Path], None]


def replace_by_a_cut_one(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes()[:4096])
    other.rename(path)


def replace_by_a_whole_one(path: Path) -> None:
    shutil.copyfile(path, path.with_name("other"))
    path.with_name("other").rename(path)


def cut(path: Path) -> None:
    os.truncate(path, 4096)


def write_into(path: Path) -> None:
    status = path.stat()
    with path.open("r+b") as file:
        file.seek(status.st_size - 1)
        file.write(b"\0")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))  # on every file system


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (replace_by_a_cut_one, "changed", "was replaced or written to while it was being loaded"),
        (replace_by_a_whole_one, "changed", "was replaced or written to"),
        (cut, "changed", "was replaced or written to"),
        (write_into, "changed", "was replaced or written to"),
        (Path.unlink, "vanished", "was removed while it was being loaded"),
    ],
)
def test_change_between_inspecting_and_opening(
    change: Change,
    code: str,
    words: str,
    load: Load,
    tmp_path: Path,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = workshop.put_id(tmp_path, "One")
    inspect = elf.inspect

    def inspect_and_change(name: str) -> elf.ElfInfo:
        info = inspect(name)
        change(path)
        return info

    def never(name: str) -> int:
        pytest.fail(f"opened {name}")

    monkeypatch.setattr(elf, "inspect", inspect_and_change)
    monkeypatch.setattr(dynamic_library, "open_library", never)
    verdict = only(load(tmp_path))
    assert outcome(verdict) == ("refused", "open", code)
    assert words in verdict.reason
    assert str(path) not in mapped_libraries()


def test_change_while_opening(
    load: Load, tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system opened another file than the one that was inspected: it goes back."""
    path = workshop.put_id(tmp_path, "One")
    open_library = dynamic_library.open_library

    def change_and_open(name: str) -> int:
        replace_by_a_whole_one(path)
        return open_library(name)

    with monkeypatch.context() as patch:
        patch.setattr(dynamic_library, "open_library", change_and_open)
        assert outcome(only(load(tmp_path))) == ("refused", "open", "changed")
    assert str(path) not in mapped_files()
    assert outcome(only(load(tmp_path))) == ("loaded", "create", "ok")


def test_replaced_between_finding_and_inspecting(
    load: Load, tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new file is as good as the old one, and known by its own number from then on."""
    path = workshop.put_id(tmp_path, "One")
    inspect = elf.inspect

    def change_and_inspect(name: str) -> elf.ElfInfo:
        replace_by_a_whole_one(path)
        return inspect(name)

    with monkeypatch.context() as patch:
        patch.setattr(elf, "inspect", change_and_inspect)
        assert outcome(only(load(tmp_path))) == ("loaded", "create", "ok")
    status = path.stat()
    assert (status.st_dev, status.st_ino) in shared_library._libraries
    assert outcome(only(load(tmp_path))) == ("loaded", "create", "ok")
    assert mapped_libraries()[str(path)] == 2


def test_removed_between_finding_and_inspecting(
    load: Load, tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workshop.put_id(tmp_path, "One")
    inspect = elf.inspect

    def remove_and_inspect(name: str) -> elf.ElfInfo:
        path.unlink()
        return inspect(name)

    monkeypatch.setattr(elf, "inspect", remove_and_inspect)
    verdict = only(load(tmp_path))
    assert outcome(verdict) == ("refused", "resolve", "vanished")
    assert verdict.reason == "was removed after it was found"


def test_file_that_shrinks_while_it_is_inspected(
    tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workshop.put_id(tmp_path, "One")
    pread = os.pread
    reads = 0

    def shrink_at(number: int, left: int) -> Callable[[int, int, int], bytes]:
        def read(descriptor: int, size: int, offset: int) -> bytes:
            nonlocal reads
            reads += 1
            data = pread(descriptor, size, offset)
            return data[: int(len(data) * left / 100)] if reads >= number else data

        return read

    monkeypatch.setattr(os, "pread", shrink_at(10**9, 0))
    elf.inspect(str(path))
    total = reads
    assert total > 5
    for number in range(1, total + 1):
        for left in (0, 37, 99):
            reads = 0
            monkeypatch.undo()
            monkeypatch.setattr(os, "pread", shrink_at(number, left))
            with pytest.raises(ElfError) as caught:
                elf.inspect(str(path))
            assert caught.value.code == "elf-cut"
