# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a backend may have beyond layers: a check for each, made where the backend has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from armnn_py.testing.features.blobs import check_blobs
from armnn_py.testing.features.bounded_shapes import check_bounded_shapes
from armnn_py.testing.features.fences import check_fences
from armnn_py.testing.features.handles import check_handles
from armnn_py.testing.features.lives import check_lives
from armnn_py.testing.features.options import check_options, check_run_options
from armnn_py.testing.features.sequences import check_sizes, check_state
from armnn_py.testing.features.services import check_services

if TYPE_CHECKING:
    from armnn_py.testing.cases import Case
    from armnn_py.testing.target import Target

__all__ = ["FEATURES"]

Check = Callable[["Target", int, "Sequence[Case]", Callable[[str], None]], None]

FEATURES: dict[str, Check] = {
    "bounded shapes": check_bounded_shapes,
    "options": check_options,
    "run options": check_run_options,
    "blobs": check_blobs,
    "state": check_state,
    "sizes": check_sizes,
    "lives": check_lives,
    "services": check_services,
    "handles": check_handles,
    "fences": check_fences,
}
"""By name: checks of a target, with a seed, cases that it takes, and what to call at each step."""
