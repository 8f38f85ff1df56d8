# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The toolbox that importers share: known values keep their meaning on the way into a network."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.descriptors import Convolution2dDescriptor
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.emit.arithmetic import is_narrow
from armnn_py.frontends.common.known import KnownReals
from armnn_py.frontends.common.values import Known, Unsupported, Value, data_type_of, shape_of
from armnn_py.network.layer import ConstantLayer
from armnn_py.tensors.memory import ALIGNMENT, aligned_zeros
from armnn_py.types import DataLayout, DataType, LayerType

R = np.random.default_rng(3)
PER_TENSOR = ann.QuantizationInfo((0.5,), (3,))


def int8(*shape: int) -> np.ndarray:
    return R.integers(-100, 100, shape).astype(np.int8)


def quantized(array: np.ndarray, quantization: ann.QuantizationInfo = PER_TENSOR) -> Known:
    kind = DataType.QASYMM_S8 if quantization.axis is None else DataType.QSYMM_S8
    return Known(array, ann.TensorInfo(array.shape, kind, quantization))


def scales(count: int, axis: int) -> ann.QuantizationInfo:
    return ann.QuantizationInfo(tuple(0.25 * (k + 1) for k in range(count)), axis=axis)


def constant(value: Value) -> tuple[np.ndarray, ann.TensorInfo]:
    """What a Constant layer keeps of a value."""
    slot = Emitter(ann.Network()).slot(value)
    assert isinstance(slot.layer, ConstantLayer)
    return slot.layer.value, slot.info


def test_an_importer_of_quantised_models() -> None:
    """A convolution as an int8 model file has it: weights per channel, bias, stated output."""
    weights, bias = int8(4, 3, 3, 2), np.arange(4, dtype=np.int32)
    network = ann.Network("quantised")
    emit = Emitter(network)
    image = ann.TensorInfo((1, 8, 8, 2), DataType.QASYMM_S8, PER_TENSOR)
    x = network.add_input("x", image).output
    bias_scales = ann.QuantizationInfo(tuple(0.5 * s for s in scales(4, 0).scales), axis=0)
    output = ann.TensorInfo((1, 6, 6, 4), DataType.QASYMM_S8, ann.QuantizationInfo((0.1,), (-5,)))

    emit.begin("conv")
    rows = quantized(weights.reshape(4, 18), scales(4, 0))  # as some formats store them
    y = emit.layer(
        LayerType.CONVOLUTION2D,
        [
            x,
            emit.reshape(rows, (4, 3, 3, 2)),
            Known(bias, ann.TensorInfo((4,), DataType.SIGNED32, bias_scales)),
        ],
        Convolution2dDescriptor(bias_enabled=True, data_layout=DataLayout.NHWC),
        output=output,
    )
    network.add_output("y", emit.reshape(y, (1, 144)))

    network = pickle.loads(pickle.dumps(network))
    layer = network.layer("conv")
    _, weights_slot, bias_slot = layer.inputs
    assert weights_slot.info == ann.TensorInfo((4, 3, 3, 2), DataType.QSYMM_S8, scales(4, 0))
    np.testing.assert_array_equal(weights_slot.layer.value, weights)
    assert bias_slot.info == ann.TensorInfo((4,), DataType.SIGNED32, bias_scales)
    assert layer.output.info == output
    assert network.outputs["y"].quantization == output.quantization


