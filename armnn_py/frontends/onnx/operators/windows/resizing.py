# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Resize and Upsample.

The Resize layer is used where it reads the very elements, with the very weights, that ONNX asks
for. Everything else is done one dimension at a time: nearest modes as a Gather at known indices,
linear, cubic and antialiased modes as a product with the matrix of weights.
"""

from __future__ import annotations

import math
import operator as operator_of
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from msgspec import structs

from armnn_py.descriptors import ResizeDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common import resampling
from armnn_py.frontends.common.axes import normal_axes
from armnn_py.frontends.common.resampling import Axis, Method
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.symbolic import is_symbolic, number_of
from armnn_py.types import DataLayout, LayerType, ResizeMethod, UnaryOperation

_MATRIX_LIMIT = 2**26
_LAST_BITS = 2.0**-19
#: By transformation: align_corners and half_pixel_centers of the Resize layer, if the scale is the
#: quotient of the sizes.
_LINEAR = {
    "align_corners": (True, False),
    "asymmetric": (False, False),
    "half_pixel": (False, True),
    "half_pixel_symmetric": (False, True),
    "pytorch_half_pixel": (False, True),
}
_CHOICES = ((False, False), (False, True), (True, False))


@operator("Upsample")
def _upsample(view: NodeView) -> Value:
    scales = view.floats("scales")
    if scales is None and "height_scale" in view.node.attributes:
        scales = [1.0, 1.0, view.number("height_scale"), view.number("width_scale")]
    if scales is None:
        scales = [float(s) for s in view.constant(1, "scales").reshape(-1)]
    return _resize(view, _scaled(view, scales), _old_method(view), 0.0)


@operator("Resize", since=10)
def _resize_10(view: NodeView) -> Value:
    scales = [float(s) for s in view.constant(1, "scales").reshape(-1)]
    return _resize(view, _scaled(view, scales), _old_method(view), 0.0)


def _old_method(view: NodeView) -> Method:
    mode = view.text("mode", "nearest")
    mode = {"bilinear": "linear", "trilinear": "linear"}.get(mode, mode)
    return Method(mode, "asymmetric", "simple")


@operator("Resize", since=11)
def _resize_11(view: NodeView) -> Value:
    shape, rank = view.shape(0), view.rank(0)
    named = view.ints("axes")
    axes = list(range(rank)) if named is None else [a % rank for a in named if -rank <= a < rank]
    if named is not None and (len(axes) != len(named) or not normal_axes(axes, rank)):
        raise ParseError(f"attribute 'axes' is {named}, expected distinct axes of the input")
    method = Method(
        view.text("mode", "nearest"),
        view.text("coordinate_transformation_mode", "half_pixel"),
        view.text("nearest_mode", "round_prefer_floor"),
        view.number("cubic_coeff_a", -0.75),
        bool(view.integer("exclude_outside")),
        bool(view.integer("antialias")),
    )
    if not math.isfinite(method.cubic_a):
        raise ParseError(f"attribute 'cubic_coeff_a' is {method.cubic_a}, expected a finite number")
    regions = _regions(view, axes, method)
    policy = view.text("keep_aspect_ratio_policy", "stretch")
    sizes = view.integers(3, "sizes") if view.has(3) and view.shape(3) != (0,) else None
    scales: Sequence[float | Fraction]
    if sizes is not None:
        if len(sizes) != len(axes) or min(sizes, default=1) < 1:
            raise ParseError(f"sizes {sizes} do not fit {len(axes)} dimensions")
        scales, targets = _from_sizes(view, axes, sizes, policy)
    else:
        scales = [float(s) for s in view.constant(2, "scales").reshape(-1)]
        _check_scales(scales, len(axes))
        targets = [_scaled_size(shape[a], float(s)) for a, s in zip(axes, scales, strict=True)]
    found = [
        Axis(a, shape[a], t, s, r, is_quotient=sizes is not None and policy == "stretch")
        for a, t, s, r in zip(axes, targets, scales, regions, strict=True)
    ]
    return _resize(view, found, method, view.number("extrapolation_value"))


def _regions(view: NodeView, axes: list[int], method: Method) -> list[tuple[float, float]]:
    if method.transformation != "tf_crop_and_resize":
        return [(0.0, 1.0)] * len(axes)
    roi = view.constant(1, "region of interest").reshape(-1)
    if roi.size != 2 * len(axes):
        raise ParseError(f"a region of {roi.size} numbers does not fit {len(axes)} dimensions")
    return [(float(roi[i]), float(roi[i + len(axes)])) for i in range(len(axes))]


def _check_scales(scales: Sequence[float | Fraction], rank: int) -> None:
    if len(scales) != rank or not all(math.isfinite(s) and s > 0 for s in scales):
        raise ParseError(f"scales {scales} do not fit {rank} dimensions")


def _scaled_size(size: int, scale: float) -> int:
    """Return the size of an output: the product is rounded to float32, as in onnxruntime.

    Unrounded, 40 times the float32 nearest to 0.7 is less than 28.
    """
    if is_symbolic(size) and size * math.ceil(scale) < 2**24:  # float32 has these exactly
        if float(scale).is_integer():
            return size * int(scale)
        if _is_power_of_two(scale):
            return size // int(1 / scale)
    with np.errstate(over="ignore"):
        target = float(np.float32(size) * np.float32(scale))
    if not math.isfinite(target):
        raise ParseError(f"a scale of {scale:g} does not fit a dimension of {size} elements")
    return math.floor(target)


def _from_sizes(
    view: NodeView, axes: list[int], sizes: list[int], policy: str
) -> tuple[list[Fraction], list[int]]:
    shape = view.shape(0)
    if policy == "stretch":
        return [
            Fraction(number_of(t), number_of(shape[a]) or 1)
            for a, t in zip(axes, sizes, strict=True)
        ], sizes
    scales = [
        Fraction(operator_of.index(t), operator_of.index(shape[a]) or 1)
        for a, t in zip(axes, sizes, strict=True)
    ]
    if policy not in ("not_larger", "not_smaller"):
        raise ParseError(f"attribute 'keep_aspect_ratio_policy' is '{policy}', which is unknown")
    scale = min(scales) if policy == "not_larger" else max(scales)
    half = Fraction(1, 2)
    return [scale] * len(axes), [
        math.floor(scale * operator_of.index(shape[a]) + half) for a in axes
    ]


def _scaled(view: NodeView, scales: list[float]) -> list[Axis]:
    shape = view.shape(0)
    _check_scales(scales, len(shape))
    return [
        Axis(index, dim, _scaled_size(dim, scale), scale)
        for index, (dim, scale) in enumerate(zip(shape, scales, strict=True))
    ]


def _resize(view: NodeView, axes: list[Axis], method: Method, extrapolated: float) -> Value:
    if method.mode not in ("nearest", "linear", "cubic"):
        raise ParseError(f"attribute 'mode' is '{method.mode}', which is unknown")
    if any(axis.target < 1 for axis in axes) or not all(view.shape(0)):
        raise ParseError(
            f"sizes {[axis.target for axis in axes]} do not fit an input of shape {view.shape(0)}"
        )
    if any(axis.target > _MATRIX_LIMIT for axis in axes):
        raise Unsupported(f"a dimension of {max(axis.target for axis in axes)} elements")
    changed = [axis for axis in axes if not _is_identity(axis, method)]
    if not changed:
        return view.value(0)
    if method.mode != "nearest" and view.dtype(0).kind in "iu":
        return _of_integers(view, changed, method, extrapolated)
    layer = _as_layer(view, changed, method)
    if layer is not None:
        return layer
    x = view.value(0)
    beyond = [axis for axis in changed if resampling.outside(axis, method).any()]
    for axis in changed:
        name = "" if axis is changed[-1] and not beyond else f"axis{axis.index}"
        x = _one_axis(view, x, axis, method, name)
    if beyond:
        rank = len(view.shape(0))
        mask = np.zeros([1] * rank, bool)
        for axis in beyond:
            lane = resampling.outside(axis, method)
            mask = mask | lane.reshape([-1 if d == axis.index else 1 for d in range(rank)])
        x = view.emit.where(Known(mask), view.emit.scalar(extrapolated, x), x)
    return x


def _of_integers(view: NodeView, axes: list[Axis], method: Method, extrapolated: float) -> Value:
    """Interpolate integers as onnxruntime: in float32, and drop fractions.

    Antialiased ones are rounded after each dimension, the last one first.
    """
    emit, dtype = view.emit, view.dtype(0)
    if dtype.itemsize > 4:
        raise Unsupported(f"mode '{method.mode}' of {dtype} values")
    x = view.value(0)
    steps = [[axis] for axis in axes[::-1]] if method.antialias else [axes]
    for step in steps:
        with emit.below("real" if len(steps) == 1 else f"real_{step[0].index}"):
            real = emit.cast(x, np.float32, "wide")
            real = _resize(view.over([real]), step, method, extrapolated)
            if method.antialias:
                real = emit.unary(UnaryOperation.ROUND, real, "rounded")
            else:  # sums of weights that are 1 but for the last bit reach the integer
                real = emit.scale(real, 1 + _LAST_BITS, "nudged")
        x = emit.cast(real, dtype, "" if step is steps[-1] else f"axis{step[0].index}")
    return x


def _is_power_of_two(scale: float | Fraction) -> bool:
    return math.frexp(scale)[0] == 0.5


def _is_quotient(axis: Axis) -> bool:
    """Return whether the scale is the quotient of the sizes, also for other shapes of inputs."""
    if not (is_symbolic(axis.size) or is_symbolic(axis.target)):
        return False
    if isinstance(axis.scale, Fraction) or not _is_power_of_two(axis.scale):
        return axis.is_quotient
    if axis.scale < 1:
        return axis.target * int(1 / axis.scale) == axis.size
    return axis.target == axis.size * int(axis.scale)


def _linear_choice(axis: Axis, method: Method) -> tuple[bool, bool] | None:
    """Return the flags of the Resize layer that interpolates so whatever the sizes are."""
    if method.mode != "linear" or method.antialias or method.exclude_outside:
        return None
    if method.transformation == "pytorch_half_pixel" and axis.target <= 1:
        return None
    return _LINEAR.get(method.transformation) if _is_quotient(axis) else None


def _of_period(axis: Axis, method: Method) -> Axis:
    """Return an axis of plain sizes that a nearest mode reads in the same pattern, if there is one.

    Positions are exact, and the pattern has a period, if the quotient of the sizes is a power of
    two. Where it is not, the axis is returned as it is.
    """
    if method.mode != "nearest" or isinstance(axis.scale, Fraction) or not _is_quotient(axis):
        return axis
    if method.transformation not in ("asymmetric", "half_pixel", "half_pixel_symmetric"):
        return axis
    size = int(16 / min(axis.scale, 1))
    return structs.replace(axis, size=size, target=int(size * axis.scale))


def _is_identity(axis: Axis, method: Method) -> bool:
    if axis.size != axis.target:
        return False
    if _linear_choice(axis, method) is not None:
        return True
    axis = _of_period(axis, method)
    if method.mode == "nearest":
        same = np.arange(axis.size)
        return bool((resampling.nearest_indices(axis, method) == same).all())
    return bool((resampling.positions(axis, method) == np.arange(axis.size)).all())


def _as_layer(view: NodeView, axes: list[Axis], method: Method) -> Value | None:
    """Return a Resize layer, if one does exactly this to height and width of an image."""
    rank = view.rank(0)
    if rank != 4 or any(axis.index < 2 for axis in axes) or dtype_of(view.value(0)).kind != "f":
        return None
    if method.mode == "cubic" or any(axis.size * axis.target > _MATRIX_LIMIT for axis in axes):
        return None
    target = {axis.index: axis.target for axis in axes}
    for align, half in _CHOICES:
        if all(_matches(axis, method, align, half) for axis in axes):
            is_nearest = method.mode == "nearest"
            descriptor = ResizeDescriptor(
                target_height=target.get(2, view.shape(0)[2]),
                target_width=target.get(3, view.shape(0)[3]),
                method=ResizeMethod.NEAREST_NEIGHBOR if is_nearest else ResizeMethod.BILINEAR,
                data_layout=DataLayout.NCHW,
                align_corners=align,
                half_pixel_centers=half,
            )
            return view.emit.layer(LayerType.RESIZE, [view.value(0)], descriptor)
    return None


def _matches(axis: Axis, method: Method, align: bool, half: bool) -> bool:
    choice = _linear_choice(axis, method)
    if choice is not None:
        return choice == (align, half)
    axis = _of_period(axis, method)
    if resampling.outside(axis, method).any():
        return False
    options = {"align_corners": align, "half_pixel_centers": half}
    if method.mode == "nearest":
        wanted = resampling.nearest_indices(axis, method)
        made = resampling.layer_indices(axis.size, axis.target, **options)
        return bool((wanted == made).all())
    wanted = resampling.weights(axis, method)
    made = resampling.layer_weights(axis.size, axis.target, **options)
    return bool(np.abs(wanted - made).max() < 1e-6)


def _one_axis(view: NodeView, x: Value, axis: Axis, method: Method, name: str) -> Value:
    emit, rank = view.emit, len(shape_of(x))
    if method.mode == "nearest":
        indices = Known(resampling.nearest_indices(axis, method))
        return emit.gather(x, indices, axis.index, name)
    if axis.size * axis.target > _MATRIX_LIMIT:
        raise Unsupported(f"mode '{method.mode}' from {axis.size} to {axis.target} elements")
    dtype = dtype_of(x)
    if dtype.kind != "f":
        raise Unsupported(f"mode '{method.mode}' of {dtype} values")
    matrix = resampling.weights(axis, method).astype(dtype)
    shape = list(shape_of(x))
    if axis.index == rank - 1:
        rows = emit.reshape(x, (math.prod(shape[:-1]), axis.size), f"{name or 'last'}_rows")
        product = emit.matmul(
            rows, Known(matrix), transpose_y=True, name=f"{name or 'last'}_product"
        )
    else:
        # View the input as matrices: this dimension as rows, all behind it as columns.
        before, behind = math.prod(shape[: axis.index]), math.prod(shape[axis.index + 1 :])
        columns = emit.reshape(x, (before, axis.size, behind), f"{name or 'last'}_columns")
        product = emit.matmul(Known(matrix[np.newaxis]), columns, name=f"{name or 'last'}_product")
    shape[axis.index] = axis.target
    return emit.reshape(product, shape, name)
