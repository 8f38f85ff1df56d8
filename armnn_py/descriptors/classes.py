# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
# fmt: off
"""Parameters of layers: one frozen struct for each descriptor of the C headers.

Generated from ``schema`` by ``python scripts/generate_layers.py``; do not edit.
"""

from __future__ import annotations

from typing import ClassVar

from armnn_py.descriptors import checks
from armnn_py.descriptors.base import (
    Attributes,
    Axes,
    Axis,
    Count,
    Counts,
    Descriptor,
    Offsets,
    OptionalDim,
    Positive,
    Positives,
    Sizes,
    Views,
)
from armnn_py.descriptors.compiled import PreCompiledDescriptor
from armnn_py.types import (
    ActivationFunction,
    ArgMinMaxFunction,
    BinaryOperation,
    ComparisonOperation,
    DataLayout,
    DataType,
    FusedKernelType,
    LayerType,
    LogicalBinaryOperation,
    NormalizationAlgorithmChannel,
    NormalizationAlgorithmMethod,
    OutputShapeRounding,
    PaddingMethod,
    PaddingMode,
    PoolingAlgorithm,
    RandomDistribution,
    RecurrentDirection,
    ReduceOperation,
    Rescaling,
    ResizeMethod,
    RowRounding,
    ScatterNdFunction,
    UnaryOperation,
)

__all__ = [
    "DESCRIPTOR_OF",
    "ActivationDescriptor",
    "ArgMinMaxDescriptor",
    "AttentionDescriptor",
    "BatchMatMulDescriptor",
    "BatchNormalizationDescriptor",
    "BatchToSpaceNdDescriptor",
    "BroadcastToDescriptor",
    "ChannelShuffleDescriptor",
    "ComparisonDescriptor",
    "ConcatDescriptor",
    "Convolution2dDescriptor",
    "Convolution3dDescriptor",
    "CumSumDescriptor",
    "DepthwiseConvolution2dDescriptor",
    "DequantizeBlocksDescriptor",
    "DetectionPostProcessDescriptor",
    "DynamicQuantizeDescriptor",
    "ElementwiseBinaryDescriptor",
    "ElementwiseUnaryDescriptor",
    "FakeQuantizationDescriptor",
    "FillDescriptor",
    "FullyConnectedDescriptor",
    "FusedDescriptor",
    "GatherDescriptor",
    "GruDescriptor",
    "InstanceNormalizationDescriptor",
    "L2NormalizationDescriptor",
    "LayerNormalizationDescriptor",
    "LogicalBinaryDescriptor",
    "LstmDescriptor",
    "MeanDescriptor",
    "NonMaxSuppressionDescriptor",
    "NormalizationDescriptor",
    "OneHotDescriptor",
    "PadDescriptor",
    "PermuteDescriptor",
    "Pooling2dDescriptor",
    "Pooling3dDescriptor",
    "PreCompiledDescriptor",
    "QLstmDescriptor",
    "RandomDescriptor",
    "ReduceDescriptor",
    "ReshapeDescriptor",
    "ResizeDescriptor",
    "RmsNormalizationDescriptor",
    "RnnDescriptor",
    "RotaryEmbeddingDescriptor",
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
    "TopKDescriptor",
    "TransposeConvolution2dDescriptor",
]


class ActivationDescriptor(Descriptor, frozen=True):
    """Parameters of Activation.

    Each function says the meaning of its ``a`` and ``b``.
    """

    function: ActivationFunction = ActivationFunction.SIGMOID
    a: float = 0.0
    b: float = 0.0
    rescaling: Rescaling = Rescaling.FIXED_POINT  #: [armnn_py] of a quantised layer

    layer_types: ClassVar = (LayerType.ACTIVATION,)


class ArgMinMaxDescriptor(Descriptor, frozen=True):
    """ArgMinMax: finds the index of the least or greatest element along an axis; ties go to the
    lower index.
    """

    function: ArgMinMaxFunction = ArgMinMaxFunction.MIN
    axis: Axis = -1
    output_type: DataType = DataType.SIGNED32  #: SIGNED32 or SIGNED64

    layer_types: ClassVar = (LayerType.ARG_MIN_MAX,)
    roles: ClassVar = {"axis": "axis"}

    def _check(self) -> None:
        checks.check_arg_min_max(self)


class AttentionDescriptor(Descriptor, frozen=True):
    """Attention: weights values by the softmax of the products of queries and keys (ONNX's
    Attention).
    """

    scale: float = 1.0  #: of the products of queries and keys
    softcap: float = 0.0  #: c tanh(score / c) bounds scores; 0: not
    causal: bool = False  #: a query sees no keys behind its own position, the last query all of them

    layer_types: ClassVar = (LayerType.ATTENTION,)


