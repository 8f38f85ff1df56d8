# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A sub-graph that a worker compiled, and the channels that carry its runs."""

from __future__ import annotations

import fcntl
import itertools
import mmap
import os
import threading
import time
from typing import TYPE_CHECKING

from armnn_py._native import abi
from armnn_py._native.channel import TENSORS_OFFSET, HandedOver, NativeChannel
from armnn_py.errors import ExecutionError
from armnn_py.isolation.keeper import WorkerEndedError
from armnn_py.isolation.messages import Request
from armnn_py.isolation.parts import number_of
from armnn_py.isolation.worker import KeptCall, KeptPart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.isolation.process import WorkerProcess
    from armnn_py.isolation.worker import Worker
    from armnn_py.network import Network

_ALIGNMENT = 64
#: Events of kernels in one run for which a channel has room; memory is used where they are written.
_EVENTS, _EVENTS_OF_LAYER = 1024, 64
_keys = itertools.count(1)
#: Seconds in which a run sees that its worker has ended.
_PATIENCE = 1.0
#: The status of a call in which the worker ended, or was ended.
_ENDED = (abi.ARMNN_STATUS_DEVICE_LOST, abi.ARMNN_STATUS_CANCELLED)


class _Channel:
    """The memory of a channel, and the host's end of it."""

    def __init__(self, key: int, part: WorkerPart, process: WorkerProcess) -> None:
        self.key = key
        #: Whether a sequence has begun of which a call was taken.
        self.is_under_way = False
        inputs, end = _places(part.input_sizes, TENSORS_OFFSET)
        outputs, end = _places(part.output_sizes, end)
        end += 2 * mmap.PAGESIZE - end % mmap.PAGESIZE  # backends may read behind a tensor
        most_events = _EVENTS + _EVENTS_OF_LAYER * len(part.guids)
        events = end, NativeChannel.bytes_of_events(most_events)
        end += events[1]
        self.places = inputs, outputs, events
        self.file = os.memfd_create("armnn_py", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            os.truncate(self.file, end)
            fcntl.fcntl(self.file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
            self._memory = mmap.mmap(self.file, end)
            given = iter(inputs)
            operands = [(TENSORS_OFFSET, 0) if one else next(given) for one in part._consumed]
            self.native = NativeChannel(
                self._memory, operands, outputs, process.descriptor, part.backend.limits.deadline,
                events,
            )  # fmt: skip
            if part.backend.recorder is not None:
                self.native.keep_calls(part.backend.recorder.most_bytes)
        except BaseException:
            os.close(self.file)
            raise

    def settle(self, seconds: float = float("inf")) -> None:
        """Wait until a run in flight has seen that its worker has ended."""
        end = time.monotonic() + seconds
        while not self.native.settle() and time.monotonic() < end:
            time.sleep(0.001)

    def close(self) -> None:
        self.native.close()
        os.close(self.file)


def _places(sizes: Sequence[int], begin: int) -> tuple[list[tuple[int, int]], int]:
    places = []
    for size in sizes:
        places.append((begin, size))
        begin += -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT
    return places, begin


class WorkerPart(HandedOver):
    """One compiled sub-graph; what is kept of it is enough to compile it in another worker.

    Parameters
    ----------
    backend
        The backend of the worker.
    network
        The sub-graph.
    model_options
        For the backend.
    name
        For people.
    guids
        Of the layers, by the numbers in their names.
    consumed
        For each operand of the layer whether the worker has its values; None: no operand.

    Attributes
    ----------
    request
        The request to compile it.

    Raises
    ------
    BackendError
        The worker does not compile it, or has ended.
    """

    def __init__(
        self,
        backend: Worker,
        network: Network,
        model_options: Mapping[str, OptionValue],
        name: str,
        guids: Sequence[int],
        consumed: Sequence[bool] | None = None,
    ) -> None:
        self.backend = backend
        self.key = next(_keys)
        self.name = name
        self._consumed = [False] * len(network.inputs) if consumed is None else list(consumed)
        self.consumed_mask = sum(1 << i for i, one in enumerate(self._consumed) if one)
        self.has_state = False
        self.guids = tuple(guids)
        self.input_sizes = [info.byte_size for info in network.inputs.values()]
        self.output_sizes = [info.byte_size for info in network.outputs.values()]
        self.request = Request("compile", (self.key, network, dict(model_options)))
        self._forget = Request("forget", self.key)
        self._channels: dict[int, _Channel] = {}
        self._lock = threading.Lock()

    def compile(self, process: WorkerProcess) -> dict[int, str]:
        """Compile it in a worker; returns the layers that the backend refuses, and why."""
        self.backend.compiling = self._kept()
        try:
            answer = process.ask(self.request)
        finally:
            if process.was_stopped or not process.ended.is_set():
                self.backend.compiling = None
        refused = answer.get("refused")
        if refused:
            return {number_of(layer): str(reason) for layer, reason in refused.items()}
        self.has_state = bool(answer.get("has_state"))
        return {}

    # ---- Channels --------------------------------------------------------------------------------

    def open_channel(self) -> int:
        """Make a channel for one execution context; returns the address of its C object.

        Without a worker its runs fail as if the worker had just ended, until there is one.
        """
        with self.backend.lock:
            process = self.backend.process
            channel = _Channel(next(_keys), self, process)
            try:
                self._bind(channel, process)
            except WorkerEndedError:
                channel.native.end(abi.ARMNN_CHANNEL_WORKER_ENDED)
            except BaseException:
                channel.close()
                raise
            with self._lock:
                self._channels[channel.native.address] = channel
            if not self.backend.is_running:  # it ended before the channel was known
                channel.native.end(abi.ARMNN_CHANNEL_WORKER_ENDED)
            return channel.native.address

    def reset_channel(self, address: int) -> None:
        """Begin a new sequence."""
        channel = self._channels[address]
        with self.backend.lock:
            self._take_calls(channel)
            channel.is_under_way = False
        self.backend.running().ask(Request("reset", (self.key, channel.key)))

    def close_channel(self, address: int) -> None:
        """Free a channel; no run is in flight."""
        with self.backend.lock:
            with self._lock:
                channel = self._channels.pop(address)
            self._take_calls(channel)
            self.backend.post(Request("unbind", (self.key, channel.key)))
            channel.close()

    def end_channels(self) -> list[int]:
        """Let runs in flight fail: the worker has ended. Returns reasons of those that ended it."""
        with self._lock:  # a channel is closed after it has left the list
            channels = self._channels.values()
            return [one.native.end(abi.ARMNN_CHANNEL_WORKER_ENDED) for one in channels]

    def forget_after_fork(self) -> None:
        """Let runs fail in a process that was forked from the host."""
        self._lock = threading.Lock()  # a thread that is gone may have held it
        self.end_channels()

    def _open_channels(self) -> list[_Channel]:
        with self._lock:
            return list(self._channels.values())

    # ---- Calls for a recording -------------------------------------------------------------------

    def _kept(self) -> KeptPart:
        return KeptPart(self.key, self.backend.id, self.request, self.has_state)

    def _take_calls(self, channel: _Channel) -> list[KeptCall]:
        """Hand the calls of a channel to the recorder; the lock of the worker is held."""
        calls: list[KeptCall] = []
        if self.backend.recorder is not None:
            for call in channel.native.take_calls():
                calls.append(KeptCall(self._kept(), channel.key, not channel.is_under_way, *call))
                channel.is_under_way = True
            self.backend.recorder.add(self.backend, calls)
        return calls

    def calls_at_end(self) -> list[KeptCall]:
        """The calls in which the worker ended; the others are with the recorder as well."""
        last = []
        for channel in self._open_channels() if self.backend.recorder is not None else ():
            channel.settle(_PATIENCE)
            last += [one for one in self._take_calls(channel)[-1:] if one.status in _ENDED]
        return last

    # ---- Another worker --------------------------------------------------------------------------

    def renew(self, process: WorkerProcess) -> None:
        """Compile it in another worker, which has nothing yet, and bind the channels there.

        Raises
        ------
        BackendError
            It fails to compile what the first one compiled.
        """
        refused = self.compile(process)
        if refused:
            raise ExecutionError(f"it refuses layers now: {next(iter(refused.values()))}")
        for channel in self._open_channels():
            channel.settle()
            self._bind(channel, process)

    def go_on(self, process: WorkerProcess) -> None:
        """Hand runs over to the other worker. It has all that any of them needs."""
        with self._lock:
            for channel in self._channels.values():
                channel.native.renew(process.descriptor)

    def _bind(self, channel: _Channel, process: WorkerProcess) -> None:
        payload = self.key, channel.key, self.guids, *channel.places
        process.ask(Request("bind", payload, (channel.file,)))

    def __del__(self) -> None:
        backend = getattr(self, "backend", None)
        if backend is not None:
            backend.post(self._forget)
