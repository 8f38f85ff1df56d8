# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""DFT and STFT: products with matrices of roots of unity.

A transform of N samples costs N multiplications for each bin, which suits the lengths of networks
(frames of some hundred samples); the real and imaginary parts are columns of one matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.fourier import check_transform, roots_of_unity
from armnn_py.frontends.common.values import Known, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator

if TYPE_CHECKING:
    from numpy.typing import NDArray


@operator("DFT", since=17)
def _dft_of_attributes(view: NodeView) -> Value:
    return _dft(view, view.axis("axis", 1, view.rank(0)))


@operator("DFT", since=20)
def _dft_of_inputs(view: NodeView) -> Value:
    axis = view.constant(2, "axis").reshape(-1)[0].item() if view.has(2) else -2
    rank = view.rank(0)
    if not -rank <= axis < rank:
        raise ParseError(f"axis {axis} is outside a tensor of {rank} dimensions")
    return _dft(view, axis % rank)


def _dft(view: NodeView, axis: int) -> Value:
    """Turn the axis behind the others, multiply, turn it back."""
    emit, x, shape = view.emit, view.value(0), view.shape(0)
    if len(shape) < 2 or shape[-1] not in (1, 2) or axis == len(shape) - 1:
        raise ParseError(
            f"the input has shape {shape} (axis {axis}), expected [..., 1] or [..., 2]"
        )
    one_sided, inverse = bool(view.integer("onesided")), bool(view.integer("inverse"))
    size = shape[axis]
    length = 2 * (size - 1) if one_sided and inverse else size
    if view.has(1):
        length = view.constant(1, "length of the transform").reshape(-1)[0].item()
    matrix = _matrix(size, shape[-1] == 2, length, one_sided, inverse)
    order = [*(one for one in range(len(shape) - 1) if one != axis), axis, len(shape) - 1]
    turned = emit.transpose(x, order, "axis_last")
    found = _transformed(view, turned, matrix, 1 if one_sided and inverse else 2)
    return emit.transpose(found, np.argsort(order).tolist(), "transform")


@operator("STFT", since=17)
def _stft(view: NodeView) -> Value:
    """Gather overlapping frames, multiply by the window, transform each."""
    emit, signal, shape = view.emit, view.value(0), view.shape(0)
    if len(shape) == 2:  # of real samples, as PyTorch exports it and onnxruntime takes it
        shape = (*shape, 1)
        signal = emit.reshape(signal, shape, "signal")
    if len(shape) != 3 or shape[2] not in (1, 2):
        raise ParseError(f"the signal has shape {shape}, expected [batch, samples, 1 or 2]")
    step = view.constant(1, "step between frames").reshape(-1)[0].item()
    length = view.shape(2)[0] if view.has(2) else shape[1]
    if view.has(3):
        length = view.constant(3, "length of a frame").reshape(-1)[0].item()
    if step < 1 or not 1 <= length <= shape[1]:
        raise ParseError(f"frames of {length} samples, {step} apart, do not fit {shape[1]} samples")
    if view.has(2) and view.shape(2) != (length,):
        raise ParseError(
            f"a window of shape {view.shape(2)} does not fit frames of {length} samples"
        )
    count = (shape[1] - length) // step + 1
    check_transform(count, length)
    counting = np.dtype(np.int32)
    starts = emit.reshape(emit.count_up(count, counting, step=step), (count, 1), "starts")
    places = emit.add(starts, emit.count_up(length, counting), "places")
    frames = emit.gather(signal, places, 1, "frames")
    if view.has(2):
        window = emit.reshape(view.value(2), (length, 1), "window")
        frames = emit.mul(frames, window, "windowed")
    one_sided = bool(view.integer("onesided", 1))
    return _transformed(view, frames, _matrix(length, shape[2] == 2, length, one_sided, False), 2)


def _transformed(view: NodeView, x: Value, matrix: NDArray[Any], parts: int) -> Value:
    """Multiply the samples of the last two dimensions, [..., samples, parts], by a matrix."""
    emit, outer = view.emit, shape_of(x)[:-2]
    rows, columns = matrix.shape
    flat = emit.reshape(x, (*outer, rows) if outer else (1, rows), "samples")
    found = emit.matmul(flat, Known(matrix.astype(dtype_of(x))), name="products")
    return emit.reshape(found, (*outer, columns // parts, parts), "bins")


def _matrix(
    size: int, is_complex: bool, length: int, one_sided: bool, inverse: bool
) -> NDArray[np.float64]:
    """Return the matrix of a transform: samples and their parts by bins and their parts.

    ``size`` samples are given, ``length`` are transformed: those beyond either are zeros.
    """
    if length < 1:
        raise ParseError(f"the transform has {length} samples, expected at least 1")
    if one_sided and is_complex != inverse:
        raise ParseError("a one-sided spectrum needs real samples")
    half = length // 2 + 1
    bins = half if one_sided and not inverse else length
    check_transform(size * (2 if is_complex else 1), bins * 2)
    used = min(size, half if one_sided and inverse else length)
    real, imaginary = roots_of_unity(used, bins, length, 1 if inverse else -1)
    if inverse:
        # A bin between the first and the middle one also stands for its mirror image.
        weight = np.full((used, 1), 2.0 if one_sided else 1.0)
        if one_sided:
            weight[0] = 1
            weight[length // 2 :] = 1 if length % 2 == 0 else 2
        real, imaginary = real * weight / length, imaginary * weight / length
    if one_sided and inverse:
        found = np.zeros((size, 2, bins, 1))
        found[:used, 0, :, 0], found[:used, 1, :, 0] = real, -imaginary
    else:
        found = np.zeros((size, 2 if is_complex else 1, bins, 2))
        found[:used, 0, :, 0], found[:used, 0, :, 1] = real, imaginary
        if is_complex:
            found[:used, 1, :, 0], found[:used, 1, :, 1] = -imaginary, real
    return found.reshape(found.shape[0] * found.shape[1], -1)
