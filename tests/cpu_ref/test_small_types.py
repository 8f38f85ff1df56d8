# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Numbers of 8 bits in floating point, and of 4 and 2 bits: CpuRef against ml_dtypes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer import AS_IT_IS
from armnn_py.types import DataType as T
from armnn_py.types import LayerType as L

FLOATS = [
    T.FLOAT8_E4M3FN, T.FLOAT8_E4M3FNUZ, T.FLOAT8_E5M2, T.FLOAT8_E5M2FNUZ, T.FLOAT8_E8M0FNU,
    T.FLOAT4_E2M1FN,
]  # fmt: skip
INTEGERS = [T.QASYMM_S4, T.QASYMM_U4, T.QASYMM_S2, T.QASYMM_U2]
PACKED = [data_type for data_type in T if data_type.is_packed]
DRAW = np.random.default_rng(84)


@contextlib.contextmanager
def as_it_is(network: ann.Network) -> Iterator[ann.LoadedNetwork]:
    """The network on CpuRef, layer for layer."""
    with ann.Runtime() as runtime:
        placed = ann.optimize(network, ["CpuRef"], runtime=runtime, options=AS_IT_IS)
        with runtime.load_network(placed) as loaded:
            yield loaded


def package(data_type: T) -> Any:
    dtype = data_type.package_dtype
    assert dtype is not None
    return dtype


def cast(array: np.ndarray, *types: T) -> np.ndarray:
    """The array after casts from type to type on CpuRef."""
    network = ann.Network()
    value: Any = network.add_input("x", ann.TensorInfo(array.shape, types[0]))
    for target in types[1:]:
        info = ann.TensorInfo(array.shape, target)
        value = network.add_layer(L.CAST, [value], output_infos=[info])
    network.add_output("y", value)
    with as_it_is(network) as loaded:
        return np.array(loaded.run({"x": array})["y"])


def special() -> np.ndarray:
    """Every float32 that is near a number of a small type, and NaN."""
    bits = np.arange(2**16, dtype=np.uint32) << 16  # all of bfloat16
    halves = (bits | 0x8000).view(np.float32)  # ties, and one more bit than that
    whole = bits.view(np.float32)
    below = ((bits | 0x8000) - 1).view(np.float32)
    return np.concatenate([whole, halves, below, np.float32([7e4])])


@pytest.mark.parametrize("data_type", FLOATS)
def test_floats_round_to_nearest(data_type: T) -> None:
    x = special()
    x = x[~np.isnan(x)]
    if data_type is T.FLOAT8_E8M0FNU:
        # Negative numbers have no meaning; ml_dtypes rounds subnormal float32 numbers up.
        x = x[(x == 0) | (x >= np.finfo(np.float32).tiny)]
        between = np.float32([2.0**-127 * 1.49, 2.0**-127 * 1.51])
        np.testing.assert_array_equal(cast(between, T.FLOAT32, data_type), [0, 1])
    with np.errstate(all="ignore"):
        expected = x.astype(package(data_type))
    got = cast(x, T.FLOAT32, data_type, T.FLOAT32)
    np.testing.assert_array_equal(got, expected.astype(np.float32))
    if not data_type.is_packed:  # NaN has no sign that matters
        bits = cast(x, T.FLOAT32, data_type)
        nan = np.isnan(expected.astype(np.float32))
        np.testing.assert_array_equal(bits[~nan], expected.view(np.uint8)[~nan])
    assert np.isnan(cast(np.float32([np.nan]), T.FLOAT32, data_type, T.FLOAT32)).all() or (
        data_type is T.FLOAT4_E2M1FN  # which has no NaN
    )


@pytest.mark.parametrize("data_type", [one for one in FLOATS if not one.is_packed])
@pytest.mark.parametrize("wide", [T.FLOAT16, T.FLOAT32, T.FLOAT64, T.SIGNED32, T.UNSIGNED64])
def test_all_codes_of_floats(data_type: T, wide: T) -> None:
    """Every code as a number of a wider type, and back."""
    codes = np.arange(256, dtype=np.uint8)
    values = codes.view(package(data_type))
    if data_type is T.FLOAT8_E8M0FNU and wide is T.FLOAT16:
        codes = codes[103:143]  # what float16 holds
        values = values[103:143]
    real = values.astype(np.float64)
    if not wide.is_float:
        fits = np.isfinite(real) & (real >= 0) & (real < 2**31) & (real == np.trunc(real))
    elif data_type is T.FLOAT8_E8M0FNU:
        fits = np.isfinite(real)
    else:
        fits = np.ones(len(real), bool)
    got = cast(codes[fits], data_type, wide)
    with np.errstate(over="ignore"):
        expected = real[fits].astype(wide.numpy)
    np.testing.assert_array_equal(got, expected)
    back = cast(got, wide, data_type).view(package(data_type)).astype(np.float64)
    np.testing.assert_array_equal(back, real[fits])


