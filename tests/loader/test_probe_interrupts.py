# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Ctrl-C at any moment of a probe leaves neither programs nor descriptors behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from armnn_py.backends import load_backends
from armnn_py.backends.probe.process import ProbeProcess

from .harness import Load, Workshop

SOURCE = "deed_backend.c"


@pytest.fixture(autouse=True)
def _heeds_ctrl_c() -> Iterator[None]:
    kept = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, kept)


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_while_a_program_is_started(
    tmp_path: Path, workshop: Workshop, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    first = workshop.put(tmp_path / "first", "Deed", source=SOURCE)
    load(first.parent).close()  # what is read late
    folder = tmp_path / "place"
    for name in ("Test_A_backend.so", "Test_B_backend.so"):
        workshop.put(folder, name, source=SOURCE)
    started: list[int] = []
    spawn = os.posix_spawn

    def spawn_and_interrupt(*arguments: object, **options: object) -> int:
        started.append(spawn(*arguments, **options))  # type: ignore[arg-type]
        if len(started) == 2:
            signal.raise_signal(signal.SIGINT)
        return started[-1]

    monkeypatch.setattr(os, "posix_spawn", spawn_and_interrupt)
    before = _descriptors()
    with pytest.raises(KeyboardInterrupt):
        load_backends(dynamic_backends_path=str(folder), bundled_backends=False)
    assert _descriptors() == before
    assert len(started) == 2
    assert not [number for number in started if Path(f"/proc/{number}").exists()]


def test_a_stopped_program_ends_by_itself(
    tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One after the other would cost a second each until it is killed."""
    file = workshop.put(tmp_path, "Deed", 'DEED="hang"', 'SITE="id"', source=SOURCE)
    killed: list[int] = []
    kill = os.killpg

    def note(group: int, number: int) -> None:
        killed.append(group)
        kill(group, number)

    monkeypatch.setattr(os, "killpg", note)
    with file.open("rb") as stream:
        probe = ProbeProcess(str(file), stream.fileno(), 60)
    probe.begin()
    os.kill(probe.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, probe.pid, os.WSTOPPED | os.WNOWAIT)
    probe.close()
    probe.reap()
    assert killed == []
