# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks as files in the saved form, with their layers as they are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.network import ConstantLayer, Network
from armnn_py.network.forms import flatten, restore
from armnn_py.optimizer.optimize import optimize
from armnn_py.optimizer.options import AS_IT_IS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.runtime.runtime import Runtime

_FEWEST = 64


def save_plainly(network: Network, runtime: Runtime, path: str | os.PathLike[str]) -> None:
    """Write a network as it is: nothing is simplified or compiled.

    Raises
    ------
    InvalidArgumentError
        The file cannot be written.
    """
    reference = runtime.backends.reference
    backends = None if reference is None else [reference.id]
    optimized = optimize(network, backends, runtime=runtime, options=AS_IT_IS)
    optimized.save(path, keep_subgraphs=False)


def without_weights(network: Network) -> Network:
    """Return a network with random numbers for its weights, which tell nothing of a training.

    Floats and quantised elements of constants with 64 elements or more are replaced. Those that
    came from one distribution keep its mean and spread, so that the layers compute similar values.
    """
    made = Network(network.name)
    made._metadata = network._metadata
    generator = np.random.default_rng(0)
    flat = flatten(network)
    for number, layer in enumerate(network.layers):
        if isinstance(layer, ConstantLayer) and _is_weight(layer):
            flat[number] = flat[number]._replace(value=random_like(layer.value, generator))
    restore(made, flat)
    return made


def _is_weight(layer: ConstantLayer) -> bool:
    info = layer.outputs[0].info
    kind = info.data_type
    return layer.value.size >= _FEWEST and (kind.is_float or info.quantization is not None)


def random_like(value: NDArray[Any], generator: np.random.Generator | None = None) -> NDArray[Any]:
    """Return random numbers of the mean and spread of an array; integers are mixed up."""
    generator = generator or np.random.default_rng(0)
    if value.dtype.kind == "f":
        real = value.astype(np.float64)
        found = generator.normal(real.mean(), real.std(), value.shape).astype(value.dtype)
    elif value.dtype.kind in "iu":
        found = generator.permutation(value.reshape(-1)).reshape(value.shape)
    else:
        found = np.zeros_like(value)
    if value.dtype.kind == "f" and (value > 0).all():  # variances stay above 0
        found = np.abs(found) + np.finfo(value.dtype).tiny
    found = np.ascontiguousarray(found)
    found.flags.writeable = False
    return found
