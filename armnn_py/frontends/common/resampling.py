# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The arithmetic of Resize: which input elements an output element reads, and with what weights.

Definitions: the ONNX operator Resize, version 19, of which all older ones and Upsample are cases.
Every mode is separable, so that one dimension at a time is computed; positions are 64-bit floats.
Of a rational scale they are quotients of whole numbers, so that halves are exact.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from msgspec import Struct, structs

from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import positions as positions_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"


class Axis(Struct, frozen=True):
    """One dimension that changes size.

    ``is_quotient`` says that the scale stands for the quotient of the sizes, whatever they are.
    """

    index: int
    size: int
    target: int
    scale: float | Fraction
    roi: tuple[float, float] = (0.0, 1.0)
    is_quotient: bool = False


class Method(Struct, frozen=True):
    """The attributes of a Resize that say how to read between elements."""

    mode: str = "nearest"
    transformation: str = "half_pixel"
    rounding: str = "round_prefer_floor"
    cubic_a: float = -0.75
    exclude_outside: bool = False
    antialias: bool = False


def positions(axis: Axis, method: Method, dtype: type[np.floating[Any]] = np.float64) -> Array:
    """Return the input position of each output element, computed in a type of numbers."""
    exact = _exact_positions(axis, method)
    if exact is not None:
        return exact
    x = positions_of(axis.target, dtype)
    n, m, scale = axis.size, axis.target, dtype(float(axis.scale))
    half_pixel: Array = (x + 0.5) / scale - 0.5
    match method.transformation:
        case "half_pixel":
            return half_pixel
        case "half_pixel_symmetric":
            adjustment = dtype(m) / (scale * dtype(n))
            symmetric: Array = dtype(n / 2) * (dtype(1) - adjustment) + half_pixel
            return symmetric
        case "pytorch_half_pixel":
            return half_pixel if m > 1 else np.zeros(m)
        case "asymmetric":
            asymmetric: Array = x / scale
            return asymmetric
        case "tf_half_pixel_for_nn":
            return (x + 0.5) / scale
        case "tf_crop_and_resize":
            start, end = axis.roi
            if m > 1:
                return start * (n - 1) + x * (end - start) * (n - 1) / (m - 1)
            return np.full(m, 0.5 * (start + end) * (n - 1))
    raise ParseError(f"coordinate transformation '{method.transformation}' is unknown")


def _exact_positions(axis: Axis, method: Method) -> Array | None:
    """Return positions as whole numerators and one denominator; None if they are not rational."""
    n, m = operator.index(axis.size), operator.index(axis.target)
    if m * max(n, m) >= 2**50:  # the numerators are whole as floats, too
        return None
    x = positions_of(m)
    if method.transformation == "align_corners":
        return np.asarray(x * (n - 1) / max(m - 1, 1))
    if not isinstance(axis.scale, Fraction):
        return None
    up, down = axis.scale.numerator, axis.scale.denominator
    half_pixel = (2 * x + 1) * down - up
    match method.transformation:
        case "half_pixel":
            return np.asarray(half_pixel / (2 * up))
        case "half_pixel_symmetric":
            return np.asarray((n * up - m * down + half_pixel) / (2 * up))
        case "pytorch_half_pixel":
            return np.asarray(half_pixel / (2 * up)) if m > 1 else np.zeros(m)
        case "asymmetric":
            return np.asarray(x * down / up)
        case "tf_half_pixel_for_nn":
            return np.asarray((2 * x + 1) * down / (2 * up))
    return None


def _simple(x: Array, scale: float | Fraction) -> Array:
    """Round as Resize-10 and Upsample do: up when shrinking, down when growing."""
    return np.ceil(x) if scale < 1 else np.floor(x)


_ROUNDINGS: dict[str, Callable[[Array, float | Fraction], Array]] = {
    "round_prefer_floor": lambda x, scale: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x, scale: np.floor(x + 0.5),
    "floor": lambda x, scale: np.floor(x),
    "ceil": lambda x, scale: np.ceil(x),
    "simple": _simple,
}


