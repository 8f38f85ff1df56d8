# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Resource variables: the same numbers as LiteRT's over several runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann

RESOURCE = 13


def handle(builder: Any, name: str) -> int:
    place = builder.tensor(f"handle_{name}", (), RESOURCE)
    builder.op("VAR_HANDLE", [], [place], ("VarHandleOptions", {"sharedName": name}))
    return place


def counter(
    builder: Any, first: np.ndarray | None, *, dtype: Any = np.float32, **scale: Any
) -> bytes:
    """``total += x``; answers the total before and after."""
    x, before = (builder.tensor(name, (1, 3), dtype, **scale) for name in ("x", "before"))
    after = builder.tensor("after", (1, 3), dtype, **scale)
    again = builder.tensor("again", (1, 3), dtype, **scale)
    builder.op("CALL_ONCE", [], [], ("CallOnceOptions", {"initSubgraphIndex": 1}))
    place = handle(builder, "total")
    builder.op("READ_VARIABLE", [place], [before])
    builder.op("ADD", [before, x], [after], ("AddOptions", {}), version=2)
    builder.op("ASSIGN_VARIABLE", [place, after], [])
    builder.op("READ_VARIABLE", [place], [again])
    builder.ends([x], [before, again])
    builder.begin("init")
    place = handle(builder, "total")
    if first is not None:
        value = builder.constant("first", first, **scale)
        builder.op("ASSIGN_VARIABLE", [place, value], [])
    builder.ends([], [])
    return builder.data()


def test_a_counter(builder: Any) -> None:
    from ai_edge_litert.interpreter import Interpreter

    data = counter(builder, np.float32([[1, 2, 3]]))
    interpreter = Interpreter(model_content=data)
    interpreter.allocate_tensors()
    places = [detail["index"] for detail in interpreter.get_output_details()]
    chance = np.random.default_rng(1)
    with ann.load(data, ["CpuRef"]) as network:
        np.testing.assert_array_equal(network.state["total"], [[1, 2, 3]])
        for _ in range(3):
            x = chance.standard_normal((1, 3)).astype(np.float32)
            interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
            interpreter.invoke()
            found = network.run({"x": x})
            for name, place in zip(("before", "again"), places, strict=True):
                np.testing.assert_allclose(found[name], interpreter.get_tensor(place), rtol=1e-6)


def test_a_quantised_variable_keeps_its_scale(builder: Any) -> None:
    first = np.int8([[1, -3, 3]])
    network = ann.import_model(counter(builder, first, dtype=np.int8, scale=0.5, zero=-3))
    info = network.variables["total"]
    assert info == ann.TensorInfo(
        (1, 3), ann.DataType.QASYMM_S8, ann.QuantizationInfo((0.5,), (-3,))
    )
    assert network.validate() == ()


def test_non_variables(builder: Any, new_builder: Any) -> None:
    data = counter(builder, np.zeros((1, 4), np.float32))
    with pytest.raises(ann.ParseError, match="variable 'total' has initial value"):
        ann.import_model(data)
    other = new_builder()
    x, y = other.tensor("x", (1, 3)), other.tensor("y", (1, 3))
    other.op("READ_VARIABLE", [x], [y])
    other.ends([x], [y])
    with pytest.raises(ann.ParseError, match="has no handle of a variable"):
        ann.import_model(other.data())
