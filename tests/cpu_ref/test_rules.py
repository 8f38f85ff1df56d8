# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""`armnn/layer_rules.h` by way of CpuRef: valid layers that a plain kernel does not take."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi

from .harness import Layers, descriptor, tensor_info

F = np.float32
LONG = 2**31  # one more than a side may have
NHWC = abi.ARMNN_DATA_LAYOUT_NHWC
NCHW = abi.ARMNN_DATA_LAYOUT_NCHW
STEPS = {"stride_x": 1, "stride_y": 1, "dilation_x": 1, "dilation_y": 1}


def convolution(**values: Any) -> Any:
    return descriptor(
        abi.armnn_convolution2d_descriptor_t,
        abi.ARMNN_LAYER_CONVOLUTION2D,
        **STEPS, groups=1, data_layout=NCHW, **values,
    )  # fmt: skip


def pooling(**values: Any) -> Any:
    return descriptor(
        abi.armnn_pooling2d_descriptor_t, abi.ARMNN_LAYER_POOLING2D,
        **(STEPS | {"pool_width": 1, "pool_height": 1, "data_layout": NHWC} | values),
    )  # fmt: skip


def resize(height: int, width: int) -> Any:
    return descriptor(
        abi.armnn_resize_descriptor_t, abi.ARMNN_LAYER_RESIZE,
        target_height=height, target_width=width, data_layout=NHWC,
    )  # fmt: skip


def transposed(**values: Any) -> Any:
    return descriptor(
        abi.armnn_transpose_convolution2d_descriptor_t,
        abi.ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D,
        **(STEPS | {"groups": 1, "data_layout": NCHW, "output_shape_enabled": 1} | values),
    )


def local_response(**values: Any) -> Any:
    return descriptor(
        abi.armnn_normalization_descriptor_t, abi.ARMNN_LAYER_NORMALIZATION,
        **({"norm_size": 1, "data_layout": NCHW} | values),
    )  # fmt: skip


ONE = (1, 1, 1, 1)
IMAGES = [
    (convolution(), [(1, 1, LONG, 1), ONE], (1, 1, LONG, 1), "dimension 2 of the input is"),
    (convolution(), [ONE, (LONG, 1, 1, 1)], (1, LONG, 1, 1), "dimension 0 of the weights is"),
    (convolution(pad_right=LONG - 1), [ONE, ONE], (1, 1, 1, LONG), "dimension 3 of the output is"),
    (pooling(), [(1, LONG, 1, 1)], (1, LONG, 1, 1), "dimension 1 of the input is"),
    (resize(1, LONG), [ONE], (1, 1, LONG, 1), "dimension 2 of the output is"),
    (transposed(), [ONE, (LONG, 1, 1, 1)], (1, LONG, 1, 1), "dimension 0 of the weights is"),
    (local_response(), [(LONG, 1, 1, 1)], (LONG, 1, 1, 1), "dimension 0 of the input is"),
]


def layer_of(form: ctypes.Structure) -> int:
    return int(form.header.struct_type) - abi.ARMNN_STRUCT_DESCRIPTOR


@pytest.mark.parametrize(("form", "inputs", "output", "words"), IMAGES)
def test_sides_end_at_31_bits(
    cpu_ref: Layers, form: Any, inputs: Any, output: Any, words: str
) -> None:
    reason = cpu_ref.refusal(layer_of(form), form, [(x, F) for x in inputs], [(output, F)])
    assert reason == f"{words} {LONG}, sides end at {LONG - 1}"


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (pooling(pool_height=LONG, pad_top=LONG - 1), f"the window's height is {LONG}"),
        (pooling(pool_width=LONG, pad_right=LONG - 1), f"the window's width is {LONG}"),
        (transposed(stride_x=LONG, pad_left=1), None),
        (local_response(norm_size=0), "the neighbourhood's size is 0"),
        (local_response(method=1), None),  # local contrast
    ],
)
def test_parameters(cpu_ref: Layers, form: Any, words: str | None) -> None:
    weights = [(ONE, F)] if hasattr(form, "output_shape_enabled") else []
    assert cpu_ref.refusal(layer_of(form), form, [(ONE, F), *weights], [(ONE, F)]) == words


