# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The ``add_...`` methods of a network, by family."""

from __future__ import annotations

from armnn_py.network.builders.conversion import ConversionBuilders
from armnn_py.network.builders.convolution import ConvolutionBuilders
from armnn_py.network.builders.elementwise import ElementwiseBuilders
from armnn_py.network.builders.indexing import IndexingBuilders
from armnn_py.network.builders.joining import JoiningBuilders
from armnn_py.network.builders.movement import MovementBuilders
from armnn_py.network.builders.normalisation import NormalisationBuilders
from armnn_py.network.builders.pooling import PoolingBuilders
from armnn_py.network.builders.reduction import ReductionBuilders
from armnn_py.network.builders.slicing import SlicingBuilders
from armnn_py.network.builders.spatial import SpatialBuilders

__all__ = [
    "ConversionBuilders",
    "ConvolutionBuilders",
    "ElementwiseBuilders",
    "IndexingBuilders",
    "JoiningBuilders",
    "MovementBuilders",
    "NormalisationBuilders",
    "PoolingBuilders",
    "ReductionBuilders",
    "SlicingBuilders",
    "SpatialBuilders",
]
