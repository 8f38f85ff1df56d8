# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A network with a variable, and numbers for it."""

from __future__ import annotations

import numpy as np

import armnn_py as ann

ONE = np.ones(4, np.float32)


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Normally distributed numbers."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def counter(name: str = "counter") -> ann.Network:
    """``before`` is the sum of the inputs before the run, ``after`` with this one's."""
    network = ann.Network(name)
    x = network.add_input("x", ann.TensorInfo((4,)))
    total = network.add_variable("total", ann.TensorInfo((4,)))
    after = network.add_addition(total, x, name="sum")
    network.assign(total, after)
    network.add_output("after", after)
    network.add_output("before", network.add_multiplication(total, np.float32([1, 1, 1, 1])))
    return network
