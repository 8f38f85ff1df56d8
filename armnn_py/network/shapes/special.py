# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers with several outputs or control flow of their own."""

from __future__ import annotations

from collections.abc import Callable

from armnn_py.descriptors import (
    DetectionPostProcessDescriptor,
    FusedDescriptor,
    NonMaxSuppressionDescriptor,
    PreCompiledDescriptor,
    StandInDescriptor,
)
from armnn_py.network.shapes.common import broadcast
from armnn_py.network.shapes.site import Site
from armnn_py.tensors import TensorInfo, format_shape
from armnn_py.types import DataType, LayerType


def _detection_post_process(site: Site) -> list[TensorInfo]:
    """Apply TensorFlow Lite's definition of TFLite_Detection_PostProcess."""
    d = site.parameters(DetectionPostProcessDescriptor)
    for index in range(3):
        site.need_real(index)
    boxes, scores = site.need_rank(3), site.need_rank(3, 1)
    site.need_shape((boxes[1], 4), 2, why="an anchor for each box")
    if boxes[2] != 4 or scores[:2] != boxes[:2] or boxes[0] != 1:
        site.fail("boxes of 1xNx4 and scores of 1xNxC expected")
    if scores[2] not in (d.num_classes, d.num_classes + 1):
        site.fail(f"scores for {scores[2]} classes given, {d.num_classes} or one more expected")
    found = d.max_detections * d.max_classes_per_detection
    return [TensorInfo(shape) for shape in ((1, found, 4), (1, found), (1, found), (1,))]


def _non_max_suppression(site: Site) -> list[TensorInfo]:
    d = site.parameters(NonMaxSuppressionDescriptor)
    for index in range(2):
        site.need_type(index, DataType.FLOAT32)
    boxes, scores = site.need_rank(3), site.need_rank(3, 1)
    if boxes[2] != 4 or (scores[0], scores[2]) != boxes[:2]:
        given = f"boxes of {format_shape(boxes)} and scores of {format_shape(scores)}"
        site.fail(f"{given} given, BxNx4 and BxCxN expected")
    rows = scores[0] * scores[1] * min(d.max_output_boxes, boxes[1])
    whole = DataType.SIGNED32
    return [TensorInfo((rows, 3), whole), TensorInfo((rows,)), TensorInfo((1,), whole)]


def _random(site: Site) -> list[TensorInfo]:
    site.need_type(0, DataType.FLOAT32)
    site.need_type(1, DataType.SIGNED64)
    site.need_shape((2,), 1, why="seed and run")
    return [TensorInfo(site.shape())]


def _tree_leaves(site: Site) -> list[TensorInfo]:
    site.need_type(0, DataType.FLOAT32, DataType.FLOAT64)
    site.need_same_type(0, 1)
    for index in (2, 3):
        site.need_type(index, DataType.SIGNED32)
    (nodes,), (trees,) = site.need_rank(1, 1), site.need_rank(1, 3)
    site.need_shape((nodes, 4), 2, why="four numbers for each split")
    return [TensorInfo((site.need_rank(2)[0], trees), DataType.SIGNED32)]


def _merge(site: Site) -> list[TensorInfo]:
    site.need_same_type(0, 1)
    site.need_shape(site.shape(0), 1, why="either operand may be the output")
    return [site.info()]


def _switch(site: Site) -> list[TensorInfo]:
    if broadcast(site, site.shape(0), site.shape(1)) != site.shape(0):
        site.need_shape(site.shape(0), 1, why="the condition broadcasts to the input")
    return [site.info()] * 2


def _stated(site: Site) -> list[TensorInfo]:
    """Take the outputs that the caller states: only the caller knows such a layer."""
    d = site.descriptor
    assert isinstance(d, (FusedDescriptor, PreCompiledDescriptor, StandInDescriptor))
    if len(site.infos) != d.input_count:
        site.fail(f"{len(site.infos)} inputs given, {d.input_count} expected by the descriptor")
    if site.outputs is None or len(site.outputs) != d.output_count:
        given = 0 if site.outputs is None else len(site.outputs)
        site.fail(f"{given} output infos given, {d.output_count} expected by the descriptor")
    return list(site.outputs)


def _nothing(site: Site) -> list[TensorInfo]:
    site.info()
    return []


RULES: dict[LayerType, Callable[[Site], list[TensorInfo]]] = {
    LayerType.DETECTION_POST_PROCESS: _detection_post_process,
    LayerType.FUSED: _stated,
    LayerType.MAP: _nothing,
    LayerType.MERGE: _merge,
    LayerType.NON_MAX_SUPPRESSION: _non_max_suppression,
    LayerType.OUTPUT: _nothing,
    LayerType.PRE_COMPILED: _stated,
    LayerType.RANDOM: _random,
    LayerType.STAND_IN: _stated,
    LayerType.SWITCH: _switch,
    LayerType.TREE_LEAVES: _tree_leaves,
    LayerType.UNMAP: _nothing,
}
