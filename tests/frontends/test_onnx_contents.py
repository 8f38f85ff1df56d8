# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The bytes of a model file, and the memory that its weights get."""

from __future__ import annotations

import os
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native.memory.large_pages import LARGE_PAGE, read_bytes
from armnn_py.frontends.common.slabs import Slabs
from armnn_py.frontends.common.source import open_source
from armnn_py.tensors.memory import ALIGNMENT

SIZES = [0, 1, 100, LARGE_PAGE, 2 * LARGE_PAGE - 1, 2 * LARGE_PAGE, 3 * LARGE_PAGE + 12345]
FLOAT = np.dtype(np.float32)


@pytest.mark.parametrize("size", SIZES)
def test_the_bytes_of_a_file(size: int, tmp_path: Path) -> None:
    expected = np.random.default_rng(size).bytes(size)
    (tmp_path / "file").write_bytes(expected)
    found = read_bytes(tmp_path / "file")
    assert type(found) is bytes
    assert found == expected
    assert hash(found) == hash(expected)


def test_a_file_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    contents = np.random.default_rng(1).bytes(3 * LARGE_PAGE)
    path.write_bytes(contents)
    actual = path.stat()

    def pretend(size: int) -> None:
        fields = list(actual)
        fields[6] = size
        monkeypatch.setattr(os, "fstat", lambda _: os.stat_result(fields))

    pretend(len(contents) + 1000)  # it was cut short meanwhile
    assert read_bytes(path) == contents
    pretend(len(contents) - 1000)  # it grew
    assert read_bytes(path) == contents


def test_files_of_unknown_size(tmp_path: Path) -> None:
    assert read_bytes(Path("/proc/self/status")).startswith(b"Name:")
    with pytest.raises(IsADirectoryError):
        read_bytes(tmp_path)


def test_a_file_that_is_missing_or_empty(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    with pytest.raises(ann.ParseError, match=r"cannot read model 'model\.onnx': No such file"):
        open_source(path, None).read()
    path.touch()
    with pytest.raises(ann.ParseError, match=r"'model\.onnx' is empty"):
        open_source(path, None).read()


def test_a_file_beyond_what_protobuf_reads(tmp_path: Path) -> None:
    with (tmp_path / "model.onnx").open("wb") as stream:
        stream.truncate(2**31)
    with pytest.raises(ann.ParseError, match="has 2147483648 bytes, protobuf allows 2147483647"):
        ann.import_model(tmp_path / "model.onnx")


def test_arrays_of_slabs_are_aligned_and_apart() -> None:
    generator = np.random.default_rng(2)
    memory = Slabs()
    arrays: list[Any] = []
    for size in [*generator.integers(0, 2**19, 60), 2**22, 2**18, 2**20, 0, 1]:
        array = memory.empty((int(size),), FLOAT)
        assert array.shape == (size,)
        assert array.dtype == FLOAT
        assert array.flags.writeable
        assert array.flags.c_contiguous
        assert size == 0 or array.ctypes.data % ALIGNMENT == 0
        array[...] = len(arrays)
        arrays.append(array)
    for number, array in enumerate(arrays):
        assert (array == number).all()


def _owner(array: Any) -> Any:
    while array.base is not None:
        array = array.base
    return array


def test_large_arrays_share_blocks_that_go_with_them() -> None:
    memory = Slabs()
    first = memory.empty((LARGE_PAGE // 4,), FLOAT)
    large = [memory.empty((LARGE_PAGE // 8,), FLOAT) for _ in range(20)]
    small = [memory.empty((64,), FLOAT) for _ in range(20)]
    owners = {id(_owner(array)): _owner(array) for array in large}
    assert len(owners) == 3  # eight in a block
    assert id(_owner(first)) not in owners  # small models have no blocks
    assert not owners.keys() & {id(_owner(array)) for array in small}
    watched = [weakref.ref(owner) for owner in owners.values()]
    del owners, large, memory
    assert all(reference() is None for reference in watched)
