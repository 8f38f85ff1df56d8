# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What an object that a backend made needs of the backend, so that neither imports the other."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from armnn_py._native import abi

__all__ = ["BackendInstance"]


class BackendInstance(Protocol):
    """A `Backend` as its allocator, its layer support and its model options see it."""

    id: str
    lost_device: str | None

    @property
    def api(self) -> abi.armnn_backend_api_t:
        """Its table of functions."""

    @property
    def instance(self) -> int:
        """Address of the backend object."""

    def in_use(self) -> AbstractContextManager[None]:
        """Keep the instance for the length of a block; raises if the runtime is closed."""

    def retain(self) -> None:
        """Count one more user, who must call `release`; raises if the runtime is closed."""

    def release(self) -> None:
        """Count one user less."""
