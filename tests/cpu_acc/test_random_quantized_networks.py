# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random networks of quantised bytes on CpuAcc: the bits of CpuRef."""

from __future__ import annotations

import numpy as np
import pytest

import armnn_py as ann

from .quantized import check_equal, quantized_runtime
from .quantized_networks import QuantizedVision

__all__ = ["quantized_runtime"]


@pytest.mark.parametrize("seed", range(25))
def test_random_networks(quantized_runtime: ann.Runtime, seed: int) -> None:
    vision = QuantizedVision(seed)
    network = vision.make(16)
    rng = np.random.default_rng(seed)
    outputs = check_equal(quantized_runtime, network, rng, **vision.inputs())
    assert any(len(np.unique(value)) > 2 for value in outputs.values())
