# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""FAKE_QUANTIZATION: TensorFlow's definition in numpy; LiteRT is beside the importer's tests."""

from __future__ import annotations

import numpy as np
import pytest

from armnn_py._native import abi

from .harness import Layers, descriptor
from .tensors import values

LAYER = abi.ARMNN_LAYER_FAKE_QUANTIZATION


def run(cpu_ref: Layers, x: np.ndarray, least: float, most: float) -> np.ndarray:
    form = descriptor(abi.armnn_fake_quantization_descriptor_t, LAYER, min=least, max=most)
    (out,) = cpu_ref.run(LAYER, form, [x], [(x.shape, x.dtype)])
    return out


@pytest.mark.parametrize(
    ("least", "most"), [(-6.0, 6.0), (0.0, 1.0), (-1.0, 2.5), (-4.0, -1.0), (0.5, 3.0)]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_every_value_is_a_step(
    cpu_ref: Layers, dtype: type[np.floating], least: float, most: float
) -> None:
    x = np.linspace(-8, 8, 5001).astype(dtype)
    step = (most - least) / 255
    zero = np.clip(np.floor(-least / step + 0.5), 0, 255)
    level = np.clip(np.floor(x.astype(np.float64) / step + zero + 0.5), 0, 255)
    found = run(cpu_ref, x, least, most).astype(np.float64)
    # Where a value lies halfway between two steps the rounding of a division decides.
    off = np.abs(found - (level - zero) * step)
    halfway = np.abs(x.astype(np.float64) / step % 1 - 0.5) < 1e-3
    assert off[~halfway].max() < (1e-5 if dtype == np.float32 else 4e-3)
    assert off.max() < step * 1.01 + 4e-3


def test_zero_and_special_values(cpu_ref: Layers) -> None:
    x = np.array([0, np.inf, -np.inf, np.nan], np.float32)
    found = run(cpu_ref, x, -1.0, 2.0)
    assert found[0] == 0
    np.testing.assert_allclose(found[1:3], [2.0, -1.0], atol=3 / 255)
    assert np.isnan(found[3])


def test_in_parallel(cpu_ref: Layers) -> None:
    x = values((300, 400), np.float32)
    found = run(cpu_ref, x, -6.0, 6.0)
    assert np.abs(found - np.clip(x, -6, 6)).max() <= 6 / 255 + 1e-5
