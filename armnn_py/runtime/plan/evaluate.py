# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Running a network without inputs once: computes constants for the optimiser."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from armnn_py.errors import ArmnnError, ShortageError
from armnn_py.optimizer import AS_IT_IS, optimize
from armnn_py.runtime.contexts.execution_context import ExecutionContext
from armnn_py.runtime.plan.network_plan import UNANNOUNCED, NetworkPlan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from armnn_py.network import Network
    from armnn_py.optimizer.host import Host

__all__ = ["evaluate"]


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
