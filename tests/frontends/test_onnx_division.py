# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Known integers divided by 0: numpy would make 0 of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper

import armnn_py as ann
from armnn_py.frontends import import_model


def model_of(models: Any, op: str, x: np.ndarray, y: np.ndarray, **attributes: int) -> Any:
    node = helper.make_node(op, ["a", "b"], ["t"], name="halve", **attributes)
    result = np.broadcast_shapes(x.shape, y.shape)
    add = helper.make_node("Add", ["x", "t"], ["y"], name="add")
    inputs = {"x": np.zeros(result, x.dtype)}
    return models.save(models.build([node, add], inputs, ["y"], {"a": x, "b": y}))


@pytest.mark.parametrize("dtype", ["int64", "int32", "int8", "uint8"])
@pytest.mark.parametrize(("op", "attributes"), [("Div", {}), ("Mod", {}), ("Mod", {"fmod": 1})])
def test_an_integer_by_zero(models: Any, op: str, attributes: Any, dtype: str) -> None:
    path = model_of(models, op, np.array([6, 1], dtype), np.array([[2, 0]], dtype), **attributes)
    with pytest.raises(ann.ParseError, match=r"'halve'.*an integer is divided by 0") as caught:
        import_model(path)
    assert caught.value.node == "halve"


def test_zero_divided_by_zero(models: Any) -> None:
    path = model_of(models, "Div", np.zeros((0, 1), np.int64), np.zeros(2, np.int64))
    assert import_model(path).outputs["y"].shape == (0, 2)


def test_a_float_by_zero(models: Any) -> None:
    x, zero = np.array([1, -1, 0], np.float32), np.array([0], np.float32)
    with ann.load(model_of(models, "Div", x, zero), ["CpuRef"]) as net:
        found = net.run({"x": np.zeros(3, np.float32)})["y"]
    np.testing.assert_array_equal(found, [np.inf, -np.inf, np.nan])
