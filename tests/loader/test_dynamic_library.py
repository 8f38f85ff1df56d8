# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Opening libraries and finding symbols: cases 1 to 9 and 12 of AN 2.11; reading foreign memory."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from pathlib import Path

import pytest

from armnn_py._native.table import dynamic_library
from armnn_py._native.table.dynamic_library import UnreadableTextError, read_text

from .harness import FIXTURES, Workshop


@pytest.fixture
def handle(workshop: Workshop) -> Iterator[int]:
    opened = dynamic_library.open_library(workshop.build(source="plain_library.c"))
    yield opened
    dynamic_library.close_library(opened)


def test_case_1_open_and_close(workshop: Workshop) -> None:
    opened = dynamic_library.open_library(workshop.build(source="plain_library.c"))
    assert opened
    dynamic_library.close_library(opened)


def test_case_2_close_nothing() -> None:
    dynamic_library.close_library(None)
    dynamic_library.close_library(0)


def test_case_3_empty_file_name() -> None:
    with pytest.raises(OSError, match="is empty"):
        dynamic_library.open_library("")


def test_case_4_file_that_does_not_exist() -> None:
    with pytest.raises(OSError, match=r"NotExistingFileName.*No such file"):
        dynamic_library.open_library("/NotExistingFileName")


def test_case_5_file_that_is_not_a_shared_object() -> None:
    with pytest.raises(OSError, match=r"plain_library\.c: "):
        dynamic_library.open_library(FIXTURES / "plain_library.c")


def test_case_6_exported_symbol(handle: int) -> None:
    address = dynamic_library.symbol(handle, "TestFunction1")
    assert address is not None
    assert ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(address)(7) == 7


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("TestFunction2", id="case 7 mangled as C++"),
        pytest.param("TestFunction3", id="case 8 not exported"),
        pytest.param("TestFunction4", id="case 9 not there"),
    ],
)
def test_symbol_that_cannot_be_found(handle: int, name: str) -> None:
    assert dynamic_library.symbol(handle, name) is None


@pytest.mark.parametrize("nothing", [0, None], ids=repr)
def test_case_12_null_handle(nothing: int) -> None:
    with pytest.raises(OSError, match="handle of the shared object is null"):
        dynamic_library.symbol(nothing, "GetBackendId")


def test_empty_symbol_name(handle: int) -> None:
    with pytest.raises(ValueError, match="name of the symbol is empty"):
        dynamic_library.symbol(handle, "")


def test_symbols_stay_private(handle: int) -> None:
    assert dynamic_library.symbol(handle, "TestFunction1") is not None
    assert not dynamic_library.process_has_symbol("TestFunction1")
    assert dynamic_library.process_has_symbol("malloc")


def test_code_is_distinguished_from_data(handle: int) -> None:
    address = dynamic_library.symbol(handle, "TestFunction1")
    assert address is not None
    assert dynamic_library.is_code(address)
    data = ctypes.create_string_buffer(8)
    assert not dynamic_library.is_code(ctypes.addressof(data))


# ---- Text of somebody else ----------------------------------------------------------------------


@pytest.fixture
def last_bytes() -> Iterator[int]:
    """Address behind the last readable byte of a mapping."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    size = 3 * mmap.PAGESIZE
    start = libc.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    libc.munmap(start + 2 * mmap.PAGESIZE, mmap.PAGESIZE)
    yield start + 2 * mmap.PAGESIZE
    libc.munmap(start, 2 * mmap.PAGESIZE)


def test_text_that_ends_where_memory_ends(last_bytes: int) -> None:
    ctypes.memmove(last_bytes - 4, b"abc\0", 4)
    assert read_text(last_bytes - 4, 64) == b"abc"


def test_text_without_end(last_bytes: int) -> None:
    ctypes.memmove(last_bytes - 4, b"abcd", 4)
    with pytest.raises(UnreadableTextError, match="cannot be read"):
        read_text(last_bytes - 4, 64)


def test_text_across_pages(last_bytes: int) -> None:
    start = last_bytes - mmap.PAGESIZE - 2
    ctypes.memmove(start, b"abcdef\0", 7)
    assert read_text(start, 64) == b"abcdef"


@pytest.mark.parametrize(("limit", "fits"), [(6, True), (5, False), (7, True)])
def test_limit_of_a_text(limit: int, fits: bool) -> None:
    text = ctypes.create_string_buffer(b"abcdef")
    if fits:
        assert read_text(ctypes.addressof(text), limit) == b"abcdef"
    else:
        with pytest.raises(UnreadableTextError, match="longer than 5 bytes"):
            read_text(ctypes.addressof(text), limit)


@pytest.mark.parametrize("address", [1, 4096, 2**47, 2**63, 2**64 - 1], ids=hex)
def test_text_nowhere(address: int) -> None:
    with pytest.raises(UnreadableTextError, match="cannot be read"):
        read_text(address, 64)


def test_paths_that_are_not_utf8(tmp_path: Path, workshop: Workshop) -> None:
    import os
    import shutil

    path = os.fsencode(tmp_path) + b"/\xff.so"
    shutil.copyfile(workshop.build(source="plain_library.c"), path)
    dynamic_library.close_library(dynamic_library.open_library(os.fsdecode(path)))
