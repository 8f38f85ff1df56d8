# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arguments of the wrong type at the ways in: always an error of armnn_py that names them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

FREE = ann.TensorInfo((None,))
LONG = range(10**12)


def static() -> ann.Network:
    network = ann.Network()
    network.add_output("y", network.add_floor(network.add_input("x", ann.TensorInfo((2,)))))
    return network


def dynamic() -> ann.Network:
    return ann.Network.from_builder("net", {"x": FREE}, lambda _: static(), {"y": FREE})


def start(**options: Any) -> None:
    ann.Runtime(enable_dynamic_backends=False, **options).close()


CASES: list[tuple[Callable[[ann.Runtime], object], str]] = [
    (lambda r: ann.load(static(), 3, runtime=r), "backends: int given, a list of backend ids"),
    (lambda r: ann.load(static(), np.array(3), runtime=r), "backends: ndarray given, a list"),
    (lambda r: ann.load(static(), [None], runtime=r), "a backend id is a str, not NoneType"),
    (lambda r: ann.load(static(), LONG, runtime=r), "a backend id is a str, not int: 0"),
    (lambda r: ann.load(static(), [], runtime=r), "the list of backends is empty"),
    (lambda r: r.backends[3], "backend '3' is not loaded"),
    (lambda r: start(backend_options={1: {}}), "backend '1' is not loaded"),
    (lambda r: start(backend_options={None: {}}), "backend 'None' is not loaded"),
    (lambda r: start(backend_options={"CpuRef": {1: 1}}), "option '1' is unknown"),
    (lambda r: ann.Runtime(3), "dynamic_backends_path: int given, a path or a list"),
    (lambda r: ann.Runtime(np.array(3)), "dynamic_backends_path: ndarray given, a path or a list"),
    (lambda r: ann.Runtime(LONG), "dynamic_backends_path: the list has an int"),
    (lambda r: dynamic().specialize(3), "shapes is of type int, expected a mapping"),
    (lambda r: static().specialize([(2,)]), "shapes is of type list"),
    (lambda r: dynamic().specialize({1: (2,)}), "no input '1'"),
    (lambda r: dynamic().specialize({"x": 3}), "3 is not a sequence"),
    (
        lambda r: ann.load(dynamic(), shapes=3, runtime=r),
        "shapes is of type int, expected a mapping",
    ),
    (
        lambda r: ann.Network.from_builder("n", None, static, {}),
        "inputs: NoneType given, a mapping",
    ),
    (
        lambda r: ann.Network.from_builder("n", {"x": FREE}, static, 3),
        "outputs: int given, a mapping",
    ),
    (lambda r: static().layer(3), "has no layer '3'"),
    (lambda r: ann.QuantizationInfo(10**400), "scales are numbers"),
    (lambda r: ann.QuantizationInfo(LONG), "scales are numbers"),
    (lambda r: ann.QuantizationInfo((1.0,), LONG), "zero points"),
    (lambda r: ann.DataType.from_numpy({"x": (3,)}), "is not a numpy dtype"),
]


@pytest.mark.parametrize(("call", "text"), CASES, ids=[text for _, text in CASES])
def test_wrong_types(
    runtime: ann.Runtime, call: Callable[[ann.Runtime], object], text: str
) -> None:
    with pytest.raises(ann.ArmnnError, match=text):
        call(runtime)
