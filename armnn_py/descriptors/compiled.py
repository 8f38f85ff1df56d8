# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
# fmt: off
"""The parameters of compiled layers, which many a saved network has alone.

Generated from ``schema`` by ``python scripts/generate_layers.py``; do not edit.
"""

from __future__ import annotations

from typing import ClassVar

from armnn_py.descriptors.base import Count, Descriptor
from armnn_py.types import LayerType

__all__ = [
    "PreCompiledDescriptor",
]


class PreCompiledDescriptor(Descriptor, frozen=True):
    """PreCompiled: runs what a backend compiled of a sub-graph; the blob comes with the workload.
    """

    input_count: Count = 0
    output_count: Count = 0

    layer_types: ClassVar = (LayerType.PRE_COMPILED,)
