# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Errors of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.errors.base import ArmnnError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ExecutionCancelledError",
    "ExecutionError",
    "ExecutionTimeoutError",
]


class ExecutionError(ArmnnError):
    """A run failed; says which layer on which backend."""

    def __init__(
        self,
        message: str,
        *,
        layer: str | None = None,
        backend: str | None = None,
        kernel: str | None = None,
        status: int | None = None,
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.layer = layer
        self.backend = backend
        self.kernel = kernel
        self.status = status
        super().__init__(message, details=details, hints=hints)


class ExecutionCancelledError(ExecutionError):
    """The run was cancelled between two steps, or the work of `load` or `optimize` was."""


class ExecutionTimeoutError(ExecutionError, TimeoutError):
    """The run, `load` or `optimize` did not finish before its deadline."""
