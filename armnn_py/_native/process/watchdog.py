# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tells of a backend that does not answer, and lets the third Ctrl-C end a program that it holds.

Only backends from outside of the package are watched. A thread looks a few times in a second; a run
costs nothing for it, because the executor notes the step in any case.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import logging
import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Protocol

from armnn_py import environment

__all__ = ["Watched", "watch", "watch_context"]

_log = logging.getLogger("armnn_py.backends")
_LAST_INTERRUPT = 3
_EXIT_INTERRUPTED = 128 + signal.SIGINT
_MOST_OF_ACTION = 512  # bytes, enough for a `struct sigaction`
_LOOKS = 4  # in the time after which a line is written


class Watched(Protocol):
    """What runs the steps of a plan.

    Attributes
    ----------
    step_seen
        For the watchdog: run and step as it saw them first, and when that was.
    """

    step_seen: tuple[tuple[int, int], float] | None

    @property
    def step_under_way(self) -> tuple[int, int, bytes] | None:
        """Number of the run and of its step, and the step's label; None if there is none."""

    def __hash__(self) -> int:
        """Itself."""


#: By thread: what is under way, and since when.
_calls: dict[int, tuple[bytes, float]] = {}
_contexts: weakref.WeakSet[Watched] = weakref.WeakSet()


class _Watchdog:
    """The thread, while there is something to watch."""

    def __init__(self) -> None:
        self.seconds = environment.watchdog_seconds()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._waiting = threading.Event()
        self._told: dict[object, float] = {}  # by call or run: the time of its last line
        self._pipe: tuple[int, int] | None = None
        self._interrupts = 0
        self._action: bytes | None = None  # on SIGINT, as the system knows it

    def wake(self) -> None:
        """Look from now on, as long as something is under way."""
        if self._thread is None:
            self._start()
        if not self._waiting.is_set():
            self._waiting.set()

    def _start(self) -> None:
        with self._lock:
            if self._thread is not None or self.seconds <= 0:
                return
            self._listen()
            self._thread = threading.Thread(target=self._run, name="armnn_py watch", daemon=True)
            self._thread.start()

    def _listen(self) -> None:
        """Have the number of each signal written to a pipe, also while Python cannot run."""
        if threading.current_thread() is not threading.main_thread():
            return
        reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._pipe = reader, writer
        before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        if before != -1:  # somebody else listens: asyncio, perhaps
            signal.set_wakeup_fd(before)
            self._drop_pipe()
        elif callable(signal.getsignal(signal.SIGINT)):
            self._action = _action_on_interrupt()

    def _drop_pipe(self) -> None:
        if self._pipe is not None:
            for end in self._pipe:
                os.close(end)
            self._pipe = None

    def leave_parent(self) -> None:
        """In the child of a fork: its signals are not for the parent, whose pipe it shares."""
        if self._pipe is None:
            return
        current = signal.set_wakeup_fd(-1)
        if current not in (-1, self._pipe[1]):
            signal.set_wakeup_fd(current)
        self._drop_pipe()

    def _run(self) -> None:
        while True:
            self._waiting.wait()
            stuck = self._look()
            self._heed(stuck)
            if not _calls and not _contexts:
                self._waiting.clear()
                if _calls or _contexts:  # meanwhile
                    self._waiting.set()
            time.sleep(self.seconds / _LOOKS)

    def _look(self) -> str:
        """Write lines on what does not answer; returns the last of it, or an empty text."""
        now, stuck = time.monotonic(), ""
        alive: set[object] = set()
        for key, words, since in [*_calls_under_way(), *self._steps_under_way(now)]:
            alive.add(key)
            elapsed = now - since
            if elapsed < self.seconds:
                continue
            stuck = words
            last = self._told.get(key)
            # Again after twice the time of the line before.
            if last is None or now - since >= 2 * (last - since):
                self._told[key] = now
                _tell(
                    f"no answer for {elapsed:.0f} s from {words}\n"
                    "hint: the third Ctrl-C ends the program; "
                    f"gdb -p {os.getpid()} shows where it is"
                )
        for key in [key for key in self._told if key not in alive]:
            del self._told[key]
        return stuck

    def _steps_under_way(self, now: float) -> Iterator[tuple[object, str, float]]:
        for context in list(_contexts):
            found = context.step_under_way
            if found is None:
                context.step_seen = None
                continue
            seen = context.step_seen
            if seen is None or seen[0] != found[:2]:
                context.step_seen = seen = (found[:2], now)
            yield (id(context), *found[:2]), found[2].decode("utf-8", "replace"), seen[1]

    def _heed(self, stuck: str) -> None:
        """Count Ctrl-C while something is stuck; the third one ends the program."""
        if self._pipe is None:
            return
        numbers = b""
        with contextlib.suppress(BlockingIOError):
            numbers = os.read(self._pipe[0], 1 << 10)
        if not stuck:
            self._interrupts = 0
            return
        self._take_interrupts_back()
        self._interrupts += numbers.count(signal.SIGINT)
        if self._interrupts >= _LAST_INTERRUPT:
            last = f"armnn_py: ended by Ctrl-C: no answer from {stuck}\n"
            os.write(2, last.encode("utf-8", "replace"))
            os._exit(_EXIT_INTERRUPTED)

    def _take_interrupts_back(self) -> None:
        """What is stuck may have ignored SIGINT, or taken it: without Python, which does not know.

        A program that ignores it by Python's `signal` is left alone.
        """
        if self._action is None or not callable(signal.getsignal(signal.SIGINT)):
            return
        if _action_on_interrupt() != self._action:
            _sigaction()(signal.SIGINT, self._action, None)


