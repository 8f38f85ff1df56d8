# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""FULLY_CONNECTED and BATCH_MAT_MUL against numpy in double precision, and their refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .harness import Layers, descriptor
from .reference import random

FULLY_CONNECTED = abi.ARMNN_LAYER_FULLY_CONNECTED
BATCH_MAT_MUL = abi.ARMNN_LAYER_BATCH_MAT_MUL
F = np.float32


def fully_connected(**values: Any) -> abi.armnn_fully_connected_descriptor_t:
    return descriptor(abi.armnn_fully_connected_descriptor_t, FULLY_CONNECTED, **values)


def batch_mat_mul(**values: Any) -> abi.armnn_batch_mat_mul_descriptor_t:
    layouts = {"data_layout_x": 1, "data_layout_y": 1}
    return descriptor(abi.armnn_batch_mat_mul_descriptor_t, BATCH_MAT_MUL, **(layouts | values))


@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(
    ("shape", "inputs", "outputs", "expected_shape"),
    [
        ((1, 7), 7, 5, (1, 5)),
        ((3, 7), 7, 5, (3, 5)),
        ((70, 130), 130, 67, (70, 67)),
        ((1, 1000), 1000, 130, (1, 130)),
        ((9, 200), 200, 3, (9, 3)),
        ((2, 3, 4, 5), 60, 8, (2, 8)),
        ((2, 3, 4, 5), 5, 8, (2, 3, 4, 8)),
        ((2, 1, 1, 5), 5, 8, (2, 1, 1, 8)),
        ((6,), 6, 4, (4,)),
        ((6,), 1, 4, (6, 4)),
        ((), 1, 4, (1, 4)),
        ((0, 7), 7, 5, (0, 5)),
        ((2, 0), 0, 3, (2, 3)),
        ((1, 2, 1, 2, 1, 3, 1, 5), 60, 4, (1, 4)),
    ],
)
def test_fully_connected(
    cpu_ref: Layers,
    shape: tuple[int, ...],
    inputs: int,
    outputs: int,
    expected_shape: tuple[int, ...],
    transposed: bool,
    has_bias: bool,
) -> None:
    x = random(shape, 1) if shape else np.float32(1.25).reshape(())
    weights, bias = random((inputs, outputs), 2), random((outputs,), 3)
    rows = int(np.prod(expected_shape[:-1]))
    expected = x.reshape(rows, inputs).astype(np.float64) @ weights.astype(np.float64)
    expected = (expected + bias if has_bias else expected).reshape(expected_shape)
    layer = fully_connected(
        transpose_weight_matrix=int(transposed), bias_enabled=int(has_bias), constant_weights=1
    )
    operands = [x, weights.T if transposed else weights, *([bias] if has_bias else [])]
    (y,) = cpu_ref.run(FULLY_CONNECTED, layer, operands, [(expected_shape, F)], constants=(1, 2))
    assert_close(y, expected, LayerType.BATCH_MAT_MUL)


@pytest.mark.parametrize(
    ("values", "inputs", "output", "reason"),
    [
        ({}, [(2, 6), (7, 5)], (2, 5), "input has 6 values per row, 7 expected by the weights"),
        (
            {"transpose_weight_matrix": 1},
            [(2, 6), (6, 5)],
            (2, 5),
            "input has 6 values per row, 5 expected by the weights",
        ),
        ({}, [(2, 6), (6, 5)], (2, 4), "output 0 stated as 2x4, but it is 2x5"),
        ({}, [(2, 6), (6, 5)], (3, 5), "output 0 stated as 3x5, but it is 2x5"),
        ({}, [(2, 6), (1, 6, 5)], (2, 5), "weights has 3 dimensions, 2 expected"),
        (
            {"bias_enabled": 1},
            [(2, 6), (6, 5), (4,)],
            (2, 5),
            "bias has shape 4, 5 expected: a value for each output channel",
        ),
    ],
)
def test_fully_connected_refusals(
    cpu_ref: Layers,
    values: dict[str, int],
    inputs: list[tuple[int, ...]],
    output: tuple[int, ...],
    reason: str,
) -> None:
    answer = cpu_ref.refusal(
        FULLY_CONNECTED, fully_connected(**values), [(s, F) for s in inputs], [(output, F)]
    )
    assert answer is not None
    assert reason in answer


