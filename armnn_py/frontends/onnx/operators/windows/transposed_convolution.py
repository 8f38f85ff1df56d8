# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""ConvTranspose: TransposeConvolution2d, with the output's size computed as ONNX defines it.

For volumes, which this layer does not cover, it is a Convolution3d by the reversed weights of the
input with zeros between its elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from armnn_py.descriptors import TransposeConvolution2dDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.known import KnownReals
from armnn_py.frontends.common.values import Known, Unsupported, Value, data_type_of
from armnn_py.frontends.common.windows import Window
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.operators.windows.convolution import (
    convolve_volume,
    spatial_rank,
    up_to_volumes,
)
from armnn_py.frontends.onnx.operators.windows.windows import window_list
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.types import DataLayout, LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray


@operator("ConvTranspose", check=up_to_volumes)
def _conv_transpose(view: NodeView) -> Value:
    emit = view.emit
    rank = spatial_rank(view)
    batch, channels, *size = view.shape(0)
    inputs, per_group, *kernel = view.shape(1)
    groups = view.integer("group", 1)
    if groups < 1 or channels != inputs or inputs % groups:
        raise ParseError(
            f"weights of shape {view.shape(1)} in {groups} groups do not fit {channels} channels"
        )
    stated = view.ints("kernel_shape")
    if stated is not None and stated != kernel:
        raise ParseError(f"attribute 'kernel_shape' is {stated}, but the weights have {kernel}")
    stride = window_list(view, "strides", rank, 1)
    dilation = window_list(view, "dilations", rank, 1)
    before, output = _output_size(view, size, kernel, stride, dilation)
    outputs = per_group * groups
    bias = emit.reshape(view.value(2), (outputs,), "bias") if view.has(2) else None
    if rank == 3:
        pads = [
            ((k - 1) * d - b, o - n * s - ((k - 1) * d - b) + (k - 1) * d)
            for n, k, s, d, b, o in zip(size, kernel, stride, dilation, before, output, strict=True)
        ]
        return _from_zeros_between(view, groups, stride, dilation, pads, bias)
    weights = _weights(view, groups, kernel)
    x: Value = view.value(0)
    if rank == 1:
        x = emit.reshape(x, (batch, channels, 1, *size), "plane")
        stride, dilation = (1, *stride), (1, *dilation)
        before, output = (0, *before), (1, *output)
    # Elements that the formula gives beyond the stated output are cut off at the end.
    full = [
        (n - 1) * s + (k - 1) * d + 1 - b
        for n, s, k, d, b in zip(
            [1, *size][-2:], stride, [1, *kernel][-2:], dilation, before, strict=True
        )
    ]
    after = [max(f - o, 0) for f, o in zip(full, output, strict=True)]
    descriptor = TransposeConvolution2dDescriptor(
        pad_top=before[0],
        pad_left=before[1],
        pad_bottom=after[0],
        pad_right=after[1],
        stride_y=stride[0],
        stride_x=stride[1],
        dilation_y=dilation[0],
        dilation_x=dilation[1],
        bias_enabled=bias is not None,
        data_layout=DataLayout.NCHW,
        output_shape_enabled=any(f - a != o for f, a, o in zip(full, after, output, strict=True)),
        groups=groups,
    )
    info = TensorInfo((batch, outputs, *output), data_type_of(view.dtype(0)))
    y: Value = emit.layer(
        LayerType.TRANSPOSE_CONVOLUTION2D,
        [x, weights, bias],
        descriptor,
        name="" if rank == 2 else "conv",
        output=info,
    )
    return emit.reshape(y, (batch, outputs, *output[-rank:]))


def _from_zeros_between(
    view: NodeView,
    groups: int,
    stride: tuple[int, ...],
    dilation: tuple[int, ...],
    pads: Sequence[tuple[int, int]],
    bias: Value | None,
) -> Value:
    """Convolve a volume whose elements lie ``stride`` apart; negative pads cut off."""
    emit, shape = view.emit, view.shape(0)
    apart = [dim for size in shape[2:] for dim in (size, 1)]
    behind = [count for step in stride for count in (0, step - 1)]
    x = emit.reshape(view.value(0), (*shape[:2], *apart), "apart")
    x = emit.pad(x, [0] * 8, [0, 0, *behind], name="zeros")
    size = [n * step for n, step in zip(shape[2:], stride, strict=True)]
    x = emit.reshape(x, (*shape[:2], *size), "spread")
    begin = [max(-before, 0) for before, _ in pads]
    kept = [n - b - max(-after, 0) for n, b, (_, after) in zip(size, begin, pads, strict=True)]
    x = emit.slice(x, [0, 0, *begin], [*shape[:2], *kept], "crop")
    window = Window(
        tuple(kept),
        tuple(view.shape(1)[2:]),
        (1, 1, 1),
        dilation,
        tuple(max(before, 0) for before, _ in pads),
        tuple(max(after, 0) for _, after in pads),
    )
    return convolve_volume(view, x, _reversed_weights(view, groups), bias, window, groups)


