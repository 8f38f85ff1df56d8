# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Filters over time: the same numbers as LiteRT's over several runs, whose inputs they keep."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann

RNG = np.random.default_rng(41)
BATCH, SIZE, UNITS = 2, 5, 3


def normal(*shape: int) -> np.ndarray:
    return (RNG.standard_normal(shape) * 0.5).astype(np.float32)


def model(
    builder: Any,
    *,
    rank: int = 2,
    steps: int = 4,
    has_bias: bool = True,
    function: int = 0,
    hybrid: bool = False,
    asymmetric: bool = False,
    absent: int | None = None,
) -> bytes:
    def weights(name: str, *shape: int) -> int:
        array = normal(*shape)
        if not hybrid:
            return builder.constant(name, array)
        scale = float(np.abs(array).max()) / 127
        return builder.constant(name, np.rint(array / scale).astype(np.int8), scale)

    filters = rank * UNITS
    x, y = builder.tensor("x", (BATCH, SIZE)), builder.tensor("y", (BATCH, UNITS))
    operands = [
        x,
        weights("filters", filters, SIZE),
        weights("times", filters, steps),
        builder.constant("bias", normal(UNITS)) if has_bias else -1,
        builder.tensor("state", (BATCH, filters * steps), variable=True),
    ]
    if absent is not None:
        operands[absent] = -1
    options = {
        "rank": rank, "fusedActivationFunction": function, "asymmetricQuantizeInputs": asymmetric,
    }  # fmt: skip
    builder.op("SVDF", operands, [y], ("SVDFOptions", options))
    builder.ends([x], [y])
    return builder.data()


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("steps", [1, 4])
@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("function", [0, 1])
def test_filters(
    builder: Any, engines: Any, rank: int, steps: int, has_bias: bool, function: int
) -> None:
    data = model(builder, rank=rank, steps=steps, has_bias=has_bias, function=function)
    engines.assert_same_runs(data, normal)


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("asymmetric", [False, True])
def test_weights_of_8_bits(builder: Any, engines: Any, rank: int, asymmetric: bool) -> None:
    """LiteRT rounds the inputs to 8 bits, and so do we."""
    data = model(builder, rank=rank, hybrid=True, asymmetric=asymmetric)
    assert "DynamicQuantize" in engines.assert_same_runs(data, normal)


@pytest.mark.parametrize(
    ("absent", "error"),
    [(1, "input 1 is missing"), (2, "input 2 is missing"), (4, "a state that is no variable")],
)
def test_operands_that_are_not_there(builder: Any, absent: int, error: str) -> None:
    with pytest.raises(ann.ModelError, match=error):
        ann.import_model(model(builder, absent=absent))


@pytest.mark.parametrize(
    ("tensor", "shape", "error"),
    [
        ("filters", [6, 4], "of rank 2 for 5 inputs"),
        ("bias", [1, 3], "a bias of .1, 3. for 3 units"),
        ("state", [2, 23], "2x24 expected"),
    ],
)
def test_shapes_that_do_not_fit(builder: Any, tensor: str, shape: list[int], error: str) -> None:
    model(builder)
    (found,) = (one for one in builder.graph.tensors if one.name == tensor)
    if found.buffer:
        count = int(np.prod(shape))
        builder.model.buffers[found.buffer].data = np.zeros(4 * count, np.uint8)
    found.shape = shape
    with pytest.raises(ann.ParseError, match=error):
        ann.import_model(builder.data())


def test_integers_are_refused(builder: Any) -> None:
    model(builder)
    builder.graph.tensors[0].type = builder.schema.TensorType.INT8
    with pytest.raises(ann.UnsupportedOperatorError, match="int8 values"):
        ann.import_model(builder.data())
