# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Parameters of layers: one frozen dataclass for each descriptor of ``armnn/descriptors.h``.

Names of fields and defaults are Arm NN's. A default that no layer can run with (Arm NN's strides
and pool sizes of 0) is 1 here.
"""

from __future__ import annotations

from armnn_py.descriptors.arithmetic import (
    ActivationDescriptor,
    ArgMinMaxDescriptor,
    BatchMatMulDescriptor,
    BatchNormalizationDescriptor,
    ComparisonDescriptor,
    ElementwiseBinaryDescriptor,
    ElementwiseUnaryDescriptor,
    FakeQuantizationDescriptor,
    FullyConnectedDescriptor,
    InstanceNormalizationDescriptor,
    L2NormalizationDescriptor,
    LogicalBinaryDescriptor,
    MeanDescriptor,
    NormalizationDescriptor,
    ReduceDescriptor,
    SoftmaxDescriptor,
)
from armnn_py.descriptors.base import (
    Descriptor,
    View,
)
from armnn_py.descriptors.movement import (
    BroadcastToDescriptor,
    ChannelShuffleDescriptor,
    ConcatDescriptor,
    FillDescriptor,
    GatherDescriptor,
    PadDescriptor,
    PermuteDescriptor,
    ReshapeDescriptor,
    ScatterNdDescriptor,
    SliceDescriptor,
    SplitterDescriptor,
    StackDescriptor,
    StridedSliceDescriptor,
    TileDescriptor,
)
from armnn_py.descriptors.spatial import (
    BatchToSpaceNdDescriptor,
    Convolution2dDescriptor,
    Convolution3dDescriptor,
    DepthwiseConvolution2dDescriptor,
    Pooling2dDescriptor,
    Pooling3dDescriptor,
    ResizeDescriptor,
    SpaceDepthDescriptor,
    SpaceToBatchNdDescriptor,
    TransposeConvolution2dDescriptor,
)
from armnn_py.descriptors.special import (
    DetectionPostProcessDescriptor,
    FusedDescriptor,
    LstmDescriptor,
    PreCompiledDescriptor,
    QLstmDescriptor,
    StandInDescriptor,
)
from armnn_py.types import LayerType

__all__ = [
    "DESCRIPTOR_OF",
    "ActivationDescriptor",
    "ArgMinMaxDescriptor",
    "BatchMatMulDescriptor",
    "BatchNormalizationDescriptor",
    "BatchToSpaceNdDescriptor",
    "BroadcastToDescriptor",
    "ChannelShuffleDescriptor",
    "ComparisonDescriptor",
    "ConcatDescriptor",
    "Convolution2dDescriptor",
    "Convolution3dDescriptor",
    "DepthwiseConvolution2dDescriptor",
    "Descriptor",
    "DetectionPostProcessDescriptor",
    "ElementwiseBinaryDescriptor",
    "ElementwiseUnaryDescriptor",
    "FakeQuantizationDescriptor",
    "FillDescriptor",
    "FullyConnectedDescriptor",
    "FusedDescriptor",
    "GatherDescriptor",
    "InstanceNormalizationDescriptor",
    "L2NormalizationDescriptor",
    "LogicalBinaryDescriptor",
    "LstmDescriptor",
    "MeanDescriptor",
    "NormalizationDescriptor",
    "PadDescriptor",
    "PermuteDescriptor",
    "Pooling2dDescriptor",
    "Pooling3dDescriptor",
    "PreCompiledDescriptor",
    "QLstmDescriptor",
    "ReduceDescriptor",
    "ReshapeDescriptor",
    "ResizeDescriptor",
    "ScatterNdDescriptor",
    "SliceDescriptor",
    "SoftmaxDescriptor",
    "SpaceDepthDescriptor",
    "SpaceToBatchNdDescriptor",
    "SplitterDescriptor",
    "StackDescriptor",
    "StandInDescriptor",
    "StridedSliceDescriptor",
    "TileDescriptor",
    "TransposeConvolution2dDescriptor",
    "View",
]

DESCRIPTOR_OF: dict[LayerType, type[Descriptor] | None] = {
    layer_type: None for layer_type in LayerType
}
"""The descriptor of each layer type; ``None`` for those without parameters."""

for _class in (
    ActivationDescriptor,
    ArgMinMaxDescriptor,
    BatchMatMulDescriptor,
    BatchNormalizationDescriptor,
    BatchToSpaceNdDescriptor,
    BroadcastToDescriptor,
    ChannelShuffleDescriptor,
    ComparisonDescriptor,
    ConcatDescriptor,
    Convolution2dDescriptor,
    Convolution3dDescriptor,
    DepthwiseConvolution2dDescriptor,
    DetectionPostProcessDescriptor,
    ElementwiseBinaryDescriptor,
    ElementwiseUnaryDescriptor,
    FakeQuantizationDescriptor,
    FillDescriptor,
    FullyConnectedDescriptor,
    FusedDescriptor,
    GatherDescriptor,
    InstanceNormalizationDescriptor,
    L2NormalizationDescriptor,
    LogicalBinaryDescriptor,
    LstmDescriptor,
    MeanDescriptor,
    NormalizationDescriptor,
    PadDescriptor,
    PermuteDescriptor,
    Pooling2dDescriptor,
    Pooling3dDescriptor,
    PreCompiledDescriptor,
    QLstmDescriptor,
    ReduceDescriptor,
    ReshapeDescriptor,
    ResizeDescriptor,
    ScatterNdDescriptor,
    SliceDescriptor,
    SoftmaxDescriptor,
    SpaceDepthDescriptor,
    SpaceToBatchNdDescriptor,
    SplitterDescriptor,
    StackDescriptor,
    StandInDescriptor,
    StridedSliceDescriptor,
    TileDescriptor,
    TransposeConvolution2dDescriptor,
):
    for _layer_type in _class.layer_types:
        DESCRIPTOR_OF[_layer_type] = _class
del _class, _layer_type
