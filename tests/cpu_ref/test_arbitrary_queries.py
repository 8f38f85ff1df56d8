# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Whatever a query holds: the answer is a reason, or a layer that stays inside its tensors.

Descriptors and shapes are drawn at random, small ones more often than absurd ones, so that many
queries are refused and enough are accepted. An accepted layer is executed between guards; under the
address sanitizer every read is checked, too.
"""

from __future__ import annotations

import ctypes
import math
import random as stdlib_random
from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi

from .harness import Layers, descriptor
from .tensors import IS_SAMPLE

NUMBERS = [*[1] * 12, 0, 2, 2, 3, 4, 7, 2**31 - 1, 2**32 - 1]
SIDES = [*[1] * 4, *[2] * 4, 0, 3, 4, 6]

# Layer type: descriptor, rank of each input (None: any).
LAYERS: dict[int, tuple[type[ctypes.Structure], list[int | None]]] = {
    abi.ARMNN_LAYER_ACTIVATION: (abi.armnn_activation_descriptor_t, [None]),
    abi.ARMNN_LAYER_SOFTMAX: (abi.armnn_softmax_descriptor_t, [None]),
    abi.ARMNN_LAYER_CONVOLUTION2D: (abi.armnn_convolution2d_descriptor_t, [4, 4, 1]),
    abi.ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D: (
        abi.armnn_depthwise_convolution2d_descriptor_t,
        [4, 4, 1],
    ),
    abi.ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D: (
        abi.armnn_transpose_convolution2d_descriptor_t,
        [4, 4, 1],
    ),
    abi.ARMNN_LAYER_FULLY_CONNECTED: (abi.armnn_fully_connected_descriptor_t, [None, 2, 1]),
    abi.ARMNN_LAYER_BATCH_MAT_MUL: (abi.armnn_batch_mat_mul_descriptor_t, [None, None]),
    abi.ARMNN_LAYER_POOLING2D: (abi.armnn_pooling2d_descriptor_t, [4]),
    abi.ARMNN_LAYER_RESIZE: (abi.armnn_resize_descriptor_t, [4]),
    abi.ARMNN_LAYER_BATCH_NORMALIZATION: (
        abi.armnn_batch_normalization_descriptor_t,
        [None, 1, 1, 1, 1],
    ),
    abi.ARMNN_LAYER_INSTANCE_NORMALIZATION: (
        abi.armnn_instance_normalization_descriptor_t,
        [None],
    ),
    abi.ARMNN_LAYER_L2_NORMALIZATION: (abi.armnn_l2_normalization_descriptor_t, [None]),
    abi.ARMNN_LAYER_NORMALIZATION: (abi.armnn_normalization_descriptor_t, [4]),
}


def draw_descriptor(
    rng: stdlib_random.Random, structure: type[ctypes.Structure], layer: int
) -> Any:
    values: dict[str, Any] = {}
    for name, kind, *_ in structure._fields_:
        if name in ("header", "reserved"):
            continue
        if kind is ctypes.c_float:
            values[name] = rng.choice([0.0, 1.0, -2.5, 1e30])
        elif name.startswith("data_layout"):
            values[name] = rng.choice([1, 1, 1, 2, 2, 2, 3, 4, 9])
        elif name.startswith("pad_") or name == "bias_enabled":
            values[name] = rng.choice([*[0] * 80, *NUMBERS])
        elif name.startswith(("transpose", "adjoint")):
            values[name] = rng.choice([0, 0, 0, 1])
        elif kind is ctypes.c_int32:
            values[name] = rng.choice([-1, 0, 0, 1, 2, 12, 13])
        else:
            values[name] = rng.choice(NUMBERS)
    return descriptor(structure, layer, **values)


def draw_shape(rng: stdlib_random.Random, rank: int | None) -> tuple[int, ...]:
    if rank is None or rng.random() < 0.02:
        rank = rng.choice([0, 1, 2, 2, 3, 4, 4, 5])
    return tuple(rng.choice(SIDES) for _ in range(rank))


def draw_query(rng: stdlib_random.Random, layer: int) -> tuple[Any, list[Any], tuple[int, ...]]:
    structure, ranks = LAYERS[layer]
    form = draw_descriptor(rng, structure, layer)
    shapes: list[Any] = [draw_shape(rng, rank) for rank in ranks]
    for index in range(1, len(shapes)):
        if len(shapes[index]) == len(shapes[0]) and rng.random() < 0.7:
            shapes[index] = tuple(rng.choice([*shapes[0], *shapes[index]]) for _ in shapes[0])
    channels = rng.choice(shapes[-2 if len(shapes) > 1 else 0] or (1,))
    for index, shape in enumerate(shapes[1:], 1):
        if len(shape) == 1 and rng.random() < 0.8:
            shapes[index] = (channels,)
    if len(shapes) == 3 and not getattr(form, "bias_enabled", 1) and rng.random() < 0.9:
        shapes.pop()
    if rng.random() < 0.5:
        fair = fair_output(layer, form, shapes)
        if fair is not None:
            return form, shapes, fair
    return form, shapes, draw_output(rng, form, shapes)


def fair_output(layer: int, form: Any, shapes: list[Any]) -> tuple[int, ...] | None:
    """The output of a product of matrices or of windows, after weights are made to fit; or None."""
    if layer == abi.ARMNN_LAYER_BATCH_MAT_MUL:
        x, y = shapes
        if min(len(x), len(y)) < 2 or form.data_layout_x not in (0, 1) or form.data_layout_y > 1:
            return None
        rows, inner = (x[-1], x[-2]) if form.transpose_x else (x[-2], x[-1])
        columns = y[-2] if form.transpose_y else y[-1]
        shapes[1] = (*x[:-2], *((columns, inner) if form.transpose_y else (inner, columns)))
        return (*x[:-2], rows, columns)
    window = abi.ARMNN_LAYER_CONVOLUTION2D, abi.ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D
    if layer not in (*window, abi.ARMNN_LAYER_POOLING2D) or len(shapes[0]) != 4:
        return None
    nhwc = form.data_layout == 2
    n, height, width, c = shapes[0] if nhwc else (shapes[0][i] for i in (0, 2, 3, 1))
    if layer == abi.ARMNN_LAYER_POOLING2D:
        kernel, channels = (form.pool_height, form.pool_width), c
    elif len(shapes[1]) != 4:
        return None
    elif layer == abi.ARMNN_LAYER_CONVOLUTION2D:
        o, *rest = shapes[1]
        kernel, channels = tuple(rest[:2] if nhwc else rest[1:]), o
        depth = c // max(form.groups, 1)
        shapes[1] = (o, *kernel, depth) if nhwc else (o, depth, *kernel)
    else:
        kernel = tuple(shapes[1][1:3])
        channels = c * max(shapes[1][3] // max(c, 1), 1)
        shapes[1] = (1, *kernel, channels)
    if len(shapes) == 3:
        shapes[2] = (channels,)
    sides = []
    for size, k, stride, dilation, pads in (
        (height, kernel[0], form.stride_y, form.dilation_y, form.pad_top + form.pad_bottom),
        (width, kernel[1], form.stride_x, form.dilation_x, form.pad_left + form.pad_right),
    ):
        sides.append((size + pads - max(dilation, 1) * (k - 1) - 1) // max(stride, 1) + 1)
    if min(sides) < 0:
        return None
    return (n, *sides, channels) if nhwc else (n, channels, *sides)


def draw_output(rng: stdlib_random.Random, form: Any, shapes: list[Any]) -> tuple[int, ...]:
    """A shape made of sides that the layer has seen, more often than of others."""
    if rng.random() < 0.2:
        return draw_shape(rng, len(shapes[0]))
    output = list(shapes[0])
    seen = [*(side for shape in shapes[1:] for side in shape), *SIDES]
    if hasattr(form, "target_width"):
        seen = [form.target_width, form.target_height]
    for index in range(1, len(output)):
        if rng.random() < 0.5:
            output[index] = rng.choice(seen)
    return tuple(output)


@pytest.mark.exhaustive(kept=3)
@pytest.mark.parametrize("layer", LAYERS)
def test_refused_or_within_bounds(cpu_ref: Layers, layer: int) -> None:
    rng = stdlib_random.Random(layer)
    numbers = np.random.default_rng(layer)
    accepted = 0
    for _ in range(40000):
        if accepted == (40 if IS_SAMPLE else 150):
            break
        form, shapes, output = draw_query(rng, layer)
        tensors = [(shape, np.float32) for shape in shapes]
        if cpu_ref.refusal(layer, form, tensors, [(output, np.float32)]) is not None:
            continue
        if math.prod(output) > 10**6:
            continue  # a fair layer, but not for a test
        accepted += 1
        operands = [numbers.normal(size=shape).astype(np.float32) for shape in shapes]
        cpu_ref.run(layer, form, operands, [(output, np.float32)])
    assert accepted >= 30, "too few to mean anything"