@pytest.mark.parametrize("count", [1, 2, 3, 7, 515, 40001])
@pytest.mark.parametrize("data_type", INTEGERS)
def test_integers_are_packed_and_come_back(data_type: T, count: int) -> None:
    """Numbers that fit stay, others lose high bits; as in ml_dtypes."""
    x = DRAW.integers(-128, 128, count).astype(np.int32)
    expected = x.astype(package(data_type)).astype(np.int32)
    np.testing.assert_array_equal(cast(x, T.SIGNED32, data_type, T.SIGNED32), expected)
    np.testing.assert_array_equal(cast(x, T.SIGNED32, data_type, data_type, T.FLOAT32), expected)


@pytest.mark.parametrize("data_type", INTEGERS)
def test_real_numbers_are_cut_and_saturate(data_type: T) -> None:
    low, high = data_type.zero_points or (0, 0)
    x = np.float32([-1e9, -9.5, -2.5, -0.9, 0, 0.9, 1.5, 2.9, 6.9, 15.5, 1e9, np.inf, np.nan])
    expected = np.clip(np.trunc(np.nan_to_num(x, nan=0)), low, high)
    np.testing.assert_array_equal(cast(x, T.FLOAT32, data_type, T.FLOAT32), expected)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("data_type", [*INTEGERS, T.QASYMM_U8, T.QSYMM_S16])
@pytest.mark.parametrize("real", [T.FLOAT32, T.FLOAT64, T.FLOAT16, T.FLOAT8_E5M2])
def test_quantize_and_dequantize(data_type: T, real: T, axis: int | None) -> None:
    """Scales of channels begin within a byte: 5 columns of 4 bits."""
    shape, low_high = (7, 5), data_type.zero_points or (0, 0)
    count = 1 if axis is None else shape[axis]
    scales = tuple(np.float32(DRAW.uniform(0.2, 0.9, count)).tolist())
    points = tuple(int(p) for p in DRAW.integers(low_high[0], low_high[1] + 1, count))
    quantization = ann.QuantizationInfo(scales, points, axis)
    x = DRAW.uniform(-4, 4, shape).astype(package(real) if real.package_dtype else real.numpy)
    network = ann.Network()
    value = network.add_input("x", ann.TensorInfo(shape, real))
    levels = network.add_layer(
        L.QUANTIZE, [value], output_infos=[ann.TensorInfo(shape, data_type, quantization)]
    )
    for name, target in (("f32", T.FLOAT32), ("f64", T.FLOAT64)):
        info = ann.TensorInfo(shape, target)
        network.add_output(name, network.add_layer(L.DEQUANTIZE, [levels], output_infos=[info]))
    with as_it_is(network) as loaded:
        found = loaded.run({"x": x})
        found = {name: np.array(value) for name, value in found.items()}
    wide = [1, 1]
    if axis is not None:
        wide[axis] = count
    scale, point = np.float32(scales).reshape(wide), np.array(points).reshape(wide)
    bits = data_type.bits
    low = 0 if low_high[0] >= 0 and data_type is not T.QSYMM_S16 else -(2 ** (bits - 1))
    steps = np.clip(np.rint(x.astype(np.float32) / scale) + point, low, low + 2**bits - 1)
    expected = scale * (steps - point).astype(np.float32)
    np.testing.assert_array_equal(found["f32"], expected)
    np.testing.assert_array_equal(found["f64"], expected.astype(np.float64))


@pytest.mark.parametrize("data_type", PACKED)
def test_movements_that_keep_bytes(data_type: T) -> None:
    x = DRAW.integers(0, 2, (3, 5)).astype(np.float32)
    network = ann.Network()
    value: Any = network.add_input("x", ann.TensorInfo(x.shape))
    value = network.add_layer(L.CAST, [value], output_infos=[ann.TensorInfo(x.shape, data_type)])
    value = network.add_reshape(value, (5, 3))
    value = network.add_layer(L.CAST, [value], output_infos=[ann.TensorInfo((5, 3))])
    network.add_output("y", value)
    with as_it_is(network) as loaded:
        np.testing.assert_array_equal(loaded.run({"x": x})["y"], x.reshape(5, 3))


@pytest.mark.parametrize("data_type", PACKED)
def test_other_layers_refuse_them(data_type: T) -> None:
    network = ann.Network()
    value: Any = network.add_input("x", ann.TensorInfo((2, 3)))
    value = network.add_layer(L.CAST, [value], output_infos=[ann.TensorInfo((2, 3), data_type)])
    value = network.add_transpose(value, (1, 0))
    value = network.add_layer(L.CAST, [value], output_infos=[ann.TensorInfo((3, 2))])
    network.add_output("y", value)
    refused = pytest.raises(ann.ArmnnError, match=f"no kernel for data type {data_type.described}")
    with refused, as_it_is(network):
        pass


