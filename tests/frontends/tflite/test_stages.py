# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Loops, branches and choices that data decide: stages of a network, beside LiteRT."""

from __future__ import annotations

import pickle
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.frontends.tflite.operators import control
from armnn_py.runtime.stages.bodies import Bodies

from .test_control_flow import IF, X, branches, loop

RNG = np.random.default_rng(3)


def same(found: Any, wanted: Any) -> None:
    assert set(found) == set(wanted)
    for name, array in wanted.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        np.testing.assert_allclose(found[name], array, rtol=2e-6, atol=1e-6)


def both(engines: Any, data: bytes, *feeds: dict[str, Any], **options: Any) -> None:
    """Run one loaded network with each of the inputs."""
    with ann.load(data, engines.backends, runtime=engines.runtime, **options) as network:
        for fed in feeds:
            same(network.run(dict(fed)), engines.theirs(data, fed))


# ---- Loops ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", [-100.0, 3.0, 1e6, 1e9])
def test_turns_that_data_decide(engines: Any, builder: Any, stop: float) -> None:
    data = loop(builder, 100, stop=stop)
    stages = ann.import_model(data).stages
    assert [(stage.operator, stage.manner) for stage in stages] == [("WHILE", "turn by turn")]
    both(engines, data, {"x": X}, {"x": np.float32([[7, 0, -1]])}, {"x": -X})


def test_a_number_of_turns_as_an_input(engines: Any, builder: Any) -> None:
    data = loop(builder, None)
    feeds = [{"x": X / 2**20, "limit": np.array(n, np.int32)} for n in (0, 1, 20, 100, 3)]
    both(engines, data, *feeds)


@pytest.mark.parametrize("turns", [130, 2000])
def test_turns_of_the_native_executor(
    engines: Any, builder: Any, monkeypatch: pytest.MonkeyPatch, turns: int
) -> None:
    """More than are written out, or more layers than `load` writes out: no body runs by itself.

    Each of the 130 turns doubles what is above -1.
    """

    def refuse(*_: Any) -> Any:
        raise AssertionError("a body ran by itself")

    monkeypatch.setattr(Bodies, "__call__", refuse)
    both(engines, loop(builder, turns), {"x": np.full_like(X, -1 + (turns == 130) / 1024)})


def test_bound_arrays_of_a_loop_that_load_keeps(
    engines: Any, builder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "_MOST_LAYERS", 16)
    data, fed = loop(builder, 20), {"x": X}
    assert not ann.import_model(data).stages
    with ann.load(data, engines.backends, runtime=engines.runtime) as network:
        bound = network.bind(fed)
        same(bound.run(), engines.theirs(data, fed))


@pytest.mark.parametrize("layers", [0, 256])
def test_states_that_grow_by_a_known_number(
    engines: Any, builder: Any, monkeypatch: pytest.MonkeyPatch, layers: int
) -> None:
    """Written out, because turns have different shapes."""
    monkeypatch.setattr(control, "_MOST_LAYERS", layers)
    loop(builder, 4)
    body = builder.graph = builder.model.subgraphs[2]
    grown = builder.tensor("grown", (1, 6))
    parts = [body.outputs[1], body.outputs[1]]
    builder.op("CONCATENATION", parts, [grown], ("ConcatenationOptions", {"axis": 1}))
    body.outputs[1] = grown
    data = bytes(builder.data())
    with ann.load(data, engines.backends, runtime=engines.runtime) as network:
        bound = network.bind({"x": X})
        assert bound.run()["y"].shape == (1, 48)
    both(engines, data, {"x": X})


@pytest.mark.parametrize(
    "kind", ["turns that data decide", "a number of turns", "branches", "choices"]
)
def test_saved_networks(engines: Any, builder: Any, tmp_path: Path, kind: str) -> None:
    feeds = [{"x": X}, {"x": -X}]
    if kind == "choices":
        data = places_and_different_numbers(builder)
        feeds = [{"x": np.float32(RNG.integers(0, 4, 12))} for _ in range(3)]
    elif kind == "branches":
        data = choosing(builder, behind=False)
    elif kind == "a number of turns":
        data = loop(builder, None)
        feeds = [fed | {"limit": np.array(n, np.int32)} for fed in feeds for n in (0, 9)]
    else:
        data = loop(builder, 100, stop=3.0)
    path = tmp_path / "stages.armnnpy"
    optimized = ann.optimize(
        ann.import_model(bytes(data)), engines.backends, runtime=engines.runtime
    )
    optimized.save(path)
    with ann.load(path, runtime=engines.runtime) as network:
        assert network.assignment.stages
        for fed in feeds:
            same(network.run(dict(fed)), engines.theirs(data, fed))


