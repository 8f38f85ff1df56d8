# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTM, GRU and RNN on CpuAcc alone: the values of onnxruntime.

`tests/frontends/tflite` compares them with LiteRT, whose LSTMs have more forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from armnn_py.network import LstmWeights
from armnn_py.types import RecurrentDirection, RowRounding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
LAYERS = {"LSTM": "UnidirectionalSequenceLstm", "GRU": "Gru", "RNN": "Rnn"}
BOTH = "bidirectional"
# Steps, batch, size, hidden: ends of vectors and panels, blocks of rows.
SIZES = [(1, 1, 1, 1), (7, 1, 5, 9), (4, 3, 17, 33), (3, 21, 8, 40), (2, 2, 64, 128)]


def model_of(
    op: str, sizes: tuple[int, int, int, int], *, directions: int = 1, bias: bool = True,
    first: bool = False, lengths: list[int] | None = None, peepholes: bool = False,
    known: bool = True, free: bool = False, **attributes: Any,
) -> tuple[Any, dict[str, NDArray[Any]]]:  # fmt: skip
    """The model, and what it is fed with."""
    rng = np.random.default_rng(23)

    def normal(*shape: int) -> NDArray[np.float32]:
        return rng.normal(0, 0.5, shape).astype(np.float32)

    steps, batch, size, hidden = sizes
    gates = GATES[op]
    values: dict[str, Any] = {
        "x": normal(steps, batch, size),
        "w": normal(directions, gates * hidden, size),
        "r": normal(directions, gates * hidden, hidden),
        "b": normal(directions, 2 * gates * hidden) if bias else None,
        "lengths": None if lengths is None else np.array(lengths, np.int32),
        "h0": normal(directions, batch, hidden) if first else None,
    }
    if op == "LSTM":
        values["c0"] = normal(directions, batch, hidden) if first else None
        values["p"] = normal(directions, 3 * hidden) if peepholes else None
    given = [name if value is not None else "" for name, value in values.items()]
    while not given[-1]:
        given.pop()
    outputs = ["y", "h", "c"][: 3 if op == "LSTM" else 2]
    names = ["x", "h0", "c0", *([] if known else ["lengths"])]
    feeds = {name: values[name] for name in names if values.get(name) is not None}

    def info(name: str) -> Any:
        kind = TensorProto.INT32 if name == "lengths" else TensorProto.FLOAT
        shape = list(values[name].shape)
        if free:
            shape = ["steps", "batch", size] if name == "x" else [shape[0], "batch", hidden]
        return helper.make_tensor_value_info(name, kind, shape)

    graph = helper.make_graph(
        [helper.make_node(op, given, outputs, hidden_size=hidden, **attributes)],
        "graph",
        [info(name) for name in feeds],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [
            numpy_helper.from_array(value, name)
            for name, value in values.items()
            if value is not None and name not in feeds
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model, feeds


def session_of(model: Any) -> Any:
    return onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )


def check(runtime: ann.Runtime, op: str, sizes: tuple[int, int, int, int], **options: Any) -> None:
    model, feeds = model_of(op, sizes, **options)
    expected = session_of(model).run(None, feeds)
    with ann.load(model, ["CpuAcc"], runtime=runtime) as network:
        kinds = {row.type for row in network.assignment}
        found = network.run(feeds)
    assert LAYERS[op] in kinds
    for one, (name, other) in zip(expected, found.items(), strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=2e-6, err_msg=name)


@pytest.fixture(scope="module", params=["auto", "portable"])
def each(request: pytest.FixtureRequest) -> Iterator[ann.Runtime]:
    with ann.Runtime(backend_options={"CpuAcc": {"isa": request.param}}) as runtime:
        if "CpuAcc" not in runtime.backends:
            pytest.skip("no CpuAcc of this instruction set here")
        yield runtime


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_sizes(each: ann.Runtime, op: str, sizes: tuple[int, int, int, int]) -> None:
    check(each, op, sizes, first=True)


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize(
    "options",
    [
        {"bias": False},
        {"direction": "reverse"},
        {"direction": BOTH, "directions": 2},
        {"direction": BOTH, "directions": 2, "first": True},
        {"lengths": [5, 5, 5], "first": True},
    ],
    ids=str,
)
def test_forms(runtime: ann.Runtime, op: str, options: dict[str, Any]) -> None:
    check(runtime, op, (5, 3, 4, 6), **options)


@pytest.mark.parametrize("function", ["Tanh", "Relu", "Sigmoid"])
def test_functions_and_peepholes(runtime: ann.Runtime, function: str) -> None:
    functions = ["Sigmoid", function, function]
    check(runtime, "LSTM", (5, 2, 4, 11), activations=functions, peepholes=True)


@pytest.mark.parametrize("reset", [0, 1])
@pytest.mark.parametrize(
    "options",
    [
        {"lengths": [5, 2, 4]},
        {"lengths": [5, 0, 3], "first": True, "known": False},
        {"lengths": [1, 5, 0], "direction": "reverse", "first": True},
        {"lengths": [3, 5, 4], "direction": BOTH, "directions": 2, "known": False},
        {"clip": 0.4},
        {"bias": False, "direction": BOTH, "directions": 2},
    ],
    ids=str,
)
def test_gated_units(runtime: ann.Runtime, reset: int, options: dict[str, Any]) -> None:
    check(runtime, "GRU", (5, 3, 4, 9), linear_before_reset=reset, **options)


@pytest.mark.parametrize("function", ["Tanh", "Relu", "Sigmoid", "LeakyRelu", "HardSigmoid", "Elu"])
@pytest.mark.parametrize(
    "options",
    [
        {"lengths": [5, 2, 4]},
        {"lengths": [5, 0, 3], "first": True, "known": False},
        {"lengths": [3, 5, 4], "direction": BOTH, "directions": 2, "known": False},
        {"clip": 0.4, "direction": "reverse"},
    ],
    ids=str,
)
def test_plain_units(runtime: ann.Runtime, function: str, options: dict[str, Any]) -> None:
    functions = [function] * options.get("directions", 1)
    check(runtime, "RNN", (5, 3, 4, 9), activations=functions, **options)


@pytest.mark.parametrize("op", GATES)
def test_threads_change_nothing(op: str) -> None:
    """Blocks of rows, directions, and panels of one large product are shared by threads."""
    for sizes in [(3, 40, 32, 64), (2, 1, 16, 400)]:
        model, feeds = model_of(op, sizes, direction=BOTH if op == "GRU" else "forward",
                                directions=2 if op == "GRU" else 1)  # fmt: skip
        found = []
        for threads in (1, 3):
            with (
                ann.Runtime(backend_options={"CpuAcc": {"threads": threads}}) as runtime,
                ann.load(model, ["CpuAcc"], runtime=runtime) as network,
            ):
                found.append(network.run(feeds)["y"])
        assert np.array_equal(*found)


@pytest.mark.parametrize("op", GATES)
def test_a_new_length_needs_no_new_conversion(
    runtime: ann.Runtime, op: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from armnn_py.frontends.onnx.convert.conversion import Builder

    done: list[Any] = []
    call = Builder.__call__

    def counted(self: Builder, infos: Any, values: Any = None) -> Any:
        done.append(infos)
        return call(self, infos, values)

    monkeypatch.setattr(Builder, "__call__", counted)
    model, _ = model_of(op, (5, 2, 4, 6), free=True, direction=BOTH, directions=2)
    session = session_of(model)
    with ann.load(model, ["CpuAcc"], runtime=runtime) as network:
        for steps, batch in [(5, 2), (9, 2), (300, 3), (17, 5)]:
            x = np.random.default_rng(steps).normal(size=(steps, batch, 4)).astype(np.float32)
            for one, other in zip(
                session.run(None, {"x": x}), network.run(x).values(), strict=True
            ):
                np.testing.assert_allclose(other, one, rtol=1e-4, atol=2e-6)
    assert not done  # load has converted it


@pytest.mark.parametrize("where", ["input", "forget", "cell", "output"])
def test_only_numbers_remain(runtime: ann.Runtime, where: str) -> None:
    """NaN in one cell's bias reaches the outputs that depend on it, and the others not."""
    cells = 9
    gates = ("input", "forget", "cell", "output")
    made: dict[str, Any] = {
        f"input_to_{g}_weights": np.zeros((cells, 1), np.float32) for g in gates
    }
    made |= {f"recurrent_to_{g}_weights": np.zeros((cells, cells), np.float32) for g in gates}
    for gate in gates:
        bias = np.ones(cells, np.float32)
        if gate == where:
            bias[7] = np.nan
        made["cell_bias" if gate == "cell" else f"{gate}_gate_bias"] = bias
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 1, 1)))
    h, c = (network.add_variable(name, ann.TensorInfo((1, cells))) for name in "hc")
    layer = network.add_unidirectional_sequence_lstm(x, h, c, LstmWeights(**made))
    network.add_output("y", layer.outputs[2])
    with ann.load(network, ["CpuAcc"], runtime=runtime) as loaded:
        y = loaded.run({"x": np.zeros((1, 1, 1), np.float32)})["y"].reshape(-1)
    sigmoid = 1 / (1 + np.exp(-1.0))
    expected = np.full(cells, sigmoid * np.tanh(sigmoid * np.tanh(1.0)), np.float32)
    expected[7] = np.nan
    np.testing.assert_allclose(y, expected, rtol=1e-5)


