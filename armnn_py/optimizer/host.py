# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The methods of a runtime that the optimiser uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from armnn_py.backends.registry import BackendRegistry
    from armnn_py.network import Network
    from armnn_py.optimizer.options import OptimizerOptions


class UnsteadySeconds(float):
    """A time that the runs of one measurement do not agree on: good for now, not to be kept."""


@runtime_checkable
class Host(Protocol):
    """A `Runtime`, as `optimize` sees it."""

    @property
    def backends(self) -> BackendRegistry:
        """The loaded backends by id."""

    def check_open(self) -> None:
        """Raise `InvalidArgumentError` if the runtime is closed."""

    def evaluate(self, network: Network) -> Mapping[str, np.ndarray] | None:
        """Outputs by name of a network without inputs; None if no reference backend runs it."""

    def measure(
        self, network: Network, backends: Sequence[str], options: OptimizerOptions
    ) -> float | None:
        """Seconds that a run of a network takes on these backends; None if it does not run.

        `UnsteadySeconds` if something else used the machine meanwhile.
        """
