# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Quantised layers by their definition: real arithmetic on what the numbers mean, rounded once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.tensors import TensorInfo

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.backends.questions.layer_support import LayerSignature

__all__ = ["decoded", "encoded", "stepped"]

#: Where a layer with weights has its bias: 32 bits in the scales of input and weights.
_BIAS = 2


def decoded(
    signature: LayerSignature, values: Sequence[NDArray[Any] | None]
) -> list[NDArray[Any] | None]:
    """Return operands as the real numbers that they stand for, others as they are."""
    found: list[NDArray[Any] | None] = []
    for index, (info, value) in enumerate(zip(signature.inputs, values, strict=True)):
        if info is None or value is None:
            found.append(value)
        elif info.data_type.is_quantized:
            scales, zeros = _along(info)
            found.append((value.astype(np.float64) - zeros) * scales)
        elif index == _BIAS and value.dtype.kind == "i":
            found.append(value * _scale_of_sums(signature))
        else:
            found.append(value.astype(np.float64) if value.dtype.kind == "f" else value)
    return found


def encoded(info: TensorInfo, value: NDArray[Any]) -> NDArray[Any]:
    """Return real numbers as a quantised output holds them: the nearest step, saturated."""
    if not info.data_type.is_quantized:
        return value
    scales, zeros = _along(info)
    limits = np.iinfo(info.dtype)
    steps = np.where(np.isnan(value), 0, np.rint(value / scales)) + zeros
    return np.asarray(np.clip(steps, limits.min, limits.max)).astype(info.dtype)


def stepped(info: TensorInfo, value: NDArray[Any]) -> NDArray[Any]:
    """Return the real numbers that a quantised tensor holds in place of some real numbers."""
    scales, zeros = _along(info)
    return np.asarray((encoded(info, value).astype(np.float64) - zeros) * scales)


def _along(info: TensorInfo) -> tuple[NDArray[Any], NDArray[Any]]:
    """Scales and zero points in a shape that broadcasts with the tensor."""
    quantization = info.quantization
    if quantization is None:
        return np.float64(1), np.float64(0)  # type: ignore[return-value]
    scales = np.array(quantization.scales, np.float32).astype(np.float64)
    zeros = np.array(quantization.zero_points, np.float64)
    if scales.size == 1:
        return scales.reshape(()), zeros.reshape(())
    shape = [1] * info.rank
    shape[quantization.axis or 0] = scales.size
    return scales.reshape(shape), zeros.reshape(shape)


def _scale_of_sums(signature: LayerSignature) -> NDArray[Any]:
    images, weights = signature.inputs[:2]
    assert images is not None
    assert weights is not None
    (image_scale, _), (weight_scales, _) = _along(images), _along(weights)
    return np.asarray(image_scale * weight_scales.reshape(-1))
