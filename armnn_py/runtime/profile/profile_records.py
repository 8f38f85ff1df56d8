# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The records of a profile: times of layers, events of backends, a timeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from msgspec import Struct

from armnn_py.later import public_class
from armnn_py.text import counted


@public_class
class LayerProfile(Struct, frozen=True):
    """All executions of one layer while the profile was open; times in nanoseconds.

    ``memory`` of a copy or import has its source and target, as ids of tensor handle factories or
    the host, e.g. ``host -> Acme/AcmeNpu/Device``; of other layers it is empty. As in Arm NN, the
    ``backend`` of a copy or import is that of the layer that reads the result, for an output of the
    network that of the layer that computed it; that of a map or return is the one whose memory is
    read. ``guids`` has the layers of the user's network that the kernel computes, where a backend
    that compiled them reports it. If it runs several kernels for them, such as conversions of
    inputs or outputs, each kernel has a record; all its runs for one execution are one call.
    ``copied_bytes`` is the sum over all calls of a copy or import; 0 where memory was imported.
    ``reason`` is the backend's reason for the last refused import.

    ``operations`` and ``expected_ns`` are what the backend states of one execution: arithmetic
    operations, where a multiply-add counts as two, and its time; 0 if it states nothing. They are
    about all that it executes at once, which took ``whole_ns`` in all: ``total_ns`` is less than
    that where layers inside have records of their own. It is 0 if the backend works after it has
    returned.

    ``stage`` is the part of a network that runs in stages: ``2`` is its second stage, ``2/body``
    the body that this runs. All turns and all shapes of such a part are one record. A function
    between stages is also one; networks that it runs have their time themselves.
    """

    layer: str
    type: str
    backend: str
    kernel: str
    calls: int
    total_ns: int
    memory: str = ""
    guids: tuple[int, ...] = ()
    copied_bytes: int = 0
    reason: str = ""
    operations: int = 0
    expected_ns: int = 0
    whole_ns: int = 0
    stage: str = ""

    @property
    def gflops(self) -> float | None:
        """Stated operations by measured nanosecond; None if one of them is unknown."""
        if not self.operations or not self.whole_ns:
            return None
        return self.operations * self.calls / self.whole_ns

    @property
    def mean_ns(self) -> float:
        """Time of one execution."""
        return self.total_ns / self.calls

    @property
    def how(self) -> str:
        """The kernel; for a copy or import also its memories, bytes copied and refusal."""
        words = f"{self.kernel} {self.memory}".rstrip()
        if self.copied_bytes:
            words += f", {counted(self.copied_bytes, 'byte')} copied"
        return f"{words}: {self.reason}" if self.reason else words


@public_class
@dataclass(frozen=True, slots=True)
class BackendEvent:
    """An event that a backend reported to the trace.

    Attributes
    ----------
    name
        The backend's text for it.
    phase
        ``"begin"``, ``"end"`` or ``"instant"``; begin and end nest on one thread.
    id
        The backend's number for it, usually a layer's guid.
    thread
        A small number, the same for one thread.
    time_ns
        Time on the monotonic clock.
    in_run
        Whether it came from a thread that worked for a run of the profiled network; otherwise from
        a thread of a backend, and perhaps for another network.
    layer, backend
        The layer executed at that moment, as in `LayerProfile`; None for an event from a thread of
        a backend or between two layers.
    stage
        Where that layer is, as in `LayerProfile`.
    """

    name: str
    phase: Literal["begin", "end", "instant"]
    id: int
    thread: int
    time_ns: int
    in_run: bool
    layer: str | None = None
    backend: str | None = None
    stage: str = ""


@public_class
class TimelineEvent(Struct, frozen=True):
    """One execution of a layer, or a whole run (whose ``type`` is ``"Run"``).

    A run of one stage, or one turn of a body, has the type ``"Stage"``.

    Attributes
    ----------
    layer, type, backend, kernel, stage
        As in `LayerProfile`.
    thread
        A small number, the same for one thread.
    time_ns, duration_ns
        Begin, on the monotonic clock, and duration.
    """

    layer: str
    type: str
    backend: str
    kernel: str
    thread: int
    time_ns: int
    duration_ns: int
    stage: str = ""
