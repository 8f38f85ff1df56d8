# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A network that no sizes of its inputs can make run is refused when it is loaded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.python_backend import KernelCall, PythonBackend, kernel


class Relus(PythonBackend):
    id = "Relus"

    @kernel(ann.LayerType.ACTIVATION, function=ann.ActivationFunction.RELU)
    def relu(self, call: KernelCall) -> Any:
        return np.maximum(call.inputs[0], 0)


def model(builder: Any, *operators: str) -> bytes:
    """Operators one behind another, in a signature whose first size is free."""
    places = [
        builder.tensor(f"t{index}", (1, 4), signature=(-1, 4))
        for index in range(len(operators) + 1)
    ]
    for operator, before, after in zip(operators, places, places[1:], strict=False):
        builder.op(operator, [before], [after])
    builder.ends([places[0]], [places[-1]])
    builder.signature("serve", {"x": places[0]}, {"y": places[-1]})
    return bytes(builder.data())


@pytest.mark.parametrize("rows", [3, None], ids=["fixed", "free"])
def test_load_refuses_an_operator(builder: Any, rows: int | None) -> None:
    data = model(builder, "RELU", "HASHTABLE_LOOKUP")
    with pytest.raises(ann.ModelError, match="HASHTABLE_LOOKUP"):
        ann.load(data, ["CpuRef"], signature="serve", shapes={"x": (rows, 4)})  # type: ignore[dict-item]


@pytest.mark.parametrize("rows", [3, None], ids=["fixed", "free"])
def test_load_refuses_layers_that_no_backend_takes(builder: Any, rows: int | None) -> None:
    data = model(builder, "RELU", "TANH", "RELU")
    given: dict[str, Any] = {"x": (rows, 4)}
    with (
        ann.Runtime(bundled_backends=False, python_backends=[Relus()]) as runtime,
        pytest.raises(ann.NoBackendForLayerError, match="function is TANH"),
    ):
        ann.load(data, ["Relus"], signature="serve", shapes=given, runtime=runtime)


def test_a_network_that_runs_is_loaded(builder: Any) -> None:
    data = model(builder, "RELU", "RELU")
    given: dict[str, Any] = {"x": (None, 4)}
    with (
        ann.Runtime(bundled_backends=False, python_backends=[Relus()]) as runtime,
        ann.load(data, ["Relus"], signature="serve", shapes=given, runtime=runtime) as net,
    ):
        x = np.float32([[1, -2, 3, -4]] * 5)
        np.testing.assert_array_equal(net.run({"x": x})["y"], np.maximum(x, 0))
