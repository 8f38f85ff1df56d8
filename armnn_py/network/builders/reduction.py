# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of reductions, products, normalisations, and what tells of a shape."""

from __future__ import annotations

from collections.abc import Sequence

from armnn_py.descriptors import (
    ArgMinMaxDescriptor,
    BatchMatMulDescriptor,
    BatchNormalizationDescriptor,
    InstanceNormalizationDescriptor,
    L2NormalizationDescriptor,
    MeanDescriptor,
    NormalizationDescriptor,
    ReduceDescriptor,
    SoftmaxDescriptor,
)
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import Layer, Source
from armnn_py.tensors import TensorInfo
from armnn_py.types import (
    ArgMinMaxFunction,
    DataLayout,
    DataType,
    LayerType,
    NormalizationAlgorithmChannel,
    NormalizationAlgorithmMethod,
    ReduceOperation,
)

__all__ = ["ReductionBuilders"]


class ReductionBuilders(NetworkCore):
    """Layers that join elements; ``name=``, ``backend=`` and ``output_info=`` as everywhere."""

    __slots__ = ()

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
            What is made of the elements.
        axes
            Which dimensions; none means all, negative ones count from the end.
        keep_dims
            Whether reduced dimensions stay, with size 1.

        Returns
        -------
        Layer
            One output of the input's type.

        Raises
        ------
        LayerValidationError
            There is no such axis, or it is named twice.
        InvalidArgumentError
            The operation is none.
        """
        descriptor = ReduceDescriptor(operation, keep_dims, tuple(axes))
        return self._add(LayerType.REDUCE, [x], descriptor, output_info, name, backend)

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
            There is no such axis, or it is named twice.
        """
        descriptor = MeanDescriptor(keep_dims, tuple(axes))
        return self._add(LayerType.MEAN, [x], descriptor, output_info, name, backend)

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
        """Find the place of an extreme, as numpy.argmin and argmax: Arm NN's ArgMinMax.

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
            There is no such axis, or it is empty.
        InvalidArgumentError
            The output type is none of the two.
        """
        descriptor = ArgMinMaxDescriptor(function, axis, output_type)
        return self._add(LayerType.ARG_MIN_MAX, [x], descriptor, None, name, backend)

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
            There is no such axis.
        """
        descriptor = SoftmaxDescriptor(beta, axis)
        return self._add(LayerType.SOFTMAX, [x], descriptor, output_info, name, backend)

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
            There is no such axis.
        """
        descriptor = SoftmaxDescriptor(beta, axis)
        return self._add(LayerType.LOG_SOFTMAX, [x], descriptor, output_info, name, backend)

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
        """Multiply matrices, as numpy.matmul: Arm NN's BatchMatMul.

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
        descriptor = BatchMatMulDescriptor(transpose_x, transpose_y)
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
        return self._add(
            LayerType.BATCH_NORMALIZATION,
            [x, mean, variance, beta, gamma],
            BatchNormalizationDescriptor(eps, data_layout),
            output_info,
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
            The input is no image.
        """
        descriptor = InstanceNormalizationDescriptor(gamma, beta, eps, data_layout)
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
            The input is no image.
        """
        descriptor = L2NormalizationDescriptor(eps, data_layout)
        return self._add(LayerType.L2_NORMALIZATION, [x], descriptor, output_info, name, backend)

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
            Output is ``x / (k + alpha * sum(x ** 2)) ** beta``.
        channel, method
            Which neighbourhood, and which of Arm NN's methods.
        data_layout
            NHWC or NCHW.

        Raises
        ------
        LayerValidationError
            The input is no image.
        """
        descriptor = NormalizationDescriptor(
            channel, method, norm_size, alpha, beta, k, data_layout
        )
        return self._add(LayerType.NORMALIZATION, [x], descriptor, output_info, name, backend)

    def add_rank(self, x: Source, *, name: str | None = None, backend: str | None = None) -> Layer:
        """Add the number of dimensions, a ``SIGNED32`` scalar: Arm NN's Rank."""
        return self._add(LayerType.RANK, [x], None, None, name, backend)

    def add_shape(self, x: Source, *, name: str | None = None, backend: str | None = None) -> Layer:
        """Add the dimensions, ``SIGNED32`` of [rank]: Arm NN's Shape."""
        return self._add(LayerType.SHAPE, [x], None, None, name, backend)
