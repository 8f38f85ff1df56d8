# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Speed: the time of a layer beside the reference's."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from armnn_py.errors import ArmnnError
from armnn_py.optimizer import AS_IT_IS, optimize
from armnn_py.runtime import Runtime
from armnn_py.testing.batches import LARGE
from armnn_py.testing.oracles.reference import REFERENCE
from armnn_py.testing.subject import network_of

if TYPE_CHECKING:
    from armnn_py.testing.cases import Case
    from armnn_py.testing.subject import Subject

__all__ = ["speed_of"]

_ROUNDS = 3


def speed_of(subject: Subject, case: Case) -> float | None:
    """Return how many times as fast as CpuRef a layer runs, with all threads.

    None for a small layer, whose time is that of the call, and where CpuRef does not take it. The
    two run in turns, and of each the shortest run counts.
    """
    if case.most_elements < LARGE or case.is_variant or subject.backend.id == REFERENCE:
        return None
    values = case.values()
    network = network_of(case, values)
    inputs = {name: values[int(name[1:])] for name in network.inputs}
    times = {True: float("inf"), False: float("inf")}
    with Runtime(enable_dynamic_backends=False, use_environment=False) as runtime:
        try:
            placed = optimize(network, [REFERENCE], runtime=runtime, options=AS_IT_IS)
        except ArmnnError:
            return None
        with (
            subject.host.bypassed(),
            subject.load(network) as own,
            runtime.load_network(placed) as reference,
        ):
            own.run(inputs)
            for _ in range(_ROUNDS):
                for is_own, loaded in ((True, own), (False, reference)):
                    begin = time.perf_counter()
                    loaded.run(inputs)
                    times[is_own] = min(times[is_own], time.perf_counter() - begin)
    return float(f"{times[False] / max(times[True], 1e-9):.3g}")
