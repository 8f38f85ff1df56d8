# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Make a picture four times as large: a super-resolution network, built from a file of weights.

    python examples/networks/upscale.py PICTURE OUTPUT.png [WEIGHTS]

WEIGHTS (default: more/realesr-animevideov3-x4 in ARMNN_PY_MODELS) are those of Real-ESRGAN's small
network in the files of ncnn: a text file of layers, ``.param``, and one of numbers, ``.bin``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PIL import Image

import armnn_py as ann

BLOCK = 4
_IS_HALF = 0x01306B47  # ncnn's mark before weights in float16


class Weights:
    """The numbers of a ``.bin`` file, in the order in which the layers want them."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        self._at = 0

    def floats(self, count: int) -> np.ndarray:
        return self._take("<f4", count)

    def marked(self, count: int) -> np.ndarray:
        """Weights of a convolution, which say what type they have."""
        (mark,) = self._take("<u4", 1)
        values = self._take("<f2" if mark == _IS_HALF else "<f4", count)
        self._at = -(-self._at // 4) * 4
        return values.astype(np.float32)

    def _take(self, dtype: str, count: int) -> np.ndarray:
        values = np.frombuffer(self._data, dtype, count, self._at)
        self._at += values.nbytes
        return values


def read_layers(stem: Path) -> list[tuple[np.ndarray, np.ndarray, np.ndarray | None]]:
    """Return kernel [O, 3, 3, I], bias [O] and PReLU's slopes [O] of each convolution."""
    numbers = Weights(stem.with_suffix(".bin"))
    layers: list[tuple[np.ndarray, np.ndarray, np.ndarray | None]] = []
    for line in stem.with_suffix(".param").read_text(encoding="utf-8").splitlines()[2:]:
        kind, *rest = line.split()
        given = dict(word.split("=") for word in rest if "=" in word)
        if kind == "Convolution":
            channels, count = int(given["0"]), int(given["6"])
            kernel = numbers.marked(count).reshape(channels, -1, 3, 3).transpose(0, 2, 3, 1)
            layers.append((kernel, numbers.floats(channels), None))
        elif kind == "PReLU":
            kernel, bias, _ = layers[-1]
            layers[-1] = (kernel, bias, numbers.floats(int(given["0"])))
    return layers


def build(stem: Path) -> ann.Network:
    """Return the network: a picture [1, H, W, 3] of 0 to 1 -> [1, 4 H, 4 W, 3], for any H and W."""
    layers = read_layers(stem)
    # PixelShuffle has the colour before the place in the block, DEPTH_TO_SPACE behind it.
    kernel, bias, _ = layers[-1]
    order = np.arange(bias.size).reshape(3, BLOCK * BLOCK).T.ravel()
    layers[-1] = (kernel[order], bias[order], None)

    def with_shapes(infos: Mapping[str, ann.TensorInfo]) -> ann.Network:
        network = ann.Network("upscale")
        picture = x = network.add_input("picture", infos["picture"])
        for kernel, bias, slopes in layers:
            x = network.add_convolution2d(x, kernel, bias, padding="same")
            if slopes is not None:
                x = network.add_prelu(x, slopes)
        _, height, width, _ = infos["picture"].static_shape
        large = network.add_resize(picture, (height * BLOCK, width * BLOCK))
        details = network.add_depth_to_space(x, BLOCK)
        network.add_output("large", network.add_addition(details, large))
        return network

    free = ann.TensorInfo((1, None, None, 3), dimension_names=(None, "height", "width", None))
    return ann.Network.from_builder(
        "upscale", {"picture": free}, with_shapes, {"large": ann.TensorInfo((1, None, None, 3))}
    )


def upscale(picture: np.ndarray, stem: Path) -> np.ndarray:
    """Return a picture [H, W, 3] of bytes, four times as high and wide."""
    with ann.load(build(stem)) as loaded:
        large = loaded.run(picture[None].astype(np.float32) / 255)["large"][0]
    return (large * 255).round().clip(0, 255).astype(np.uint8)


def main() -> None:
    source, target, *rest = sys.argv[1:]
    stem = Path(*rest or (os.environ["ARMNN_PY_MODELS"], "more", "realesr-animevideov3-x4"))
    with Image.open(source) as picture:
        large = upscale(np.asarray(picture.convert("RGB")), stem)
    Image.fromarray(large).save(target)
    print(f"{target}: {large.shape[1]} x {large.shape[0]}")


if __name__ == "__main__":
    main()
