# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Stages: the parts of a network that run one after another, each with plans of its own.

Where data that a network computes decide shapes, no plan for the whole network can be made before
these data are there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from armnn_py.errors import StagesNeededError

if TYPE_CHECKING:
    from armnn_py.network.storage import Stage

__all__ = ["stages_needed"]


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
