# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Parameters of recurrent layers, detection, and layers that stand for something opaque."""

from __future__ import annotations

from typing import ClassVar

from armnn_py.descriptors.base import Axis, Count, Descriptor, record
from armnn_py.types import FusedKernelType, LayerType

__all__ = [
    "DetectionPostProcessDescriptor",
    "FusedDescriptor",
    "LstmDescriptor",
    "PreCompiledDescriptor",
    "QLstmDescriptor",
    "StandInDescriptor",
]


@record
class DetectionPostProcessDescriptor(Descriptor):
    """DetectionPostProcess."""

    max_detections: Count = 0
    max_classes_per_detection: Count = 1
    detections_per_class: Count = 1
    nms_score_threshold: float = 0.0
    nms_iou_threshold: float = 0.0
    num_classes: Count = 0
    use_regular_nms: bool = False
    scale_x: float = 0.0
    scale_y: float = 0.0
    scale_w: float = 0.0
    scale_h: float = 0.0

    layer_types: ClassVar = (LayerType.DETECTION_POST_PROCESS,)


@record
class LstmDescriptor(Descriptor):
    """Lstm and UnidirectionalSequenceLstm.

    ``activation_function``: 0 none, 1 ReLU, 3 ReLU6, 4 tanh, 6 sigmoid.
    """

    activation_function: Count = 1
    clipping_threshold_cell: float = 0.0
    clipping_threshold_projection: float = 0.0
    cifg_enabled: bool = True
    peephole_enabled: bool = False
    projection_enabled: bool = False
    layer_norm_enabled: bool = False
    time_major: bool = False
    input_intermediate_scale: float = 0.0
    forget_intermediate_scale: float = 0.0
    cell_intermediate_scale: float = 0.0
    output_intermediate_scale: float = 0.0
    hidden_state_zero_point: Axis = 0
    hidden_state_scale: float = 0.0

    layer_types: ClassVar = (LayerType.LSTM, LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM)


@record
class QLstmDescriptor(Descriptor):
    """QLstm."""

    cell_clip: float = 0.0
    projection_clip: float = 0.0
    cifg_enabled: bool = True
    peephole_enabled: bool = False
    projection_enabled: bool = False
    layer_norm_enabled: bool = False
    input_intermediate_scale: float = 0.0
    forget_intermediate_scale: float = 0.0
    cell_intermediate_scale: float = 0.0
    output_intermediate_scale: float = 0.0
    hidden_state_zero_point: Axis = 0
    hidden_state_scale: float = 0.0

    layer_types: ClassVar = (LayerType.QLSTM,)


@record
class FusedDescriptor(Descriptor):
    """Fused: comes out of a backend's optimisation."""

    input_count: Count = 0
    output_count: Count = 0
    fused_kernel_type: FusedKernelType = FusedKernelType.ADD_MUL_ADD

    layer_types: ClassVar = (LayerType.FUSED,)


@record
class PreCompiledDescriptor(Descriptor):
    """PreCompiled: the blob comes with the workload."""

    input_count: Count = 0
    output_count: Count = 0

    layer_types: ClassVar = (LayerType.PRE_COMPILED,)


@record
class StandInDescriptor(Descriptor):
    """StandIn: marks an operator that no layer expresses."""

    input_count: Count = 0
    output_count: Count = 0

    layer_types: ClassVar = (LayerType.STAND_IN,)
