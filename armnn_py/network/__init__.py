# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The user's graph. It knows nothing about backends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.later import names_of
from armnn_py.network.layer import (
    AssignLayer,
    ConstantLayer,
    Layer,
    OutputSlot,
    Source,
    VariableLayer,
)
from armnn_py.network.network import Network
from armnn_py.network.storage import ModelMetadata, NetworkStorage, Stage

if TYPE_CHECKING:
    from armnn_py.network.builders.recurrent import LstmWeights
    from armnn_py.network.repeat import Collected, Repeat, RunBody
    from armnn_py.network.stages import stages_needed

__all__ = [
    "AssignLayer",
    "Collected",
    "ConstantLayer",
    "Layer",
    "LstmWeights",
    "ModelMetadata",
    "Network",
    "NetworkStorage",
    "OutputSlot",
    "Repeat",
    "RunBody",
    "Source",
    "Stage",
    "VariableLayer",
    "as_network",
    "stages_needed",
]


def as_network(contents: NetworkStorage) -> Network:
    """The same object as a `Network`, which has methods beside its contents, and nothing else.

    Their builders are imported now, on first use.
    """
    if not isinstance(contents, Network):
        contents.__class__ = Network
        assert isinstance(contents, Network)
    return contents


# Only loops and stages need these.
__getattr__ = names_of(
    "armnn_py.network",
    {
        "armnn_py.network.builders.recurrent": ("LstmWeights",),
        "armnn_py.network.repeat": ("Collected", "Repeat", "RunBody"),
        "armnn_py.network.stages": ("stages_needed",),
    },
)
