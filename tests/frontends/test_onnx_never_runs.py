# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A network that no sizes of its inputs can make run is refused when it is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import armnn_py as ann
from armnn_py.python_backend import KernelCall, PythonBackend, ShownLayer, kernel

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
COMPLEX = TensorProto.COMPLEX64
node = helper.make_node
info = helper.make_tensor_value_info


def body(
    nodes: Sequence[onnx.NodeProto], inputs: dict[str, Any], outputs: dict[str, Any]
) -> onnx.GraphProto:
    sides = [[info(name, *stated) for name, stated in side.items()] for side in (inputs, outputs)]
    return helper.make_graph(nodes, "body", *sides)


def loop() -> list[onnx.NodeProto]:
    turn = body(
        [node("Identity", ["go"], ["more"]), node("NoSuch", ["s"], ["t"], name="bad")],
        {"i": (INT64, []), "go": (BOOL, []), "s": (FLOAT, None)},
        {"more": (BOOL, []), "t": (FLOAT, None)},
    )
    return [node("Loop", ["three", "yes", "x"], ["y"], body=turn)]


def scan() -> list[onnx.NodeProto]:
    turn = body(
        [node("Identity", ["s"], ["t"]), node("NoSuch", ["row"], ["out"], name="bad")],
        {"s": (FLOAT, [1]), "row": (FLOAT, None)},
        {"t": (FLOAT, [1]), "out": (FLOAT, None)},
    )
    return [node("Scan", ["start", "x"], ["", "y"], body=turn, num_scan_inputs=1)]


def branches() -> list[onnx.NodeProto]:
    made = {"a": (FLOAT, None)}
    first = body([node("NoSuch", ["x"], ["a"], name="bad")], {}, made)
    other = body([node("NoSuch", ["x"], ["a"], name="worse")], {}, made)
    return [
        node("ReduceMax", ["x"], ["m"], keepdims=0),
        node("Greater", ["m", "zero"], ["is"]),
        node("If", ["is"], ["y"], then_branch=first, else_branch=other),
    ]


def behind_data(*last: onnx.NodeProto) -> list[onnx.NodeProto]:
    """Two stages: data decide how many columns ``f`` has."""
    return [node("NonZero", ["x"], ["n"]), node("Cast", ["n"], ["f"], to=FLOAT), *last]


UNSUPPORTED, CONTRADICTING = ann.UnsupportedOperatorError, ann.ParseError
CASES: dict[str, tuple[list[onnx.NodeProto], type[ann.ArmnnError], str]] = {
    "operator": ([node("NoSuch", ["x"], ["y"])], UNSUPPORTED, "NoSuch .*no operator of standard"),
    "domain": ([node("F", ["x"], ["y"], domain="acme")], UNSUPPORTED, "domain 'acme' is not"),
    "attribute": (
        [node("Resize", ["x", "", "ones"], ["y"], mode="odd")], CONTRADICTING, "'mode' is 'odd'",
    ),
    "missing attribute": ([node("Cast", ["x"], ["y"])], UNSUPPORTED, "Cast .*to undefined"),
    "axis": ([node("Softmax", ["x"], ["y"], axis=5)], CONTRADICTING, "axis 5 is outside"),
    "missing input": ([node("Add", ["x"], ["y"])], CONTRADICTING, "input 1 is missing"),
    "rank": ([node("Conv", ["x", "kernel"], ["y"])], CONTRADICTING, "input has 2 dimensions"),
    "types of operands": (
        [node("Cast", ["x"], ["i"], to=INT64), node("Add", ["x", "i"], ["y"])],
        CONTRADICTING, "the operands are float32 and int64, expected one type",
    ),
    "type of an operand": (
        [node("Cast", ["x"], ["b"], to=BOOL), node("Sin", ["b"], ["y"])],
        CONTRADICTING, "input is bool",
    ),
    "type that no tensor has": (
        [node("Cast", ["x"], ["c"], to=COMPLEX), node("Cast", ["c"], ["y"], to=FLOAT)],
        UNSUPPORTED, "to complex64",
    ),
    "text in arithmetic": (
        [node("Cast", ["x"], ["t"], to=TensorProto.STRING), node("Sin", ["t"], ["y"])],
        UNSUPPORTED, "strings as operands",
    ),
    "more than there is": (
        [node("MatMul", ["x", "five"], ["p"]), node("TopK", ["p", "seven"], ["y", "i"])],
        CONTRADICTING, "7, but dimension 1 has 5 elements",
    ),
    "loop": (loop(), UNSUPPORTED, "NoSuch"),
    "scan": (scan(), UNSUPPORTED, "NoSuch"),
    "both branches": (branches(), UNSUPPORTED, "NoSuch"),
    "second stage": (behind_data(node("NoSuch", ["f"], ["y"])), UNSUPPORTED, "NoSuch"),
    "attribute in the second stage": (
        behind_data(node("Resize", ["f", "", "ones"], ["y"], mode="odd")),
        CONTRADICTING, "'mode' is 'odd'",
    ),
    "third stage": (
        behind_data(
            node("NonZero", ["f"], ["m"]), node("Cast", ["m"], ["g"], to=FLOAT),
            node("NoSuch", ["g"], ["y"]),
        ),
        UNSUPPORTED, "NoSuch",
    ),
}  # fmt: skip
WEIGHTS = {
    "ones": np.ones(2, np.float32),
    "kernel": np.ones((4, 2, 3, 3), np.float32),
    "five": np.ones((8, 5), np.float32),
    "seven": np.int64([7]),
    "three": np.int64(3),
    "yes": np.array(True),
    "start": np.zeros(1, np.float32),
    "zero": np.float32(0),
}


