# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""MaxUnpool: elements go back to where a MaxPool took them from."""

from __future__ import annotations

import math

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import counted
from armnn_py.frontends.common.values import Known, Unsupported, Value
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.operators.windows.windows import window_list
from armnn_py.types import ScatterNdFunction


@operator("MaxUnpool", since=9)
def _max_unpool(view: NodeView) -> Value:
    """Indices count the elements of the whole output, as those of MaxPool count its input.

    The attributes give the size of the output where ``output_shape`` is absent.
    """
    emit, shape = view.emit, view.shape(0)
    if len(shape) < 3 or view.shape(1) != shape:
        raise ParseError(f"indices of shape {view.shape(1)} do not fit an input of shape {shape}")
    image = _stated_size(view, shape) if view.has(2) else _pooled_size(view, shape)
    if min(image) < 0 or math.prod(image) >= 2**31:
        raise Unsupported(f"an output of shape {image}")
    count = math.prod(shape)
    places = emit.from_start(emit.reshape(view.value(1), (count, 1), "indices"), "places")
    updates = emit.reshape(view.value(0), (count,), "updates")
    zeros = Known(np.zeros(counted(math.prod(image)), view.dtype(0)))
    y = emit.scatter_nd(zeros, places, updates, ScatterNdFunction.UPDATE, "spread")
    return emit.reshape(y, image)


def _stated_size(view: NodeView, shape: tuple[int, ...]) -> tuple[int, ...]:
    wanted = tuple(view.integers(2, "output shape"))
    if len(wanted) != len(shape) or wanted[:2] != tuple(shape[:2]):
        raise ParseError(
            f"'output_shape' is {list(wanted)}, expected {len(shape)} sizes of which the first "
            f"two are {list(shape[:2])}, as those of the input"
        )
    return wanted


def _pooled_size(view: NodeView, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the size of the smallest input of which a MaxPool makes ``shape``."""
    rank = len(shape) - 2
    kernel = view.ints("kernel_shape") or []
    strides, pads = window_list(view, "strides", rank, 1), view.ints("pads") or [0] * (2 * rank)
    if len(kernel) != rank or len(pads) != 2 * rank:
        raise ParseError(f"kernel {kernel} and pads {pads} do not fit {rank} dimensions")
    sides = [
        (shape[d + 2] - 1) * strides[d] + kernel[d] - pads[d] - pads[rank + d] for d in range(rank)
    ]
    return (*shape[:2], *sides)
