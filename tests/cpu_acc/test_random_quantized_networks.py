# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random networks of quantised numbers on CpuAcc: the bits of CpuRef.

``ARMNN_TEST_RANDOM_NETWORKS`` says how many, for longer runs with ``--exhaustive``: ``-k avx2-1``
chooses the instruction set and the number of threads.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.types import Rescaling

from .products import W16
from .quantized import check_equal, quantized_runtime, rescaled
from .quantized_networks import QuantizedVision

__all__ = ["quantized_runtime"]


_FEW = 36
_NETWORKS = int(os.environ.get("ARMNN_TEST_RANDOM_NETWORKS", _FEW))


@pytest.mark.parametrize("data_type", [None, W16], ids=["8 bits", "16 bits"])
@pytest.mark.parametrize("seed", range(_NETWORKS))
def test_random_networks(
    quantized_runtime: ann.Runtime, seed: int, data_type: ann.DataType | None
) -> None:
    vision = QuantizedVision(seed, data_type)
    network = rescaled(vision.make(16), Rescaling(seed % len(Rescaling)))
    rng = np.random.default_rng(seed)
    outputs = check_equal(quantized_runtime, network, rng, **vision.inputs())
    if seed < _FEW:  # of many others one in 600 ends in saturated numbers alone
        assert any(len(np.unique(value)) > 2 for value in outputs.values())
