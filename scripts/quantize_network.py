# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Derive an 8-bit network of quantise and dequantise pairs from a real one.

    python scripts/quantize_network.py FOLDER

onnxruntime's quantiser makes ``FOLDER/open/resnet50_thin_int8_qdq.onnx`` of ``resnet50_thin``:
weights with a scale for each channel, calibrated on the pictures of ``FOLDER/images``. No package
publishes such a network. FOLDER is that of ``fetch_models.py``; a file that is there is
not made again.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process
from PIL import Image

PICTURES = ("astronaut.png", "chelsea.png", "coffee.png", "rocket.jpg")
_MEAN = np.array([104, 117, 123], np.float32)  # of the pictures that it was trained on, as BGR


class Pictures(CalibrationDataReader):  # type: ignore[misc]
    """The pictures, as the network takes them."""

    def __init__(self, folder: Path) -> None:
        self._waiting = self._read(folder)

    @staticmethod
    def _read(folder: Path) -> Iterator[dict[str, Any]]:
        for name in PICTURES:
            with Image.open(folder / name) as picture:
                small = picture.convert("RGB").resize((224, 224), Image.Resampling.BILINEAR)
            yield {"input_0": (np.asarray(small, np.float32)[:, :, ::-1] - _MEAN)[None]}

    def get_next(self) -> dict[str, Any] | None:
        """Return the next picture, or None."""
        return next(self._waiting, None)


def quantize(folder: Path) -> Path:
    """Make the network if it is not there; returns its file."""
    target = folder / "open" / "resnet50_thin_int8_qdq.onnx"
    if target.exists():
        return target
    with tempfile.TemporaryDirectory() as scratch:
        simplified, partial = Path(scratch) / "simplified.onnx", target.with_suffix(".partial")
        quant_pre_process(
            folder / "open" / "resnet50_thin.onnx", simplified, skip_symbolic_shape=True
        )
        quantize_static(
            simplified,
            partial,
            Pictures(folder / "images"),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["Conv", "MatMul", "Add", "MaxPool"],
        )
        partial.replace(target)  # whole or not at all
    return target


def main() -> None:
    """Make it in the folder that was named."""
    parser = argparse.ArgumentParser(description="Derive an 8-bit network from a real one.")
    parser.add_argument("folder", type=Path)
    print(quantize(parser.parse_args().folder.resolve()))


if __name__ == "__main__":
    main()