def built(models: Any, nodes: Sequence[onnx.NodeProto], shape: Sequence[Any]) -> Any:
    read = {name for one in nodes for name in one.input}
    used = {name: value for name, value in WEIGHTS.items() if name in read}
    model = models.build(list(nodes), {"x": (shape, FLOAT)}, {"y": ([None, None], FLOAT)}, used)
    model.opset_import.append(helper.make_opsetid("acme", 1))
    return model


@pytest.mark.parametrize("shape", [(2, 8), ("rows", "columns")], ids=["fixed", "free"])
@pytest.mark.parametrize("case", CASES)
def test_load_refuses(models: Any, case: str, shape: Sequence[Any]) -> None:
    nodes, error, text = CASES[case]
    with pytest.raises(error, match=text):
        ann.load(models.save(built(models, nodes, shape)), ["CpuRef"])


@pytest.mark.parametrize("shape", [(2, 8), ("rows", "columns")], ids=["fixed", "free"])
def test_load_refuses_a_function_of_the_model(models: Any, shape: Sequence[Any]) -> None:
    model = built(models, [node("F", ["x"], ["y"], domain="acme")], shape)
    inside = [node("NoSuch", ["a"], ["b"], name="deep")]
    model.functions.append(
        helper.make_function("acme", "F", ["a"], ["b"], inside, [helper.make_opsetid("", 17)])
    )
    with pytest.raises(ann.UnsupportedOperatorError, match="NoSuch"):
        ann.load(models.save(model), ["CpuRef"])


def test_bound_dimensions_change_nothing(models: Any) -> None:
    path = models.save(built(models, behind_data(node("NoSuch", ["f"], ["y"])), ("rows", "n")))
    for shapes in ({"x": (2, 8)}, {"x": (2, None)}):
        with pytest.raises(ann.UnsupportedOperatorError, match="NoSuch"):
            ann.load(path, ["CpuRef"], shapes=shapes)


