# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The tables of operators find the converter of each operator, version and domain."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from types import ModuleType

import pytest

from armnn_py.frontends.onnx import operators as onnx_operators
from armnn_py.frontends.onnx.convert import table
from armnn_py.frontends.tflite import operators as tflite_operators
from armnn_py.frontends.tflite import table as tflite_table


def test_versions_and_domains() -> None:
    oldest, newest = table.find_operator("", "Clip", 1), table.find_operator("", "Clip", 13)
    assert oldest is not None
    assert newest is not None
    assert (oldest.since, newest.since) == (1, 11)
    assert table.find_operator("com.example", "Clip", 13) is None
    assert table.find_operator("", "Clap", 13) is None
    assert table.find_operator("", "QLinearAdd", 13) is None
    assert table.find_operator(table.MICROSOFT, "QLinearAdd", 1) is not None
    assert table.find_operator(table.MICROSOFT, "Clip", 1) is None


def _modules_of_onnx() -> dict[str, str]:
    return {table._label(*key): found[0].convert.__module__ for key, found in table._TABLE.items()}


def _modules_of_tflite() -> dict[str, str]:
    return {name: convert.__module__ for name, convert in tflite_table._TABLE.items()}


@pytest.mark.parametrize(
    ("package", "stated", "registered"),
    [
        (onnx_operators, table._MODULE_OF, _modules_of_onnx),
        (tflite_operators, tflite_table._MODULE_OF, _modules_of_tflite),
    ],
    ids=["ONNX", "TensorFlow Lite"],
)
def test_each_operator_is_found_in_the_module_that_converts_it(
    package: ModuleType, stated: dict[str, str], registered: Callable[[], dict[str, str]]
) -> None:
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    assert registered() == {name: f"{package.__name__}.{at}" for name, at in stated.items()}