# ---- Rows rounded to 8 bits ----------------------------------------------------------------------

ROUNDING = [RowRounding.SYMMETRIC, RowRounding.ASYMMETRIC]


def rounded_lstm(sizes: tuple[int, int, int, int], rounding: RowRounding, outputs: int) -> Any:
    """A network of one LSTM with CIFG whose hidden state is projected, and its input."""
    steps, batch, size, cells = sizes
    r = np.random.default_rng(7)

    def normal(*shape: int) -> NDArray[np.float32]:
        return r.normal(0, 0.4, shape).astype(np.float32)

    made: dict[str, Any] = {"projection_weights": normal(outputs, cells)}
    for gate in ("forget", "cell", "output"):
        made[f"input_to_{gate}_weights"] = normal(cells, size)
        made[f"recurrent_to_{gate}_weights"] = normal(cells, outputs)
        made["cell_bias" if gate == "cell" else f"{gate}_gate_bias"] = normal(cells)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((steps, batch, size)))
    layer = network.add_unidirectional_sequence_lstm(
        x, normal(batch, outputs), normal(batch, cells), LstmWeights(**made), time_major=True,
        row_rounding=rounding,
    )  # fmt: skip
    for name, slot in zip(("hidden", "cell", "y"), layer.outputs, strict=True):
        network.add_output(name, slot)
    return network, normal(steps, batch, size)


