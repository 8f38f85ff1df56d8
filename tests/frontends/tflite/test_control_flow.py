# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""IF and WHILE: known conditions, conditions of inputs, conditions that layers compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flatbuffers import flexbuffers

import armnn_py as ann

RESOURCE = 13
X = np.float32([[1, -2, 3]])


def branches(
    builder: Any, shapes: tuple[tuple[int, ...], tuple[int, ...]] = ((1, 3), (1, 3))
) -> None:
    """Sub-graphs 1 and 2: ``10 * x`` and ``x - 1``, cut to a shape."""
    for name, op, number, shape in (("then", "MUL", 10, shapes[0]), ("else", "SUB", 1, shapes[1])):
        builder.begin(name)
        x, y = builder.tensor("x", (1, 3)), builder.tensor(f"{name}_y", (1, 3))
        operand = builder.constant("number", np.float32([number]))
        builder.op(op, [x, operand], [y], (f"{op.title()}Options", {}))
        cut = builder.tensor(f"{name}_cut", shape)
        begin, size = (
            builder.constant("b", np.int32([0, 0])),
            builder.constant("s", np.int32(shape)),
        )
        builder.op("SLICE", [y, begin, size], [cut])
        builder.ends([x], [cut])


IF = ("IfOptions", {"thenSubgraphIndex": 1, "elseSubgraphIndex": 2})


def by_data(builder: Any) -> bytes:
    """The branch is chosen by the sum of x."""
    x, y = builder.tensor("x", (1, 3)), builder.tensor("y", (1, 3))
    total, flag = builder.tensor("total"), builder.tensor("flag", (), bool)
    builder.op(
        "SUM", [x, builder.constant("axes", np.int32([0, 1]))], [total], ("ReducerOptions", {})
    )
    builder.op("GREATER", [total, builder.constant("zero", np.float32(0))], [flag], version=1)
    builder.op("IF", [flag, x], [y], IF)
    builder.ends([x], [y])
    branches(builder)
    return builder.data()


@pytest.mark.parametrize("sign", [1, -1])
def test_a_branch_that_data_choose(engines: Any, builder: Any, sign: int) -> None:
    data, x = by_data(builder), sign * X
    wanted = engines.theirs(data, {"x": x})
    np.testing.assert_allclose(engines.ours(data, {"x": x})["y"], wanted["y"], rtol=1e-6)
    np.testing.assert_allclose(wanted["y"], 10 * x if x.sum() > 0 else x - 1, rtol=1e-6)


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("known", [True, False])
def test_branches_of_unlike_shapes(engines: Any, builder: Any, known: bool, flag: bool) -> None:
    x, y = builder.tensor("x", (1, 3)), builder.tensor("y", (1, 2))
    chooses = (
        builder.constant("flag", np.bool_(flag)) if known else builder.tensor("flag", (), bool)
    )
    builder.op("IF", [chooses, x], [y], IF)
    builder.ends([x] if known else [x, chooses], [y])
    branches(builder, ((1, 2), (1, 1)))
    data, fed = builder.data(), {"x": X} if known else {"x": X, "flag": np.array(flag)}
    wanted = engines.theirs(data, fed)["y"]
    found = engines.ours(data, fed)["y"]
    assert found.shape == wanted.shape == ((1, 2) if flag else (1, 1))
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_variable_that_one_branch_assigns(builder: Any, sign: int) -> None:
    """The state of the next run is that of the branch that was chosen."""
    x, y = builder.tensor("x", (1, 3)), builder.tensor("y", (1, 3))
    total, flag = builder.tensor("total"), builder.tensor("flag", (), bool)
    axes = builder.constant("axes", np.int32([0, 1]))
    builder.op("CALL_ONCE", [], [], ("CallOnceOptions", {"initSubgraphIndex": 3}))
    builder.op("SUM", [x, axes], [total], ("ReducerOptions", {}))
    builder.op("GREATER", [total, builder.constant("zero", np.float32(0))], [flag])
    builder.op("IF", [flag, x], [y], IF)
    builder.ends([x], [y])

    def begin(name: str) -> tuple[int, int, int]:
        builder.begin(name)
        place = builder.tensor("handle", (), RESOURCE)
        builder.op("VAR_HANDLE", [], [place], ("VarHandleOptions", {"sharedName": "kept"}))
        return builder.tensor("x", (1, 3)), place, builder.tensor(f"{name}_read", (1, 3))

    x, place, read = begin("then")
    made = builder.tensor("then_made", (1, 3))
    builder.op("READ_VARIABLE", [place], [read])
    builder.op("ADD", [read, x], [made], ("AddOptions", {}))
    builder.op("ASSIGN_VARIABLE", [place, made], [])
    builder.ends([x], [made])
    x, place, read = begin("else")
    builder.op("READ_VARIABLE", [place], [read])
    builder.ends([x], [read])
    _, place, _ = begin("init")
    builder.op("ASSIGN_VARIABLE", [place, builder.constant("first", np.float32([[7, 8, 9]]))], [])
    builder.ends([], [])

    expected = np.float32([[7, 8, 9]])
    with ann.load(builder.data(), ["CpuRef"]) as network:
        for factor in (sign, 2, -1, 1):
            if (factor * X).sum() > 0:
                expected = expected + factor * X
            np.testing.assert_allclose(network.run(factor * X)["y"], expected, rtol=1e-6)


