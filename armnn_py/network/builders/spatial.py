# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of transposed convolution, pooling, resizing, and space against channels or batch."""

from __future__ import annotations

from collections.abc import Sequence

from armnn_py.descriptors import (
    BatchToSpaceNdDescriptor,
    SpaceToBatchNdDescriptor,
    TransposeConvolution2dDescriptor,
)
from armnn_py.errors import InvalidArgumentError
from armnn_py.network.builders.arguments import (
    Padding,
    Window,
    check_layout,
    integers,
    pads,
    pairs,
    spatial_sizes,
    window,
)
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import Layer, Source
from armnn_py.tensors import TensorInfo
from armnn_py.types import (
    DataLayout,
    LayerType,
)


class SpatialBuilders(NetworkCore):
    """Layers over images; ``name=``, ``backend=`` and ``output_info=`` as everywhere."""

    __slots__ = ()

    def add_transpose_convolution2d(
        self,
        x: Source,
        weights: Source,
        bias: Source | None = None,
        *,
        stride: Window = 1,
        padding: Padding = "valid",
        dilation: Window = 1,
        groups: int = 1,
        output_shape: Sequence[int] | None = None,
        data_layout: DataLayout = DataLayout.NHWC,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a transposed convolution: Arm NN's TransposeConvolution2d.

        Groups and dilation are those of ONNX's ConvTranspose. An input element at (y, x) adds to
        output (y * stride + ky * dilation - pad).

        Parameters
        ----------
        x
            Images: [N, H, W, I] in NHWC, [N, I, H, W] in NCHW.
        weights
            [O, H, W, I / groups] in NHWC, [O, I / groups, H, W] in NCHW.
        bias
            [O].
        stride, dilation
            A number, or (height, width).
        padding
            What is cut from the output: ``"valid"`` (nothing), ``"same"`` (output of
            ``size * stride``), a number, or (top, bottom, left, right).
        groups
            Groups of channels that do not see each other.
        output_shape
            (height, width) or the whole shape, where the formula leaves a choice.
        data_layout
            NHWC or NCHW.

        Returns
        -------
        Layer
            One output of ``(size - 1) * stride + dilation * (kernel - 1) + 1 - pads`` along each
            spatial dimension.

        Raises
        ------
        LayerValidationError
            The operands do not fit together.
        InvalidArgumentError
            A parameter has no valid value.
        """
        check_layout(data_layout, 4)
        image, kernel = self._resolve(x), self._resolve(weights)
        axes = data_layout.spatial_axes
        strides, dilations = window(stride, "stride"), window(dilation, "dilation")
        sizes = spatial_sizes(image.info, axes)
        kernels = spatial_sizes(kernel.info, axes)
        if output_shape is not None:
            output_shape = integers(output_shape, "output_shape")
        if isinstance(padding, str) and padding == "same" and len(sizes) == len(kernels) == 2:
            wanted = tuple(size * step for size, step in zip(sizes, strides, strict=True))
            top, bottom, left, right = pads(padding, wanted, kernels, strides, dilations)
            if output_shape is None:
                output_shape = wanted
        else:
            top, bottom, left, right = pads(padding, sizes, kernels, strides, dilations)
        descriptor = TransposeConvolution2dDescriptor(
            pad_left=left,
            pad_right=right,
            pad_top=top,
            pad_bottom=bottom,
            stride_x=strides[1],
            stride_y=strides[0],
            bias_enabled=bias is not None,
            data_layout=data_layout,
            output_shape_enabled=output_shape is not None,
            dilation_x=dilations[1],
            dilation_y=dilations[0],
            groups=groups,
        )
        if output_shape is not None:
            if output_info is not None:
                raise InvalidArgumentError("output_shape= and output_info= given, one expected")
            output_info = _stated_image(output_shape, image.info, kernel.info, data_layout)
        return self._add(
            LayerType.TRANSPOSE_CONVOLUTION2D,
            [image, kernel, bias],
            descriptor,
            output_info,
            name,
            backend,
        )

    def add_space_to_batch_nd(
        self,
        x: Source,
        block_shape: Sequence[int],
        padding: Sequence[tuple[int, int]],
        *,
        data_layout: DataLayout = DataLayout.NHWC,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add TensorFlow's SpaceToBatchND.

        Parameters
        ----------
        x
            Rank ``len(block_shape) + 2``.
        block_shape
            Block size of each spatial dimension.
        padding
            (before, after) of each spatial dimension.
        data_layout
            Whether channels come second (NCHW) or last (NHWC).

        Raises
        ------
        LayerValidationError
            The padded sizes do not divide.
        """
        before, after = pairs(padding, "padding")
        descriptor = SpaceToBatchNdDescriptor(
            integers(block_shape, "block_shape"), before, after, data_layout
        )
        return self._add(LayerType.SPACE_TO_BATCH_ND, [x], descriptor, None, name, backend)

    def add_batch_to_space_nd(
        self,
        x: Source,
        block_shape: Sequence[int],
        crops: Sequence[tuple[int, int]],
        *,
        data_layout: DataLayout = DataLayout.NHWC,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add TensorFlow's BatchToSpaceND.

        Parameters
        ----------
        x
            Rank ``len(block_shape) + 2``.
        block_shape
            Block size of each spatial dimension.
        crops
            (before, after) that is cut from each spatial dimension.
        data_layout
            Whether channels come second (NCHW) or last (NHWC).

        Raises
        ------
        LayerValidationError
            The batch does not divide, or more is cropped than there is.
        """
        before, after = pairs(crops, "crops")
        descriptor = BatchToSpaceNdDescriptor(
            integers(block_shape, "block_shape"), before, after, data_layout
        )
        return self._add(LayerType.BATCH_TO_SPACE_ND, [x], descriptor, None, name, backend)


def _stated_image(
    shape: Sequence[int], image: TensorInfo, kernel: TensorInfo, layout: DataLayout
) -> TensorInfo:
    """Return the output of a transposed convolution with a stated height and width."""
    if len(shape) == 2 and image.rank == kernel.rank == 4:
        batch, outputs = image.static_shape[0], kernel.static_shape[0]
        channels_first = layout.channel_axis == 1
        shape = (batch, outputs, *shape) if channels_first else (batch, *shape, outputs)
    return TensorInfo(tuple(shape), image.data_type)
