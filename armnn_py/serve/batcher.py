# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The queue of one model: requests become batches, and batches run in threads.

All of it is called on the event loop, except `_work`, which a thread of the pool calls.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any

import numpy as np

import armnn_py
from armnn_py.serve.failures import BUSY, INTERNAL, TIMEOUT, UNAVAILABLE, RequestError
from armnn_py.serve.settings import ModelSettings

Arrays = dict[str, np.ndarray[Any, Any]]


class _Waiting:
    """A request in the queue."""

    __slots__ = (
        "answer", "arrived", "cancel", "deadline", "inputs", "is_alone", "kind", "rows", "timer",
    )  # fmt: skip

    def __init__(self, inputs: Arrays, rows: int, deadline: float | None) -> None:
        self.inputs = inputs
        self.rows = rows
        #: Requests of one kind fit into a batch: all dimensions but the first are the same.
        self.kind = tuple((name, array.shape[1:]) for name, array in sorted(inputs.items()))
        self.deadline = deadline
        self.arrived = time.monotonic()
        self.answer: asyncio.Future[Arrays] = asyncio.get_running_loop().create_future()
        self.cancel = armnn_py.CancelToken()
        self.timer: asyncio.TimerHandle | None = None
        #: A batch with it has failed: it runs by itself.
        self.is_alone = False


