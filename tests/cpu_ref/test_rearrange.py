# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""PERMUTE, TRANSPOSE, BROADCAST_TO, SPACE_TO_DEPTH and DEPTH_TO_SPACE."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from armnn_py._native import abi
from armnn_py.descriptors import PermuteDescriptor
from armnn_py.types import LayerType

from .harness import Layers, descriptor
from .host_check import shown_form
from .reference import onnx_node
from .tensors import DTYPES, examples, shapes, values


def permute_form(layer_type: int, mappings: Any) -> Any:
    return descriptor(
        abi.armnn_permute_descriptor_t, layer_type, rank=len(mappings), mappings=list(mappings)
    )


@st.composite
def permutation_case(draw: Any) -> tuple[tuple[int, ...], list[int]]:
    shape = draw(shapes(max_elements=3000))
    return shape, draw(st.permutations(range(len(shape))))


@examples
@given(case=permutation_case(), dtype=st.sampled_from(list(DTYPES.values())))
def test_transpose_reads_from_the_mapping(cpu_ref: Layers, case: Any, dtype: Any) -> None:
    shape, mapping = case
    x = values(shape, dtype)
    expected = x.transpose(mapping)
    kind = abi.ARMNN_LAYER_TRANSPOSE
    (out,) = cpu_ref.run(kind, permute_form(kind, mapping), [x], [(expected.shape, dtype)])
    np.testing.assert_array_equal(out, expected)


@examples
@given(case=permutation_case(), dtype=st.sampled_from(list(DTYPES.values())))
def test_permute_writes_to_the_mapping(cpu_ref: Layers, case: Any, dtype: Any) -> None:
    shape, mapping = case
    x = values(shape, dtype)
    expected = np.moveaxis(x, range(len(shape)), mapping)
    layer = shown_form(LayerType.PERMUTE, PermuteDescriptor(mapping))
    (out,) = cpu_ref.run(*layer, [x], [(expected.shape, dtype)])
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.int64])
@pytest.mark.parametrize(
    ("shape", "mapping"),
    [
        ((301, 203), (1, 0)),
        ((2, 33, 45, 37), (0, 2, 3, 1)),
        ((2, 33, 45, 37), (0, 3, 1, 2)),
        ((3, 31, 5, 64), (0, 2, 1, 3)),
        ((17, 18, 19, 20), (3, 2, 1, 0)),
        ((5, 4, 3, 200), (1, 3, 0, 2)),
    ],
)
def test_large_transposes_in_parallel(
    cpu_ref: Layers, dtype: Any, shape: tuple[int, ...], mapping: tuple[int, ...]
) -> None:
    x = values(shape, dtype)
    expected = x.transpose(mapping)
    kind = abi.ARMNN_LAYER_TRANSPOSE
    (out,) = cpu_ref.run(kind, permute_form(kind, mapping), [x], [(expected.shape, dtype)])
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    ("mapping", "output", "words"),
    [
        ((0, 0, 1), (2, 3, 4), "is not a permutation"),
        ((0, 1, 3), (2, 3, 4), "is not a permutation"),
        ((0, 1, 2**32 - 1), (2, 3, 4), "is not a permutation"),
        ((1, 0), (3, 2, 4), "a permutation of 2 dimensions for 3 is given"),
        ((1, 0, 2), (2, 3, 4), "stated as 2x3x4, but it is 3x2x4"),
    ],
)
def test_transpose_reasons(cpu_ref: Layers, mapping: Any, output: Any, words: str) -> None:
    kind = abi.ARMNN_LAYER_TRANSPOSE
    reason = cpu_ref.refusal(
        kind, permute_form(kind, mapping), [((2, 3, 4), np.float32)], [(output, np.float32)]
    )
    assert words in str(reason)


def broadcast_form(shape: Any) -> Any:
    return descriptor(
        abi.armnn_broadcast_to_descriptor_t,
        abi.ARMNN_LAYER_BROADCAST_TO,
        rank=len(shape),
        target_shape=list(shape),
    )


@examples
@given(
    shapes=mutually_broadcastable_shapes(num_shapes=2, max_dims=8, min_side=0, max_side=4),
    dtype=st.sampled_from(list(DTYPES.values())),
)
def test_broadcast_to(cpu_ref: Layers, shapes: Any, dtype: Any) -> None:
    x = values(shapes.input_shapes[0], dtype)
    target = shapes.result_shape
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_BROADCAST_TO, broadcast_form(target), [x], [(target, dtype)]
    )
    np.testing.assert_array_equal(out, np.broadcast_to(x, target))


