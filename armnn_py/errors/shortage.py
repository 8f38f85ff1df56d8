# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Errors of a system that lacks memory, open files, threads or disk space.

They reach the package under many names: as `MemoryError`, as `OSError` out of a late import, as
"damaged" from a parser that got no memory. `tells_shortage` translates them at the calls that
programs make, whatever lies between.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import sys
from collections.abc import Callable
from typing import Literal, ParamSpec, TypeVar

from armnn_py.errors.base import ArmnnError, ExecutionError

Resource = Literal["", "memory", "files", "threads", "disk"]
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_RESOURCES: dict[int, Resource] = {
    errno.ENOMEM: "memory",
    errno.EMFILE: "files",
    errno.ENFILE: "files",
    errno.ENOSPC: "disk",
    errno.EDQUOT: "disk",
}
#: What is lacking, and what helps.
_WORDS = {
    "memory": ("not enough memory", "free memory, or raise the limit of the process or container"),
    "files": ("too many open files", "close files, or raise the limit: 'ulimit -n' shows it"),
    "threads": ("no more threads can be started", "raise the limit: 'ulimit -u' shows it"),
    "disk": ("no space left on the disk", "free disk space"),
}
_MOST_CAUSES = 16


class ShortageError(ArmnnError):
    """The system lacks something; the model and the backends may be sound.

    Attributes
    ----------
    resource
        ``"memory"``, ``"files"`` (open ones), ``"threads"`` or ``"disk"``.
    """

    resource: Resource = ""


class OutOfMemoryError(ShortageError, ExecutionError, MemoryError):
    """Memory of the system or of a backend's device ran out.

    A backend that runs out of memory while a network is optimised or loaded raises this as well.
    Its layers are not placed elsewhere.
    """

    resource = "memory"
    __new__ = ArmnnError.__new__  # type: ignore[assignment]  # that of MemoryError is its own


def shortage_of(error: BaseException) -> Resource:
    """Return what the system lacks if this error says that, else an empty text."""
    if isinstance(error, ShortageError):
        return error.resource
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, OSError | ImportError):
        number = getattr(error, "errno", None)
        if number is not None:
            return _RESOURCES.get(number, "")
        return _of_loader(str(error))
    # CPython has no class of its own for this.
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return "threads"
    return ""


def _of_loader(words: str) -> Resource:
    """Read the words of the system's loader, which gives no number."""
    path, found, _ = words.partition(": failed to map segment from shared object")
    if found:  # glibc says the same of files that may not be executed
        with contextlib.suppress(OSError):
            return "" if os.statvfs(path).f_flag & os.ST_NOEXEC else "memory"
    return next((name for one, name in _RESOURCES.items() if os.strerror(one) in words), "")


def as_shortage(
    error: BaseException, doing: str, outer: BaseException | None = None
) -> ShortageError | None:
    """Return the error to raise instead of one that a shortage caused; None if it has its class.

    Parameters
    ----------
    error
        The error, with the chain of its causes.
    doing
        Completes "not enough memory to ...".
    outer
        An error that was being handled before: not its cause.
    """
    one: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if one is None or one is outer:
            return None
        resource = shortage_of(one)
        if resource:
            break
        one = one.__cause__ or one.__context__
    else:
        return None
    if isinstance(one, ShortageError):
        return None if one is error else one
    kind = OutOfMemoryError if resource == "memory" else ShortageError
    words, hint = _WORDS[resource]
    told = kind(f"{words} to {doing}", details=list(filter(None, [str(one)])), hints=[hint])
    told.resource = resource
    return told


def reason_of(error: OSError) -> str:
    """Return the words of an error of one file; raise it again if the system lacks something.

    Files that cannot be read are left out: not all of them because descriptors ran out.
    """
    if shortage_of(error):
        raise error
    return error.strerror or str(error)


def tells_shortage(
    doing: str,
) -> Callable[[Callable[_Arguments, _Result]], Callable[_Arguments, _Result]]:
    """Decorate a function: errors that a shortage caused become a `ShortageError`.

    ``doing`` completes "not enough memory to ..."; ``{}`` in it stands for the path among the
    first arguments.
    """

    def decorate(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
        @functools.wraps(function)
        def call(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
            outer = sys.exc_info()[1]
            try:
                return function(*args, **kwargs)
            except Exception as error:
                told = as_shortage(error, doing.format(_named(args)), outer)
                if told is None:
                    raise
                raise told from error

        return call

    return decorate


def _named(arguments: tuple[object, ...]) -> str:
    first = next((one for one in arguments[:2] if isinstance(one, str | os.PathLike)), None)
    if first is not None:
        return f"'{os.path.basename(os.fspath(first))!s}'"  # noqa: PTH119
    return "the model"
