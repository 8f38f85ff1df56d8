# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Files that change while they are being loaded."""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from armnn_py._native.table import dynamic_library
from armnn_py.backends.loader import elf, shared_library
from armnn_py.backends.loader.elf import ElfError
from armnn_py.backends.loader.shared_library import mapped_libraries

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

    def inspect_and_change(name: str, **settings: bool) -> elf.ElfInfo:
        info = inspect(name, **settings)
        change(path)
        return info

    def never(name: str, **_: bool) -> int:
        pytest.fail(f"opened {name}")

    monkeypatch.setattr(elf, "inspect", inspect_and_change)
    monkeypatch.setattr(dynamic_library, "open_library", never)
    verdict = only(load(tmp_path))
    assert outcome(verdict) == ("refused", "open", code)
    assert words in verdict.reason
    assert str(path) not in mapped_libraries()


def replacing(path: Path, other: Path) -> Callable[..., int]:
    """`open_library` that finds another file under that path by the time it opens something."""
    open_library = dynamic_library.open_library

    def replace_and_open(name: str, **arguments: bool) -> int:
        shutil.copyfile(other, path.with_name("other"))
        path.with_name("other").rename(path)
        return open_library(name, **arguments)

    return replace_and_open


def test_replaced_while_opening(
    load: Load,
    tmp_path: Path,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
    journal: Callable[[], list[str]],
) -> None:
    """What was inspected runs, whatever the name leads to by now; the next load has the new one."""
    path = workshop.put_id(tmp_path / "searched", "One")
    other = workshop.put_id(tmp_path, "Other")
    with monkeypatch.context() as patch:
        patch.setattr(dynamic_library, "open_library", replacing(path, other))
        verdict = only(load(path.parent))
    assert outcome(verdict) == ("loaded", "create", "ok")
    assert verdict.id == "One"
    assert not [line for line in journal() if "Other" in line]
    assert only(load(path.parent)).id == "Other"


def test_replaced_while_opening_by_name(
    load: Load, tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that may ask where it lies: the system opened another one, which goes back."""
    path = workshop.put_id(tmp_path / "searched", "One", "-Wl,-rpath,$ORIGIN")
    other = workshop.put_id(tmp_path, "Other")
    with monkeypatch.context() as patch:
        patch.setattr(dynamic_library, "open_library", replacing(path, other))
        assert outcome(only(load(path.parent))) == ("refused", "open", "changed")
    assert str(path) not in mapped_files()
    assert outcome(only(load(path.parent))) == ("loaded", "create", "ok")


def test_a_library_is_known_by_its_path(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    """Debuggers, profilers and dladdr get the path, not the name that the loader was given."""
    path = workshop.put_id(tmp_path, "One")
    load(tmp_path).close()  # what stays from a first load is there
    before = len(list(Path("/proc/self/fd").iterdir()))
    with load(tmp_path) as registry:
        assert only(registry).status == "loaded"
        assert any(library.path == str(path) for library in shared_library._libraries.values())
        assert str(path) in linked_libraries()
        assert not [name for name in linked_libraries() if name.startswith("/proc/")]
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_closed_library_that_stays_mapped_is_not_taken_for_another(
    load: Load, tmp_path: Path, workshop: Workshop
) -> None:
    """The loader keeps a library with this mark; its descriptor's number comes again."""
    for name in ("One", "Two", "Three"):
        folder = tmp_path / name
        workshop.put_id(folder, name, "-Wl,-z,nodelete")
        with load(folder) as registry:
            assert only(registry).id == name
    assert str(tmp_path / "One" / "Test_One_backend.so") in mapped_files()


def linked_libraries() -> list[str]:
    """Names of all libraries as dl_iterate_phdr tells them."""
    names: list[str] = []

    class Info(ctypes.Structure):
        _fields_ = (("address", ctypes.c_void_p), ("name", ctypes.c_char_p))

    visit = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Info), ctypes.c_size_t, ctypes.c_void_p)

    def note(info: Any, _size: int, _data: int | None) -> int:
        names.append(os.fsdecode(info.contents.name or b""))
        return 0

    ctypes.CDLL(None).dl_iterate_phdr(visit(note), None)
    return names


@pytest.mark.parametrize(
    ("arguments", "asks"),
    [((), False), (("-Wl,-rpath,$ORIGIN",), True), (("-DASKS", "-Wl,-rpath,/opt"), True)],
)
def test_files_that_use_dladdr(
    tmp_path: Path, workshop: Workshop, arguments: tuple[str, ...], asks: bool
) -> None:
    source = tmp_path / "one.c"
    source.write_text(
        "extern int dladdr(const void*, void*);\n"
        "#ifdef ASKS\nint ask(void* out) { return dladdr(out, out); }\n#endif\n"
        "int answer(void) { return 42; }\n"
    )
    workshop.compile(source, tmp_path / "one.so", *arguments, "-fvisibility=default")
    assert elf.inspect(str(tmp_path / "one.so")).asks_where_it_lies is asks


def test_replaced_between_finding_and_inspecting(
    load: Load, tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new file is as good as the old one, and known by its own number from then on."""
    path = workshop.put_id(tmp_path, "One")
    inspect = elf.inspect

    def change_and_inspect(name: str, **settings: bool) -> elf.ElfInfo:
        replace_by_a_whole_one(path)
        return inspect(name, **settings)

    with monkeypatch.context() as patch:
        patch.setattr(elf, "inspect", change_and_inspect)
        assert outcome(only(load(tmp_path))) == ("loaded", "create", "ok")
    status = path.stat()
    assert (status.st_dev, status.st_ino, False) in shared_library._libraries
    assert outcome(only(load(tmp_path))) == ("loaded", "create", "ok")
    assert mapped_libraries()[str(path)] == 2


def test_removed_between_finding_and_inspecting(
    load: Load, tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workshop.put_id(tmp_path, "One")
    inspect = elf.inspect

    def remove_and_inspect(name: str, **settings: bool) -> elf.ElfInfo:
        path.unlink()
        return inspect(name, **settings)

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
