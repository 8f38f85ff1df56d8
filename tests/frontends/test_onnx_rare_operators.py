# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sequences, DeformConv, Det, MaxUnpool, MelWeightMatrix, TfIdfVectorizer beside onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann

DRAW = np.random.default_rng(11)
KINDS = {
    np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.float64): TensorProto.DOUBLE,
    np.dtype(np.int64): TensorProto.INT64, np.dtype(np.int32): TensorProto.INT32,
}  # fmt: skip


def node(op: str, inputs: list[str], outputs: list[str], **attributes: Any) -> Any:
    return helper.make_node(op, inputs, outputs, **attributes)


def model(
    nodes: list[Any], inputs: dict[str, np.ndarray], weights: Any = (), version: int = 22,
    outputs: Any = None,
) -> Any:  # fmt: skip
    graph = helper.make_graph(
        nodes,
        "rare",
        [helper.make_tensor_value_info(n, KINDS[x.dtype], x.shape) for n, x in inputs.items()],
        outputs or [helper.make_empty_tensor_value_info("y")],
        [numpy_helper.from_array(array, name) for name, array in dict(weights).items()],
    )
    if not outputs:
        graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=10)


def compare(made: Any, rtol: float = 1e-5, **feeds: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (expected,) = session.run(None, feeds)
    with ann.load(made, ["CpuRef"]) as network:
        (found,) = network.run(feeds).values()
    found = np.array(found)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)
    return found


def normal(*shape: int) -> np.ndarray:
    return DRAW.standard_normal(shape).astype(np.float32)


