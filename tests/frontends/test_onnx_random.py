# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random operators of ONNX: distributions, and which runs have the same numbers.

onnxruntime has generators of its own: only types, shapes and distributions are comparable.
"""

from __future__ import annotations

import math
import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

import armnn_py as ann
from tests.frontends.beside_onnxruntime import theirs

FLOAT, DOUBLE = TensorProto.FLOAT, TensorProto.DOUBLE
X = np.zeros((200, 50), np.float32)
node = helper.make_node


def model(nodes: list[Any], outputs: tuple[str, ...] = ("y",), *, shape: Any = ("n", "m"),
          element: int = FLOAT, weights: dict[str, Any] | None = None,
          opset: int = 22) -> ModelProto:  # fmt: skip
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info("x", element, shape)],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [numpy_helper.from_array(np.asarray(one), name) for name, one in (weights or {}).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def seeded(made: Any, seed: int = 7, x: np.ndarray = X, backends: tuple[str, ...] = ("CpuRef",),
           **options: Any) -> np.ndarray:  # fmt: skip
    with ann.load(made, list(backends), **options) as network:
        if network.state:
            network.state["random"] = [seed, 0]
        return np.asarray(network.run(x)["y"])


def kolmogorov(values: np.ndarray, distribution: Any) -> float:
    """The distance from a distribution, times the root of the count; above 1.95 once in 1,000."""
    ordered = np.sort(values.reshape(-1).astype(np.float64))
    expected = np.array([distribution(value) for value in ordered])
    steps = np.arange(len(ordered) + 1) / len(ordered)
    distance = max((steps[1:] - expected).max(), (expected - steps[:-1]).max())
    return float(distance * math.sqrt(len(ordered)))


@pytest.mark.parametrize("like", [False, True])
@pytest.mark.parametrize("seed", [{}, {"seed": 4.0}], ids=str)
def test_normal_numbers(like: bool, seed: dict[str, float]) -> None:
    options = {"mean": 3.0, "scale": 0.5, **seed}
    made = model(
        [node("RandomNormalLike", ["x"], ["y"], **options)]
        if like
        else [node("RandomNormal", [], ["y"], shape=X.shape, **options)]
    )
    found = seeded(made)
    assert (found.dtype, found.shape) == (np.float32, X.shape)
    assert kolmogorov(found, lambda v: (1 + math.erf((v - 3) / 0.5 / math.sqrt(2))) / 2) < 1.95


@pytest.mark.parametrize("like", [False, True])
def test_uniform_numbers(like: bool) -> None:
    options = {"low": -2.0, "high": 6.0}
    made = model(
        [node("RandomUniformLike", ["x"], ["y"], **options)]
        if like
        else [node("RandomUniform", [], ["y"], shape=X.shape, **options)]
    )
    found = seeded(made)
    assert (found.dtype, found.shape) == (np.float32, X.shape)
    assert found.min() >= -2
    assert found.max() < 6
    assert kolmogorov(found, lambda value: (value + 2) / 8) < 1.95


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ml_dtypes.bfloat16])
def test_types_of_numbers(dtype: Any) -> None:
    number = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    for op in ("RandomNormalLike", "RandomUniformLike"):
        found = seeded(model([node(op, ["x"], ["y"], dtype=number)]))
        own = model([node(op, ["x"], ["y"])], element=number)
        stated = np.dtype(np.uint16) if dtype is ml_dtypes.bfloat16 else np.dtype(dtype)
        assert found.dtype == stated
        assert seeded(own, x=X.astype(dtype)).dtype == stated
        values = found.view(dtype).astype(np.float64)
        assert values.std() > 0.2
        if op == "RandomUniformLike":
            assert values.max() < 1  # also where halves are rounded


def test_bernoulli() -> None:
    x = np.repeat(np.linspace(0, 1, 11, dtype=np.float32), 5_000).reshape(11, -1)
    found = seeded(model([node("Bernoulli", ["x"], ["y"])]), x=x)
    assert set(np.unique(found)) == {0, 1}
    chances = x[:, 0].astype(np.float64)
    errors = np.abs(found.mean(1) - chances)
    assert (errors <= 4 * np.sqrt(chances * (1 - chances) / 5_000)).all()
    whole = seeded(model([node("Bernoulli", ["x"], ["y"], dtype=TensorProto.INT64)]), x=x)
    assert whole.dtype == np.int64
    np.testing.assert_array_equal(whole, found)


@pytest.mark.parametrize("dtype", [TensorProto.INT32, TensorProto.INT64])
def test_multinomial(dtype: int) -> None:
    chances = np.array([[0.1, 0, 0.6, 0.3], [0.25, 0.5, 0, 0.25]])
    with np.errstate(divide="ignore"):
        x = (np.log(chances) + np.array([[3], [-2]])).astype(np.float32)
    made = model([node("Multinomial", ["x"], ["y"], sample_size=20_000, dtype=dtype)])
    found = seeded(made, x=x)
    assert (found.dtype, found.shape) == (helper.tensor_dtype_to_np_dtype(dtype), (2, 20_000))
    for row, expected in zip(found, chances, strict=True):
        shares = np.bincount(row, minlength=4) / 20_000
        assert (np.abs(shares - expected) <= 4 * np.sqrt(expected * (1 - expected) / 20_000)).all()


def test_types_and_shapes_are_those_of_onnxruntime() -> None:
    nodes = [
        node("RandomNormal", [], ["a"], shape=[2, 3], dtype=DOUBLE),
        node("RandomUniform", [], ["b"], shape=[4]),
        node("RandomNormalLike", ["x"], ["c"], dtype=DOUBLE),
        node("RandomUniformLike", ["x"], ["d"]),
        node("Bernoulli", ["x"], ["e"], dtype=TensorProto.BOOL),
        node("Multinomial", ["x"], ["f"], sample_size=3),
    ]
    made = model(nodes, tuple("abcdef"), opset=17)
    wanted = theirs(made, {"x": X})
    with ann.load(made, ["CpuRef"]) as network:
        found = network.run(X)
    assert {n: (a.dtype, a.shape) for n, a in found.items()} == {
        n: (a.dtype, a.shape) for n, a in wanted.items()
    }


# ---- Which runs have the same numbers --------------------------------------------------------

NOISE = [node("RandomNormalLike", ["x"], ["y"]), node("RandomNormalLike", ["x"], ["z"])]


def test_runs_differ_and_are_repeated() -> None:
    made = model(NOISE, ("y", "z"))
    with ann.load(made, ["CpuRef"]) as network, ann.load(made, ["CpuRef"]) as other:
        first, second = network.run(X), network.run(X)
        assert not np.array_equal(first["y"], first["z"])
        assert not np.array_equal(first["y"], second["y"])
        assert not np.array_equal(first["y"], other.run(X)["y"])
        network.reset_state()
        np.testing.assert_array_equal(network.run(X)["y"], first["y"])
        saved = dict(network.state)
        assert saved["random"][1] == 1
        other.state.update({"random": [saved["random"][0], 1]})
        np.testing.assert_array_equal(other.run(X[:3])["y"].shape, (3, 50))
        network.run(X[:3])
        np.testing.assert_array_equal(network.run(X)["z"], other.run(X)["z"])


def test_a_seed_of_a_node_is_for_all_runs() -> None:
    nodes = [node("RandomNormalLike", ["x"], [name], seed=seed)
             for name, seed in (("y", 1.0), ("z", 1.0), ("v", 1.5))]  # fmt: skip
    with ann.load(model(nodes, ("y", "z", "v")), ["CpuRef"]) as network:
        assert not network.state
        first, second = network.run(X), network.run(X)
    np.testing.assert_array_equal(first["y"], second["y"])
    np.testing.assert_array_equal(first["y"], first["z"])
    assert not np.array_equal(first["y"], first["v"])


@pytest.mark.parametrize("shape", [("n", "m"), X.shape], ids=str)
def test_equal_seeds_make_equal_numbers(shape: Any) -> None:
    made = model(NOISE[:1], shape=shape)
    expected = seeded(made)
    for backends in (("CpuRef",), ("CpuAcc", "CpuRef")):
        for threads in (1, 2):
            found = seeded(made, backends=backends, threads=threads)
            np.testing.assert_array_equal(found, expected)
    assert not np.array_equal(seeded(made, seed=8), expected)


def test_a_network_that_was_pickled_has_the_same_seed() -> None:
    network = ann.import_model(model(NOISE[:1]))
    copy = pickle.loads(pickle.dumps(network))
    with ann.load(network, ["CpuRef"]) as one, ann.load(copy, ["CpuRef"]) as other:
        np.testing.assert_array_equal(one.run(X)["y"], other.run(X)["y"])


VOICE = [
    node("RandomNormalLike", ["x"], ["e"]),
    node("Mul", ["e", "width"], ["w"]),
    node("Abs", ["w"], ["a"]),
    node("Ceil", ["a"], ["durations"]),
    node("ReduceSum", ["durations"], ["total"], keepdims=0),
    node("Cast", ["total"], ["length"], to=TensorProto.INT64),
    node("Range", ["zero", "length", "one"], ["frames"]),
    node("Cast", ["frames"], ["y_frames"], to=FLOAT),
    node("RandomNormalLike", ["y_frames"], ["noise"]),
    node("Mul", ["noise", "noise_scale"], ["scaled"]),
    node("Add", ["y_frames", "scaled"], ["y"]),
]
WEIGHTS = {"width": np.float32(3), "zero": np.int64(0), "one": np.int64(1),
           "noise_scale": np.float32(0.1)}  # fmt: skip


@pytest.mark.parametrize("shape", [(1, "text"), (1, 20)], ids=str)
def test_noise_as_long_as_a_sentence(shape: Any) -> None:
    """As VITS: durations have noise, and data decide how much noise frames get."""
    made = model(VOICE, ("y", "durations"), shape=shape, weights=WEIGHTS)
    x = np.zeros((1, 20), np.float32)
    with ann.load(made, ["CpuAcc", "CpuRef"]) as network:
        network.state["random"] = [3, 0]  # before it is known that there are stages
        runs = [network.run(x) for _ in range(3)]
        for found in runs:
            assert found["y"].shape == (found["durations"].sum(),)
            assert 0.02 < (found["y"] - np.arange(len(found["y"]))).std() < 0.3
        assert not np.array_equal(runs[0]["durations"], runs[1]["durations"])
        assert network.state["random"].tolist() == [3, 3]
        network.state["random"] = [3, 1]
        np.testing.assert_array_equal(network.run(x)["y"], runs[1]["y"])
        network.reset_state()
        first = network.run(x)
        network.reset_state()
        np.testing.assert_array_equal(network.run(x)["y"], first["y"])


def test_turns_of_a_loop_differ() -> None:
    body = helper.make_graph(
        [node("RandomUniform", [], ["u"], shape=[3]), node("Identity", ["go"], ["on"])],
        "body",
        [helper.make_tensor_value_info("i", TensorProto.INT64, ()),
         helper.make_tensor_value_info("go", TensorProto.BOOL, ())],
        [helper.make_tensor_value_info("on", TensorProto.BOOL, ()),
         helper.make_tensor_value_info("u", FLOAT, (3,))],
    )  # fmt: skip
    for turns in (5, 2_000):  # written out, and turn by turn
        made = model([node("Loop", ["turns", ""], ["y"], body=body)], shape=(2,),
                     weights={"turns": np.int64(turns)})  # fmt: skip
        rows = seeded(made, x=np.zeros(2, np.float32))
        assert rows.shape == (turns, 3)
        assert len(np.unique(rows, axis=0)) == turns


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (node("RandomNormal", [], ["y"]), "attribute 'shape' is missing"),
        (node("RandomNormal", [], ["y"], shape=[-1]), "expected sizes of at least 0"),
        (node("RandomNormalLike", ["x"], ["y"], dtype=TensorProto.INT8), "expected floats"),
        (node("Multinomial", ["x"], ["y"], sample_size=0), "expected at least 1"),
        (node("Multinomial", ["x"], ["y"], dtype=FLOAT), "expected int32 or int64"),
    ],
)
def test_refusals(made: Any, text: str) -> None:
    with pytest.raises(ann.ModelError, match=text):
        ann.load(model([made], shape=(2, 3)), ["CpuRef"])