@pytest.mark.parametrize(
    ("source", "form", "output", "words"),
    [
        ((2, 3), (2, 4), (2, 4), "shapes 2x3 and 2x4 do not broadcast: 3 against 4"),
        ((2, 3), (1, 3), (1, 3), "2x3 does not broadcast to 1x3"),
        ((2, 1, 3), (1, 3), (1, 3), "2x1x3 does not broadcast to 1x3"),
        ((3,), (2, 3), (3, 3), "output 0 stated as 3x3, but it is 2x3"),
    ],
)
def test_broadcast_reasons(
    cpu_ref: Layers, source: Any, form: Any, output: Any, words: str
) -> None:
    reason = cpu_ref.refusal(
        abi.ARMNN_LAYER_BROADCAST_TO,
        broadcast_form(form),
        [(source, np.float32)],
        [(output, np.float32)],
    )
    assert words in str(reason)


def blocks_form(layer_type: int, block: int, layout: int) -> Any:
    return descriptor(
        abi.armnn_space_depth_descriptor_t, layer_type, block_size=block, data_layout=layout
    )


@pytest.mark.parametrize("block", [1, 2, 3])
@pytest.mark.parametrize("layout", [abi.ARMNN_DATA_LAYOUT_NCHW, abi.ARMNN_DATA_LAYOUT_NHWC])
@pytest.mark.parametrize("operator", ["SpaceToDepth", "DepthToSpace"])
@pytest.mark.parametrize("batch", [0, 1, 2])
def test_blocks_as_onnxruntime(
    cpu_ref: Layers, block: int, layout: int, operator: str, batch: int
) -> None:
    to_depth = operator == "SpaceToDepth"
    kind = abi.ARMNN_LAYER_SPACE_TO_DEPTH if to_depth else abi.ARMNN_LAYER_DEPTH_TO_SPACE
    shape = (batch, 5, 4 * block, 3 * block) if to_depth else (batch, 5 * block**2, 4, 3)
    x = values(shape, np.float32)
    if batch:
        expected = onnx_node(operator, [x], {"blocksize": block})
    else:
        expected = np.zeros(
            (0, 5 * block**2, 4, 3) if to_depth else (0, 5, 4 * block, 3 * block), np.float32
        )
    if layout == abi.ARMNN_DATA_LAYOUT_NHWC:
        x, expected = x.transpose(0, 2, 3, 1), expected.transpose(0, 2, 3, 1)
    (out,) = cpu_ref.run(
        kind, blocks_form(kind, block, layout), [x], [(expected.shape, np.float32)]
    )
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    ("layer_type", "block", "layout", "source", "output"),
    [
        (abi.ARMNN_LAYER_SPACE_TO_DEPTH, 0, 1, (1, 2, 4, 4), (1, 2, 4, 4)),
        (abi.ARMNN_LAYER_SPACE_TO_DEPTH, 2, 1, (1, 2, 4, 5), (1, 8, 2, 2)),
        (abi.ARMNN_LAYER_SPACE_TO_DEPTH, 2, 1, (1, 2, 4, 4), (1, 8, 2, 4)),
        (abi.ARMNN_LAYER_SPACE_TO_DEPTH, 2, 3, (1, 2, 4, 4), (1, 8, 2, 2)),
        (abi.ARMNN_LAYER_SPACE_TO_DEPTH, 2, 1, (2, 4, 4), (8, 2, 2)),
        (abi.ARMNN_LAYER_DEPTH_TO_SPACE, 2, 1, (1, 6, 2, 2), (1, 1, 4, 4)),
        (abi.ARMNN_LAYER_DEPTH_TO_SPACE, 2**32 - 1, 1, (1, 6, 2, 2), (1, 1, 4, 4)),
    ],
)
def test_blocks_refused(
    cpu_ref: Layers, layer_type: int, block: int, layout: int, source: Any, output: Any
) -> None:
    form = blocks_form(layer_type, block, layout)
    tensors = [(source, np.float32)], [(output, np.float32)]
    assert cpu_ref.refusal(layer_type, form, *tensors) is not None