def loop(builder: Any, limit: Any, *, stop: float | None = None) -> bytes:
    """``while i < limit (and sum(x) < stop): x = 2 x + 1``; answers i and x."""
    x, first = builder.tensor("x", (1, 3)), builder.constant("zero", np.int32(0))
    made = builder.tensor("i", (), np.int32), builder.tensor("y", (1, 3))
    fields = {"condSubgraphIndex": 1, "bodySubgraphIndex": 2}
    bound = (
        builder.tensor("limit", (), np.int32)
        if limit is None
        else builder.constant("limit", np.int32(limit))
    )
    same = builder.tensor("same", (), np.int32)
    builder.op("WHILE", [first, x, bound], [made[0], made[1], same], ("WhileOptions", fields))
    builder.ends([x] if limit is not None else [x, bound], made)

    def begin(name: str) -> list[int]:
        builder.begin(name)
        shapes = {"i": ((), np.int32), "x": ((1, 3), np.float32), "limit": ((), np.int32)}
        return [builder.tensor(key, *kind) for key, kind in shapes.items()]

    states = begin("condition")
    flag = builder.tensor("flag", (), bool)
    builder.op("LESS", [states[0], states[2]], [flag])
    if stop is not None:
        total, small = builder.tensor("total"), builder.tensor("small", (), bool)
        both = builder.tensor("both", (), bool)
        axes = builder.constant("axes", np.int32([0, 1]))
        builder.op("SUM", [states[1], axes], [total], ("ReducerOptions", {}))
        builder.op("LESS", [total, builder.constant("stop", np.float32(stop))], [small])
        builder.op("LOGICAL_AND", [flag, small], [both])
        flag = both
    builder.ends(states, [flag])
    states = begin("body")
    after = builder.tensor("after", (), np.int32)
    double, more = (builder.tensor(name, (1, 3)) for name in ("double", "more"))
    builder.op(
        "ADD", [states[0], builder.constant("one", np.int32(1))], [after], ("AddOptions", {})
    )
    builder.op(
        "MUL", [states[1], builder.constant("two", np.float32([2]))], [double], ("MulOptions", {})
    )
    builder.op(
        "ADD", [double, builder.constant("ones", np.float32([1]))], [more], ("AddOptions", {})
    )
    builder.ends(states, [after, more, states[2]])
    return builder.data()


@pytest.mark.parametrize("limit", [0, 1, 5])
@pytest.mark.parametrize("known", [True, False])
def test_a_loop_that_counts(engines: Any, builder: Any, limit: int, known: bool) -> None:
    data = loop(builder, limit if known else None)
    fed = {"x": X} if known else {"x": X, "limit": np.array(limit, np.int32)}
    wanted, found = engines.theirs(data, fed), engines.ours(data, fed)
    assert int(found["i"]) == int(wanted["i"]) == limit
    np.testing.assert_allclose(found["y"], wanted["y"], rtol=1e-6)


@pytest.mark.parametrize("stop", [-100.0, 3.0, 40.0, 1e9])
def test_a_loop_that_data_may_end(engines: Any, builder: Any, stop: float) -> None:
    data = loop(builder, 6, stop=stop)
    wanted, found = engines.theirs(data, {"x": X}), engines.ours(data, {"x": X})
    assert int(found["i"]) == int(wanted["i"])
    np.testing.assert_allclose(found["y"], wanted["y"], rtol=1e-6)


def test_a_composite_is_written_out(engines: Any, builder: Any) -> None:
    x, y = builder.tensor("x", (1, 3)), builder.tensor("y", (1, 3))
    builder.op("STABLEHLO_COMPOSITE", [x], [y])
    options = builder.schema.StableHLOCompositeOptionsT()
    options.name, options.decompositionSubgraphIndex = "odml.something", 2
    options.compositeAttributes = np.frombuffer(flexbuffers.Dumps({}), np.uint8)
    (operator,) = builder.graph.operators
    operator.builtinOptions2 = options
    operator.builtinOptions2Type = builder.schema.BuiltinOptions2.StableHLOCompositeOptions
    builder.ends([x], [y])
    branches(builder)
    data = builder.data()
    np.testing.assert_array_equal(engines.ours(data, {"x": X})["y"], X - 1)
    np.testing.assert_array_equal(engines.theirs(data, {"x": X})["y"], X - 1)


def test_unsupported_operator_in_a_branch_is_named(builder: Any) -> None:
    by_data(builder)
    builder.graph = builder.model.subgraphs[2]
    builder.graph.operators.clear()
    builder.op("ATAN2", [0, 0], [builder.tensor("angle", (1, 3))])
    place = len(builder.graph.tensors) - 1
    builder.ends([0], [place])
    data = builder.data()
    with pytest.raises(ann.UnsupportedOperatorError) as caught:
        ann.import_model(data)
    assert [(op.name, op.nodes) for op in caught.value.operators if op.name == "ATAN2"] == [
        ("ATAN2", ("angle",))
    ]


def test_a_sub_graph_that_calls_itself(builder: Any) -> None:
    x, y = builder.tensor("x", (1, 3)), builder.tensor("y", (1, 3))
    flag = builder.constant("flag", np.bool_(True))
    builder.op(
        "IF", [flag, x], [y], ("IfOptions", {"thenSubgraphIndex": 0, "elseSubgraphIndex": 0})
    )
    builder.ends([x], [y])
    with pytest.raises(ann.UnsupportedOperatorError, match="call each other"):
        ann.import_model(builder.data())


@pytest.mark.parametrize("index", [-1, 9])
def test_a_sub_graph_that_is_not_there(builder: Any, index: int) -> None:
    x, y = builder.tensor("x", (1, 3)), builder.tensor("y", (1, 3))
    flag = builder.constant("flag", np.bool_(True))
    fields = {"thenSubgraphIndex": index, "elseSubgraphIndex": index}
    builder.op("IF", [flag, x], [y], ("IfOptions", fields))
    builder.ends([x], [y])
    with pytest.raises(ann.ParseError, match=rf"sub-graph {index} is called, but the model has 1"):
        ann.import_model(builder.data())
