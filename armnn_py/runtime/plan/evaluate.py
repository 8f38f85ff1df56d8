# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Runs of small networks for the optimiser: constants are computed, backends are timed."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.errors import ArmnnError, ShortageError
from armnn_py.optimizer import AS_IT_IS, optimize
from armnn_py.optimizer.host import UnsteadySeconds
from armnn_py.runtime.contexts.execution_context import ExecutionContext
from armnn_py.runtime.plan.network_plan import UNANNOUNCED, NetworkPlan
from armnn_py.tensors.shapes import parse_static_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from armnn_py.network import Network
    from armnn_py.optimizer import OptimizerOptions
    from armnn_py.optimizer.host import Host


def evaluate(network: Network, runtime: Host) -> Mapping[str, NDArray[Any]] | None:
    """Compute the outputs of a network without inputs; backends get no notice of a network.

    Returns
    -------
    dict or None
        Arrays by name; None if the reference backend is not loaded or does not run the network.
    """
    reference = runtime.backends.reference  # whatever backends run the network's other layers
    if reference is None:
        return None
    try:
        optimized = optimize(network, [reference.id], runtime=runtime, options=AS_IT_IS)
        with contextlib.ExitStack() as stack:
            plan = NetworkPlan(optimized, UNANNOUNCED)
            stack.callback(plan.destroy)
            context = ExecutionContext(plan)
            stack.callback(context.destroy)
            return context.run([], None)
    except ShortageError:
        raise
    except ArmnnError:
        return None  # the layers stay; the error comes when they run


_BUDGET = 0.02  # seconds for the runs of one network
_LONGEST_BUDGET = 0.2  # if its times are unsteady
_FEWEST, _MOST = 3, 100
#: The least of so many times must be near the least one, by this factor, or they are unsteady.
_AGREEING, _NEAR = 3, 1.1


def time_network(
    network: Network, backends: Sequence[str], runtime: Host, options: OptimizerOptions
) -> float | None:
    """Time runs of a network after a warm-up run; backends get no notice of a network.

    Inputs are ones: they do not underflow, and as indices are valid for two entries or more.

    Returns
    -------
    float or None
        Least seconds of a run: other load on the machine only adds to them. `UnsteadySeconds` if
        hardly any other run came near that: then even the least one may have been disturbed. None
        if the network finds no backends or does not run.
    """
    try:
        optimized = optimize(network, backends, runtime=runtime, options=options)
        with contextlib.ExitStack() as stack:
            plan = NetworkPlan(optimized, UNANNOUNCED)
            stack.callback(plan.destroy)
            context = ExecutionContext(plan)
            stack.callback(context.destroy)
            arrays = [
                np.ones(parse_static_shape(info.shape), info.data_type.numpy)
                for info in optimized.inputs.values()
            ]
            out = context.run(arrays, None)
            return least_time_of(lambda: context.run(arrays, out))
    except ShortageError:
        raise
    except ArmnnError:
        return None  # the error comes when the whole network runs


def least_time_of(run: Callable[[], object]) -> float:
    """Least seconds of repeated runs; `UnsteadySeconds` if few of them agree on it."""
    times: list[float] = []
    begin = now = time.perf_counter()

    def is_enough() -> bool:
        if len(times) < _FEWEST:
            return False
        if len(times) < _MOST and now - begin < _BUDGET:
            return False
        return _are_steady(times) or now - begin >= _LONGEST_BUDGET

    while not is_enough():
        start = time.perf_counter()
        run()
        now = time.perf_counter()
        times.append(now - start)
    return min(times) if _are_steady(times) else UnsteadySeconds(min(times))


def _are_steady(times: Sequence[float]) -> bool:
    return sorted(times)[_AGREEING - 1] <= _NEAR * min(times)