# ---- DeformConv ----------------------------------------------------------------------------------


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("group", "parts", "mask", "bias", "window"),
    [
        (1, 1, False, False, {}),
        (1, 2, True, True, {"pads": [1, 0, 1, 2]}),
        (2, 1, True, False, {"strides": [2, 1], "pads": [1, 1, 1, 1]}),
        (2, 4, False, True, {"dilations": [1, 2], "pads": [0, 2, 0, 2]}),
    ],
)
def test_deform_conv(
    group: int, parts: int, mask: bool, bias: bool, window: dict[str, Any], known: bool
) -> None:
    x, w = normal(2, 4, 6, 7), normal(6, 4 // group, 2, 3)
    strides, dilations = window.get("strides", [1, 1]), window.get("dilations", [1, 1])
    pads = window.get("pads", [0] * 4)
    size = [
        (x.shape[d + 2] + pads[d] + pads[d + 2] - dilations[d] * (w.shape[d + 2] - 1) - 1)
        // strides[d] + 1
        for d in range(2)
    ]  # fmt: skip
    feeds = {"x": x, "w": w, "o": normal(2, parts * 12, *size) * 2}
    if bias:
        feeds["b"] = normal(6)
    if mask:
        feeds["m"] = normal(2, parts * 6, *size)
    names = ["x", "w", "o", "b" if bias else "", *(["m"] if mask else [])]
    weights = {"w": feeds.pop("w")} if known else {}
    made = model(
        [node("DeformConv", names, ["y"], group=group, offset_group=parts, **window)],
        feeds, weights,
    )  # fmt: skip
    compare(made, 2e-5, **feeds)


# ---- Det -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (5, 3, 3), (2, 3, 4, 4), (7, 7)])
def test_det(shape: tuple[int, ...]) -> None:
    x = normal(*shape)
    compare(model([node("Det", ["x"], ["y"])], {"x": x}), 1e-4, x=x)


def test_det_of_a_singular_matrix_with_zeros_in_its_diagonal() -> None:
    x = np.float32([[0, 2, 1], [3, 0, 1], [3, 2, 2]])
    assert compare(model([node("Det", ["x"], ["y"])], {"x": x}), 1e-5, x=x) == 0


def test_det_of_large_matrices_is_refused() -> None:
    x = normal(11, 11)
    with pytest.raises(ann.UnsupportedOperatorError, match="matrices of 11 rows"):
        ann.import_model(model([node("Det", ["x"], ["y"])], {"x": x}))


# ---- MaxUnpool -----------------------------------------------------------------------------------


@pytest.mark.parametrize("pads", [[0, 0, 0, 0], [1, 0, 1, 0]])
def test_max_unpool_undoes_max_pool(pads: list[int]) -> None:
    x = normal(2, 3, 6, 8)
    window = {"kernel_shape": [2, 2], "strides": [2, 2], "pads": pads}
    made = model(
        [
            node("MaxPool", ["x"], ["p", "i"], **window),
            node("MaxUnpool", ["p", "i"], ["y"], **window),
        ],
        {"x": x},
    )
    compare(made, x=x)


@pytest.mark.parametrize("sides", [(5, 5), (5, 4), (4, 7)])
def test_max_unpool_into_a_stated_size(sides: tuple[int, int]) -> None:
    """Indices count the elements of the output, not of the smallest image that was pooled."""
    x = normal(1, 2, *sides)
    window = {"kernel_shape": [2, 2], "strides": [2, 2]}
    made = model(
        [
            node("MaxPool", ["x"], ["p", "i"], **window),
            node("MaxUnpool", ["p", "i", "s"], ["y"], **window),
        ],
        {"x": x}, {"s": np.int64(x.shape)},
    )  # fmt: skip
    compare(made, x=x)


def test_max_unpool_into_other_channels_is_refused() -> None:
    x, places = normal(1, 1, 2, 2), np.int64([[[[0, 1], [2, 3]]]])
    made = model(
        [node("MaxUnpool", ["x", "i", "s"], ["y"], kernel_shape=[2, 2], strides=[2, 2])],
        {"x": x}, {"i": places, "s": np.int64([1, 2, 4, 4])},
    )  # fmt: skip
    with pytest.raises(ann.ParseError, match=r"'output_shape' is \[1, 2, 4, 4\], expected 4 sizes"):
        ann.import_model(made)


# ---- MelWeightMatrix -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bands", "length", "rate", "low", "high"),
    [(8, 16, 8192, 0.0, 4096.0), (40, 512, 16000, 20.0, 7600.0), (3, 64, 8000, 300.0, 310.0)],
)
def test_mel_weight_matrix(bands: int, length: int, rate: int, low: float, high: float) -> None:
    numbers = {"b": bands, "l": length, "r": rate}
    weights = {name: np.array(value, np.int64) for name, value in numbers.items()}
    weights |= {"f": np.array(low, np.float32), "t": np.array(high, np.float32)}
    x = normal(2, length // 2 + 1)
    made = model(
        [node("MelWeightMatrix", [*"blrft"], ["m"]), node("MatMul", ["x", "m"], ["y"])],
        {"x": x}, weights,
    )  # fmt: skip
    compare(made, x=x)


# ---- TfIdfVectorizer -----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["TF", "IDF", "TFIDF"])
@pytest.mark.parametrize(("low", "high", "skip"), [(1, 1, 3), (2, 2, 0), (1, 2, 5), (1, 3, 1)])
@pytest.mark.parametrize("shape", [(12,), (3, 9), (2, 2)])
def test_tf_idf_vectorizer(
    mode: str, low: int, high: int, skip: int, shape: tuple[int, ...]
) -> None:
    pool = [2, 3, 5, 4, 5, 6, 7, 8, 6, 7, 5, 5, 2, 3, 4]
    attributes: dict[str, Any] = {
        "mode": mode, "min_gram_length": low, "max_gram_length": high, "max_skip_count": skip,
        "pool_int64s": pool, "ngram_counts": [0, 3, 9], "ngram_indexes": [6, 0, 1, 3, 2, 4, 5, 8],
    }  # fmt: skip
    if mode != "TF":
        attributes["weights"] = [float(w) for w in DRAW.uniform(0.5, 2, 8)]
    x = DRAW.integers(2, 9, shape)
    compare(model([node("TfIdfVectorizer", ["x"], ["y"], **attributes)], {"x": x}), x=x)


# ---- Sequences -----------------------------------------------------------------------------------


def test_a_sequence_is_built_changed_and_read() -> None:
    feeds = {"a": normal(2, 3), "b": normal(2, 3), "c": normal(2, 3)}
    place = {"one": np.array(1, np.int64), "last": np.array(-1, np.int64)}
    made = model(
        [
            node("SequenceConstruct", ["a", "b"], ["s1"]),
            node("SequenceInsert", ["s1", "c", "one"], ["s2"]),
            node("SequenceErase", ["s2", "last"], ["s3"]),
            node("SequenceAt", ["s3", "last"], ["at"]),
            node("ConcatFromSequence", ["s3"], ["joined"], axis=0),
            node("ConcatFromSequence", ["s3"], ["stacked"], axis=-1, new_axis=1),
            node("ReduceSum", ["stacked", "axes"], ["sums"], keepdims=0),
            node("Concat", ["joined", "at", "sums"], ["y"], axis=0),
        ],
        feeds, {**place, "axes": np.array([2], np.int64)},
    )  # fmt: skip
    compare(made, **feeds)


@pytest.mark.parametrize(
    ("split", "keepdims"), [(None, 0), (None, 1), (2, 1), ([1, 4], 1), ([5], 0)]
)
def test_a_split_sequence(split: Any, keepdims: int) -> None:
    x = normal(3, 5)
    weights = {"first": np.array(0, np.int64)}
    if split is not None:
        weights["split"] = np.array(split, np.int64)
    names = ["x"] if split is None else ["x", "split"]
    made = model(
        [
            node("SplitToSequence", names, ["s"], axis=1, keepdims=keepdims),
            node("SequenceLength", ["s"], ["length"]),
            node("SequenceAt", ["s", "first"], ["item"]),
            node("Cast", ["length"], ["count"], to=TensorProto.FLOAT),
            node("Mul", ["item", "count"], ["y"]),
        ],
        {"x": x}, weights,
    )  # fmt: skip
    compare(made, x=x)


def test_a_sequence_as_output_is_an_output_for_each_tensor() -> None:
    x = normal(2, 6)
    made = model(
        [node("SplitToSequence", ["x"], ["s"], axis=0)],
        {"x": x},
        outputs=[helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None)],
    )
    with ann.load(made, ["CpuRef"]) as network:
        found = network.run({"x": x})
    assert list(found) == ["s[0]", "s[1]"]
    np.testing.assert_array_equal(found["s[1]"], x[1:])


