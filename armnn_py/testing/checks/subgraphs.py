# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sub-graphs: random networks, compiled, cut, saved and not, give what the reference gives."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armnn_py.guard.outcome import CheckFailedError
from armnn_py.optimizer import AS_IT_IS, OptimizedNetwork, OptimizerOptions, optimize
from armnn_py.runtime import Runtime
from armnn_py.testing.oracles.reference import REFERENCE
from armnn_py.testing.outcome import NotApplicableError
from armnn_py.testing.random_networks import random_network
from armnn_py.testing.spreading import largest_difference, random_inputs, scatter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.network import Network
    from armnn_py.testing.target import Target

__all__ = ["TOLERANCE", "check_subgraphs"]

#: Of the largest absolute value of an output; layers behind each other add their errors up.
TOLERANCE = 1e-4


def check_subgraphs(target: Target, seed: int, on_step: Callable[[str], None]) -> None:
    """Run a random network in several ways.

    Raises
    ------
    CheckFailedError
        An output differs, or the same network run again gives something else.
    NotApplicableError
        The backend takes no layer of the network.
    """
    network = random_network(seed)
    inputs = random_inputs(network, seed)
    on_step("the reference")
    with Runtime(enable_dynamic_backends=False, use_environment=False) as runtime:
        plain = optimize(network, [REFERENCE], runtime=runtime, options=AS_IT_IS)
        with runtime.load_network(plain) as loaded:
            expected = {name: array.copy() for name, array in loaded.run(inputs).items()}
    on_step("loading the backend")
    is_tried = False
    with target.runtime(with_others=True) as runtime:
        for way, spread, options in _ways(network, target.id, seed):
            on_step(way)
            both = list(dict.fromkeys([target.id, REFERENCE]))
            placed = optimize(spread, both, runtime=runtime, options=options)
            is_tried = is_tried or target.id in placed.placed.layer_backends
            _compare(runtime, placed, inputs, expected, f"random network {seed}, {way}")
        on_step("saved and loaded")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "network.armnnpy")
            placed.save(path)
            saved = OptimizedNetwork.load(path, runtime=runtime, in_place=False)
        what = f"random network {seed}, {way}, saved and loaded"
        _compare(runtime, saved, inputs, expected, what)
    if not is_tried:
        raise NotApplicableError(f"it takes no layer of random network {seed}")


def _compare(
    runtime: Runtime,
    placed: OptimizedNetwork,
    inputs: dict[str, NDArray[Any]],
    expected: dict[str, NDArray[Any]],
    what: str,
) -> None:
    with runtime.load_network(placed) as loaded:
        for turn in ("first", "second"):
            difference = largest_difference(loaded.run(inputs), expected)
            if not difference <= TOLERANCE:
                raise CheckFailedError(
                    f"{what}: the {turn} run is off by "
                    f"{difference:.1e} of the largest value, {TOLERANCE:.0e} is allowed",
                    **{f"input_{name}": array for name, array in inputs.items()},
                )


def _ways(
    network: Network, backend: str, seed: int
) -> Iterator[tuple[str, Network, OptimizerOptions]]:
    compiled, layers = OptimizerOptions(simplify=False), AS_IT_IS
    yield "every layer that it takes, compiled", network, compiled
    yield "every layer that it takes, one by one", network, layers
    cut = scatter(network, [backend, REFERENCE], seed)
    yield "cut at random, compiled", cut, compiled
    yield "cut at random, one by one", cut, layers
    yield "simplified and compiled", network, OptimizerOptions()
