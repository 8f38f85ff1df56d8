# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that move, join and repeat elements.

Definitions: Arm NN's layers of these names, which are numpy's concatenate, stack, split, reshape,
transpose, pad, take, tile and broadcast_to; GatherNd, ScatterNd and ReverseV2 as in TensorFlow.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from armnn_py.descriptors import (
    BroadcastToDescriptor,
    ChannelShuffleDescriptor,
    ConcatDescriptor,
    GatherDescriptor,
    OneHotDescriptor,
    PadDescriptor,
    PermuteDescriptor,
    ReshapeDescriptor,
    ScatterNdDescriptor,
    SplitterDescriptor,
    StackDescriptor,
    TileDescriptor,
)
from armnn_py.network.shapes.common import broadcast
from armnn_py.network.shapes.site import Site
from armnn_py.tensors import TensorInfo, format_shape
from armnn_py.types import DataType, LayerType, PaddingMode


def _concat(site: Site) -> list[TensorInfo]:
    d = site.parameters(ConcatDescriptor)
    first = site.need_least_rank(1)
    axis = site.need_axis(d.axis, len(first))
    if len(d.views) != len(site.infos):
        site.fail(f"{len(d.views)} views for {len(site.infos)} inputs given")
    total = 0
    for index, view in enumerate(d.views):
        shape = site.shape(index)
        site.need_same_type(0, index)
        if len(shape) != len(first) or any(
            a != b for i, (a, b) in enumerate(zip(shape, first, strict=True)) if i != axis
        ):
            site.fail(
                f"input {index} has shape {format_shape(shape)}, that of input 0 "
                f"({format_shape(first)}) expected except along axis {axis}"
            )
        origin = tuple(total if i == axis else 0 for i in range(len(first)))
        if view.size != shape or view.origin != origin:
            site.fail(
                f"view {index} given as {view}, origin {origin} and size {shape} expected",
                hint="add_concat() computes the views",
            )
        total += shape[axis]
    return site.moved((*first[:axis], total, *first[axis + 1 :]))


def _splitter(site: Site) -> list[TensorInfo]:
    d = site.parameters(SplitterDescriptor)
    shape = site.shape()
    if d.axis >= 0:
        site.need_axis(d.axis, len(shape))
    if not d.views:
        site.fail("no views given, at least one expected")
    for index, view in enumerate(d.views):
        fits = len(view.size) == len(shape) and all(
            origin + size <= dim
            for origin, size, dim in zip(view.origin, view.size, shape, strict=True)
        )
        if not fits:
            site.fail(f"view {index} ({view}) does not lie in {format_shape(shape)}")
        beside = [i for i in range(len(shape)) if view.size[i] != shape[i] and i != d.axis]
        if d.axis >= 0 and beside:
            site.fail(
                f"view {index} ({view}) is a part of dimension {beside[0]} "
                f"as well as of axis {d.axis}",
                hint="axis=-1 is for views that do not follow one axis",
            )
    return [site.moved(view.size)[0] for view in d.views]


def _stack(site: Site) -> list[TensorInfo]:
    d = site.parameters(StackDescriptor)
    if d.input_count != len(site.infos):
        site.fail(f"{len(site.infos)} inputs given, {d.input_count} expected by the descriptor")
    for index in range(len(site.infos)):
        site.need_same_type(0, index)
        site.need_shape(d.input_shape, index, why="all inputs of a stack are equal")
    rank = len(d.input_shape)
    if d.axis > rank:
        site.fail(f"axis {d.axis} given, 0 to {rank} expected")
    return site.moved((*d.input_shape[: d.axis], d.input_count, *d.input_shape[d.axis :]))


def _one_hot(site: Site) -> list[TensorInfo]:
    d = site.parameters(OneHotDescriptor)
    site.need_type(0, DataType.SIGNED32, DataType.SIGNED64)
    site.need_same_type(1, 2)
    for index in (1, 2):
        if math.prod(site.shape(index)) != 1:
            site.need_shape((), index, why="one value for all")
    shape = list(site.shape())
    shape.insert(site.need_axis(d.axis, len(shape) + 1), d.depth)
    return site.moved(shape, 1)


def _reshape(site: Site) -> list[TensorInfo]:
    target = site.parameters(ReshapeDescriptor).target_shape
    given, wanted = math.prod(site.shape()), math.prod(target)
    if given != wanted:
        site.fail(f"{given} elements do not fill {format_shape(target)}, which has {wanted}")
    return site.moved(target)


def _mappings(site: Site) -> tuple[tuple[int, ...], tuple[int, ...]]:
    mappings = site.parameters(PermuteDescriptor).mappings
    shape = site.shape()
    if len(mappings) != len(shape):
        site.fail(f"a permutation of {len(mappings)} dimensions for {len(shape)} is given")
    return mappings, shape


def _permute(site: Site) -> list[TensorInfo]:
    mappings, shape = _mappings(site)
    result = [0] * len(shape)
    for source, target in enumerate(mappings):
        result[target] = shape[source]
    return site.moved(result)


def _transpose(site: Site) -> list[TensorInfo]:
    mappings, shape = _mappings(site)
    return site.moved([shape[source] for source in mappings])


