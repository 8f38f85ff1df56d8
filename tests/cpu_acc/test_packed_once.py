# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Weights are packed once for all shapes of a network, and never taken for others.

The constants of these networks are read-only views of memory that the tests can write to. It is
zeroed once there is a plan: a further plan that read it would compute with zeros. Few numbers, as
of a bias, may be read each time.
"""

from __future__ import annotations

import dataclasses
import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.network import LstmWeights
from armnn_py.tensors import QuantizationInfo
from armnn_py.tensors.memory import aligned_empty

Array = np.ndarray[Any, Any]
SIDE = 48


class Memory:
    """Values that a network believes to be constant."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(41)
        self._all: list[tuple[Array, Array]] = []

    def constant(self, values: Array) -> Array:
        memory = aligned_empty(values.shape, values.dtype)
        memory[...] = values
        view = memory.view()
        view.flags.writeable = False
        self._all.append((memory, view))
        return view

    def normal(self, *shape: int) -> Array:
        return self.constant(self._rng.standard_normal(shape).astype(np.float32) / 8)

    def levels(self, *shape: int) -> Array:
        return self.constant(self._rng.integers(-127, 128, shape).astype(np.int8))

    def zero(self) -> None:
        for memory, _ in self._all:
            memory[...] = 0


def few(count: int) -> Array:
    """Numbers that stay."""
    values = np.linspace(-2, 2, count, dtype=np.float32)
    values.flags.writeable = False
    return values


#: Gives the shape of the input, and what makes the output of it.
Make = Callable[[Memory], Any]


def matrix(memory: Memory) -> Any:
    weights, bias = memory.normal(SIDE, SIDE), few(SIDE)
    return (None, SIDE), lambda network, x: network.add_fully_connected(x, weights, bias)


def scaled_matrix(memory: Memory) -> Any:
    """The factors go into the weights."""
    weights, factors = memory.normal(SIDE, SIDE), few(SIDE)

    def build(network: ann.Network, x: Any) -> Any:
        return network.add_multiplication(network.add_fully_connected(x, weights), factors)

    return (None, SIDE), build


def matrices(memory: Memory) -> Any:
    weights = memory.normal(3, SIDE, SIDE)
    return (3, None, SIDE), lambda network, x: network.add_batch_mat_mul(x, weights)


def convolution(memory: Memory) -> Any:
    """Of one vector: how wide panels of Winograd's algorithm are depends on the image's size."""
    weights, bias = memory.normal(4, 3, 3, SIDE), few(4)
    return (1, 20, None, SIDE), lambda network, x: network.add_convolution2d(x, weights, bias)


def depthwise(memory: Memory) -> Any:
    weights, bias = memory.normal(1, 3, 3, SIDE), few(SIDE)
    return (1, 20, None, SIDE), lambda network, x: network.add_depthwise_convolution2d(
        x, weights, bias
    )


def blocks(memory: Memory) -> Any:
    """A transposed convolution without overlaps, whose rows become convolutions."""
    weights = memory.normal(SIDE, 2, 2, SIDE)
    return (1, 7, None, SIDE), lambda network, x: network.add_transpose_convolution2d(
        x, weights, stride=2
    )


def gru(memory: Memory) -> Any:
    weights = memory.normal(1, 3 * SIDE, SIDE), memory.normal(1, 3 * SIDE, SIDE)
    return (None, 1, SIDE), lambda network, x: network.add_gru(x, *weights).outputs[0]


def lstm(memory: Memory) -> Any:
    gates = ("input", "forget", "cell", "output")
    made = {f"input_to_{gate}_weights": memory.normal(SIDE, SIDE) for gate in gates}
    made |= {f"recurrent_to_{gate}_weights": memory.normal(SIDE, SIDE) for gate in gates}
    made |= {f"{gate}_gate_bias": few(SIDE) for gate in gates if gate != "cell"}
    made["cell_bias"] = few(SIDE)
    zeros = np.zeros((1, SIDE), np.float32)

    def build(network: ann.Network, x: Any) -> Any:
        layer = network.add_unidirectional_sequence_lstm(x, zeros, zeros, LstmWeights(**made))
        return layer.outputs[2]

    return (1, None, SIDE), build


