# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Find the joints of a person, and draw them.

    python examples/networks/find_pose.py PICTURE OUTPUT.png [MODEL.tflite]

MODEL (default: more/pose_landmark_lite.tflite in ARMNN_PY_MODELS) is MediaPipe's BlazePose. It
wants the person upright and about as large as the picture.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import armnn_py as ann

SIDE = 256
NAMES = {
    0: "nose", 2: "left eye", 5: "right eye", 7: "left ear", 8: "right ear", 9: "mouth, left",
    10: "mouth, right", 11: "left shoulder", 12: "right shoulder", 13: "left elbow",
    14: "right elbow", 15: "left wrist", 16: "right wrist", 23: "left hip", 24: "right hip",
}  # fmt: skip
BONES = ((11, 12), (11, 13), (13, 15), (12, 14), (14, 16), (11, 23), (12, 24), (23, 24))
SEEN = 0.5


def find_pose(picture: Image.Image, model: Path) -> tuple[float, dict[int, tuple[float, float]]]:
    """Return how likely there is a person, and where the joints are in the picture, x and y."""
    pixels = np.asarray(picture.convert("RGB").resize((SIDE, SIDE)), np.float32) / 255
    with ann.load(model) as loaded:
        outputs = loaded.run({"input_1": pixels[None]})
    rows = outputs["Identity"].reshape(-1, 5)  # x, y, z, visibility and presence before sigmoid
    joints = {
        number: (
            float(rows[number, 0]) * picture.width / SIDE,
            float(rows[number, 1]) * picture.height / SIDE,
        )
        for number in NAMES
        if 1 / (1 + np.exp(-rows[number, 3])) > SEEN
    }
    return float(outputs["Identity_1"][0, 0]), joints


def draw(picture: Image.Image, joints: dict[int, tuple[float, float]]) -> Image.Image:
    """Return the picture with joints and what joins them."""
    drawn = picture.convert("RGB")
    pen = ImageDraw.Draw(drawn)
    width = max(2, picture.width // 150)
    for first, second in BONES:
        if first in joints and second in joints:
            pen.line([joints[first], joints[second]], fill="white", width=width)
    for x, y in joints.values():
        box = [x - 2 * width, y - 2 * width, x + 2 * width, y + 2 * width]
        pen.ellipse(box, fill="red", outline="white")
    return drawn


def main() -> None:
    source, target, *rest = sys.argv[1:]
    model = Path(*rest or (os.environ["ARMNN_PY_MODELS"], "more", "pose_landmark_lite.tflite"))
    with Image.open(source) as picture:
        chance, joints = find_pose(picture, model)
        draw(picture, joints).save(target)
    print(f"a person: {chance:.0%}")
    for number, (x, y) in joints.items():
        print(f"  {NAMES[number]}: {x:.0f}, {y:.0f}")


if __name__ == "__main__":
    main()
