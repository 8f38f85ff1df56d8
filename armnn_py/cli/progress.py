# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Bars and spinners on standard error, while something takes long on a terminal.

They come after half a second and go when the work is done. A bar is drawn between two runs by the
thread that runs them, and once in the first if that takes long. A spinner turns while nothing is
timed. Neither takes a processor from a run for long.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

_DELAY, _PERIOD = 0.5, 0.2  # seconds


class Bar:
    """Takes how much is done; this base class shows nothing."""

    def to(self, done: float) -> None:
        """Say how much of the total is done."""


class _ShownBar(Bar):
    def __init__(self, progress: Progress, words: str, total: float) -> None:
        self._progress = progress
        self._task = progress.add_task(words, total=total)
        self._due = time.perf_counter() + _DELAY
        self._is_started = False
        self._lock = threading.Lock()
        # A first run may take long: then the bar is drawn once, at 0 %, before it has ended.
        self._first = threading.Timer(_DELAY, self._draw, [0.0])
        self._first.daemon = True
        self._first.start()

    def to(self, done: float) -> None:
        now = time.perf_counter()
        if now < self._due:
            return
        self._due = now + _PERIOD
        self._first.cancel()
        self._draw(done)

    def end(self) -> None:
        """Take the bar away."""
        self._first.cancel()
        self._first.join()
        self._progress.stop()

    def _draw(self, done: float) -> None:
        with self._lock:
            if not self._is_started:
                self._is_started = True
                self._progress.start()
            if done or not self._progress.tasks[0].completed:
                self._progress.update(self._task, completed=done, refresh=True)


@contextlib.contextmanager
def shown_progress(words: str, total: float | None, *, color: str) -> Iterator[Bar]:
    """Show a bar up to ``total``, or a spinner without one, for the length of a block."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(file=sys.stderr, no_color=True if color == "never" else None)
    if not console.is_interactive:  # a terminal that cannot move its cursor
        yield Bar()
        return
    text = TextColumn("{task.description}", markup=False)
    if total is None:
        progress = Progress(
            SpinnerColumn(), text, TimeElapsedColumn(),
            console=console, transient=True, refresh_per_second=5,
        )  # fmt: skip
        progress.add_task(words, total=None)
        with _spinning(progress):
            yield Bar()
        return
    progress = Progress(
        text, BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeElapsedColumn(),
        console=console, transient=True, auto_refresh=False,
    )  # fmt: skip
    bar = _ShownBar(progress, words, total)
    try:
        yield bar
    finally:
        bar.end()


@contextlib.contextmanager
def _spinning(progress: Progress) -> Iterator[None]:
    """Start the display after a while, in a thread that ends with the block."""
    over = threading.Event()

    def spin() -> None:
        if not over.wait(_DELAY):
            with progress:
                over.wait()

    thread = threading.Thread(target=spin, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
