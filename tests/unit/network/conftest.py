# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Fixtures for tests of networks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from armnn_py.network import Layer, Network
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataType


@pytest.fixture
def network() -> Network:
    return Network("net")


@pytest.fixture
def tensor(network) -> Callable[..., Layer]:
    """Add an input of a shape: ``tensor(2, 3)``."""
    count = iter(range(1000))

    def add(*shape: int, data_type: DataType = DataType.FLOAT32) -> Layer:
        return network.add_input(f"in{next(count)}", TensorInfo(shape, data_type))

    return add
