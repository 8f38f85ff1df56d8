# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A process that is forked for one job on a backend: what it tells, and how it ends."""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import selectors
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from armnn_py._native.process.parent_process import forked, how_it_ended
from armnn_py.testing.bulletin import Bulletin
from armnn_py.testing.child import Tell, writer

if TYPE_CHECKING:
    from armnn_py.testing.batches import Suspicion
    from armnn_py.testing.cases import Case
    from armnn_py.testing.outcome import Group

_LAST_WORDS = 2000  # bytes kept of what a process wrote
_OUR_FAULT = 117  # exit code of a process in which the kit itself failed
_REFERENCE_SECONDS = 120.0  # for a step that is mostly not the backend's
_FILE_BYTES = 4 << 30  # the most that one file has, also one in memory


class Job(Struct, frozen=True):
    """What a process is for."""

    title: str
    work: Callable[[Tell], None]
    cases: tuple[Case, ...] = ()
    groups: tuple[Group, ...] = ()
    """Of cases: all that are left; else the only one."""
    suspicion: Suspicion | None = None
    """What this job helps to find out."""


class ForkedProcess:
    """A forked process: what it told so far, and how it ended.

    It leads a process group of its own, which ends with it.
    """

    def __init__(self, job: Job, timeout: float) -> None:
        self.job, self.timeout = job, timeout
        self.output = os.memfd_create("output")
        receiver, sender = os.pipe()
        self.bulletin = Bulletin()
        work = partial(_live, job, self.output, receiver, sender, self.bulletin)
        self.pid = forked(work, failed=_OUR_FAULT)
        os.close(sender)
        self.pipe = receiver
        self.pending = b""
        self.deadline = time.monotonic() + timeout
        self.is_late = False
        self.is_over = False
        self.is_garbled = False
        """Whether it told something that makes no sense: its memory was overwritten."""
        self._heard = 0
        self.told: list[dict[str, Any]] = []
        """What its checks gave so far, for who cannot judge before its end."""
        self.stopped: int | None = None
        """The number of the case that it stopped at, as that did not pass."""

    def messages(self) -> list[dict[str, Any]] | None:
        """Return what came, or None when the process is at its end.

        A process of its own may hold the other end of the pipe beyond that.
        """
        data = b"" if self.is_over else os.read(self.pipe, 1 << 16)
        if not data:
            return None
        self.deadline = time.monotonic() + self.timeout
        *lines, self.pending = (self.pending + data).split(b"\n")
        try:
            found = [_message(line) for line in lines]
        except (ValueError, RecursionError):
            self.is_garbled = True
            self._kill()
            return None
        if any("end" in message for message in found):
            self.is_over = True
        return found

    def all_messages(self) -> Iterator[dict[str, Any]]:
        """Give each message as it comes; a process whose time is over is killed."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.pipe, selectors.EVENT_READ)
            while not self.is_over:
                if not selector.select(max(self.deadline - time.monotonic(), 0)):
                    if not self.is_stuck:
                        continue
                    self.kill()
                    return
                messages = self.messages()
                if messages is None:
                    return
                yield from messages

    @property
    def is_stuck(self) -> bool:
        """Whether its time is over; a step that began since the last look has time of its own."""
        if time.monotonic() < self.deadline:
            return False
        posted = self.bulletin.read()
        if posted.serial == self._heard:
            return True
        self._heard = posted.serial
        patience = _REFERENCE_SECONDS if posted.start == "reference" else self.timeout
        self.deadline = time.monotonic() + max(patience, self.timeout)
        return False

    def kill(self) -> None:
        """End it, because its time is over."""
        self.is_late = self._kill()

    def _kill(self) -> bool:
        """End it; returns whether it had not ended long ago, where a process of its own goes on."""
        if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return False
        os.kill(self.pid, signal.SIGKILL)
        return True

    def ending(self) -> tuple[str, Literal["failed", "crashed", "hung"]]:
        """Wait for its end and return how it ended, in words, and what outcome that is."""
        code = self._end()
        said = self._last_output()
        if self.is_late:
            return f"did not return within {self.timeout:g} s", "hung"
        if self.is_garbled:
            return "overwrote memory that is not its own: what came of it cannot be read", "crashed"
        if code == _OUR_FAULT:
            return _error_in(said) or "no reason given", "failed"
        return _ending_in_words(code, said), "crashed"

    def _end(self) -> int:
        os.close(self.pipe)
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)  # keeps the number of the group
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _last_output(self) -> str:
        """Return the end of what it wrote to standard output and error, and forget it."""
        size = os.fstat(self.output).st_size
        text = os.pread(self.output, _LAST_WORDS, max(size - _LAST_WORDS, 0))
        os.close(self.output)
        return text.decode("utf-8", "replace").strip()


def _message(line: bytes) -> dict[str, Any]:
    """Return what a line tells; a `ValueError` or `RecursionError` says that it makes no sense."""
    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError(f"{type(message).__name__} told")
    return message


def _ending_in_words(code: int, said: str) -> str:
    """Return how it ended, in which call, and the last thing that the backend wrote itself."""
    told, own = "", ""
    for line in said.splitlines():
        if line.startswith("armnn_py: "):
            told = line
        elif not line.startswith("hint: "):
            own = line
    where = told.partition(" in ")[2]
    words = how_it_ended(code)
    # Without a call, as where a check calls a kernel itself, the step that is under way tells more.
    call, has_call, _ = where.partition(", backend ")
    if has_call:
        words += f" in {call}"
    return f"{words}; it said: {own}" if own else words


def _error_in(said: str) -> str:
    """The message of an error of ours that ended a process, without its details and hints."""
    lines = said.splitlines()
    ours = [line for line in lines if line.startswith("armnn_py.") and ": " in line]
    return ours[-1].partition(": ")[2] if ours else "".join(lines[-1:])


def _live(job: Job, output: int, receiver: int, sender: int, bulletin: Bulletin) -> None:
    """Do the work of a job."""
    os.close(receiver)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.setpgid(0, 0)
    _limit()
    faulthandler.disable()
    tell = writer(sender, bulletin)
    job.work(tell)
    tell(end=True)


def _limit() -> None:
    """Keep what a backend does with sizes that it must not believe from the rest of the machine.

    A file in memory (``memfd_create``) that is filled counts for no process: when nothing is left,
    the kernel would end others first, none of which frees a page.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    allowed, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    if allowed == resource.RLIM_INFINITY or allowed > _FILE_BYTES:
        resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, most))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