class BatchMatMulDescriptor(Descriptor, frozen=True):
    """BatchMatMul: multiplies the matrices of the last two dimensions; the others broadcast, as
    numpy.matmul.
    """

    transpose_x: bool = False  #: the last two dimensions are swapped first
    transpose_y: bool = False  #: the last two dimensions are swapped first
    adjoint_x: bool = False  #: the same, of square matrices; not both
    adjoint_y: bool = False  #: the same, of square matrices; not both
    data_layout_x: DataLayout = DataLayout.NCHW  #: NCHW or NCDHW, alike: rows, columns last
    data_layout_y: DataLayout = DataLayout.NCHW  #: NCHW or NCDHW, alike: rows, columns last
    rescaling: Rescaling = Rescaling.FIXED_POINT  #: [armnn_py] of a quantised layer

    layer_types: ClassVar = (LayerType.BATCH_MAT_MUL,)

    def _check(self) -> None:
        checks.check_batch_mat_mul(self)


class BatchNormalizationDescriptor(Descriptor, frozen=True):
    """BatchNormalization: normalises each channel by a given mean and variance, then scales and
    shifts it.
    """

    eps: float = 0.0001
    data_layout: DataLayout = DataLayout.NCHW

    layer_types: ClassVar = (LayerType.BATCH_NORMALIZATION,)


class BatchToSpaceNdDescriptor(Descriptor, frozen=True):
    """BatchToSpaceNd: moves blocks of the batch dimension into the spatial dimensions, then crops
    (TensorFlow's definition).
    """

    block_shape: Positives = (1, 1)
    crop_before: Counts = (0, 0)
    crop_after: Counts = (0, 0)
    data_layout: DataLayout = DataLayout.NCHW

    layer_types: ClassVar = (LayerType.BATCH_TO_SPACE_ND,)
    length_member: ClassVar = "block_rank"

    def _check(self) -> None:
        checks.check_batch_to_space_nd(self)


class BroadcastToDescriptor(Descriptor, frozen=True):
    """BroadcastTo: repeats dimensions of size 1, as numpy.broadcast_to."""

    target_shape: Sizes = ()

    layer_types: ClassVar = (LayerType.BROADCAST_TO,)
    length_member: ClassVar = "rank"
    roles: ClassVar = {"target_shape": "each"}


class ChannelShuffleDescriptor(Descriptor, frozen=True):
    """ChannelShuffle: mixes groups of channels (Android NNAPI's definition)."""

    group_count: Positive = 1
    axis: Count = 0

    layer_types: ClassVar = (LayerType.CHANNEL_SHUFFLE,)
    roles: ClassVar = {"axis": "axis"}


class ComparisonDescriptor(Descriptor, frozen=True):
    """Comparison: compares two tensors element by element."""

    operation: ComparisonOperation = ComparisonOperation.EQUAL

    layer_types: ClassVar = (LayerType.COMPARISON,)


class ConcatDescriptor(Descriptor, frozen=True):
    """Concat: joins tensors along one axis: input i fills views[i] of the output."""

    axis: Count = 0
    views: Views = ()

    layer_types: ClassVar = (LayerType.CONCAT,)
    length_member: ClassVar = "view_count"
    roles: ClassVar = {"axis": "axis", "views": "views"}


class Convolution2dDescriptor(Descriptor, frozen=True):
    """Parameters of Convolution2d.

    Weights are NCHW [O, I / groups, H, W] or NHWC [O, H, W, I / groups]. Output (y, x) of channel o
    is bias[o] plus the sum over inputs i of its group and places (ky, kx) of weights[o][i][ky][kx]
    times input (y * stride_y + ky * dilation_y - pad_top, x * stride_x + kx * dilation_x -
    pad_left), which is 0 outside. There are (H + pad_top + pad_bottom - dilation_y * (kernel_h - 1)
    - 1) / stride_y + 1 rows, rounded down; columns likewise.
    """

    pad_left: Count = 0
    pad_right: Count = 0
    pad_top: Count = 0
    pad_bottom: Count = 0
    stride_x: Positive = 1
    stride_y: Positive = 1
    dilation_x: Positive = 1
    dilation_y: Positive = 1
    bias_enabled: bool = False
    data_layout: DataLayout = DataLayout.NCHW
    groups: Positive = 1  #: [armnn_py] 1 = dense
    rescaling: Rescaling = Rescaling.FIXED_POINT  #: [armnn_py] of a quantised layer

    layer_types: ClassVar = (LayerType.CONVOLUTION2D,)

    def _check(self) -> None:
        checks.check_layout(self, self.data_layout, 4)


class Convolution3dDescriptor(Descriptor, frozen=True):
    """Parameters of Convolution3d.

    Weights are [D, H, W, I, O].
    """

    pad_left: Count = 0
    pad_right: Count = 0
    pad_top: Count = 0
    pad_bottom: Count = 0
    pad_front: Count = 0
    pad_back: Count = 0
    stride_x: Positive = 1
    stride_y: Positive = 1
    stride_z: Positive = 1
    dilation_x: Positive = 1
    dilation_y: Positive = 1
    dilation_z: Positive = 1
    bias_enabled: bool = False
    data_layout: DataLayout = DataLayout.NDHWC

    layer_types: ClassVar = (LayerType.CONVOLUTION3D,)

    def _check(self) -> None:
        checks.check_layout(self, self.data_layout, 5)