def table(memory: Memory) -> Any:
    """A constant that is read when the operator runs."""
    values = memory.normal(SIDE, SIDE)

    def build(network: ann.Network, x: Any) -> Any:
        return network.add_gather(values, network.add_arg_min_max(x, ann.ArgMinMaxFunction.MAX))

    return (None, SIDE), build


LEVELS = QuantizationInfo(0.05, 3)


def quantised(memory: Memory, kind: str) -> Any:
    depthwise = kind == "depthwise"
    weights = memory.levels(1, 3, 3, SIDE) if depthwise else memory.levels(SIDE, 3, 3, SIDE)
    info = ann.TensorInfo(weights.shape, ann.DataType.QSYMM_S8, quantization=QuantizationInfo(0.01))

    def build(network: ann.Network, x: Any) -> Any:
        add = network.add_depthwise_convolution2d if depthwise else network.add_convolution2d
        shape = (1, 18, x.output.info.shape[2] - 2, SIDE)
        made = ann.TensorInfo(shape, ann.DataType.QASYMM_S8, quantization=LEVELS)
        return add(x, network.add_constant(weights, info=info), output_info=made)

    return (1, 20, None, SIDE), build


def quantised_convolution(memory: Memory) -> Any:
    return quantised(memory, "dense")


def quantised_depthwise(memory: Memory) -> Any:
    return quantised(memory, "depthwise")


def integer_lstm(memory: Memory) -> Any:
    """A cell in integers: weights of 8 bits, biases of 32, a cell state of 16."""

    def info(shape: tuple[int, ...], kind: ann.DataType, scale: float) -> ann.TensorInfo:
        return ann.TensorInfo(shape, kind, quantization=QuantizationInfo(scale))

    gates = ("input", "forget", "cell", "output")
    names = [f"{what}_to_{gate}_weights" for what in ("input", "recurrent") for gate in gates]
    levels = {name: memory.levels(SIDE, SIDE) for name in names}
    biases = {f"{gate}_gate_bias": few(SIDE).astype(np.int32) for gate in gates if gate != "cell"}
    biases["cell_bias"] = biases["input_gate_bias"]

    def build(network: ann.Network, x: Any) -> Any:
        made = {
            name: network.add_constant(
                values, info=info(values.shape, ann.DataType.QSYMM_S8, 0.002)
            )
            for name, values in levels.items()
        }
        state = info((1, SIDE), ann.DataType.QASYMM_S8, 1 / 128)
        cell = info((1, SIDE), ann.DataType.QSYMM_S16, 2.0**-11)
        shown = info(x.output.info.shape, ann.DataType.QASYMM_S8, 1 / 128)
        layer = network.add_unidirectional_sequence_lstm(
            x,
            network.add_constant(np.zeros((1, SIDE), np.int8), info=state),
            network.add_constant(np.zeros((1, SIDE), np.int16), info=cell),
            LstmWeights(**made, **biases),
            output_infos=[state, cell, shown],
        )
        return layer.outputs[2]

    return (1, None, SIDE), build


def network_of(memory: Memory, make: Make) -> tuple[ann.Network, Callable[[int], Array]]:
    """The network, and its input by the free size."""
    shape, build = make(memory)
    is_quantised = make in (quantised_convolution, quantised_depthwise, integer_lstm)
    info = ann.TensorInfo(shape)
    if is_quantised:
        info = ann.TensorInfo(shape, ann.DataType.QASYMM_S8, quantization=LEVELS)

    def built(infos: Any) -> ann.Network:
        network = ann.Network()
        x = network.add_input("x", infos["x"])
        network.add_output("y", build(network, x))
        return network

    def values(size: int) -> Array:
        rng = np.random.default_rng(size)
        dims = [size if dim is None else dim for dim in shape]
        if is_quantised:
            return rng.integers(-128, 128, dims).astype(np.int8)
        return rng.standard_normal(dims).astype(np.float32)

    one = built({"x": dataclasses.replace(info, shape=values(11).shape)}).outputs["y"]
    outputs = {"y": dataclasses.replace(one, shape=(None,) * one.rank)}
    return ann.Network.from_builder("once", {"x": info}, built, outputs), values


