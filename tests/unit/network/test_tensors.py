# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""TensorInfo, QuantizationInfo, constants and data types."""

from __future__ import annotations

import array
import copy
import pickle

import numpy as np
import pytest

from armnn_py.errors import InvalidArgumentError
from armnn_py.tensors import QuantizationInfo, TensorInfo, as_constant
from armnn_py.types import DataLayout, DataType, LayerType

U8, S8 = DataType.QASYMM_U8, DataType.QSYMM_S8


def test_a_tensor_info_tells_of_itself():
    info = TensorInfo([np.int64(1), 3, 224, 224])
    assert info.shape == (1, 3, 224, 224)
    assert all(type(dim) is int for dim in info.shape)
    assert (info.rank, info.element_count, info.byte_size) == (4, 150_528, 602_112)
    assert info.dtype == np.float32
    assert repr(info) == "TensorInfo(float32, 1x3x224x224)"
    assert repr(TensorInfo(())) == "TensorInfo(float32, scalar)"
    assert TensorInfo(()).element_count == 1
    assert info == TensorInfo((1, 3, 224, 224))
    assert hash(info) == hash(TensorInfo((1, 3, 224, 224)))
    assert pickle.loads(pickle.dumps(info)) == info
    assert info.with_shape((2, 0)).byte_size == 0


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (np.float32, DataType.FLOAT32),
        ("float16", DataType.FLOAT16),
        (np.dtype(">i4"), DataType.SIGNED32),
        (np.zeros(1, np.int64).dtype, DataType.SIGNED64),
        (bool, DataType.BOOLEAN),
    ],
)
def test_a_data_type_may_be_what_numpy_calls_it(given, expected):
    info = TensorInfo((1, 2), given)
    assert info.data_type is expected
    assert info == TensorInfo((1, 2), data_type=expected)
    assert pickle.loads(pickle.dumps(info)) == info


def test_free_dimensions():
    info = TensorInfo((None, 3, None))
    assert not info.is_static
    assert repr(info) == "TensorInfo(float32, ?x3x?)"
    for attribute in ("element_count", "byte_size", "static_shape"):
        with pytest.raises(InvalidArgumentError, match=r"shape \?x3x\? has free dimensions"):
            getattr(info, attribute)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (((1, -1),), "dimension 1 is -1, at least 0 expected"),
        (((1,) * 9,), "more than 8 dimensions"),
        (((1.5,),), "dimension 0 is 1.5, an integer or None expected"),
        (((True,),), "dimension 0 is True"),
        ((("3",),), "dimension 0 is '3'"),
        (("12",), "'12' is not a sequence"),
        ((5,), "shape 5 is not a sequence of integers"),
        (((2**61, 1),), "2.*63 bytes or more"),
        (((2**62, 2**62, None),), "2.*63 bytes or more"),
        (((1,), "complex64"), "'complex64' has no tensor type"),
        (((1,), "flaot32"), "'flaot32' is not a numpy dtype"),
        (((1,), None), "data type None is not a DataType"),
        (((1,), 1), "data type 1 is not a DataType"),
        (((1,), U8, 0.5), "is not a QuantizationInfo"),
        (((1,), DataType.FLOAT32, QuantizationInfo(0.5)), "a quantised type expected"),
        (((1,), U8, QuantizationInfo(0.5, 256)), "zero point 256 given, 0 to 255 expected"),
        (((1,), S8, QuantizationInfo(0.5, 1)), "zero point 1 given, 0 to 0 expected"),
        (((2, 3), S8, QuantizationInfo((0.5,) * 2, axis=1)), "do not fit shape 2x3"),
        (((2,), S8, QuantizationInfo((0.5,) * 2, axis=1)), "do not fit shape 2"),
    ],
)
def test_infos_that_cannot_be(arguments, text):
    with pytest.raises(InvalidArgumentError, match=text):
        TensorInfo(*arguments)