def _pad(site: Site) -> list[TensorInfo]:
    d = site.parameters(PadDescriptor)
    shape = site.need_rank(len(d.pad_before), hint="one (before, after) pair for each dimension")
    for axis, (dim, *pads) in enumerate(zip(shape, d.pad_before, d.pad_after, strict=True)):
        limit = dim - 1 if d.padding_mode is PaddingMode.REFLECT else dim
        if d.padding_mode is not PaddingMode.CONSTANT and max(pads) > max(limit, 0):
            site.fail(
                f"dimension {axis} is padded by {max(pads)}, at most {max(limit, 0)} can be "
                f"mirrored of {dim}"
            )
    return site.moved(
        [sum(triple) for triple in zip(shape, d.pad_before, d.pad_after, strict=True)]
    )


def _check_indices(site: Site, dims: tuple[int, ...]) -> None:
    """Check constant indices; of several ``dims``, each has an index in their last dimension."""
    values = site.constant(1)
    if values is None or values.size == 0:
        return
    limits = np.array(dims) if len(dims) > 1 else dims[0]
    wrong = (values < -np.asarray(limits)) | (values >= limits)
    if wrong.any():
        site.fail(f"index {values[wrong][0]} does not lie in {format_shape(dims)}")


def _gather(site: Site) -> list[TensorInfo]:
    shape, indices = site.need_least_rank(1), site.shape(1)
    site.need_type(1, DataType.SIGNED32, DataType.SIGNED64)
    axis = site.need_axis(site.parameters(GatherDescriptor).axis, len(shape))
    _check_indices(site, (shape[axis],))
    return site.moved((*shape[:axis], *indices, *shape[axis + 1 :]))


def _gather_nd(site: Site) -> list[TensorInfo]:
    shape, indices = site.shape(), site.need_least_rank(1, 1)
    site.need_type(1, DataType.SIGNED32, DataType.SIGNED64)
    depth = indices[-1]
    if depth > len(shape):
        site.fail(f"indices of {depth} dimensions given, at most {len(shape)} expected")
    if depth:
        _check_indices(site, shape[:depth])
    return site.moved((*indices[:-1], *shape[depth:]))


def _scatter_nd(site: Site) -> list[TensorInfo]:
    d = site.parameters(ScatterNdDescriptor)
    if d.axis_enabled:
        site.fail("axis_enabled is not defined for any backend")
    indices = site.need_least_rank(1, 1)
    site.need_type(1, DataType.SIGNED32, DataType.SIGNED64)
    shape = site.shape() if d.input_enabled else _scattered_shape(site)
    if d.input_enabled:
        site.need_same_type(0, 2)
    depth = indices[-1]
    if depth > len(shape):
        site.fail(f"indices of {depth} dimensions given, at most {len(shape)} expected")
    expected = (*indices[:-1], *shape[depth:])
    site.need_shape(expected, 2, why="one slice of the output for each index")
    return site.moved(shape, 2)


def _scattered_shape(site: Site) -> tuple[int, ...]:
    site.need_rank(1)
    site.need_type(0, DataType.SIGNED32, DataType.SIGNED64)
    values = site.constant(0)
    if values is None:
        site.fail("the shape is not a constant")
    return tuple(values.tolist())


def _reverse_v2(site: Site) -> list[TensorInfo]:
    shape = site.shape()
    site.need_rank(1, 1)
    site.need_type(1, DataType.SIGNED32)
    axes = site.constant(1)
    if axes is not None:
        found = [site.need_axis(axis, len(shape)) for axis in axes.tolist()]
        if len(set(found)) != len(found):
            site.fail(f"axes {axes.tolist()} name a dimension twice")
    return [site.info()]


def _tile(site: Site) -> list[TensorInfo]:
    multiples = site.parameters(TileDescriptor).multiples
    shape = site.need_rank(len(multiples), hint="one multiple for each dimension")
    return site.moved([a * b for a, b in zip(shape, multiples, strict=True)])


def _broadcast_to(site: Site) -> list[TensorInfo]:
    target = site.parameters(BroadcastToDescriptor).target_shape
    if broadcast(site, site.shape(), target) != target:
        site.fail(f"{format_shape(site.shape())} does not broadcast to {format_shape(target)}")
    return site.moved(target)


def _channel_shuffle(site: Site) -> list[TensorInfo]:
    d = site.parameters(ChannelShuffleDescriptor)
    shape = site.shape()
    axis = site.need_axis(d.axis, len(shape))
    if shape[axis] % d.group_count:
        site.fail(f"{shape[axis]} channels do not divide into {d.group_count} groups")
    return [site.info()]


RULES: dict[LayerType, Callable[[Site], list[TensorInfo]]] = {
    LayerType.BROADCAST_TO: _broadcast_to,
    LayerType.CHANNEL_SHUFFLE: _channel_shuffle,
    LayerType.CONCAT: _concat,
    LayerType.GATHER: _gather,
    LayerType.GATHER_ND: _gather_nd,
    LayerType.ONE_HOT: _one_hot,
    LayerType.PAD: _pad,
    LayerType.PERMUTE: _permute,
    LayerType.RESHAPE: _reshape,
    LayerType.REVERSE_V2: _reverse_v2,
    LayerType.SCATTER_ND: _scatter_nd,
    LayerType.SPLITTER: _splitter,
    LayerType.STACK: _stack,
    LayerType.TILE: _tile,
    LayerType.TRANSPOSE: _transpose,
}
