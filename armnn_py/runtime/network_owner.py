# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a loaded network needs of the runtime that loaded it."""

from __future__ import annotations

from typing import Protocol

from armnn_py.optimizer.host import Host

__all__ = ["NetworkOwner"]


class NetworkOwner(Host, Protocol):
    """A `Runtime`, as the networks that it loaded see it."""

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""

    def forget(self, network_id: int) -> None:
        """Let go of a network that was closed."""

    def close(self) -> None:
        """Close all networks, then the backends."""
