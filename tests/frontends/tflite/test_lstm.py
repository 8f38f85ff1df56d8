# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTM cells with all that they can have: the same numbers as LiteRT's over several runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.types import LayerType

RNG = np.random.default_rng(31)
BATCH, STEPS, SIZE, CELLS = 2, 4, 5, 6

FORMS: dict[str, dict[str, Any]] = {
    "plain": {},
    "cifg": {"cifg": True},
    "peephole": {"peephole": True},
    "peephole and cifg": {"peephole": True, "cifg": True},
    "projection": {"outputs": 3},
    "projection with bias": {"outputs": 3, "bias": True, "proj_clip": 0.4},
    "layer norm": {"norm": True},
    "all": {
        "peephole": True, "outputs": 3, "bias": True, "norm": True, "cell_clip": 0.5,
        "proj_clip": 0.3,
    },
    "all but the input gate": {
        "cifg": True, "peephole": True, "outputs": 3, "norm": True, "cell_clip": 0.5,
    },
    "relu": {"activation": 1},
    "relu6": {"activation": 3},
}  # fmt: skip


def normal(*shape: int) -> np.ndarray:
    return (RNG.standard_normal(shape) * 0.7).astype(np.float32)


def model(
    builder: Any,
    *,
    sequence: bool,
    time_major: bool = False,
    cifg: bool = False,
    peephole: bool = False,
    norm: bool = False,
    outputs: int | None = None,
    bias: bool = False,
    cell_clip: float = 0.0,
    proj_clip: float = 0.0,
    activation: int = 4,
    hybrid: bool = False,
    asymmetric: bool = False,
    steps: int = STEPS,
) -> bytes:
    """Make a model of one operator, whose state is two variables ``h`` and ``c``."""
    shown = CELLS if outputs is None else outputs
    shape = (BATCH, SIZE)
    if sequence:
        shape = (steps, BATCH, SIZE) if time_major else (BATCH, steps, SIZE)

    def weights(name: str, *dims: int) -> int:
        array = normal(*dims)
        if not hybrid:
            return builder.constant(name, array)
        scale = float(np.abs(array).max()) / 127
        return builder.constant(name, np.rint(array / scale).astype(np.int8), scale)

    gates = "ifco"
    own = [-1 if cifg and g == "i" else weights(f"w{g}", CELLS, SIZE) for g in gates]
    back = [-1 if cifg and g == "i" else weights(f"r{g}", CELLS, shown) for g in gates]
    peeps = [-1] * 3
    if peephole:
        peeps = [-1 if cifg and g == "i" else weights(f"p{g}", CELLS) for g in "ifo"]
    biases = [-1 if cifg and g == "i" else builder.constant(f"b{g}", normal(CELLS)) for g in gates]
    projection = [-1, -1]
    if outputs is not None:
        projection[0] = weights("projection", outputs, CELLS)
        if bias:
            projection[1] = builder.constant("projection_bias", normal(outputs))
    norms = [-1] * 4
    if norm:
        norms = [
            -1 if cifg and g == "i" else builder.constant(f"n{g}", normal(CELLS)) for g in gates
        ]
    x = builder.tensor("x", shape)
    h = builder.tensor("h", (BATCH, shown), variable=True)
    c = builder.tensor("c", (BATCH, CELLS), variable=True)
    y = builder.tensor("y", (*shape[:-1], shown))
    operands = [x, *own, *back, *peeps, *biases, *projection, h, c, *norms]
    options = {
        "fusedActivationFunction": activation, "cellClip": cell_clip, "projClip": proj_clip,
        "asymmetricQuantizeInputs": asymmetric,
    }  # fmt: skip
    if sequence:
        options["timeMajor"] = time_major
    name = "UNIDIRECTIONAL_SEQUENCE_LSTM" if sequence else "LSTM"
    table = "UnidirectionalSequenceLSTMOptions" if sequence else "LSTMOptions"
    builder.op(name, operands, [y], (table, options))
    builder.ends([x], [y])
    return builder.data()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["one step", "a sequence", "a sequence with time first"])
def test_optional_parts_of_a_cell(builder: Any, engines: Any, kind: str, form: str) -> None:
    data = model(
        builder, sequence=kind != "one step", time_major="first" in kind, **FORMS[form]
    )  # fmt: skip
    engines.assert_same_runs(data, normal)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("asymmetric", [False, True])
