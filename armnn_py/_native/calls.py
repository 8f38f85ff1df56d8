# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From C status codes to Python exceptions: the only module that knows the mapping."""

from __future__ import annotations

import ctypes
import re
from typing import Any, NoReturn, TypeVar

from armnn_py._native import abi
from armnn_py._native.table.dynamic_library import UnreadableTextError, read_text
from armnn_py.errors import (
    ArmnnError,
    BackendError,
    BackendUnavailableError,
    ExecutionCancelledError,
    ExecutionError,
    ExecutionTimeoutError,
    InvalidArgumentError,
    OutOfMemoryError,
    UnimplementedError,
)

_Error = TypeVar("_Error", bound=ArmnnError)

#: Exception class of a status, where no more special one fits.
STATUS_ERRORS: dict[int, type[ArmnnError]] = {
    abi.ARMNN_STATUS_UNSUPPORTED: BackendError,
    abi.ARMNN_STATUS_UNAVAILABLE: BackendUnavailableError,
    abi.ARMNN_STATUS_INVALID_ARGUMENT: InvalidArgumentError,
    abi.ARMNN_STATUS_OUT_OF_MEMORY: OutOfMemoryError,
    abi.ARMNN_STATUS_CANCELLED: ExecutionCancelledError,
    abi.ARMNN_STATUS_TIMEOUT: ExecutionTimeoutError,
    abi.ARMNN_STATUS_INCOMPATIBLE: BackendError,
    abi.ARMNN_STATUS_DEVICE_LOST: ExecutionError,
    abi.ARMNN_STATUS_UNIMPLEMENTED: UnimplementedError,
    abi.ARMNN_STATUS_INTERNAL: ExecutionError,
}

_NAMES = {
    value: name.removeprefix("ARMNN_STATUS_").lower().replace("_", " ")
    for name, value in abi.ENUMS["armnn_status_e"].items()
}


# Each byte that is not UTF-8 becomes one replacement character.
_NO_TEXT = "\ufffd{4,}"


def status_name(status: int) -> str:
    """Words for a status code: ``"out of memory"``, or ``"status 17"`` for an unknown one."""
    return _NAMES.get(status, f"status {status}")


class ErrorBuffer:
    """An ``armnn_error_t`` with storage for its text.

    Parameters
    ----------
    capacity
        Bytes of text kept; a longer text is cut and marked with an ellipsis.
    """

    __slots__ = ("_text", "struct")

    def __init__(self, capacity: int = 2048) -> None:
        self._text = ctypes.create_string_buffer(capacity)
        self.struct = abi.armnn_error_t()
        self.struct.header.struct_size = ctypes.sizeof(abi.armnn_error_t)
        self.struct.header.struct_type = abi.ARMNN_STRUCT_ERROR
        self._put_text()

    def _put_text(self) -> None:
        self.struct.text = self._text
        self.struct.capacity = len(self._text)

    def clear(self) -> None:
        """Forget the last message, and have the structure lead to our own memory again."""
        self._put_text()
        self.struct.code = 0
        self.struct.vendor_code = 0
        self.struct.needed = 0
        self._text[0] = b"\0"

    @property
    def text(self) -> str:
        """The message, with bytes that are not text replaced or counted; "" without a message."""
        words = self._words()
        if not words and not self.struct.needed:  # as after nearly all calls
            return ""
        text = words.decode("utf-8", "replace")
        text = re.sub(_NO_TEXT, lambda match: f"({len(match[0])} bytes that are not text)", text)
        return text + "..." if self.struct.needed > len(self._text) else text

    def _words(self) -> bytes:
        """The bytes of the message, also where a backend has pointed the structure elsewhere."""
        place = ctypes.c_void_p.from_buffer(self.struct, abi.armnn_error_t.text.offset).value
        if place == ctypes.addressof(self._text):
            return self._text.value
        try:
            return read_text(place, len(self._text)) if place else b""
        except UnreadableTextError as error:
            return f"(the backend's message {error})".encode()

    @property
    def details(self) -> list[str]:
        """Return the text of an error of armnn_py below its first line."""
        code = self.struct.vendor_code
        lines = [self.text] if self.text else []
        return [*lines, f"vendor code: {code}"] if code else lines

    def coded(self, error: _Error) -> _Error:
        """``error`` with the number that the backend gave."""
        error.vendor_code = self.struct.vendor_code
        return error


def check_memory(
    status: int, backend_id: str, asked: str, error: ErrorBuffer, *, layer: str | None = None
) -> None:
    """Raise `OutOfMemoryError` if a backend's function ran out of memory.

    Other answers mean "no", and the caller goes on with another backend: this one does not.
    """
    if status == abi.ARMNN_STATUS_OUT_OF_MEMORY:
        raise error.coded(
            OutOfMemoryError(
                f"backend '{backend_id}': out of memory in {asked}",
                layer=layer,
                backend=backend_id,
                status=status,
                details=error.details,
                hints=["free memory, or name other backends: backends=[...]"],
            )
        )


def backend_failure(
    backend_id: str, function: str, status: int, error: ErrorBuffer
) -> BackendError:
    """The error for a backend's function that made no object.

    A null object with status OK is also a failure.

    Raises
    ------
    OutOfMemoryError
        Instead, if that was the reason.
    """
    check_memory(status, backend_id, function, error)
    if status == abi.ARMNN_STATUS_UNAVAILABLE:
        error_class: type[BackendError] = BackendUnavailableError
    else:
        error_class = BackendError
    words = status_name(status) if status else "it answered OK but made no object"
    return error.coded(
        error_class(f"backend '{backend_id}': {function} failed: {words}", details=error.details)
    )


def raise_status(
    status: int,
    subject: str,
    error: ErrorBuffer | None = None,
    cause: BaseException | None = None,
) -> NoReturn:
    """Raise the exception that ``status`` stands for, with ``subject`` as its first line."""
    error_class = STATUS_ERRORS.get(status, BackendError)
    message = f"{subject}: {status_name(status)}"
    if error is None:
        raise error_class(message) from cause
    raise error.coded(error_class(message, details=error.details)) from cause


def callback_type(table: Any, function: str, argument: int) -> Any:
    """The type of a callback that ``function`` of a table takes as its argument of that index."""
    return dict(table._fields_)[function]._argtypes_[argument]