class CumSumDescriptor(Descriptor, frozen=True):
    """CumSum: sums up along an axis, as numpy.cumsum."""

    axis: Axis = 0
    exclusive: bool = False  #: element i is the sum of those before it
    reverse: bool = False  #: from the end

    layer_types: ClassVar = (LayerType.CUM_SUM,)
    roles: ClassVar = {"axis": "axis"}


class DepthwiseConvolution2dDescriptor(Descriptor, frozen=True):
    """Parameters of DepthwiseConvolution2d.

    Weights are [1, H, W, I * M] in both layouts.
    """

    pad_left: Count = 0
    pad_right: Count = 0
    pad_top: Count = 0
    pad_bottom: Count = 0
    stride_x: Positive = 1
    stride_y: Positive = 1
    dilation_x: Positive = 1
    dilation_y: Positive = 1
    bias_enabled: bool = False
    data_layout: DataLayout = DataLayout.NCHW
    rescaling: Rescaling = Rescaling.FIXED_POINT  #: [armnn_py] of a quantised layer

    layer_types: ClassVar = (LayerType.DEPTHWISE_CONVOLUTION2D,)

    def _check(self) -> None:
        checks.check_layout(self, self.data_layout, 4)


class DequantizeBlocksDescriptor(Descriptor, frozen=True):
    """DequantizeBlocks: makes real numbers of levels that are quantised in blocks along an axis:
    (input - zero_points) * scales (ONNX's DequantizeLinear with a block_size).
    """

    axis: Axis = -1  #: the dimension that is cut in blocks
    block_size: Positive = 32  #: elements of a block

    layer_types: ClassVar = (LayerType.DEQUANTIZE_BLOCKS,)
    roles: ClassVar = {"axis": "axis"}


class DetectionPostProcessDescriptor(Descriptor, frozen=True):
    """DetectionPostProcess: decodes boxes against anchors and keeps the best by non-maximum
    suppression (TensorFlow Lite's definition).
    """

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


class DynamicQuantizeDescriptor(Descriptor, frozen=True):
    """DynamicQuantize: quantises real numbers by the range that they have (ONNX's
    DynamicQuantizeLinear; symmetric as in TensorFlow Lite's hybrid layers).
    """

    rows: bool = False  #: each row (last dimension) has a scale of its own, else the tensor has one
    symmetric: bool = False  #: levels from -127 to 127 of int8 around 0, else 0 to 255 of uint8 from the least to the greatest

    layer_types: ClassVar = (LayerType.DYNAMIC_QUANTIZE,)


class ElementwiseBinaryDescriptor(Descriptor, frozen=True):
    """ElementwiseBinary: computes a function of two tensors."""

    operation: BinaryOperation = BinaryOperation.ADD
    rescaling: Rescaling = Rescaling.FIXED_POINT  #: [armnn_py] of a quantised layer

    layer_types: ClassVar = (LayerType.ELEMENTWISE_BINARY,)


class ElementwiseUnaryDescriptor(Descriptor, frozen=True):
    """ElementwiseUnary: computes a function of each element."""

    operation: UnaryOperation = UnaryOperation.ABS

    layer_types: ClassVar = (LayerType.ELEMENTWISE_UNARY,)


class FakeQuantizationDescriptor(Descriptor, frozen=True):
    """FakeQuantization: rounds real numbers to the 256 steps between two bounds."""

    min: float = -6.0
    max: float = 6.0

    layer_types: ClassVar = (LayerType.FAKE_QUANTIZATION,)

    def _check(self) -> None:
        checks.check_fake_quantization(self)


class FillDescriptor(Descriptor, frozen=True):
    """Fill: makes a tensor of one value; the output's info carries the shape."""

    value: float = 0.0

    layer_types: ClassVar = (LayerType.FILL,)


class FullyConnectedDescriptor(Descriptor, frozen=True):
    """Parameters of FullyConnected.

    Weights are [I, O], or [O, I] with ``transpose_weight_matrix``. The input is flattened behind
    its first dimension unless its last dimension is I already.
    """

    bias_enabled: bool = False
    transpose_weight_matrix: bool = False
    constant_weights: bool = True  #: as stated; ARMNN_TENSOR_CONSTANT of the weights says what is so
    rescaling: Rescaling = Rescaling.FIXED_POINT  #: [armnn_py] of a quantised layer

    layer_types: ClassVar = (LayerType.FULLY_CONNECTED,)


