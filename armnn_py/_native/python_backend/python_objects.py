# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Objects and functions of the backend API made by Python code: the other side of the border.

The functions of an object's table live as long as the process; which object is meant, its address
says. No exception leaves one of them: ctypes would drop it and hand C whatever the memory of the
result holds. It becomes a status, and its words the text of the ``armnn_error_t``.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.table.dynamic_library import note_code
from armnn_py._native.table.guarded_calls import keep_raised
from armnn_py.errors import (
    BackendUnavailableError,
    ExecutionCancelledError,
    ExecutionTimeoutError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_log = logging.getLogger("armnn_py.backends")

_STATUSES: tuple[tuple[type[BaseException], int], ...] = (
    (MemoryError, abi.ARMNN_STATUS_OUT_OF_MEMORY),
    (ExecutionCancelledError, abi.ARMNN_STATUS_CANCELLED),
    (ExecutionTimeoutError, abi.ARMNN_STATUS_TIMEOUT),
    (BackendUnavailableError, abi.ARMNN_STATUS_UNAVAILABLE),
    (NotImplementedError, abi.ARMNN_STATUS_UNIMPLEMENTED),
)


class UnsupportedError(Exception):
    """The answer UNSUPPORTED of one of the functions; the message is its reason."""


def describe(error: BaseException) -> str:
    """Words for an exception, and the line of the program's own code that it came from."""
    try:
        text = str(error)
    except BaseException as second:  # the program's own class
        text = f"(its text cannot be had: {type(second).__name__})"
    name = type(error).__name__
    words = f"{name}: {text}" if text else name
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if not file.startswith(_OWN_FOLDER):
            return f"{words} ({file}:{line})"
    return words


_OWN_FOLDER = str(Path(__file__).parents[2]) + os.sep


def write_error(pointer: Any, status: int, text: str) -> str:
    """Put words into the caller's ``armnn_error_t``; returns what the caller reads."""
    if not pointer:
        return ""
    struct = pointer.contents
    data = text.encode("utf-8", "replace").replace(b"\0", b" ")
    struct.code = status
    struct.needed = len(data) + 1
    kept = data[: max(0, int(struct.capacity) - 1)]
    if struct.text and struct.capacity:
        address = ctypes.cast(struct.text, ctypes.c_void_p).value or 0
        ctypes.memmove(address, kept + b"\0", len(kept) + 1)
    return kept.decode("utf-8", "replace") + ("..." if len(kept) < len(data) else "")


# ---- Objects -------------------------------------------------------------------------------------

_objects: dict[int, tuple[Any, Any]] = {}


def new_object(structure: type[Any], functions: Any, item: Any) -> Any:
    """Make an object whose functions find ``item``; it lives until `drop`."""
    struct = structure(ctypes.pointer(functions))
    _objects[ctypes.addressof(struct)] = struct, item
    return ctypes.pointer(struct)


def item_of(pointer: Any) -> Any:
    """The purpose of an object.

    Raises
    ------
    LookupError
        It is destroyed, or none of Python's.
    """
    address = ctypes.addressof(pointer.contents)
    return _objects[address][1]


def drop(pointer: Any) -> Any:
    """Forget an object; returns what it was made for."""
    return _objects.pop(ctypes.addressof(pointer.contents))[1]


def forget_objects(addresses: Iterable[int]) -> None:
    """Forget what the host should have destroyed, before its backend goes."""
    for address in addresses:
        _objects.pop(address, None)


# ---- Functions -----------------------------------------------------------------------------------


def question(kind: Any, answer: Callable[..., None], *, what: str, keeps: bool = False) -> Any:
    """A function of C that returns a status and takes the ``armnn_error_t`` last.

    Parameters
    ----------
    kind
        Its ctypes type.
    answer
        Gets the other arguments; what it raises is the status.
    what
        For the log.
    keeps
        Whether the caller takes an error with `take_raised`; else it is logged.
    """

    def call(*arguments: Any) -> int:
        try:
            answer(*arguments[:-1])
        except UnsupportedError as reason:
            write_error(arguments[-1], abi.ARMNN_STATUS_UNSUPPORTED, str(reason))
            return abi.ARMNN_STATUS_UNSUPPORTED
        except BaseException as error:  # there is no frame above to take it
            with contextlib.suppress(BaseException):  # a log handler of the program, say
                return _failed(arguments[-1], error, what, keeps=keeps)
            return _INTERNAL
        return abi.ARMNN_STATUS_OK

    return _noted(kind(call))


_INTERNAL = abi.ARMNN_STATUS_INTERNAL


def _failed(pointer: Any, error: BaseException, what: str, *, keeps: bool) -> int:
    status = next((s for kind, s in _STATUSES if isinstance(error, kind)), _INTERNAL)
    text = write_error(pointer, status, describe(error))
    if keeps or not isinstance(error, Exception):
        keep_raised(text, error)
    elif status != abi.ARMNN_STATUS_UNAVAILABLE:
        _log.warning("%s of a Python backend raised", what, exc_info=error)
    return status


def notice(kind: Any, function: Callable[..., Any], default: Any = None) -> Any:
    """A function of C that cannot fail; what it raises is logged, and ``default`` the answer."""

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except BaseException as error:  # as above
            with contextlib.suppress(BaseException):
                if not isinstance(error, Exception):
                    keep_raised("", error)
                _log.error("a function of a Python backend raised", exc_info=error)
            return default

    return _noted(kind(call))


def _noted(function: Any) -> Any:
    note_code(address_of_code(function))
    return function


def address_of_code(function: Any) -> int:
    """The address that C calls."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def table(structure: type[Any], tag: int, functions: dict[str, Callable[[Any], Any]]) -> Any:
    """A table of functions; each is made from the ctypes type of its member."""
    made = structure()
    made.header.struct_size = ctypes.sizeof(structure)
    made.header.struct_type = tag
    kinds: dict[str, Any] = {name: kind for name, kind, *_ in structure._fields_}
    for name, make in functions.items():
        setattr(made, name, make(kinds[name]))
    return made
