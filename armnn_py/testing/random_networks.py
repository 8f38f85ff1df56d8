# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random networks over many layer types, with the patterns in them that passes look for.

A seed gives the same network on every machine. Values stay small, and nothing jumps (a comparison,
a rounding) where a rewriting may change the last bit, so that outputs may be compared closely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import armnn_py as ann
from armnn_py.testing.random_layers import RULES
from armnn_py.testing.random_layers.growth import Growth

if TYPE_CHECKING:
    from numpy.typing import NDArray


def random_inputs(network: ann.Network, seed: int) -> dict[str, NDArray[np.float32]]:
    """Return values for every input."""
    random = np.random.default_rng((seed, 1))
    return {
        name: random.normal(size=info.static_shape).astype(np.float32)
        for name, info in network.inputs.items()
    }


def random_network(seed: int, layers: int = 70) -> ann.Network:
    """Return a network of about so many layers, all of them float32.

    It grows, then some of its tensors become outputs.
    """
    grow = Growth(seed)
    network, random = grow.network, grow.random
    for index, shape in enumerate([(1, 6, 5, 4), (2, 4, 1, 3), (3, 4), (4,)]):
        grow.pool.append(network.add_input(f"x{index}", ann.TensorInfo(shape)).output)
    while len(network.layers) < layers:
        rule = RULES[random.integers(len(RULES))]
        rule(grow, grow.pick())
    unread = [
        slot
        for layer in network.layers
        for slot in layer.outputs
        if not slot.consumers and layer.type is not ann.LayerType.CONSTANT
    ]
    kept = [slot for slot in unread if random.random() < 0.8] or unread[-1:]
    kept += [grow.pick(), grow.pick()]  # some that are read as well, perhaps an input
    for index, slot in enumerate(kept):
        network.add_output(f"y{index}", slot)
    return network
