# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random networks on CpuAcc against CpuRef."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .networks import check
from .vision import Vision

if TYPE_CHECKING:
    import armnn_py as ann


@pytest.mark.parametrize("seed", range(40))
def test_random_networks(runtime: ann.Runtime, seed: int) -> None:
    check(runtime, Vision(seed).make(24))