def test_quantization():
    assert QuantizationInfo(0.5).zero_points == (0,)
    assert QuantizationInfo(np.array([0.5, 1]), axis=np.int64(1)).scales == (0.5, 1.0)
    assert QuantizationInfo((1,), (3,)) == QuantizationInfo(1, 3)
    info = TensorInfo((2, None), S8, QuantizationInfo((0.5, 0.25), axis=0))
    assert repr(info) == "TensorInfo(int8, 2x?, 2 scales along axis 0)"
    assert repr(TensorInfo((2,), U8, QuantizationInfo(0.1, 3))) == (
        "TensorInfo(uint8, 2, scale 0.1 zero point 3)"
    )
    assert repr(TensorInfo((2,), S8, QuantizationInfo(0.1))) == "TensorInfo(int8, 2, scale 0.1)"


def test_names_for_users_are_numpys():
    shown = {kind.name: kind.shown for kind in DataType}
    assert shown["SIGNED64"] == "int64"
    assert shown["BOOLEAN"] == "bool"
    assert shown["QASYMM_S8"] == shown["QSYMM_S8"] == "int8"
    assert shown["BFLOAT16"] == "bfloat16"
    assert shown["QASYMM_U4"] == "uint4"
    assert shown["FLOAT8_E5M2"] == "float8_e5m2"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((0.0,), "scale 0.0 given, above 0 expected"),
        ((-1.0,), "scale -1.0 given"),
        ((float("nan"),), "scale nan given"),
        ((float("inf"),), "scale inf given"),
        (((),), "0 scales and 0 zero points given"),
        (((0.5, 1.0),), "2 scales and 2 zero points given, one of each expected"),
        (((0.5, 1.0), (0,), 0), "2 scales and 1 zero points given, equally many expected"),
        (("a",), "scales are numbers"),
        ((0.5, 1.5), "zero points and axis are integers"),
        ((0.5, 2**31), "is not an int32"),
        ((0.5, 0, 8), "axis 8 is not a dimension"),
    ],
)
def test_quantization_that_cannot_be(arguments, text):
    with pytest.raises(InvalidArgumentError, match=text):
        QuantizationInfo(*arguments)


