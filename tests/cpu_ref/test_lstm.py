# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTM layers in networks; the conformance kit compares single layers with numpy.

`tests/frontends/tflite/test_lstm.py` compares them with LiteRT.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.network import LstmWeights
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.types import DataType

RNG = np.random.default_rng(5)
BATCH, STEPS, SIZE, CELLS = 2, 6, 3, 4


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def weights(**given: Any) -> LstmWeights:
    gates = ("input", "forget", "cell", "output")
    made: dict[str, Any] = {f"input_to_{gate}_weights": normal(CELLS, SIZE) for gate in gates}
    made |= {f"recurrent_to_{gate}_weights": normal(CELLS, CELLS) for gate in gates}
    made |= {f"{gate}_gate_bias": normal(CELLS) for gate in gates if gate != "cell"}
    made["cell_bias"] = normal(CELLS)
    return LstmWeights(**(made | given))


def sequence_network(steps: int, given: LstmWeights) -> ann.Network:
    """A cell over a sequence, whose state stays from run to run."""
    network = ann.Network()
    x = network.add_input("x", TensorInfo((BATCH, steps, SIZE)))
    h, c = (network.add_variable(name, TensorInfo((BATCH, CELLS))) for name in "hc")
    layer = network.add_unidirectional_sequence_lstm(x, h, c, given, cell_clip=1.0)
    for variable, value in zip((h, c), layer.outputs, strict=False):
        network.assign(variable, value)
    network.add_output("y", layer.outputs[2])
    return network


def step_network(given: LstmWeights) -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", TensorInfo((BATCH, SIZE)))
    h, c = (network.add_variable(name, TensorInfo((BATCH, CELLS))) for name in "hc")
    layer = network.add_lstm(x, h, c, given, cell_clip=1.0)
    network.assign(h, layer.outputs[1])
    network.assign(c, layer.outputs[2])
    network.add_output("y", layer.outputs[3])
    network.add_output("gates", layer.outputs[0])
    return network


def test_a_sequence_in_parts_and_in_steps() -> None:
    given, x = weights(), normal(BATCH, STEPS, SIZE)
    with ann.load(sequence_network(STEPS, given), ["CpuRef"]) as network:
        whole = network.run({"x": x})["y"]
        state = {name: network.state[name].copy() for name in "hc"}
    with ann.load(sequence_network(STEPS // 2, given), ["CpuRef"]) as network:
        parts = [network.run({"x": part})["y"] for part in np.split(x, 2, 1)]
        assert np.array_equal(network.state["c"], state["c"])
    with ann.load(step_network(given), ["CpuRef"]) as network:
        steps = [network.run({"x": x[:, step]})["y"] for step in range(STEPS)]
        assert np.array_equal(network.state["h"], state["h"])
    assert np.array_equal(np.concatenate(parts, 1), whole)
    assert np.array_equal(np.stack(steps, 1), whole)
    assert np.abs(state["c"]).max() == 1.0  # it was clipped


def test_the_gates_of_a_step() -> None:
    """In the order input, forget, cell, output; here each has a bias of its own alone."""
    nothing = {
        f"{what}_to_{gate}_weights": np.zeros((CELLS, size), np.float32)
        for what, size in (("input", SIZE), ("recurrent", CELLS))
        for gate in ("input", "forget", "cell", "output")
    }
    given = weights(**nothing)
    biases = [
        given.input_gate_bias,
        given.forget_gate_bias,
        given.cell_bias,
        given.output_gate_bias,
    ]
    expected = [np.tanh(b) if at == 2 else 1 / (1 + np.exp(-b)) for at, b in enumerate(biases)]
    with ann.load(step_network(given), ["CpuRef"]) as network:
        gates = network.run({"x": normal(BATCH, SIZE)})["gates"]
    np.testing.assert_allclose(gates, [np.concatenate(expected)] * BATCH, rtol=1e-6)


def test_quantised_weights_stand_for_real_ones() -> None:
    steps = RNG.integers(-127, 128, (CELLS, SIZE)).astype(np.int8)
    scale = np.float32(1 / 64)
    x = normal(BATCH, SIZE)
    found = []
    for quantized in (False, True):
        network = ann.Network()
        info = TensorInfo(steps.shape, DataType.QSYMM_S8, QuantizationInfo((float(scale),)))
        value: Any = steps * scale
        if quantized:
            value = network.add_constant(steps, info=info)
        given = LstmWeights(
            *[value] * 3, *[np.eye(CELLS, dtype=np.float32)] * 3, *[np.ones(CELLS, np.float32)] * 3
        )
        source = network.add_input("x", TensorInfo(x.shape))
        zeros = np.zeros((BATCH, CELLS), np.float32)
        network.add_output("y", network.add_lstm(source, zeros, zeros, given).outputs[3])
        with ann.load(network, ["CpuRef"]) as loaded:
            found.append(loaded.run({"x": x})["y"])
    assert np.array_equal(*found)


def test_refusals() -> None:
    network = ann.Network()
    x = network.add_input("x", TensorInfo((BATCH, SIZE)))
    zeros = np.zeros((BATCH, CELLS), np.float32)
    layer = network.add_lstm(x, zeros, zeros, weights(), activation_function=2)
    network.add_output("y", layer.outputs[3])
    with pytest.raises(ann.NoBackendForLayerError, match="activation function 2 given, expected 0"):
        ann.load(network, ["CpuRef"])
