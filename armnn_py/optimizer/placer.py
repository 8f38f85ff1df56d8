# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Placing the networks of one `OptimizedNetwork`, shape by shape."""

from __future__ import annotations

import dataclasses
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.backends.backend import Backend
    from armnn_py.network import Network
    from armnn_py.optimizer.host import Host
    from armnn_py.optimizer.options import OptimizerOptions
    from armnn_py.optimizer.placed_network import PlacedNetwork
    from armnn_py.optimizer.shape_families import ShapeFamilies

__all__ = ["Placer"]


class Placer:
    """Places networks with the options of one call of `optimize`.

    Parameters
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

    def __init__(
        self, backends: Sequence[Backend], host: Host, options: OptimizerOptions, level: int
    ) -> None:
        self.backends = backends
        self.host = host
        self.options = options
        self.level = level
        self._families: ShapeFamilies | None = None

    def __call__(self, static: Network, late: bool, trial: bool) -> PlacedNetwork:
        """Place a network whose shapes are known; see `OptimizedNetwork.place_late`."""
        from armnn_py.optimizer.pipeline import place_network

        options, level = self.options, self.level
        if trial:
            options, level = dataclasses.replace(options, strategy="preference"), logging.DEBUG
        return place_network(
            static, self.backends, self.host, options, fallback_level=level, late=late
        )

    def for_shapes(
        self, dynamic: Network, shapes: Mapping[str, Sequence[int]]
    ) -> PlacedNetwork | None:
        """Place a network with free dimensions for these shapes, by what others had in common.

        None if there is nothing in common, or if these shapes cannot be.
        """
        from armnn_py.optimizer.shape_families import ShapeFamilies

        if self._families is None:
            self._families = ShapeFamilies(dynamic, self)
        return self._families.place(shapes)
