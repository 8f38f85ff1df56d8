# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Files that must be refused before the system's loader sees them: cut, foreign, damaged."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from armnn_py.backends.loader import elf
from armnn_py.backends.loader.elf import ElfError

from .harness import Load, Workshop, only, outcome

SO = "Test_Test_backend.so"
# Offsets in the head of a 64-bit file.
CLASS, DATA, TYPE, MACHINE, PHOFF, SHOFF, PHENTSIZE, PHNUM = 4, 5, 16, 18, 32, 40, 54, 56
PT_LOAD, PT_DYNAMIC, PT_EH_FRAME, PT_RELRO = 1, 2, 0x6474E550, 0x6474E552
# Offsets in a program header.
P_FLAGS, P_OFFSET, P_VADDR, P_FILESZ, P_MEMSZ, P_ALIGN = 4, 8, 16, 32, 40, 48

Damage = Callable[[bytearray], None]


@pytest.fixture(scope="session")
def image(workshop: Workshop) -> bytes:
    return workshop.build("SILENT_LIBRARY").read_bytes()


def headers(image: bytes) -> list[int]:
    """Where each program header lies."""
    first, count = struct.unpack_from("<Q", image, PHOFF)[0], struct.unpack_from("<H", image, PHNUM)
    return [first + 56 * index for index in range(count[0])]


def header(image: bytes, kind: int, index: int = 0) -> int:
    return [at for at in headers(image) if struct.unpack_from("<I", image, at)[0] == kind][index]


def field(image: bytes, kind: int, offset: int, index: int = 0) -> int:
    return int(struct.unpack_from("<Q", image, header(image, kind, index) + offset)[0])


def end_of_segments(image: bytes) -> int:
    ends = []
    for at in headers(image):
        kind, offset, size = (
            *struct.unpack_from("<I", image, at),
            *struct.unpack_from("<Q16xQ", image, at + P_OFFSET),
        )
        if kind == PT_LOAD:
            ends.append(offset + size)
    return max(ends)


def load_image(load: Load, folder: Path, image: bytes) -> tuple[str, str, str]:
    (folder / SO).write_bytes(image)
    return outcome(only(load(folder)))


# ---- Cut files ----------------------------------------------------------------------------------


def test_a_file_cut_anywhere_does_no_harm(load: Load, tmp_path: Path, image: bytes) -> None:
    needed = end_of_segments(image)
    sizes = sorted({*range(0, 130), *range(130, len(image), 97), needed - 1, needed, len(image)})
    for size in sizes:
        folder = tmp_path / str(size)
        folder.mkdir()
        status, stage, code = load_image(load, folder, image[:size])
        if size < needed:
            assert (status, stage) == ("refused", "inspect"), size
            assert code == {0: "elf-empty"}.get(size, "not-elf" if size < 4 else "elf-cut"), size
        else:  # only section headers are missing, which running it does not need
            assert status == "loaded", size


def test_a_cut_file_says_how_much_is_missing(load: Load, tmp_path: Path, image: bytes) -> None:
    (tmp_path / SO).write_bytes(image[:5000])
    verdict = only(load(tmp_path))
    needed = end_of_segments(image)
    assert verdict.reason == (
        f"the file is cut short: its segments end at byte {needed}, the file has 5000"
    )
    assert verdict.hint == "copy or download the file again"


def test_a_file_that_ends_in_zeros_does_no_harm(load: Load, tmp_path: Path, image: bytes) -> None:
    """As a download leaves it that reserved its space and was interrupted."""
    needed = end_of_segments(image)
    dynamic = field(image, PT_DYNAMIC, P_OFFSET)
    for size in range(64, dynamic, 211):
        folder = tmp_path / str(size)
        folder.mkdir()
        status, stage, _ = load_image(load, folder, image[:size] + bytes(len(image) - size))
        assert (status, stage) == ("refused", "inspect"), (size, needed)


# ---- Foreign files ------------------------------------------------------------------------------


def put(offset: int, layout: str, value: int) -> Damage:
    return lambda image: struct.pack_into(layout, image, offset, value)


def both(*damages: Damage) -> Damage:
    def apply(image: bytearray) -> None:
        for damage in damages:
            damage(image)

    return apply


OTHER = 183 if elf.process_machine() == "x86_64" else 62
OTHER_NAME = {183: "aarch64", 62: "x86_64"}[OTHER]


