# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""RANDOM against the published words of Philox4x32-10, and against the definition in numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.testing.oracles.independent import philox

from .harness import Layers, descriptor

RANDOM = abi.ARMNN_LAYER_RANDOM


def numbers(cpu_ref: Layers, count: int, seed: int, run: int, *, stream: int = 0,
            normal: bool = False) -> np.ndarray:  # fmt: skip
    form = descriptor(
        abi.armnn_random_descriptor_t, RANDOM, distribution=int(normal), stream=stream
    )
    x = np.full(count, np.nan, np.float32)  # its values are not looked at
    (found,) = cpu_ref.run(RANDOM, form, [x, np.int64([seed, run])], [(x.shape, np.float32)])
    return found


def test_published_words() -> None:
    """The known answers of Random123, kat_vectors."""
    ones = 0xFFFFFFFF
    digits = [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344]
    for counter, key, words in (
        ([0] * 4, (0, 0), [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([ones] * 4, (ones, ones), [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        (digits, (0xA4093822, 0x299F31D0), [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]),
    ):
        assert [int(word) for word in philox(counter, key)] == words


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 1001])
@pytest.mark.parametrize("stream", [0, 2**32 - 1])
@pytest.mark.parametrize(("seed", "run"), [(0, 0), (2**62 + 5, 2**40 + 3), (-1, -1)])
def test_numbers_of_a_counter(
    cpu_ref: Layers, count: int, stream: int, seed: int, run: int
) -> None:
    blocks = np.arange(-(-count // 4))
    low, high = seed % 2**32, seed % 2**64 >> 32
    counter = [np.full(len(blocks), w) for w in (stream, run % 2**32, run % 2**64 >> 32)]
    words = np.stack(philox([blocks, *counter], (low, high)), 1).reshape(-1)[:count]
    found = numbers(cpu_ref, count, seed, run, stream=stream)
    np.testing.assert_array_equal(found, (words >> np.uint64(8)) / 2.0**24)


def kolmogorov(values: np.ndarray, distribution: np.ndarray) -> float:
    """The distance of sorted numbers from a distribution, times the root of their count."""
    count = len(values)
    steps = np.arange(count + 1) / count
    distance = max((steps[1:] - distribution).max(), (distribution - steps[:-1]).max())
    return float(distance * math.sqrt(count))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("normal", [False, True])
def test_distributions(cpu_ref: Layers, seed: int, normal: bool) -> None:
    """Moments within 5 standard errors; Kolmogorov's distance is above 1.95 once in 1,000."""
    count = 100_000
    found = numbers(cpu_ref, count, seed, 1, normal=normal).astype(np.float64)
    mean, variance, fourth = (0, 1, 3) if normal else (0.5, 1 / 12, 1 / 80)
    error = 5 / math.sqrt(count)
    centred = found - mean
    assert abs(centred.mean()) < error * math.sqrt(variance)
    assert abs((centred**2).mean() - variance) < error * math.sqrt(fourth - variance**2)
    assert abs(np.corrcoef(found[1:], found[:-1])[0, 1]) < error
    ordered = np.sort(found)
    erf = np.array([math.erf(value / math.sqrt(2)) for value in ordered]) if normal else None
    assert kolmogorov(ordered, ordered if erf is None else (1 + erf) / 2) < 1.95


def test_runs_and_streams_are_independent(cpu_ref: Layers) -> None:
    samples = [
        numbers(cpu_ref, 10_000, seed, run, stream=stream, normal=True)
        for seed, run, stream in ((1, 0, 0), (1, 1, 0), (1, 0, 1), (2, 0, 0), (2**32, 0, 0))
    ]
    found = np.corrcoef(samples) - np.eye(len(samples))
    assert np.abs(found).max() < 0.05
