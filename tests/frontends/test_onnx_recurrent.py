# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTM, GRU and RNN: CpuRef against onnxruntime."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann

R = np.random.default_rng(31)
STEPS, BATCH, INPUTS, HIDDEN = 5, 3, 4, 6
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
BOTH = "bidirectional"


def f(*shape: int) -> np.ndarray:
    return R.normal(0, 0.6, shape).astype(np.float32)


def run(op: str, *, directions: int = 1, lengths: Any = None, first: bool = False,
        peepholes: bool = False, bias: bool = True, known: bool = True,
        batch: int = BATCH, layers: int | None = None, dtype: Any = np.float32,
        **attributes: Any) -> None:  # fmt: skip
    """Compare with onnxruntime; ``layers``: how many of the operator's layer there are.

    onnxruntime has float32 alone: another ``dtype`` is that of the operands' numbers.
    """
    gates = GATES[op]
    values: dict[str, Any] = {
        "x": f(STEPS, batch, INPUTS),
        "w": f(directions, gates * HIDDEN, INPUTS),
        "r": f(directions, gates * HIDDEN, HIDDEN),
        "b": f(directions, 2 * gates * HIDDEN) if bias else None,
        "lengths": None if lengths is None else np.array(lengths, np.int32),
        "h0": f(directions, batch, HIDDEN) if first else None,
    }
    if op == "LSTM":
        values["c0"] = f(directions, batch, HIDDEN) if first else None
        values["p"] = f(directions, 3 * HIDDEN) if peepholes else None
    for name, value in values.items():  # numbers that both types have
        if value is not None and value.dtype == np.float32:
            values[name] = value.astype(dtype).astype(np.float32)
    given = [name if value is not None else "" for name, value in values.items()]
    while not given[-1]:
        given.pop()
    outputs = ["y", "h", "c"][: 3 if op == "LSTM" else 2]
    fed = [name for name in ("x", "h0", "c0", *(() if known else ("w", "r", "b")))
           if values.get(name) is not None]  # fmt: skip
    graph = helper.make_graph(
        [helper.make_node(op, given, outputs, hidden_size=HIDDEN, **attributes)],
        "graph",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, values[n].shape) for n in fed],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(value, name) for name, value in values.items()
         if value is not None and name not in fed],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    feeds = {name: values[name] for name in fed}
    from onnx import shape_inference

    model = shape_inference.infer_shapes(model)
    expected = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    ).run(None, feeds)
    if dtype is not np.float32:
        model, feeds = in_type(model, dtype), {n: v.astype(dtype) for n, v in feeds.items()}
    with ann.load(model, ["CpuRef"]) as network:
        found = network.run(feeds)
        kinds = [row.type for row in network.assignment]
    assert layers is None or kinds.count({"GRU": "Gru", "RNN": "Rnn"}[op]) == layers
    for one, (name, other) in zip(expected, found.items(), strict=True):
        assert one.shape == other.shape
        if dtype is not np.float32:
            rounded = other.view(dtype).astype(np.float32)
            np.testing.assert_allclose(rounded, one, rtol=ml_dtypes.finfo(dtype).eps, atol=1e-6)
            continue
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-6, err_msg=name)


def in_type(model: Any, dtype: Any) -> Any:
    """The same model with inputs, weights and outputs of another type."""
    element = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    for info in (*model.graph.input, *model.graph.output):
        info.type.tensor_type.elem_type = element
    for weight in model.graph.initializer:
        array = numpy_helper.to_array(weight)
        if array.dtype == np.float32:
            weight.CopyFrom(numpy_helper.from_array(array.astype(dtype), weight.name))
    return model


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize(
    "options",
    [
        {"first": True},
        {"direction": BOTH, "directions": 2, "lengths": [3, 5, 4]},
        {"known": False},
        {"clip": 0.4},
    ],
    ids=str,
)
def test_small_types(op: str, dtype: Any, options: dict[str, Any]) -> None:
    run(op, dtype=dtype, **options)


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"bias": False},
        {"first": True},
        {"direction": "reverse"},
        {"direction": BOTH, "directions": 2, "first": True},
        {"lengths": [5, 2, 4]},
        {"lengths": [1, 5, 0], "direction": "reverse", "first": True},
        {"lengths": [3, 5, 4], "direction": BOTH, "directions": 2},
        {"clip": 0.4},
        {"known": False},
    ],
    ids=str,
)
def test_against_onnxruntime(op: str, options: dict[str, Any]) -> None:
    run(op, **options)


