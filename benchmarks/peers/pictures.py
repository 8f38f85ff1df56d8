# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Inputs that mean something to real networks: lines of strokes on a page.

On noise a detector of text answers numbers near nothing, and a comparison of outputs relative to
the largest of them says nothing.
"""

from __future__ import annotations

import numpy as np

_CHANNELS = 3


def page(shape: list[int], seed: int = 1) -> np.ndarray:
    """Return a picture of the shape [n, 3, h, w] or [n, h, w, 3], values from -2 to 2."""
    channels_first = shape[1] == _CHANNELS
    height, width = shape[2:] if channels_first else shape[1:3]
    random = np.random.default_rng(seed)
    picture = np.ones((height, width), np.float32)
    size = max(height // 24, 16)  # of a line
    stroke = max(2, size // 8)
    for top in range(size // 2, height - size, 2 * size):
        for left in range(size // 2, width - size, 3 * size // 4):
            if random.random() < 0.15:
                continue  # between two words
            for _ in range(4):
                row = top + random.integers(0, size - stroke)
                column = left + random.integers(0, max(size // 2 - stroke, 1))
                if random.random() < 0.5:
                    picture[top : top + size, column : column + stroke] = 0.1
                else:
                    picture[row : row + stroke, left : left + size // 2] = 0.1
    picture = (picture - 0.5) / 0.25
    spread = picture[None, None] if channels_first else picture[None, :, :, None]
    return np.ascontiguousarray(np.broadcast_to(spread, shape))
