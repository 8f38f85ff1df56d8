# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Models whose new shapes are planned from what earlier shapes had in common."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from onnx import TensorProto, helper

import armnn_py as ann
from armnn_py.optimizer.placing import shape_families
from armnn_py.python_backend import KernelCall, Part, PythonBackend, ShownLayer, kernel

FLOAT = TensorProto.FLOAT
rng = np.random.default_rng(7)


@pytest.fixture
def reader(models: Any) -> Any:
    """Convolutions, batch normalisation, a shape computed at run time, a product, softmax."""
    node = helper.make_node
    nodes = [
        node("Conv", ["x", "w"], ["c"], name="c", pads=[1, 1, 1, 1], strides=[1, 2]),
        node("BatchNormalization", ["c", "g", "b", "m", "v"], ["n"], name="n"),
        node("Relu", ["n"], ["r"], name="r"),
        node("MaxPool", ["r"], ["p"], name="p", kernel_shape=[2, 2], strides=[2, 1]),
        node("Transpose", ["p"], ["t"], name="t", perm=[0, 3, 1, 2]),
        node("Shape", ["t"], ["s"], name="s"),
        node("Slice", ["s", "zero", "two"], ["head"], name="head"),
        node("Concat", ["head", "minus"], ["to"], name="to", axis=0),
        node("Reshape", ["t", "to"], ["flat"], name="flat"),
        node("MatMul", ["flat", "k"], ["z"], name="z"),
        node("Softmax", ["z"], ["y"], name="y", axis=-1),
    ]
    weights = {
        "w": rng.standard_normal((4, 3, 3, 3)).astype(np.float32),
        **{name: rng.random(4).astype(np.float32) + np.float32(0.5) for name in "gbmv"},
        "zero": np.int64([0]),
        "two": np.int64([2]),
        "minus": np.int64([-1]),
        "k": rng.standard_normal((16, 5)).astype(np.float32),
    }
    model = models.build(
        nodes, {"x": (["n", 3, 8, "w"], FLOAT)}, {"y": (["n", "t", 5], FLOAT)}, weights
    )
    return models.save(model), model


@pytest.mark.parametrize("backends", [["CpuRef"], ["CpuAcc", "CpuRef"]])
def test_new_widths_agree_with_onnxruntime(
    reader: Any, models: Any, conversions: list[Any], backends: list[str]
) -> None:
    path, model = reader
    with ann.load(path, backends) as network:
        for batch, width in [(1, 20), (1, 21), (1, 64), (1, 7), (2, 20), (3, 33), (1, 20)]:
            x = rng.standard_normal((batch, 3, 8, width)).astype(np.float32)
            expected = models.theirs(model, {"x": x})["y"]
            np.testing.assert_allclose(network.run(x)["y"], expected, rtol=1e-4, atol=1e-5)
    assert len(conversions) < 4  # a family for a batch of 1, few for others


@pytest.mark.parametrize("backends", [["CpuRef"], ["CpuAcc", "CpuRef"]])
def test_outputs_are_those_of_a_network_of_fixed_shapes(reader: Any, backends: list[str]) -> None:
    path, _ = reader
    with ann.load(path, backends) as network:
        for width in (16, 40, 41, 10, 5):
            x = rng.standard_normal((1, 3, 8, width)).astype(np.float32)
            with ann.load(path, backends, shapes={"x": x.shape}) as fixed:
                assert np.array_equal(network.run(x)["y"], fixed.run(x)["y"])
                assert network.assignment.counts == fixed.assignment.counts


@pytest.mark.parametrize("backends", [["CpuRef"], ["CpuAcc", "CpuRef"]])
def test_a_size_that_happens_to_be_another_is_one_like_others(
    models: Any, conversions: list[Any], backends: list[str]
) -> None:
    """Three heads for three words: their transposed tensor has the shape that it had before."""
    node = helper.make_node
    nodes = [
        node("Reshape", ["x", "heads"], ["h"], name="h"),
        node("Transpose", ["h"], ["t"], name="t", perm=[0, 2, 1, 3]),
        node("Transpose", ["h"], ["u"], name="u", perm=[0, 2, 3, 1]),
        node("MatMul", ["t", "u"], ["s"], name="s"),
        node("Softmax", ["s"], ["y"], name="y", axis=-1),
    ]
    model = models.build(
        nodes,
        {"x": ([1, "n", 12], FLOAT)},
        {"y": ([1, 3, "n", "n"], FLOAT)},
        {"heads": np.int64([0, 0, 3, 4])},
    )
    with ann.load(models.save(model), backends) as network:
        for size in (7, 3, 4, 12, 5):
            x = rng.standard_normal((1, size, 12)).astype(np.float32)
            expected = models.theirs(model, {"x": x})["y"]
            np.testing.assert_allclose(network.run(x)["y"], expected, rtol=1e-5, atol=1e-6)
    assert not conversions  # but that of load


