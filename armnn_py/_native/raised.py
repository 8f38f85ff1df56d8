# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Exceptions on their way through C: what Python code raised below it, for the error above it.

C knows a status and a text. The exception itself waits here, by thread, for whoever makes an error
of the two; the text says whether it is the one.
"""

from __future__ import annotations

import threading

__all__ = ["keep_raised", "raise_interruption", "take_interruption", "take_raised"]

_raised: dict[int, tuple[str, BaseException]] = {}


def keep_raised(text: str, error: BaseException) -> None:
    """Remember what was raised on this thread, and the text that C got for it."""
    _raised[threading.get_ident()] = text, error


def take_raised(text: str) -> BaseException | None:
    """What was raised last on this thread, if ``text`` is what C got for it; it is forgotten."""
    known, error = _raised.pop(threading.get_ident(), ("", None))
    return error if known == text else None


def take_interruption() -> BaseException | None:
    """What was raised last on this thread, if it is no mere error, as KeyboardInterrupt is none."""
    _, error = _raised.pop(threading.get_ident(), ("", None))
    return None if isinstance(error, Exception) else error


def raise_interruption() -> None:
    """Raise what was raised last on this thread unless it is an `Exception`, which is kept."""
    _, error = _raised.get(threading.get_ident(), ("", None))
    if error is not None and not isinstance(error, Exception):
        del _raised[threading.get_ident()]
        raise error
