# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The settings of placing in one call of `optimize`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.backends.backend import Backend
    from armnn_py.optimizer.host import Host
    from armnn_py.optimizer.options import OptimizerOptions


class PlacerSettings(Struct, frozen=True):
    """The settings of placing in one call of `optimize`.

    Attributes
    ----------
    backends
        Preferences, best first.
    host
        The runtime.
    options
        How networks are optimised.
    level
        Level of the log record on refused layers.
    """

    backends: Sequence[Backend]
    host: Host
    options: OptimizerOptions
    level: int
