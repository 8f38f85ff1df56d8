# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Custom operators that a layer expresses."""

from __future__ import annotations

import struct
from typing import Any

from armnn_py.descriptors import DetectionPostProcessDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Unsupported, Value
from armnn_py.frontends.common.windows import same_pads
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.operators.convolution import transposed
from armnn_py.frontends.tflite.reading import DAMAGE
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import LayerType

_SAME, _VALID = 1, 2


@operator("TFLite_Detection_PostProcess")
def _detection(view: OperatorView) -> list[Value]:
    given = read_map(view.op.custom_options)

    def number(name: str, default: Any = None) -> Any:
        value = given.get(name, default)
        if not isinstance(value, (bool, int, float)):
            raise ParseError(f"its options have no {quoted(name)}")
        return value

    descriptor = DetectionPostProcessDescriptor(
        max_detections=int(number("max_detections")),
        max_classes_per_detection=int(number("max_classes_per_detection")),
        detections_per_class=int(number("detections_per_class", 100)),
        nms_score_threshold=float(number("nms_score_threshold")),
        nms_iou_threshold=float(number("nms_iou_threshold")),
        num_classes=int(number("num_classes")),
        use_regular_nms=bool(number("use_regular_nms", False)),
        scale_x=float(number("x_scale")),
        scale_y=float(number("y_scale")),
        scale_w=float(number("w_scale")),
        scale_h=float(number("h_scale")),
    )
    operands = [view.value(index) for index in range(3)]
    return [*view.emit.layers(LayerType.DETECTION_POST_PROCESS, operands, descriptor).outputs]


@operator("Convolution2DTransposeBias")
def _transposed_with_bias(view: OperatorView) -> Value:
    """MediaPipe's transposed convolution: its options are the structure of LiteRT's C API."""
    if len(view.op.custom_options) < 12:
        raise ParseError(
            f"its options have {len(view.op.custom_options)} bytes, expected at least 12"
        )
    padding, stride_x, stride_y = struct.unpack_from("<3i", view.op.custom_options)
    batch, *size, _ = view.need_rank(4)
    outputs, *kernel, _ = view.need_rank(4, 1)
    stride = (stride_y, stride_x)
    if padding not in (_SAME, _VALID):
        raise Unsupported(f"padding {padding}")
    if min(*stride, *kernel) < 1 or max(stride) > 2**16:
        raise ParseError(
            f"kernel {kernel} and strides {stride} must be at least 1, and strides at most {2**16}"
        )
    full = [(n - 1) * s + k for n, s, k in zip(size, stride, kernel, strict=True)]
    before = [0, 0]
    if padding == _SAME:
        full = [n * s for n, s in zip(size, stride, strict=True)]
        before = same_pads(full, kernel, stride, (1, 1), is_upper=True)[:2]
    bias = view.real(2, "bias") if view.has(2) else None
    return transposed(
        view, view.real(0, "input"), view.real(1, "weights"), bias, stride=stride, before=before,
        output=(batch, *full, outputs),
    )  # fmt: skip


_MOST_KEYS = 256


def read_map(data: bytes) -> dict[str, Any]:
    """Return the numbers, booleans and texts of a map; vectors and maps in it are left out.

    Raises
    ------
    ParseError
        The bytes are no such map.
    """
    from flatbuffers import flexbuffers

    try:
        root = flexbuffers.GetRoot(data)
        if not root.IsMap:
            raise ValueError("the root is not a map")
        entries = root.AsMap
        count = len(entries)
        if count > min(len(data), _MOST_KEYS):
            raise ValueError(f"{count} keys in {len(data)} bytes")
        keys = [entries.Keys[index].AsKey for index in range(count)]
        values = [entries.Values[index] for index in range(count)]
        return {
            key: value
            for key, given in zip(keys, values, strict=True)
            if (value := _plain(given)) is not None
        }
    except (*DAMAGE, RecursionError) as error:
        raise ParseError("its options are not a FlexBuffers map", details=[str(error)]) from error


def _plain(given: Any) -> Any:
    if given.IsBool:
        return bool(given.AsBool)
    if given.IsInt:
        return int(given.AsInt)
    if given.IsFloat:
        return float(given.AsFloat)
    if given.IsString:
        return str(given.AsString)
    return None
