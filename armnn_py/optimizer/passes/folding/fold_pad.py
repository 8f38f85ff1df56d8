# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Pad layers, and repeated edges, as the padding of the windows that read them.

Arm NN's FoldPadIntoConvolution2d, FoldPadIntoDepthwiseConvolution2d and FoldPadIntoPooling2d. A pad
is removed only if all its readers take it, so that nothing is computed twice. The value of a pad is
the number that is stored, also of a quantised tensor, whose zero is the zero point.

A Gather whose indices are 0, .., 0, 1, 2, .., n, .., n pads an image with its edge. A maximum over
windows that hold an element of the edge next to copies of it does not see the copies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from msgspec import structs

from armnn_py.descriptors import (
    Convolution2dDescriptor,
    DepthwiseConvolution2dDescriptor,
    GatherDescriptor,
    PadDescriptor,
    Pooling2dDescriptor,
)
from armnn_py.errors import ArmnnError
from armnn_py.network import shapes
from armnn_py.optimizer.passes.base import PassLog, may_merge
from armnn_py.types import LayerType, PaddingMethod, PaddingMode, PoolingAlgorithm

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Node
    from armnn_py.tensors import TensorInfo

_Windowed = Convolution2dDescriptor | DepthwiseConvolution2dDescriptor | Pooling2dDescriptor


def _fold_into_readers(
    graph: Graph, node: Node, widened: Callable[[Node], _Windowed | None], what: str, log: PassLog
) -> None:
    """Take out a layer that pads an image, if all its readers can pad it themselves.

    Parameters
    ----------
    node
        Its first operand is the image.
    widened
        The descriptor with which a reader does the same for the bare image, or None.
    what
        The padding, in words.
    """
    source = node.inputs[0]
    if source is None:
        return
    found: dict[Node, _Windowed] = {}
    for reader in node.output.user_nodes:
        descriptor = widened(reader) if may_merge(node, reader) else None
        if descriptor is None:
            return
        found[reader] = descriptor
    if not found:
        return
    for reader, descriptor in found.items():
        graph.set_input(reader, 0, source)
        reader.descriptor = descriptor
        log.changed(f"{what} folded into '{reader.name}'")
    graph.adopt(next(iter(found)), node)
    graph.remove(node)


def run(graph: Graph, log: PassLog, layer_type: LayerType) -> None:
    """Run the pass for readers of one type."""
    for pad in graph.nodes:
        if pad.type is not LayerType.PAD:
            continue

        def widened(reader: Node, pad: Node = pad) -> _Windowed | None:
            return _folded(pad, reader) if reader.type is layer_type else None

        _fold_into_readers(graph, pad, widened, f"pad '{pad.name}'", log)


def _folded(pad: Node, reader: Node) -> _Windowed | None:
    """The descriptor of ``reader`` with the padding of ``pad``, or None if it cannot have it."""
    d, p, source = reader.descriptor, pad.descriptor, pad.inputs[0]
    assert isinstance(d, _Windowed)
    assert isinstance(p, PadDescriptor)
    assert source is not None
    if p.padding_mode is not PaddingMode.CONSTANT or len(p.pad_before) != 4:
        return None
    if any(value is pad.output for value in reader.inputs[1:]):
        return None  # padded weights
    info = source.info
    if info.quantization != pad.output.info.quantization:
        return None
    spatial = y, x = d.data_layout.spatial_axes
    if any(p.pad_before[a] or p.pad_after[a] for a in range(4) if a not in spatial):
        return None
    wider = structs.replace(
        d,
        pad_top=d.pad_top + p.pad_before[y],
        pad_bottom=d.pad_bottom + p.pad_after[y],
        pad_left=d.pad_left + p.pad_before[x],
        pad_right=d.pad_right + p.pad_after[x],
    )
    if isinstance(wider, Pooling2dDescriptor):
        pooled = _pooling(wider, d, p.value, info, reader)
        if pooled is None:
            return None
        wider = pooled
    elif not _is_zero(p.value, info):
        return None
    return wider if _same_output(reader, wider, info) else None


def _is_zero(value: float, info: TensorInfo) -> bool:
    """Whether a stored number means 0 everywhere in a tensor."""
    points = (0,) if info.quantization is None else info.quantization.zero_points
    return all(value == point for point in points)


def _same_output(reader: Node, descriptor: _Windowed, info: TensorInfo) -> bool:
    """Whether the layer makes the same tensor of the smaller input.

    Windows rounded up are counted by another rule when they start in padding.
    """
    infos = [info, *(None if v is None else v.info for v in reader.inputs[1:])]
    requested = [reader.output.info]
    try:
        return shapes.infer(reader.type, descriptor, infos, outputs=requested) == requested
    except ArmnnError:
        return False


