# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND.

Expected: the definition in numpy (pad, reshape, transpose), as TensorFlow states it for its
operators of these names, and the examples on its pages.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import armnn_py as ann
from armnn_py._native import abi

from .harness import Layers, descriptor
from .tensors import DTYPES, examples, values

NCHW, NHWC = abi.ARMNN_DATA_LAYOUT_NCHW, abi.ARMNN_DATA_LAYOUT_NHWC
TO_BATCH, TO_SPACE = abi.ARMNN_LAYER_SPACE_TO_BATCH_ND, abi.ARMNN_LAYER_BATCH_TO_SPACE_ND


def form(kind: int, block: Any, edges: Any, layout: int = NHWC) -> Any:
    before, after = [b for b, _ in edges], [a for _, a in edges]
    common = {"block_rank": len(block), "data_layout": layout, "block_shape": list(block)}
    if kind == TO_BATCH:
        structure = abi.armnn_space_to_batch_nd_descriptor_t
        return descriptor(structure, kind, **common, pad_before=before, pad_after=after)
    structure = abi.armnn_batch_to_space_nd_descriptor_t
    return descriptor(structure, kind, **common, crop_before=before, crop_after=after)


def space_to_batch(x: np.ndarray, block: Any, pads: Any) -> np.ndarray:
    """Of an image with the channels at the end."""
    x = np.pad(x, [(0, 0), *pads, (0, 0)])
    count = len(block)
    cut = [x.shape[0]]
    for dim, one in zip(x.shape[1 : 1 + count], block, strict=True):
        cut += [dim // one, one]
    x = x.reshape(*cut, x.shape[-1])
    places = [2 + 2 * i for i in range(count)]
    spatial = [1 + 2 * i for i in range(count)]
    x = x.transpose(*places, 0, *spatial, 1 + 2 * count)
    return x.reshape(math.prod(x.shape[: count + 1]), *x.shape[count + 1 :])


def batch_to_space(x: np.ndarray, block: Any, crops: Any) -> np.ndarray:
    """Of images with the channels at the end."""
    count = len(block)
    x = x.reshape(*block, x.shape[0] // math.prod(block), *x.shape[1:])
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    x = x.transpose(*order, x.ndim - 1)
    merged = [x.shape[1 + 2 * i] * x.shape[2 + 2 * i] for i in range(count)]
    x = x.reshape(x.shape[0], *merged, x.shape[-1])
    cuts = (slice(b, dim - a) for (b, a), dim in zip(crops, merged, strict=True))
    return x[(slice(None), *cuts)]


@st.composite
def cases(draw: Any) -> tuple[tuple[int, ...], list[int], list[tuple[int, int]]]:
    """Shape of the side of batches, block, and edges that are not larger than the space."""
    count = draw(st.integers(0, 3))
    block = [draw(st.integers(1, 3)) for _ in range(count)]
    dims = [draw(st.integers(0, 4)) for _ in range(count)]
    shape = (draw(st.integers(0, 2)) * math.prod(block), *dims, draw(st.integers(0, 3)))
    edges = []
    for dim, one in zip(dims, block, strict=True):
        before = draw(st.integers(0, dim * one))
        edges.append((before, draw(st.integers(0, dim * one - before))))
    return shape, block, edges


@pytest.mark.parametrize("layout", [NCHW, NHWC])
@examples
@given(case=cases(), dtype=st.sampled_from(list(DTYPES.values())))
def test_batch_to_space(cpu_ref: Layers, layout: int, case: Any, dtype: Any) -> None:
    shape, block, crops = case
    x = values(shape, dtype)
    expected = batch_to_space(x, block, crops)
    if layout == NCHW:
        x, expected = np.moveaxis(x, -1, 1), np.moveaxis(expected, -1, 1)
    (out,) = cpu_ref.run(
        TO_SPACE, form(TO_SPACE, block, crops, layout), [x], [(expected.shape, dtype)]
    )
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("layout", [NCHW, NHWC])
@examples
@given(case=cases(), dtype=st.sampled_from(list(DTYPES.values())))
def test_space_to_batch(cpu_ref: Layers, layout: int, case: Any, dtype: Any) -> None:
    shape, block, pads = case
    image = [shape[0] // math.prod(block)]
    for dim, one, pad in zip(shape[1:-1], block, pads, strict=True):
        image.append(dim * one - sum(pad))
    x = values((*image, shape[-1]), dtype)
    expected = space_to_batch(x, block, pads)
    assert expected.shape == shape
    if layout == NCHW:
        x, expected = np.moveaxis(x, -1, 1), np.moveaxis(expected, -1, 1)
    (out,) = cpu_ref.run(
        TO_BATCH, form(TO_BATCH, block, pads, layout), [x], [(expected.shape, dtype)]
    )
    np.testing.assert_array_equal(out, expected)


def test_the_examples_on_the_pages(cpu_ref: Layers) -> None:
    """TensorFlow's: a 4 x 4 image in blocks of 2, and two 2 x 4 images padded on the left."""
    edges = [(0, 0), (0, 0)]
    x = np.arange(1, 17, dtype=np.float32).reshape(1, 4, 4, 1)
    batches = np.array(
        [[[1, 3], [9, 11]], [[2, 4], [10, 12]], [[5, 7], [13, 15]], [[6, 8], [14, 16]]], np.float32
    ).reshape(4, 2, 2, 1)
    (out,) = cpu_ref.run(
        TO_BATCH, form(TO_BATCH, [2, 2], edges), [x], [(batches.shape, np.float32)]
    )
    np.testing.assert_array_equal(out, batches)
    (out,) = cpu_ref.run(
        TO_SPACE, form(TO_SPACE, [2, 2], edges), [batches], [(x.shape, np.float32)]
    )
    np.testing.assert_array_equal(out, x)

    edges = [(0, 0), (2, 0)]
    x = x.reshape(2, 2, 4, 1)
    batches = np.array(
        [
            [[0, 1, 3]],
            [[0, 9, 11]],
            [[0, 2, 4]],
            [[0, 10, 12]],
            [[0, 5, 7]],
            [[0, 13, 15]],
            [[0, 6, 8]],
            [[0, 14, 16]],
        ],
        np.float32,
    ).reshape(8, 1, 3, 1)
    (out,) = cpu_ref.run(
        TO_BATCH, form(TO_BATCH, [2, 2], edges), [x], [(batches.shape, np.float32)]
    )
    np.testing.assert_array_equal(out, batches)
    (out,) = cpu_ref.run(
        TO_SPACE, form(TO_SPACE, [2, 2], edges), [batches], [(x.shape, np.float32)]
    )
    np.testing.assert_array_equal(out, x)


def test_large_ones_in_parallel(cpu_ref: Layers) -> None:
    x = values((2, 60, 70, 33), np.float32)
    pads = [(3, 1), (0, 2)]
    expected = space_to_batch(x, [4, 3], pads)
    (out,) = cpu_ref.run(
        TO_BATCH, form(TO_BATCH, [4, 3], pads), [x], [(expected.shape, np.float32)]
    )
    np.testing.assert_array_equal(out, expected)
    (back,) = cpu_ref.run(TO_SPACE, form(TO_SPACE, [4, 3], pads), [out], [(x.shape, np.float32)])
    np.testing.assert_array_equal(back, x)


def test_padding_of_a_quantised_image_means_0() -> None:
    """The zero point, as real = scale * (q - zero_point)."""
    network = ann.Network()
    scale = ann.QuantizationInfo(0.5, 7)
    x = network.add_input("x", ann.TensorInfo((1, 1, 2, 1), ann.DataType.QASYMM_U8, scale))
    y = network.add_space_to_batch_nd(x, [1, 2], [(0, 1), (1, 1)])
    network.add_output("y", y)
    with (
        ann.Runtime([]) as runtime,
        runtime.load_network(ann.optimize(network, ["CpuRef"], runtime=runtime)) as loaded,
    ):
        out = loaded.run({"x": np.array([3, 4], np.uint8).reshape(1, 1, 2, 1)})["y"]
    expected = [[[7, 4], [7, 7]], [[3, 7], [7, 7]]]
    np.testing.assert_array_equal(out[..., 0], expected)


MOST = 2**32 - 1


@pytest.mark.parametrize(
    ("kind", "block", "edges", "source", "output", "words"),
    [
        (
            TO_BATCH,
            [0],
            [(0, 0)],
            (1, 4, 1),
            (1, 4, 1),
            "block_shape (0,) given, at least 1 expected",
        ),
        (
            TO_BATCH,
            [2],
            [(0, 0)],
            (1, 5, 1),
            (2, 2, 1),
            "dimension 1 is 5 with padding, a multiple of 2 expected",
        ),
        (TO_BATCH, [2], [(0, 1)], (1, 5, 1), (2, 2, 1), "stated as 2x2x1, but it is 2x3x1"),
        (TO_BATCH, [2], [(0, 0)], (1, 4, 1, 1), (2, 2, 1, 1), "input has 4 dimensions, 3 expected"),
        (
            TO_BATCH,
            [MOST],
            [(MOST, MOST)],
            (1, 4, 1),
            (2, 2, 1),
            "a multiple of 4294967295 expected",
        ),
        (
            TO_BATCH,
            [1] * 7,
            [(0, 0)] * 7,
            (1, 4, 1),
            (2, 2, 1),
            "input has 3 dimensions, 9 expected",
        ),
        (
            TO_SPACE,
            [2],
            [(0, 0)],
            (3, 4, 1),
            (1, 8, 1),
            "batch of 3 given, a multiple of 2 expected",
        ),
        (TO_SPACE, [2], [(3, 6)], (2, 4, 1), (1, 0, 1), "9 are cropped of the 8 along 1"),
        (TO_SPACE, [2], [(0, 0)], (2, 4, 1), (1, 4, 1), "stated as 1x4x1, but it is 1x8x1"),
        (
            TO_SPACE,
            [MOST, MOST, MOST],
            [(0, 0)] * 3,
            (1, 1, 1, 1, 1),
            (1, 1, 1, 1, 1),
            "batch of 1 given, a multiple of",
        ),
    ],
)
def test_refused(
    cpu_ref: Layers, kind: int, block: Any, edges: Any, source: Any, output: Any, words: str
) -> None:
    reason = cpu_ref.refusal(
        kind, form(kind, block, edges), [(source, np.float32)], [(output, np.float32)]
    )
    assert words in str(reason)
