# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Stopping a run from another thread, or from a signal handler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.later import public_class
from armnn_py.ownership import Owner

if TYPE_CHECKING:
    from armnn_py._native.plans.context import NativeContext


@public_class
class CancelToken(Owner, instead="give the same token to every run that it is to stop"):
    """A switch that stops the runs it was given to, before their next layer.

    Lock-free: a signal handler may cancel in the middle of a run of its own thread.

    Examples
    --------
    >>> import numpy as np
    >>> import armnn_py as ann
    >>> token = ann.CancelToken()
    >>> token.cancel()  # from another thread, or from a signal handler
    >>> with ann.load("model.onnx") as network:
    ...     network.run(np.load("image.npy"), cancel=token)
    Traceback (most recent call last):
    armnn_py.ExecutionCancelledError: ...
    """

    __slots__ = ("_cancelled", "_contexts")

    def __init__(self) -> None:
        self._cancelled = False
        self._contexts: set[NativeContext] = set()

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called; a token is never reset."""
        return self._cancelled

    def cancel(self) -> None:
        """Stop every run that uses this token, now and in future; from any thread."""
        # First the flag, which a run reads after it has entered the set, then the runs in the set.
        self._cancelled = True
        for context in tuple(self._contexts):
            context.cancel()

    def _attach(self, context: NativeContext) -> None:
        self._contexts.add(context)

    def _detach(self, context: NativeContext) -> None:
        self._contexts.discard(context)

    def __repr__(self) -> str:
        return f"<CancelToken {'cancelled' if self._cancelled else 'ready'}>"
