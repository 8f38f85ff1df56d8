# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The calls of an isolated backend that are kept for a recording."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from armnn_py._native import abi

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from armnn_py._native.channel import NativeChannel
    from armnn_py.isolation.events import WorkerEvent
    from armnn_py.isolation.messages import Request

#: Seconds in which a run sees that its worker has ended.
_PATIENCE = 1.0
#: The status of a call in which the worker ended, or was ended.
_ENDED = (abi.ARMNN_STATUS_DEVICE_LOST, abi.ARMNN_STATUS_CANCELLED)
#: So many ends of workers are recorded for one backend of a runtime: more tell nothing new.
_MOST_ENDS = 3


class KeptPart(Struct, frozen=True):
    """A compiled sub-graph.

    Attributes
    ----------
    key
        Its number.
    backend
        Id of the backend that runs it.
    request
        The request to compile it: its payload has the key, the network, and the model options.
    has_state
        Whether a run leaves something for the next.
    """

    key: int
    backend: str
    request: Request
    has_state: bool


class KeptCall(Struct, frozen=True):
    """One run of a sub-graph.

    Attributes
    ----------
    part
        The sub-graph.
    context
        Number of the execution context, to which the state belongs.
    begins
        Whether a sequence begins: the sub-graph keeps nothing of earlier calls.
    status
        Of the call.
    inputs, outputs
        The bytes of all inputs, and of all outputs if the status is OK: without gaps.
    """

    part: KeptPart
    context: int
    begins: bool
    status: int
    inputs: bytes
    outputs: bytes


class RecordedBackend(Protocol):
    """A `Supervisor`, as a recorder describes its backend."""

    id: str
    file: str | None

    @property
    def lock(self) -> AbstractContextManager[object]:
        """Held while a channel is made or closed."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """The description that its worker gave."""

    @property
    def options(self) -> Mapping[str, Any]:
        """Its options."""


class Recorder(Protocol):
    """The object that writes recordings.

    Attributes
    ----------
    most_bytes
        Of the calls of an execution context that are kept; 0: only the call in which a worker ends.
    """

    most_bytes: int

    def add(self, backend: RecordedBackend, calls: Sequence[KeptCall]) -> None:
        """Add calls to the recording of a whole program, if there is one."""

    def record_end(
        self,
        backend: RecordedBackend,
        parts: Sequence[KeptPart],
        calls: Sequence[KeptCall],
        event: WorkerEvent,
    ) -> str | None:
        """Write what a worker did when it ended; returns the file, or None: nothing is written."""


class _Channel(Protocol):
    key: int
    native: NativeChannel


class _Part(Protocol):
    key: int
    request: Request
    has_state: bool

    def open_channels(self) -> list[Any]:
        """The channels of its execution contexts."""


class Journal:
    """The kept calls of one backend.

    Parameters
    ----------
    backend
        For the recorder.
    recorder
        Gets the calls; None: nothing is kept.

    Attributes
    ----------
    compiling
        The sub-graph that the worker compiles, or compiled last.
    """

    def __init__(self, backend: RecordedBackend, recorder: Recorder | None) -> None:
        self._backend, self._recorder = backend, recorder
        self._lock = threading.Lock()
        self._under_way: set[int] = set()  # channels whose sequence has begun
        self._ends = 0
        self.compiling: _Part | None = None

    def open(self, channel: _Channel) -> None:
        """Have the calls of a channel kept."""
        if self._recorder is not None:
            channel.native.keep_calls(self._recorder.most_bytes)

    def take(self, part: _Part, channel: _Channel, *, ends_sequence: bool = False) -> None:
        """Hand the calls of a channel to the recorder; no run is in flight."""
        if self._recorder is not None:
            self._recorder.add(self._backend, self._taken(part, channel))
        if ends_sequence:
            self._under_way.discard(channel.key)

    def _taken(self, part: _Part, channel: _Channel) -> list[KeptCall]:
        kept = KeptPart(part.key, self._backend.id, part.request, part.has_state)
        calls = []
        with self._lock:
            for status, inputs, outputs in channel.native.take_calls():
                begins = channel.key not in self._under_way
                self._under_way.add(channel.key)
                calls.append(KeptCall(kept, channel.key, begins, status, inputs, outputs))
        return calls

    def _settled(self, part: _Part, channel: _Channel) -> list[KeptCall]:
        """The calls of a channel whose worker has ended, once a run in flight has seen that."""
        end = time.monotonic() + _PATIENCE
        while not channel.native.settle() and time.monotonic() < end:
            time.sleep(0.001)
        return self._taken(part, channel)

    def record_end(self, parts: Iterable[_Part], event: WorkerEvent) -> str | None:
        """Record the calls in which the worker ended, or the sub-graph that it was compiling.

        Returns
        -------
        str or None
            The file.
        """
        recorder = self._recorder
        if recorder is None:
            return None
        last = []
        with self._backend.lock:  # no channel is closed meanwhile
            for part in parts:
                for channel in part.open_channels():
                    calls = self._settled(part, channel)
                    recorder.add(self._backend, calls)
                    last += [call for call in calls[-1:] if call.status in _ENDED]
        compiling, self.compiling = self.compiling, None
        if self._ends >= _MOST_ENDS or not (last or compiling):
            return None
        self._ends += 1
        kept = [call.part for call in last]
        if compiling is not None and not last:
            kept = [KeptPart(compiling.key, self._backend.id, compiling.request, has_state=False)]
        return recorder.record_end(self._backend, kept, last, event)