def test_more_operators_than_are_written_out(engines: Any, builder: Any) -> None:
    """1,000 turns of 82 operators, and another such loop behind."""
    loop(builder, 1000)
    body = builder.graph = builder.model.subgraphs[2]
    last = body.outputs[1]
    for index in range(80):
        made = builder.tensor(f"negative{index}", (1, 3))
        builder.op("NEG", [last], [made])
        last = made
    body.outputs[1] = last
    main = builder.graph = builder.model.subgraphs[0]
    first = main.operators[0]
    outs = [builder.tensor("i2", (), np.int32), builder.tensor("y2", (1, 3)),
            builder.tensor("same2", (), np.int32)]  # fmt: skip
    operands = [first.inputs[0], first.outputs[1], first.inputs[2]]
    fields = {"condSubgraphIndex": 1, "bodySubgraphIndex": 2}
    builder.op("WHILE", operands, outs, ("WhileOptions", fields))
    builder.ends([0], [*first.outputs[:2], *outs[:2]])
    both(engines, builder.data(), {"x": -np.ones_like(X)})


def test_a_loop_between_layers(engines: Any, builder: Any) -> None:
    """Layers before it and behind it, and an output that does not depend on it."""
    loop(builder, 100, stop=1e5)
    graph = builder.graph = builder.model.subgraphs[0]
    whole = graph.operators.pop()
    y = graph.outputs[1]
    first, z, other = (builder.tensor(name, (1, 3)) for name in ("first", "z", "other"))
    builder.op("ABS", [0], [first])
    builder.op("NEG", [first], [other])
    graph.operators.append(whole)
    whole.inputs[1] = first
    builder.op("MUL", [y, first], [z], ("MulOptions", {}))
    builder.ends([0], [graph.outputs[0], z, other])
    both(engines, builder.data(), {"x": X}, {"x": 100 * X})


def growing(builder: Any) -> bytes:
    """``while sum(x) < 40: x = concat(x, x + 1)``."""
    x, y = builder.tensor("x", (1, 3)), builder.tensor("y", (1, 3), signature=(1, -1))
    fields = {"condSubgraphIndex": 1, "bodySubgraphIndex": 2}
    builder.op("WHILE", [x], [y], ("WhileOptions", fields))
    builder.ends([x], [y])
    builder.begin("condition")
    x, total, flag = builder.tensor("x", (1, 3)), builder.tensor("t"), builder.tensor("f", (), bool)
    axes = builder.constant("axes", np.int32([0, 1]))
    builder.op("SUM", [x, axes], [total], ("ReducerOptions", {}))
    builder.op("LESS", [total, builder.constant("limit", np.float32(40))], [flag])
    builder.ends([x], [flag])
    builder.begin("body")
    x, more, made = (builder.tensor(name, (1, 3)) for name in ("x", "more", "made"))
    builder.op("ADD", [x, builder.constant("1", np.float32([1]))], [more], ("AddOptions", {}))
    builder.op("CONCATENATION", [x, more], [made], ("ConcatenationOptions", {"axis": 1}))
    builder.ends([x], [made])
    return bytes(builder.data())


def test_a_state_that_grows(engines: Any, builder: Any) -> None:
    both(engines, growing(builder), {"x": X}, {"x": 9 * X}, {"x": 30 * X})