@pytest.mark.parametrize("kind", ["one step", "a sequence", "a sequence with time first"])
def test_weights_of_8_bits(
    builder: Any, engines: Any, kind: str, asymmetric: bool, form: str
) -> None:
    """LiteRT rounds the input, the state and what is projected to 8 bits in each step."""
    data = model(
        builder, sequence=kind != "one step", time_major="first" in kind, hybrid=True,
        asymmetric=asymmetric, **FORMS[form],
    )  # fmt: skip
    engines.assert_same_runs(data, normal)


def test_a_long_sequence_beside_weights_of_8_bits(builder: Any, engines: Any) -> None:
    """The steps are one layer, however many they are."""
    data = model(builder, sequence=True, steps=100, hybrid=True)
    layers = [layer.type for layer in ann.import_model(data).layers]
    assert layers.count(LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM) == 1
    assert len(layers) < 40
    engines.assert_same_runs(data, normal)


# ---- In integers -----------------------------------------------------------------------------

INTEGER_FORMS: dict[str, dict[str, Any]] = {
    "plain": {},
    "cifg": {"cifg": True},
    "peephole": {"peephole": True},
    "clipped": {"cell_clip": 0.3},
    "projection": {"outputs": 3},
    "projection with bias": {"outputs": 3, "bias": True, "proj_clip": 0.25},
    "layer norm": {"norm": True},
    # LiteRT reads and writes peepholes in rows of as many cells as there are outputs.
    "all": {
        "peephole": True, "outputs": 16, "bias": True, "norm": True, "cell_clip": 0.5,
        "proj_clip": 0.3,
    },
    "all but the input gate": {"cifg": True, "peephole": True, "outputs": 16, "norm": True},
}  # fmt: skip


def integer_model(
    builder: Any,
    *,
    cifg: bool = False,
    peephole: bool = False,
    norm: bool = False,
    outputs: int | None = None,
    bias: bool = False,
    cell_clip: float = 0.0,
    proj_clip: float = 0.0,
    time_major: bool = False,
    hidden_zero: int = 0,
    cells: int = 16,
) -> bytes:
    """Make a sequence LSTM of 8 bits with a cell state of 16."""
    shown = cells if outputs is None else outputs
    shape = (STEPS, BATCH, SIZE) if time_major else (BATCH, STEPS, SIZE)
    input_scale, state_scale, hidden_scale = 0.02, 0.008, 0.0081 if outputs else 0.008
    state_zero = 5 if outputs else hidden_zero

    def weights(name: str, *dims: int) -> tuple[int, float]:
        scale = float(RNG.uniform(0.005, 0.015))
        steps = RNG.integers(-127, 128, dims).astype(np.int8)
        return builder.constant(name, steps, scale), scale

    def each(make: Any, gates: str) -> list[int]:
        return [-1 if cifg and gate == "i" else make(gate) for gate in gates]

    def bias_of(gate: str) -> int:
        scale = input_scale * 0.01 if not norm else 2.0**-10 * norm_scale
        return builder.constant(f"b{gate}", RNG.integers(-900, 900, cells).astype(np.int32), scale)

    norm_scale = 2.0**-14
    own = each(lambda g: weights(f"w{g}", cells, SIZE)[0], "ifco")
    back = each(lambda g: weights(f"r{g}", cells, shown)[0], "ifco")
    peeps = [-1] * 3
    if peephole:
        peeps = each(
            lambda g: builder.constant(
                f"p{g}", RNG.integers(-9999, 9999, cells).astype(np.int16), 2.0**-14
            ),
            "ifo",
        )
    biases = each(bias_of, "ifco")
    projection = [-1, -1]
    if outputs is not None:
        projection[0], scale = weights("projection", outputs, cells)
        if bias:
            values = RNG.integers(-900, 900, outputs).astype(np.int32)
            projection[1] = builder.constant("projection_bias", values, scale * hidden_scale)
    norms = [-1] * 4
    if norm:
        norms = each(
            lambda g: builder.constant(
                f"n{g}", RNG.integers(-30000, 30000, cells).astype(np.int16), norm_scale
            ),
            "ifco",
        )
    x = builder.tensor("x", shape, np.int8, input_scale, -3)
    h = builder.tensor("h", (BATCH, shown), np.int8, state_scale, state_zero, variable=True)
    c = builder.tensor("c", (BATCH, cells), np.int16, 2.0**-11, 0, variable=True)
    y = builder.tensor("y", (*shape[:-1], shown), np.int8, state_scale, state_zero)
    inner = [
        builder.tensor(f"i{at}", (), np.int16, float(RNG.uniform(0.0005, 0.001)), 0)
        for at in range(4)
    ]
    inner.append(builder.tensor("hidden", (), np.int8, hidden_scale, hidden_zero))
    operands = [x, *own, *back, *peeps, *biases, *projection, h, c, *norms]
    options = {
        "fusedActivationFunction": 4, "cellClip": cell_clip, "projClip": proj_clip,
        "timeMajor": time_major,
    }  # fmt: skip
    builder.op(
        "UNIDIRECTIONAL_SEQUENCE_LSTM", operands, [y],
        ("UnidirectionalSequenceLSTMOptions", options), intermediates=inner,
    )  # fmt: skip
    builder.ends([x], [y])
    return builder.data()


