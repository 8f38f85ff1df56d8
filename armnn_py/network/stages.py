# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Stages: the parts of a network that run one after another, each with plans of its own.

Where data that a network computes decide shapes, no plan for the whole network can be made before
these data are there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from armnn_py.errors import InvalidArgumentError

if TYPE_CHECKING:
    from armnn_py.network.storage import Stage
    from armnn_py.tensors import TensorInfo

__all__ = ["StagesNeededError", "stages_needed"]


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
