# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Time limits and cancel tokens for work other than runs: to import, to optimise, to load.

The work asks `check_stopped` between its steps. A question to the worker of an isolated backend is
given up in the middle: its process is ended.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import NamedTuple, ParamSpec, Protocol, TypeVar

from armnn_py.errors import (
    ArmnnError,
    ExecutionCancelledError,
    ExecutionTimeoutError,
    InvalidArgumentError,
)

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class Token(Protocol):
    """A `CancelToken`."""

    @property
    def cancelled(self) -> bool:
        """Whether the work is to stop."""


class _Limits(NamedTuple):
    """Limits of the work of the calling thread, and those of the work that it is a part of."""

    doing: str
    seconds: float | None
    end: float
    token: Token | None
    outer: _Limits | None


_limits: ContextVar[_Limits | None] = ContextVar("armnn_py_limits", default=None)


def check_stops(timeout: object, cancel: object) -> None:
    """Raise `InvalidArgumentError` unless these are a valid timeout and token, or None."""
    if timeout is not None and (
        isinstance(timeout, bool)
        or not isinstance(timeout, (int, float))
        or not timeout >= 0  # also true of "not a number"
    ):
        raise InvalidArgumentError(
            f"timeout: {timeout!r} given, seconds >= 0 expected", hints=["None means no limit"]
        )
    if cancel is not None and not isinstance(getattr(cancel, "cancelled", None), bool):
        raise InvalidArgumentError(f"cancel: {type(cancel).__name__} given, CancelToken expected")


def is_stoppable() -> bool:
    """Whether the work of the calling thread has limits."""
    return _limits.get() is not None


def check_stopped() -> None:
    """Raise `ExecutionTimeoutError` or `ExecutionCancelledError` if the work is to stop."""
    limits = _limits.get()
    while limits is not None:
        if limits.token is not None and limits.token.cancelled:
            raise ExecutionCancelledError(f"{limits.doing} was cancelled")
        if time.monotonic() >= limits.end:
            raise ExecutionTimeoutError(f"{limits.doing} took more than {limits.seconds:g} s")
        limits = limits.outer


def stoppable(
    doing: str,
) -> Callable[[Callable[_Arguments, _Result]], Callable[_Arguments, _Result]]:
    """Decorate a function: its keyword arguments ``timeout`` and ``cancel`` limit its work."""

    def decorate(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
        @functools.wraps(function)
        def call(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
            timeout, cancel = kwargs.get("timeout"), kwargs.get("cancel")
            if timeout is None and cancel is None:
                return function(*args, **kwargs)
            check_stops(timeout, cancel)
            end = float("inf") if timeout is None else time.monotonic() + timeout  # type: ignore[operator]
            limits = _Limits(doing, timeout, end, cancel, _limits.get())  # type: ignore[arg-type]
            kept = _limits.set(limits)
            try:
                check_stopped()
                return function(*args, **kwargs)
            except ArmnnError:
                check_stopped()  # a step that was given up fails otherwise
                raise
            finally:
                _limits.reset(kept)

        return call

    return decorate
