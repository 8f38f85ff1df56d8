# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Plain recurrent units: the same numbers as LiteRT's over several runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann

RNG = np.random.default_rng(17)
BATCH, STEPS, SIZE = 2, 4, 5
FUNCTIONS = {"none": 0, "relu": 1, "relu -1 to 1": 2, "relu6": 3, "tanh": 4}


def normal(*shape: int) -> np.ndarray:
    return (RNG.standard_normal(shape) * 0.5).astype(np.float32)


def weights(builder: Any, name: str, shape: tuple[int, ...], *, hybrid: bool = False) -> int:
    array = normal(*shape)
    if not hybrid:
        return builder.constant(name, array)
    scale = float(np.abs(array).max()) / 127
    return builder.constant(name, np.rint(array / scale).astype(np.int8), scale)


def units(builder: Any, title: str, cells: int, size: int = SIZE, *, hybrid: bool = False) -> Any:
    """Return the operands of a direction: weights of input and state, bias, state."""
    return [
        weights(builder, f"{title}w", (cells, size), hybrid=hybrid),
        weights(builder, f"{title}r", (cells, cells), hybrid=hybrid),
        builder.constant(f"{title}b", normal(cells)),
        builder.tensor(f"{title}h", (BATCH, cells), variable=True),
    ]


def sequence(size: int, time_major: bool) -> tuple[int, int, int]:
    return (STEPS, BATCH, size) if time_major else (BATCH, STEPS, size)


def assert_same_runs(data: bytes, engines: Any, *, atol: float = 1e-5) -> None:
    assert "Rnn" in engines.assert_same_runs(data, normal, atol=atol)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("weights", ["float", "8 bits", "8 bits, asymmetric"])
def test_one_step(builder: Any, engines: Any, function: str, weights: str) -> None:
    x = builder.tensor("x", (BATCH, SIZE))
    y = builder.tensor("y", (BATCH, 6))
    options = {
        "fusedActivationFunction": FUNCTIONS[function],
        "asymmetricQuantizeInputs": "asymmetric" in weights,
    }
    operands = [x, *units(builder, "", 6, hybrid="8" in weights)]
    builder.op("RNN", operands, [y], ("RNNOptions", options))
    builder.ends([x], [y])
    assert_same_runs(builder.data(), engines)


@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("weights", ["float", "8 bits", "8 bits, asymmetric"])
def test_a_sequence(builder: Any, engines: Any, time_major: bool, weights: str) -> None:
    """Beside weights of 8 bits LiteRT rounds inputs and states to 8 bits in each step."""
    options = {
        "fusedActivationFunction": 4, "timeMajor": time_major,
        "asymmetricQuantizeInputs": "asymmetric" in weights,
    }  # fmt: skip
    x = builder.tensor("x", sequence(SIZE, time_major))
    y = builder.tensor("y", sequence(6, time_major))
    builder.op(
        "UNIDIRECTIONAL_SEQUENCE_RNN", [x, *units(builder, "", 6, hybrid="8" in weights)], [y],
        ("SequenceRNNOptions", options),
    )  # fmt: skip
    builder.ends([x], [y])
    assert_same_runs(builder.data(), engines)


@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("merges", [False, True])
@pytest.mark.parametrize("second", ["none", "of the backward direction", "of both directions"])
def test_two_directions(
    builder: Any, engines: Any, time_major: bool, merges: bool, second: str
) -> None:
    """LiteRT finds the steps of the second input right if it is as wide as the first."""
    inputs = [builder.tensor("x", sequence(SIZE, time_major))]
    operands = [*inputs, *units(builder, "f", 6), *units(builder, "b", 4), -1, -1, -1]
    if second != "none":
        inputs.append(builder.tensor("x2", sequence(SIZE, time_major)))
        operands[9] = inputs[1]
    if "both" in second:
        operands[10:] = [weights(builder, "fw2", (6, SIZE)), weights(builder, "bw2", (4, SIZE))]
    sizes = {"y": 10} if merges else {"f": 6, "b": 4}
    outputs = [builder.tensor(name, sequence(k, time_major)) for name, k in sizes.items()]
    options = {"fusedActivationFunction": 4, "timeMajor": time_major, "mergeOutputs": merges}
    builder.op(
        "BIDIRECTIONAL_SEQUENCE_RNN", operands, outputs,
        ("BidirectionalSequenceRNNOptions", options),
    )  # fmt: skip
    builder.ends(inputs, outputs)
    if "backward" in second and not time_major:
        with pytest.raises(ann.UnsupportedOperatorError, match="with steps first alone"):
            ann.import_model(builder.data())
    else:
        assert_same_runs(builder.data(), engines)


def test_a_state_that_is_not_a_variable(builder: Any) -> None:
    x = builder.tensor("x", (BATCH, SIZE))
    y = builder.tensor("y", (BATCH, 6))
    *operands, _ = units(builder, "", 6)
    state = builder.constant("state", normal(BATCH, 6))
    builder.op("RNN", [x, *operands, state], [y], ("RNNOptions", {"fusedActivationFunction": 4}))
    builder.ends([x], [y])
    with pytest.raises(ann.UnsupportedOperatorError, match="a state that is not a variable"):
        ann.import_model(builder.data())


@pytest.mark.parametrize("index", [0, 1, 2])
def test_weights_that_are_not_there(builder: Any, index: int) -> None:
    x = builder.tensor("x", (BATCH, SIZE))
    y = builder.tensor("y", (BATCH, 6))
    operands = units(builder, "", 6)
    operands[index] = -1
    builder.op("RNN", [x, *operands], [y], ("RNNOptions", {"fusedActivationFunction": 4}))
    builder.ends([x], [y])
    with pytest.raises(ann.ParseError, match=f"input {index + 1} is missing"):
        ann.import_model(builder.data())


def test_weights_that_do_not_fit(builder: Any) -> None:
    x = builder.tensor("x", (BATCH, SIZE))
    y = builder.tensor("y", (BATCH, 6))
    operands = units(builder, "", 6, SIZE + 1)
    builder.op("RNN", [x, *operands], [y], ("RNNOptions", {"fusedActivationFunction": 4}))
    builder.ends([x], [y])
    with pytest.raises(ann.ParseError, match="do not fit 5 inputs"):
        ann.import_model(builder.data())