@pytest.mark.parametrize("directions", [1, 2])
def test_peepholes(directions: int) -> None:
    direction = BOTH if directions == 2 else "forward"
    run("LSTM", peepholes=True, first=True, directions=directions, direction=direction)


@pytest.mark.parametrize("limit", [0.1, 0.3])
@pytest.mark.parametrize("op", GATES)
def test_bounds_of_sums(op: str, limit: float) -> None:
    """Those of gates; the cell that an LSTM shows is not bounded, as in onnxruntime."""
    for _ in range(3):
        run(op, clip=limit, first=True)


def test_a_forget_gate_that_is_the_rest_of_the_input_gate() -> None:
    run("LSTM", input_forget=1)


@pytest.mark.parametrize("direction", ["forward", BOTH])
def test_a_gru_that_resets_after_the_product(direction: str) -> None:
    run("GRU", linear_before_reset=1, direction=direction, directions=1 + (direction == BOTH))


def test_other_activations() -> None:
    run("LSTM", activations=["HardSigmoid", "Relu", "Tanh"],
        activation_alpha=[0.3], activation_beta=[0.4])  # fmt: skip
    run("GRU", activations=["Sigmoid", "Softplus"])
    run("GRU", activations=["ThresholdedRelu", "Softsign"], activation_alpha=[0.2])


@pytest.mark.parametrize(
    ("function", "parameters"),
    [
        ("Relu", {}),
        ("Tanh", {}),
        ("Sigmoid", {}),
        ("Affine", {"activation_alpha": [0.4], "activation_beta": [0.1]}),
        ("LeakyRelu", {"activation_alpha": [0.2]}),
        ("ThresholdedRelu", {"activation_alpha": [0.3]}),
        ("ScaledTanh", {"activation_alpha": [0.7], "activation_beta": [0.5]}),
        ("HardSigmoid", {"activation_alpha": [0.3], "activation_beta": [0.4]}),
        ("Elu", {"activation_alpha": [0.6]}),
        ("Softsign", {}),
        ("Softplus", {}),
    ],
)
def test_plain_units_have_every_function(function: str, parameters: dict[str, Any]) -> None:
    run("RNN", activations=[function], layers=1, lengths=[5, 2, 4], first=True, **parameters)


def test_directions_of_plain_units_have_functions_of_their_own() -> None:
    run("RNN", direction=BOTH, directions=2, activations=["Tanh", "LeakyRelu"],
        activation_alpha=[0.2], lengths=[3, 5, 0], first=True, layers=2)  # fmt: skip
    run("RNN", direction=BOTH, directions=2, activations=["Elu", "Elu"], layers=2,
        activation_alpha=[0.2, 0.6])  # fmt: skip


@pytest.mark.parametrize("op", ["GRU", "RNN"])
@pytest.mark.parametrize("known", [True, False])
def test_a_batch_of_nothing_has_lengths(op: str, known: bool) -> None:
    feeds = {"x": np.zeros((2, 0, 3), np.float32)}
    if not known:
        feeds["w"] = np.zeros((1, 2 * GATES[op], 3), np.float32)
    with ann.load(_plain(op, batch=0, known=known), ["CpuRef"]) as network:
        found = network.run(feeds)
    assert found["y"].shape == (2, 1, 0, 2)


def test_lengths_beyond_the_steps() -> None:
    with pytest.raises(
        ann.ParseError, match=r"lengths \[3\] do not fit a batch of 1 sequences of 2 steps"
    ):
        ann.import_model(_plain("RNN", batch=1, lengths=[3]))


