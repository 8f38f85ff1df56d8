# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Constants are announced once each, whoever does it, and are given up once they are gone."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native.layers import subgraph
from armnn_py._native.library import core, core_host

if TYPE_CHECKING:
    import pytest

Calls = list[tuple[str, int, int]]


class Library:
    """Notes what it is told, and first answers so many times that there is no memory."""

    def __init__(self, failures: int = 0) -> None:
        self.calls: Calls = []
        self._failures = failures

    def armnn_core_new_constant(self) -> int:
        return int(core().armnn_core_new_constant())

    def armnn_core_begin_constant(self, owned: int, address: int, size: int) -> int:
        self._failures -= 1
        if self._failures >= 0:
            return 0
        self.calls.append(("add", address, size))
        return int(core().armnn_core_begin_constant(owned, address, size))


class Extension(ctypes.Structure):
    """``armnn_lasting_constants_t``."""

    _fields_ = (
        ("context", ctypes.c_void_p),
        (
            "number_of",
            ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64),
        ),
    )


def number_of(address: int, size: int) -> int:
    """The number by which backends know a constant; 0: it has none."""
    host = core_host().contents
    found = Extension.from_address(host.extension(host.context, b"armnn.lasting_constants/1"))
    return int(found.number_of(found.context, address, size))


def use(monkeypatch: pytest.MonkeyPatch, library: Library) -> Library:
    monkeypatch.setattr(subgraph, "core", lambda: library)
    return library


def constant(size: int) -> np.ndarray[Any, Any]:
    array = np.arange(size, dtype=np.uint8)
    array.flags.writeable = False
    return array


def test_once_by_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    library = use(monkeypatch, Library())
    array = constant(50)
    address = array.ctypes.data
    threads = [threading.Thread(target=subgraph.announce, args=(array,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert library.calls == [("add", address, 50)]
    assert number_of(address, 50) != 0
    del array, threads, thread
    assert number_of(address, 50) == 0


def test_again_after_there_was_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    library = use(monkeypatch, Library(failures=1))
    array = constant(9)
    subgraph.announce(array)
    assert library.calls == []
    subgraph.announce(array)
    assert [call[0] for call in library.calls] == ["add"]


def test_writable_arrays_are_not_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    library = use(monkeypatch, Library())
    subgraph.announce(np.zeros(4, np.uint8))
    subgraph.announce(constant(0))
    assert library.calls == []


class _TickError(Exception):
    pass


def test_exceptions_of_signal_handlers_are_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handler raises again and again while arrays end: each time somewhere that can catch it."""
    lost: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)

    def tick(_number: int, _frame: object) -> None:
        raise _TickError

    before = signal.signal(signal.SIGALRM, tick)
    try:
        for _ in range(1000):
            if lost:
                break
            with contextlib.suppress(_TickError):
                signal.setitimer(signal.ITIMER_REAL, 1e-4)  # once
                while not lost:
                    subgraph.announce(constant(8))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert lost == []
