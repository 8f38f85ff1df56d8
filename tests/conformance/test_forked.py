# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a backend does in a process of the kit's own cannot take the machine's memory."""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import re
import resource
import signal
from pathlib import Path
from typing import Any

import pytest

from armnn_py.testing.forked import ForkedProcess, Job

GIB = 1 << 30


def ask(work: Any) -> dict[str, Any]:
    process = ForkedProcess(Job("asked", work), 20)
    messages = list(process.all_messages())
    assert process.ending()[0] == "the process ended with exit code 0"
    return messages[0]


def test_a_file_in_memory_does_not_grow_without_end() -> None:
    """The kernel fills it page by page, until memory is out."""

    def fill(tell: Any) -> None:
        file = os.memfd_create("device")
        try:
            os.posix_fallocate(file, 0, 5 * GIB)
        except OSError as error:
            tell(errno=error.errno, size=os.fstat(file).st_size)

    assert ask(fill) == {"errno": errno.EFBIG, "size": 0}


def test_ended_first_when_memory_runs_out() -> None:
    before = Path("/proc/self/oom_score_adj").read_text()
    score = ask(lambda tell: tell(score=Path("/proc/self/oom_score_adj").read_text()))
    assert int(score["score"]) == 1000
    assert Path("/proc/self/oom_score_adj").read_text() == before


@pytest.mark.parametrize("most", [GIB, resource.RLIM_INFINITY])
def test_a_lower_limit_stays(monkeypatch: Any, most: int) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (GIB, most))
    limits: list[Any] = []
    monkeypatch.setattr(resource, "setrlimit", lambda *limit: limits.append(limit))

    def limit(tell: Any) -> None:
        tell(limits=[one for one in limits if one[0] == resource.RLIMIT_FSIZE])

    assert ask(limit) == {"limits": []}


def overwrite_shared_memory() -> None:
    """Fill all writable memory that this process shares with others, as a stray write may."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        found = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw.s", line)
        if found:
            begin, end = (int(one, 16) for one in found.groups())
            ctypes.memset(begin, 0xB1, end - begin)


def test_memory_that_is_overwritten_takes_no_note_with_it() -> None:
    """The notes that the parent reads are no memory of the process: a stray write misses them."""
    theirs = mmap.mmap(-1, mmap.PAGESIZE)

    def work(tell: Any) -> None:
        tell(start=3, step="execute", case=2)
        overwrite_shared_memory()
        os.abort()

    process = ForkedProcess(Job("writes", work), 20)
    assert list(process.all_messages()) == []
    assert theirs[:2] == b"\xb1\xb1"
    assert process.ending()[1] == "crashed"
    assert process.bulletin.read() == (1, 3, "execute", 2)


@pytest.mark.parametrize("written", ["\xb1\xb1", "[1]", "7", '[1, 2, "x"]', "", "[" * 2000])
def test_invalid_notes_are_ignored(written: str) -> None:
    """Memory of Python itself may have been overwritten before it was posted."""

    def work(tell: Any) -> None:
        tell(start=3, step="execute")
        json.dumps = lambda _: written
        tell(start=4, step="destroy")
        os.abort()

    process = ForkedProcess(Job("writes", work), 20)
    assert list(process.all_messages()) == []
    assert process.ending()[1] == "crashed"
    assert process.bulletin.read() == (2, None, "", 0)


@pytest.mark.parametrize(
    "written",
    ["\xb1", "7", "[1]", "null", "[" * 100_000],
    ids=["no text", "7", "list", "null", "["],
)
@pytest.mark.parametrize("goes_on", [False, True])
def test_unreadable_message_ends_the_process(goes_on: bool, written: str) -> None:
    def work(tell: Any) -> None:
        json.dumps = lambda _: written
        tell(done="compute", outcome="passed")
        if goes_on:
            signal.pause()

    process = ForkedProcess(Job("tells", work), 20)
    assert list(process.all_messages()) == []
    words, outcome = process.ending()
    assert outcome == "crashed"
    assert "overwrote memory" in words
    assert not process.is_over
