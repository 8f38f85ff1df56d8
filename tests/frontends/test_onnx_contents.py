# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Files are read while the importer is imported; errors are the same as without that."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py.frontends.onnx.contents import FileContents

SIZES = {"small": 100, "large": 3 << 20}


@pytest.fixture(params=SIZES.values(), ids=SIZES)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file that is read at once, and one that is read by a thread."""
    path = tmp_path / "model.onnx"
    path.write_bytes(bytes(range(100)) * (request.param // 100))
    return path


class Watched(type(Path())):  # type: ignore[misc]
    """A path that knows which threads read it, and fails as it is told."""

    readers: list[str]
    failure: BaseException | None = None

    def read_bytes(self) -> bytes:
        self.readers.append(threading.current_thread().name)
        if self.failure is not None:
            raise self.failure
        return super().read_bytes()


@pytest.fixture
def watched(file: Path) -> Watched:
    path = Watched(file)
    path.readers = []
    return path


def test_the_bytes_of_the_file(watched: Watched) -> None:
    contents = FileContents(watched, meanwhile=True)
    assert contents.take() == Path(watched).read_bytes()
    is_large = watched.stat().st_size == SIZES["large"] // 100 * 100
    expected = "armnn_py reads a model" if is_large else threading.current_thread().name
    assert watched.readers == [expected]
    assert FileContents(watched, meanwhile=False).take() == Path(watched).read_bytes()
    assert watched.readers == [expected, threading.current_thread().name]


def test_what_goes_wrong_in_the_thread(watched: Watched) -> None:
    watched.failure = OSError(5, "Input/output error")
    contents = FileContents(watched, meanwhile=True)
    with pytest.raises(
        ann.ParseError, match=r"cannot read model 'model\.onnx': Input/output error"
    ):
        contents.take()
    watched.failure = MemoryError()
    with pytest.raises(MemoryError):
        FileContents(watched, meanwhile=True).take()


def test_a_process_that_may_have_no_more_threads(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert len(FileContents(watched, meanwhile=True).take()) == watched.stat().st_size


def test_a_file_that_goes_or_is_emptied_meanwhile(file: Path) -> None:
    file.write_bytes(b"")
    with pytest.raises(ann.ParseError, match=r"'model\.onnx' is empty"):
        FileContents(file, meanwhile=True).take()
    file.unlink()
    with pytest.raises(ann.ParseError, match=r"cannot read model 'model\.onnx': No such file"):
        FileContents(file, meanwhile=True)


def test_a_file_beyond_what_protobuf_reads(tmp_path: Path) -> None:
    with (tmp_path / "model.onnx").open("wb") as stream:
        stream.truncate(2**31)
    with pytest.raises(ann.ParseError, match="has 2147483648 bytes, protobuf allows 2147483647"):
        FileContents(tmp_path / "model.onnx", meanwhile=True)
