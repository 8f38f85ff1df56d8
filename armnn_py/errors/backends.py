# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Errors and warnings of backends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armnn_py.errors.base import ArmnnError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ArmnnWarning",
    "BackendError",
    "BackendNotFoundError",
    "BackendSkippedWarning",
    "BackendUnavailableError",
]


class BackendError(ArmnnError):
    """Something is wrong with a backend."""


class BackendNotFoundError(BackendError, LookupError):
    """A backend id was asked for that is not loaded; every file's `Verdict` is attached."""

    def __init__(
        self,
        message: str,
        *,
        backend: str = "",
        loaded: Sequence[str] = (),
        verdicts: Sequence[Any] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.backend = backend
        self.loaded = tuple(loaded)
        self.verdicts = tuple(verdicts)
        super().__init__(message, details=details, hints=hints)


class BackendUnavailableError(BackendError):
    """The backend loads, but its device or driver is missing here."""

    def __init__(
        self,
        message: str,
        *,
        backend: str = "",
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.backend = backend
        super().__init__(message, details=details, hints=hints)


class ArmnnWarning(UserWarning):
    """Base of all warnings of armnn_py."""


class BackendSkippedWarning(ArmnnWarning):
    """The search for backends refused files in a folder that the user named."""