class FusedDescriptor(Descriptor, frozen=True):
    """Fused: runs several layers in one kernel; comes out of a backend's optimisation."""

    input_count: Count = 0
    output_count: Count = 0
    fused_kernel_type: FusedKernelType = FusedKernelType.ADD_MUL_ADD

    layer_types: ClassVar = (LayerType.FUSED,)


class GatherDescriptor(Descriptor, frozen=True):
    """Gather: picks slices along an axis by index."""

    axis: Axis = 0

    layer_types: ClassVar = (LayerType.GATHER,)
    roles: ClassVar = {"axis": "axis"}


class GruDescriptor(Descriptor, frozen=True):
    """Parameters of Gru.

    D directions, batch N, T steps, input size I, hidden size H; gates in the order update, reset,
    new. input [T, N, I], input_weights [D, 3 H, I], recurrent_weights [D, 3 H, H], biases [D, 3 H],
    hidden_state [D, N, H], sequence_lengths [N], output [T, D, N, H].
    """

    direction: RecurrentDirection = RecurrentDirection.FORWARD
    linear_before_reset: bool = False  #: the reset gate multiplies the product, not the state
    clip: float = 0.0  #: bound of what enters the functions; 0: none

    layer_types: ClassVar = (LayerType.GRU,)


class InstanceNormalizationDescriptor(Descriptor, frozen=True):
    """InstanceNormalization: normalises each channel of each image by its own mean and variance."""

    gamma: float = 1.0
    beta: float = 0.0
    eps: float = 1e-12
    data_layout: DataLayout = DataLayout.NCHW

    layer_types: ClassVar = (LayerType.INSTANCE_NORMALIZATION,)


class L2NormalizationDescriptor(Descriptor, frozen=True):
    """L2Normalization: divides each pixel by the L2 norm of its channels."""

    eps: float = 1e-12
    data_layout: DataLayout = DataLayout.NCHW

    layer_types: ClassVar = (LayerType.L2_NORMALIZATION,)


class LayerNormalizationDescriptor(Descriptor, frozen=True):
    """LayerNormalization: normalises by mean and variance over the dimensions from an axis on, then
    multiplies by gamma and adds beta (ONNX's LayerNormalization).
    """

    axis: Axis = -1  #: the first of the dimensions that share a mean
    eps: float = 1e-05

    layer_types: ClassVar = (LayerType.LAYER_NORMALIZATION,)
    roles: ClassVar = {"axis": "axis"}


class LogicalBinaryDescriptor(Descriptor, frozen=True):
    """LogicalBinary: combines two boolean tensors."""

    operation: LogicalBinaryOperation = LogicalBinaryOperation.AND

    layer_types: ClassVar = (LayerType.LOGICAL_BINARY,)


class LstmDescriptor(Descriptor, frozen=True):
    """Parameters of Lstm and UnidirectionalSequenceLstm."""

    activation_function: Count = 1  #: 0 none, 1 ReLU, 3 ReLU6, 4 tanh, 6 sigmoid
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
    row_rounding: RowRounding = RowRounding.NONE  #: of input, output state and what is projected, of real numbers, in each step

    layer_types: ClassVar = (LayerType.LSTM, LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM)


class MeanDescriptor(Descriptor, frozen=True):
    """Mean: averages over axes; no axes means all."""

    keep_dims: bool = False
    axes: Axes = ()

    layer_types: ClassVar = (LayerType.MEAN,)
    length_member: ClassVar = "axis_count"
    roles: ClassVar = {"axes": "axes"}


class NonMaxSuppressionDescriptor(Descriptor, frozen=True):
    """NonMaxSuppression: keeps the best boxes of each class, and of those that share too much the
    best (ONNX's NonMaxSuppression).
    """

    max_output_boxes: Count = 0  #: of each class
    iou_threshold: float = 0.0  #: a greater share suppresses
    score_threshold: float = 0.0  #: boxes with a greater score take part
    has_score_threshold: bool = False  #: else all boxes take part
    center_point_box: bool = False  #: boxes are (x, y, width, height), else two corners
    soft_nms_sigma: float = 0.0  #: above 0: a kept box softens the scores of others by exp(-share^2 / (2 sigma))

    layer_types: ClassVar = (LayerType.NON_MAX_SUPPRESSION,)

    def _check(self) -> None:
        checks.check_non_max_suppression(self)


class NormalizationDescriptor(Descriptor, frozen=True):
    """Normalization: normalises by a neighbourhood of channels or pixels (local response
    normalisation).
    """

    channel: NormalizationAlgorithmChannel = NormalizationAlgorithmChannel.ACROSS
    method: NormalizationAlgorithmMethod = NormalizationAlgorithmMethod.LOCAL_BRIGHTNESS
    norm_size: Count = 0
    alpha: float = 0.0
    beta: float = 0.0
    k: float = 0.0
    data_layout: DataLayout = DataLayout.NCHW

    layer_types: ClassVar = (LayerType.NORMALIZATION,)


