# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks spread over backends at random, and how far their outputs are from the reference's."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.network.layer import working_layers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from armnn_py.network import Network


def largest_difference(
    outputs: Mapping[str, NDArray[Any]], expected: Mapping[str, NDArray[Any]]
) -> float:
    """Largest difference, relative to the largest absolute value of each output."""
    worst = 0.0
    for name, value in expected.items():
        largest = float(np.abs(value).max()) or 1.0
        difference = float(np.abs(outputs[name].astype(np.float64) - value).max())
        worst = max(worst, difference / largest if np.isfinite(difference) else np.inf)
    return worst


def random_inputs(network: Network, seed: int = 0) -> dict[str, NDArray[Any]]:
    """Inputs for a network without free dimensions."""
    rng = np.random.default_rng(seed)
    return {
        name: rng.uniform(-1, 1, info.static_shape).astype(info.dtype)
        for name, info in network.inputs.items()
    }


def scatter(network: Network, backends: Sequence[str], seed: int) -> Network:
    """A copy whose layers ask for backends drawn at random; who refuses is not asked again."""
    rng = random.Random(seed)
    copy = network.copy()
    for layer in working_layers(copy.layers):
        layer.backend_hint = rng.choice(backends)
    return copy
