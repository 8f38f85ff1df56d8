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


@pytest.mark.parametrize("length", [3, 128])
def test_minilm(models_folder: Path, length: int, backends: tuple[str, ...]) -> None:
    path = models_folder / "open" / "minilm_l3.onnx"
    chance = np.random.default_rng(length)
    inputs = {
        "input_ids": chance.integers(0, 30000, (1, length)),
        "attention_mask": np.ones((1, length), np.int64),
    }
    inputs["attention_mask"][:, length // 2 :] = 0
    with ann.load(path, backends) as network:
        check_equal(network.run(inputs), reference(path, inputs))


@pytest.mark.parametrize("width", [192, 100])
def test_ocr_cls(models_folder: Path, width: int, backends: tuple[str, ...]) -> None:
    path = models_folder / "extra" / "ocr_cls.onnx"
    x = picture(models_folder, "text.png", (48, width), mean=(127.5,) * 3, scale=1 / 127.5)
    with ann.load(path, backends) as network:
        check_equal(network.run({"x": x}), reference(path, {"x": x}))


@pytest.mark.parametrize("rate", [8000, 16000])
def test_vad_with_if(models_folder: Path, rate: int, backends: tuple[str, ...]) -> None:
    """Each branch is a network for one rate of samples."""
    path = models_folder / "extra" / "vad_with_if.onnx"
    chance = np.random.default_rng(rate)
    inputs = {
        "input": chance.standard_normal((1, 512 * rate // 16000)).astype(np.float32) / 10,
        "state": np.zeros((2, 1, 128), np.float32),
        "sr": np.array(rate),
    }
    with ann.load(path, backends) as network:
        for _ in range(3):
            outputs = network.run(inputs)
            for name, value in reference(path, inputs).items():
                # A probability near 0 is a sigmoid of a number of order 10.
                most = TOLERANCE * np.abs(value).max() + 1e-6
                assert np.abs(outputs[name] - value).max() <= most
            inputs["state"] = outputs["stateN"]


def test_basic_pitch(models_folder: Path, backends: tuple[str, ...]) -> None:
    path = models_folder / "extra" / "basic_pitch.onnx"
    chance = np.random.default_rng(7)
    x = {"serving_default_input_2:0": chance.random((1, 43844, 1)).astype(np.float32)}
    with ann.load(path, backends) as network:
        outputs, expected = network.run(x), reference(path, x)
    # Long sums, then a logarithm of what is near 0: plain loops, as those of CpuRef, differ there
    # from kernels that sum in lanes, which agree among themselves.
    most = 2e-3 if backends == ("CpuRef",) else TOLERANCE
    for name, value in expected.items():
        assert np.abs(outputs[name] - value).max() <= most * np.abs(value).max()