@functools.cache
def _sigaction() -> Callable[..., object]:
    """The function of C; asked for first before anything is stuck.

    What hangs while a library is opened holds the lock of the system's loader, which a look for a
    symbol would wait for.
    """
    return ctypes.CDLL(None).sigaction


def _action_on_interrupt() -> bytes:
    """Return the `struct sigaction` of SIGINT, and zeros behind it."""
    action = ctypes.create_string_buffer(_MOST_OF_ACTION)
    _sigaction()(signal.SIGINT, None, action)
    return action.raw


def _tell(text: str) -> None:
    """Log a line; where the program has no handlers it goes to standard error."""
    logger: logging.Logger | None = _log
    while logger is not None:
        if any(not isinstance(one, logging.NullHandler) for one in logger.handlers):
            _log.warning("%s", text)
            return
        logger = logger.parent if logger.propagate else None
    os.write(2, f"armnn_py: {text}\n".encode("utf-8", "replace"))


def _calls_under_way() -> Iterator[tuple[object, str, float]]:
    for thread, (words, since) in list(_calls.items()):
        yield (thread, since), words.decode("utf-8", "replace"), since


_watchdog: _Watchdog | None = None


def _the_watchdog() -> _Watchdog:
    global _watchdog
    if _watchdog is None:
        _watchdog = _Watchdog()
    return _watchdog


def _forget() -> None:
    """In the child of a fork there is no such thread."""
    global _watchdog
    known, _watchdog = _watchdog, None
    _calls.clear()
    if known is not None and threading.current_thread() is threading.main_thread():
        known.leave_parent()


os.register_at_fork(after_in_child=_forget)


class watch:  # noqa: N801 - used as a function, and cheaper than a generator
    """Watch the calling thread in a ``with`` block, in which it does what ``words`` say."""

    __slots__ = ("_before", "_words")

    def __init__(self, words: bytes) -> None:
        self._words = words

    def __enter__(self) -> None:
        thread = threading.get_ident()
        self._before = _calls.get(thread)
        _calls[thread] = self._words, time.monotonic()
        _the_watchdog().wake()

    def __exit__(self, *_: object) -> None:
        thread = threading.get_ident()
        if self._before is None:
            _calls.pop(thread, None)
        else:
            _calls[thread] = self._before[0], time.monotonic()


def watch_context(context: Watched) -> None:
    """Watch the runs of a context as long as it lives."""
    _contexts.add(context)
    _the_watchdog().wake()