class Batcher:
    """Runs a network for requests, several rows at once where that is allowed.

    Parameters
    ----------
    network
        The loaded network.
    settings
        Limits of batches and of the queue.
    executor
        Threads of all models.
    batches
        Whether dimension 0 of all inputs and outputs is a batch.
    seen
        Called with the rows of each run, the seconds of the oldest request in the queue, those of
        the run, and whether another backend answered.
    """

    def __init__(
        self,
        network: armnn_py.LoadedNetwork,
        settings: ModelSettings,
        executor: Executor,
        *,
        batches: bool,
        seen: Callable[[int, float, float, bool], None],
    ) -> None:
        self._network = network
        self._settings = settings
        self._executor = executor
        self._batches = batches and settings.max_batch > 1
        self._seen = seen
        self._queue: deque[_Waiting] = deque()
        self._running = 0
        self._run_ended = asyncio.Event()
        self._wake: asyncio.TimerHandle | None = None
        self._closing = False

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return len(self._queue)

    async def run(self, inputs: Arrays, deadline: float | None = None) -> Arrays:
        """Return the outputs of a request; to cancel the task takes it out of the queue.

        Parameters
        ----------
        inputs
            Arrays of all inputs.
        deadline
            By `time.monotonic`.

        Raises
        ------
        RequestError
            The queue is full, the deadline passed, or the model is being unloaded.
        ArmnnError
            The run failed.
        """
        if self._closing:
            raise RequestError("the model is being unloaded", UNAVAILABLE)
        if len(self._queue) >= self._settings.max_queue:
            raise RequestError(
                f"{len(self._queue)} requests wait for this model, which is its limit", BUSY
            )
        rows = next(iter(inputs.values())).shape[0] if self._batches else 1
        if self._batches and any(array.shape[0] != rows for array in inputs.values()):
            raise RequestError("the first dimensions of the inputs differ, one batch expected")
        one = _Waiting(inputs, rows, deadline)
        if deadline is not None:
            delay = deadline - time.monotonic()
            one.timer = asyncio.get_running_loop().call_later(delay, self._expire, one)
        self._queue.append(one)
        self._pump()
        try:
            return await one.answer
        finally:
            if one.timer is not None:
                one.timer.cancel()
            if not one.answer.done() or one.answer.cancelled():
                self._drop(one)
            del one  # an error has this frame, and its request would have the error

    async def close(self) -> None:
        """Answer what waits and runs, then take no more."""
        self._closing = True
        while self._queue or self._running:
            self._pump()
            self._run_ended.clear()
            await self._run_ended.wait()

    # ---- From the queue to a run -----------------------------------------------------------------

    def _expire(self, one: _Waiting) -> None:
        if not one.answer.done():
            one.answer.set_exception(
                RequestError("the deadline of the request passed before its answer", TIMEOUT)
            )
        self._drop(one)

    def _drop(self, one: _Waiting) -> None:
        """Take a request out of the queue, or stop its run if it runs alone."""
        one.cancel.cancel()
        if one in self._queue:
            self._queue.remove(one)

    def _pump(self) -> None:
        """Start runs while there are requests and free instances."""
        while self._queue and self._running < self._settings.instances:
            batch = self._next()
            if not batch:
                return
            self._running += 1
            self._executor.submit(self._work, batch, asyncio.get_running_loop())

    def _next(self) -> list[_Waiting]:
        """Take the oldest request and those that fit beside it; nothing if more may come soon."""
        first = self._queue[0]
        limit = self._settings.max_batch if self._batches and not first.is_alone else 1
        batch, rows = [first], first.rows
        for one in itertools.islice(self._queue, 1, None):
            if rows >= limit:
                break
            if one.kind == first.kind and rows + one.rows <= limit:
                batch.append(one)
                rows += one.rows
        wait = first.arrived + self._settings.max_delay_ms / 1000 - time.monotonic()
        if rows < limit and wait > 0 and not self._closing:
            if self._wake is None:
                self._wake = asyncio.get_running_loop().call_later(wait, self._woken)
            return []
        for one in batch:
            self._queue.remove(one)
        return batch

    def _woken(self) -> None:
        self._wake = None
        self._pump()

    # ---- Runs ------------------------------------------------------------------------------------

    def _work(self, batch: list[_Waiting], loop: asyncio.AbstractEventLoop) -> None:
        """Run a batch on a thread, and tell the event loop."""
        start = time.monotonic()
        try:
            outputs = self._run(batch, start)
        except Exception as error:
            loop.call_soon_threadsafe(self._failed, batch, error)
        else:
            waited, seconds = start - batch[0].arrived, time.monotonic() - start
            lost = self._network.last_run.degraded
            loop.call_soon_threadsafe(self._answered, batch, outputs, waited, seconds, lost)

    def _run(self, batch: list[_Waiting], start: float) -> Arrays:
        alone = len(batch) == 1
        inputs: Mapping[str, Any] = batch[0].inputs
        if not alone:
            inputs = {name: np.concatenate([one.inputs[name] for one in batch]) for name in inputs}
        deadlines = [one.deadline for one in batch]
        last = None if None in deadlines else max(one for one in deadlines if one is not None)
        outputs = self._network.run(
            inputs,
            timeout=None if last is None else max(last - start, 0.0),
            cancel=batch[0].cancel if alone else None,
        )
        rows = sum(one.rows for one in batch)
        if not alone and any(array.shape[0] != rows for array in outputs.values()):
            raise RequestError(f"a batch of {rows} rows has outputs of other lengths", INTERNAL)
        return outputs

    def _failed(self, batch: list[_Waiting], error: Exception) -> None:
        """Hand out the error of a run; requests of a batch run one by one instead."""
        waiting = [one for one in batch if not one.answer.done()]
        if len(batch) == 1 or isinstance(error, armnn_py.ExecutionTimeoutError):
            for one in waiting:
                one.answer.set_exception(error)
        else:
            for one in waiting:
                one.is_alone = True
            self._queue.extendleft(reversed(waiting))
        batch.clear()  # frames of the error have this list, and its requests would have the error
        self._ended()

    def _answered(
        self, batch: list[_Waiting], outputs: Arrays, waited: float, seconds: float, lost: bool
    ) -> None:
        """Hand each request its rows."""
        self._seen(sum(one.rows for one in batch), waited, seconds, lost)
        place = 0
        for one in batch:
            end = place + one.rows
            if not one.answer.done():
                own = {name: array[place:end] for name, array in outputs.items()}
                one.answer.set_result(outputs if len(batch) == 1 else own)
            place = end
        self._ended()

    def _ended(self) -> None:
        self._running -= 1
        self._run_ended.set()
        self._pump()