def test_quantised_states(engines: Any, builder: Any) -> None:
    """``while any(x < 0): x = x + 1 step``."""
    kind = ((1, 4), np.int8, 0.5, 3)
    x, y = builder.tensor("x", *kind), builder.tensor("y", *kind)
    fields = {"condSubgraphIndex": 1, "bodySubgraphIndex": 2}
    builder.op("WHILE", [x], [y], ("WhileOptions", fields))
    builder.ends([x], [y])
    builder.begin("condition")
    x, zero = builder.tensor("x", *kind), builder.constant("zero", np.int8([3]), 0.5, 3)
    less, flag = builder.tensor("less", (1, 4), bool), builder.tensor("flag", (), bool)
    builder.op("LESS", [x, zero], [less], version=2)
    axes = builder.constant("axes", np.int32([0, 1]))
    builder.op("REDUCE_ANY", [less, axes], [flag], ("ReducerOptions", {}))
    builder.ends([x], [flag])
    builder.begin("body")
    x, made = builder.tensor("x", *kind), builder.tensor("made", *kind)
    step = builder.constant("step", np.int8([5]), 0.5, 3)
    builder.op("ADD", [x, step], [made], ("AddOptions", {}), version=2)
    builder.ends([x], [made])
    feeds = [{"x": np.int8([[a, 10, 120, b]])} for a, b in ((-128, -3), (3, 4), (0, 2))]
    both(engines, builder.data(), *feeds)


def test_a_loop_in_a_loop(engines: Any, builder: Any) -> None:
    """``while sum(x) < 1e6: (while sum(x) < 1e3: x = 2 x + 1); x = x + x``."""

    def total_below(limit: float) -> None:
        builder.begin("condition")
        x, total = builder.tensor("x", (1, 3)), builder.tensor("total")
        flag, axes = builder.tensor("flag", (), bool), builder.constant("axes", np.int32([0, 1]))
        builder.op("SUM", [x, axes], [total], ("ReducerOptions", {}))
        builder.op("LESS", [total, builder.constant("limit", np.float32(limit))], [flag])
        builder.ends([x], [flag])

    def turns(condition: int, body: int, x: int) -> int:
        y = int(builder.tensor("y", (1, 3)))
        fields = {"condSubgraphIndex": condition, "bodySubgraphIndex": body}
        builder.op("WHILE", [x], [y], ("WhileOptions", fields))
        return y

    x = builder.tensor("x", (1, 3))
    builder.ends([x], [turns(1, 2, x)])
    total_below(1e6)
    builder.begin("outer")
    x, made = builder.tensor("x", (1, 3)), builder.tensor("made", (1, 3))
    y = turns(3, 4, x)
    builder.op("ADD", [y, y], [made], ("AddOptions", {}))
    builder.ends([x], [made])
    total_below(1e3)
    builder.begin("inner")
    x, double, made = (builder.tensor(name, (1, 3)) for name in ("x", "double", "made"))
    builder.op("MUL", [x, builder.constant("2", np.float32([2]))], [double], ("MulOptions", {}))
    builder.op("ADD", [double, builder.constant("1", np.float32([1]))], [made], ("AddOptions", {}))
    builder.ends([x], [made])
    both(engines, builder.data(), {"x": X}, {"x": 1e4 * X}, {"x": 1e7 * X})


def test_a_loop_that_never_ends_can_be_stopped(builder: Any) -> None:
    data = loop(builder, 2**31 - 1)
    with ann.load(data, ["CpuRef"]) as network:
        with pytest.raises(ann.ExecutionTimeoutError):
            network.run({"x": -X * 0}, timeout=0.2)
        cancel = ann.CancelToken()
        threading.Timer(0.2, cancel.cancel).start()
        begin = time.monotonic()
        with pytest.raises(ann.ExecutionCancelledError):
            network.run({"x": -X * 0}, cancel=cancel)
        assert time.monotonic() - begin < 60  # it stopped at all


def test_a_body_that_is_its_own_loop_is_refused(builder: Any) -> None:
    loop(builder, 100, stop=1e9)
    builder.graph = builder.model.subgraphs[2]
    fields = {"condSubgraphIndex": 1, "bodySubgraphIndex": 2}
    outs = [builder.tensor("a", (), np.int32), builder.tensor("b", (1, 3)),
            builder.tensor("c", (), np.int32)]  # fmt: skip
    builder.op("WHILE", builder.graph.outputs, outs, ("WhileOptions", fields))
    builder.ends(builder.graph.inputs, outs)
    with pytest.raises(ann.UnsupportedOperatorError, match=r"too often|without end"):
        ann.import_model(builder.data())


def test_branches_that_are_the_whole_graph_are_refused_soon(builder: Any) -> None:
    """Written out, they would be more than there are atoms; each part has its share of a budget."""
    choosing(builder, ((1, 3), (1, 3)))
    main = builder.model.subgraphs[0]
    options = main.operators[2].builtinOptions
    options.thenSubgraphIndex = options.elseSubgraphIndex = 0
    with pytest.raises(ann.UnsupportedOperatorError, match=r"too often|without end"):
        ann.import_model(builder.data())


