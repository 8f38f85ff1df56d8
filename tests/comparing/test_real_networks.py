# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Faults planted in one layer of real networks: the comparison names it, and shows it alone."""

from __future__ import annotations

from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py import LayerType

from .faulty import Faulty

pytestmark = [pytest.mark.models, pytest.mark.exhaustive(kept=2)]

DETECTOR, READER = "open/yolox_tiny.onnx", "open/ocr_rec.onnx"
WORDS, INT8 = "more/minilm_l6.onnx", "open/efficientnet_lite0_int8.tflite"
SHAPES = {READER: (1, 3, 48, 320), WORDS: (1, 32)}
CONV, DEPTHWISE = LayerType.CONVOLUTION2D, LayerType.DEPTHWISE_CONVOLUTION2D

#: The network, the type of the layer and its number among those, the defect.
FAULTS = [
    (DETECTOR, CONV, 40, "wrong rounding"),
    (DETECTOR, CONV, 20, "channels swapped"),
    (DETECTOR, CONV, 30, "bias forgotten"),
    (READER, DEPTHWISE, 5, "padding on one side"),
    (READER, LayerType.ACTIVATION, 10, "tail of a vector"),
    (WORDS, LayerType.BATCH_MAT_MUL, 7, "wrong rounding"),
    (WORDS, LayerType.SOFTMAX, 3, "nan"),
    (WORDS, LayerType.ELEMENTWISE_BINARY, 20, "race"),
    (INT8, CONV, 11, "zero point forgotten"),
    (INT8, CONV, 20, "weights of the next channel"),
    (INT8, LayerType.ELEMENTWISE_BINARY, 3, "tail of a vector"),
]


@pytest.mark.parametrize(
    ("model", "kind", "number", "defect"), FAULTS, ids=[f"{one[0]} {one[3]}" for one in FAULTS]
)
def test_the_layer_is_named_and_shown_alone(
    models_folder: Path, tmp_path: Path, model: str, kind: LayerType, number: int, defect: str
) -> None:
    times = 4 if defect == "race" else 1
    with ann.Runtime(python_backends=[Faulty(defect)]) as runtime:
        network = ann.import_model(models_folder / model)
        if network.is_dynamic:
            network = network.specialize(dict.fromkeys(network.inputs, SHAPES[model]))
        layer = [one for one in network.layers if one.type is kind][number]
        layer.backend_hint = "Faulty"
        found = ann.compare(
            network, ["CpuAcc", "CpuRef"], layers=True, times=times, runtime=runtime
        )
        assert found.finding is not None
        assert (found.finding.kind, found.finding.layer) == ("layer", layer.name)
        _, saved, arrays = found.reduce(tmp_path)
        again = ann.compare(saved, reference=arrays, layers=True, times=times, runtime=runtime)
    assert again.finding is not None
    assert again.finding.layer == layer.name


@pytest.mark.parametrize("model", [DETECTOR, READER, WORDS, INT8])
def test_without_a_fault_all_is_within_the_tolerance(models_folder: Path, model: str) -> None:
    network = ann.import_model(models_folder / model)
    shapes = dict.fromkeys(network.inputs, SHAPES[model]) if model in SHAPES else None
    found = ann.compare(network, ["CpuAcc", "CpuRef"], shapes=shapes, layers=True)
    assert found.passed, found.verdict
