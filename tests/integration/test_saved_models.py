# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Real networks, saved and loaded: the same bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

MODELS = {
    "resnet50_thin": {"input_0": (1, 224, 224, 3)},
    "yolox_tiny": None,
    "ocr_det": {"x": (1, 3, 96, 128)},
    "ocr_rec": {"x": (1, 3, 48, 96)},
}


@pytest.mark.models
@pytest.mark.parametrize("backends", [["CpuAcc"], ["CpuRef"]], ids="+".join)
@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_computes_the_same_bits(
    models_folder: Path, tmp_path: Path, name: str, backends: list[str]
) -> None:
    model = ann.import_model(models_folder / "open" / f"{name}.onnx", shapes=MODELS[name])
    path = tmp_path / "model.armnnpy"
    noise = np.random.default_rng(0)
    inputs = {n: noise.random(i.static_shape, np.float32) for n, i in model.inputs.items()}
    with ann.Runtime() as runtime:
        optimized = ann.optimize(model, backends, runtime=runtime)
        optimized.save(path)
        with runtime.load_network(optimized) as first, ann.load(path, runtime=runtime) as second:
            assert second.assignment.to_json() == first.assignment.to_json()
            if backends == ["CpuRef"] and name != "ocr_rec":
                return  # too slow to run: the layers are those of the first
            expected, outputs = first.run(inputs), second.run(inputs)
    assert all(outputs[n].tobytes() == expected[n].tobytes() for n in expected)