@pytest.mark.parametrize(
    ("damage", "code", "words"),
    [
        pytest.param(
            put(MACHINE, "<H", OTHER), "elf-machine", f"built for {OTHER_NAME}", id="arch"
        ),
        pytest.param(put(MACHINE, "<H", 243), "elf-machine", "built for riscv64", id="riscv64"),
        pytest.param(
            put(MACHINE, "<H", 9999), "elf-machine", "built for machine number 9999", id="unknown"
        ),
        pytest.param(put(CLASS, "B", 1), "elf-class", "built for 32-bit", id="32-bit"),
        pytest.param(
            both(put(CLASS, "B", 1), put(MACHINE, "<H", 3)),
            "elf-machine",
            "built for 32-bit i386",
            id="i386",
        ),
        pytest.param(
            both(put(DATA, "B", 2), put(MACHINE, ">H", 22)),
            "elf-machine",
            "built for big-endian s390x",
            id="s390x",
        ),
        pytest.param(put(CLASS, "B", 7), "elf-damaged", "class 7", id="class 7"),
        pytest.param(put(TYPE, "<H", 1), "elf-type", "an object file (.o)", id="object file"),
        pytest.param(put(TYPE, "<H", 2), "elf-type", "a program", id="program"),
        pytest.param(put(TYPE, "<H", 4), "elf-type", "a core dump", id="core dump"),
        pytest.param(put(TYPE, "<H", 99), "elf-type", "an ELF file of type 99", id="type 99"),
        pytest.param(put(PHNUM, "<H", 0), "elf-damaged", "0 program headers", id="no headers"),
        pytest.param(put(PHENTSIZE, "<H", 1), "elf-damaged", "of 1 bytes", id="small headers"),
        pytest.param(put(PHOFF, "<Q", 2**63), "elf-cut", "program headers end", id="far headers"),
    ],
)
def test_wrong_head(
    load: Load, tmp_path: Path, image: bytes, damage: Damage, code: str, words: str
) -> None:
    changed = bytearray(image)
    damage(changed)
    assert load_image(load, tmp_path, changed) == ("refused", "inspect", code)
    assert words in only(load(tmp_path)).reason


def test_machine_of_this_process_is_named(load: Load, tmp_path: Path, image: bytes) -> None:
    changed = bytearray(image)
    put(MACHINE, "<H", OTHER)(changed)
    (tmp_path / SO).write_bytes(changed)
    verdict = only(load(tmp_path))
    assert verdict.reason == f"built for {OTHER_NAME}, this process is {elf.process_machine()}"
    assert verdict.hint == f"install the backend's {elf.process_machine()} build"


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"MZ\x90\0", "a Windows library"),
        (b"!<arch>\n", "a static library (.a)"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
        (b"#!/bin/sh\n", "a script"),
        (b"PK\3\4", "a zip archive"),
        (b"\0" * 5000, "no ELF head"),
    ],
)
def test_other_kinds_of_file(load: Load, tmp_path: Path, head: bytes, words: str) -> None:
    assert load_image(load, tmp_path, head + bytes(100)) == ("refused", "inspect", "not-elf")
    assert words in only(load(tmp_path)).reason


# ---- Damaged files ------------------------------------------------------------------------------


def segment(kind: int, offset: int, value: int, index: int = 0, layout: str = "<Q") -> Damage:
    return lambda image: struct.pack_into(layout, image, header(image, kind, index) + offset, value)


def wipe_dynamic(image: bytearray) -> None:
    start, size = field(image, PT_DYNAMIC, P_OFFSET), field(image, PT_DYNAMIC, P_FILESZ)
    image[start : start + size] = bytes(size)


