# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random numbers by their definition in numpy: Philox4x32-10, and Box and Muller's transform."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from armnn_py.types import LayerType, RandomDistribution

__all__ = ["NUMBERS", "philox"]

Array = Any
_WORD = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def philox(counter: Sequence[Array], key: Sequence[int]) -> list[Array]:
    """Return four words of 32 bits for four words of counters and two of a key, as uint64."""
    c0, c1, c2, c3 = (np.asarray(word, np.uint64) for word in counter)
    low, high = key
    for _ in range(10):
        first, second = np.uint64(0xD2511F53) * c0, np.uint64(0xCD9E8D57) * c2
        c0, c1, c2, c3 = (
            (second >> _HALF) ^ c1 ^ np.uint64(low),
            second & _WORD,
            (first >> _HALF) ^ c3 ^ np.uint64(high),
            first & _WORD,
        )
        low, high = (low + 0x9E3779B9) % 2**32, (high + 0xBB67AE85) % 2**32
    return [c0, c1, c2, c3]


def _random(s: Any, v: Sequence[Any]) -> list[Array]:
    d = s.descriptor
    seed, run = (int(value) % 2**64 for value in v[1])
    count = v[0].size
    blocks = np.arange(-(-count // 4), dtype=np.uint64)
    zeros = np.zeros_like(blocks)
    counter = [blocks, *(zeros + np.uint64(w) for w in (d.stream, run % 2**32, run >> 32))]
    words = np.stack(philox(counter, (seed % 2**32, seed >> 32)), 1)
    if d.distribution is RandomDistribution.UNIFORM:
        numbers = (words >> np.uint64(8)) / 2.0**24
    else:
        size = np.sqrt(-2 * np.log((words[:, ::2] + 1.0) / 2.0**32))
        angle = words[:, 1::2] * (2 * np.pi / 2.0**32)
        numbers = np.stack([size * np.cos(angle), size * np.sin(angle)], 2)
    return [numbers.reshape(-1)[:count].reshape(v[0].shape).astype(np.float32)]


NUMBERS: dict[LayerType, Callable[[Any, Sequence[Any]], list[Array]]] = {LayerType.RANDOM: _random}
