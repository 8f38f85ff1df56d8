# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Timing a small network, for the optimiser to choose the fastest backend."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

import numpy as np

from armnn_py.errors import ArmnnError
from armnn_py.optimizer.optimize import optimize
from armnn_py.runtime.execution_context import ExecutionContext
from armnn_py.runtime.network_plan import UNANNOUNCED, NetworkPlan
from armnn_py.tensors.info import parse_static_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.network import Network
    from armnn_py.optimizer import OptimizerOptions
    from armnn_py.optimizer.host import Host

__all__ = ["time_network"]

_BUDGET = 0.02  # seconds for the runs of one network
_FEWEST, _MOST = 3, 100


def time_network(
    network: Network, backends: Sequence[str], runtime: Host, options: OptimizerOptions
) -> float | None:
    """Time runs of a network after a warm-up run; backends get no notice of a network.

    Inputs are ones: they do not underflow, and as indices are valid for two entries or more.

    Returns
    -------
    float or None
        Least seconds of a run: other load on the machine only adds to them. None if the network
        finds no backends or does not run.
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
            times: list[float] = []
            end = time.perf_counter() + _BUDGET
            while len(times) < _FEWEST or (len(times) < _MOST and time.perf_counter() < end):
                start = time.perf_counter()
                context.run(arrays, out)
                times.append(time.perf_counter() - start)
            return min(times)
    except ArmnnError:
        return None  # the error comes when the whole network runs
