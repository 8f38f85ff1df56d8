# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Real networks with real weights on real images, against onnxruntime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from PIL import Image

import armnn_py as ann

pytestmark = pytest.mark.models

#: Largest difference allowed, relative to the output's largest absolute value.
TOLERANCE = 1e-4


def picture(
    folder: Path,
    name: str,
    size: tuple[int, int],
    *,
    layout: str = "NCHW",
    mean: tuple[float, float, float] = (0, 0, 0),
    scale: float = 1.0,
) -> np.ndarray:
    """An image as float32 with a batch dimension; ``size`` is height, width."""
    image = Image.open(folder / "images" / name).convert("RGB")
    resized = image.resize((size[1], size[0]), Image.Resampling.BILINEAR)
    pixels = (np.asarray(resized, np.float32) - np.array(mean, np.float32)) * np.float32(scale)
    batch = pixels[None]
    return np.ascontiguousarray(batch if layout == "NHWC" else batch.transpose(0, 3, 1, 2))


def reference(path: Path, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs), strict=True))


def check_equal(outputs: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    assert outputs.keys() == expected.keys()
    for name, value in expected.items():
        assert outputs[name].shape == value.shape
        assert outputs[name].dtype == value.dtype
        largest = float(np.abs(value).max())
        assert largest > 0
        assert float(np.abs(outputs[name] - value).max()) <= TOLERANCE * largest


@pytest.fixture(params=[("CpuRef",), ("CpuAcc", "CpuRef")], ids="+".join)
def backends(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The reference alone, and CpuAcc before it."""
    chosen: tuple[str, ...] = request.param
    with ann.Runtime() as runtime:
        if not set(chosen) <= set(runtime.backends):
            pytest.skip("CpuAcc is not here: an installed package has it, or DYNAMIC_BACKEND_PATHS")
    return chosen


@pytest.mark.parametrize("image", ["chelsea.png", "coffee.png"])
def test_resnet50_thin(models_folder: Path, image: str, backends: tuple[str, ...]) -> None:
    path = models_folder / "open" / "resnet50_thin.onnx"
    inputs = {
        "input_0": picture(models_folder, image, (224, 224), layout="NHWC", mean=(123, 117, 104))
    }
    with ann.load(path, backends=backends) as net:
        check_equal(net.run(inputs), reference(path, inputs))


def test_yolox_tiny(models_folder: Path, backends: tuple[str, ...]) -> None:
    path = models_folder / "open" / "yolox_tiny.onnx"
    inputs = {"images": picture(models_folder, "astronaut.png", (416, 416))}
    with ann.load(path, backends=backends) as net:
        check_equal(net.run(inputs), reference(path, inputs))


def test_ocr_det_at_two_sizes(models_folder: Path, backends: tuple[str, ...]) -> None:
    """One loaded network, two shapes: planned once each, then again from the cache."""
    path = models_folder / "open" / "ocr_det.onnx"
    with ann.load(path, backends=backends) as net:
        for size in [(192, 384), (320, 320), (192, 384)]:
            inputs = {
                "x": picture(
                    models_folder, "page.png", size, mean=(127.5, 127.5, 127.5), scale=1 / 127.5
                )
            }
            check_equal(net.run(inputs), reference(path, inputs))


def test_ocr_rec(models_folder: Path, backends: tuple[str, ...]) -> None:
    path = models_folder / "open" / "ocr_rec.onnx"
    inputs = {
        "x": picture(
            models_folder, "text.png", (48, 320), mean=(127.5, 127.5, 127.5), scale=1 / 127.5
        )
    }
    with ann.load(path, backends=backends) as net:
        check_equal(net.run(inputs), reference(path, inputs))