class OneHotDescriptor(Descriptor, frozen=True):
    """OneHot: makes a new axis that holds on_value where an index says and off_value elsewhere;
    negative indices count from the end.
    """

    depth: Count = 0
    axis: Axis = -1  #: of the output

    layer_types: ClassVar = (LayerType.ONE_HOT,)
    roles: ClassVar = {"axis": "axis"}


class PadDescriptor(Descriptor, frozen=True):
    """Pad: puts elements around a tensor; `value` is the number that is stored, also in a quantised
    tensor.
    """

    padding_mode: PaddingMode = PaddingMode.CONSTANT
    pad_before: Counts = ()
    pad_after: Counts = ()
    value: float = 0.0

    layer_types: ClassVar = (LayerType.PAD,)
    length_member: ClassVar = "rank"
    roles: ClassVar = {"pad_before": "each", "pad_after": "each"}

    def _check(self) -> None:
        checks.check_pad(self)


class PermuteDescriptor(Descriptor, frozen=True):
    """Parameters of Permute and Transpose."""

    mappings: Counts = ()

    layer_types: ClassVar = (LayerType.PERMUTE, LayerType.TRANSPOSE)
    length_member: ClassVar = "rank"
    roles: ClassVar = {"mappings": "each"}

    def _check(self) -> None:
        checks.check_permute(self)


class Pooling2dDescriptor(Descriptor, frozen=True):
    """Pooling2d: takes the maximum, average or L2 norm of windows of an image."""

    pool_type: PoolingAlgorithm = PoolingAlgorithm.MAX
    pad_left: Count = 0
    pad_right: Count = 0
    pad_top: Count = 0
    pad_bottom: Count = 0
    pool_width: Positive = 1
    pool_height: Positive = 1
    stride_x: Positive = 1
    stride_y: Positive = 1
    output_shape_rounding: OutputShapeRounding = OutputShapeRounding.FLOOR
    padding_method: PaddingMethod = PaddingMethod.EXCLUDE
    data_layout: DataLayout = DataLayout.NCHW
    dilation_x: Positive = 1  #: [armnn_py] 0 or 1 = none
    dilation_y: Positive = 1  #: [armnn_py] 0 or 1 = none
    rescaling: Rescaling = Rescaling.FIXED_POINT  #: [armnn_py] of a quantised layer

    layer_types: ClassVar = (LayerType.POOLING2D,)

    def _check(self) -> None:
        checks.check_layout(self, self.data_layout, 4)


class Pooling3dDescriptor(Descriptor, frozen=True):
    """Pooling3d: takes the maximum, average or L2 norm of windows of a volume."""

    pool_type: PoolingAlgorithm = PoolingAlgorithm.MAX
    pad_left: Count = 0
    pad_right: Count = 0
    pad_top: Count = 0
    pad_bottom: Count = 0
    pad_front: Count = 0
    pad_back: Count = 0
    pool_width: Positive = 1
    pool_height: Positive = 1
    pool_depth: Positive = 1
    stride_x: Positive = 1
    stride_y: Positive = 1
    stride_z: Positive = 1
    output_shape_rounding: OutputShapeRounding = OutputShapeRounding.FLOOR
    padding_method: PaddingMethod = PaddingMethod.EXCLUDE
    data_layout: DataLayout = DataLayout.NCDHW

    layer_types: ClassVar = (LayerType.POOLING3D,)

    def _check(self) -> None:
        checks.check_layout(self, self.data_layout, 5)


class QLstmDescriptor(Descriptor, frozen=True):
    """QLstm: runs one step of a quantised long short-term memory cell (Android NNAPI's definition).
    """

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


class RandomDescriptor(Descriptor, frozen=True):
    """Random: makes random numbers, as many as the input has elements, whose values are not looked
    at.
    """

    distribution: RandomDistribution = RandomDistribution.UNIFORM
    stream: Count = 0  #: tells layers with one state apart

    layer_types: ClassVar = (LayerType.RANDOM,)


class ReduceDescriptor(Descriptor, frozen=True):
    """Reduce: reduces axes by sum, maximum, mean, minimum or product; no axes means all."""

    operation: ReduceOperation = ReduceOperation.SUM
    keep_dims: bool = False
    axes: Axes = ()
    rescaling: Rescaling = Rescaling.FIXED_POINT  #: [armnn_py] of a quantised layer

    layer_types: ClassVar = (LayerType.REDUCE,)
    length_member: ClassVar = "axis_count"
    roles: ClassVar = {"axes": "axes"}


class ReshapeDescriptor(Descriptor, frozen=True):
    """Reshape: gives the elements another shape."""

    target_shape: Sizes = ()

    layer_types: ClassVar = (LayerType.RESHAPE,)
    length_member: ClassVar = "rank"
    roles: ClassVar = {"target_shape": "each"}


