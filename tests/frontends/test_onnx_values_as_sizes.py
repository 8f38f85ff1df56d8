# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Models whose shapes inputs decide by their values are converted once: as onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper

import armnn_py as ann

from .size_cases import FLOAT, INT32, INT64, MICROSOFT, NUMBERS, Case, X, node, real, words

#: Inputs whose values decide shapes. Integers count as sizes.
VALUES: dict[str, Case] = {
    "reshape": Case(
        [node("Reshape", "x to", "y")],
        {"x": (["n"], FLOAT), "to": ([2], INT64)},
        {},
        lambda n: {"x": real(3 * n), "to": np.int64([n, 3])},
    ),
    "range": Case(
        [
            node("Range", "zero i one", "r"),
            node("Cast", "r", "f", to=FLOAT),
            node("Cast", "i", "scale", to=FLOAT),
            node("Mul", "f scale", "y"),
        ],
        {"i": ([], INT64)},
        NUMBERS,
        lambda n: {"i": np.array(n)},
    ),
    "slice": Case(
        [node("Slice", "x from to axis", "y")],
        X | {"from": ([1], INT64), "to": ([1], INT64)},
        NUMBERS,
        lambda n: words(2 * n) | {"from": np.int64([n - 1]), "to": np.int64([n + 1])},
    ),
    "grouped_attention": Case(
        [
            node(
                "GroupQueryAttention",
                "x x x past past last t",
                "y key value",
                num_heads=1,
                kv_num_heads=1,
                domain=MICROSOFT,
            )
        ],
        {
            "x": ([1, "n", 16], FLOAT),
            "past": ([1, 1, "p", 16], FLOAT),
            "last": ([1], INT32),
            "t": ([1], INT32),
        },
        {},
        lambda n: {
            "x": real(1, 1, 16),
            "past": real(1, 1, n, 16),
            "last": np.int32([n]),
            "t": np.int32([n + 1]),
        },
    ),
}


@pytest.mark.parametrize("backends", [["CpuRef"], ["CpuAcc", "CpuRef"]])
@pytest.mark.parametrize("name", VALUES)
def test_values_that_decide_shapes_are_sizes(
    models: Any, conversions: list[Any], name: str, backends: list[str]
) -> None:
    case = VALUES[name]
    model = models.build(case.nodes, case.inputs, ["y"], case.constants, opset=case.opset)
    model.opset_import.append(helper.make_opsetid(MICROSOFT, 1))
    with ann.load(models.save(model), backends) as network:
        for size in (5, 8, 3, 4, 13, 9, 21, 12, 33):
            arrays = case.arrays(size)
            expected = models.theirs(model, arrays)["y"]
            found = network.run(arrays)["y"]
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert len(conversions) < 5