@pytest.mark.parametrize("data_type", PACKED)
def test_no_array_of_a_run_has_them(data_type: T) -> None:
    info = ann.TensorInfo((2,), data_type)
    network = ann.Network()
    what = f"is {data_type.described}, whose elements are less than a byte"
    with pytest.raises(ann.InvalidArgumentError, match=what):
        network.add_input("x", info)
    with pytest.raises(ann.InvalidArgumentError, match=what):
        network.add_variable("v", info)
    value = network.add_layer(
        L.CAST, [network.add_input("x", ann.TensorInfo((2,)))], output_infos=[info]
    )
    with pytest.raises(ann.InvalidArgumentError, match=what):
        network.add_output("y", value)


@pytest.mark.parametrize("data_type", PACKED)
@pytest.mark.parametrize("count", [0, 1, 6, 7])
def test_constants_have_several_to_a_byte(data_type: T, count: int) -> None:
    ends = [-2, -1, 0, 1] if data_type in (T.QASYMM_S2, T.QASYMM_S4) else [0, 1, 2, 3]
    numbers = np.resize(ends, count).astype(package(data_type))
    layer = ann.Network().add_constant(numbers)
    assert layer.output.info == ann.TensorInfo((count,), data_type)
    assert (layer.value.dtype, layer.value.size) == (np.uint8, -(-count * data_type.bits // 8))
    codes = numbers.view(np.uint8) & (1 << data_type.bits) - 1
    stored = np.unpackbits(layer.value, bitorder="little")
    np.testing.assert_array_equal(
        stored[: count * data_type.bits],
        np.unpackbits(
            codes.reshape(-1, 1), axis=1, count=data_type.bits, bitorder="little"
        ).ravel(),
    )
    assert not stored[count * data_type.bits :].any()
    again = ann.Network().add_constant(layer.value, info=layer.output.info)
    assert again.value is layer.value or not count


@pytest.mark.parametrize("data_type", PACKED)
def test_numbers_that_do_not_fit_a_constant(data_type: T) -> None:
    info = ann.TensorInfo((2,), data_type)
    for wrong in ([1, 1], np.array([1, 1], np.int32), np.array([100, 100], np.int8)):
        with pytest.raises(ann.InvalidArgumentError, match=data_type.described):
            ann.Network().add_constant(wrong, info=info)
    with pytest.raises(ann.InvalidArgumentError, match="does not fit"):
        ann.Network().add_constant(np.ones(3, package(data_type)), info=info)


@pytest.mark.parametrize("data_type", PACKED)
def test_constants_of_them_are_folded_behind_a_cast(data_type: T) -> None:
    """No Constant layer of theirs is made, and debug=True passes them by."""
    x = DRAW.integers(0, 2, (3, 5)).astype(np.float32)
    network = ann.Network()
    packed = network.add_layer(
        L.CAST, [network.add_constant(x)], output_infos=[ann.TensorInfo(x.shape, data_type)]
    )
    known = network.add_layer(L.CAST, [packed], output_infos=[ann.TensorInfo(x.shape)])
    given = network.add_input("x", ann.TensorInfo(x.shape))
    twice = network.add_addition(known, given)
    again = network.add_layer(L.CAST, [twice], output_infos=[ann.TensorInfo(x.shape, data_type)])
    back = network.add_layer(L.CAST, [again], output_infos=[ann.TensorInfo(x.shape)])
    network.add_output("y", back)
    for debug in (False, True):
        options = ann.OptimizerOptions(debug=debug)
        with ann.load(network, ["CpuRef"], options=options) as loaded:
            found = loaded.run({"x": np.zeros_like(x)})["y"]
            np.testing.assert_array_equal(found, x)


def test_arrays_of_ml_dtypes_are_taken() -> None:
    eight = np.arange(6).astype(ml_dtypes.float8_e4m3fn)
    np.testing.assert_array_equal(cast(eight, T.FLOAT8_E4M3FN, T.FLOAT32), np.arange(6))
    four = np.arange(-3, 3).astype(ml_dtypes.int4)
    np.testing.assert_array_equal(cast(four, T.QASYMM_S8, T.SIGNED32), np.arange(-3, 3))
    network = ann.Network()
    constant = network.add_constant(eight)
    assert constant.outputs[0].info.data_type is T.FLOAT8_E4M3FN
    with pytest.raises(ann.InvalidArgumentError, match="dtype float8_e5m2 given, uint8 expected"):
        cast(eight.astype(ml_dtypes.float8_e5m2), T.FLOAT8_E4M3FN, T.FLOAT32)
