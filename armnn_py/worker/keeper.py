# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The process that forks the workers of a program, and ends what they leave.

It has imported what a worker needs to open a backend, and opened nothing, so a worker starts within
milliseconds; the rest it imports when the first one runs. It is a program of its own with one
thread, whatever the host has. It adopts what backends leave behind, in sessions of their own as
well, and ends that with its worker. When the host ends, however it ends, all of them end.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import os
import select
import signal
import socket
import struct
import sys
from pathlib import Path

from armnn_py._native.library import core
from armnn_py._native.process.parent_process import adopt_orphans, forked
from armnn_py.worker.serve import LATER, serve

_STATUS = struct.Struct("=i")
_NUMBER = struct.Struct("=q")
#: Until the next look whether ended processes are gone.
_AGAIN_MS = 20
#: Until it imports what workers need later, if it has nothing to do.
_IMPORT_MS = 300


def keep(control: int, host: int) -> None:
    """Start workers for a host, the process that started this one, until it ends.

    A message on the socket ``control`` brings three descriptors: the worker's connection, its
    standard error, and a pipe that gets its exit code. The answer is its number and a pidfd.
    """
    core()  # every worker needs it
    adopt_orphans()
    gc.freeze()
    _Keeper(control, host).run()
    os._exit(0)


class _Keeper:
    """The workers that have not ended."""

    def __init__(self, control: int, host: int) -> None:
        self._control = socket.socket(fileno=control)
        self._host = os.pidfd_open(host)
        self._is_host_there = os.getppid() == host  # else the pidfd is another process's
        #: By pidfd: the number of the process, and the pipe for its exit code.
        self._workers: dict[int, tuple[int, int]] = {}
        self._poll = select.poll()
        for descriptor in (self._control.fileno(), self._host):
            self._poll.register(descriptor, select.POLLIN)

    def run(self) -> None:
        """Start workers and report their ends, until the host goes."""
        while self._is_host_there:
            has_orphans = self._end_orphans()
            is_first = bool(self._workers) and LATER not in sys.modules
            ready = self._poll.poll(_AGAIN_MS if has_orphans else _IMPORT_MS if is_first else None)
            if is_first and not ready:
                importlib.import_module(LATER)
            for descriptor, _ in ready:
                if descriptor in self._workers:
                    self._report(descriptor)
                elif descriptor == self._host or not self._start():
                    self._is_host_there = False
        for descriptor in list(self._workers):
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            self._report(descriptor)
        while self._end_orphans():
            self._poll.poll(_AGAIN_MS)

    def _start(self) -> bool:
        """Start the worker that the host asks for; False if the host is gone."""
        _, given, _, _ = socket.recv_fds(self._control, 1, 3)
        if len(given) != 3:
            return False
        connection, errors, status = given
        number = forked(functools.partial(self._live, connection, errors, status))
        os.close(connection)
        os.close(errors)
        descriptor = os.pidfd_open(number)
        self._workers[descriptor] = number, status
        self._poll.register(descriptor, select.POLLIN)
        with contextlib.suppress(OSError):  # the host may have gone meanwhile
            socket.send_fds(self._control, [_NUMBER.pack(number)], [descriptor])
        return True

    def _live(self, connection: int, errors: int, status: int) -> None:
        """Be a worker."""
        adopt_orphans()
        os.setsid()
        os.dup2(errors, 2)
        pipes = [pipe for _, pipe in self._workers.values()]
        for one in (errors, status, self._host, *self._workers, *pipes):
            os.close(one)
        self._control.close()
        serve(connection)

    def _report(self, descriptor: int) -> None:
        """Wait for the end of a worker, and tell its exit code."""
        number, status = self._workers.pop(descriptor)
        self._poll.unregister(descriptor)
        _, code = os.waitpid(number, 0)
        self._end_orphans()
        with contextlib.suppress(OSError):
            os.write(status, _STATUS.pack(os.waitstatus_to_exitcode(code)))
        os.close(status)
        os.close(descriptor)

    def _end_orphans(self) -> bool:
        """End the processes that ended workers left; whether there were any.

        Children of this process that are no workers: while it lives, a worker keeps its own.
        """
        known = {number for number, _ in self._workers.values()}
        orphans = set(map(int, Path("/proc/thread-self/children").read_text().split())) - known
        for number in orphans:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
            os.waitpid(number, os.WNOHANG)
        return bool(orphans)
