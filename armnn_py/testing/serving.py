# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The process that forks one for each order: how it is started, kept and asked.

It is a program of its own, so that it has one thread alone when it forks, whatever threads the
program has that asks. It has everything imported and no backend loaded. It stays for the next order
of the same thread, and ends with that thread.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from armnn_py._native.library import core
from armnn_py._native.process.parent_process import end_with_parent, forked, start_forking
from armnn_py.errors import InternalError
from armnn_py.testing.child import writer


class _Server:
    """A process that waits for orders, and what it was started in."""

    def __init__(self, module: str) -> None:
        self.surroundings = _surroundings()
        self.thread = threading.current_thread()
        receiver, sender = os.pipe()
        self._answers = open(receiver, "rb")  # noqa: PTH123, SIM115
        try:
            self._process = start_forking(
                "armnn_py.testing.serving", "serve", os.getpid(), sender, module,
                descriptors=[sender], stdin=subprocess.PIPE, stdout=2,
                process_group=0,  # Ctrl-C is for the parent, which ends the child
            )  # fmt: skip
        finally:
            os.close(sender)

    def answers(self, order: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Give what comes of an order; the last message says how its process ended."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.flush()
        for line in self._answers:
            message = json.loads(line)
            yield message
            if "ended" in message:
                return
        yield {"ended": self._process.wait()}

    def end(self) -> None:
        self._process.kill()
        with self._process, self._answers:
            pass


#: By module, where no order is under way.
_idle: dict[str, _Server] = {}


def _surroundings() -> tuple[Any, ...]:
    """Return what a process takes from the one that starts it."""
    environment = {n: v for n, v in os.environ.items() if n != "PYTEST_CURRENT_TEST"}
    return os.getpid(), os.getcwd(), list(sys.path), environment  # noqa: PTH109


@atexit.register
def _end_idle() -> None:
    while _idle:
        _, server = _idle.popitem()
        if server.surroundings[0] == os.getpid():
            server.end()


def _take(module: str) -> _Server:
    """Return the process that waits, if it is as good as a new one."""
    server = _idle.pop(module, None)
    if server is None or server.surroundings[0] != os.getpid():
        return _Server(module)
    if server.thread is threading.current_thread() and server.surroundings == _surroundings():
        return server
    server.end()
    return _Server(module)


def served(module: str, order: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Have ``serve(order, say)`` of a module called in a process of its own; give what it says.

    ``prepare(order)`` of the module is called before, in the process that forks the others: what
    it does once is there for the next order too.

    Raises
    ------
    InternalError
        It did not come to its end.
    """
    server, code = _take(module), None
    try:
        for message in server.answers(order):
            if "ended" in message:
                code = message["ended"]
            else:
                yield message
    finally:
        if code == 0 and module not in _idle:
            _idle[module] = server
        else:
            server.end()
    if code != 0:
        raise InternalError(f"the process that runs the cases ended with exit code {code}")


def serve(parent: int, sender: int, module: str) -> None:
    """Do the orders on standard input, one a line; what comes of them are lines of JSON."""
    end_with_parent(parent)
    os.set_inheritable(sender, False)
    core()  # every process needs it
    worker = importlib.import_module(module)
    say = writer(sender)
    for line in sys.stdin.buffer:
        order = json.loads(line)
        worker.prepare(order)
        pid = forked(functools.partial(worker.serve, order, say))
        _, status = os.waitpid(pid, 0)
        say(ended=os.waitstatus_to_exitcode(status))
