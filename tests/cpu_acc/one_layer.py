# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks of tensors of any type, run on CpuAcc alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import armnn_py as ann
from armnn_py.types import DataType

from .saving import check_saved

if TYPE_CHECKING:
    from collections.abc import Callable

TYPES = {
    np.dtype(np.float16): DataType.FLOAT16,
    np.dtype(np.float32): DataType.FLOAT32,
    np.dtype(np.float64): DataType.FLOAT64,
    np.dtype(np.bool_): DataType.BOOLEAN,
    np.dtype(np.int32): DataType.SIGNED32,
    np.dtype(np.int64): DataType.SIGNED64,
    np.dtype(np.uint16): DataType.UNSIGNED16,
    np.dtype(np.uint32): DataType.UNSIGNED32,
    np.dtype(np.uint64): DataType.UNSIGNED64,
}


def run(
    runtime: ann.Runtime, inputs: list[np.ndarray], make: Callable[..., Any], **options: Any
) -> np.ndarray:
    """What ``make(network, *slots)`` gives; ``options`` are the optimiser's."""
    network = ann.Network()
    slots = [
        network.add_input(f"x{i}", ann.TensorInfo(x.shape, TYPES[x.dtype])).output
        for i, x in enumerate(inputs)
    ]
    network.add_output("out", make(network, *slots))
    chosen = ann.OptimizerOptions(simplify=False, **options)
    optimized = ann.optimize(network, ["CpuAcc"], runtime=runtime, options=chosen)
    with runtime.load_network(optimized) as net:
        given = {f"x{i}": x for i, x in enumerate(inputs)}
        output = np.array(net.run(given)["out"])
    check_saved(runtime, optimized, given, {"out": output})
    return output


def numbers(seed: int, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Small numbers of a type, negative ones where it has them."""
    low = 0 if np.dtype(dtype).kind in "ub" else -9
    return np.random.default_rng(seed).integers(low, 10, shape).astype(dtype)
