# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Descriptors check themselves, compare by value and have Arm NN's defaults."""

from __future__ import annotations

import pickle
import typing

import numpy as np
import pytest
from msgspec import structs

from armnn_py.descriptors import (
    DESCRIPTOR_OF,
    ActivationDescriptor,
    ArgMinMaxDescriptor,
    BatchMatMulDescriptor,
    BatchToSpaceNdDescriptor,
    ConcatDescriptor,
    Convolution2dDescriptor,
    Convolution3dDescriptor,
    FakeQuantizationDescriptor,
    PadDescriptor,
    PermuteDescriptor,
    Pooling2dDescriptor,
    ReduceDescriptor,
    ReshapeDescriptor,
    SliceDescriptor,
    SplitterDescriptor,
    StridedSliceDescriptor,
    View,
)
from armnn_py.errors import InvalidArgumentError
from armnn_py.types import ActivationFunction, DataLayout, DataType, LayerType, ReduceOperation

# Layer types without parameters: Arm NN's, and Select.
BARE = [
    "Addition",
    "Cast",
    "Constant",
    "ConvertFp16ToFp32",
    "ConvertFp32ToFp16",
    "Debug",
    "Dequantize",
    "Division",
    "Floor",
    "GatherNd",
    "Input",
    "Map",
    "MatMulInteger",
    "Maximum",
    "MemCopy",
    "MemImport",
    "Merge",
    "Minimum",
    "Multiplication",
    "Output",
    "Prelu",
    "Quantize",
    "QuantizedLstm",
    "Rank",
    "ReverseV2",
    "Select",
    "Shape",
    "Subtraction",
    "Switch",
    "TreeLeaves",
    "Unmap",
]


def test_every_layer_type_has_its_descriptor_or_none():
    assert set(DESCRIPTOR_OF) == set(LayerType)
    assert sorted(key.label for key, value in DESCRIPTOR_OF.items() if value is None) == sorted(
        BARE
    )
    for layer_type, descriptor in DESCRIPTOR_OF.items():
        if descriptor is not None:
            assert layer_type in descriptor.layer_types


@pytest.mark.parametrize("kind", sorted(set(DESCRIPTOR_OF.values()) - {None}, key=str))
def test_defaults_are_valid_and_values_are_frozen(kind):
    descriptor = kind()
    assert repr(descriptor) == f"{kind.__name__}()"
    assert pickle.loads(pickle.dumps(descriptor)) == descriptor
    assert hash(descriptor) == hash(kind())
    for field in structs.fields(kind):
        with pytest.raises(AttributeError):
            setattr(descriptor, field.name, None)
        with pytest.raises(InvalidArgumentError, match=f"{kind.__name__}: {field.name} "):
            kind(**{field.name: object()})


def test_values_become_plain_python():
    descriptor = ReduceDescriptor(ReduceOperation.MAX, np.bool_(True), np.array([0, -1]))
    assert descriptor == ReduceDescriptor(ReduceOperation.MAX, True, (0, -1))
    assert [type(axis) for axis in descriptor.axes] == [int, int]
    assert type(ActivationDescriptor(ActivationFunction.ELU, np.float32(0.5)).a) is float
    assert ActivationDescriptor(ActivationFunction.ELU, 1).a == 1.0


@pytest.mark.parametrize("kind", [kind for kind in DESCRIPTOR_OF.values() if kind is not None])
def test_defaults_are_of_the_types_of_their_fields(kind):
    """Files and backends' layers are read by the types of defaults."""
    hints = typing.get_type_hints(kind)
    for field in structs.fields(kind):
        hint = hints[field.name]
        assert type(field.default) is (typing.get_origin(hint) or hint)


def test_a_descriptor_shows_what_is_not_default():
    descriptor = Convolution2dDescriptor(stride_x=2, data_layout=DataLayout.NHWC)
    assert repr(descriptor) == "Convolution2dDescriptor(stride_x=2, data_layout=NHWC)"


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Convolution2dDescriptor(stride_x=0), "stride_x 0 given, at least 1 expected"),
        (lambda: Convolution2dDescriptor(pad_top=-1), "pad_top -1 given, at least 0 expected"),
        (lambda: Convolution2dDescriptor(pad_top=2**32), "at most 4294967295 expected"),
        (lambda: Convolution2dDescriptor(pad_top=1.0), "pad_top 1.0 given"),
        (lambda: Convolution2dDescriptor(pad_top=True), "an integer expected"),
        (lambda: Convolution2dDescriptor(bias_enabled=1), "True or False expected"),
        (lambda: Convolution2dDescriptor(data_layout=DataLayout.NDHWC), "NCHW or NHWC expected"),
        (lambda: Convolution3dDescriptor(data_layout=DataLayout.NCHW), "NDHWC or NCDHW expected"),
        (lambda: Convolution2dDescriptor(data_layout=2), "a member of DataLayout expected"),
        (lambda: Pooling2dDescriptor(pool_width=0), "pool_width 0 given"),
        (lambda: ActivationDescriptor(3), "function 3 given, a member of ActivationFunction"),
        (lambda: ActivationDescriptor(a="1"), "a number expected"),
        (lambda: ArgMinMaxDescriptor(output_type=DataType.FLOAT32), "int32 or int64"),
        (lambda: BatchMatMulDescriptor(transpose_x=True, adjoint_x=True), "not both"),
        (lambda: BatchToSpaceNdDescriptor((2,), (0, 0), (0,)), "equally many expected"),
        (lambda: ConcatDescriptor(0, (1, 2)), "a sequence of View expected"),
        (lambda: FakeQuantizationDescriptor(6, -6), "below max -6.0 expected"),
        (lambda: PadDescriptor(pad_before=(1,), pad_after=()), "1 pads before and 0 after"),
        (lambda: PermuteDescriptor((0, 2)), "is not a permutation"),
        (lambda: PermuteDescriptor("01"), "a sequence of integers expected"),
        (lambda: ReshapeDescriptor((1,) * 9), "at most 8 values expected"),
        (lambda: ReshapeDescriptor((-1,)), "at least 0 expected"),
        (lambda: SliceDescriptor((0,), ()), "1 begins and 0 sizes"),
        (lambda: SplitterDescriptor(-2), "at least -1 expected"),
        (lambda: StridedSliceDescriptor((0,), (1,), (0,)), "a stride of 0 goes nowhere"),
        (lambda: StridedSliceDescriptor((0,), (1,), ()), "equally many expected"),
        (lambda: View((0,), (1, 2)), "origin has 1 dimensions, size 2"),
    ],
)
def test_values_that_cannot_be(make, text):
    with pytest.raises(InvalidArgumentError, match=text):
        make()
