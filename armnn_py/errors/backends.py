# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Errors and warnings of backends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.errors.base import ArmnnError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.backends.verdict import Verdict

__all__ = [
    "ArmnnWarning",
    "BackendError",
    "BackendLoadError",
    "BackendNotFoundError",
    "BackendSkippedWarning",
    "BackendUnavailableError",
    "BackendVersionError",
]


class BackendError(ArmnnError):
    """Something is wrong with a backend."""


class BackendNotFoundError(BackendError, LookupError):
    """A backend id was asked for that is not loaded; every file's verdict is attached."""

    def __init__(
        self,
        message: str,
        *,
        backend: str = "",
        loaded: Sequence[str] = (),
        verdicts: Sequence[Verdict] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.backend = backend
        self.loaded = tuple(loaded)
        self.verdicts = tuple(verdicts)
        super().__init__(message, details=details, hints=hints)


class BackendLoadError(BackendError, OSError):
    """A backend file cannot be opened or is no backend; keeps the system's own words."""

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        system_message: str | None = None,
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.path = path
        self.system_message = system_message
        super().__init__(message, details=details, hints=hints)


class BackendVersionError(BackendError):
    """A backend was built for a backend API that this host does not speak."""

    def __init__(
        self,
        message: str,
        *,
        backend_version: tuple[int, int] | None = None,
        runtime_version: tuple[int, int] | None = None,
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.backend_version = backend_version
        self.runtime_version = runtime_version
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
    """Files in a folder that the user named were refused while backends were searched."""
