# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Read the text in a folder of pictures: a detector finds the lines, a recogniser reads them.

    python examples/scale/read_pictures.py PICTURES OUT [MODELS]

OUT gets Parquet files with a row for each line. MODELS (default: open in ARMNN_PY_MODELS) has
ocr_det.onnx and ocr_rec.onnx, both of PP-OCRv4.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from scipy import ndimage

from armnn_py.ray import Predictor

Array = np.ndarray[Any, Any]
Batch = dict[str, Array]

SIDE = 640  # of the square that a picture is fitted into
HEIGHT = 48  # of a line
MEAN, DEVIATION = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])


def objects(values: list[Any]) -> Array:
    """Return a column of objects, also where they are arrays of one shape."""
    column = np.empty(len(values), object)
    column[:] = values
    return column


class Detector(Predictor):
    """Turns rows of pictures into rows of lines: ``path``, ``box``, ``line``."""

    def __init__(self, models: str) -> None:
        super().__init__(Path(models, "ocr_det.onnx"), outputs={"sigmoid_0.tmp_0": "chance"})

    def __call__(self, batch: Batch) -> Batch:
        """Read the columns ``path`` and ``bytes``."""
        pictures = [Image.open(io.BytesIO(data)).convert("RGB") for data in batch["bytes"]]
        inputs = np.stack([self._fitted(picture) for picture in pictures])
        rows = [
            (path, np.int32(box), self._cut_out(picture, box))
            for path, picture, chance in zip(
                batch["path"], pictures, super().__call__({"x": inputs})["chance"], strict=True
            )
            for box in boxes(chance[0], max(picture.size) / SIDE)
        ]
        paths, places, lines = zip(*rows, strict=True) if rows else ((), (), ())
        return {
            "path": np.array(paths, object),
            "box": np.reshape(np.int32(places), (-1, 4)),
            "line": objects(list(lines)),
        }

    @staticmethod
    def _fitted(picture: Image.Image) -> Array:
        """Return a picture (3, SIDE, SIDE) in blue, green, red."""
        scale = SIDE / max(picture.size)
        width, height = (max(1, round(side * scale)) for side in picture.size)
        pixels = np.asarray(picture.resize((width, height)), np.float32)[..., ::-1] / 255
        fitted = np.zeros((SIDE, SIDE, 3), np.float32)
        fitted[:height, :width] = (pixels - MEAN) / DEVIATION
        return fitted.transpose(2, 0, 1)

    @staticmethod
    def _cut_out(picture: Image.Image, box: list[int]) -> Array:
        left, top, right, bottom = box
        width = max(1, round(HEIGHT * (right - left) / (bottom - top)))
        return np.asarray(picture.crop((left, top, right, bottom)).resize((width, HEIGHT)))


def boxes(chance: Array, scale: float) -> Iterator[list[int]]:
    """Yield left, top, right and bottom of each line, by the chance that a pixel is text."""
    labels, _ = ndimage.label(chance > 0.3)
    for number, (rows, columns) in enumerate(ndimage.find_objects(labels), 1):
        width, height = columns.stop - columns.start, rows.stop - rows.start
        inside = chance[rows, columns][labels[rows, columns] == number]
        if min(width, height) < 3 or inside.mean() < 0.6:
            continue
        more = 0.75 * width * height / (width + height)  # the network shrinks lines by this much
        edges = columns.start - more, rows.start - more, columns.stop + more, rows.stop + more
        yield [max(0, round(edge * scale)) for edge in edges]


class Recogniser(Predictor):
    """Turns rows of lines into rows of text: ``path``, ``box``, ``text``, ``confidence``."""

    def __init__(self, models: str) -> None:
        super().__init__(Path(models, "ocr_rec.onnx"), outputs={"softmax_11.tmp_0": "chances"})
        letters = self.network.metadata.properties["character"].split("\n")
        self._letters = ["", *letters, " "]

    def __call__(self, batch: Batch) -> Batch:
        """Read the columns ``path``, ``box`` and ``line``; lines of one batch are padded alike."""
        widest = max(line.shape[1] for line in batch["line"])
        inputs = np.zeros((len(batch["line"]), 3, HEIGHT, -(-widest // 64) * 64), np.float32)
        for row, line in zip(inputs, batch["line"], strict=True):
            row[..., : line.shape[1]] = line[..., ::-1].transpose(2, 0, 1) / 127.5 - 1
        texts, confidences = [], []
        for chances in super().__call__({"x": inputs})["chances"]:
            best = chances.argmax(1)
            is_new = (best != 0) & (best != np.append(0, best[:-1]))
            texts.append("".join(self._letters[number] for number in best[is_new]))
            confidences.append(chances.max(1)[is_new].mean() if is_new.any() else 0.0)
        return {
            "path": batch["path"],
            "box": batch["box"],
            "text": np.array(texts, object),
            "confidence": np.float32(confidences),
        }


def main() -> None:
    import ray

    pictures, out, *rest = sys.argv[1:]
    models = str(Path(*rest or (os.environ["ARMNN_PY_MODELS"], "open")).resolve())
    # One thread each; two processors have room for both, and for the tasks that read and write.
    given = {"fn_constructor_kwargs": {"models": models}, "num_cpus": 0.5}
    found = (
        ray.data.read_binary_files(pictures, include_paths=True)
        .map_batches(Detector, **given, batch_size=2, concurrency=1)
        .map_batches(Recogniser, **given, batch_size=16, concurrency=1)
    )
    found.write_parquet(out)


if __name__ == "__main__":
    main()
