# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""float16 and bfloat16: each layer gives what float32 gives of the same values, rounded once.

Float32 itself is compared with other implementations in the tests of each layer.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer import AS_IT_IS
from armnn_py.testing.cases import Case, all_cases
from armnn_py.testing.oracles.reference import in_float32, widener
from armnn_py.testing.subject import network_of
from armnn_py.types import DataType, LayerType


def outputs(runtime: ann.Runtime, case: Case, values: list[Any]) -> list[np.ndarray] | None:
    """The outputs of CpuRef, or None if it does not take the layer."""
    try:
        network = network_of(case, values)
        placed = ann.optimize(network, ["CpuRef"], runtime=runtime, options=AS_IT_IS)
    except ann.ArmnnError:
        return None
    with runtime.load_network(placed) as loaded:
        found = loaded.run({name: np.asarray(values[int(name[1:])]) for name in network.inputs})
        return [np.array(found[f"y{index}"]) for index in range(len(found))]


def rounded(wide: np.ndarray, half: DataType) -> np.ndarray:
    """Elements of the type: as float16, or the upper halves of float32, halves to even."""
    if wide.dtype != np.float32:
        return wide
    if half is DataType.FLOAT16:
        with np.errstate(over="ignore"):
            return wide.astype(np.float16)
    bits = np.ascontiguousarray(wide).view(np.uint32).reshape(wide.shape)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


@pytest.mark.parametrize("half", [DataType.FLOAT16, DataType.BFLOAT16])
def test_is_float32_rounded_once(half: DataType) -> None:
    compared: Counter[str] = Counter()
    with ann.Runtime() as runtime:
        for case in all_cases("quick", types=[half], variants=False):
            if case.layer is LayerType.SCATTER_ND:
                continue  # each update is rounded of its own
            narrow = outputs(runtime, case, case.values())
            wide = outputs(runtime, in_float32(case), widener(case)(case.values()))
            if narrow is None or wide is None:
                continue
            for found, expected, info in zip(narrow, wide, case.signature.outputs, strict=True):
                if info.data_type is half:
                    compared[case.layer.label] += 1
                    np.testing.assert_array_equal(found, rounded(expected, half), case.name)
    assert len(compared) > 40, compared
