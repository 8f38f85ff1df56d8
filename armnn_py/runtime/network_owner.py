# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The methods of a runtime that its loaded networks use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from armnn_py.optimizer.host import Host

if TYPE_CHECKING:
    from collections.abc import Mapping

    from armnn_py.optimizer import OptimizedNetwork
    from armnn_py.runtime.bounded.bounded_sizes import Bounds
    from armnn_py.runtime.stages.bodies import Part


class NetworkOwner(Host, Protocol):
    """A `Runtime`, as its loaded networks use it."""

    @property
    def guards(self) -> bool:
        """Whether runs are guarded."""

    @property
    def isolated(self) -> Mapping[str, Any]:
        """The isolated backends, by id."""

    def is_followed(self, backend_id: str | None) -> bool:
        """Whether other backends answer a run in which this one fails; None: any of them."""

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""

    def forget(self, network_id: int) -> None:
        """Drop a network that was closed."""

    def load_network(
        self,
        optimized: OptimizedNetwork,
        *,
        plan_cache_size: int | None = None,
        plan_cache_bytes: int | None = ...,
        bounds: Bounds | None = None,
        threads: int | None = None,
    ) -> Part:
        """Load a network, as a part of another one."""

    def close(self) -> None:
        """Close all networks, then the backends."""
