# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends that real networks run on."""

from __future__ import annotations

import pytest

import armnn_py as ann


@pytest.fixture(params=[("CpuRef",), ("CpuAcc", "CpuRef")], ids="+".join)
def backends(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The reference alone, and CpuAcc before it."""
    chosen: tuple[str, ...] = request.param
    with ann.Runtime() as runtime:
        if not set(chosen) <= set(runtime.backends):
            pytest.skip("CpuAcc is not here: an installed package has it, or DYNAMIC_BACKEND_PATHS")
    return chosen
