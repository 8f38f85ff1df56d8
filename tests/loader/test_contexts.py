# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backend contexts that cannot be made, and memory that the host cannot use: refused in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .harness import Load, Workshop, mapped_files, only, outcome

REFUSED = [
    (
        "CONTEXT_STATUS=ARMNN_STATUS_UNAVAILABLE",
        ("unavailable", "create", "unavailable"),
        "no room for a context",
    ),
    (
        "CONTEXT_STATUS=ARMNN_STATUS_INTERNAL",
        ("refused", "create", "context-failed"),
        "create_backend_context failed with internal: no room for a context",
    ),
    (
        "CONTEXT_POINTER=8",
        ("refused", "create", "context-unreadable"),
        "create_backend_context returned 0x8, which cannot be read",
    ),
    (
        "CONTEXT_TAG=7",
        ("refused", "create", "context-table"),
        "gave an object whose table has tag 0x00000007 where 0x414e0021 belongs",
    ),
]


@pytest.mark.parametrize(("define", "expected", "reason"), REFUSED)
def test_refused(
    load: Load,
    workshop: Workshop,
    journal: Callable[[], list[str]],
    tmp_path: Path,
    define: str,
    expected: tuple[str, str, str],
    reason: str,
) -> None:
    """The instance that was made already is destroyed, and the library closed."""
    file = workshop.put(tmp_path / "b", "Queue", define, source="queue_backend.c")
    verdict = only(load(tmp_path / "b"))
    assert outcome(verdict) == expected
    assert reason in verdict.reason
    lines = [line for line in journal() if line != "Queue context"]
    assert lines == ["Queue create", "Queue destroy"]
    assert str(file) not in mapped_files()


def test_one_without_memory_is_refused(
    load: Load, workshop: Workshop, journal: Callable[[], list[str]], tmp_path: Path
) -> None:
    """A backend cannot run without the context that it wants; the others load."""
    define = "CONTEXT_STATUS=ARMNN_STATUS_OUT_OF_MEMORY"
    file = workshop.put(tmp_path / "b", "Queue", define, source="queue_backend.c")
    registry = load(tmp_path / "b")
    assert outcome(only(registry)) == ("refused", "create", "create-failed")
    assert only(registry).reason == "backend 'Queue': out of memory in create_backend_context"
    lines = [line for line in journal() if line != "Queue context"]
    assert lines == ["Queue create", "Queue destroy"]
    assert str(file) not in mapped_files()


@pytest.mark.parametrize("define", ["PREFERENCES=0", "CONTEXT_NULL=1"])
def test_no_context_and_no_preference_are_fine(
    load: Load, workshop: Workshop, tmp_path: Path, define: str
) -> None:
    workshop.put(tmp_path, "Queue", define, source="queue_backend.c")
    registry = load(tmp_path)
    assert outcome(only(registry)) == ("loaded", "create", "ok")
    assert (registry["Queue"].context is None) == (define == "CONTEXT_NULL=1")
