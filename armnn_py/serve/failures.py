# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Errors of requests, with the status that each front end gives them."""

from __future__ import annotations

from typing import Final, NamedTuple

from armnn_py import errors


class Status(NamedTuple):
    """A kind of failure: its HTTP status, and the name of its gRPC status."""

    http: int
    grpc: str


INVALID: Final = Status(400, "INVALID_ARGUMENT")
NOT_FOUND: Final = Status(404, "NOT_FOUND")
TIMEOUT: Final = Status(504, "DEADLINE_EXCEEDED")
TOO_LARGE: Final = Status(413, "RESOURCE_EXHAUSTED")
BUSY: Final = Status(429, "RESOURCE_EXHAUSTED")
UNAVAILABLE: Final = Status(503, "UNAVAILABLE")
CANCELLED: Final = Status(499, "CANCELLED")
UNSUPPORTED: Final = Status(501, "UNIMPLEMENTED")
INTERNAL: Final = Status(500, "INTERNAL")


class RequestError(Exception):
    """A request that gets no answer but a sentence.

    Parameters
    ----------
    text
        What is wrong, and what was expected.
    status
        The kind of failure.
    """

    def __init__(self, text: str, status: Status = INVALID) -> None:
        super().__init__(text)
        self.status = status


def status_of(error: BaseException) -> Status:
    """Return the kind of failure that an error of a run stands for."""
    if isinstance(error, RequestError):
        return error.status
    if isinstance(error, errors.ExecutionTimeoutError):
        return TIMEOUT
    if isinstance(error, errors.ExecutionCancelledError):
        return CANCELLED
    if isinstance(error, (errors.ShortageError, MemoryError)):
        return UNAVAILABLE
    if isinstance(error, errors.InvalidArgumentError):
        return INVALID
    return INTERNAL