# ---- Branches ------------------------------------------------------------------------------------


def choosing(builder: Any, shapes: Any = ((1, 2), (1, 1)), *, behind: bool = True) -> bytes:
    """An IF by the sum of x behind a layer, and in front of one if that is wanted."""
    x, y, z = builder.tensor("x", (1, 3)), builder.tensor("y", (1, 2)), builder.tensor("z", (1, 2))
    total, flag = builder.tensor("total"), builder.tensor("flag", (), bool)
    axes = builder.constant("axes", np.int32([0, 1]))
    builder.op("SUM", [x, axes], [total], ("ReducerOptions", {}))
    builder.op("GREATER", [total, builder.constant("zero", np.float32(0))], [flag])
    builder.op("IF", [flag, x], [y], IF)
    if behind:
        builder.op("NEG", [y], [z])
    builder.ends([x], [z if behind else y])
    branches(builder, shapes)
    return bytes(builder.data())


def test_branches_of_unlike_shapes(engines: Any, builder: Any) -> None:
    data = choosing(builder)
    assert [stage.operator for stage in ann.import_model(data).stages] == ["", "IF", ""]
    both(engines, data, {"x": X}, {"x": -X}, {"x": X})


def test_stages_of_a_network_with_free_sizes(engines: Any, new_builder: Any) -> None:
    """Shapes that are given in a run, and the same file with other sizes at import."""
    builder = new_builder()
    x = builder.tensor("x", (1, 3), signature=(-1, 3))
    flags, places = (
        builder.tensor("flags", (1, 3), bool),
        builder.tensor("places", (1, 2), np.int64),
    )
    builder.op("GREATER", [x, builder.constant("zero", np.float32([0]))], [flags])
    builder.op("WHERE", [flags], [places])
    builder.ends([x], [places])
    data = builder.data()
    for options in ({}, {"shapes": {"x": (4, 3)}}, {"shapes": {"x": (None, 3)}}):
        rows = 1 if not options else 4
        x = RNG.standard_normal((rows, 3)).astype(np.float32)
        both(engines, data, {"x": x}, {"x": x + 9}, **options)


# ---- Choices -------------------------------------------------------------------------------------


def test_where_between_layers(engines: Any, builder: Any) -> None:
    """``gather_nd(x, where(x * 2 > 1)) + 1``."""
    x, double = builder.tensor("x", (4, 5)), builder.tensor("double", (4, 5))
    flags, places = (
        builder.tensor("flags", (4, 5), bool),
        builder.tensor("places", (1, 2), np.int64),
    )
    found, y = builder.tensor("found", (1,)), builder.tensor("y", (1,))
    builder.op("MUL", [x, builder.constant("two", np.float32([2]))], [double], ("MulOptions", {}))
    builder.op("GREATER", [double, builder.constant("one", np.float32([1]))], [flags])
    builder.op("WHERE", [flags], [places])
    builder.op("GATHER_ND", [x, places], [found])
    builder.op("ADD", [found, builder.constant("1", np.float32([1]))], [y], ("AddOptions", {}))
    builder.ends([x], [y, places])
    x = RNG.standard_normal((4, 5)).astype(np.float32)
    both(engines, builder.data(), {"x": x}, {"x": -x}, {"x": 0 * x + 1})


def test_where_of_more_data_than_a_small_input(engines: Any, builder: Any) -> None:
    x, places = builder.tensor("x", (400, 100)), builder.tensor("places", (1, 2), np.int64)
    builder.op("WHERE", [x], [places])
    builder.ends([x], [places])
    x = np.float32(RNG.random((400, 100)) > 0.9)
    both(engines, builder.data(), {"x": x})


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64, np.uint8])
def test_unique_of_computed_numbers(engines: Any, builder: Any, dtype: Any) -> None:
    x, twice = builder.tensor("x", (12,), dtype), builder.tensor("twice", (12,), dtype)
    y, places = builder.tensor("y", (1,), dtype), builder.tensor("places", (12,), np.int32)
    name = "MAXIMUM"
    builder.op(name, [x, builder.constant("two", dtype([2]))], [twice], version=2)
    builder.op("UNIQUE", [twice], [y, places], ("UniqueOptions", {"idxOutType": 2}))
    builder.ends([x], [y, places])
    both(engines, builder.data(), *({"x": RNG.integers(0, 9, 12).astype(dtype)} for _ in range(3)))


