# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py run`` on real networks and photographs, against onnxruntime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from PIL import Image

from .conftest import Command

pytestmark = pytest.mark.models


def pixels(path: Path, size: tuple[int, int]) -> np.ndarray:
    """The picture as 8-bit RGB of (height, width), by Pillow."""
    with Image.open(path) as picture:
        scaled = picture.convert("RGB").resize(size[::-1], Image.Resampling.BILINEAR)
    return np.asarray(scaled, np.float32)


CASES = [
    pytest.param(
        "resnet50_thin", "chelsea.png", (224, 224),
        ["--channel-order", "bgr", "--mean", "104,117,123"],
        lambda image: (image[:, :, ::-1] - np.float32([104, 117, 123]))[None],
        id="resnet50_thin",
    ),
    pytest.param(
        "ocr_det", "page.png", (320, 640),
        ["--mean", "127.5", "--scale", "0.0078431373", "--size", "320x640"],
        lambda image: ((image - 127.5) * np.float32(0.0078431373)).transpose(2, 0, 1)[None],
        id="ocr_det wide",
    ),
    pytest.param(
        "ocr_det", "page.png", (256, 256),
        ["--mean", "127.5", "--scale", "0.0078431373", "--size", "256x256"],
        lambda image: ((image - 127.5) * np.float32(0.0078431373)).transpose(2, 0, 1)[None],
        id="ocr_det square",
    ),
    pytest.param(
        "ocr_rec", "text.png", (48, 320),
        ["--mean", "127.5", "--scale", "0.0078431373", "--size", "48x320"],
        lambda image: ((image - 127.5) * np.float32(0.0078431373)).transpose(2, 0, 1)[None],
        id="ocr_rec",
    ),
    pytest.param(
        "yolox_tiny", "astronaut.png", (416, 416), [],
        lambda image: image.transpose(2, 0, 1)[None],
        id="yolox_tiny",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "picture", "size", "options", "prepare"), CASES)
def test_run_agrees_with_onnxruntime(
    command: Command, models_folder: Path, tmp_path: Path,
    name: str, picture: str, size: tuple[int, int], options: list[str], prepare: object,
) -> None:  # fmt: skip
    model = models_folder / "open" / f"{name}.onnx"
    photograph = models_folder / "images" / picture
    answer = command("run", model, "-i", photograph, "-o", tmp_path, "-b", "CpuRef", "--json",
                     *options)  # fmt: skip
    assert answer.code == 0, answer.err
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    assert callable(prepare)
    fed = {session.get_inputs()[0].name: np.ascontiguousarray(prepare(pixels(photograph, size)))}
    names = [output.name for output in session.get_outputs()]
    expected = dict(zip(names, session.run(None, fed), strict=True))
    document = answer.json
    assert [output["name"] for output in document["outputs"]] == names
    for output in document["outputs"]:
        ours, theirs = np.load(output["file"]), expected[output["name"]]
        assert ours.shape == theirs.shape
        largest = np.abs(theirs).max()
        assert largest > 0
        assert np.abs(ours - theirs).max() <= 1e-4 * largest