class Small(PythonBackend):
    """Takes ReLUs of few columns alone."""

    id = "Small"

    def supports(self, layer: ShownLayer) -> bool | str:
        return layer.outputs[0].static_shape[3] <= 8 or "too many columns"

    @kernel(ann.LayerType.ACTIVATION)
    def relu(self, call: KernelCall) -> Any:
        return np.maximum(call.inputs[0], 0)


def test_a_backend_answers_for_each_size(
    reader: Any, models: Any, conversions: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Layers are placed anew where an answer is another one, and nowhere else."""
    path, model = reader
    placed: list[int] = []
    place = shape_families.place_simplified

    def counted(*arguments: Any, **options: Any) -> Any:
        placed.append(0)
        return place(*arguments, **options)

    monkeypatch.setattr(shape_families, "place_simplified", counted)
    runtime = ann.Runtime(python_backends=[Small()])
    with runtime, ann.load(path, ["Small", "CpuAcc", "CpuRef"], runtime=runtime) as network:
        found = []
        for width in (12, 20, 8, 15, 14, 13):  # half as many columns for the ReLU, rounded up
            x = rng.standard_normal((1, 3, 8, width)).astype(np.float32)
            expected = models.theirs(model, {"x": x})["y"]
            np.testing.assert_allclose(network.run(x)["y"], expected, rtol=1e-4, atol=1e-5)
            found.append((network.assignment.counts.get("Small", 0), len(placed)))
    assert found == [(1, 1), (0, 2), (1, 2), (1, 2), (1, 2), (1, 2)]
    assert not conversions  # but that of load


class Compiling(PythonBackend):
    """Compiles parts of its layers, which depend on the number of columns."""

    id = "Compiling"
    functions: ClassVar = {ann.UnaryOperation.NEG: np.negative, ann.UnaryOperation.ABS: np.abs}
    cuts: ClassVar = {6: [[0, 1], [2]], 7: [[0, 1]], 8: [], 9: [[1, 2]]}

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.ran: list[int] = []

    @kernel(ann.LayerType.ELEMENTWISE_UNARY)
    def alone(self, call: KernelCall) -> Any:
        return self.functions[call.layer.descriptor.operation](call.inputs[0])

    def optimize(self, part: Part) -> None:
        self.asked.append(part.input_infos[0].static_shape[1])
        if self.asked[-1] == 8:
            part.fail([1], "not today")
        for layers in self.cuts.get(self.asked[-1], [[0, 1, 2]]):
            functions = [self.functions[part.layers[n].descriptor.operation] for n in layers]

            def run(call: KernelCall, functions: Any = functions) -> Any:
                value = call.inputs[0]
                self.ran.append(len(functions))
                for function in functions:
                    value = function(value)
                return value

            part.cut(layers).compile(run)


def test_a_backend_may_compile_other_parts_for_other_sizes(models: Any) -> None:
    nodes = [
        helper.make_node(op, [x], [y], name=y)
        for op, x, y in (("Neg", "x", "a"), ("Abs", "a", "b"), ("Neg", "b", "y"))
    ]
    model = models.build(nodes, {"x": ([2, "n"], FLOAT)}, {"y": ([2, "n"], FLOAT)})
    backend, parts = Compiling(), []
    runtime = ann.Runtime(python_backends=[backend])
    with (
        runtime,
        ann.load(
            models.save(model), ["Compiling", "CpuRef"], runtime=runtime, plan_cache_size=1
        ) as network,
    ):
        backend.asked.clear()
        for size in range(4, 11):
            x = rng.standard_normal((2, size)).astype(np.float32)
            assert np.array_equal(network.run(x)["y"], -np.abs(x))
            parts.append(list(backend.ran))
            backend.ran.clear()
    assert parts == [[3], [3], [2, 1], [2], [], [2], [3]]
    assert backend.asked[-1] == 10
    assert backend.asked.count(5) == backend.asked.count(10) == 1  # once, as was told before


def test_an_impossible_shape_is_refused_with_the_same_message(reader: Any) -> None:
    path, _ = reader
    x = np.zeros((1, 3, 8, 0), np.float32)
    x1 = np.zeros((1, 3, 8, 1), np.float32)
    with ann.load(path, ["CpuRef"]) as network, ann.load(path, ["CpuRef"]) as other:
        network.run(np.zeros((1, 3, 8, 20), np.float32))
        for array in (x1, x):
            results = []
            for net in (network, other):
                try:
                    results.append(net.run(array)["y"].shape)
                except ann.ArmnnError as error:
                    results.append(str(error))
            assert results[0] == results[1]


def test_a_matrix_as_large_as_the_input_is_made_anew(models: Any) -> None:
    """An identity matrix is added, whose place differs with each size."""
    node = helper.make_node
    nodes = [node("EyeLike", ["x"], ["e"], name="e"), node("Add", ["x", "e"], ["y"], name="y")]
    model = models.build(nodes, {"x": (["n", "n"], FLOAT)}, {"y": (["n", "n"], FLOAT)})
    with ann.load(models.save(model), ["CpuRef"]) as network:
        for size in (3, 5, 4, 9, 2, 6, 3):
            x = rng.standard_normal((size, size)).astype(np.float32)
            assert np.array_equal(network.run(x)["y"], x + np.eye(size, dtype=np.float32))


FROM_SIZES = {
    # Positions of words as numbers, and the first rows of a table of them.
    "range": [
        ("Mul", ["n", "three"], ["n3"], {}),
        ("Add", ["n3", "two"], ["last"], {}),
        ("Range", ["two", "last", "three"], ["r"], {}),
        ("Cast", ["r"], ["f"], {"to": FLOAT}),
    ],
    "slice": [("Slice", ["table", "zero", "row", "zero"], ["f"], {})],
    # Words that see the words before them alone.
    "upper": [
        ("ConstantOfShape", ["square"], ["all"], {"value": helper.make_tensor("", 1, [1], [2.5])}),
        ("Trilu", ["all", "one"], ["f"], {"upper": 1}),
    ],
    "lower": [
        ("Expand", ["nine", "square"], ["all"], {}),
        ("Trilu", ["all"], ["f"], {"upper": 0}),
    ],
    # Sizes as operands, and as limits of what is found at run time.
    "numbers": [
        ("Cast", ["x"], ["i"], {"to": TensorProto.INT64}),
        ("Mul", ["i", "n"], ["i_n"], {}),
        ("Sub", ["i_n", "row"], ["i_s"], {}),
        ("Cast", ["i_s"], ["f"], {"to": FLOAT}),
    ],
    "places": [
        ("ArgMax", ["x"], ["a"], {"axis": 2}),
        ("Sub", ["a", "n"], ["b"], {}),
        ("Concat", ["a", "b"], ["p"], {"axis": 2}),
        ("Transpose", ["x"], ["t"], {"perm": [1, 2, 0]}),
        ("GatherND", ["t", "p"], ["g"], {}),
        ("ReduceMax", ["g"], ["f"], {"axes": [2]}),
    ],
}


@pytest.mark.parametrize("backends", [["CpuRef"], ["CpuAcc", "CpuRef"]])
@pytest.mark.parametrize("kind", FROM_SIZES)
def test_values_of_sizes_are_converted_once(
    models: Any, conversions: list[Any], kind: str, backends: list[str]
) -> None:
    nodes = [
        ("Shape", ["x"], ["s"], {}),
        ("Gather", ["s", "one"], ["n"], {}),
        ("Unsqueeze", ["n", "zero"], ["row"], {}),
        ("Concat", ["row", "row"], ["square"], {"axis": 0}),
        *FROM_SIZES[kind],
        ("Add", ["x", "f"], ["y"], {}),
    ]
    weights: dict[str, Any] = {
        name: np.array(number, np.int64)
        for name, number in {"one": 1, "two": 2, "three": 3}.items()
    }
    weights |= {
        "zero": np.int64([0]),
        "nine": np.float32([[9]]),
        "table": rng.standard_normal((40, 1)).astype(np.float32),
    }
    shape = ([2, "n", "n"], FLOAT)
    made = [helper.make_node(op, *names, name=op + names[1][0], **kw) for op, *names, kw in nodes]
    model = models.build(made, {"x": shape}, {"y": shape}, weights)
    with ann.load(models.save(model), backends) as network:
        for size in (5, 7, 3, 39, 11):
            x = rng.standard_normal((2, size, size)).astype(np.float32)
            expected = models.theirs(model, {"x": x})["y"]
            assert np.array_equal(network.run(x)["y"], expected)
    assert not conversions  # but that of load


@pytest.mark.parametrize("diagonal", [2**31 - 1, -(2**31), 2**63 - 1, -(2**63)])
@pytest.mark.parametrize("upper", [0, 1])
def test_a_triangle_far_beyond_the_corner_has_all_or_nothing(
    models: Any, diagonal: int, upper: int
) -> None:
    node = helper.make_node("Trilu", ["x", "k"], ["y"], name="t", upper=upper)
    shape = (["n", "m"], FLOAT)
    model = models.build([node], {"x": shape}, {"y": shape}, {"k": np.array(diagonal)})
    x = rng.standard_normal((3, 4)).astype(np.float32)
    keeps = (diagonal > 0) != upper
    with ann.load(models.save(model), ["CpuRef"]) as network:
        assert np.array_equal(network.run(x)["y"], x if keeps else np.zeros_like(x))


@pytest.mark.parametrize("shape", [(0, 2**30), (2**30, 0), (0, 0)])
@pytest.mark.parametrize("upper", [0, 1])
def test_a_triangle_without_rows_or_columns(
    models: Any, shape: tuple[int, int], upper: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model of a few bytes had kept the import busy with the numbers of the other dimension."""
    monkeypatch.setattr(np, "tri", None)
    node = helper.make_node("Trilu", ["x"], ["y"], name="t", upper=upper)
    model = models.build([node], {"x": (list(shape), FLOAT)}, {"y": (list(shape), FLOAT)})
    with ann.load(models.save(model), ["CpuRef"]) as network:
        assert network.run(np.zeros(shape, np.float32))["y"].shape == shape
