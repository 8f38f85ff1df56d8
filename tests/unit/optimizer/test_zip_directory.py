# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What is read of an archive's directory is what ``zipfile`` reads of it."""

from __future__ import annotations

import dataclasses
import io
import random
import struct
import zipfile
from pathlib import Path

import pytest

from armnn_py.errors import ParseError
from armnn_py.optimizer.saved.archive import Archive, write_archive
from armnn_py.optimizer.saved.directory import read_directory

_NAMES = ["mimetype", "network.json", "blobs/0.bin", "größe.txt", "empty"]


def _archive(comment: bytes = b"", method: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.comment = comment
        for index, name in enumerate(_NAMES):
            with archive.open(name, "w", force_zip64=index < 3) as member:
                member.write(bytes(100 * (len(_NAMES) - 1 - index)))
    return stream.getvalue()


def _of_zipfile(data: bytes) -> list[tuple[object, ...]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [
            (
                info.filename,
                info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & 1,
                info.CRC,
                info.compress_size,
                info.file_size,
                info.header_offset,
            )
            for info in archive.infolist()
        ]


def _of_ours(data: bytes, most: int = 100) -> list[tuple[object, ...]]:
    return [dataclasses.astuple(entry) for entry in read_directory(memoryview(data), most)]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(_archive(), id="plain"),
        pytest.param(_archive(b"a comment " * 50), id="a comment behind it"),
        pytest.param(_archive(method=zipfile.ZIP_DEFLATED), id="compressed"),
    ],
)
def test_members_are_those_of_zipfile(data: bytes) -> None:
    assert _of_ours(data) == _of_zipfile(data)


def test_sizes_and_places_beyond_four_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """``zipfile`` writes eight bytes from its limit on; here that is small."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 150)
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
    data = _archive()
    assert b"PK\x06\x06" in data
    assert _of_ours(data) == _of_zipfile(data)


def test_an_entry_without_the_size_that_it_announces() -> None:
    data = bytearray(_archive())
    struct.pack_into("<I", data, data.index(b"PK\x01\x02") + 24, 2**32 - 1)
    with pytest.raises(ValueError, match="the size of a member is missing"):
        _of_ours(bytes(data))


def test_more_members_than_there_may_be() -> None:
    with pytest.raises(ValueError, match=f"it has {len(_NAMES)} members"):
        _of_ours(_archive(), most=len(_NAMES) - 1)


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (10, 2**16 - 1, "it has 65535 members"),
        (10, 7, f"its directory has {len(_NAMES)} members of 7"),
        (12, 2**31, "is not where it should be"),
        (12, 60, "its directory is damaged"),
        (16, 2**31, "is not where it should be"),
        (16, 0, "its directory is damaged"),
    ],
)
def test_a_damaged_end(place: int, value: int, words: str) -> None:
    data = bytearray(_archive())
    struct.pack_into("<H" if place == 10 else "<I", data, data.rindex(b"PK\x05\x06") + place, value)
    with pytest.raises(ValueError, match=words):
        _of_ours(bytes(data))


def test_damage_anywhere_is_a_value_error(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = _archive()
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 150)
    large = _archive()
    draw = random.Random(4)
    for _ in range(3000):
        data = bytearray(draw.choice([plain, large]))
        begin = data.index(b"PK\x01\x02")
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(begin, len(data))] = draw.choice([0, 1, 127, 255])
        cut = data[: draw.randrange(len(data))] if draw.random() < 0.2 else data
        try:
            _of_ours(bytes(cut))
        except ValueError:
            continue


def test_members_that_share_bytes(tmp_path: Path) -> None:
    """Their sums would be computed over the same bytes again and again, for hours."""
    path = tmp_path / "shared.armnnpy"
    write_archive(str(path), {f"blobs/{index}": (bytes(50000 >> index),) for index in range(4)})
    assert Archive(str(path)).read("blobs/3") == bytes(6250)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        at, first = archive.start_dir, archive.getinfo("blobs/0")
    while (at := data.find(b"PK\x01\x02", at)) >= 0:
        if data[at + 46 : at + 52] == b"blobs/":
            struct.pack_into("<3I", data, at + 16, first.CRC, 50000, 50000)
            struct.pack_into("<I", data, at + 42, first.header_offset)
        at += 46
    path.write_bytes(data)
    with pytest.raises(ParseError, match="its members have more bytes than the file"):
        Archive(str(path))
