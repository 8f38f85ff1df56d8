# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Slices and strided slices have the shapes of numpy's indexing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from armnn_py.errors import InvalidArgumentError, LayerValidationError
from armnn_py.network import Network
from armnn_py.tensors import TensorInfo
from armnn_py.types import LayerType

POSITIONS = st.one_of(st.integers(-9, 9), st.sampled_from([-(2**63), 2**63 - 1]))


@st.composite
def basic_indices(draw):
    """Return a shape, and an index as numpy takes it."""
    shape = draw(npst.array_shapes(min_dims=0, max_dims=4, min_side=1, max_side=5))
    index = []
    ellipsis_used = False
    for _ in shape[: draw(st.integers(0, len(shape)))]:
        while draw(st.integers(0, 4)) == 0 and sum(item is None for item in index) < 2:
            index.append(None)
        kind = draw(st.sampled_from(["slice", "slice", "integer", "ellipsis"]))
        if kind == "integer":
            index.append(draw(st.sampled_from([0, -1])))
        elif kind == "ellipsis" and not ellipsis_used:
            ellipsis_used = True
            index.append(Ellipsis)
        else:
            stop = st.one_of(st.none(), POSITIONS)
            step = draw(st.one_of(st.none(), st.integers(-3, 3).filter(bool)))
            index.append(slice(draw(stop), draw(stop), step))
    return shape, tuple(index)


def tensorflow_form(index):
    """Return begin, end, stride and masks that mean the same as an index of numpy."""
    begin, end, stride = [], [], []
    masks = dict.fromkeys(
        ["begin_mask", "end_mask", "shrink_axis_mask", "ellipsis_mask", "new_axis_mask"], 0
    )
    for entry, item in enumerate(index):
        bit = 1 << entry
        first, last, step = 0, 0, 1
        if item is None:
            masks["new_axis_mask"] |= bit
        elif item is Ellipsis:
            masks["ellipsis_mask"] |= bit
        elif isinstance(item, slice):
            step = item.step or 1
            if item.start is None:
                masks["begin_mask"] |= bit
            else:
                first = item.start
            if item.stop is None:
                masks["end_mask"] |= bit
            else:
                last = item.stop
        else:
            first, last = item, item + 1
            masks["shrink_axis_mask"] |= bit
        begin.append(first)
        end.append(last)
        stride.append(step)
    return (begin, end, stride), masks


@settings(max_examples=400)
@given(basic_indices())
def test_strided_slice_is_basic_indexing(case):
    shape, index = case
    network = Network()
    x = network.add_input("x", TensorInfo(shape))
    sequences, masks = tensorflow_form(index)
    layer = network.add_strided_slice(x, *sequences, **masks, name="cut")
    assert layer.output.info.shape == np.empty(shape)[index].shape
    assert layer.name == "cut"
    cut = next(one for one in network.layers if one.type is LayerType.STRIDED_SLICE)
    # What reaches a backend names every dimension, and has no mask that the host resolves.
    assert len(cut.descriptor.begin) == len(shape)
    assert not cut.descriptor.ellipsis_mask
    assert not cut.descriptor.new_axis_mask


@given(st.data(), npst.array_shapes(min_dims=1, max_dims=5, min_side=0, max_side=5))
def test_slice_is_a_box(data, shape):
    begin = [data.draw(st.integers(0, dim)) for dim in shape]
    size = [data.draw(st.integers(0, dim - start)) for dim, start in zip(shape, begin, strict=True)]
    network = Network()
    x = network.add_input("x", TensorInfo(shape))
    box = tuple(slice(a, a + n) for a, n in zip(begin, size, strict=True))
    assert network.add_slice(x, begin, size).output.info.shape == np.empty(shape)[box].shape


def test_a_box_outside_is_refused(network, tensor):
    with pytest.raises(LayerValidationError, match="dimension 1 is cut from 2 to 5, but has 4"):
        network.add_slice(tensor(3, 4), (0, 2), (3, 3))


@pytest.mark.parametrize("index", [4, -5])
def test_an_index_outside_is_refused(network, tensor, index):
    with pytest.raises(LayerValidationError, match=f"index {index} given, but dimension 0 has 4"):
        network.add_strided_slice(tensor(4), [index], [0], shrink_axis_mask=1)


@pytest.mark.parametrize(
    ("arguments", "masks", "text"),
    [
        (([0], [1, 2]), {}, "1 begins, 2 ends and 1 strides"),
        (([0, 0], [1, 1]), {}, "2 dimensions given, the input has 1"),
        (([0], [1], [0]), {}, "a stride of 0 goes nowhere"),
        (([0, 0], [1, 1]), {"ellipsis_mask": 3}, "several ellipses"),
        (([0], [1]), {"new_axis_mask": 2}, "new axis mask 2 has no entry"),
    ],
)
def test_invalid_indices_are_refused(network, tensor, arguments, masks, text):
    with pytest.raises(InvalidArgumentError, match=text):
        network.add_strided_slice(tensor(4), *arguments, **masks)


def test_masks_that_the_host_resolves_are_refused_in_a_layer(network, tensor):
    from armnn_py.descriptors import StridedSliceDescriptor

    descriptor = StridedSliceDescriptor((0,), (1,), (1,), ellipsis_mask=1)
    with pytest.raises(LayerValidationError, match="ellipsis"):
        network.add_layer(LayerType.STRIDED_SLICE, [tensor(4)], descriptor)
