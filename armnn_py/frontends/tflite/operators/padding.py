# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Putting elements around a value, and repeating it."""

from __future__ import annotations

from armnn_py.descriptors import PadDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Unsupported, Value, quantization_of
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import LayerType, PaddingMode

_MIRROR = {"REFLECT": PaddingMode.REFLECT, "SYMMETRIC": PaddingMode.SYMMETRIC}


def _pads(view: OperatorView) -> tuple[list[int], list[int]]:
    pads = view.integers(1, "paddings")
    if view.shape(1) != (view.rank(0), 2) or min(pads, default=0) < 0:
        raise ParseError(
            f"paddings {pads} of shape {view.shape(1)} do not fit {view.rank(0)} dimensions"
        )
    return pads[0::2], pads[1::2]


@operator("PAD", "PADV2")
def _pad(view: OperatorView) -> Value:
    x, (before, after) = view.value(0), _pads(view)
    scales = quantization_of(x)
    fill = 0.0 if scales is None else float(scales.zero_point)
    if view.op.name == "PADV2" or view.has(2):
        number = view.constant(2, "value").reshape(-1)
        if number.size != 1:
            raise ParseError(f"the padding value has {number.size} elements, expected 1")
        if scales is not None and quantization_of(view.value(2)) not in (None, scales):
            raise Unsupported("a value of another scale")
        fill = float(number[0])
    if scales is None or not any((*before, *after)):
        return view.emit.pad(x, before, after, fill=fill)
    descriptor = PadDescriptor(pad_before=tuple(before), pad_after=tuple(after), value=fill)
    return view.layer(LayerType.PAD, [x], descriptor)


@operator("MIRROR_PAD")
def _mirror_pad(view: OperatorView) -> Value:
    before, after = _pads(view)
    mode = _MIRROR.get(view.choice("mode", "MirrorPadMode"))
    if mode is None:
        raise ParseError("attribute 'mode' is unknown, expected REFLECT or SYMMETRIC")
    return view.emit.pad(view.value(0), before, after, mode=mode)


@operator("TILE")
def _tile(view: OperatorView) -> Value:
    multiples = view.integers(1, "multiples")
    if len(multiples) != view.rank(0) or min(multiples, default=0) < 0:
        raise ParseError(f"multiples {multiples} do not fit {view.rank(0)} dimensions")
    return view.emit.tile(view.value(0), multiples)


@operator("BROADCAST_TO")
def _broadcast_to(view: OperatorView) -> Value:
    target = view.integers(1, "shape")
    if min(target, default=0) < 0 or len(target) > 8:
        raise ParseError(f"target shape {target} has a negative size, or more than 8 dimensions")
    return view.emit.broadcast_to(view.value(0), target)
