# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Cut a person out of a picture: what is behind becomes white.

    python examples/networks/cut_out.py PICTURE OUTPUT.png [MODEL.tflite]

MODEL (default: more/selfie_landscape.tflite in ARMNN_PY_MODELS) is MediaPipe's network for video
calls. It was trained on its own transposed convolution, an operator that TensorFlow Lite lacks and
armnn_py knows.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
from PIL import Image

import armnn_py as ann

HEIGHT, WIDTH = 144, 256


def find_person(picture: Image.Image, model: Path) -> np.ndarray:
    """How much each place of [144, 256] belongs to a person, from 0 to 1."""
    small = picture.convert("RGB").resize((WIDTH, HEIGHT), Image.Resampling.BILINEAR)
    with ann.load(model) as network:
        (mask,) = network.run(np.asarray(small, np.float32)[None] / 255).values()
    return np.asarray(mask[0, :, :, 0])


def cut_out(picture: Image.Image, mask: np.ndarray) -> Image.Image:
    """The picture where the mask is 1, white where it is 0."""
    grey = Image.fromarray((mask * 255).clip(0, 255).astype(np.uint8))
    smooth = grey.resize(picture.size, Image.Resampling.BICUBIC)
    white = Image.new("RGB", picture.size, "white")
    return Image.composite(picture.convert("RGB"), white, smooth)


def main() -> None:
    source, target, *rest = sys.argv[1:]
    model = Path(*rest or (os.environ["ARMNN_PY_MODELS"], "more", "selfie_landscape.tflite"))
    with Image.open(source) as picture:
        mask = find_person(picture, model)
        cut_out(picture, mask).save(target)
    print(f"{np.mean(mask > 0.5):.0%} of the picture are a person; {target}")


if __name__ == "__main__":
    main()
