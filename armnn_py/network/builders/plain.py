# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
# fmt: off
"""Builders of layers whose parameters are those of their descriptor.

Generated from ``schema`` by ``python scripts/generate_layers.py``; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from armnn_py.descriptors import (
    ArgMinMaxDescriptor,
    AttentionDescriptor,
    BatchMatMulDescriptor,
    BatchNormalizationDescriptor,
    ComparisonDescriptor,
    CumSumDescriptor,
    DequantizeBlocksDescriptor,
    DynamicQuantizeDescriptor,
    ElementwiseBinaryDescriptor,
    ElementwiseUnaryDescriptor,
    GatherDescriptor,
    GruDescriptor,
    InstanceNormalizationDescriptor,
    L2NormalizationDescriptor,
    LayerNormalizationDescriptor,
    LogicalBinaryDescriptor,
    MeanDescriptor,
    NonMaxSuppressionDescriptor,
    NormalizationDescriptor,
    OneHotDescriptor,
    PermuteDescriptor,
    RandomDescriptor,
    ReduceDescriptor,
    RmsNormalizationDescriptor,
    RnnDescriptor,
    RotaryEmbeddingDescriptor,
    ScatterNdDescriptor,
    SliceDescriptor,
    SoftmaxDescriptor,
    SpaceDepthDescriptor,
    TileDescriptor,
    TopKDescriptor,
)
from armnn_py.network.builders.arguments import integers
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import Layer, Source
from armnn_py.tensors import TensorInfo
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
    RandomDistribution,
    RecurrentDirection,
    ReduceOperation,
    RowRounding,
    ScatterNdFunction,
    UnaryOperation,
)

__all__ = [
    "PlainBuilders",
]


class PlainBuilders(NetworkCore):
    """Layers whose parameters are plain values; see `Network` for what all builders share.

    Two operands broadcast as in numpy; a plain Python number beside a tensor takes its type.
    """

    __slots__ = ()

    def add_arg_min_max(
        self,
        x: Source,
        function: ArgMinMaxFunction,
        axis: int = -1,
        output_type: DataType = DataType.SIGNED32,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Find the place of an extreme, as numpy.argmin and argmax: Arm NN's ArgMinMax. False is
        less than true.

        Parameters
        ----------
        x
            Numbers of any shape.
        function
            Least or greatest; ties go to the lower index.
        axis
            The dimension that is searched, and vanishes.
        output_type
            ``SIGNED32`` or ``SIGNED64``.

        Returns
        -------
        Layer
            One output of indices.

        Raises
        ------
        LayerValidationError
            The axis does not exist or is empty.
        InvalidArgumentError
            The output type is neither int32 nor int64.
        """
        descriptor = ArgMinMaxDescriptor(function=function, axis=axis, output_type=output_type)
        return self._add(LayerType.ARG_MIN_MAX, [x], descriptor, None, name, backend)

    def add_attention(
        self,
        query: Source,
        key: Source,
        value: Source,
        mask: Source | None = None,
        *,
        scale: float = 1.0,
        softcap: float = 0.0,
        causal: bool = False,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add scaled dot-product attention: ``softmax(scale * query key^T + mask) value``, ONNX's
        Attention.

        Parameters
        ----------
        query
            Real numbers, ``[batch, heads, queries, size]``.
        key, value
            ``[batch, kv_heads, keys, size]`` and ``[batch, kv_heads, keys, columns]``; ``heads``
            is a multiple of ``kv_heads``.
        mask
            ``[.., keys]``: numbers that are added to the scores, or booleans, where false hides
            a key. It broadcasts to ``[batch, heads, queries, keys]``.
        scale
            Factor of the products, often ``size ** -0.5``.
        softcap
            Bounds scores by ``c * tanh(score / c)``; 0 does not.
        causal
            Hide keys behind the position of a query. The last query sees all keys.

        Returns
        -------
        Layer
            One output, ``[batch, heads, queries, columns]``; 0 for a query that sees no keys.

        Raises
        ------
        LayerValidationError
            The operands do not fit together.
        """
        descriptor = AttentionDescriptor(scale=scale, softcap=softcap, causal=causal)
        return self._add(
            LayerType.ATTENTION,
            [query, key, value, mask],
            descriptor,
            None,
            name,
            backend,
        )

    def add_batch_mat_mul(
        self,
        x: Source,
        y: Source,
        *,
        transpose_x: bool = False,
        transpose_y: bool = False,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Multiply matrices, as numpy.matmul: Arm NN's BatchMatMul. Of booleans a sum is or.

        Parameters
        ----------
        x, y
            [..., M, K] and [..., K, N] of one type; the leading dimensions broadcast.
        transpose_x, transpose_y
            Whether the last two dimensions of an operand are swapped first.

        Returns
        -------
        Layer
            One output of [..., M, N].

        Raises
        ------
        LayerValidationError
            The matrices do not multiply.
        """
        descriptor = BatchMatMulDescriptor(transpose_x=transpose_x, transpose_y=transpose_y)
        return self._add(LayerType.BATCH_MAT_MUL, [x, y], descriptor, output_info, name, backend)

    def add_batch_normalization(
        self,
        x: Source,
        mean: Source,
        variance: Source,
        beta: Source,
        gamma: Source,
        *,
        eps: float = 0.0001,
        data_layout: DataLayout = DataLayout.NHWC,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``gamma * (x - mean) / sqrt(variance + eps) + beta``: Arm NN's BatchNormalization.

        Parameters
        ----------
        x
            Rank 2 or more; channels are second (NCHW) or last (NHWC).
        mean, variance, beta, gamma
            A value for each channel: [C].
        eps
            Keeps the divisor above 0.
        data_layout
            Where the channels are.

        Returns
        -------
        Layer
            One output of the input's shape.

        Raises
        ------
        LayerValidationError
            The operands do not fit together.
        """
        descriptor = BatchNormalizationDescriptor(eps=eps, data_layout=data_layout)
        return self._add(
            LayerType.BATCH_NORMALIZATION,
            [x, mean, variance, beta, gamma],
            descriptor,
            output_info,
            name,
            backend,
        )

    def add_comparison(
        self,
        x: Source,
        y: Source,
        operation: ComparisonOperation,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a comparison: Arm NN's Comparison.

        Parameters
        ----------
        x, y
            Elements of one type, of shapes that broadcast.
        operation
            The comparison of each pair.

        Returns
        -------
        Layer
            One boolean output of the broadcast shape.

        Raises
        ------
        LayerValidationError
            Types differ or shapes do not broadcast.
        InvalidArgumentError
            `operation` is not a member of its enumeration.
        """
        descriptor = ComparisonDescriptor(operation=operation)
        return self._add(LayerType.COMPARISON, [x, y], descriptor, None, name, backend)

    def add_cum_sum(
        self,
        x: Source,
        axis: int = 0,
        *,
        exclusive: bool = False,
        reverse: bool = False,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Sum up along an axis, as numpy.cumsum: ONNX's CumSum. Of booleans a sum is or.

        Parameters
        ----------
        x
            Numbers of rank 1 or more.
        axis
            Along which the sums run; negative counts from the end.
        exclusive
            Whether an element is left out of its own sum.
        reverse
            Whether the sums run from the end.

        Returns
        -------
        Layer
            One output of the input's shape and type.

        Raises
        ------
        LayerValidationError
            The axis does not exist.
        """
        descriptor = CumSumDescriptor(axis=axis, exclusive=exclusive, reverse=reverse)
        return self._add(LayerType.CUM_SUM, [x], descriptor, output_info, name, backend)

    def add_depth_to_space(
        self,
        x: Source,
        block_size: int,
        *,
        data_layout: DataLayout = DataLayout.NHWC,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add TensorFlow's DepthToSpace: channels become blocks of pixels.

        Parameters
        ----------
        x
            Images whose channels are a multiple of ``block_size ** 2``.
        block_size
            Side of a block.
        data_layout
            NHWC or NCHW.

        Raises
        ------
        LayerValidationError
            The channels do not divide.
        """
        descriptor = SpaceDepthDescriptor(block_size=block_size, data_layout=data_layout)
        return self._add(LayerType.DEPTH_TO_SPACE, [x], descriptor, None, name, backend)

    def add_dequantize_blocks(
        self,
        x: Source,
        scales: Source,
        zero_points: Source | None = None,
        axis: int = -1,
        block_size: int = 32,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``(x - zero_points) * scales``, each scale for a block of elements along an axis:
        ONNX's DequantizeLinear with a block size.

        Parameters
        ----------
        x
            Levels of 8, 4 or 2 bits without a scale of their own.
        scales
            Float32, the shape of ``x`` with one element for each block along ``axis``.
        zero_points
            Of the type of ``x`` and the shape of ``scales``; 0 without.
        axis
            The dimension that is cut in blocks; negative counts from the end.
        block_size
            Elements of a block; the last one may be shorter.

        Returns
        -------
        Layer
            One float32 output of the input's shape.

        Raises
        ------
        LayerValidationError
            Types or shapes do not fit.
        """
        descriptor = DequantizeBlocksDescriptor(axis=axis, block_size=block_size)
        return self._add(
            LayerType.DEQUANTIZE_BLOCKS,
            [x, scales, zero_points],
            descriptor,
            None,
            name,
            backend,
        )

    def add_dynamic_quantize(
        self,
        x: Source,
        *,
        rows: bool = False,
        symmetric: bool = False,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Quantise by the range that the numbers have in each run: ONNX's DynamicQuantizeLinear.

        Parameters
        ----------
        x
            Float32 of rank 1 or more.
        rows
            Whether each row (the last dimension) has a scale of its own.
        symmetric
            Levels from -127 to 127 around 0, ``QASYMM_S8``, instead of 0 to 255, ``QASYMM_U8``.

        Returns
        -------
        Layer
            Three outputs: levels, scale (float32) and zero point; the last two scalars, or of
            one element for each row.

        Raises
        ------
        LayerValidationError
            The input is not float32.
        """
        descriptor = DynamicQuantizeDescriptor(rows=rows, symmetric=symmetric)
        return self._add(LayerType.DYNAMIC_QUANTIZE, [x], descriptor, None, name, backend)

    def add_elementwise_binary(
        self,
        x: Source,
        y: Source,
        operation: BinaryOperation,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add arithmetic of two operands: Arm NN's ElementwiseBinary.

        Parameters
        ----------
        x, y
            Numbers of one type, of shapes that broadcast.
        operation
            The operation on each pair. Of booleans ADD and MAXIMUM are or, MUL and MINIMUM and;
            BITWISE_XOR and its kind take booleans as well.

        Returns
        -------
        Layer
            One output of the broadcast shape.

        Raises
        ------
        LayerValidationError
            Types differ or shapes do not broadcast, or the operation is not defined for
            booleans.
        InvalidArgumentError
            `operation` is not a member of its enumeration.
        """
        descriptor = ElementwiseBinaryDescriptor(operation=operation)
        return self._add(
            LayerType.ELEMENTWISE_BINARY,
            [x, y],
            descriptor,
            output_info,
            name,
            backend,
        )

    def add_addition(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``x + y``: `add_elementwise_binary` with ``ADD``."""
        descriptor = ElementwiseBinaryDescriptor(operation=BinaryOperation.ADD)
        return self._add(
            LayerType.ELEMENTWISE_BINARY,
            [x, y],
            descriptor,
            output_info,
            name,
            backend,
        )

    def add_subtraction(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``x - y``: `add_elementwise_binary` with ``SUB``."""
        descriptor = ElementwiseBinaryDescriptor(operation=BinaryOperation.SUB)
        return self._add(
            LayerType.ELEMENTWISE_BINARY,
            [x, y],
            descriptor,
            output_info,
            name,
            backend,
        )

    def add_multiplication(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``x * y``: `add_elementwise_binary` with ``MUL``."""
        descriptor = ElementwiseBinaryDescriptor(operation=BinaryOperation.MUL)
        return self._add(
            LayerType.ELEMENTWISE_BINARY,
            [x, y],
            descriptor,
            output_info,
            name,
            backend,
        )

    def add_division(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``x / y``: `add_elementwise_binary` with ``DIV``."""
        descriptor = ElementwiseBinaryDescriptor(operation=BinaryOperation.DIV)
        return self._add(
            LayerType.ELEMENTWISE_BINARY,
            [x, y],
            descriptor,
            output_info,
            name,
            backend,
        )

    def add_maximum(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add the greater of x and y: `add_elementwise_binary` with ``MAXIMUM``."""
        descriptor = ElementwiseBinaryDescriptor(operation=BinaryOperation.MAXIMUM)
        return self._add(
            LayerType.ELEMENTWISE_BINARY,
            [x, y],
            descriptor,
            output_info,
            name,
            backend,
        )

    def add_minimum(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add the lesser of x and y: `add_elementwise_binary` with ``MINIMUM``."""
        descriptor = ElementwiseBinaryDescriptor(operation=BinaryOperation.MINIMUM)
        return self._add(
            LayerType.ELEMENTWISE_BINARY,
            [x, y],
            descriptor,
            output_info,
            name,
            backend,
        )

    def add_squared_difference(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``(x - y) ** 2``: `add_elementwise_binary` with ``SQ_DIFF``."""
        descriptor = ElementwiseBinaryDescriptor(operation=BinaryOperation.SQ_DIFF)
        return self._add(
            LayerType.ELEMENTWISE_BINARY,
            [x, y],
            descriptor,
            output_info,
            name,
            backend,
        )

    def add_power(
        self,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``x ** y``: `add_elementwise_binary` with ``POWER``."""
        descriptor = ElementwiseBinaryDescriptor(operation=BinaryOperation.POWER)
        return self._add(
            LayerType.ELEMENTWISE_BINARY,
            [x, y],
            descriptor,
            output_info,
            name,
            backend,
        )

    def add_elementwise_unary(
        self,
        x: Source,
        operation: UnaryOperation,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add arithmetic of one operand: Arm NN's ElementwiseUnary.

        Parameters
        ----------
        x
            Numbers, or booleans for ``LOGICAL_NOT``, of any shape.
        operation
            The operation on each element.

        Returns
        -------
        Layer
            One output of the input's shape and type.

        Raises
        ------
        LayerValidationError
            The type does not suit the operation.
        InvalidArgumentError
            `operation` is not a member of its enumeration.
        """
        descriptor = ElementwiseUnaryDescriptor(operation=operation)
        return self._add(LayerType.ELEMENTWISE_UNARY, [x], descriptor, output_info, name, backend)

    def add_floor(
        self,
        x: Source,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add rounding down: Arm NN's Floor.

        Parameters
        ----------
        x
            Floating-point numbers of any shape.

        Raises
        ------
        LayerValidationError
            The input is of another type.
        """
        return self._add(LayerType.FLOOR, [x], None, None, name, backend)

    def add_gather(
        self,
        params: Source,
        indices: Source,
        axis: int = 0,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Pick slices by index, as numpy.take: Arm NN's Gather.

        Parameters
        ----------
        params
            The tensor whose elements are picked.
        indices
            ``SIGNED32`` or ``SIGNED64`` of any shape; negative ones count from the end.
        axis
            Along which the indices count.

        Returns
        -------
        Layer
            One output, in whose shape that of the indices replaces ``axis``.

        Raises
        ------
        LayerValidationError
            Indices are not integers, constant indices lie outside, or the axis does not exist.
        """
        descriptor = GatherDescriptor(axis=axis)
        return self._add(LayerType.GATHER, [params, indices], descriptor, None, name, backend)

    def add_gather_nd(
        self,
        params: Source,
        indices: Source,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Pick slices by index vectors: TensorFlow's gather_nd, Arm NN's GatherNd.

        Parameters
        ----------
        params
            The tensor whose elements are picked.
        indices
            ``SIGNED32`` or ``SIGNED64``, [..., k], one index for each of the first k dimensions.

        Returns
        -------
        Layer
            One output of ``indices.shape[:-1] + params.shape[k:]``.

        Raises
        ------
        LayerValidationError
            Indices are no integers, too many, or constant ones lie outside.
        """
        return self._add(LayerType.GATHER_ND, [params, indices], None, None, name, backend)

    def add_gru(
        self,
        x: Source,
        input_weights: Source,
        recurrent_weights: Source,
        input_bias: Source | None = None,
        recurrent_bias: Source | None = None,
        hidden_state: Source | None = None,
        sequence_lengths: Source | None = None,
        *,
        direction: RecurrentDirection = RecurrentDirection.FORWARD,
        linear_before_reset: bool = False,
        clip: float = 0.0,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Run gated recurrent units over a sequence: ONNX's GRU with sigmoid and tanh.

        D directions, batch N, T steps, input size I, hidden size H; gates in the order update,
        reset, new.

        Parameters
        ----------
        x
            [T, N, I].
        input_weights
            [D, 3 H, I].
        recurrent_weights
            [D, 3 H, H].
        input_bias, recurrent_bias
            [D, 3 H].
        hidden_state
            [D, N, H]; zeros without.
        sequence_lengths
            [N], integers; all T without.
        direction
            Forward, reverse, or both.
        linear_before_reset
            Whether the reset gate multiplies the product instead of the state.
        clip
            Bound of what enters the functions; 0 for none.

        Returns
        -------
        Layer
            Two outputs: each step's state, [T, D, N, H], and the last, [D, N, H].

        Raises
        ------
        LayerValidationError
            The operands do not fit together.
        """
        descriptor = GruDescriptor(
            direction=direction,
            linear_before_reset=linear_before_reset,
            clip=clip,
        )
        return self._add(
            LayerType.GRU,
            [x, input_weights, recurrent_weights, input_bias, recurrent_bias, hidden_state, sequence_lengths],
            descriptor,
            None,
            name,
            backend,
        )

    def add_instance_normalization(
        self,
        x: Source,
        *,
        gamma: float = 1.0,
        beta: float = 0.0,
        eps: float = 1e-12,
        data_layout: DataLayout = DataLayout.NHWC,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Normalise each image and channel by itself: Arm NN's InstanceNormalization.

        Parameters
        ----------
        x
            Images: [N, H, W, C] in NHWC, [N, C, H, W] in NCHW.
        gamma, beta
            Scale and offset of the normalised values.
        eps
            Keeps the divisor above 0.
        data_layout
            NHWC or NCHW.

        Raises
        ------
        LayerValidationError
            The input is not an image: it needs four dimensions.
        """
        descriptor = InstanceNormalizationDescriptor(
            gamma=gamma,
            beta=beta,
            eps=eps,
            data_layout=data_layout,
        )
        return self._add(LayerType.INSTANCE_NORMALIZATION, [x], descriptor, None, name, backend)

    def add_l2_normalization(
        self,
        x: Source,
        *,
        eps: float = 1e-12,
        data_layout: DataLayout = DataLayout.NHWC,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Divide each pixel by the L2 norm of its channels: Arm NN's L2Normalization.

        Parameters
        ----------
        x
            Images: [N, H, W, C] in NHWC, [N, C, H, W] in NCHW.
        eps
            Keeps the divisor above 0.
        data_layout
            NHWC or NCHW.

        Raises
        ------
        LayerValidationError
            The input is not an image: it needs four dimensions.
        """
        descriptor = L2NormalizationDescriptor(eps=eps, data_layout=data_layout)
        return self._add(LayerType.L2_NORMALIZATION, [x], descriptor, output_info, name, backend)

    def add_layer_normalization(
        self,
        x: Source,
        gamma: Source | None = None,
        beta: Source | None = None,
        axis: int = -1,
        eps: float = 1e-05,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``(x - mean) / sqrt(variance + eps) * gamma + beta`` over the dimensions from
        ``axis`` on: ONNX's LayerNormalization.

        Parameters
        ----------
        x
            Real numbers of rank 1 or more.
        gamma, beta
            Broadcast to the dimensions of ``x`` from ``axis`` on.
        axis
            The first dimension that shares a mean; negative counts from the end.
        eps
            Keeps the divisor above 0.

        Returns
        -------
        Layer
            One output of the input's shape.

        Raises
        ------
        LayerValidationError
            The axis does not exist, or gamma or beta does not fit.
        """
        descriptor = LayerNormalizationDescriptor(axis=axis, eps=eps)
        return self._add(
            LayerType.LAYER_NORMALIZATION,
            [x, gamma, beta],
            descriptor,
            output_info,
            name,
            backend,
        )

    def add_logical_binary(
        self,
        x: Source,
        y: Source,
        operation: LogicalBinaryOperation,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a logical operation of two operands: Arm NN's LogicalBinary.

        Parameters
        ----------
        x, y
            Booleans, of shapes that broadcast.
        operation
            AND or OR.

        Returns
        -------
        Layer
            One boolean output of the broadcast shape.

        Raises
        ------
        LayerValidationError
            An operand is not boolean, or shapes do not broadcast.
        InvalidArgumentError
            `operation` is not a member of its enumeration.
        """
        descriptor = LogicalBinaryDescriptor(operation=operation)
        return self._add(LayerType.LOGICAL_BINARY, [x, y], descriptor, None, name, backend)

    def add_log_softmax(
        self,
        x: Source,
        axis: int = -1,
        beta: float = 1.0,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add the logarithm of `add_softmax`: Arm NN's LogSoftmax.

        Parameters
        ----------
        x
            Numbers of rank 1 or more.
        axis, beta
            As in `add_softmax`.

        Returns
        -------
        Layer
            One output of the input's shape.

        Raises
        ------
        LayerValidationError
            The axis does not exist.
        """
        descriptor = SoftmaxDescriptor(axis=axis, beta=beta)
        return self._add(LayerType.LOG_SOFTMAX, [x], descriptor, output_info, name, backend)

    def add_mat_mul_integer(
        self,
        x: Source,
        y: Source,
        x_zero_point: Source | None = None,
        y_zero_point: Source | None = None,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add the product of matrices of 8-bit integers less their zero points: ONNX's
        MatMulInteger.

        Parameters
        ----------
        x, y
            ``QASYMM_U8`` or ``QASYMM_S8``, of rank 2 or more.
        x_zero_point, y_zero_point
            Of the type of ``x`` or ``y``, which they broadcast to, the dimension of the sum
            being 1; 0 without.

        Returns
        -------
        Layer
            One output, ``SIGNED32`` of [..., M, N].

        Raises
        ------
        LayerValidationError
            The matrices do not multiply, or a zero point does not fit.
        """
        return self._add(
            LayerType.MAT_MUL_INTEGER,
            [x, y, x_zero_point, y_zero_point],
            None,
            None,
            name,
            backend,
        )

    def add_mean(
        self,
        x: Source,
        axes: Sequence[int] = (),
        *,
        keep_dims: bool = False,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Average dimensions, as numpy.mean: Arm NN's Mean.

        Parameters
        ----------
        x
            Numbers of any shape.
        axes, keep_dims
            As in `add_reduce`.

        Returns
        -------
        Layer
            One output of the input's type.

        Raises
        ------
        LayerValidationError
            An axis does not exist or is named twice.
        """
        descriptor = MeanDescriptor(axes=integers(axes, "axes"), keep_dims=keep_dims)
        return self._add(LayerType.MEAN, [x], descriptor, output_info, name, backend)

    def add_merge(
        self,
        x: Source,
        y: Source,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Hand on the one of two tensors that the condition of a Switch chooses: Arm NN's Merge.

        Parameters
        ----------
        x, y
            Of one shape and type; each depends on another output of one Switch.

        Returns
        -------
        Layer
            One output as ``x``.

        Raises
        ------
        LayerValidationError
            The shapes or types differ.
        """
        return self._add(LayerType.MERGE, [x, y], None, None, name, backend)

    def add_non_max_suppression(
        self,
        boxes: Source,
        scores: Source,
        max_output_boxes: int,
        *,
        iou_threshold: float = 0.0,
        score_threshold: float = 0.0,
        has_score_threshold: bool = False,
        center_point_box: bool = False,
        soft_nms_sigma: float = 0.0,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Keep the best boxes of each class that share little with better ones: ONNX's
        NonMaxSuppression, TensorFlow's soft suppression.

        Parameters
        ----------
        boxes
            float32, ``[batch, boxes, 4]``.
        scores
            float32, ``[batch, classes, boxes]``.
        max_output_boxes
            How many boxes a class keeps at most.
        iou_threshold
            A box goes that shares more than this with a better one.
        score_threshold, has_score_threshold
            With both, boxes without a greater score go.
        center_point_box
            Whether boxes are centers and sizes; else they are two corners in any order.
        soft_nms_sigma
            Above 0 a kept box lowers the scores of those that it shares area with.

        Returns
        -------
        Layer
            Three outputs: indices ``[rows, 3]`` of batch, class and box, scores ``[rows]``, and
            how many rows there are, ``[1]``. The rows behind are 0.

        Raises
        ------
        LayerValidationError
            The operands are not float32, or do not fit together.
        """
        descriptor = NonMaxSuppressionDescriptor(
            max_output_boxes=max_output_boxes,
            iou_threshold=iou_threshold,
            score_threshold=score_threshold,
            has_score_threshold=has_score_threshold,
            center_point_box=center_point_box,
            soft_nms_sigma=soft_nms_sigma,
        )
        return self._add(
            LayerType.NON_MAX_SUPPRESSION,
            [boxes, scores],
            descriptor,
            None,
            name,
            backend,
        )

    def add_normalization(
        self,
        x: Source,
        norm_size: int,
        *,
        alpha: float,
        beta: float,
        k: float,
        channel: NormalizationAlgorithmChannel = NormalizationAlgorithmChannel.ACROSS,
        method: NormalizationAlgorithmMethod = NormalizationAlgorithmMethod.LOCAL_BRIGHTNESS,
        data_layout: DataLayout = DataLayout.NHWC,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add local response normalisation: Arm NN's Normalization.

        Parameters
        ----------
        x
            Images: [N, H, W, C] in NHWC, [N, C, H, W] in NCHW.
        norm_size
            Size of the neighbourhood.
        alpha, beta, k
            Output is ``x / (k + alpha * sum(x ** 2)) ** beta``; with ``LOCAL_CONTRAST``, ``x``
            less the mean of the neighbourhood.
        channel, method
            The neighbourhood, and one of Arm NN's methods.
        data_layout
            NHWC or NCHW.

        Raises
        ------
        LayerValidationError
            The input is not an image: it needs four dimensions.
        """
        descriptor = NormalizationDescriptor(
            norm_size=norm_size,
            alpha=alpha,
            beta=beta,
            k=k,
            channel=channel,
            method=method,
            data_layout=data_layout,
        )
        return self._add(LayerType.NORMALIZATION, [x], descriptor, output_info, name, backend)

    def add_one_hot(
        self,
        indices: Source,
        on_value: Source,
        off_value: Source,
        depth: int,
        axis: int = -1,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Make a new axis that marks where an index points: OneHot of ONNX and TensorFlow Lite.

        Parameters
        ----------
        indices
            ``SIGNED32`` or ``SIGNED64`` of any shape; negative ones count from the end, those
            beyond mark nothing.
        on_value, off_value
            One element each, of one type.
        depth
            Size of the new axis.
        axis
            Where it goes; negative counts from the end of the output.

        Returns
        -------
        Layer
            One output with a dimension more, of the type of the two values.

        Raises
        ------
        LayerValidationError
            Indices are not integers, values are not single, or the axis does not exist.
        """
        descriptor = OneHotDescriptor(depth=depth, axis=axis)
        return self._add(
            LayerType.ONE_HOT,
            [indices, on_value, off_value],
            descriptor,
            None,
            name,
            backend,
        )

    def add_permute(
        self,
        x: Source,
        mappings: Sequence[int],
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Reorder dimensions the other way round than `add_transpose`: Arm NN's Permute.

        Parameters
        ----------
        x
            The tensor to permute.
        mappings
            For each dimension of the input, which of the output it becomes.

        Returns
        -------
        Layer
            One output.

        Raises
        ------
        LayerValidationError
            The input has another number of dimensions.
        InvalidArgumentError
            The mapping is not a permutation.
        """
        descriptor = PermuteDescriptor(mappings=integers(mappings, "mappings"))
        return self._add(LayerType.PERMUTE, [x], descriptor, None, name, backend)

    def add_prelu(
        self,
        x: Source,
        alpha: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``x if x >= 0 else alpha * x``: Arm NN's Prelu.

        Parameters
        ----------
        x, alpha
            Numbers of one type, of shapes that broadcast.

        Returns
        -------
        Layer
            One output of the broadcast shape.

        Raises
        ------
        LayerValidationError
            Types differ or shapes do not broadcast.
        """
        return self._add(LayerType.PRELU, [x, alpha], None, output_info, name, backend)

    def add_random(
        self,
        x: Source,
        state: Source,
        distribution: RandomDistribution = RandomDistribution.UNIFORM,
        stream: int = 0,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Make random numbers of the input's shape.

        Two layers with one state and stream make the same numbers. A variable whose second element
        grows
        by one in each run makes runs differ.

        Parameters
        ----------
        x
            Float32; only its shape matters.
        state
            Int64 of shape (2,): seed and run.
        distribution
            Uniform from 0 to below 1, or normal with mean 0 and variance 1.
        stream
            Tells layers with one state apart, from 0 to 2**32 - 1.

        Returns
        -------
        Layer
            One output, float32 with the shape of the input.

        Raises
        ------
        LayerValidationError
            The input is not float32, or the state not int64 of shape (2,).
        """
        descriptor = RandomDescriptor(distribution=distribution, stream=stream)
        return self._add(LayerType.RANDOM, [x, state], descriptor, None, name, backend)

    def add_rank(
        self,
        x: Source,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add the number of dimensions, a ``SIGNED32`` scalar: Arm NN's Rank."""
        return self._add(LayerType.RANK, [x], None, None, name, backend)

    def add_reduce(
        self,
        x: Source,
        operation: ReduceOperation,
        axes: Sequence[int] = (),
        *,
        keep_dims: bool = False,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Reduce dimensions, as numpy's sum, max, mean, min and prod: Arm NN's Reduce.

        Parameters
        ----------
        x
            Numbers of any shape.
        operation
            The value made of the elements. Of booleans the sum and maximum are or, the product
            and minimum and.
        axes
            The dimensions; none means all, negative ones count from the end.
        keep_dims
            Whether reduced dimensions stay, with size 1.

        Returns
        -------
        Layer
            One output of the input's type.

        Raises
        ------
        LayerValidationError
            An axis does not exist or is named twice, or the operation is not defined for
            booleans.
        InvalidArgumentError
            `operation` is not a member of its enumeration.
        """
        descriptor = ReduceDescriptor(
            operation=operation,
            axes=integers(axes, "axes"),
            keep_dims=keep_dims,
        )
        return self._add(LayerType.REDUCE, [x], descriptor, output_info, name, backend)

    def add_rms_normalization(
        self,
        x: Source,
        gamma: Source,
        axis: int = -1,
        eps: float = 1e-05,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``x / sqrt(mean(x ** 2) + eps) * gamma`` over the dimensions from ``axis`` on: ONNX's
        RMSNormalization.

        Parameters
        ----------
        x
            Real numbers of rank 1 or more.
        gamma
            Broadcasts to the dimensions of ``x`` from ``axis`` on.
        axis
            The first dimension that shares a mean; negative counts from the end.
        eps
            Keeps the divisor above 0.

        Returns
        -------
        Layer
            One output of the input's shape.

        Raises
        ------
        LayerValidationError
            The axis does not exist, or gamma does not fit.
        """
        descriptor = RmsNormalizationDescriptor(axis=axis, eps=eps)
        return self._add(
            LayerType.RMS_NORMALIZATION,
            [x, gamma],
            descriptor,
            output_info,
            name,
            backend,
        )

    def add_rnn(
        self,
        x: Source,
        input_weights: Source,
        recurrent_weights: Source,
        input_bias: Source | None = None,
        recurrent_bias: Source | None = None,
        hidden_state: Source | None = None,
        sequence_lengths: Source | None = None,
        *,
        direction: RecurrentDirection = RecurrentDirection.FORWARD,
        function: ActivationFunction = ActivationFunction.TANH,
        a: float = 1.0,
        b: float = 1.0,
        clip: float = 0.0,
        row_rounding: RowRounding = RowRounding.NONE,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Run plain recurrent units over a sequence: ONNX's RNN.

        D directions, batch N, T steps, input size I, hidden size H.

        Parameters
        ----------
        x
            [T, N, I].
        input_weights
            [D, H, I].
        recurrent_weights
            [D, H, H].
        input_bias, recurrent_bias
            [D, H].
        hidden_state
            [D, N, H]; zeros without.
        sequence_lengths
            [N], integers; all T without.
        direction
            Forward, reverse, or both.
        function
            What makes the state of the sums; `ActivationFunction` has the formula of each.
        a, b
            What the formula calls so.
        clip
            Bound of what enters the function; 0 for none.
        row_rounding
            Whether input and state are rounded to 8 bits in each step, as in TensorFlow Lite's
            hybrid layers.

        Returns
        -------
        Layer
            Two outputs: each step's state, [T, D, N, H], and the last, [D, N, H].

        Raises
        ------
        LayerValidationError
            The operands do not fit together.
        """
        descriptor = RnnDescriptor(
            direction=direction,
            function=function,
            a=a,
            b=b,
            clip=clip,
            row_rounding=row_rounding,
        )
        return self._add(
            LayerType.RNN,
            [x, input_weights, recurrent_weights, input_bias, recurrent_bias, hidden_state, sequence_lengths],
            descriptor,
            None,
            name,
            backend,
        )

    def add_rotary_embedding(
        self,
        x: Source,
        cos: Source,
        sin: Source,
        interleaved: bool = False,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Turn pairs of numbers of the last dimension by angles: the rotary embedding of ONNX's
        RotaryEmbedding, whose tables of angles were gathered.

        Parameters
        ----------
        x
            Real numbers of rank 1 or more.
        cos, sin
            Of one shape: a number for each pair in the last dimension, broadcast to those of
            ``x`` before it.
        interleaved
            Whether the numbers of a pair follow each other, or are half of all paired numbers
            apart.

        Returns
        -------
        Layer
            One output of the shape of ``x``. Numbers behind the pairs stay.

        Raises
        ------
        LayerValidationError
            Angles do not fit, or are for more pairs than there are.
        """
        descriptor = RotaryEmbeddingDescriptor(interleaved=interleaved)
        return self._add(LayerType.ROTARY_EMBEDDING, [x, cos, sin], descriptor, None, name, backend)

    def add_scatter_nd(
        self,
        x: Source,
        indices: Source,
        updates: Source,
        function: ScatterNdFunction = ScatterNdFunction.UPDATE,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Change slices of a tensor: TensorFlow's tensor_scatter_nd_*, Arm NN's ScatterNd.

        Parameters
        ----------
        x
            The tensor to change.
        indices
            ``SIGNED32`` or ``SIGNED64``, [..., k].
        updates
            ``indices.shape[:-1] + x.shape[k:]``.
        function
            How an update joins the value in its place.

        Returns
        -------
        Layer
            One output like ``x``.

        Raises
        ------
        LayerValidationError
            The operands do not fit together.
        """
        descriptor = ScatterNdDescriptor(function=function)
        return self._add(
            LayerType.SCATTER_ND,
            [x, indices, updates],
            descriptor,
            None,
            name,
            backend,
        )

    def add_select(
        self,
        condition: Source,
        x: Source,
        y: Source,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Take the element of x where the condition holds and that of y elsewhere, as numpy.where:
        ONNX's Where.

        Parameters
        ----------
        condition
            Booleans, of a shape that broadcasts with the others.
        x, y
            Elements of one type.

        Returns
        -------
        Layer
            One output of the broadcast shape, of the type of ``x``.

        Raises
        ------
        LayerValidationError
            The condition is not boolean, types differ or shapes do not broadcast.
        """
        return self._add(LayerType.SELECT, [condition, x, y], None, output_info, name, backend)

    def add_shape(
        self,
        x: Source,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add the dimensions, ``SIGNED32`` of [rank]: Arm NN's Shape."""
        return self._add(LayerType.SHAPE, [x], None, None, name, backend)

    def add_slice(
        self,
        x: Source,
        begin: Sequence[int],
        size: Sequence[int],
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Cut a box out of a tensor: Arm NN's Slice.

        Parameters
        ----------
        x
            The tensor to cut.
        begin, size
            First element and number of elements, for each dimension.

        Returns
        -------
        Layer
            One output of shape ``size``.

        Raises
        ------
        LayerValidationError
            The box does not lie in the input.
        InvalidArgumentError
            A number is negative.
        """
        descriptor = SliceDescriptor(begin=integers(begin, "begin"), size=integers(size, "size"))
        return self._add(LayerType.SLICE, [x], descriptor, None, name, backend)

    def add_softmax(
        self,
        x: Source,
        axis: int = -1,
        beta: float = 1.0,
        *,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add ``exp(beta * x) / sum(exp(beta * x))`` along an axis: Arm NN's Softmax.

        Parameters
        ----------
        x
            Numbers of rank 1 or more.
        axis
            Along which the output sums to 1.
        beta
            Factor of the exponent.

        Returns
        -------
        Layer
            One output of the input's shape.

        Raises
        ------
        LayerValidationError
            The axis does not exist.
        """
        descriptor = SoftmaxDescriptor(axis=axis, beta=beta)
        return self._add(LayerType.SOFTMAX, [x], descriptor, output_info, name, backend)

    def add_space_to_depth(
        self,
        x: Source,
        block_size: int,
        *,
        data_layout: DataLayout = DataLayout.NHWC,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add TensorFlow's SpaceToDepth: blocks of pixels become channels.

        Parameters
        ----------
        x
            Images whose height and width are multiples of ``block_size``.
        block_size
            Side of a block.
        data_layout
            NHWC or NCHW.

        Raises
        ------
        LayerValidationError
            The sizes do not divide.
        """
        descriptor = SpaceDepthDescriptor(block_size=block_size, data_layout=data_layout)
        return self._add(LayerType.SPACE_TO_DEPTH, [x], descriptor, None, name, backend)

    def add_switch(
        self,
        x: Source,
        condition: Source,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Hand a tensor to one of two branches, which a Merge joins: Arm NN's Switch.

        Parameters
        ----------
        x
            Any shape.
        condition
            Booleans, or numbers that are true unless zero, of a shape that broadcasts to that of
            ``x``.

        Returns
        -------
        Layer
            Two outputs as ``x``: the branch where the condition is false and the one where it is
            true.

        Raises
        ------
        LayerValidationError
            The condition does not broadcast to ``x``.
        """
        return self._add(LayerType.SWITCH, [x, condition], None, None, name, backend)

    def add_tile(
        self,
        x: Source,
        multiples: Sequence[int],
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Repeat a tensor, as numpy.tile: Arm NN's Tile.

        Parameters
        ----------
        x
            The tensor to repeat.
        multiples
            How often, for each dimension.

        Returns
        -------
        Layer
            One output.

        Raises
        ------
        LayerValidationError
            There is not one multiple for each dimension.
        InvalidArgumentError
            A multiple is negative.
        """
        descriptor = TileDescriptor(multiples=integers(multiples, "multiples"))
        return self._add(LayerType.TILE, [x], descriptor, None, name, backend)

    def add_top_k(
        self,
        x: Source,
        k: int,
        axis: int = -1,
        *,
        largest: bool = True,
        sorted: bool = True,
        output_type: DataType = DataType.SIGNED32,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Find the ``k`` greatest or least elements along an axis: ONNX's TopK. False is less than
        true.

        Parameters
        ----------
        x
            Numbers of rank 1 or more.
        k
            How many, at most the size of the axis.
        axis
            The dimension that is searched; negative counts from the end.
        largest
            Whether the greatest are wanted.
        sorted
            Whether the best comes first.
        output_type
            ``SIGNED32`` or ``SIGNED64``, of the indices.

        Returns
        -------
        Layer
            Two outputs, values and indices, of size ``k`` along the axis.

        Raises
        ------
        LayerValidationError
            The axis does not exist or has fewer than ``k`` elements.
        InvalidArgumentError
            The output type is neither int32 nor int64.
        """
        descriptor = TopKDescriptor(
            k=k,
            axis=axis,
            largest=largest,
            sorted=sorted,
            output_type=output_type,
        )
        return self._add(LayerType.TOP_K, [x], descriptor, None, name, backend)

    def add_transpose(
        self,
        x: Source,
        permutation: Sequence[int],
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Reorder dimensions, as numpy.transpose: Arm NN's Transpose.

        Parameters
        ----------
        x
            The tensor to transpose.
        permutation
            For each dimension of the output, which of the input it is.

        Returns
        -------
        Layer
            One output.

        Raises
        ------
        LayerValidationError
            The input has another number of dimensions.
        InvalidArgumentError
            The mapping is not a permutation.
        """
        descriptor = PermuteDescriptor(mappings=integers(permutation, "permutation"))
        return self._add(LayerType.TRANSPOSE, [x], descriptor, None, name, backend)

    def add_tree_leaves(
        self,
        x: Source,
        splits: Source,
        nodes: Source,
        roots: Source,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Take rows down decision trees to their leaves: what ONNX's TreeEnsemble begins with.

        Parameters
        ----------
        x
            float32 or float64, ``[rows, features]``.
        splits
            What nodes compare with, ``[nodes]``, of the type of ``x``.
        nodes
            int32, ``[nodes, 4]``: feature, question, where a hit leads and where a miss does. A
            negative number leads to leaf -1 - k.
        roots
            int32, ``[trees]``.

        Returns
        -------
        Layer
            One output of int32, ``[rows, trees]``: numbers of leaves.

        Raises
        ------
        LayerValidationError
            Types or shapes do not fit together.
        """
        return self._add(
            LayerType.TREE_LEAVES,
            [x, splits, nodes, roots],
            None,
            None,
            name,
            backend,
        )
