# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CpuRef computes the kit's cases of a layer as numpy's definitions do, in floats and integers."""

from __future__ import annotations

from collections import defaultdict

import pytest

from armnn_py.testing.cases import Case, all_cases
from armnn_py.testing.checks.numbers import kinds_of
from armnn_py.testing.oracles.reference import Reference
from armnn_py.testing.tolerances import compare, tolerance_of
from armnn_py.types import DataType, LayerType

TYPES = (
    DataType.FLOAT32, DataType.FLOAT16, DataType.SIGNED32, DataType.SIGNED64, DataType.BOOLEAN,
    DataType.QASYMM_S8, DataType.QASYMM_U8, DataType.QSYMM_S16,
)  # fmt: skip
#: Layers that have no tests of their own in this folder.
LAYERS = (
    LayerType.ACTIVATION, LayerType.ARG_MIN_MAX, LayerType.BATCH_MAT_MUL,
    LayerType.BATCH_NORMALIZATION, LayerType.BATCH_TO_SPACE_ND, LayerType.BROADCAST_TO,
    LayerType.CHANNEL_SHUFFLE, LayerType.CONVOLUTION2D, LayerType.CUM_SUM,
    LayerType.DEPTHWISE_CONVOLUTION2D, LayerType.DEPTH_TO_SPACE, LayerType.FAKE_QUANTIZATION,
    LayerType.FULLY_CONNECTED, LayerType.GRU, LayerType.INSTANCE_NORMALIZATION,
    LayerType.L2_NORMALIZATION, LayerType.LOG_SOFTMAX, LayerType.NORMALIZATION,
    LayerType.ONE_HOT, LayerType.ROTARY_EMBEDDING, LayerType.SELECT, LayerType.SOFTMAX,
    LayerType.SPACE_TO_BATCH_ND, LayerType.SPACE_TO_DEPTH, LayerType.TOP_K, LayerType.TRANSPOSE,
)  # fmt: skip


@pytest.fixture(scope="module")
def cases() -> dict[LayerType, list[Case]]:
    found = defaultdict(list)
    for case in all_cases("quick", layers=LAYERS, types=TYPES, variants=False):
        found[case.layer].append(case)
    return found


@pytest.mark.parametrize("layer", LAYERS, ids=[layer.label for layer in LAYERS])
def test_as_defined(cases: dict[LayerType, list[Case]], layer: LayerType) -> None:
    compared = 0
    with Reference("another backend") as reference:
        for case in cases[layer]:
            for kind, answers in reference.expectations(case, kinds_of(case)[-2:]).items():
                if len(answers) < 2:  # one of both does not know the layer in this type
                    continue
                expected, found = answers
                compared += 1
                for index, info in enumerate(case.signature.outputs):
                    allowed = tolerance_of(layer.label, info.data_type.label)
                    pair = found.outputs[index], expected.outputs[index]
                    worst = compare(*pair, info.data_type, allowed)
                    assert not worst, f"{case.name}, {kind} values, output {index}: {worst}"
    assert compared > 4
