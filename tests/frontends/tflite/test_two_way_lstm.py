# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTM cells in both directions: the same numbers as LiteRT's plain kernel over several runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

RNG = np.random.default_rng(53)
BATCH, STEPS, SIZE = 2, 4, 5
CELLS, PROJECTED = 6, 3
NONE = [-1] * 4

FORMS: dict[str, dict[str, Any]] = {
    "plain": {},
    "cifg": {"cifg": True},
    "peephole": {"peephole": True},
    "projection": {"projection": True},
    "projection with bias, clipped": {
        "projection": True, "bias": True, "cell_clip": 0.5, "proj_clip": 0.3,
    },
    "relu6": {"activation": 3},
}  # fmt: skip


def normal(*shape: int) -> np.ndarray:
    return (RNG.standard_normal(shape) * 0.7).astype(np.float32)


def sequence(size: int, time_major: bool, batch: int = BATCH) -> tuple[int, int, int]:
    return (STEPS, batch, size) if time_major else (batch, STEPS, size)


def model(
    builder: Any,
    *,
    batch: int = BATCH,
    time_major: bool = False,
    merges: bool = False,
    second: str = "",
    second_size: int = SIZE,
    cifg: bool = False,
    peephole: bool = False,
    projection: bool = False,
    bias: bool = False,
    hybrid: bool = False,
    cell_clip: float = 0.0,
    proj_clip: float = 0.0,
    activation: int = 4,
    asymmetric: bool = False,
) -> bytes:
    """Make a model of one operator; each direction has two variables as its state."""

    def matrix(name: str, rows: int, columns: int) -> int:
        array = normal(rows, columns)
        if not hybrid:
            return builder.constant(name, array)
        scale = float(np.abs(array).max()) / 127
        return builder.constant(name, np.rint(array / scale).astype(np.int8), scale)

    def by_gates(make: Any, gates: str = "ifco") -> list[int]:
        return [-1 if cifg and gate == "i" else make(gate) for gate in gates]

    cells, shown = CELLS, PROJECTED if projection else CELLS

    def side(title: str) -> list[int]:
        operands = by_gates(lambda gate: matrix(f"{title}w{gate}", cells, SIZE))
        operands += by_gates(lambda gate: matrix(f"{title}r{gate}", cells, shown))
        peepholes = by_gates(lambda gate: builder.constant(f"{title}p{gate}", normal(cells)), "ifo")
        operands += peepholes if peephole else [-1] * 3
        operands += by_gates(lambda gate: builder.constant(f"{title}b{gate}", normal(cells)))
        operands.append(matrix(f"{title}p", shown, cells) if projection else -1)
        operands.append(builder.constant(f"{title}pb", normal(shown)) if bias else -1)
        return operands

    inputs = [builder.tensor("x", sequence(SIZE, time_major, batch))]
    both = [*side("f"), *side("b")]
    states = [
        builder.tensor(f"{title}{what}", (batch, size), variable=True)
        for title in "fb"
        for what, size in (("h", shown), ("c", cells))
    ]
    auxiliary, extra = -1, NONE * 2
    if second:
        auxiliary = builder.tensor("x2", sequence(second_size, time_major, batch))
        inputs.append(auxiliary)
    if second == "of both directions":
        extra = [
            place
            for title in "fb"
            for place in by_gates(lambda gate, t=title: matrix(f"{t}a{gate}", cells, second_size))
        ]
    sizes = {"y": 2 * shown} if merges else {"f": shown, "b": shown}
    outputs = [builder.tensor(name, sequence(k, time_major, batch)) for name, k in sizes.items()]
    operands = [inputs[0], *both, *states, auxiliary, *extra]
    assert len(operands) == 48
    options = {
        "fusedActivationFunction": activation, "cellClip": cell_clip, "projClip": proj_clip,
        "mergeOutputs": merges, "timeMajor": time_major, "asymmetricQuantizeInputs": asymmetric,
    }  # fmt: skip
    name = "BIDIRECTIONAL_SEQUENCE_LSTM"
    builder.op(name, operands, outputs, ("BidirectionalSequenceLSTMOptions", options))
    builder.ends(inputs, outputs)
    return builder.data()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("merges", [False, True])
def test_options_of_bidirectional_cells(
    builder: Any, engines: Any, time_major: bool, merges: bool, form: str
) -> None:
    """With merged outputs and rows first, LiteRT finds the state of the first row alone."""
    batch = 1 if merges and not time_major else BATCH
    data = model(builder, batch=batch, time_major=time_major, merges=merges, **FORMS[form])
    types = engines.assert_same_runs(data, normal)
    assert types.count("UnidirectionalSequenceLstm") == 2


@pytest.mark.parametrize("cifg", [False, True])
@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("second", ["of the backward direction", "of both directions"])
def test_a_second_input(
    builder: Any, engines: Any, time_major: bool, second: str, cifg: bool
) -> None:
    """LiteRT finds the steps of the second input right if it is as wide as the first."""
    data = model(builder, time_major=time_major, second=second, cifg=cifg)
    engines.assert_same_runs(data, normal)


