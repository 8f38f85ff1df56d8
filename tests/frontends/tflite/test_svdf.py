# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Filters over time: the same numbers as LiteRT's over several runs, whose inputs they keep."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann

RNG = np.random.default_rng(41)
BATCH, SIZE, UNITS = 2, 5, 3


def normal(*shape: int) -> np.ndarray:
    return (RNG.standard_normal(shape) * 0.5).astype(np.float32)


def model(
    builder: Any,
    *,
    rank: int = 2,
    steps: int = 4,
    has_bias: bool = True,
    function: int = 0,
    hybrid: bool = False,
    asymmetric: bool = False,
    absent: int | None = None,
) -> bytes:
    def weights(name: str, *shape: int) -> int:
        array = normal(*shape)
        if not hybrid:
            return builder.constant(name, array)
        scale = float(np.abs(array).max()) / 127
        return builder.constant(name, np.rint(array / scale).astype(np.int8), scale)

    filters = rank * UNITS
    x, y = builder.tensor("x", (BATCH, SIZE)), builder.tensor("y", (BATCH, UNITS))
    operands = [
        x,
        weights("filters", filters, SIZE),
        weights("times", filters, steps),
        builder.constant("bias", normal(UNITS)) if has_bias else -1,
        builder.tensor("state", (BATCH, filters * steps), variable=True),
    ]
    if absent is not None:
        operands[absent] = -1
    options = {
        "rank": rank, "fusedActivationFunction": function, "asymmetricQuantizeInputs": asymmetric,
    }  # fmt: skip
    builder.op("SVDF", operands, [y], ("SVDFOptions", options))
    builder.ends([x], [y])
    return builder.data()


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("steps", [1, 4])
@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("function", [0, 1])
def test_filters(
    builder: Any, engines: Any, rank: int, steps: int, has_bias: bool, function: int
) -> None:
    data = model(builder, rank=rank, steps=steps, has_bias=has_bias, function=function)
    engines.assert_same_runs(data, normal)


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("asymmetric", [False, True])
def test_weights_of_8_bits(builder: Any, engines: Any, rank: int, asymmetric: bool) -> None:
    """LiteRT rounds the inputs to 8 bits, and so do we."""
    data = model(builder, rank=rank, hybrid=True, asymmetric=asymmetric)
    assert "DynamicQuantize" in engines.assert_same_runs(data, normal)


@pytest.mark.parametrize(
    ("absent", "error"),
    [(1, "input 1 is missing"), (2, "input 2 is missing"), (4, "a state that is not a variable")],
)
def test_operands_that_are_not_there(builder: Any, absent: int, error: str) -> None:
    with pytest.raises(ann.ModelError, match=error):
        ann.import_model(model(builder, absent=absent))


@pytest.mark.parametrize(
    ("tensor", "shape", "error"),
    [
        ("filters", [6, 4], "of rank 2 do not fit 5 inputs"),
        ("bias", [1, 3], "a bias of shape .1, 3. does not fit 3 units"),
        ("state", [2, 23], "expected 2x24"),
    ],
)
def test_shapes_that_do_not_fit(builder: Any, tensor: str, shape: list[int], error: str) -> None:
    model(builder)
    (found,) = (one for one in builder.graph.tensors if one.name == tensor)
    if found.buffer:
        count = int(np.prod(shape))
        builder.model.buffers[found.buffer].data = np.zeros(4 * count, np.uint8)
    found.shape = shape
    with pytest.raises(ann.ParseError, match=error):
        ann.import_model(builder.data())


# ---- In integers -----------------------------------------------------------------------------


def integer_model(
    builder: Any,
    *,
    rank: int = 2,
    steps: int = 4,
    size: int = SIZE,
    units: int = UNITS,
    has_bias: bool = True,
    function: int = 1,
    input_zero: int = -3,
    output_zero: int = -128,
    state_scale: float = 0.0007,
    output_scale: float = 0.004,
) -> bytes:
    """Make a model in integers, whose scales have no exact product."""
    filters = rank * units
    x = builder.tensor("x", (BATCH, size), np.int8, 0.021, input_zero)
    y = builder.tensor("y", (BATCH, units), np.int8, output_scale, output_zero)
    of_input = RNG.integers(-127, 128, (filters, size)).astype(np.int8)
    of_time = RNG.integers(-9000, 9000, (filters, steps)).astype(np.int16)
    bias = RNG.integers(-30000000, 30000000, units).astype(np.int32)
    operands = [
        x,
        builder.constant("filters", of_input, 0.0115),
        builder.constant("times", of_time, 3e-5),
        builder.constant("bias", bias, state_scale * 3e-5) if has_bias else -1,
        builder.tensor("state", (BATCH, filters * steps), np.int16, state_scale, variable=True),
    ]
    options = {"rank": rank, "fusedActivationFunction": function}
    builder.op("SVDF", operands, [y], ("SVDFOptions", options))
    builder.ends([x], [y])
    return builder.data()


