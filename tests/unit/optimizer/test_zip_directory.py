# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Damaged directories of saved networks, and members that do not fit the file, are refused."""

from __future__ import annotations

import random
import struct
import zipfile
from pathlib import Path

import pytest

from armnn_py.errors import ParseError
from armnn_py.optimizer.saved import archive
from armnn_py.optimizer.saved.archive import Archive, write_archive

_MEMBERS = {f"blobs/{index}": (bytes(50000 >> index),) for index in range(4)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "saved.armnnpy"
    write_archive(str(path), _MEMBERS)
    return path


def test_sizes_and_places_beyond_four_bytes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``zipfile`` writes eight bytes from its limit on; here that is small."""
    monkeypatch.setattr(archive, "_ZIP64_FROM", 100)
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 150)
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
    write_archive(str(path), _MEMBERS)
    assert b"PK\x06\x06" in path.read_bytes()
    for in_place in (True, False):
        read = Archive(str(path), in_place=in_place)
        assert [len(read.read(name)) for name in _MEMBERS] == [50000, 25000, 12500, 6250]


@pytest.mark.parametrize("in_place", [True, False])
def test_members_are_read_only(path: Path, in_place: bool) -> None:
    view = Archive(str(path), in_place=in_place).view_aligned("blobs/0")
    assert view.ctypes.data % 64 == 0
    assert not view.flags.writeable
    with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True"):
        view.flags.writeable = True


def test_more_members_than_there_may_be(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_MOST_MEMBERS", 4)
    with pytest.raises(ParseError, match="it has 5 members"):
        Archive(str(path))


def damage_end(path: Path, place: int, layout: str, value: int) -> None:
    """Change a number in the record at the end of the directory."""
    data = bytearray(path.read_bytes())
    struct.pack_into(layout, data, data.rindex(b"PK\x05\x06") + place, value)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (12, 2**31, "its directory is damaged"),
        (12, 60, "its directory is damaged"),
        (16, 2**31, "member 'mimetype' is not where it should be"),
    ],
)
def test_a_damaged_end(path: Path, place: int, value: int, words: str) -> None:
    damage_end(path, place, "<I", value)
    with pytest.raises(ParseError, match=words):
        Archive(str(path))


def test_an_entry_without_the_size_that_it_announces(path: Path) -> None:
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, 2**32 - 1)
    path.write_bytes(data)
    with pytest.raises(
        ParseError, match="member 'mimetype' has 4294967295 bytes that are not there"
    ):
        Archive(str(path))


def test_damage_anywhere_is_a_parse_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = path.read_bytes()
    monkeypatch.setattr(archive, "_ZIP64_FROM", 100)
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 150)
    write_archive(str(path), _MEMBERS)
    large = path.read_bytes()
    draw = random.Random(4)
    refused = 0
    for _ in range(1000):
        data = bytearray(draw.choice([plain, large]))
        begin = data.index(b"PK\x01\x02")
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(begin, len(data))] = draw.choice([0, 1, 127, 255])
        path.write_bytes(data[: draw.randrange(len(data))] if draw.random() < 0.2 else data)
        try:
            Archive(str(path))
        except ParseError:
            refused += 1
    assert refused > 100


def test_members_that_share_bytes(path: Path) -> None:
    """Their sums would be computed over the same bytes again and again, for hours."""
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as written:
        at, first = written.start_dir, written.getinfo("blobs/0")
    while (at := data.find(b"PK\x01\x02", at)) >= 0:
        if data[at + 46 : at + 52] == b"blobs/":
            struct.pack_into("<3I", data, at + 16, first.CRC, 50000, 50000)
            struct.pack_into("<I", data, at + 42, first.header_offset)
        at += 46
    path.write_bytes(data)
    with pytest.raises(ParseError, match="its members have more bytes than the file"):
        Archive(str(path))
