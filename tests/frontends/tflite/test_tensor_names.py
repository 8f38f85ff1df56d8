# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensors of a TensorFlow Lite file as further outputs, by the names that it gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann

X = np.float32([[-1, 2, -3, 4]])


def made(builder: Any, free: bool) -> bytes:
    """Relu, Add of weights and Neg; the second tensor is joined, the third's name is not unique."""
    signature = (-1, 4) if free else None

    def tensor(name: str) -> int:
        return int(builder.tensor(name, (1, 4), signature=signature))

    x, h, g, k, y = (tensor(name) for name in ("x:0", "relu:0", "add;bias", "add2", "y"))
    again = tensor("add2")
    w = builder.constant("w", np.float32([1, 2, 3, 4]))
    builder.op("RELU", [x], [h])
    builder.op("ADD", [h, w], [g], ("AddOptions", {}))
    builder.op("NEG", [g], [k])
    builder.op("NEG", [k], [again])
    builder.op("NEG", [again], [y])
    builder.ends([x], [y])
    return bytes(builder.data())


@pytest.mark.parametrize("free", [False, True])
def test_tensors_by_name(builder: Any, free: bool) -> None:
    names = ["relu:0", "add;bias", "add", "w"]
    shapes = {"x:0": (None, 4)} if free else None
    data = made(builder, free)
    network = ann.import_model(data, shapes=shapes)
    assert network.is_dynamic is free
    with ann.load(network, ["CpuRef"], extra_outputs=names) as loaded:
        for rows in (1, 3) if free else (1,):
            found = loaded.run(np.repeat(X, rows, 0))
            np.testing.assert_array_equal(found["relu:0"], [[0, 2, 0, 4]] * rows)
            np.testing.assert_array_equal(found["add;bias"], [[1, 4, 3, 8]] * rows)
            np.testing.assert_array_equal(found["add"], found["add;bias"])
            np.testing.assert_array_equal(found["w"], [1, 2, 3, 4])
            np.testing.assert_array_equal(found["y"], -found["add"])


def test_names_that_are_no_one_tensor(builder: Any) -> None:
    data = made(builder, False)
    with pytest.raises(ann.InvalidArgumentError, match="'add2': the tensor is one of several"):
        ann.load(data, ["CpuRef"], extra_outputs=["add2"])
    with pytest.raises(ann.UnknownNameError, match="no tensor 'relu:1'") as caught:
        ann.load(data, ["CpuRef"], extra_outputs=["relu:1"])
    assert "did you mean 'relu:0'?" in str(caught.value)