def rounded_rnn(sizes: tuple[int, int, int, int], rounding: RowRounding, outputs: int) -> Any:
    """The same for plain recurrent units in both directions."""
    steps, batch, size, cells = sizes
    r = np.random.default_rng(8)
    weights = [r.normal(0, 0.4, (2, cells, n)).astype(np.float32) for n in (size, cells)]
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((steps, batch, size)))
    layer = network.add_rnn(
        x, *weights, direction=RecurrentDirection.BIDIRECTIONAL, row_rounding=rounding
    )
    for name, slot in zip(("y", "hidden"), layer.outputs, strict=True):
        network.add_output(name, slot)
    return network, r.normal(0, 1, (steps, batch, size)).astype(np.float32)


@pytest.mark.parametrize("make", [rounded_lstm, rounded_rnn])
@pytest.mark.parametrize("rounding", ROUNDING, ids=lambda one: one.name)
@pytest.mark.parametrize("sizes", SIZES[1:], ids=str)
def test_rounded_rows(
    each: ann.Runtime, sizes: tuple[int, int, int, int], rounding: RowRounding, make: Any
) -> None:
    """CpuAcc as CpuRef, but that a sum in another order may take a number to the next level."""
    network, x = make(sizes, rounding, 5)
    found, expected = (
        ann.load(network, [backend], runtime=each).run({"x": x}) for backend in ("CpuAcc", "CpuRef")
    )
    plain = ann.load(make(sizes, RowRounding.NONE, 5)[0], ["CpuRef"], runtime=each).run({"x": x})
    for name, one in expected.items():
        apart = np.abs(found[name] - one)
        assert np.quantile(apart, 0.9) <= 2e-6, name
        assert apart.max() <= 0.02, name
    assert np.abs(plain["y"] - expected["y"]).max() > 1e-4
