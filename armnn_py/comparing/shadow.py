# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shadow mode: a share of the runs of a loaded network is repeated on a reference."""

from __future__ import annotations

import contextlib
import os
import queue
import random
import threading
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.comparing.differences import Difference, difference
from armnn_py.comparing.sides import BackendSide
from armnn_py.comparing.tensors import Tensors, place_of, scaled_by
from armnn_py.errors import ArmnnError, InvalidArgumentError
from armnn_py.later import public_class
from armnn_py.network.specialized import specialized
from armnn_py.runtime.events import ShadowEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from armnn_py.network import Network
    from armnn_py.runtime.loaded_network import LoadedNetwork
    from armnn_py.runtime.runtime import Runtime

_Run = tuple[dict[str, Any], dict[str, Any]]
_MOST_SHAPES = 8
_NICER = 10


@public_class
@dataclass(frozen=True, slots=True)
class Shadow:
    """Compares a share of the runs of a network in the background; an argument of `load`.

    Attributes
    ----------
    backend
        Id of the backend that is right. It computes the layers one by one, as the model has them.
    share
        Share of the runs that are compared, from 0 to 1; which ones is random.
    queue
        How many runs wait for their comparison at most. If as many wait, a run is dropped and
        counted.
    factor
        Multiplies the tolerances of `compare`.

    Raises
    ------
    InvalidArgumentError
        A value is out of its range.
    """

    backend: str = "CpuRef"
    share: float = 0.01
    queue: int = 4
    factor: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise InvalidArgumentError(f"Shadow: share {self.share} given, 0 to 1 expected")
        if self.queue < 1:
            raise InvalidArgumentError(f"Shadow: queue {self.queue} given, 1 or more expected")

    def follow(self, loaded: LoadedNetwork, network: Network, runtime: Runtime) -> ShadowRuns:
        """Return what compares the runs of a loaded network; `load` calls it."""
        if network.variable_layers:
            raise InvalidArgumentError(
                f"shadow: network '{network.name}' has variables, which each run changes; a "
                "network without variables expected"
            )
        runtime.backends.present([self.backend], asked_by="the shadow")
        return ShadowRuns(self, loaded, network, runtime)


@public_class
@dataclass(frozen=True, slots=True)
class ShadowReport:
    """The counts of a shadow.

    Attributes
    ----------
    runs
        Runs of the network.
    compared
        Runs whose outputs were compared.
    differing
        Compared runs with an output beyond the tolerance.
    dropped
        Runs that were chosen while the queue was full.
    failed
        Runs that the reference did not repeat.
    worst
        The largest errors of each output.
    """

    runs: int
    compared: int
    differing: int
    dropped: int
    failed: int
    worst: dict[str, Difference]

    def __str__(self) -> str:
        return (
            f"{self.compared} of {self.runs} runs compared, {self.differing} beyond the "
            f"tolerance, {self.dropped} dropped, {self.failed} failed"
        )


@public_class
class ShadowRuns:
    """Takes runs of one network and compares them on a thread of its own."""

    def __init__(
        self, given: Shadow, loaded: LoadedNetwork, network: Network, runtime: Runtime
    ) -> None:
        self._given, self._network, self._runtime = given, network, runtime
        self._binder = loaded._binder
        self._subject = ", ".join(loaded.assignment.counts)
        self._counts: Counter[str] = Counter()
        self._worst: dict[str, Difference] = {}
        self._queue: queue.Queue[_Run | None] = queue.Queue(given.queue)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._known: dict[tuple[Any, ...], Callable[[_Run], dict[str, Difference]]] = {}
        self._is_open = True

    def note(self, inputs: Any, outputs: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Choose whether a run is compared, and copy its arrays; return ``outputs``."""
        is_chosen = random.random() < self._given.share
        with self._lock:
            self._counts["runs"] += 1
            if not is_chosen or not self._is_open:
                return outputs
            if self._queue.full():
                self._counts["dropped"] += 1
                return outputs
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="shadow", daemon=True)
                self._thread.start()
        values = zip(self._binder.inputs, self._binder.bind(inputs), strict=True)
        copies = ({name: np.array(value) for name, value in values},
                  {name: np.array(value) for name, value in outputs.items()})  # fmt: skip
        try:
            self._queue.put_nowait(copies)
        except queue.Full:  # another thread was faster
            with self._lock:
                self._counts["dropped"] += 1
        return outputs

    @property
    def report(self) -> ShadowReport:
        """The counts up to now."""
        with self._lock:
            names = ("runs", "compared", "differing", "dropped", "failed")
            counts = {name: self._counts[name] for name in names}
            return ShadowReport(**counts, worst=dict(self._worst))

    def wait(self) -> ShadowReport:
        """Wait until all chosen runs are compared; return the counts."""
        self._queue.join()
        return self.report

    def close(self) -> None:
        """Drop the runs that wait, and end the thread after its comparison."""
        with self._lock:
            self._is_open, thread = False, self._thread
        with contextlib.suppress(queue.Empty):
            while True:
                self._queue.get_nowait()
                self._queue.task_done()
        if thread is not None and thread is not threading.current_thread():
            self._queue.put(None)
            thread.join()

    def _work(self) -> None:
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICER)
        while (run := self._queue.get()) is not None:
            try:
                self._compare(run)
            finally:
                self._queue.task_done()
        self._queue.task_done()

    def _compare(self, run: _Run) -> None:
        shapes = tuple(array.shape for array in run[0].values())
        try:
            if shapes not in self._known:
                if len(self._known) >= _MOST_SHAPES:
                    del self._known[next(iter(self._known))]
                self._known[shapes] = self._comparer(run[0])
            found = self._known[shapes](run)
        except (ArmnnError, MemoryError) as error:
            self._count("failed", "unchecked", f"the reference does not run: {error}")
            return
        with self._lock:
            self._counts["compared"] += 1
            for name, one in found.items():
                known = self._worst.get(name)
                self._worst[name] = one if known is None else Difference.largest([known, one])
        wrong = {name: one for name, one in found.items() if not one.passed}
        if wrong:
            name, one = max(wrong.items(), key=lambda item: item[1].beyond)
            self._count("differing", "differs", f"output '{name}': {one.worst}")

    def _count(self, counter: str, kind: Any, reason: str) -> None:
        """Count, and make an event of the first, second, fourth, eighth time and so on."""
        with self._lock:
            self._counts[counter] += 1
            count = self._counts[counter]
        if count & (count - 1) == 0:
            name, reference = self._network.name, self._given.backend
            event = ShadowEvent(kind, self._subject, name, reference, reason, count)
            self._runtime.events.add(event)

    def _comparer(self, inputs: dict[str, Any]) -> Callable[[_Run], dict[str, Difference]]:
        """Return the comparison for inputs of these shapes, with a loaded reference."""
        network = self._network
        if network.is_dynamic:
            shapes = {name: array.shape for name, array in inputs.items()}
            network = specialized(network, shapes, inputs)
        slots = [layer.inputs[0] for layer in network.output_layers]
        gathered = Tensors(network).accumulated([slot for slot in slots if slot is not None])
        allowed = {
            name: scaled_by(gathered[place_of(slot)], self._given.factor)
            for name, slot in zip(network.outputs, slots, strict=True)
            if slot is not None
        }
        infos = network.outputs
        side = BackendSide(network, [self._given.backend], self._runtime)
        reference = side.load(network, threads=1)

        def compare(run: _Run) -> dict[str, Difference]:
            expected = reference.run(run[0])
            return {
                name: difference(found, expected[name], infos[name], allowed[name])
                for name, found in run[1].items()
            }

        return compare
