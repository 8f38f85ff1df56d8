# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Parameters of elementwise layers, reductions, products and normalisations."""

from __future__ import annotations

from typing import ClassVar

from armnn_py.descriptors.base import Axes, Axis, Count, Descriptor, fail, record
from armnn_py.types import (
    ActivationFunction,
    ArgMinMaxFunction,
    BinaryOperation,
    ComparisonOperation,
    DataLayout,
    DataType,
    LayerType,
    LogicalBinaryOperation,
    NormalizationAlgorithmChannel,
    NormalizationAlgorithmMethod,
    ReduceOperation,
    UnaryOperation,
)

__all__ = [
    "ActivationDescriptor",
    "ArgMinMaxDescriptor",
    "BatchMatMulDescriptor",
    "BatchNormalizationDescriptor",
    "ComparisonDescriptor",
    "ElementwiseBinaryDescriptor",
    "ElementwiseUnaryDescriptor",
    "FakeQuantizationDescriptor",
    "FullyConnectedDescriptor",
    "InstanceNormalizationDescriptor",
    "L2NormalizationDescriptor",
    "LogicalBinaryDescriptor",
    "MeanDescriptor",
    "NormalizationDescriptor",
    "ReduceDescriptor",
    "SoftmaxDescriptor",
]


@record
class ActivationDescriptor(Descriptor):
    """Activation: what ``a`` and ``b`` mean is said beside each `ActivationFunction`."""

    function: ActivationFunction = ActivationFunction.SIGMOID
    a: float = 0.0
    b: float = 0.0

    layer_types: ClassVar = (LayerType.ACTIVATION,)


@record
class ArgMinMaxDescriptor(Descriptor):
    """ArgMinMax: the axis vanishes, ties go to the lower index."""

    function: ArgMinMaxFunction = ArgMinMaxFunction.MIN
    axis: Axis = -1
    output_type: DataType = DataType.SIGNED32

    layer_types: ClassVar = (LayerType.ARG_MIN_MAX,)

    def _check(self) -> None:
        if self.output_type not in (DataType.SIGNED32, DataType.SIGNED64):
            fail(self, f"output_type {self.output_type.label} given, signed32 or signed64 expected")


@record
class ComparisonDescriptor(Descriptor):
    """Comparison."""

    operation: ComparisonOperation = ComparisonOperation.EQUAL

    layer_types: ClassVar = (LayerType.COMPARISON,)


@record
class ElementwiseBinaryDescriptor(Descriptor):
    """ElementwiseBinary."""

    operation: BinaryOperation = BinaryOperation.ADD

    layer_types: ClassVar = (LayerType.ELEMENTWISE_BINARY,)


@record
class ElementwiseUnaryDescriptor(Descriptor):
    """ElementwiseUnary."""

    operation: UnaryOperation = UnaryOperation.ABS

    layer_types: ClassVar = (LayerType.ELEMENTWISE_UNARY,)


@record
class LogicalBinaryDescriptor(Descriptor):
    """LogicalBinary."""

    operation: LogicalBinaryOperation = LogicalBinaryOperation.AND

    layer_types: ClassVar = (LayerType.LOGICAL_BINARY,)


@record
class FakeQuantizationDescriptor(Descriptor):
    """FakeQuantization."""

    min: float = -6.0
    max: float = 6.0

    layer_types: ClassVar = (LayerType.FAKE_QUANTIZATION,)

    def _check(self) -> None:
        if not self.min < self.max:
            fail(self, f"min {self.min} given, below max {self.max} expected")


@record
class BatchMatMulDescriptor(Descriptor):
    """BatchMatMul: the last two dimensions multiply, the others broadcast."""

    transpose_x: bool = False
    transpose_y: bool = False
    adjoint_x: bool = False
    adjoint_y: bool = False
    data_layout_x: DataLayout = DataLayout.NCHW
    data_layout_y: DataLayout = DataLayout.NCHW

    layer_types: ClassVar = (LayerType.BATCH_MAT_MUL,)

    def _check(self) -> None:
        if (self.transpose_x and self.adjoint_x) or (self.transpose_y and self.adjoint_y):
            fail(self, "an operand is transposed or adjoint, not both")


@record
class FullyConnectedDescriptor(Descriptor):
    """FullyConnected: weights are [I, O], or [O, I] with ``transpose_weight_matrix``."""

    bias_enabled: bool = False
    transpose_weight_matrix: bool = False
    constant_weights: bool = True

    layer_types: ClassVar = (LayerType.FULLY_CONNECTED,)


@record
class ReduceDescriptor(Descriptor):
    """Reduce: no axes means all."""

    operation: ReduceOperation = ReduceOperation.SUM
    keep_dims: bool = False
    axes: Axes = ()

    layer_types: ClassVar = (LayerType.REDUCE,)


@record
class MeanDescriptor(Descriptor):
    """Mean: no axes means all."""

    keep_dims: bool = False
    axes: Axes = ()

    layer_types: ClassVar = (LayerType.MEAN,)


@record
class SoftmaxDescriptor(Descriptor):
    """Softmax and LogSoftmax."""

    beta: float = 1.0
    axis: Axis = -1

    layer_types: ClassVar = (LayerType.SOFTMAX, LayerType.LOG_SOFTMAX)


@record
class BatchNormalizationDescriptor(Descriptor):
    """BatchNormalization."""

    eps: float = 0.0001
    data_layout: DataLayout = DataLayout.NCHW

    layer_types: ClassVar = (LayerType.BATCH_NORMALIZATION,)


@record
class InstanceNormalizationDescriptor(Descriptor):
    """InstanceNormalization."""

    gamma: float = 1.0
    beta: float = 0.0
    eps: float = 1e-12
    data_layout: DataLayout = DataLayout.NCHW

    layer_types: ClassVar = (LayerType.INSTANCE_NORMALIZATION,)


@record
class L2NormalizationDescriptor(Descriptor):
    """L2Normalization over the channels."""

    eps: float = 1e-12
    data_layout: DataLayout = DataLayout.NCHW

    layer_types: ClassVar = (LayerType.L2_NORMALIZATION,)


@record
class NormalizationDescriptor(Descriptor):
    """Local response normalisation."""

    channel: NormalizationAlgorithmChannel = NormalizationAlgorithmChannel.ACROSS
    method: NormalizationAlgorithmMethod = NormalizationAlgorithmMethod.LOCAL_BRIGHTNESS
    norm_size: Count = 0
    alpha: float = 0.0
    beta: float = 0.0
    k: float = 0.0
    data_layout: DataLayout = DataLayout.NCHW

    layer_types: ClassVar = (LayerType.NORMALIZATION,)
