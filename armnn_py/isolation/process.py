# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The process of a worker, as its host starts it, asks it and sees it end."""

from __future__ import annotations

import collections
import contextlib
import logging
import os
import select
import signal
import socket
import struct
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armnn_py._native.process.parent_process import how_it_ended
from armnn_py.errors import BackendError, ExecutionError
from armnn_py.interrupts import interruptible
from armnn_py.isolation.keeper import WorkerEndedError
from armnn_py.isolation.messages import Request, receive_answer
from armnn_py.stopping import check_stopped, is_stoppable

if TYPE_CHECKING:
    from collections.abc import Callable

    from armnn_py.isolation.keeper import Keeper

_log = logging.getLogger("armnn_py.isolation")
_MOST_LINES = 20
#: Milliseconds in which a worker ends by itself, or is seen to end.
_END_MS = 2000
_LONGEST_LINE = 1000
#: How long a question waits before it looks whether it should stop.
_SLICE_MS = 5
_STATUS = struct.Struct("=i")


class WorkerProcess:
    """One process; `ask` is for one thread at a time, which the lock sees to.

    Parameters
    ----------
    backend_id
        For messages.
    keeper
        Starts it.
    patience
        Seconds for each answer.
    note_end
        Is called at the end, on the thread that watches the process.

    Attributes
    ----------
    descriptor
        A pidfd, open as long as this object lives.
    lines
        The last lines that the process wrote.
    pid
        Number of the process.
    reason, signal, exit_status
        How it ended, once it has.
    was_stopped
        Whether it was ended because a caller gave up waiting for an answer.

    Raises
    ------
    WorkerEndedError
        It cannot be started.
    """

    def __init__(
        self,
        backend_id: str,
        keeper: Keeper,
        patience: float,
        note_end: Callable[[WorkerProcess], object] = lambda _: None,
    ) -> None:
        self._backend_id, self._patience, self._note_end = backend_id, patience, note_end
        self._keeper = keeper
        self._lock = threading.Lock()
        self._posted: collections.deque[Request] = collections.deque()
        self.lines: collections.deque[str] = collections.deque(maxlen=_MOST_LINES)
        self.reason = ""
        self.signal: str | None = None
        self.exit_status: int | None = None
        self.ended = threading.Event()
        self.is_closing = self.was_stopped = False
        ours, theirs = socket.socketpair()
        self._connection = ours
        self._connection.settimeout(patience)
        with theirs:
            self.pid, self.descriptor, self._errors, self._status = keeper.start(theirs)
        self._host = os.getpid()
        self.post(Request("begin", _surroundings()))
        threading.Thread(
            target=self._watch, name=f"armnn_py worker of {backend_id}", daemon=True
        ).start()

    def ask(self, request: Request) -> dict[str, Any]:
        """Send a request and wait for its answer.

        Raises
        ------
        WorkerEndedError
            The process is gone, gave no answer in time, or one that makes no sense: it is ended.
        BackendError
            The worker answered that it failed.
        ExecutionTimeoutError, ExecutionCancelledError
            The work that asks is to stop: the process is ended.
        """
        with self._lock:
            if os.getpid() != self._host:
                raise WorkerEndedError(
                    f"backend '{self._backend_id}': its worker belongs to the process that this "
                    "one was forked from",
                    hints=["make a new Runtime() after the fork"],
                )
            try:
                self._send_posted()
                answer = self._answer_to(request)
            except ExecutionError:
                raise
            except TimeoutError:
                self.kill(f"no answer to '{request.kind}' within {self._patience:g} s")
            except (OSError, EOFError):
                self.kill("" if self._ends_within(_END_MS) else "it closed its connection")
            except ValueError as error:
                self.kill(f"its answer to '{request.kind}' makes no sense: {error}")
            else:
                if "error" in answer:
                    raise BackendError(f"backend '{self._backend_id}': {answer['error']}")
                return answer
        self.ended.wait()
        raise WorkerEndedError(
            f"backend '{self._backend_id}': its worker ended at '{request.kind}': {self.reason}",
            details=list(self.lines),
        )

    def _answer_to(self, request: Request) -> dict[str, Any]:
        """Send a request and wait; the process is ended if the caller waits no longer."""
        try:
            request.send(self._connection)
            poll, end = select.poll(), time.monotonic() + self._patience
            poll.register(self._connection, select.POLLIN)
            slice_ms = _SLICE_MS if is_stoppable() else self._patience * 1e3
            with interruptible():
                while not poll.poll(slice_ms) and time.monotonic() < end:
                    check_stopped()
            return receive_answer(self._connection)
        except BaseException as error:
            is_failure = isinstance(error, (OSError, EOFError, ValueError))
            if isinstance(error, ExecutionError) or not is_failure:
                self.was_stopped = True
                self.kill(f"the caller gave up waiting for the answer to '{request.kind}'")
            raise

    def post(self, request: Request) -> None:
        """Ask for something whose answer does not matter, now or before the next question.

        It never waits: Python may call it from the middle of `ask`.
        """
        self._posted.append(request)
        if os.getpid() == self._host and self._lock.acquire(blocking=False):
            try:
                with contextlib.suppress(OSError, EOFError, ValueError):
                    self._send_posted()
            finally:
                self._lock.release()

    def _send_posted(self) -> None:
        while self._posted:
            self._answer_to(self._posted.popleft())

    def kill(self, reason: str) -> None:
        """End the process; ``reason`` says why, where the way it ended does not."""
        if reason and not self.reason:
            self.reason = reason
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.descriptor, signal.SIGKILL)

    def close(self) -> None:
        """End the process for good: it gets a moment to end by itself."""
        if os.getpid() != self._host:
            return
        self.is_closing = True
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        if not self._ends_within(_END_MS):
            self.kill("")
            self._ends_within(_END_MS)

    def _ends_within(self, milliseconds: int) -> bool:
        """Not by `ended`: at the end of the interpreter the thread that sets it runs no more."""
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        return bool(poll.poll(milliseconds))

    def forget_after_fork(self) -> None:
        """In the child of a fork: the worker is the parent's."""
        self._lock = threading.Lock()
        self.is_closing = True
        self.ended.set()

    def _watch(self) -> None:
        poll = select.poll()
        for descriptor in (self._status, self._errors, self.descriptor):
            poll.register(descriptor, select.POLLIN)
        rest = b""
        limit = None
        while True:
            ready = dict(poll.poll(limit))
            if not ready:
                self._keeper.kill()  # a backend has stopped it
            elif self._errors in ready:
                data = os.read(self._errors, 1 << 16)
                *lines, rest = (rest + data).split(b"\n")
                self._keep(lines)
                rest = rest[:_LONGEST_LINE]
                if not data:
                    poll.unregister(self._errors)
            elif self._status in ready:
                break
            else:
                poll.unregister(self.descriptor)
                limit = _END_MS
        self._keep([rest])
        self._read_end(os.read(self._status, _STATUS.size))
        for descriptor in (self._errors, self._status):
            os.close(descriptor)
        self._connection.close()
        self.ended.set()
        self._note_end(self)

    def _keep(self, lines: list[bytes]) -> None:
        for line in lines:
            text = line[:_LONGEST_LINE].decode("utf-8", "replace").rstrip()
            if text:
                self.lines.append(text)
                _log.info("%s: %s", self._backend_id, text)

    def _read_end(self, told: bytes) -> None:
        if len(told) != _STATUS.size:
            self._keeper.kill()
            self.reason = self.reason or "the process that started it ended"
            return
        (code,) = _STATUS.unpack(told)
        if code < 0:
            with contextlib.suppress(ValueError):  # a real-time signal has no name
                self.signal = signal.Signals(-code).name
        else:
            self.exit_status = code
        self.reason = self.reason or how_it_ended(code)

    def __del__(self) -> None:
        descriptor = getattr(self, "descriptor", None)
        if descriptor is not None:
            os.close(descriptor)


def _surroundings() -> dict[str, Any]:
    """Environment, folder and processors of this process, for the worker."""
    made = {"environment": dict(os.environ), "processors": os.sched_getaffinity(0)}
    with contextlib.suppress(FileNotFoundError):  # it was removed
        made["folder"] = str(Path.cwd())
    return made