def nearest_indices(axis: Axis, method: Method) -> Array:
    """Return the index of the input element that each output element copies."""
    rounding = _ROUNDINGS.get(method.rounding)
    if rounding is None:
        raise ParseError(f"nearest mode '{method.rounding}' is unknown")
    # The last bit often decides which of two neighbours is nearer. A scale that a model states
    # computes in its type, float32, as in onnxruntime. Halves are exact, as there, where the scale
    # stands for the quotient of the sizes.
    if method.rounding.startswith("round") and axis.size:
        ratio = Fraction(operator.index(axis.target), operator.index(axis.size))
        if np.float32(float(ratio)) == np.float32(float(axis.scale)):
            axis = structs.replace(axis, scale=ratio)
    found = positions(axis, method, np.float32)
    clipped: Array = np.clip(rounding(found, axis.scale), 0, axis.size - 1)
    return clipped.astype(np.int32)


def outside(axis: Axis, method: Method) -> Array:
    """Return whether each output element reads outside the input; only a crop can."""
    if method.transformation != "tf_crop_and_resize":
        return np.zeros(axis.target, bool)
    found = positions(axis, method)
    return np.asarray((found < 0) | (found > axis.size - 1))


def _triangle(distance: Array) -> Array:
    return np.asarray(np.maximum(1 - np.abs(distance), 0))


def _cubic(distance: Array, a: float) -> Array:
    d = np.abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def weights(axis: Axis, method: Method) -> Array:
    """Return the matrix [target, size] that resamples one dimension."""
    is_cubic = method.mode == "cubic"
    shrink = min(float(axis.scale), 1.0) if method.antialias else 1.0
    reach = (2 if is_cubic else 1) / shrink
    found = positions(axis, method)
    start = np.floor(found).astype(np.int64)
    taps = np.arange(math.floor(-reach) + 1, math.ceil(reach) + 1)
    places = start[:, np.newaxis] + taps
    distance = (places - found[:, np.newaxis]) * shrink
    share = _cubic(distance, method.cubic_a) if is_cubic else _triangle(distance)
    if method.exclude_outside:
        share = np.where((places >= 0) & (places < axis.size), share, 0)
    if method.exclude_outside or method.antialias:
        total = share.sum(1, keepdims=True)
        share = share / np.where(total == 0, 1, total)
    matrix = np.zeros((axis.target, axis.size))
    rows = np.broadcast_to(np.arange(axis.target)[:, np.newaxis], places.shape)
    np.add.at(matrix, (rows, np.clip(places, 0, axis.size - 1)), share)
    return matrix


def layer_indices(
    size: int, target: int, *, align_corners: bool, half_pixel_centers: bool
) -> Array:
    """Return which elements the nearest-neighbour Resize layer reads (``armnn/descriptors.h``)."""
    x = positions_of(target, np.float32)
    if align_corners and target > 1:
        step = np.float32(size - 1) / np.float32(target - 1)
    else:
        step = np.float32(size) / np.float32(target)
    if half_pixel_centers:
        found = np.floor((x + np.float32(0.5)) * step)
    elif align_corners:
        found = np.floor(x * step + np.float32(0.5))
    else:
        found = np.floor(x * step)
    clipped: Array = np.clip(found, 0, size - 1)
    return clipped.astype(np.int32)


def layer_weights(
    size: int, target: int, *, align_corners: bool, half_pixel_centers: bool
) -> Array:
    """Return the matrix of the bilinear Resize layer (``armnn/descriptors.h``)."""
    kind = (
        "half_pixel" if half_pixel_centers else "align_corners" if align_corners else "asymmetric"
    )
    axis = Axis(0, size, target, target / size)
    return weights(axis, Method("linear", kind))


def rounded_half_pixels(size: int, target: int) -> Array:
    """Return the elements that TensorFlow Lite reads with aligned corners and half pixel centres.

    Its nearest-neighbour kernel rounds ``(o + 0.5) * (size - 1) / (target - 1)`` half away from 0.
    """
    x = positions_of(target, np.float32)
    step = np.float32(size - 1) / np.float32(target - 1) if target > 1 else np.float32(size)
    found = np.floor((x + np.float32(0.5)) * step + np.float32(0.5))
    clipped: Array = np.clip(found, 0, size - 1)
    return clipped.astype(np.int32)