class WithDlpack:
    """A tensor of another library: nothing but the protocol."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **keywords):
        return self.values.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (1.5, np.float32, 1.5),
        (3, np.int32, 3),
        (2**40, np.int64, 2**40),
        (True, np.bool_, True),
        ([1, 2], np.int32, [1, 2]),
        ([[0.5], [1]], np.float32, [[0.5], [1.0]]),
        ([], np.float32, []),
        (np.float64(0.5), np.float32, 0.5),
        (np.arange(3, dtype=">i4"), np.int32, [0, 1, 2]),
        (np.ones((2, 3), np.float16).T, np.float16, [[1, 1]] * 3),
        (array.array("f", [1, 2]), np.float32, [1, 2]),
        (memoryview(b"\x01\x02"), np.uint8, [1, 2]),
        (WithDlpack(np.arange(3, dtype=np.int64)), np.int64, [0, 1, 2]),
        (np.broadcast_to(np.float32(2), (2, 2)), np.float32, [[2, 2], [2, 2]]),
    ],
)
def test_constants(value, dtype, expected):
    result = as_constant(value)
    assert result.dtype == dtype
    assert result.dtype.isnative
    assert result.tolist() == expected
    assert result.flags.c_contiguous
    assert not result.flags.writeable


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.zeros(2, np.complex64), "dtype 'complex64' has no tensor type"),
        (np.zeros(2, complex), "dtype 'complex128'"),
        (np.zeros(2, "M8[s]"), "dtype 'datetime64"),
        ("text", "has no tensor type"),
        (object(), "has no tensor type"),
        (np.ma.masked_array(np.ones(2, np.float32), [True, False]), "a masked array given"),
        ([2**70], "has no tensor type"),
        (np.zeros((1,) * 9, np.float32), "the array has 9 dimensions"),
    ],
)
def test_values_that_are_no_constants(value, text):
    with pytest.raises(InvalidArgumentError, match=text):
        as_constant(value)


def test_float64_arrays_keep_their_type_and_python_numbers_do_not():
    assert as_constant(np.zeros(2)).dtype == np.float64
    assert as_constant([0.5, 2.0]).dtype == np.float32
    assert as_constant(0.1, like=DataType.FLOAT64) == 0.1


@pytest.mark.parametrize("data_type", ["UNSIGNED16", "UNSIGNED32", "UNSIGNED64"])
def test_numbers_become_unsigned_where_they_fit(data_type):
    like = DataType[data_type]
    most = int(np.iinfo(like.numpy).max)
    assert as_constant([most], like=like).dtype == like.numpy
    for number in (-1, most + 1 if most < 2**63 else -(2**63)):
        with pytest.raises(InvalidArgumentError, match="does not fit"):
            as_constant(number, like=like)


@pytest.mark.parametrize("data_type", DataType)
def test_data_types_and_numpy(data_type):
    assert data_type.size == data_type.numpy.itemsize
    assert data_type.label == data_type.name.lower()
    if data_type is DataType.BFLOAT16:  # the bits alone do not tell
        assert DataType.from_numpy(data_type.numpy) is DataType.UNSIGNED16
    elif data_type.package_dtype is not None:
        assert DataType.from_numpy(data_type.package_dtype) is data_type
        assert DataType.from_numpy(data_type.numpy) is not data_type
    elif data_type is DataType.QSYMM_S8:
        assert DataType.from_numpy(data_type.numpy) is DataType.QASYMM_S8
    else:
        assert DataType.from_numpy(data_type.numpy) is data_type


def test_data_types_of_other_dtypes():
    assert DataType.from_numpy(">f4") is DataType.FLOAT32
    assert DataType.from_numpy(np.int32) is DataType.SIGNED32
    for dtype in ("complex64", "nonsense", object, None):
        with pytest.raises(InvalidArgumentError):
            DataType.from_numpy(dtype)


def test_names_are_arm_nns():
    labels = {layer_type.label for layer_type in LayerType}
    assert len(labels) == len(LayerType)
    assert [int(layer_type) for layer_type in LayerType][:78] == list(range(78))  # Arm NN's
    assert {
        "ArgMinMax",
        "BatchToSpaceNd",
        "ConvertFp16ToFp32",
        "Convolution2d",
        "L2Normalization",
        "LogSoftmax",
        "QLstm",
        "Pooling3d",
        "ReverseV2",
        "UnidirectionalSequenceLstm",
    } <= labels
    assert DataLayout.NCDHW.channel_axis == 1
    assert DataLayout.NHWC.spatial_axes == (1, 2)


def test_names_of_free_dimensions():
    named = TensorInfo((None, 3, None), dimension_names=("batch", "channels", None))
    assert named.dimension_names == ("batch", None, None)
    assert named == TensorInfo((None, 3, None))
    assert hash(named) == hash(TensorInfo((None, 3, None)))
    assert repr(named) == "TensorInfo(float32, batch x 3 x ?)"
    assert repr(TensorInfo((None,), dimension_names=["a\nb"])) == r"TensorInfo(float32, a\nb)"
    for unnamed in ((), ("", None, ""), (None, "channels", None)):
        info = TensorInfo((None, 3, None), dimension_names=unnamed)
        assert info.dimension_names == ()
        assert repr(info) == "TensorInfo(float32, ?x3x?)"
    for other in (pickle.loads(pickle.dumps(named)), copy.deepcopy(named)):
        assert other.dimension_names == named.dimension_names
    assert named.with_shape((None, 3, 5)).dimension_names == ("batch", None, None)
    assert named.with_shape((2, 3, 5)).dimension_names == ()
    assert named.with_shape((None, 3)).dimension_names == ()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("batch",), "1 dimension name given, 2 expected"),
        ("ab", "dimension names 'ab' given, a sequence of str and None expected"),
        (5, "dimension names 5 given, a sequence of str and None expected"),
        ((1, None), "a sequence of str and None expected"),
    ],
)
def test_names_that_do_not_fit(names, message):
    with pytest.raises(InvalidArgumentError, match=message):
        TensorInfo((None, 3), dimension_names=names)


def test_names_of_types_differ():
    """Numpy's names, or those of ml_dtypes; a quantised type says so."""
    described = [data_type.described for data_type in DataType]
    assert len(set(described)) == len(described)
    for data_type in DataType:
        assert data_type.shown in data_type.described
        assert data_type.described.startswith("quantised ") == data_type.is_quantized
    assert DataType.QASYMM_U8.described == "quantised uint8"
    assert DataType.SIGNED64.described == "int64"
    assert DataType.BFLOAT16.described == "bfloat16"