def assert_same_levels(engines: Any, data: bytes, *, runs: int = 12) -> np.ndarray:
    """Run several times with any levels; outputs and state are LiteRT's. Return the outputs."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    interpreter = Interpreter(
        model_content=data, experimental_op_resolver_type=OpResolverType.BUILTIN_REF
    )
    interpreter.allocate_tensors()
    (given,), (made,) = interpreter.get_input_details(), interpreter.get_output_details()
    (kept,) = (one for one in interpreter.get_tensor_details() if one["name"] == "state")
    outputs = []
    with ann.load(data, engines.backends, runtime=engines.runtime) as network:
        for _ in range(runs):
            x = RNG.integers(-128, 128, given["shape"]).astype(np.int8)
            interpreter.set_tensor(given["index"], x)
            interpreter.invoke()
            outputs.append(interpreter.get_tensor(made["index"]))
            np.testing.assert_array_equal(network.run({"x": x})["y"], outputs[-1])
            state = interpreter.get_tensor(kept["index"])
            np.testing.assert_array_equal(network.state["state"], state)
    return np.array(outputs, int)


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("steps", [1, 4])
@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("input_zero", [-3, 0, 127])
@pytest.mark.parametrize("output_zero", [-128, 4])
def test_8_bits_to_the_last_one(
    builder: Any,
    engines: Any,
    rank: int,
    steps: int,
    has_bias: bool,
    input_zero: int,
    output_zero: int,
) -> None:
    """LiteRT takes RELU for saturation: with another zero point there are levels below it."""
    data = integer_model(
        builder, rank=rank, steps=steps, has_bias=has_bias, input_zero=input_zero,
        output_zero=output_zero,
    )  # fmt: skip
    outputs = assert_same_levels(engines, data)
    assert np.ptp(outputs) > 100
    assert (outputs < output_zero).any() == (output_zero > -128)


@pytest.mark.parametrize("state_scale", [0.00003, 0.0021, 0.9])
@pytest.mark.parametrize("output_scale", [0.0004, 0.004, 3.0])
def test_8_bits_of_any_scale(
    builder: Any, engines: Any, state_scale: float, output_scale: float
) -> None:
    """States and outputs that saturate, and such that are a few levels."""
    data = integer_model(
        builder, size=40, output_zero=0, state_scale=state_scale, output_scale=output_scale
    )
    assert_same_levels(engines, data)


def test_8_bits_of_many_filters(builder: Any, engines: Any) -> None:
    """LiteRT multiplies scales in float32: exact factors round some of so many states otherwise."""
    data = integer_model(builder, size=16, units=600, state_scale=0.000371)
    assert_same_levels(engines, data)


@pytest.mark.parametrize("function", [0, 3])
def test_8_bits_with_relu_alone(builder: Any, engines: Any, function: int) -> None:
    """LiteRT has no kernel for another activation, either."""
    data = integer_model(builder, function=function)
    with pytest.raises(RuntimeError, match="params->activation"):
        engines.theirs(data, {"x": np.zeros((BATCH, SIZE), np.int8)})
    with pytest.raises(ann.UnsupportedOperatorError, match="LiteRT knows RELU alone"):
        ann.import_model(data)


@pytest.mark.parametrize(
    ("tensor", "change", "reason"),
    [
        ("x", {"type": "INT16"}, "int16 values"),
        ("filters", {"type": "UINT8"}, "weights of the input"),
        ("times", {"type": "INT8", "shape": [6, 8]}, "weights of time"),
        ("state", {"type": "INT8"}, "the state"),
        ("state", {"quantization": None}, "the state"),
        ("y", {"type": "INT16"}, "the output"),
        ("bias", {"type": "FLOAT32"}, "a bias of float32"),
    ],
)
def test_other_integers_are_refused(
    builder: Any, tensor: str, change: dict[str, Any], reason: str
) -> None:
    integer_model(builder, input_zero=0, output_zero=0)
    (found,) = (one for one in builder.graph.tensors if one.name == tensor)
    for name, value in change.items():
        number = getattr(builder.schema.TensorType, value) if name == "type" else value
        setattr(found, name, number)
    if tensor == "times":
        (state,) = (one for one in builder.graph.tensors if one.name == "state")
        state.shape = [BATCH, 48]
    with pytest.raises(ann.UnsupportedOperatorError, match=reason):
        ann.import_model(builder.data())