class ResizeDescriptor(Descriptor, frozen=True):
    """Parameters of Resize.

    With s = input size / output size (align_corners: (in - 1) / (out - 1) where out > 1), output
    position o reads input position

    - bilinear: o * s; half_pixel_centers: (o + 0.5) * s - 0.5, clamped to the image
    - nearest: floor(o * s); align_corners: round half up of o * s;
      half_pixel_centers, also with align_corners: floor((o + 0.5) * s); always clamped to the image
    """

    target_width: Positive = 1
    target_height: Positive = 1
    method: ResizeMethod = ResizeMethod.NEAREST_NEIGHBOR
    data_layout: DataLayout = DataLayout.NCHW
    align_corners: bool = False
    half_pixel_centers: bool = False

    layer_types: ClassVar = (LayerType.RESIZE,)

    def _check(self) -> None:
        checks.check_layout(self, self.data_layout, 4)


class RmsNormalizationDescriptor(Descriptor, frozen=True):
    """RmsNormalization: divides by the root of the mean square over the dimensions from an axis on,
    then multiplies by gamma (ONNX's RMSNormalization).
    """

    axis: Axis = -1  #: the first of the dimensions that share a mean
    eps: float = 1e-05

    layer_types: ClassVar = (LayerType.RMS_NORMALIZATION,)
    roles: ClassVar = {"axis": "axis"}


class RnnDescriptor(Descriptor, frozen=True):
    """Parameters of Rnn.

    As Gru with one gate: input [T, N, I], input_weights [D, H, I], recurrent_weights [D, H, H],
    biases [D, H], hidden_state [D, N, H], sequence_lengths [N], output [T, D, N, H].
    """

    direction: RecurrentDirection = RecurrentDirection.FORWARD
    function: ActivationFunction = ActivationFunction.TANH
    a: float = 1.0
    b: float = 1.0
    clip: float = 0.0  #: bound of what enters the function; 0: none
    row_rounding: RowRounding = RowRounding.NONE  #: of input and state in each step

    layer_types: ClassVar = (LayerType.RNN,)


class RotaryEmbeddingDescriptor(Descriptor, frozen=True):
    """RotaryEmbedding: turns pairs of numbers of the last dimension by angles: (a, b) becomes (a
    cos - b sin, b cos + a sin) (ONNX's RotaryEmbedding).
    """

    interleaved: bool = False  #: the numbers of a pair follow each other; else they are half of all paired numbers apart

    layer_types: ClassVar = (LayerType.ROTARY_EMBEDDING,)


class ScatterNdDescriptor(Descriptor, frozen=True):
    """Parameters of ScatterNd.

    The first operand is the input, or a shape when not ``input_enabled``.
    """

    function: ScatterNdFunction = ScatterNdFunction.UPDATE
    input_enabled: bool = True
    axis: Axis = 0
    axis_enabled: bool = False

    layer_types: ClassVar = (LayerType.SCATTER_ND,)
    roles: ClassVar = {"axis": "axis"}


class SliceDescriptor(Descriptor, frozen=True):
    """Slice: cuts out a box."""

    begin: Sizes = ()
    size: Sizes = ()

    layer_types: ClassVar = (LayerType.SLICE,)
    length_member: ClassVar = "rank"
    roles: ClassVar = {"begin": "each", "size": "each"}

    def _check(self) -> None:
        checks.check_slice(self)


class SoftmaxDescriptor(Descriptor, frozen=True):
    """Parameters of LogSoftmax and Softmax."""

    beta: float = 1.0
    axis: Axis = -1

    layer_types: ClassVar = (LayerType.LOG_SOFTMAX, LayerType.SOFTMAX)
    roles: ClassVar = {"axis": "axis"}


class SpaceDepthDescriptor(Descriptor, frozen=True):
    """Parameters of DepthToSpace and SpaceToDepth."""

    block_size: Positive = 1
    data_layout: DataLayout = DataLayout.NHWC

    layer_types: ClassVar = (LayerType.DEPTH_TO_SPACE, LayerType.SPACE_TO_DEPTH)

    def _check(self) -> None:
        checks.check_layout(self, self.data_layout, 4)


class SpaceToBatchNdDescriptor(Descriptor, frozen=True):
    """SpaceToBatchNd: pads, then moves blocks of the spatial dimensions into the batch dimension
    (TensorFlow's definition).
    """

    block_shape: Positives = (1, 1)
    pad_before: Counts = (0, 0)
    pad_after: Counts = (0, 0)
    data_layout: DataLayout = DataLayout.NCHW

    layer_types: ClassVar = (LayerType.SPACE_TO_BATCH_ND,)
    length_member: ClassVar = "block_rank"

    def _check(self) -> None:
        checks.check_space_to_batch_nd(self)


class SplitterDescriptor(Descriptor, frozen=True):
    """Splitter: cuts a tensor into several: output i is views[i] of the input."""

    axis: OptionalDim = -1  #: -1 when a view is a part of other dimensions, too
    views: Views = ()

    layer_types: ClassVar = (LayerType.SPLITTER,)
    length_member: ClassVar = "view_count"
    roles: ClassVar = {"axis": "optional_axis", "views": "views"}


