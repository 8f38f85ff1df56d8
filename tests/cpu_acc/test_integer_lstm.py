# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTM cells in integers on CpuAcc: CpuRef's bits.

`tests/frontends/tflite/test_lstm.py` compares CpuRef with LiteRT.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann

from .integer_cells import Cell
from .quantized import check_equal, quantized_runtime

__all__ = ["quantized_runtime"]


def check(runtime: ann.Runtime, seed: int, **given: Any) -> dict[str, Any]:
    cell = Cell(seed, **given)
    return check_equal(runtime, cell.network, cell.rng, **cell.values())


@pytest.mark.parametrize("seed", range(40))
def test_any_cell(quantized_runtime: ann.Runtime, seed: int) -> None:
    check(quantized_runtime, seed)


PLAIN = {
    "step": False, "outputs": None, "cifg": False, "peephole": False, "norm": False,
    "cell_clip": 0.0, "projection_clip": 0.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("batch", "steps", "size", "cells"),
    [(1, 1, 1, 1), (1, 70, 40, 128), (1, 5, 128, 256), (40, 3, 33, 65), (16, 9, 8, 31)],
)
@pytest.mark.parametrize("time_major", [False, True])
def test_sizes(
    quantized_runtime: ann.Runtime, batch: int, steps: int, size: int, cells: int, time_major: bool
) -> None:
    """Ends of vectors, panels and tiles, several blocks of rows, several chunks of steps."""
    sizes = {"batch": batch, "steps": steps, "size": size, "cells": cells}
    check(quantized_runtime, 7, **PLAIN, **sizes, time_major=time_major)


def test_gates_of_every_sum(quantized_runtime: ann.Runtime) -> None:
    """Rows of one cell whose gates see each number of 16 bits: 256 times the input, plus the
    state."""
    numbers = np.arange(-32768, 32768)
    cell = Cell(3, **PLAIN, batch=len(numbers), steps=1, size=1, cells=1, time_major=False, same=64)
    high = numbers >> 8
    inputs = {
        "x": high.astype(np.int8)[:, None, None],
        "h0": (numbers - (high << 8) - 128).astype(np.int8)[:, None],
        "c0": cell.rng.permutation(numbers).astype(np.int16)[:, None],
    }
    check_equal(quantized_runtime, cell.network, cell.rng, **inputs)


@pytest.mark.parametrize("options", [PLAIN, PLAIN | {"step": True}], ids=["sequence", "step"])
def test_a_layer_is_one_operator(runtime: ann.Runtime, options: dict[str, Any]) -> None:
    cell = Cell(1, **options, batch=1, steps=4, size=8, cells=16)
    with (
        ann.load(cell.network, ["CpuAcc"], runtime=runtime) as network,
        network.profile() as profile,
    ):
        network.run(cell.values())
    assert sum("armnn_s8_lstm" in row.kernel for row in profile.layers) == 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            {"bias_type": ann.DataType.QSYMM_S16},
            "input 14 is quantised int16, LSTMs in integers take",
        ),
        ({"activation": 6}, "activation function 6, LSTMs in integers have 4"),
        ({"computed": True}, "weights or bias values are not constant"),
    ],
    ids=str,
)
def test_refusals(runtime: ann.Runtime, change: dict[str, Any], why: str) -> None:
    cell = Cell(2, **PLAIN, **change)
    with pytest.raises(ann.NoBackendForLayerError, match=why):
        ann.load(cell.network, ["CpuAcc"], runtime=runtime)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"weights_scale": 3e5}, "sums of cell 0 may need more than 30 bits"),
        ({"hidden_scale": 2.0**-31}, "the scale of what cells show is below 2.-30"),
    ],
    ids=["sums", "shown"],
)
def test_scales_that_no_network_has(runtime: ann.Runtime, change: dict[str, Any], why: str) -> None:
    """CpuRef saturates on the way, kernels would not."""
    cell = Cell(2, **PLAIN, size=9, cells=8, **change)
    with pytest.raises(ann.ArmnnError, match=why):
        ann.load(cell.network, ["CpuAcc"], runtime=runtime)
    with ann.load(cell.network, ["CpuAcc", "CpuRef"], runtime=runtime) as network:
        assert {row.backend for row in network.assignment if row.backend} == {"CpuRef"}


@pytest.mark.parametrize("sign", [1, -1])
def test_sums_beyond_32_bits_saturate(runtime: ann.Runtime, sign: int) -> None:
    """A gate at its end stays there, however large its bias is: sums do not wrap around."""
    found = []
    for bias in (2**31 - 1, 2**31 - 2**20):  # the latter leaves room for the products
        cell = Cell(2, **PLAIN, size=9, cells=8, batch=2, bias=sign * bias)
        with ann.load(cell.network, ["CpuRef"], runtime=runtime) as network:
            found.append(network.run(cell.values()))
    for name, array in found[0].items():
        np.testing.assert_array_equal(array, found[1][name])
