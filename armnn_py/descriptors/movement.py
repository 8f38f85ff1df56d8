# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Parameters of layers that move, join, cut and repeat elements."""

from __future__ import annotations

from typing import ClassVar

from armnn_py.descriptors.base import (
    Axis,
    Count,
    Counts,
    Descriptor,
    Offsets,
    Positive,
    Sizes,
    View,
    fail,
    record,
)
from armnn_py.types import DataLayout, LayerType, PaddingMode, ScatterNdFunction

__all__ = [
    "BroadcastToDescriptor",
    "ChannelShuffleDescriptor",
    "ConcatDescriptor",
    "FillDescriptor",
    "GatherDescriptor",
    "PadDescriptor",
    "PermuteDescriptor",
    "ReshapeDescriptor",
    "ScatterNdDescriptor",
    "SliceDescriptor",
    "SplitterDescriptor",
    "StackDescriptor",
    "StridedSliceDescriptor",
    "TileDescriptor",
]


@record
class ConcatDescriptor(Descriptor):
    """Concat: input i fills ``views[i]`` of the output."""

    axis: Count = 0
    views: tuple[View, ...] = ()

    layer_types: ClassVar = (LayerType.CONCAT,)


@record
class SplitterDescriptor(Descriptor):
    """Splitter: output i is ``views[i]`` of the input; axis -1 when they follow no one axis."""

    axis: Axis = -1
    views: tuple[View, ...] = ()

    layer_types: ClassVar = (LayerType.SPLITTER,)

    def _check(self) -> None:
        if self.axis < -1:
            fail(self, f"axis {self.axis} given, at least -1 expected")


@record
class StackDescriptor(Descriptor):
    """Stack: ``input_count`` equal inputs of ``input_shape`` along a new axis."""

    axis: Count = 0
    input_count: Count = 0
    input_shape: Sizes = ()

    layer_types: ClassVar = (LayerType.STACK,)


@record
class ReshapeDescriptor(Descriptor):
    """Reshape."""

    target_shape: Sizes = ()

    layer_types: ClassVar = (LayerType.RESHAPE,)


@record
class BroadcastToDescriptor(Descriptor):
    """BroadcastTo, as numpy.broadcast_to."""

    target_shape: Sizes = ()

    layer_types: ClassVar = (LayerType.BROADCAST_TO,)


@record
class PermuteDescriptor(Descriptor):
    """Permute: source dimension d becomes dimension ``mappings[d]``.

    Transpose is the inverse: dimension d comes from source dimension ``mappings[d]``, as in numpy.
    """

    mappings: Counts = ()

    layer_types: ClassVar = (LayerType.PERMUTE, LayerType.TRANSPOSE)

    def _check(self) -> None:
        if sorted(self.mappings) != list(range(len(self.mappings))):
            fail(self, f"mappings {self.mappings} is not a permutation")


@record
class PadDescriptor(Descriptor):
    """Pad: ``value`` is the number that is stored, also in a quantised tensor."""

    padding_mode: PaddingMode = PaddingMode.CONSTANT
    pad_before: Counts = ()
    pad_after: Counts = ()
    value: float = 0.0

    layer_types: ClassVar = (LayerType.PAD,)

    def _check(self) -> None:
        if len(self.pad_before) != len(self.pad_after):
            fail(self, f"{len(self.pad_before)} pads before and {len(self.pad_after)} after given")


@record
class SliceDescriptor(Descriptor):
    """Slice."""

    begin: Sizes = ()
    size: Sizes = ()

    layer_types: ClassVar = (LayerType.SLICE,)

    def _check(self) -> None:
        if len(self.begin) != len(self.size):
            fail(self, f"{len(self.begin)} begins and {len(self.size)} sizes given")


@record
class StridedSliceDescriptor(Descriptor):
    """StridedSlice (TensorFlow's definition)."""

    begin: Offsets = ()
    end: Offsets = ()
    stride: Offsets = ()
    begin_mask: Count = 0
    end_mask: Count = 0
    shrink_axis_mask: Count = 0
    ellipsis_mask: Count = 0
    new_axis_mask: Count = 0
    data_layout: DataLayout = DataLayout.NCHW

    layer_types: ClassVar = (LayerType.STRIDED_SLICE,)

    def _check(self) -> None:
        if not len(self.begin) == len(self.end) == len(self.stride):
            fail(
                self,
                f"{len(self.begin)} begins, {len(self.end)} ends and {len(self.stride)} strides "
                "given, equally many expected",
            )
        if 0 in self.stride:
            fail(self, f"stride {self.stride} given, a stride of 0 goes nowhere")


@record
class GatherDescriptor(Descriptor):
    """Gather, as numpy.take: negative indices count from the end."""

    axis: Axis = 0

    layer_types: ClassVar = (LayerType.GATHER,)


@record
class ScatterNdDescriptor(Descriptor):
    """ScatterNd: the first operand is the input, or a shape when not ``input_enabled``."""

    function: ScatterNdFunction = ScatterNdFunction.UPDATE
    input_enabled: bool = True
    axis: Axis = 0
    axis_enabled: bool = False

    layer_types: ClassVar = (LayerType.SCATTER_ND,)


@record
class TileDescriptor(Descriptor):
    """Tile, as numpy.tile."""

    multiples: Counts = ()

    layer_types: ClassVar = (LayerType.TILE,)


@record
class FillDescriptor(Descriptor):
    """Fill."""

    value: float = 0.0

    layer_types: ClassVar = (LayerType.FILL,)


@record
class ChannelShuffleDescriptor(Descriptor):
    """ChannelShuffle."""

    group_count: Positive = 1
    axis: Count = 0

    layer_types: ClassVar = (LayerType.CHANNEL_SHUFFLE,)