def places_and_different_numbers(builder: Any) -> bytes:
    """Of what layers make from x."""
    x, less = builder.tensor("x", (12,)), builder.tensor("less", (12,))
    places, y = builder.tensor("places", (1, 1), np.int64), builder.tensor("y", (1,))
    numbers = builder.tensor("numbers", (12,), np.int64)
    builder.op("SUB", [x, builder.constant("two", np.float32([2]))], [less], ("SubOptions", {}))
    builder.op("WHERE", [less], [places])
    builder.op("UNIQUE", [less], [y, numbers], ("UniqueOptions", {"idxOutType": 4}))
    builder.ends([x], [places, y, numbers])
    return bytes(builder.data())


@pytest.mark.parametrize("place", [0, 1])
def test_choices_of_another_type_are_refused(builder: Any, place: int) -> None:
    places_and_different_numbers(builder)
    operator = builder.graph.operators[1 + place]
    builder.graph.tensors[operator.outputs[0]].type = 0 if place == 0 else 2
    with pytest.raises(ann.ParseError, match=r"makes (int64|float32), but the file says"):
        ann.import_model(builder.data())


def suppression(
    builder: Any, count: int, most: Any, *, sigma: float | None = None, overlap: float = 0.3
) -> bytes:
    """The network computes boxes and scores, and gathers the best boxes."""
    boxes, scores = builder.tensor("boxes", (count, 4)), builder.tensor("scores", (count,))
    wide, high = builder.tensor("wide", (count, 4)), builder.tensor("high", (count,))
    two = builder.constant("two", np.float32([2]))
    builder.op("MUL", [boxes, two], [wide], ("MulOptions", {}))
    builder.op("MUL", [scores, two], [high], ("MulOptions", {}))
    inputs = [boxes, scores]
    if most is None:
        place = builder.tensor("most", (), np.int32)
        inputs.append(place)
    else:
        place = builder.constant("most", np.int32(most))
    operands = [wide, high, place, builder.constant("overlap", np.float32(overlap)),
                builder.constant("least", np.float32(0.4))]  # fmt: skip
    indices, valid = (
        builder.tensor("indices", (1,), np.int32),
        builder.tensor("valid", (), np.int32),
    )
    made = [indices, valid]
    if sigma is not None:
        operands.append(builder.constant("sigma", np.float32(sigma)))
        made.insert(1, builder.tensor("best", (1,)))
    version = "V4" if sigma is None else "V5"
    builder.op(f"NON_MAX_SUPPRESSION_{version}", operands, made)
    best = builder.tensor("best_boxes", (1, 4))
    builder.op("GATHER", [boxes, indices], [best], ("GatherOptions", {"axis": 0}))
    builder.ends(inputs, [*made, best])
    return bytes(builder.data())


@pytest.mark.parametrize("most", [0, 1, 5, 40, None])
@pytest.mark.parametrize("sigma", [None, 0.0, 0.5])
def test_suppression_of_computed_boxes(
    engines: Any, builder: Any, sigma: float | None, most: int | None
) -> None:
    feeds = []
    for index in range(3):
        corners = RNG.random((30, 4)).astype(np.float32)  # in any order
        fed = {"boxes": corners, "scores": RNG.random(30).astype(np.float32)}
        if most is None:
            fed["most"] = np.array(4 + index, np.int32)
        feeds.append(fed)
    both(engines, suppression(builder, 30, most, sigma=sigma), *feeds)


@pytest.mark.parametrize("sigma", [None, 0.5])
@pytest.mark.parametrize("overlap", [0.0, 0.25, 0.5, 1.0])
def test_shares_of_exactly_the_threshold(
    engines: Any, builder: Any, overlap: float, sigma: float | None
) -> None:
    """Boxes that share a half, a quarter and nothing; a share of the threshold suppresses."""
    boxes = np.float32([[0, 0, 4, 4], [4, 2, 0, 0], [0, 0, 2, 2], [0, 0, 4, 4], [9, 9, 8, 8]])
    fed = {"boxes": boxes, "scores": np.float32([0.9, 0.8, 0.7, 0.85, 0.6])}
    both(engines, suppression(builder, 5, 5, sigma=sigma, overlap=overlap), fed)


