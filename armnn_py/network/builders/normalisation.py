# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of normalisations."""

from __future__ import annotations

from armnn_py.descriptors import (
    BatchNormalizationDescriptor,
    InstanceNormalizationDescriptor,
    L2NormalizationDescriptor,
    NormalizationDescriptor,
    SoftmaxDescriptor,
)
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import Layer, Source
from armnn_py.tensors import TensorInfo
from armnn_py.types import (
    DataLayout,
    LayerType,
    NormalizationAlgorithmChannel,
    NormalizationAlgorithmMethod,
)

__all__ = ["NormalisationBuilders"]


class NormalisationBuilders(NetworkCore):
    """Layers that normalise; ``name=``, ``backend=`` and ``output_info=`` as everywhere."""

    __slots__ = ()

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
