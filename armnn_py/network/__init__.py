# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The user's graph. It knows nothing about backends."""

from __future__ import annotations

from armnn_py.network.builders.recurrent import LstmWeights
from armnn_py.network.layer import (
    AssignLayer,
    ConstantLayer,
    Layer,
    OutputSlot,
    Source,
    VariableLayer,
)
from armnn_py.network.metadata import ModelMetadata
from armnn_py.network.network import Network

__all__ = [
    "AssignLayer",
    "ConstantLayer",
    "Layer",
    "LstmWeights",
    "ModelMetadata",
    "Network",
    "OutputSlot",
    "Source",
    "VariableLayer",
]
