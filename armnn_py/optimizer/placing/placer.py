# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Placing the networks of one `OptimizedNetwork`, shape by shape."""

from __future__ import annotations

import dataclasses
import logging
from typing import TYPE_CHECKING

from armnn_py.network.trials import kept_trial
from armnn_py.optimizer.pipeline import place_network
from armnn_py.optimizer.placing.place_on_trial import place_on_trial
from armnn_py.optimizer.placing.shape_families import ShapeFamilies

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.network import Network
    from armnn_py.optimizer.placing.placed_network import PlacedNetwork
    from armnn_py.optimizer.placing.placer_settings import PlacerSettings

__all__ = ["Placer"]


class Placer:
    """Places networks with the options of one call of `optimize`.

    Parameters
    ----------
    settings
        The settings of placing.
    """

    def __init__(self, settings: PlacerSettings) -> None:
        self._settings = settings
        self._families: ShapeFamilies | None = None

    def __call__(self, static: Network, late: bool, trial: bool) -> PlacedNetwork:
        """Place a network whose shapes are known; see `OptimizedNetwork.place_late`."""
        settings = self._settings
        options, level = settings.options, settings.level
        if trial:
            options, level = dataclasses.replace(options, strategy="preference"), logging.DEBUG
        return place_network(
            static, settings.backends, settings.host, options, fallback_level=level, late=late
        )

    def check_on_trial(self, network: Network) -> None:
        """Raise if no backend takes a layer of a network with free dimensions, whatever the sizes.

        Raises
        ------
        NoBackendForLayerError
            As `OptimizedNetwork.specialize`.
        """
        trial = kept_trial(network)
        if trial is not None and trial.network is not None:
            place_on_trial(network, trial, self._settings)

    def for_another(self) -> Placer:
        """Return what places another network with these options."""
        return Placer(self._settings)

    def for_shapes(
        self, dynamic: Network, shapes: Mapping[str, Sequence[int]]
    ) -> PlacedNetwork | None:
        """Place a network with free dimensions for these shapes, by what others had in common.

        None if there is nothing in common, or if these shapes cannot be.
        """
        if self._families is None:
            self._families = ShapeFamilies(dynamic, self._settings)
        return self._families.place(shapes)