FORMS = [matrix, scaled_matrix, matrices, convolution, depthwise, blocks, gru, lstm, table]
FORMS += [quantised_convolution, quantised_depthwise, integer_lstm]


# Else scales are multiplied into weights before the backend sees them, and that for each shape of a
# network that is built for each.
OPTIONS = ann.OptimizerOptions(simplify=False)


@pytest.mark.parametrize("winograd", ["off", "always"])
@pytest.mark.parametrize("make", FORMS)
def test_a_further_shape_reads_no_weights(make: Make, winograd: str) -> None:
    if winograd == "always" and make not in (convolution, quantised_convolution):
        pytest.skip("it has no convolution of 3x3")
    memory = Memory()
    network, values = network_of(memory, make)
    sizes = (11, 12, 13)
    with ann.load(network, ["CpuRef"]) as reference:
        expected = {size: reference.run(values(size))["y"] for size in sizes}
    options = {"CpuAcc": {"winograd": winograd}}
    with (
        ann.Runtime(backend_options=options) as runtime,
        ann.load(network, ["CpuAcc"], runtime=runtime, options=OPTIONS) as loaded,
    ):
        for number, size in enumerate(sizes):
            atol = 1 if expected[size].dtype == np.int8 else 1e-4
            np.testing.assert_allclose(loaded.run(values(size))["y"], expected[size], atol=atol)
            if number == 0:
                memory.zero()


def product(weights: Array) -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, weights.shape[0])))
    network.add_output("y", network.add_fully_connected(x, weights))
    return network


def test_other_weights_at_the_same_address_are_others() -> None:
    """What was packed of weights that are gone is still there: equal ones keep it."""
    side = 300
    x = np.random.default_rng(8).standard_normal((2, side)).astype(np.float32)
    memory = aligned_empty((side, side), np.dtype(np.float32))
    first = np.random.default_rng(0).standard_normal((side, side)).astype(np.float32) / side
    with ann.load(product(first), ["CpuAcc"]):
        for factor in (1, 2, 3):
            memory[...] = first * factor
            view = memory.view()
            view.flags.writeable = False
            with ann.load(product(view), ["CpuAcc"]) as network:
                np.testing.assert_allclose(network.run(x)["y"], x @ memory, atol=1e-4)
            gone = weakref.ref(view)
            del view, network
            gc.collect()
            assert gone() is None


def test_views_of_memory_that_is_written_to_are_packed_anew() -> None:
    """The first network is still there, and with it what was packed of the values before."""
    x = np.ones((2, SIDE), np.float32)
    owner = np.empty(SIDE * SIDE + 16, np.float32)
    begin = -owner.ctypes.data % 64 // 4
    memory = owner[begin : begin + SIDE * SIDE].reshape(SIDE, SIDE)
    networks = []
    for factor in (1, 2, 3):
        memory[...] = np.eye(SIDE, dtype=np.float32) * factor
        view = np.broadcast_to(memory, memory.shape)  # dense, aligned and read-only
        networks.append(ann.load(product(view), ["CpuAcc"]))
        np.testing.assert_array_equal(networks[-1].run(x)["y"], x * factor)
    for network in networks:
        network.close()


def test_equal_weights_of_networks_that_come_and_go() -> None:
    """More names for one block than it keeps."""
    x = np.ones((2, SIDE), np.float32)
    with ann.load(product(np.eye(SIDE, dtype=np.float32)), ["CpuAcc"]) as first:
        for _ in range(12):
            with ann.load(product(np.eye(SIDE, dtype=np.float32)), ["CpuAcc"]) as other:
                np.testing.assert_array_equal(other.run(x)["y"], x)
        np.testing.assert_array_equal(first.run(x)["y"], x)
