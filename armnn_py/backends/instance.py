# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The methods of a backend that its objects need, so that neither module imports the other."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from armnn_py._native import abi


class BackendInstance(Protocol):
    """A `Backend` for its allocator, its layer support and its model options."""

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
