# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The ``add_...`` methods of a network, by family."""

from __future__ import annotations

from armnn_py.network.builders.conversion import ConversionBuilders
from armnn_py.network.builders.convolution import ConvolutionBuilders
from armnn_py.network.builders.ends import EndBuilders
from armnn_py.network.builders.joining import JoiningBuilders
from armnn_py.network.builders.movement import MovementBuilders
from armnn_py.network.builders.plain import PlainBuilders
from armnn_py.network.builders.pooling import PoolingBuilders
from armnn_py.network.builders.recurrent import RecurrentBuilders
from armnn_py.network.builders.spatial import SpatialBuilders

__all__ = [
    "ConversionBuilders",
    "ConvolutionBuilders",
    "EndBuilders",
    "JoiningBuilders",
    "MovementBuilders",
    "PlainBuilders",
    "PoolingBuilders",
    "RecurrentBuilders",
    "SpatialBuilders",
]