def test_merged_outputs_of_several_rows_lie_side_by_side(
    builder: Any, new_builder: Any, engines: Any
) -> None:
    data = model(builder, merges=True)
    apart = new_builder()
    apart.model, apart.graph = builder.model, builder.graph
    outputs = [apart.tensor(name, sequence(CELLS, False)) for name in "fb"]
    (operator,) = apart.graph.operators
    operator.outputs, operator.builtinOptions.mergeOutputs = outputs, False
    apart.ends(apart.graph.inputs, outputs)
    fed = {"x": normal(BATCH, STEPS, SIZE)}
    sides, merged = engines.theirs(apart.data(), fed), engines.ours(data, fed)["y"]
    np.testing.assert_allclose(merged, np.concatenate([sides["f"], sides["b"]], 2), atol=1e-5)


def test_a_second_input_of_another_width(builder: Any, engines: Any) -> None:
    """The same as one input that is both, side by side."""
    data = model(builder, time_major=True, second="of both directions", second_size=3)
    fed = {"x": normal(STEPS, BATCH, SIZE), "x2": normal(STEPS, BATCH, 3)}
    found = engines.ours(data, fed)
    for name in "fb":
        expected = cells_of(data, name, np.concatenate([fed["x"], fed["x2"]], 2))
        np.testing.assert_allclose(found[name], expected, rtol=1e-5, atol=1e-5)


def cells_of(data: bytes, title: str, x: np.ndarray) -> np.ndarray:
    """Compute one direction of a plain model of a second input from the weights in its file."""
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_content=data)
    places = {one["name"]: one["index"] for one in interpreter.get_tensor_details()}

    def joined(*kinds: str) -> np.ndarray:
        return np.concatenate(
            [
                np.concatenate([interpreter.get_tensor(places[f"{title}{k}{g}"]) for k in kinds], 1)
                for g in "ifco"
            ]
        )

    weights, recurrent = joined("w", "a"), joined("r")
    bias = np.concatenate([interpreter.get_tensor(places[f"{title}b{g}"]) for g in "ifco"])
    hidden, cell = np.zeros((BATCH, CELLS)), np.zeros((BATCH, CELLS))
    made = np.zeros((STEPS, BATCH, CELLS))
    for step in range(STEPS) if title == "f" else reversed(range(STEPS)):
        sums = x[step] @ weights.T + hidden @ recurrent.T + bias
        i, f, c, o = np.split(sums, 4, axis=1)
        gates = [1 / (1 + np.exp(-gate)) for gate in (i, f, o)]
        cell = gates[1] * cell + gates[0] * np.tanh(c)
        made[step] = hidden = gates[2] * np.tanh(cell)
    return made


@pytest.mark.parametrize("asymmetric", [False, True])
@pytest.mark.parametrize("time_major", [False, True])
@pytest.mark.parametrize("second", ["", "of the backward direction"])
def test_weights_of_8_bits(
    builder: Any, engines: Any, second: str, time_major: bool, asymmetric: bool
) -> None:
    """LiteRT rounds the inputs, the states and what is projected to 8 bits in each step."""
    data = model(
        builder, projection=True, hybrid=True, time_major=time_major, second=second,
        asymmetric=asymmetric,
    )  # fmt: skip
    engines.assert_same_runs(data, normal)


def test_weights_of_8_bits_beside_a_second_input(builder: Any, engines: Any) -> None:
    """LiteRT rounds both inputs by themselves, and ours are not, which the bound has to allow."""
    data = model(builder, hybrid=True, second="of both directions")
    engines.assert_same_runs(data, normal, atol=0.05)


def spoilt(builder: Any, changes: dict[int, int], **form: Any) -> bytes:
    """Make a model with other operands at some places."""
    model(builder, **form)
    operands = builder.graph.operators[0].inputs
    for place, other in changes.items():
        operands[place] = other
    return builder.data()


def absent(places: Sequence[int]) -> dict[int, int]:
    return dict.fromkeys(places, -1)


@pytest.mark.parametrize(
    ("places", "error"),
    [
        ([35], "a state that is not a variable"),
        ([19], "input 19 is missing"),
        (range(44, 48), "only one direction has weights"),
        ([45], "only some gates have weights"),
    ],
)
def test_operands_that_are_not_there(builder: Any, places: Sequence[int], error: str) -> None:
    data = spoilt(builder, absent(places), second="of both directions")
    with pytest.raises(ann.ModelError, match=error):
        ann.import_model(data)


def test_integers_are_refused(builder: Any) -> None:
    data = model(builder)
    builder.graph.tensors[0].type = builder.schema.TensorType.INT8
    assert builder.data() != data
    with pytest.raises(ann.UnsupportedOperatorError, match="int8 values"):
        ann.import_model(builder.data())
