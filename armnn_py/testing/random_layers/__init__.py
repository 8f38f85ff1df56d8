# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Rules by which random networks grow: each adds layers, or a pattern that passes look for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from armnn_py.testing.random_layers import computing, images

if TYPE_CHECKING:
    import armnn_py as ann
    from armnn_py.testing.random_layers.growth import Growth

__all__ = ["RULES"]

Rule = Callable[["Growth", "ann.OutputSlot"], None]

RULES: tuple[Rule, ...] = (
    computing.activation,
    computing.activation,
    computing.activation,
    computing.binary,
    computing.binary,
    computing.with_constant,
    computing.with_constant,
    computing.with_input_of_less_rank,
    computing.permute,
    computing.permute,
    computing.permuted_twice,
    computing.permuted_there_and_back,
    computing.siblings,
    computing.siblings,
    computing.reshape,
    computing.reshape,
    computing.identity,
    computing.identity,
    computing.pad,
    computing.join,
    computing.split,
    computing.slice,
    computing.reduce,
    images.convolution,
    images.convolution,
    images.depthwise,
    images.batch_norm,
    images.pooling,
    computing.only_constants,
    computing.matrix,
    computing.affine_run,
    computing.affine_run,
    computing.hard_swish,
    computing.hard_swish,
    images.transposed_convolution,
    images.affine_around_convolution,
    images.affine_around_convolution,
    images.residual_blocks,
    images.residual_blocks,
    images.blocks,
    images.channels_to_space,
    images.edges_before_pooling,
    computing.cut_twice,
)
"""Each is drawn as often as it is here; it gets a tensor to read and keeps what it makes."""
