# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Stages: the parts of a network that run one after another, each with plans of its own.

Where data that a network computes decide shapes, no plan for the whole network can be made before
these data are there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from armnn_py.errors import InvalidArgumentError
from armnn_py.records import record
from armnn_py.tensors import TensorInfo

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.network.storage import NetworkStorage

__all__ = ["Stage", "StagesNeededError", "stages_needed"]

Compute: TypeAlias = "Callable[[Mapping[str, NDArray[Any]]], Mapping[str, NDArray[Any]]]"


@record
class Stage:
    """A part of a network: a network by itself, or a function of arrays."""

    inputs: tuple[str, ...]
    """What it reads: inputs of the whole network, and outputs of stages before it."""
    outputs: dict[str, TensorInfo]
    """What it makes."""
    network: NetworkStorage | None = None
    compute: Compute | None = None
    """Returns the outputs by name for arrays of its inputs; where there is no network."""


class StagesNeededError(InvalidArgumentError):
    """Data that a network computes decide shapes, so that it has no layers before it runs.

    ``stages`` has its parts. A loaded network runs them one after another.
    """

    def __init__(
        self,
        message: str,
        *,
        stages: Sequence[Stage] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.stages = tuple(stages)
        super().__init__(message, details=details, hints=hints)

    @property
    def outputs(self) -> dict[str, TensorInfo]:
        """What the stages make, by name."""
        return {name: info for stage in self.stages for name, info in stage.outputs.items()}


def stages_needed(
    name: str, stages: Sequence[Stage], details: Sequence[str] = ()
) -> StagesNeededError:
    """Return the error of a network that has no layers, but stages."""
    return StagesNeededError(
        f"network '{name}' runs in {len(stages)} stages: data that it computes decide shapes",
        stages=stages,
        details=details,
        hints=["load(model).run(inputs) runs them one after another; they have no common plan"],
    )