Q, AXIS = int8(2, 3, 4), scales(3, 1)
MOVES: dict[str, tuple[Callable[[Emitter, Known], Value], np.ndarray, int | None]] = {
    "reshape": (lambda e, v: e.reshape(v, (2, 3, 2, 2)), Q.reshape(2, 3, 2, 2), 1),
    "reshape before": (lambda e, v: e.reshape(v, (1, 2, 3, 4)), Q[None], 2),
    "reshape across": (lambda e, v: e.reshape(v, (6, 4)), Q.reshape(6, 4), None),
    "transpose": (lambda e, v: e.transpose(v, (2, 0, 1)), Q.transpose(2, 0, 1), 2),
    "slice": (lambda e, v: e.slice(v, (0, 0, 1), (2, 3, 2)), Q[:, :, 1:3], 1),
    "slice along": (lambda e, v: e.slice(v, (0, 1, 0), (2, 2, 4)), Q[:, 1:], None),
    "stride": (
        lambda e, v: e.stride(v, (1, 0, 0), (2, 3, 2), (-1, 1, 2)),
        Q[::-1, :, ::2],
        1,
    ),
    "stride along": (
        lambda e, v: e.stride(v, (0, 2, 0), (2, 3, 4), (1, -1, 1)),
        Q[:, ::-1],
        None,
    ),
    "pad": (
        lambda e, v: e.pad(v, (1, 0, 0), (0, 0, 0), fill=3),
        np.pad(Q, ((1, 0), (0, 0), (0, 0)), constant_values=3),
        1,
    ),
    "gather": (
        lambda e, v: e.gather(v, Known(np.array([[1, 0], [-1, 1]])), 0),
        Q[np.array([[1, 0], [1, 1]])],
        2,
    ),
    "gather along": (
        lambda e, v: e.gather(v, Known(np.array([1, 0, 2])), 1),
        Q[:, [1, 0, 2]],
        None,
    ),
    "tile": (lambda e, v: e.tile(v, (2, 1, 1)), np.tile(Q, (2, 1, 1)), 1),
    "broadcast": (
        lambda e, v: e.broadcast_to(v, (5, 2, 3, 4)),
        np.broadcast_to(Q, (5, 2, 3, 4)),
        2,
    ),
    "concat": (lambda e, v: e.concat([v, v], 2), np.concatenate([Q, Q], 2), 1),
    "concat along": (lambda e, v: e.concat([v, v], 1), np.concatenate([Q, Q], 1), None),
    "split": (lambda e, v: e.split(v, (1, 3), 2)[1], Q[:, :, 1:], 1),
    "nothing": (lambda e, v: e.tile(v, (0, 1, 1)), Q[:0], None),
}


@pytest.mark.parametrize("move", MOVES)
def test_moved_elements_keep_one_scale(move: str) -> None:
    apply, expected, _ = MOVES[move]
    network = ann.Network()
    array, info = constant(apply(Emitter(network), quantized(Q)))
    np.testing.assert_array_equal(array, expected)
    assert info == ann.TensorInfo(expected.shape, DataType.QASYMM_S8, PER_TENSOR)
    assert not network.layers


@pytest.mark.parametrize("move", [m for m in MOVES if m != "nothing"])
def test_moved_elements_keep_scales_along_a_dimension(move: str) -> None:
    apply, expected, axis = MOVES[move]
    emit, value = Emitter(ann.Network()), quantized(Q, AXIS)
    if axis is None:
        with pytest.raises(Unsupported, match="along dimension 1, in which scales differ"):
            apply(emit, value)
        return
    array, info = constant(apply(emit, value))
    np.testing.assert_array_equal(array, expected)
    assert info == ann.TensorInfo(
        expected.shape, DataType.QSYMM_S8, ann.QuantizationInfo(AXIS.scales, axis=axis)
    )


def test_a_type_that_no_array_tells_is_kept() -> None:
    bits = np.array([[0x3F80, 0x4000]], np.uint16)
    value = Known(bits, ann.TensorInfo((1, 2), DataType.BFLOAT16))
    array, info = constant(Emitter(ann.Network()).transpose(value, (1, 0)))
    assert info == ann.TensorInfo((2, 1), DataType.BFLOAT16)
    np.testing.assert_array_equal(array, bits.T)