class StackDescriptor(Descriptor, frozen=True):
    """Stack: joins equal tensors along a new axis."""

    axis: Count = 0
    input_count: Count = 0
    input_shape: Sizes = ()

    layer_types: ClassVar = (LayerType.STACK,)
    length_member: ClassVar = "rank"
    roles: ClassVar = {"axis": "axis", "input_shape": "each"}


class StandInDescriptor(Descriptor, frozen=True):
    """Parameters of StandIn.

    A backend that knows the operator says what its outputs are: infer_stand_in.
    """

    input_count: Count = 0
    output_count: Count = 0
    version: Count = 0  #: of the operator set
    domain: str = ""  #: as the model has it; empty: ONNX's own
    name: str = ""  #: of the operator
    attributes: Attributes = ()

    layer_types: ClassVar = (LayerType.STAND_IN,)
    length_member: ClassVar = "attribute_count"

    def _check(self) -> None:
        checks.check_stand_in(self)


class StridedSliceDescriptor(Descriptor, frozen=True):
    """StridedSlice: cuts with steps (TensorFlow's definition); the host resolves ellipsis and new
    axis, so a backend sees these two masks as zero.
    """

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
    length_member: ClassVar = "rank"
    roles: ClassVar = {"begin": "each", "end": "each", "stride": "each", "begin_mask": "mask", "end_mask": "mask", "shrink_axis_mask": "mask", "ellipsis_mask": "mask", "new_axis_mask": "mask"}

    def _check(self) -> None:
        checks.check_strided_slice(self)


class TileDescriptor(Descriptor, frozen=True):
    """Tile: repeats a tensor, as numpy.tile."""

    multiples: Counts = ()

    layer_types: ClassVar = (LayerType.TILE,)
    length_member: ClassVar = "rank"
    roles: ClassVar = {"multiples": "each"}


class TopKDescriptor(Descriptor, frozen=True):
    """TopK: finds the k greatest or least elements along an axis and their indices; ties go to the
    lower index.
    """

    k: Count = 1
    axis: Axis = -1
    largest: bool = True
    sorted: bool = True  #: false leaves the order open
    output_type: DataType = DataType.SIGNED32  #: of the indices: SIGNED32 or SIGNED64

    layer_types: ClassVar = (LayerType.TOP_K,)
    roles: ClassVar = {"axis": "axis"}

    def _check(self) -> None:
        checks.check_top_k(self)


class TransposeConvolution2dDescriptor(Descriptor, frozen=True):
    """Parameters of TransposeConvolution2d.

    Weights are NCHW [O, I / groups, H, W] or NHWC [O, H, W, I / groups]. An input element at (y, x)
    adds to output (y * stride + ky * dilation - pad).
    """

    pad_left: Count = 0
    pad_right: Count = 0
    pad_top: Count = 0
    pad_bottom: Count = 0
    stride_x: Positive = 1
    stride_y: Positive = 1
    bias_enabled: bool = False
    data_layout: DataLayout = DataLayout.NCHW
    output_shape_enabled: bool = False  #: the output's info rules over the formula
    dilation_x: Positive = 1  #: [armnn_py] 0 or 1 = none
    dilation_y: Positive = 1  #: [armnn_py] 0 or 1 = none
    groups: Positive = 1  #: [armnn_py] 0 or 1 = dense
    rescaling: Rescaling = Rescaling.FIXED_POINT  #: [armnn_py] of a quantised layer

    layer_types: ClassVar = (LayerType.TRANSPOSE_CONVOLUTION2D,)

    def _check(self) -> None:
        checks.check_layout(self, self.data_layout, 4)


