# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How many devices a backend has, and errors about those that it has not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.backends.loader.verdict import printable
from armnn_py.device_ids import device_id, split_id
from armnn_py.errors import (
    BackendError,
    BackendNotFoundError,
    BackendUnavailableError,
    InvalidArgumentError,
)
from armnn_py.text import counted, first_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from armnn_py.backends.backend import Backend
    from armnn_py.backends.loader.verdict import LoadReport, RefusedError

#: Devices that an error lists.


def count_of(backend: Backend) -> int:
    """How many devices a backend has: one, if it fails to say so or is closed."""
    try:
        with backend.in_use():
            return backend.source.device_count()
    except (BackendError, InvalidArgumentError):
        return 1


def name_of(backend: Backend, index: int) -> str:
    """The name of a device in parentheses, or nothing if it is not told."""
    try:
        with backend.in_use():
            device = backend.source.device(index)
    except (BackendError, InvalidArgumentError):
        return ""
    return "" if device is None else f" ({printable(device.name)})"


def not_made(first: Backend, backend_id: str, refusal: RefusedError) -> BackendError:
    """The error for a device that is listed and of which no instance can be made."""
    message = f"backend '{printable(backend_id)}' cannot be used: {printable(refusal.reason)}"
    _, index = split_id(backend_id)
    details = [f"device {index} of {printable(first.origin)}{name_of(first, index)}"]
    hints = [printable(refusal.hint)] if refusal.hint else []
    if refusal.status == "unavailable":
        return BackendUnavailableError(message, backend=backend_id, details=details, hints=hints)
    return BackendError(message, details=details, hints=hints)


def no_device(
    first: Backend, index: int, *, loaded: Iterable[str], report: LoadReport, asked_by: str
) -> BackendNotFoundError:
    """The error for an index that a backend does not have."""
    count, name = count_of(first), first.source.id
    details = [f"asked for by: {asked_by}"] if asked_by else []
    details += first_of(
        f"device: {printable(device_id(name, number))}{name_of(first, number)}"
        for number in range(count)
    )
    return BackendNotFoundError(
        f"backend '{printable(name)}' has no device {index}, it has {counted(count, 'device')}",
        backend=device_id(name, index),
        loaded=tuple(loaded),
        verdicts=tuple(report),
        details=details,
        hints=[f"'armnn-py backends show {printable(name)}' lists its devices"],
    )
