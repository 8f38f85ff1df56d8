# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""`armnn_py.ray.Predictor` as a function of one batch; Ray itself is not needed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from armnn_py.errors import BackendNotFoundError, InvalidArgumentError
from armnn_py.ray import Predictor, _get_status


def gatherer(path: Path, batch: int | str = "batch", kind: int = TensorProto.INT64) -> str:
    """``y`` = (10, 20, 30)[``x``] for x of (batch, 2): an index beyond 2 fails its whole run."""
    table = helper.make_tensor("table", TensorProto.FLOAT, [3], [10.0, 20.0, 30.0])
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "x"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", kind, [batch, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 2])],
        [table],
    )
    opset = [helper.make_opsetid("", 13)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), path)
    return str(path)


@pytest.fixture
def model(tmp_path: Path) -> str:
    return gatherer(tmp_path / "gather.onnx")


def predictor(model: str, **more: Any) -> Predictor:
    return Predictor(model, backends=["CpuRef"], **more)


def test_columns_are_named_and_those_of_no_input_kept(model: str) -> None:
    run = predictor(model, inputs={"x": "index"}, outputs={"y": "value"})
    found = run({"index": np.array([[0, 1], [2, 0]]), "path": np.array(["a", "b"], object)})
    assert list(found) == ["path", "value"]
    np.testing.assert_array_equal(found["value"], np.array([[10, 20], [30, 10]], np.float32))
    assert found["path"].tolist() == ["a", "b"]


@pytest.mark.parametrize("batch", ["batch", 1, 3, 4])
def test_bad_rows_are_kept_apart(tmp_path: Path, batch: int | str) -> None:
    model = gatherer(tmp_path / "gather.onnx", batch)
    index = np.array([[row % 3, 2 - row % 3] for row in range(10)])
    index[[3, 8], 1] = 7
    found = predictor(model, on_bad_row="keep_apart")({"x": index})
    bad = [place for place, words in enumerate(found["error"]) if words]
    assert bad == [3, 8]
    assert found["error"][8].startswith("row 8 of its batch: ")
    expected = np.array([10.0, 20.0, 30.0], np.float32)[np.minimum(index, 2)]
    expected[bad] = np.nan
    np.testing.assert_array_equal(found["y"], expected)


def test_a_batch_of_bad_rows_has_outputs_of_the_same_shape(model: str) -> None:
    found = predictor(model, on_bad_row="keep_apart")({"x": np.full((3, 2), 9)})
    assert found["y"].shape == (3, 2)
    assert np.isnan(found["y"]).all()
    assert all(found["error"])


def test_a_bad_row_is_named_where_it_is_an_error(model: str) -> None:
    index = np.zeros((5, 2), np.int64)
    index[4, 0] = 9
    with pytest.raises(InvalidArgumentError, match="row 4 of its batch: "):
        predictor(model)({"x": index})


def test_integers_become_narrower_if_they_fit(tmp_path: Path) -> None:
    model = gatherer(tmp_path / "gather.onnx", kind=TensorProto.INT32)
    index = np.array([[0, 1], [2**40, 0], [2, 2]])
    found = predictor(model, on_bad_row="keep_apart")({"x": index})
    assert "a value of int64 is beyond int32" in found["error"][1]
    np.testing.assert_array_equal(found["y"][[0, 2]], [[10, 20], [30, 30]])


def test_rows_of_objects_may_be_odd(model: str) -> None:
    rows: Any = np.empty(4, object)
    rows[:] = [np.array([0, 1]), np.array([1, 2, 0]), None, np.array([2, 2], np.int8)]
    found = predictor(model, on_bad_row="keep_apart")({"x": rows})
    assert [bool(words) for words in found["error"]] == [False, True, True, False]
    np.testing.assert_array_equal(found["y"][[0, 3]], [[10, 20], [30, 30]])


def test_rows_of_whole_floats_are_integers_beside_a_null(model: str) -> None:
    """As Arrow gives lists of integers of which one has a null."""
    values = [[0, 1], [0, np.nan], [2, 0.5], [2.0**53 + 2, 0], [-1, -2]]
    rows: Any = np.empty(len(values), object)
    rows[:] = [np.array(one, np.float64) for one in values]
    found = predictor(model, on_bad_row="keep_apart")({"x": rows})
    assert [bool(words) for words in found["error"]] == [False, True, True, True, False]
    np.testing.assert_array_equal(found["y"][[0, 4]], [[10, 20], [30, 20]])
    assert "dtype float64 given, int64 expected" in found["error"][1]


@pytest.mark.parametrize("policy", ["raise", "keep_apart"])
def test_error_common_to_all_rows_is_raised(model: str, policy: Any) -> None:
    run = predictor(model, on_bad_row=policy)
    with pytest.raises(InvalidArgumentError, match="input 'x': dtype float64 given, int64 exp"):
        run({"x": np.zeros((2, 2))})
    with pytest.raises(InvalidArgumentError, match="has no column 'x', only index"):
        run({"index": np.zeros((2, 2), np.int64)})


def test_an_empty_batch_has_the_columns(model: str) -> None:
    found = predictor(model, on_bad_row="keep_apart")({"x": np.zeros((0, 2), np.int64)})
    assert found["y"].shape == (0, 2)
    assert len(found["error"]) == 0


def test_arguments_are_checked_before_a_run(model: str) -> None:
    with pytest.raises(InvalidArgumentError, match="input 'z' is unknown, x expected"):
        predictor(model, inputs={"z": "index"})
    with pytest.raises(InvalidArgumentError, match="output 'z' is unknown, y expected"):
        predictor(model, outputs={"z": "value"})
    with pytest.raises(InvalidArgumentError, match="on_bad_row: 'skip' given"):
        predictor(model, on_bad_row="skip")
    with pytest.raises(BackendNotFoundError, match="NoSuchNpu"):
        Predictor(model, backends=["NoSuchNpu"])


def test_the_health_of_a_replica_is_the_servers_readiness() -> None:
    asked = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        asked.append((scope["method"], scope["path"], (await receive())["body"]))
        await send({"type": "http.response.start", "status": 503, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    assert asyncio.run(_get_status(app, "/v2/health/ready")) == 503
    assert asked == [("GET", "/v2/health/ready", b"")]