def test_a_branch_that_runs_is_not_a_reason_to_refuse(models: Any) -> None:
    nodes = branches()
    nodes[-1] = node(
        "If", ["is"], ["y"],
        then_branch=body([node("NoSuch", ["x"], ["a"])], {}, {"a": (FLOAT, None)}),
        else_branch=body([node("Relu", ["x"], ["a"])], {}, {"a": (FLOAT, None)}),
    )  # fmt: skip
    with ann.load(models.save(built(models, nodes, ("rows", "n"))), ["CpuRef"]) as network:
        x = np.full((2, 3), -1, np.float32)
        np.testing.assert_array_equal(network.run({"x": x})["y"], np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("nodes", "shape"),
    [
        ([node("Conv", ["x", "wide"], ["y"])], (1, 2, 300, 300)),
        ([node("MatMul", ["x", "five"], ["y"])], (3, 8)),
        ([node("Reshape", ["x", "to"], ["y"])], (7, 6)),
        ([node("Squeeze", ["x", "first"], ["y"])], (1, 3, 4)),
        ([node("TopK", ["x", "many"], ["y", "i"])], (1, 2000)),
        ([node("Gather", ["x", "at"], ["y"], axis=1)], (1, 20000)),
    ],
    ids=["window", "weights", "elements", "axis of one", "many", "far"],
)  # fmt: skip
def test_sizes_that_suit_are_found_by_the_run(
    models: Any, nodes: Sequence[onnx.NodeProto], shape: tuple[int, ...]
) -> None:
    more = {
        "wide": np.ones((1, 2, 290, 290), np.float32), "to": np.int64([2, 21]),
        "first": np.int64([0]), "many": np.int64([1500]), "at": np.int64([19000]),
        "five": WEIGHTS["five"],
    }  # fmt: skip
    used = {name: one for name, one in more.items() if any(name in n.input for n in nodes)}
    free = tuple(f"d{axis}" for axis in range(len(shape)))
    rank = len(shape) - (nodes[0].op_type == "Squeeze")
    model = models.build(list(nodes), {"x": (free, FLOAT)}, {"y": ([None] * rank, FLOAT)}, used)
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) % 11
    expected = models.theirs(model, {"x": x})["y"]
    np.testing.assert_allclose(models.ours(model, {"x": x})["y"], expected, rtol=1e-4)


class Small(PythonBackend):
    """Takes ReLUs alone, of the sizes that a function likes."""

    id = "Small"

    def __init__(self, likes: Callable[[tuple[int, ...]], bool] = lambda shape: True) -> None:
        self.likes = likes

    def supports(self, layer: ShownLayer) -> bool | str:
        return self.likes(layer.outputs[0].static_shape) or "not of this size"

    @kernel(ann.LayerType.ACTIVATION)
    def relu(self, call: KernelCall) -> Any:
        return np.maximum(call.inputs[0], 0)


@pytest.mark.parametrize("shape", [(2, 8), ("rows", 8), ("rows", "n")])
def test_load_refuses_layers_that_no_backend_takes(models: Any, shape: Sequence[Any]) -> None:
    nodes = [node("MatMul", ["x", "five"], ["p"], name="product"), node("Relu", ["p"], ["y"])]
    with (
        ann.Runtime(bundled_backends=False, python_backends=[Small()]) as runtime,
        pytest.raises(ann.NoBackendForLayerError, match="no kernel for") as caught,
    ):
        ann.load(models.save(built(models, nodes, shape)), ["Small"], runtime=runtime)
    assert [layer.layer for layer in caught.value.layers] == ["product"]


@pytest.mark.parametrize("rows", [8, 40, 1])
def test_a_backend_that_takes_some_sizes_is_not_refused(models: Any, rows: int) -> None:
    path = models.save(built(models, [node("Relu", ["x"], ["y"])], ("rows", "n")))
    backend = Small(lambda shape: shape[0] == rows)
    with (
        ann.Runtime(bundled_backends=False, python_backends=[backend]) as runtime,
        ann.load(path, ["Small"], runtime=runtime) as network,
    ):
        y = network.run({"x": np.ones((rows, 2), np.float32)})["y"]
        assert y.shape == (rows, 2)
        with pytest.raises(ann.NoBackendForLayerError, match="not of this size"):
            network.run({"x": np.ones((rows + 1, 2), np.float32)})


def test_a_layer_that_vanishes_at_some_sizes_is_not_refused(models: Any) -> None:
    """Tiles of a row that is there already."""
    nodes = [
        node("Shape", ["x"], ["s"], start=0, end=1),
        node("Concat", ["s", "one"], ["to"], axis=0),
        node("Expand", ["row", "to"], ["e"]),
        node("Relu", ["e"], ["r"]),
        node("Relu", ["x"], ["y"]),
        node("Identity", ["r"], ["z"]),
    ]
    inputs = {"x": (("n", 4), FLOAT), "row": ((1, 4), FLOAT)}
    outputs = {"y": ((None, 4), FLOAT), "z": ((None, 4), FLOAT)}
    path = models.save(models.build(nodes, inputs, outputs, {"one": np.int64([1])}))
    with (
        ann.Runtime(bundled_backends=False, python_backends=[Small()]) as runtime,
        ann.load(path, ["Small"], runtime=runtime) as network,
    ):
        given = {name: np.ones((1, 4), np.float32) for name in inputs}
        assert network.run(given)["z"].shape == (1, 4)


