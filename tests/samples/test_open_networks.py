# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The backend over XNNPACK: every open network whole, with CpuRef for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import armnn_py as ann

pytestmark = pytest.mark.models

Arrays = dict[str, NDArray[Any]]
#: Sizes where the file leaves them free.
NETWORKS: dict[str, dict[str, tuple[int, ...]]] = {
    "ocr_det.onnx": {"x": (1, 3, 96, 192)},
    "ocr_rec.onnx": {"x": (1, 3, 48, 160)},
    "resnet50_thin.onnx": {"input_0": (1, 224, 224, 3)},
    "yolox_tiny.onnx": {"images": (1, 3, 416, 416)},
    "minilm_l3.onnx": {"input_ids": (1, 24), "attention_mask": (1, 24)},
    "vad_lstm.onnx": {"input": (20, 576), "h": (1, 1, 128), "c": (1, 1, 128)},
    "deeplabv3_mnv2.tflite": {},
    "hand_landmark_full.tflite": {},
    "efficientnet_lite0_int8.tflite": {},
    "resnet50_thin_int8_qdq.onnx": {"input_0": (1, 224, 224, 3)},
}
#: What a difference may be, as a share of the largest output.
FLOAT = 1e-4
#: Of 8 bits inside, where each layer may round a sum to the next step: LiteRT's own kernels differ
#: so far from its reference.
EIGHT_BITS = {"efficientnet_lite0_int8.tflite": 3 / 255, "resnet50_thin_int8_qdq.onnx": 1e-2}
#: Networks whose layers are nearly all convolutions, pooling and the like.
CONVOLUTIONAL = ("ocr_det.onnx", "ocr_rec.onnx", "resnet50_thin.onnx", "yolox_tiny.onnx")


@pytest.fixture(scope="module", params=list(NETWORKS))
def case(
    request: pytest.FixtureRequest, models_folder: Path
) -> tuple[str, ann.Network, Arrays, Arrays]:
    """Name, network, inputs and what CpuRef makes of them."""
    name: str = request.param
    path = models_folder / "open" / name
    if not path.exists():
        pytest.skip(f"{name} is not here: scripts/quantize_network.py makes it")
    network = ann.import_model(path)
    with ann.load(network, ["CpuRef"], shapes=NETWORKS[name]) as reference:
        inputs = numbers_for(reference.inputs, models_folder / "images" / "coffee.png")
        return name, network, inputs, reference.run(inputs)


def numbers_for(infos: Mapping[str, ann.TensorInfo], picture: Path) -> Arrays:
    random = np.random.default_rng(3)
    arrays: Arrays = {}
    for name, info in infos.items():
        dtype = info.data_type.numpy
        if "mask" in name:
            arrays[name] = np.ones(info.shape, dtype)
        elif dtype.kind == "f":
            arrays[name] = random.random(info.shape, dtype=np.float32)
        elif dtype == np.uint8:
            with Image.open(picture) as image:
                arrays[name] = np.asarray(image.convert("RGB").resize(info.shape[1:3]))[None]
        else:  # tokens
            arrays[name] = random.integers(0, 30000, info.shape, dtype)
    return arrays


@pytest.fixture(scope="module")
def xnnpack(xnnpack_library: Path) -> Iterator[ann.Runtime]:
    with ann.Runtime(xnnpack_library.parent) as runtime:
        yield runtime


def test_xnnpack(xnnpack: ann.Runtime, case: tuple[str, ann.Network, Arrays, Arrays]) -> None:
    name, network, inputs, expected = case
    chosen = ["Xnnpack", "CpuRef"]
    with ann.load(network, chosen, runtime=xnnpack, shapes=NETWORKS[name]) as loaded:
        rows = [row for row in loaded.assignment if row.backend]
        results = loaded.run(inputs)
    left = [row.type for row in rows if row.backend == "CpuRef"]
    if name in CONVOLUTIONAL:
        assert len(left) < 0.1 * len(rows)
    for output, wanted in expected.items():
        largest = float(np.abs(wanted.astype(np.float64)).max())
        assert largest > 0
        difference = float(np.abs(results[output] - wanted.astype(np.float64)).max())
        assert difference <= EIGHT_BITS.get(name, FLOAT) * largest, output
