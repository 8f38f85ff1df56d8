# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Signals that wait while native code may call Python.

Python runs signal handlers, and so raises KeyboardInterrupt, at any bytecode of the main thread:
also at the first one of a ctypes callback, where no ``try`` can be yet. ctypes drops the exception
there, and hands C whatever the memory of the result holds. So the native calls that call back are
made in a `deferred_interrupts` block: meanwhile a signal is noted, and its handler runs at the end.
"""

from __future__ import annotations

# Not ``signal``: its functions look up an enum for each number, which takes ten times as long.
import _signal  # type: ignore[import-not-found]
import threading
import weakref
from collections.abc import Callable
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeVar, cast

from armnn_py._native import last_words

if TYPE_CHECKING:
    from types import FrameType, TracebackType

__all__ = [
    "deferred_interrupts",
    "deliver_interrupts",
    "guarded",
    "interruptible",
    "note_caller",
    "unguarded",
]

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
        raise first


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


# ---- Calls that may call back into objects of the program ---------------------------------------

_Table = TypeVar("_Table")
_callers: weakref.WeakSet[Any] = weakref.WeakSet()


def note_caller(caller: object) -> None:
    """From now on, while ``caller`` lives, any call of a backend may call Python through it."""
    _callers.add(caller)


def guarded(table: _Table, backend_id: str = "") -> _Table:
    """Return ``table`` with each function called in a `deferred_interrupts` block.

    Calls of a backend that `last_words` notes are noted, too. While there is neither such a backend
    nor a caller, that is ``table`` itself: ordinary calls need no guard.
    """
    is_noted = bool(backend_id) and last_words.is_noted(backend_id)
    if not _callers and not is_noted:
        return table
    return cast("_Table", _Guarded(table, backend_id if is_noted else ""))


def unguarded(table: _Table) -> _Table:
    """The table itself, for calls that do not call back."""
    return cast("_Table", table._table) if isinstance(table, _Guarded) else table


class _Guarded:
    __slots__ = ("_backend_id", "_table")

    def __init__(self, table: Any, backend_id: str) -> None:
        self._table = table
        self._backend_id = backend_id

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._table, name)
        if not callable(member) or not member:
            return member
        call = partial(_call, member) if _callers else member
        if self._backend_id:
            shown = name + _of_object(self._table) if name in _OF_MANY_OBJECTS else name
            return partial(_noted_call, self._backend_id, shown, call)
        return call


#: Functions that the tables of several kinds of object have.
_OF_MANY_OBJECTS = frozenset({"destroy", "acquire", "release", "allocate", "get_id"})


def _of_object(table: Any) -> str:
    """Return which kind of object a table is of, empty for the backend itself."""
    kind = type(table).__name__.removeprefix("armnn_").removesuffix("_api_t").replace("_", " ")
    return "" if kind == "backend" else f" of a {kind}"


def _noted_call(backend_id: str, shown: str, call: Callable[..., Any], *arguments: Any) -> Any:
    with deferred_interrupts():  # Ctrl-C between two lines would leave the call noted for ever
        return last_words.noted_call(backend_id, shown, call, *arguments)


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    with deferred_interrupts():
        return function(*arguments)
