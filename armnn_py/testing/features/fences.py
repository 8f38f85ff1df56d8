# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Fences: a queue begins when it may, and says that it is done when it is."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native import abi
from armnn_py._native.table.fence_gate import FenceGate
from armnn_py.errors import ArmnnError, ExecutionTimeoutError
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.optimizer import optimize
from armnn_py.runtime.arrays.external_memory import ExternalMemory
from armnn_py.testing.features.lives import loadables
from armnn_py.testing.outcome import NotApplicableError
from armnn_py.testing.subject import AS_GIVEN

if TYPE_CHECKING:
    from armnn_py.runtime import LoadedNetwork
    from armnn_py.testing.cases import Case
    from armnn_py.testing.target import Target

_LEAST, _TIMES = 0.05, 20  # seconds that a run must wait, or so many times its own time
_SIGNALLED = 5.0  # seconds that the descriptor of a signalled fence may take
_STOPPED = 0.05  # seconds, after which a run is stopped

Arrays = dict[str, Any]


def check_fences(
    target: Target, seed: int, taken: Sequence[Case], on_step: Callable[[str], None]
) -> None:
    """Let runs wait for a fence, for memory that is not ready, and for a fence that fails.

    Raises
    ------
    CheckFailedError
        A layer runs, or a run ends, before it may.
    NotApplicableError
        The queues of the backend wait for no fences.
    """
    with target.runtime() as runtime, ThreadPoolExecutor(1) as pool:
        context = runtime.backends[target.id].context
        if context is None or not context.takes_fences:
            raise NotApplicableError("its queues wait for no fences")
        layer = next(loadables(taken))
        placed = optimize(layer.network, [target.id], runtime=runtime, options=AS_GIVEN)
        gate = FenceGate(context)
        gate.open()
        with contextlib.ExitStack() as stack:
            stack.callback(gate.remove)
            loaded = stack.enter_context(runtime.load_network(placed))
            stack.callback(gate.open)
            waiting = _Waiting(loaded, layer.inputs, pool, on_step)
            if gate.is_refused:
                raise NotApplicableError("wait_fence refuses the fences of others")
            for gate.flushes in (False, True):
                end = "after_enqueue_workload" if gate.flushes else "the fence of signal_fence"
                waiting.clear()
                gate.shut()
                waiting.check(f"a run that ends with {end}", gate.open, {})
            if gate.is_early or not gate.descriptors_end(_SIGNALLED):
                when = "can be read before" if gate.is_early else "cannot be read when"
                raise CheckFailedError(f"the descriptor of a fence {when} its work has ended")
            gate.shut()
            on_step("a run is stopped while its queue waits for a fence")
            with contextlib.suppress(ExecutionTimeoutError):
                loaded.run(layer.inputs, timeout=_STOPPED)
            gate.open()
            waiting.compare("after a run that was stopped")
            on_step("a fence that fails")
            gate.status = abi.ARMNN_STATUS_INTERNAL
            with contextlib.suppress(ArmnnError):
                loaded.run(layer.inputs)
                raise CheckFailedError(
                    "its queue waits for a fence that fails, and the run does not"
                )
            gate.status = abi.ARMNN_STATUS_OK
            waiting.compare("after a run whose fence failed")
            gate.is_over = True
            waiting.compare("after a run that waited for a fence,")
        if gate.late:
            raise CheckFailedError("a fence is used when its runs have ended")
        with runtime.load_network(placed) as loaded:
            _check_memory(_Waiting(loaded, layer.inputs, pool, on_step))


class _Waiting:
    """A network whose runs have to wait."""

    def __init__(
        self,
        loaded: LoadedNetwork,
        inputs: Arrays,
        pool: ThreadPoolExecutor,
        on_step: Callable[[str], None],
    ) -> None:
        self._loaded, self._pool, self._on_step = loaded, pool, on_step
        self.inputs, self._expected = inputs, self._run(inputs)
        begin = time.monotonic()
        self.clear()
        self._patience = max(_LEAST, _TIMES * (time.monotonic() - begin))

    def _run(self, inputs: Arrays) -> Arrays:
        return {name: np.array(array) for name, array in self._loaded.run(inputs).items()}

    def clear(self) -> None:
        """Leave other results in the outputs."""
        self._run({name: np.zeros_like(array) for name, array in self.inputs.items()})

    def check(self, what: str, ready: Callable[[], None], other: Arrays) -> None:
        """Run, with ``other`` inputs in their places; it must not end before ``ready``."""
        self._on_step(f"{what} waits")
        run: Future[Arrays] = self._pool.submit(self._run, {**self.inputs, **other})
        with contextlib.suppress(TimeoutError):
            run.result(self._patience)
            raise CheckFailedError(
                f"{what} ends while a fence before it is not signalled: its layers do not wait, or "
                "their end comes too early"
            )
        ready()
        self._on_step(f"{what} goes on")
        if not self._is_right(run.result()):
            raise CheckFailedError(f"{what} gives other numbers when it has waited for a fence")

    def compare(self, what: str) -> None:
        """Want the results of a run to be right."""
        if not self._is_right(self._run(self.inputs)):
            raise CheckFailedError(f"{what} a run gives other numbers")

    def _is_right(self, found: Arrays) -> bool:
        return all(
            found[name].tobytes() == array.tobytes() for name, array in self._expected.items()
        )


def _check_memory(waiting: _Waiting) -> None:
    """Let inputs lie in memory that becomes ready while the run waits."""
    with contextlib.ExitStack() as stack:
        event, frames = os.eventfd(0), {}
        stack.callback(os.close, event)
        writes = []
        for name, array in waiting.inputs.items():
            descriptor = os.memfd_create(name)
            stack.callback(os.close, descriptor)
            os.ftruncate(descriptor, array.nbytes)
            frames[name] = stack.enter_context(ExternalMemory(descriptor, ready=event))
            writes.append((descriptor, array.tobytes()))

        def make_ready() -> None:
            for descriptor, data in writes:
                os.pwrite(descriptor, data, 0)
            os.eventfd_write(event, 1)

        waiting.clear()
        waiting.check("a run with memory of others", make_ready, frames)