@pytest.mark.parametrize("index", [2, 3, 4])
def test_suppression_with_a_damaged_operand(engines: Any, builder: Any, index: int) -> None:
    """A number without elements in place of a scalar: one error, at import or in the run."""
    suppression(builder, 30, 5, sigma=0.5)
    operator = builder.graph.operators[2]
    operator.inputs[index] = builder.constant("nothing", np.zeros(0, np.float32))
    fed = {"boxes": np.zeros((30, 4), np.float32), "scores": np.ones(30, np.float32)}
    with pytest.raises(ann.ArmnnError, match="NON_MAX_SUPPRESSION_V5"):
        engines.ours(builder.data(), fed)


def test_suppression_of_constants(engines: Any, builder: Any) -> None:
    corners = RNG.random((20, 4)).astype(np.float32)
    scores = RNG.random(20).astype(np.float32)
    constants = [corners, scores, np.int32(7), np.float32(0.3), np.float32(0.2)]
    made = [builder.tensor("indices", (7,), np.int32), builder.tensor("valid", (), np.int32)]
    places = [builder.constant(f"c{index}", one) for index, one in enumerate(constants)]
    builder.op("NON_MAX_SUPPRESSION_V4", places, made)
    builder.ends([], made)
    both(engines, builder.data(), {})


# ---- Other shapes that data decide ---------------------------------------------------------------


def test_a_shape_that_layers_compute(engines: Any, builder: Any) -> None:
    """``reshape(x, [cast(max(x)), -1])`` of more data than a small input."""
    x, most = builder.tensor("x", (200, 100)), builder.tensor("most", (1,))
    rows, shape = builder.tensor("rows", (1,), np.int32), builder.tensor("shape", (2,), np.int32)
    y = builder.tensor("y", (1, 1), signature=(-1, -1))
    axes = builder.constant("axes", np.int32([0, 1]))
    flat = builder.tensor("flat", ())
    builder.op("REDUCE_MAX", [x, axes], [flat], ("ReducerOptions", {}))
    one = builder.constant("one", np.int32([1]))
    builder.op("RESHAPE", [flat, one], [most])
    builder.op("CAST", [most], [rows], ("CastOptions", {}))
    rest = builder.constant("rest", np.int32([-1]))
    builder.op("CONCATENATION", [rows, rest], [shape], ("ConcatenationOptions", {"axis": 0}))
    builder.op("RESHAPE", [x, shape], [y])
    builder.ends([x], [y])
    x = RNG.random((200, 100)).astype(np.float32)
    feeds = []
    for rows in (4, 10, 50):
        x[0, 0] = rows
        feeds.append({"x": x.copy()})
    both(engines, builder.data(), *feeds)


def test_tensors_of_stages_as_outputs(engines: Any, builder: Any) -> None:
    data = choosing(builder)
    with ann.load(
        data, engines.backends, runtime=engines.runtime, extra_outputs=["y", "total"]
    ) as network:
        for x in (X, -X):
            found = network.run({"x": x})
            np.testing.assert_allclose(found["total"], x.sum(), rtol=1e-6)
            np.testing.assert_array_equal(found["y"], -found["z"])
    with pytest.raises(ann.UnknownNameError, match="has no tensor 'nothing'"):
        ann.load(data, ["CpuRef"], extra_outputs=["nothing"])
    with pytest.raises(ann.InvalidArgumentError, match="'z': it is an output"):
        ann.load(data, ["CpuRef"], extra_outputs=["z"])


def test_variables_are_not_parted(builder: Any) -> None:
    """A stage that reads a variable, and another one that assigns it: refused in words."""
    choosing(builder)
    builder.graph = builder.model.subgraphs[0]
    place = builder.tensor("handle", (), 13)
    builder.op("VAR_HANDLE", [], [place], ("VarHandleOptions", {"sharedName": "kept"}))
    builder.op("ASSIGN_VARIABLE", [place, 0], [])
    network = ann.import_model(builder.data())
    assert network.value_inputs == ("x",)


def test_the_model_is_picklable(builder: Any) -> None:
    data = choosing(builder)
    network = ann.import_model(data)
    copies = [pickle.loads(pickle.dumps(stage.compute)) for stage in network.stages]
    assert [copy is None for copy in copies] == [True, False, True]
