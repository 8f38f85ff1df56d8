# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The process that forks workers (`armnn_py.worker.keeper`), as its host uses it."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import subprocess
import sys
import threading

from armnn_py._native.process.parent_process import start_forking
from armnn_py.errors import BackendError

_NUMBER = struct.Struct("=q")
_START_SECONDS = 60.0
_END_SECONDS = 2.0
#: Variables that are read when a process or a library starts.
_PREFIXES = ("LD_", "GLIBC_", "MALLOC_", "PYTHON", "ARMNN_PY_", "NPY_", "OMP_")


class WorkerEndedError(BackendError):
    """The worker ended, or was ended, before it answered."""


class Keeper:
    """The process; see `take_keeper`."""

    def __init__(self) -> None:
        self.users = 0
        self._is_killed = False
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_START_SECONDS)
        with theirs:
            number = theirs.fileno()
            self._process = start_forking(
                "armnn_py.worker.keeper", "keep", number, os.getpid(), descriptors=[number],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                start_new_session=True,
            )  # fmt: skip

    def start(self, connection: socket.socket) -> tuple[int, int, int, int]:
        """Start a worker that serves a socket; returns its number and three descriptors.

        They are a pidfd, a pipe with its standard error, and a pipe that gets its exit code as an
        ``int`` when it has ended, and what it left with it.

        Raises
        ------
        WorkerEndedError
            This process has ended, or does not answer.
        """
        errors, told_errors = os.pipe()
        status, told_status = os.pipe()
        try:
            with self._lock:
                given = [connection.fileno(), told_errors, told_status]
                socket.send_fds(self._control, [b"+"], given)
                answer, descriptors, _, _ = socket.recv_fds(self._control, _NUMBER.size, 1)
                if not descriptors:
                    raise EOFError
        except (OSError, EOFError):
            os.close(errors)
            os.close(status)
            raise WorkerEndedError(
                "the process that starts workers has ended", details=self._last_output()
            ) from None
        finally:
            os.close(told_errors)
            os.close(told_status)
        return _NUMBER.unpack(answer)[0], descriptors[0], errors, status

    def kill(self) -> None:
        """End it at once: it has ended, or does not answer. Its workers end with it."""
        self._is_killed = True
        self._process.kill()

    def _last_output(self) -> list[str]:
        assert self._process.stderr is not None
        self.kill()
        return self._process.stderr.read().decode("utf-8", "replace").splitlines()[-1:]

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self._is_killed or self._process.poll() is not None

    def give_back(self) -> None:
        """Need it no more; the last one to say so ends it."""
        with _lock:
            self.users -= 1
            if self.users:
                return
            for key in [key for key, one in _keepers.items() if one is self]:
                del _keepers[key]
        with contextlib.suppress(OSError):  # it may have ended
            self._control.shutdown(socket.SHUT_RDWR)
        self._control.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        with self._process:  # waits for its end
            pass

    def forget(self) -> None:
        """In the child of a fork: it is the parent's."""
        self._control.close()
        self._process.returncode = 0


_keepers: dict[tuple[str, ...], Keeper] = {}
_lock = threading.Lock()


def take_keeper() -> Keeper:
    """Return the keeper whose workers see what this process sees; `Keeper.give_back` it.

    The variables of the environment that count at a start, and the folders of modules, must be
    those of its start.
    """
    variables = (f"{name}={value}" for name, value in os.environ.items())
    key = (*sorted(one for one in variables if one.startswith(_PREFIXES)), "", *sys.path)
    with _lock:
        keeper = _keepers.get(key)
        if keeper is None or keeper.has_ended:
            keeper = _keepers[key] = Keeper()
        keeper.users += 1
        return keeper


def _after_fork_in_child() -> None:
    global _lock
    _lock = threading.Lock()
    for keeper in _keepers.values():
        keeper.forget()
    _keepers.clear()


os.register_at_fork(after_in_child=_after_fork_in_child)