@pytest.mark.parametrize(
    ("values", "inputs", "axis"),
    [
        ({"stride_x": 2**32 - 1}, [(1, 1, 1, 300), ONE], "width"),
        ({"dilation_y": 2**32 - 1}, [ONE, (1, 1, 300, 1)], "height"),
    ],
)
def test_a_stated_output_does_not_bound_the_reach(
    cpu_ref: Layers, values: Any, inputs: Any, axis: str
) -> None:
    form = transposed(**values)
    reason = cpu_ref.refusal(layer_of(form), form, [(x, F) for x in inputs], [(ONE, F)])
    assert reason == f"stride or dilation along {axis} lead too far"


def quantized(shape: Any, scales: list[float], axis: int = -1) -> Any:
    info = tensor_info(shape, np.int8)
    info.scales = (ctypes.c_float * len(scales))(*scales)
    info.zero_points = (ctypes.c_int32 * len(scales))()
    info.quantization_count, info.quantization_dim = len(scales), axis
    return info


def test_moves_look_at_every_tensor_but_indices(cpu_ref: Layers) -> None:
    axis = descriptor(abi.armnn_gather_descriptor_t, abi.ARMNN_LAYER_GATHER)
    row, other = quantized((2,), [0.5]), quantized((2,), [0.25])
    indices = tensor_info((2,), np.int32)
    reason = cpu_ref.refusal(layer_of(axis), axis, [row, indices], [other])
    assert reason == (
        "input 0 and output 0 are quantised differently, the kernel does not requantise"
    )
    assert cpu_ref.refusal(layer_of(axis), axis, [row, indices], [row]) is None

    views = (abi.armnn_view_t * 2)()
    views[0].size[0] = views[1].size[0] = views[1].origin[0] = 2
    concat = descriptor(abi.armnn_concat_descriptor_t, abi.ARMNN_LAYER_CONCAT)
    concat.views, concat.view_count = views, 2
    whole = quantized((4,), [0.5])
    assert cpu_ref.refusal(layer_of(concat), concat, [row, row], [whole]) is None
    reason = cpu_ref.refusal(layer_of(concat), concat, [row, other], [whole])
    assert reason is not None
    assert reason.startswith("input 1 and output 0 are quantised differently")
    by_axis = quantized((2,), [0.5, 0.25], 0)
    reason = cpu_ref.refusal(layer_of(concat), concat, [row, by_axis], [whole])
    assert reason == (
        "input 1 is quantised per axis, the kernel moves elements that share one scale"
    )


@pytest.mark.parametrize("transposed_weights", [0, 1])
def test_scales_of_weights_lie_along_the_outputs(cpu_ref: Layers, transposed_weights: int) -> None:
    """A question that no host has checked does no harm."""
    kind = abi.ARMNN_LAYER_FULLY_CONNECTED
    form = descriptor(
        abi.armnn_fully_connected_descriptor_t, kind, transpose_weight_matrix=transposed_weights
    )
    x, y = quantized((3, 2), [0.5]), quantized((3, 2), [0.25])
    outputs = 1 - transposed_weights
    for axis in (0, 1):
        weights = quantized((2, 2), [0.5, 0.25], axis)
        reason = cpu_ref.supports(kind, form, [x, weights], [y])
        assert reason == (
            None
            if axis == outputs
            else f"the weights have 2 scales along dimension {axis}, one scale or one for each "
            f"index of dimension {outputs} (the output channels) expected"
        )


def test_numbers_of_places_fit_the_output(cpu_ref: Layers) -> None:
    kind = abi.ARMNN_LAYER_ARG_MIN_MAX
    for axis in (1, -1):
        form = descriptor(
            abi.armnn_arg_min_max_descriptor_t, kind,
            axis=axis, output_type=abi.ARMNN_DATA_TYPE_SIGNED32,
        )  # fmt: skip
        reason = cpu_ref.refusal(kind, form, [((1, LONG), F)], [((1,), np.int32)])
        assert reason == "indices of dimension 1 do not fit int32"
        form.output_type = abi.ARMNN_DATA_TYPE_SIGNED64
        assert cpu_ref.refusal(kind, form, [((1, LONG), F)], [((1,), np.int64)]) is None
    kind = abi.ARMNN_LAYER_SHAPE
    reason = cpu_ref.refusal(kind, None, [((1, LONG), F)], [((2,), np.int32)])
    assert reason == "dimension 1 of input 0 does not fit int32"