def _reversed_weights(view: NodeView, groups: int) -> Value:
    """Bring weights [I, O / groups, D, H, W] to [D, H, W, I / groups, O], each kernel reversed."""
    inputs, per_group, *kernel = view.shape(1)
    split = (groups, inputs // groups, per_group, *kernel)
    order, target = (3, 4, 5, 1, 0, 2), (*kernel, inputs // groups, groups * per_group)
    if view.is_known(1):
        return view.derived(
            1,
            "reversed",
            lambda w: np.flip(w.reshape(split).transpose(order).reshape(target), (0, 1, 2)),
        )
    emit = view.emit
    parts = emit.transpose(emit.reshape(view.value(1), split, "weights"), order, "swapped")
    return emit.flip(emit.reshape(parts, target, "dense_weights"), (0, 1, 2), "reversed")


def _quantized_weights(
    stored: KnownReals,
    groups: int,
    rearranged: Callable[[NDArray[np.generic]], NDArray[np.generic]],
) -> KnownReals | None:
    """Rearrange the quantised numbers of weights; None if their scales are of another dimension."""
    info = stored.levels.info
    quantization = info.quantization
    if quantization is None or quantization.axis not in (None, 1):
        return None
    levels = rearranged(stored.levels.array)
    scales, points = stored.scales, stored.points
    if quantization.axis == 1:  # the outputs of each group have these scales

        def spread(array: NDArray[np.generic]) -> NDArray[np.generic]:
            return np.tile(array.reshape(-1), groups).reshape(-1, 1, 1, 1)

        scales, points = spread(scales), None if points is None else spread(points)
        quantization = QuantizationInfo(
            quantization.scales * groups, quantization.zero_points * groups, 0
        )
    return KnownReals(
        Known(levels, TensorInfo(levels.shape, info.data_type, quantization)), scales, points
    )


def _output_size(
    view: NodeView,
    size: list[int],
    kernel: list[int],
    stride: tuple[int, ...],
    dilation: tuple[int, ...],
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the pads before and the output's size, as the specification of ConvTranspose says.

    The output's shape may be stated with batch and channels, as older files do.
    """
    rank = len(size)
    extra = view.ints("output_padding") or [0] * rank
    pads = view.ints("pads") or [0] * (2 * rank)
    stated = view.ints("output_shape")
    mode = view.text("auto_pad", "NOTSET") or "NOTSET"
    if len(extra) != rank or len(pads) != 2 * rank:
        raise ParseError("attribute 'pads' or 'output_padding' has the wrong number of values")
    if mode not in ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"):
        raise ParseError(f"attribute 'auto_pad' is '{mode}', which is unknown")
    if not all(0 <= e < max(s, d) for e, s, d in zip(extra, stride, dilation, strict=True)):
        raise ParseError(
            f"attribute 'output_padding' is {extra}, expected less than the strides or dilations"
        )
    full = [
        (n - 1) * s + (k - 1) * d + 1 + e
        for n, s, k, d, e in zip(size, stride, kernel, dilation, extra, strict=True)
    ]
    if stated is not None:
        wanted = stated[-rank:]
        if len(stated) not in (rank, rank + 2) or min(wanted) < 1:
            raise ParseError(
                f"attribute 'output_shape' is {stated}, expected {rank} sizes of at least 1"
            )
    elif mode in ("SAME_UPPER", "SAME_LOWER"):
        wanted = [n * s for n, s in zip(size, stride, strict=True)]
    else:
        before = pads[:rank] if mode == "NOTSET" else [0] * rank
        after = pads[rank:] if mode == "NOTSET" else [0] * rank
        wanted = [f - b - a for f, b, a in zip(full, before, after, strict=True)]
        if min(wanted) < 1 or min(before) < 0:
            raise (
                Unsupported("negative pads")
                if min(before) < 0
                else ParseError(f"pads {pads} leave nothing of an output of {full}")
            )
        return tuple(before), tuple(wanted)
    before = []
    for f, w in zip(full, wanted, strict=True):
        total = max(f - w, 0)
        # Of an odd total, the larger half lies behind for SAME_UPPER, and before otherwise.
        before.append(total // 2 if mode == "SAME_UPPER" else total - total // 2)
    return tuple(before), tuple(wanted)


def _weights(view: NodeView, groups: int, kernel: list[int]) -> Value:
    """Bring weights [I, O / groups, ...] to the layer's [O, I / groups, H, W]."""
    inputs, per_group = view.shape(1)[:2]
    plane = tuple([1, *kernel][-2:])
    split = (groups, inputs // groups, per_group, *plane)
    target = (groups * per_group, inputs // groups, *plane)

    def rearranged(weights: NDArray[np.generic]) -> NDArray[np.generic]:
        return weights.reshape(split).swapaxes(1, 2).reshape(target)

    stored = view.value(1)
    if isinstance(stored, KnownReals):
        quantized = _quantized_weights(stored, groups, rearranged)
        if quantized is not None:
            return quantized
    if view.is_known(1):
        return view.derived(1, "transposed", rearranged)
    emit = view.emit
    parts = emit.reshape(view.value(1), split, "weights")
    return emit.reshape(emit.transpose(parts, (0, 2, 1, 3, 4), "swapped"), target, "dense_weights")