# ---- Pooling -----------------------------------------------------------------------------------


def _pooling(
    wider: Pooling2dDescriptor, d: object, value: float, info: TensorInfo, reader: Node
) -> Pooling2dDescriptor | None:
    assert isinstance(d, Pooling2dDescriptor)
    if wider.pool_type is PoolingAlgorithm.MAX:
        return wider if value <= _lowest(info) and _sees_input(wider, info, reader) else None
    if not _is_zero(value, info):
        return None
    # Zeros of the Pad count in the divisor; those of the layer's own padding then would as well.
    own = d.pad_left or d.pad_right or d.pad_top or d.pad_bottom
    if own and d.padding_method is PaddingMethod.EXCLUDE:
        return None
    return structs.replace(wider, padding_method=PaddingMethod.IGNORE_VALUE)


def _lowest(info: TensorInfo) -> float:
    """The least number that a tensor can store."""
    if info.data_type.is_float:
        if info.dtype.kind != "f":  # bfloat16, which numpy does not know
            return float("-inf")
        return float(np.finfo(info.dtype).min)
    return int(np.iinfo(info.dtype).min)


def _sees_input(d: Pooling2dDescriptor, info: TensorInfo, reader: Node) -> bool:
    """Whether every window has input: the maximum of padding alone is 0, of a padded tensor not."""
    y, x = d.data_layout.spatial_axes
    size, count = info.static_shape, reader.output.info.static_shape
    return _all_inside(
        size[y], count[y], d.pool_height, d.stride_y, d.dilation_y, d.pad_top
    ) and _all_inside(size[x], count[x], d.pool_width, d.stride_x, d.dilation_x, d.pad_left)


def _all_inside(
    size: int, count: int, window: int, stride: int, dilation: int, before: int
) -> bool:
    start = np.arange(count, dtype=np.int64) * stride - before
    tap = np.maximum(-(start // dilation), 0)  # the first that is not before the input
    return bool(np.all((tap < window) & (start + tap * dilation < size)))


def fold_edges(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    for node in reversed(graph.nodes):  # of one Gather behind another the last goes first
        if node.type is LayerType.GATHER and node in graph:
            _fold_one(graph, node, log)


def _fold_one(graph: Graph, gather: Node, log: PassLog) -> None:
    source, edges = gather.inputs[0], _edges(gather)
    if (
        edges is None
        or source is None
        or source.info.quantization != gather.output.info.quantization
    ):
        return

    def widened(reader: Node) -> Pooling2dDescriptor | None:
        return _wider(gather, reader, *edges)

    _fold_into_readers(graph, gather, widened, f"edges that '{gather.name}' repeats", log)


def _edges(gather: Node) -> tuple[int, int, int] | None:
    """Axis, copies before and copies after, of a Gather that repeats edges."""
    d, source, indices = gather.descriptor, gather.inputs[0], gather.constants[1]
    if not isinstance(d, GatherDescriptor) or source is None or source.info.rank != 4:
        return None
    axis = d.axis % 4
    size = source.info.static_shape[axis]
    if indices is None or indices.ndim != 1 or indices.size < size or size == 0:
        return None
    before = int(np.argmax(indices != 0)) - 1 if indices.any() else indices.size - 1
    after = indices.size - size - before
    if before < 0 or after < 0:
        return None
    repeated = np.pad(np.arange(size), (before, after), mode="edge")
    return (axis, before, after) if np.array_equal(indices, repeated) else None


def _wider(
    gather: Node, reader: Node, axis: int, before: int, after: int
) -> Pooling2dDescriptor | None:
    d, source = reader.descriptor, gather.inputs[0]
    assert source is not None
    if not isinstance(d, Pooling2dDescriptor) or d.pool_type is not PoolingAlgorithm.MAX:
        return None
    y, x = d.data_layout.spatial_axes
    # With a dilation, a window may step over the edge and see only copies of it.
    if axis == y and d.dilation_y == 1:
        wider = structs.replace(d, pad_top=d.pad_top + before, pad_bottom=d.pad_bottom + after)
    elif axis == x and d.dilation_x == 1:
        wider = structs.replace(d, pad_left=d.pad_left + before, pad_right=d.pad_right + after)
    else:
        return None
    fits = _same_output(reader, wider, source.info) and _sees_input(wider, source.info, reader)
    return wider if fits else None
