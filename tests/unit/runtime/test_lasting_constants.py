# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Constants are announced once each, whoever does it, and are given up once they are gone."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native.layers.layer_structs import lasting_constants

if TYPE_CHECKING:
    import pytest

Calls = list[tuple[str, int, int]]


class Library:
    """Notes what it is told, and first answers so many times that there is no memory."""

    def __init__(self, failures: int = 0) -> None:
        self.calls: Calls = []
        self._failures = failures

    def armnn_core_add_lasting_constant(self, address: int, size: int) -> int:
        self._failures -= 1
        if self._failures >= 0:
            return 0
        self.calls.append(("add", address, size))
        return 1

    def armnn_core_remove_lasting_constant(self, address: int, size: int) -> None:
        self.calls.append(("remove", address, size))


def use(monkeypatch: pytest.MonkeyPatch, library: Library) -> Library:
    monkeypatch.setattr(lasting_constants, "core", lambda: library)
    return library


def constant(size: int) -> np.ndarray[Any, Any]:
    array = np.arange(size, dtype=np.uint8)
    array.flags.writeable = False
    return array


def test_once_by_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    library = use(monkeypatch, Library())
    array = constant(50)
    address = array.ctypes.data
    threads = [threading.Thread(target=lasting_constants.announce, args=(array,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert library.calls == [("add", address, 50)]
    del array, threads, thread
    assert library.calls == [("add", address, 50), ("remove", address, 50)]


def test_again_after_there_was_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    library = use(monkeypatch, Library(failures=1))
    array = constant(9)
    lasting_constants.announce(array)
    assert library.calls == []
    lasting_constants.announce(array)
    assert [call[0] for call in library.calls] == ["add"]


def test_not_what_can_be_written_to(monkeypatch: pytest.MonkeyPatch) -> None:
    library = use(monkeypatch, Library())
    lasting_constants.announce(np.zeros(4, np.uint8))
    lasting_constants.announce(constant(0))
    assert library.calls == []