def dynamic_without_end(image: bytearray) -> None:
    start, size = field(image, PT_DYNAMIC, P_OFFSET), field(image, PT_DYNAMIC, P_FILESZ)
    image[start : start + size] = struct.pack("<qQ", 30, 0) * (size // 16)


def change_tag(tag: int, value: int) -> Damage:
    def apply(image: bytearray) -> None:
        start, size = field(image, PT_DYNAMIC, P_OFFSET), field(image, PT_DYNAMIC, P_FILESZ)
        for at in range(start, start + size, 16):
            if struct.unpack_from("<q", image, at)[0] == tag:
                struct.pack_into("<Q", image, at + 8, value)
                return
        pytest.skip(f"this compiler makes no tag {tag}")

    return apply


def lose_tag(tag: int) -> Damage:
    """A flipped bit turns an entry into an unknown one."""

    def apply(image: bytearray) -> None:
        start, size = field(image, PT_DYNAMIC, P_OFFSET), field(image, PT_DYNAMIC, P_FILESZ)
        for at in range(start, start + size, 16):
            if struct.unpack_from("<q", image, at)[0] == tag:
                image[at + 5] ^= 1
                return
        pytest.skip(f"this compiler makes no tag {tag}")

    return apply


def no_loads(image: bytearray) -> None:
    for at in headers(image):
        if struct.unpack_from("<I", image, at)[0] == PT_LOAD:
            struct.pack_into("<I", image, at, 0)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(wipe_dynamic, id="blank dynamic section"),
        pytest.param(dynamic_without_end, id="dynamic section without end"),
        pytest.param(no_loads, id="no segments"),
        pytest.param(segment(PT_DYNAMIC, P_VADDR, 2**40), id="dynamic section far away"),
        pytest.param(segment(PT_DYNAMIC, P_FILESZ, 0), id="dynamic section of no size"),
        pytest.param(segment(PT_LOAD, 0, 0, 2, "<I"), id="a segment lost"),
        pytest.param(segment(PT_EH_FRAME, P_VADDR, 2**40), id="unwinding data far away"),
        pytest.param(segment(PT_LOAD, P_ALIGN, 12345), id="odd alignment"),
        pytest.param(segment(PT_LOAD, P_MEMSZ, 1), id="less memory than file"),
        pytest.param(segment(PT_LOAD, P_VADDR, 0, index=2), id="segments overlap"),
        pytest.param(segment(PT_LOAD, P_MEMSZ, 2**62, index=-1), id="absurd size"),
        pytest.param(change_tag(5, 2**40), id="names far away"),
        pytest.param(change_tag(6, 2**40), id="symbols far away"),
        pytest.param(change_tag(10, 2**40), id="absurd number of names"),
        pytest.param(change_tag(1, 2**31), id="needed library without name"),
        pytest.param(change_tag(7, 2**40), id="relocations far away"),
        pytest.param(change_tag(8, 25), id="relocations of odd size"),
        pytest.param(change_tag(9, 23), id="relocations of odd elements"),
        pytest.param(change_tag(11, 16), id="symbols of odd size"),
        pytest.param(change_tag(12, 0), id="initialiser that is not code"),
        pytest.param(change_tag(13, 2**40), id="finaliser far away"),
        pytest.param(change_tag(25, 2**40), id="initialisers far away"),
        pytest.param(change_tag(27, 2**40), id="absurd number of initialisers"),
        pytest.param(change_tag(0x6FFFFEF5, 2**40), id="symbol hash far away"),
        pytest.param(change_tag(0x6FFFFFF9, 2**40), id="absurd number of relocations"),
        pytest.param(lose_tag(5), id="names lost"),
        pytest.param(lose_tag(6), id="symbols lost"),
        pytest.param(lose_tag(7), id="relocations lost"),
        pytest.param(lose_tag(8), id="size of relocations lost"),
        pytest.param(lose_tag(0x6FFFFEF5), id="symbol hash lost"),
        pytest.param(lose_tag(0x6FFFFFF0), id="symbol versions lost"),
        pytest.param(segment(PT_RELRO, P_MEMSZ, 2**40), id="protects too much"),
        pytest.param(segment(PT_LOAD, P_FLAGS, 0xFF, 0, "<I"), id="odd permissions"),
        pytest.param(segment(PT_LOAD, P_FLAGS, 4, -1, "<I"), id="nothing may be written"),
    ],
)
def test_damaged(load: Load, tmp_path: Path, image: bytes, damage: Damage) -> None:
    changed = bytearray(image)
    damage(changed)
    assert load_image(load, tmp_path, changed) == ("refused", "inspect", "elf-damaged")
    assert only(load(tmp_path)).reason.startswith("damaged: ")


def test_segment_past_the_end(load: Load, tmp_path: Path, image: bytes) -> None:
    changed = bytearray(image)
    segment(PT_LOAD, P_FILESZ, 2**40)(changed)
    segment(PT_LOAD, P_MEMSZ, 2**40)(changed)
    assert load_image(load, tmp_path, changed) == ("refused", "inspect", "elf-cut")


def test_good_files_of_this_system_pass(image: bytes, tmp_path: Path) -> None:
    libraries = [
        line.split(maxsplit=5)[5]
        for line in Path("/proc/self/maps").read_text().splitlines()
        if ".so" in line and "deleted" not in line
    ]
    assert libraries
    for path in set(libraries):
        assert elf.inspect(path).machine == elf.process_machine()


def test_needed_libraries_are_listed(tmp_path: Path, workshop: Workshop) -> None:
    path = tmp_path / "x.so"
    shutil.copyfile(workshop.build(), path)
    assert any(name.startswith("libc.so") for name in elf.inspect(str(path)).needed)


def test_a_pipe_in_the_files_place_is_not_waited_for(tmp_path: Path) -> None:
    """Between finding a file and reading it, somebody may replace it."""
    import os

    os.mkfifo(tmp_path / "pipe")
    with pytest.raises((ElfError, OSError)):
        elf.inspect(str(tmp_path / "pipe"))