def test_different_scales_are_not_joined_by_numbers() -> None:
    network = ann.Network()
    emit = Emitter(network)
    emit.begin("both")
    other = quantized(Q, ann.QuantizationInfo((2.0,), (0,)))
    emit.concat([quantized(Q), other], 0)
    assert [layer.type for layer in network.layers][-1] is LayerType.CONCAT


def test_quantised_numbers_are_not_computed_with() -> None:
    """Their sum is another number than the sum of what is stored."""
    emit = Emitter(ann.Network())
    emit.begin("sum")
    one, plain = quantized(Q), Known(Q)
    assert not emit.foldable([one], Q.shape)
    assert emit.foldable([plain], Q.shape)
    assert (is_narrow(one), is_narrow(plain)) == (False, True)
    assert isinstance(emit.add(plain, plain), Known)
    with pytest.raises(ann.LayerValidationError, match=r"the scale of the .* output is not known"):
        emit.add(one, one)


def test_a_choice_between_quantised_numbers_moves_them() -> None:
    """A product with a mask would compute."""
    network = ann.Network()
    emit = Emitter(network)
    x = network.add_input("x", ann.TensorInfo((2, 3, 4), DataType.BOOLEAN)).output
    emit.begin("choice")
    chosen = emit.where(x, quantized(Q), quantized(Q[::-1]))
    assert chosen.info == ann.TensorInfo((2, 3, 4), DataType.QASYMM_S8, PER_TENSOR)


def test_known_values_of_no_tensor_type() -> None:
    """The importer computes with them; a layer that needs one is unsupported."""
    emit = Emitter(ann.Network())
    number = Known(np.array([1.5, 2.5], np.complex64))
    total: Any = emit.add(number, number)
    assert total.array.tolist() == [3.0, 5.0]
    with pytest.raises(Unsupported, match="complex64 values at run time"):
        _ = total.info
    with pytest.raises(Unsupported, match="complex64 values at run time"):
        emit.slot(total)
    assert data_type_of(np.dtype(np.int8)) is DataType.QASYMM_S8


def test_a_known_value_is_one_constant() -> None:
    network = ann.Network()
    emit = Emitter(network)
    emit.begin("n")
    value = quantized(Q)
    assert emit.slot(value) is emit.slot(value)
    assert emit.slot(value) is not emit.slot(quantized(Q))
    again = pickle.loads(pickle.dumps(value))
    assert again.info == value.info
    assert shape_of(again) == Q.shape
    assert repr(value) == f"<Known {value.info!r}>"
    assert repr(Known(np.zeros((2, 3)))) == "<Known float64 2x3>"


# ---- Real numbers of quantised ones --------------------------------------------------------------


@pytest.mark.parametrize("order", [None, (1, 2, 0)])
def test_real_numbers_are_made_of_levels_once(order: tuple[int, ...] | None) -> None:
    levels = int8(4, 3, 2)
    factors, points = (
        R.random((4, 1, 1), np.float32),
        np.array([[[5]], [[-6]], [[0]], [[9]]], np.float32),
    )
    known = KnownReals(quantized(levels, scales(4, 0)), factors, points)
    expected = (levels.astype(np.float32) - points) * factors
    if order is not None:
        moved = Emitter(ann.Network()).transpose(known, order)
        assert isinstance(moved, KnownReals)
        known, expected = moved, expected.transpose(order)
    assert (known.shape, known.dtype) == (expected.shape, np.dtype(np.float32))
    np.testing.assert_array_equal(known.array, expected)
    assert known.array is known.array
    with pytest.raises(ValueError, match="read-only"):
        known.array[...] = 0


def test_zeros_take_no_memory() -> None:
    zeros = aligned_zeros((1 << 14, 1 << 14), np.dtype(np.float32))
    assert zeros.shape == (1 << 14, 1 << 14)
    assert zeros.ctypes.data % ALIGNMENT == 0
    assert not zeros.flags.writeable
    assert not zeros[:3, 5:].any()
    assert aligned_zeros((0, 3), np.dtype(np.int8)).size == 0