DESCRIPTOR_OF: dict[LayerType, type[Descriptor] | None] = {
    LayerType.ACTIVATION: ActivationDescriptor,
    LayerType.ADDITION: None,
    LayerType.ARG_MIN_MAX: ArgMinMaxDescriptor,
    LayerType.BATCH_NORMALIZATION: BatchNormalizationDescriptor,
    LayerType.BATCH_TO_SPACE_ND: BatchToSpaceNdDescriptor,
    LayerType.COMPARISON: ComparisonDescriptor,
    LayerType.CONCAT: ConcatDescriptor,
    LayerType.CONSTANT: None,
    LayerType.CONVERT_FP16_TO_FP32: None,
    LayerType.CONVERT_FP32_TO_FP16: None,
    LayerType.CONVOLUTION2D: Convolution2dDescriptor,
    LayerType.DEBUG: None,
    LayerType.DEPTH_TO_SPACE: SpaceDepthDescriptor,
    LayerType.DEPTHWISE_CONVOLUTION2D: DepthwiseConvolution2dDescriptor,
    LayerType.DEQUANTIZE: None,
    LayerType.DETECTION_POST_PROCESS: DetectionPostProcessDescriptor,
    LayerType.DIVISION: None,
    LayerType.ELEMENTWISE_UNARY: ElementwiseUnaryDescriptor,
    LayerType.FAKE_QUANTIZATION: FakeQuantizationDescriptor,
    LayerType.FILL: FillDescriptor,
    LayerType.FLOOR: None,
    LayerType.FULLY_CONNECTED: FullyConnectedDescriptor,
    LayerType.GATHER: GatherDescriptor,
    LayerType.INPUT: None,
    LayerType.INSTANCE_NORMALIZATION: InstanceNormalizationDescriptor,
    LayerType.L2_NORMALIZATION: L2NormalizationDescriptor,
    LayerType.LOGICAL_BINARY: LogicalBinaryDescriptor,
    LayerType.LOG_SOFTMAX: SoftmaxDescriptor,
    LayerType.LSTM: LstmDescriptor,
    LayerType.QLSTM: QLstmDescriptor,
    LayerType.MAP: None,
    LayerType.MAXIMUM: None,
    LayerType.MEAN: MeanDescriptor,
    LayerType.MEM_COPY: None,
    LayerType.MEM_IMPORT: None,
    LayerType.MERGE: None,
    LayerType.MINIMUM: None,
    LayerType.MULTIPLICATION: None,
    LayerType.NORMALIZATION: NormalizationDescriptor,
    LayerType.OUTPUT: None,
    LayerType.PAD: PadDescriptor,
    LayerType.PERMUTE: PermuteDescriptor,
    LayerType.POOLING2D: Pooling2dDescriptor,
    LayerType.PRE_COMPILED: PreCompiledDescriptor,
    LayerType.PRELU: None,
    LayerType.QUANTIZE: None,
    LayerType.QUANTIZED_LSTM: None,
    LayerType.RESHAPE: ReshapeDescriptor,
    LayerType.RANK: None,
    LayerType.RESIZE: ResizeDescriptor,
    LayerType.REDUCE: ReduceDescriptor,
    LayerType.SLICE: SliceDescriptor,
    LayerType.SOFTMAX: SoftmaxDescriptor,
    LayerType.SPACE_TO_BATCH_ND: SpaceToBatchNdDescriptor,
    LayerType.SPACE_TO_DEPTH: SpaceDepthDescriptor,
    LayerType.SPLITTER: SplitterDescriptor,
    LayerType.STACK: StackDescriptor,
    LayerType.STAND_IN: StandInDescriptor,
    LayerType.STRIDED_SLICE: StridedSliceDescriptor,
    LayerType.SUBTRACTION: None,
    LayerType.SWITCH: None,
    LayerType.TRANSPOSE: PermuteDescriptor,
    LayerType.TRANSPOSE_CONVOLUTION2D: TransposeConvolution2dDescriptor,
    LayerType.UNMAP: None,
    LayerType.CAST: None,
    LayerType.SHAPE: None,
    LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM: LstmDescriptor,
    LayerType.CHANNEL_SHUFFLE: ChannelShuffleDescriptor,
    LayerType.CONVOLUTION3D: Convolution3dDescriptor,
    LayerType.POOLING3D: Pooling3dDescriptor,
    LayerType.GATHER_ND: None,
    LayerType.BATCH_MAT_MUL: BatchMatMulDescriptor,
    LayerType.ELEMENTWISE_BINARY: ElementwiseBinaryDescriptor,
    LayerType.REVERSE_V2: None,
    LayerType.TILE: TileDescriptor,
    LayerType.FUSED: FusedDescriptor,
    LayerType.BROADCAST_TO: BroadcastToDescriptor,
    LayerType.SCATTER_ND: ScatterNdDescriptor,
    LayerType.SELECT: None,
    LayerType.LAYER_NORMALIZATION: LayerNormalizationDescriptor,
    LayerType.RMS_NORMALIZATION: RmsNormalizationDescriptor,
    LayerType.GRU: GruDescriptor,
    LayerType.TOP_K: TopKDescriptor,
    LayerType.CUM_SUM: CumSumDescriptor,
    LayerType.ONE_HOT: OneHotDescriptor,
    LayerType.DYNAMIC_QUANTIZE: DynamicQuantizeDescriptor,
    LayerType.MAT_MUL_INTEGER: None,
    LayerType.DEQUANTIZE_BLOCKS: DequantizeBlocksDescriptor,
    LayerType.RNN: RnnDescriptor,
    LayerType.RANDOM: RandomDescriptor,
    LayerType.ROTARY_EMBEDDING: RotaryEmbeddingDescriptor,
    LayerType.ATTENTION: AttentionDescriptor,
    LayerType.NON_MAX_SUPPRESSION: NonMaxSuppressionDescriptor,
    LayerType.TREE_LEAVES: None,
}
"""The descriptor of each layer type; ``None`` for those without parameters."""
