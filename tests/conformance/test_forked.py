# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a backend does in a process of the kit's own cannot take the machine's memory."""

from __future__ import annotations

import errno
import os
import resource
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
    """The kernel fills it page by page, until there is none."""

    def fill(tell: Any) -> None:
        file = os.memfd_create("device")
        try:
            os.posix_fallocate(file, 0, 5 * GIB)
        except OSError as error:
            tell(errno=error.errno, size=os.fstat(file).st_size)

    assert ask(fill) == {"errno": errno.EFBIG, "size": 0}


def test_it_is_the_first_to_end_when_memory_runs_out() -> None:
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
