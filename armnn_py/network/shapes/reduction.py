# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Products and normalisations, and layers that tell of a tensor's shape.

Definitions: Arm NN's layers of these names; matrix products as numpy.matmul.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from armnn_py.descriptors import (
    ArgMinMaxDescriptor,
    BatchMatMulDescriptor,
    BatchNormalizationDescriptor,
    InstanceNormalizationDescriptor,
    L2NormalizationDescriptor,
    LayerNormalizationDescriptor,
    NormalizationDescriptor,
    RmsNormalizationDescriptor,
    TopKDescriptor,
)
from armnn_py.network.shapes.common import broadcast
from armnn_py.network.shapes.site import Site
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataType, LayerType

_T = TypeVar("_T")


def _arg_min_max(site: Site) -> list[TensorInfo]:
    d = site.parameters(ArgMinMaxDescriptor)
    shape = site.shape()
    axis = site.need_axis(d.axis, len(shape))
    if shape[axis] == 0:
        site.fail(f"dimension {axis} is empty and has neither maximum nor minimum")
    return [TensorInfo((*shape[:axis], *shape[axis + 1 :]), d.output_type)]


def _top_k(site: Site) -> list[TensorInfo]:
    d = site.parameters(TopKDescriptor)
    shape = site.shape()
    axis = site.need_axis(d.axis, len(shape))
    if d.k > shape[axis]:
        site.fail(f"{d.k} elements wanted, dimension {axis} has {shape[axis]}")
    found = (*shape[:axis], d.k, *shape[axis + 1 :])
    return [*site.moved(found), TensorInfo(found, d.output_type)]


def channels_first(shape: tuple[_T, ...]) -> tuple[_T, ...]:
    """Return a shape with its last dimension, of channels, before the rows and columns."""
    return (*shape[:-3], shape[-1], *shape[-3:-1])


def channels_behind(shape: tuple[_T, ...]) -> tuple[_T, ...]:
    """Return a shape with the dimension before its rows and columns as the last one."""
    return (*shape[:-3], *shape[-2:], shape[-3])


def _batch_mat_mul(site: Site) -> list[TensorInfo]:
    d = site.parameters(BatchMatMulDescriptor)
    site.need_same_type(0, 1)
    site.need_scales(0)
    site.need_scales(1)
    last = [layout.channel_axis != 1 for layout in (d.data_layout_x, d.data_layout_y)]
    x, y = (site.need_least_rank(3 if last[index] else 2, index) for index in range(2))
    is_last = last[len(y) > len(x)]
    x, y = (channels_first(shape) if last[i] else shape for i, shape in enumerate((x, y)))
    if (d.adjoint_x and x[-1] != x[-2]) or (d.adjoint_y and y[-1] != y[-2]):
        site.fail("the adjoint exists of square matrices only")
    (rows, inner), (other, columns) = x[-2:], y[-2:]
    if d.transpose_x:
        rows, inner = inner, rows
    if d.transpose_y:
        other, columns = columns, other
    if inner != other:
        site.fail(f"{rows}x{inner} and {other}x{columns} matrices do not multiply")
    shape = (*broadcast(site, x[:-2], y[:-2]), rows, columns)
    return site.computed(channels_behind(shape) if is_last else shape)


def _batch_normalization(site: Site) -> list[TensorInfo]:
    d = site.parameters(BatchNormalizationDescriptor)
    site.need_number()
    shape = site.need_least_rank(2)
    channels = shape[1 if d.data_layout.channel_axis == 1 else -1]
    for index in range(1, 5):
        if not site.info().data_type.is_quantized:
            site.need_same_type(0, index)
        site.need_shape((channels,), index, why="a value for each channel")
    return site.computed(shape)


def _normalized(site: Site) -> list[TensorInfo]:
    """Operands behind the first one broadcast to the dimensions from an axis on."""
    d, shape = site.descriptor, site.shape()
    assert isinstance(d, (LayerNormalizationDescriptor, RmsNormalizationDescriptor))
    site.need_float()
    kept = shape[site.need_axis(d.axis, len(shape)) :]
    for index in range(1, len(site.infos)):
        if site.optional(index) is None:
            continue
        site.need_same_type(0, index)
        if broadcast(site, kept, site.shape(index)) != kept:
            site.need_shape(kept, index, why="it broadcasts to the dimensions that share a mean")
    return site.computed(shape)


def _image(site: Site) -> list[TensorInfo]:
    d = site.descriptor
    assert isinstance(
        d, (InstanceNormalizationDescriptor, L2NormalizationDescriptor, NormalizationDescriptor)
    )
    site.need_number()
    if d.data_layout.rank != 4:
        site.fail(f"data layout {d.data_layout.name} given, NCHW or NHWC expected")
    return site.computed(site.need_rank(4))


def _rank(site: Site) -> list[TensorInfo]:
    site.info()
    return [TensorInfo((), DataType.SIGNED32)]


def _shape(site: Site) -> list[TensorInfo]:
    return [TensorInfo((len(site.shape()),), DataType.SIGNED32)]


RULES: dict[LayerType, Callable[[Site], list[TensorInfo]]] = {
    LayerType.ARG_MIN_MAX: _arg_min_max,
    LayerType.BATCH_MAT_MUL: _batch_mat_mul,
    LayerType.BATCH_NORMALIZATION: _batch_normalization,
    LayerType.INSTANCE_NORMALIZATION: _image,
    LayerType.L2_NORMALIZATION: _image,
    LayerType.LAYER_NORMALIZATION: _normalized,
    LayerType.NORMALIZATION: _image,
    LayerType.RANK: _rank,
    LayerType.RMS_NORMALIZATION: _normalized,
    LayerType.SHAPE: _shape,
    LayerType.TOP_K: _top_k,
}
