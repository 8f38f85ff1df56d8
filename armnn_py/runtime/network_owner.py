# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The methods of a runtime that its loaded networks use."""

from __future__ import annotations

from typing import Protocol

from armnn_py.optimizer.host import Host

__all__ = ["NetworkOwner"]


class NetworkOwner(Host, Protocol):
    """A `Runtime`, as its loaded networks use it."""

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""

    def forget(self, network_id: int) -> None:
        """Drop a network that was closed."""

    def close(self) -> None:
        """Close all networks, then the backends."""
