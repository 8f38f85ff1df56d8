# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Stopping a run from another thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armnn_py._native.plan import NativeContext

__all__ = ["CancelToken"]


class CancelToken:
    """A switch that stops the runs it was given to, before their next layer.

    Examples
    --------
    >>> token = CancelToken()
    >>> threading.Timer(0.1, token.cancel).start()  # doctest: +SKIP
    >>> loaded.run(inputs, cancel=token)  # doctest: +SKIP
    Traceback (most recent call last):
    armnn_py.errors.ExecutionCancelledError: ...
    """

    __slots__ = ("_cancelled", "_contexts", "_lock")

    def __init__(self) -> None:
        self._cancelled = False
        self._contexts: set[NativeContext] = set()
        self._lock = threading.Lock()

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called; a token is never reset."""
        return self._cancelled

    def cancel(self) -> None:
        """Stop every run that uses this token, now and in future; from any thread."""
        with self._lock:
            self._cancelled = True
            for context in self._contexts:
                context.cancel()

    def _attach(self, context: NativeContext) -> None:
        with self._lock:
            self._contexts.add(context)

    def _detach(self, context: NativeContext) -> None:
        with self._lock:
            self._contexts.discard(context)

    def __repr__(self) -> str:
        return f"<CancelToken {'cancelled' if self._cancelled else 'ready'}>"
