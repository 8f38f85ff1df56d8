# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Signals that wait while native code may call Python.

Python runs signal handlers, and so raises KeyboardInterrupt, at any bytecode of the main thread:
also at the first one of a ctypes callback, where no ``try`` can be yet. ctypes drops the exception
there, and hands C whatever the memory of the result holds. So the native calls that call back are
made in a `deferred_interrupts` block: meanwhile a signal is noted, and its handler runs at the end.
So are imports of what cannot be imported a second time.
"""

from __future__ import annotations

# Not ``signal``: its functions look up an enum for each number, which takes ten times as long.
import _signal  # type: ignore[import-not-found]
import threading
from collections.abc import Callable
from itertools import compress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType, TracebackType

_Handler = Callable[[int, "FrameType | None"], Any]
_SIGNALS = tuple(sorted(int(number) for number in _signal.valid_signals()))
_get_ident = threading.get_ident


class _State:
    """State of the main thread: only that one runs handlers, and only that one writes here."""

    def __init__(self) -> None:
        self.depth = 0  # of blocks; 0: a handler runs at once
        self.is_lifted = False
        self.noted: list[tuple[int, FrameType | None]] = []
        self.handlers: dict[int, _Handler] = {}


_state = _State()


def _note(number: int, frame: FrameType | None) -> None:
    """Replaces the handlers in a block; left behind after one, it calls the real handler."""
    if _state.depth and not _state.is_lifted:
        _state.noted.append((number, frame))
        return
    lifted, _state.is_lifted = _state.is_lifted, False
    handler = _state.handlers.get(number)
    if handler is not None:
        handler(number, frame)
    _state.is_lifted = lifted  # stays False after a raise: clean-up follows


def deliver_interrupts() -> None:
    """Run the handlers of the signals that were noted, in order; raises what the first raises."""
    first: BaseException | None = None
    while _state.noted:
        number, frame = _state.noted.pop(0)
        handler = _state.handlers.get(number)
        try:
            if handler is not None:
                handler(number, frame)
        except BaseException as error:
            first = first or error
    if first is not None:
        try:
            raise first
        finally:
            del first  # else error and frame hold each other, and what the callers hold with them


def _replace() -> None:
    handlers = map(_signal.getsignal, _SIGNALS)
    for number in compress(_SIGNALS, map(callable, handlers)):
        handler = _signal.getsignal(number)  # one that was called just now may have set another
        if callable(handler) and handler is not _note:
            _state.handlers[number] = handler
            _signal.signal(number, _note)


def _restore() -> None:
    for number, handler in list(_state.handlers.items()):
        if _signal.getsignal(number) is _note:  # else a callback has set another
            _signal.signal(number, handler)
        _state.handlers.pop(number, None)


class deferred_interrupts:  # noqa: N801 - used like contextlib.suppress
    """A ``with`` block in which Python's signal handlers wait; they run, and raise, at its end.

    Blocks may be nested. On other threads than the main one no handlers run anyway.
    """

    __slots__ = ("_is_mine", "_was_lifted")

    def __enter__(self) -> None:
        self._is_mine = _get_ident() == threading.main_thread().ident
        if not self._is_mine:
            return
        if not _state.depth:
            try:
                _replace()
            except BaseException:  # raised by a handler that was not replaced yet
                _restore()
                raise
        self._was_lifted, _state.is_lifted = _state.is_lifted, False
        _state.depth += 1  # last: until here handlers run as usual

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not self._is_mine:
            return
        if _state.depth > 1:
            _state.depth -= 1
            _state.is_lifted = self._was_lifted
            if self._was_lifted:
                deliver_interrupts()
            return
        try:
            _state.depth = 0
            deliver_interrupts()
        finally:
            _restore()


class interruptible:  # noqa: N801 - the opposite of the class above
    """Within a `deferred_interrupts` block, one in which handlers run at once again.

    For code of the program that C called: a ``try`` around it catches everything.
    """

    __slots__ = ("_is_mine",)

    def __enter__(self) -> None:
        self._is_mine = _state.depth > 0 and _get_ident() == threading.main_thread().ident
        if self._is_mine:
            deliver_interrupts()
            _state.is_lifted = True

    def __exit__(self, *_: object) -> None:
        if self._is_mine:
            _state.is_lifted = False
