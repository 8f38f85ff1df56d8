# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Calls of backends that may call back into objects of the program, and what guards them.

A signal's handler must not raise in such a callback: see `armnn_py.interrupts`.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

from armnn_py._native.process import noted_calls
from armnn_py.interrupts import deferred_interrupts

_raised: dict[int, tuple[str, BaseException]] = {}


def keep_raised(text: str, error: BaseException) -> None:
    """Remember what was raised on this thread, and the text that C got for it."""
    _raised[threading.get_ident()] = text, error


def take_raised(text: str) -> BaseException | None:
    """Take the last exception of this thread, if C got ``text`` for it."""
    known, error = _raised.pop(threading.get_ident(), ("", None))
    return error if known == text else None


def take_interruption() -> BaseException | None:
    """Return the last exception of this thread that is not an `Exception`, or None."""
    _, error = _raised.pop(threading.get_ident(), ("", None))
    return None if isinstance(error, Exception) else error


def raise_interruption() -> None:
    """Raise what was raised last on this thread unless it is an `Exception`, which is kept."""
    _, error = _raised.get(threading.get_ident(), ("", None))
    if error is not None and not isinstance(error, Exception):
        del _raised[threading.get_ident()]
        raise error


_Table = TypeVar("_Table")
_callers: weakref.WeakSet[Any] = weakref.WeakSet()


def note_caller(caller: object) -> None:
    """From now on, while ``caller`` lives, any call of a backend may call Python through it."""
    _callers.add(caller)


def guarded(table: _Table, backend_id: str = "") -> _Table:
    """Return ``table`` with each function called in a `deferred_interrupts` block.

    Calls of a backend from outside of the package are noted. While there is neither such a backend
    nor a caller, that is ``table`` itself: ordinary calls need no guard.
    """
    is_noted = bool(backend_id) and noted_calls.is_noted(backend_id)
    if not _callers and not is_noted:
        return table
    return cast("_Table", _Guarded(table, backend_id if is_noted else ""))


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
        result = noted_calls.noted_call(backend_id, shown, call, *arguments)
    raise_interruption()  # of Python code below it
    return result


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    with deferred_interrupts():
        result = function(*arguments)
    raise_interruption()
    return result