@pytest.mark.parametrize("form", INTEGER_FORMS)
@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("hidden_zero", [0, 7])
def test_8_bits_to_the_last_one(
    builder: Any, engines: Any, form: str, time_major: bool, hidden_zero: int
) -> None:
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    data = integer_model(
        builder, time_major=time_major, hidden_zero=hidden_zero, **INTEGER_FORMS[form]
    )  # fmt: skip
    interpreter = Interpreter(
        model_content=data, experimental_op_resolver_type=OpResolverType.BUILTIN_REF
    )
    interpreter.allocate_tensors()
    (given,), (made,) = interpreter.get_input_details(), interpreter.get_output_details()
    with ann.load(data, engines.backends, runtime=engines.runtime) as network:
        for _ in range(4):
            x = RNG.integers(-128, 128, given["shape"]).astype(np.int8)
            interpreter.set_tensor(given["index"], x)
            interpreter.invoke()
            expected = interpreter.get_tensor(made["index"])
            assert np.ptp(expected.astype(int)) > 20
            np.testing.assert_array_equal(network.run({"x": x})["y"], expected)


# ---- In 8 and 16 bits --------------------------------------------------------------------------


def basic_model(builder: Any, *, batch: int, size: int, cells: int) -> bytes:
    """Make a model of the basic kernel, whose state goes in and comes out.

    The factor of its sums, 4096 / 128 times the scale, lies in [1/2, 1): it needs no shift, whose
    halves LiteRT's matrix library rounds upwards where the definition rounds them away from zero.
    """
    scale, zero = 0.02, 121
    state, cell = (1 / 128, 128), (2.0**-11, 0)
    x = builder.tensor("x", (batch, size), np.uint8, *state)
    h = builder.tensor("h", (batch, cells), np.uint8, *state)
    c = builder.tensor("c", (batch, cells), np.int16, *cell)
    steps = RNG.integers(0, 256, (4 * cells, size + cells)).astype(np.uint8)
    weights = builder.constant("weights", steps, scale, zero)
    values = RNG.integers(-3000, 3000, 4 * cells).astype(np.int32)
    bias = builder.constant("bias", values, scale / 128)
    made = [
        builder.tensor("y", (batch, cells), np.uint8, *state),
        builder.tensor("d", (batch, cells), np.int16, *cell),
        builder.tensor("joined", (batch, size + cells), np.uint8, *state),
        builder.tensor("sums", (batch, 4 * cells), np.int16, 2.0**-12, 0),
    ]
    options = {"fusedActivationFunction": 4, "kernelType": 1}
    builder.op("LSTM", [x, h, weights, bias, c], made, ("LSTMOptions", options), version=2)
    builder.ends([x, h, c], made[:2])
    return builder.data()


@pytest.mark.parametrize(("batch", "size", "cells"), [(1, 4, 8), (3, 7, 5)])
def test_the_basic_kernel_to_the_last_bit(
    builder: Any, engines: Any, batch: int, size: int, cells: int
) -> None:
    data = basic_model(builder, batch=batch, size=size, cells=cells)
    assert [layer.type for layer in ann.import_model(data).layers].count(
        LayerType.QUANTIZED_LSTM
    ) == 1
    for _ in range(3):
        given = {
            "x": RNG.integers(0, 256, (batch, size)).astype(np.uint8),
            "h": RNG.integers(0, 256, (batch, cells)).astype(np.uint8),
            "c": RNG.integers(-32768, 32768, (batch, cells)).astype(np.int16),
        }
        expected = engines.theirs(data, given)
        found = engines.ours(data, given)
        assert found is not None
        for name in ("y", "d"):
            np.testing.assert_array_equal(found[name], expected[name])


def test_the_basic_kernel_of_floats_is_refused(builder: Any) -> None:
    places = [builder.tensor(f"x{k}", (2, 2)) for k in range(5)]
    y = builder.tensor("y", (2, 2))
    builder.op("LSTM", places, [y], ("LSTMOptions", {"kernelType": 1}))
    builder.ends(places, [y])
    with pytest.raises(ann.UnsupportedOperatorError, match="basic kernel of other types"):
        ann.import_model(builder.data())