def test_what_reads_a_sequence_and_cannot_is_named() -> None:
    x = normal(2, 6)
    made = model(
        [node("SequenceConstruct", ["x"], ["s"]), node("Relu", ["s"], ["y"], name="n")], {"x": x}
    )
    with pytest.raises(ann.UnsupportedOperatorError, match=r"Relu .*a sequence as an operand.*n"):
        ann.import_model(made)


@pytest.mark.parametrize("place", [2, -3])
def test_a_place_outside_is_damage(place: int) -> None:
    x = normal(2, 6)
    made = model(
        [node("SequenceConstruct", ["x", "x"], ["s"]), node("SequenceAt", ["s", "p"], ["y"])],
        {"x": x}, {"p": np.array(place, np.int64)},
    )  # fmt: skip
    with pytest.raises(
        ann.ParseError, match=f"position {place} is outside a sequence of 2 tensors"
    ):
        ann.import_model(made)


def test_optional_values() -> None:
    x = normal(2, 3)
    made = model(
        [
            node("OptionalHasElement", ["x"], ["has"]),
            node("OptionalGetElement", ["x"], ["got"]),
            node("Cast", ["has"], ["one"], to=TensorProto.FLOAT),
            node("Add", ["got", "one"], ["y"]),
        ],
        {"x": x},
    )
    with ann.load(made, ["CpuRef"]) as network:
        np.testing.assert_array_equal(network.run({"x": x})["y"], x + 1)


def test_an_optional_tensor_is_an_input_that_is_given() -> None:
    x = normal(2, 3)
    made = model(
        [
            node("OptionalHasElement", ["x"], ["has"]),
            node("OptionalGetElement", ["x"], ["got"]),
            node("Cast", ["has"], ["one"], to=TensorProto.FLOAT),
            node("Add", ["got", "one"], ["y"]),
        ],
        {"x": x},
    )
    (given,) = made.graph.input
    tensor = helper.make_tensor_type_proto(TensorProto.FLOAT, [2, 3])
    given.type.CopyFrom(helper.make_optional_type_proto(tensor))
    with ann.load(made, ["CpuRef"]) as network:
        assert network.inputs["x"].shape == (2, 3)
        np.testing.assert_array_equal(network.run({"x": x})["y"], x + 1)
        with pytest.raises(ann.InvalidArgumentError, match="input 'x': None given") as caught:
            network.run({"x": None})
        assert "may be absent in ONNX" in str(caught.value)
    given.type.CopyFrom(helper.make_optional_type_proto(helper.make_sequence_type_proto(tensor)))
    with pytest.raises(ann.ParseError, match="'x' holds optional type values"):
        ann.import_model(made)