def test_the_first_run_goes_on_with_the_conversion_of_load(
    models: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from armnn_py.frontends.onnx.convert import conversion

    made: list[Any] = []
    convert = conversion.convert

    def counted(*given: Any, **named: Any) -> Any:
        made.append(given)
        return convert(*given, **named)

    monkeypatch.setattr(conversion, "convert", counted)
    path = models.save(built(models, [node("MatMul", ["x", "five"], ["y"])], ("rows", 8)))
    with ann.load(path, ["CpuRef"]) as network:
        for rows in (3, 1, 5):
            x = np.ones((rows, 8), np.float32)
            np.testing.assert_allclose(network.run({"x": x})["y"], np.full((rows, 5), 8.0))
    assert len(made) < 4


def test_contradiction_in_a_branch_that_does_not_run(models: Any) -> None:
    """Where no row is far, the branch that has another rank does not run."""
    made = (FLOAT, None)
    nodes = [
        node("ReduceMax", ["x"], ["m"], axes=[1], keepdims=0),
        node("Greater", ["m", "hundred"], ["rows"]),
        node("Compress", ["m", "rows"], ["far"], axis=0),
        node("Size", ["far"], ["count"]),
        node("Greater", ["count", "none"], ["some"]),
        node(
            "If", ["some"], ["d"],
            then_branch=body([node("Unsqueeze", ["x", "first"], ["a"])], {}, {"a": made}),
            else_branch=body([node("Identity", ["x"], ["a"])], {}, {"a": made}),
        ),
        node("TopK", ["d", "two"], ["best", "where"], axis=-1),
        node("ReduceSum", ["best", "first"], ["sums"], keepdims=0),
        node("Unsqueeze", ["order", "end"], ["places"]),
        node("ScatterND", ["m", "places", "sums"], ["y"]),
    ]  # fmt: skip
    weights = {
        "hundred": np.float32(100), "none": np.int64(0), "first": np.int64([1]),
        "two": np.int64([2]), "order": np.arange(6), "end": np.int64([-1]),
    }  # fmt: skip
    for shape in ((6, 4), ("n", 4)):
        model = models.build(nodes, {"x": (shape, FLOAT)}, {"y": ([6], FLOAT)}, weights)
        x = (np.arange(24, dtype=np.float32) % 7).reshape(6, 4)
        expected = models.theirs(model, {"x": x})["y"]
        np.testing.assert_array_equal(models.ours(model, {"x": x})["y"], expected)


def test_a_branch_that_no_sizes_suit_is_an_error_of_the_run_that_takes_it(models: Any) -> None:
    made = {"a": (FLOAT, None)}
    nodes = [
        node("NonZero", ["x"], ["n"]),  # more than a value that decides shapes
        node("Cast", ["n"], ["f"], to=FLOAT),
        node("ReduceMax", ["f"], ["m"], keepdims=0),
        node("Greater", ["m", "three"], ["is"]),
        node(
            "If", ["is"], ["y"],
            then_branch=body([node("Softmax", ["f"], ["a"], axis=7)], {}, made),
            else_branch=body([node("Relu", ["f"], ["a"])], {}, made),
        ),
    ]  # fmt: skip
    weights = {"three": np.float32(3)}
    outputs = {"y": ([None, None], FLOAT)}
    model = models.build(nodes, {"x": ((2, 8), FLOAT)}, outputs, weights)
    with ann.load(models.save(model), ["CpuRef"]) as network:
        x = np.zeros((2, 8), np.float32)
        x[:, :3] = 1
        y = network.run({"x": x})["y"]
        np.testing.assert_array_equal(y, np.float32(np.nonzero(x)))
        with pytest.raises(ann.ParseError, match=r"axis 7 is outside a tensor of 2 dimensions"):
            network.run({"x": np.ones((2, 8), np.float32)})