@pytest.mark.parametrize(
    ("x_shape", "y_shape"),
    [
        ((3, 4), (4, 5)),
        ((70, 130), (130, 67)),
        ((1, 300), (300, 70)),
        ((70, 300), (300, 1)),
        ((2, 3, 4), (2, 4, 5)),
        ((3, 4), (6, 4, 5)),
        ((6, 3, 4), (4, 5)),
        ((2, 1, 3, 4), (5, 4, 2)),
        ((2, 1, 2, 1, 2, 1, 3, 4), (3, 1, 2, 1, 2, 4, 5)),
        ((4,), (4,)),
        ((4,), (4, 5)),
        ((3, 4), (4,)),
        ((2, 3, 4), (4,)),
        ((4,), (2, 4, 5)),
        ((0, 4), (4, 5)),
        ((3, 0), (0, 5)),
        ((0, 3, 4), (1, 4, 5)),
    ],
)
@pytest.mark.parametrize("turn", ["", "transpose_x", "adjoint_y", "transpose_x transpose_y"])
def test_batch_mat_mul(
    cpu_ref: Layers, x_shape: tuple[int, ...], y_shape: tuple[int, ...], turn: str
) -> None:
    x, y = random(x_shape, 1), random(y_shape, 2)
    expected = np.asarray(np.matmul(x.astype(np.float64), y.astype(np.float64)))
    flags = dict.fromkeys(turn.split(), 1)
    if "_x" in turn and x.ndim > 1:
        x = x.swapaxes(-1, -2)
    if "_y" in turn and y.ndim > 1:
        y = y.swapaxes(-1, -2)
    (out,) = cpu_ref.run(
        BATCH_MAT_MUL, batch_mat_mul(**flags), [x, y], [(expected.shape, F)], constants=(1,)
    )
    assert_close(out, expected, LayerType.BATCH_MAT_MUL)


@pytest.mark.parametrize(
    ("values", "inputs", "output", "reason"),
    [
        ({}, [(3, 4), (5, 6)], (3, 6), "3x4 and 5x6 matrices do not multiply"),
        ({"transpose_x": 1}, [(3, 4), (4, 6)], (3, 6), "4x3 and 4x6 matrices do not multiply"),
        (
            {"transpose_y": 1, "adjoint_y": 1},
            [(3, 4), (4, 6)],
            (3, 6),
            "the descriptor: BatchMatMulDescriptor: an operand is transposed or",
        ),
        ({}, [(2, 3, 4), (3, 4, 6)], (2, 3, 6), "shapes 2 and 3 do not broadcast: 2 against 3"),
        ({}, [(3, 4), (4, 6)], (6, 3), "output 0 stated as 6x3, but it is 3x6"),
        ({}, [(3, 4), (4,)], (3, 1), "y has 1 dimensions, at least 2 expected"),
        ({}, [(), (4,)], (4,), "x has 0 dimensions, at least 2 expected"),
        (
            {"data_layout_y": 2},
            [(3, 4), (4, 6)],
            (3, 6),
            "y has 2 dimensions, at least 3 expected",
        ),
        (
            {"data_layout_x": 2},
            [(3, 4, 2), (2, 4, 6)],
            (3, 6, 2),
            "the host transposes around it",
        ),
    ],
)
def test_batch_mat_mul_refusals(
    cpu_ref: Layers,
    values: dict[str, int],
    inputs: list[tuple[int, ...]],
    output: tuple[int, ...],
    reason: str,
) -> None:
    answer = cpu_ref.refusal(
        BATCH_MAT_MUL, batch_mat_mul(**values), [(s, F) for s in inputs], [(output, F)]
    )
    assert answer is not None
    assert reason in answer