def test_rows_first() -> None:
    """Against the same network with steps first: onnxruntime takes no other layout."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(2, 1, 3)).astype(np.float32)
    with ann.load(_plain("RNN", batch=1), ["CpuRef"]) as network:
        expected = network.run({"x": x})["y"]
    model = _plain("RNN", batch=1, layout=1)
    del model.graph.input[0].type.tensor_type.shape.dim[:]
    for size in (1, 2, 3):
        model.graph.input[0].type.tensor_type.shape.dim.add().dim_value = size
    with ann.load(model, ["CpuRef"]) as network:
        found = network.run({"x": x.transpose(1, 0, 2)})["y"]
    np.testing.assert_array_equal(found, expected.transpose(2, 0, 1, 3))


def test_an_activation_that_no_layer_has() -> None:
    with pytest.raises(ann.UnsupportedOperatorError, match="activation Gauss"):
        ann.import_model(_lstm(activations=["Sigmoid", "Gauss", "Tanh"]))


def test_weights_that_do_not_fit() -> None:
    with pytest.raises(ann.ParseError, match="do not fit"):
        ann.import_model(_lstm(rows=5))
    with pytest.raises(ann.ParseError, match="direction 'bidirectional' does not fit weights of 1"):
        ann.import_model(_lstm(direction=BOTH))


@pytest.mark.parametrize("op", GATES)
def test_other_operands_that_do_not_fit(op: str) -> None:
    """Also where they have as many numbers as those that would."""
    rows, random = 2 * GATES[op], np.random.default_rng(2)

    def imported(bias: Any, first: Any, **attributes: Any) -> ann.Network:
        values = {
            "w": random.random((1, rows, 3), np.float32),
            "r": random.random((1, rows, 2), np.float32),
            "b": np.zeros(bias, np.float32),
            "h": np.zeros(first, np.float32),
        }
        names = ["x", "w", "r", "b", "", "h"]
        graph = helper.make_graph(
            [helper.make_node(op, names, ["y"], hidden_size=2, **attributes)],
            "graph",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, (4, 2, 3))],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, (None,) * 4)],
            [numpy_helper.from_array(value, name) for name, value in values.items()],
        )
        opset = helper.make_opsetid("", 17)
        return ann.import_model(helper.make_model(graph, opset_imports=[opset], ir_version=8))

    imported((1, 2 * rows), (1, 2, 2))
    imported((1, 2 * rows), (4, 1, 2), layout=1)
    for bias in ((1, 2 * rows + 1), (1, rows), (2 * rows,)):
        with pytest.raises(ann.ParseError, match="biases have shape"):
            imported(bias, (1, 2, 2))
    for first in ((2, 1, 2), (1, 1, 2), (4,)):
        with pytest.raises(ann.ParseError, match="the initial state has shape"):
            imported((1, 2 * rows), first)
    with pytest.raises(ann.ParseError, match="the initial state has shape"):
        imported((1, 2 * rows), (1, 4, 2), layout=1)
    with pytest.raises(ann.ParseError, match=r"attribute 'clip' is -1\.0, expected at least 0"):
        imported((1, 2 * rows), (1, 2, 2), clip=-1.0)


def _plain(
    op: str, *, batch: int, lengths: Any = None, known: bool = True, **attributes: Any
) -> Any:
    rows = 2 * GATES[op]
    rng = np.random.default_rng(5)
    lengths = np.array([2] * batch if lengths is None else lengths, np.int32)
    values = {
        "w": rng.normal(size=(1, rows, 3)).astype(np.float32),
        "r": rng.normal(size=(1, rows, 2)).astype(np.float32),
        "lengths": lengths,
    }
    shapes = {"x": (2, batch, 3)} | ({} if known else {"w": values.pop("w").shape})
    graph = helper.make_graph(
        [helper.make_node(op, ["x", "w", "r", "", "lengths"], ["y"], hidden_size=2, **attributes)],
        "graph",
        [helper.make_tensor_value_info(k, TensorProto.FLOAT, v) for k, v in shapes.items()],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (None,) * 4)],
        [numpy_helper.from_array(value, name) for name, value in values.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _lstm(rows: int = 8, **attributes: Any) -> Any:
    graph = helper.make_graph(
        [helper.make_node("LSTM", ["x", "w", "r"], ["y"], hidden_size=2, **attributes)],
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (2, 1, 3))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (2, 1, 1, 2))],
        [numpy_helper.from_array(f(1, rows, 3), "w"), numpy_helper.from_array(f(1, rows, 2), "r")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.models
@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("open/vad_lstm.onnx", {"input": (20, 576)}),
        ("extra/crnn_ocr.onnx", {"input1": (1, 1, 64, 160)}),
        ("extra/vad_static.onnx", {}),
    ],
)
def test_real_networks(models_folder: Any, name: str, shapes: dict[str, Any]) -> None:
    path = models_folder / name
    if not path.exists():
        pytest.skip("network not there")
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    feeds = {}
    for one in session.get_inputs():
        stated = [dim if isinstance(dim, int) else 1 for dim in one.shape]
        feeds[one.name] = f(*shapes.get(one.name, stated))
    expected = session.run(None, feeds)
    with ann.load(path) as network:
        found = network.run(feeds)
    for one, other in zip(expected, found.values(), strict=True):
        # A probability near 0 is a sigmoid of a number of order 10.
        assert np.abs(one - other).max() <= 1e-4 * np.abs(one).max() + 1e-6
