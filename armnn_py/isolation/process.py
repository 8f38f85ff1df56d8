# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The process of a worker, as its host starts it, asks it and sees it end."""

from __future__ import annotations

import collections
import contextlib
import logging
import os
import queue
import select
import signal
import socket
import subprocess
import threading
from typing import TYPE_CHECKING, Any, Protocol

from armnn_py._native.process.parent_process import child_command, how_it_ended
from armnn_py.errors import BackendError
from armnn_py.isolation.messages import receive_answer

if TYPE_CHECKING:
    from armnn_py.isolation.messages import Request

__all__ = ["WorkerEndedError", "WorkerProcess"]

_log = logging.getLogger("armnn_py.isolation")
_MOST_LINES = 20
#: Milliseconds in which a worker ends by itself, or is seen to end.
_END_MS = 2000
_LONGEST_LINE = 1000


class WorkerEndedError(BackendError):
    """The worker ended, or was ended, before it answered."""


class ProcessOwner(Protocol):
    """The object that started a worker."""

    def note_end(self, process: WorkerProcess) -> None:
        """The process has ended; called once."""


class WorkerProcess:
    """One process; `ask` is for one thread at a time, which the lock sees to.

    Parameters
    ----------
    backend_id
        For messages.
    patience
        Seconds for each answer.
    owner
        Is told of the end, on the thread that watches the process.

    Attributes
    ----------
    descriptor
        A pidfd, open as long as this object lives.
    lines
        The last lines that the process wrote.
    reason, signal, exit_status
        How it ended, once it has.
    """

    def __init__(self, backend_id: str, patience: float, owner: ProcessOwner | None = None) -> None:
        self._backend_id, self._patience, self._listener = backend_id, patience, owner
        self._lock = threading.Lock()
        self._posted: collections.deque[Request] = collections.deque()
        self.lines: collections.deque[str] = collections.deque(maxlen=_MOST_LINES)
        self.reason = ""
        self.signal: str | None = None
        self.exit_status: int | None = None
        self.ended = threading.Event()
        self.is_closing = False
        ours, theirs = socket.socketpair()
        self._connection = ours
        self._connection.settimeout(patience)
        with theirs:
            self._process = _spawn(theirs)
        self.descriptor = os.pidfd_open(self._process.pid)
        self._host = os.getpid()
        threading.Thread(
            target=self._watch, name=f"armnn_py worker of {backend_id}", daemon=True
        ).start()

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def ask(self, request: Request) -> dict[str, Any]:
        """Send a request and wait for its answer.

        Raises
        ------
        WorkerEndedError
            The process is gone, gave no answer in time, or one that makes no sense: it is ended.
        BackendError
            The worker answered that it failed.
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
                request.send(self._connection)
                answer = receive_answer(self._connection)
            except TimeoutError:
                self.kill(f"no answer to '{request.kind}' within {self._patience:g} s")
            except (OSError, EOFError):
                self.kill("")
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
            self._posted.popleft().send(self._connection)
            receive_answer(self._connection)

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
        # Not by `ended`: at the end of the interpreter the thread that sets it runs no more.
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        if not poll.poll(_END_MS):
            self.kill("")
            poll.poll(_END_MS)
        if not self.ended.is_set():  # its number is still that of its group
            self._kill_group()

    def _kill_group(self) -> None:
        """End what the backend has started and left."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def forget_after_fork(self) -> None:
        """In the child of a fork: the worker is the parent's."""
        self._lock = threading.Lock()
        self.is_closing = True
        self.ended.set()

    def _watch(self) -> None:
        stream = self._process.stderr
        assert stream is not None
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        poll.register(stream, select.POLLIN)
        rest = b""
        while True:
            ready = dict(poll.poll())
            if stream.fileno() in ready:
                data = os.read(stream.fileno(), 1 << 16)
                *lines, rest = (rest + data).split(b"\n")
                self._keep(lines)
                rest = rest[:_LONGEST_LINE]
                if not data:
                    poll.unregister(stream)
            elif self.descriptor in ready:
                break
        self._keep([rest])
        stream.close()
        self._connection.close()
        self._kill_group()
        self._note_end(self._process.wait())
        self.ended.set()
        if self._listener is not None:
            self._listener.note_end(self)

    def _keep(self, lines: list[bytes]) -> None:
        for line in lines:
            text = line[:_LONGEST_LINE].decode("utf-8", "replace").rstrip()
            if text:
                self.lines.append(text)
                _log.info("%s: %s", self._backend_id, text)

    def _note_end(self, code: int) -> None:
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


# ---- Starting ------------------------------------------------------------------------------------


def _spawn(connection: socket.socket) -> subprocess.Popen[bytes]:
    """Start a process on the thread that starts all of them.

    A worker asks to be killed when its parent dies, and Linux takes the thread that started it
    for the parent: that thread must live as long as the program.
    """
    global _starter
    answers: queue.SimpleQueue[subprocess.Popen[bytes] | BaseException] = queue.SimpleQueue()
    with _starter_lock:
        if _starter is None or _starter[0] != os.getpid():
            _starter = os.getpid(), queue.SimpleQueue()
            threading.Thread(
                target=_start_processes, args=(_starter[1],), name="armnn_py workers", daemon=True
            ).start()
        _starter[1].put((connection, answers))
    made = answers.get()
    if isinstance(made, BaseException):
        raise made
    return made


_starter: tuple[int, queue.SimpleQueue[Any]] | None = None
_starter_lock = threading.Lock()
os.register_at_fork(after_in_child=lambda: globals().update(_starter_lock=threading.Lock()))


def _start_processes(tasks: queue.SimpleQueue[Any]) -> None:
    while True:
        connection, answers = tasks.get()
        try:
            answers.put(_start(connection))
        except BaseException as error:
            answers.put(error)


def _start(connection: socket.socket) -> subprocess.Popen[bytes]:
    number = connection.fileno()
    return subprocess.Popen(
        child_command("armnn_py.worker.serve", "serve", number, os.getpid()),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=(number,),
        start_new_session=True,
    )
