# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a profile consists of: times of layers, events of backends, a timeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from armnn_py.text import counted

__all__ = ["BackendEvent", "LayerProfile", "TimelineEvent"]


@dataclass(frozen=True, slots=True)
class LayerProfile:
    """All executions of one layer while the profile was open; times in nanoseconds.

    ``memory`` tells of a copy or import between which memories it goes, as ids of tensor handle
    factories or the host, e.g. ``host -> Acme/AcmeNpu/Device``; of other layers it is empty. As in
    Arm NN, its ``backend`` is that of the layer that reads the result, for an output of the network
    that of the layer that computed it; a map or return is of the backend whose memory is read.
    ``guids`` has the layers of the user's network that the kernel computes, where a backend that
    compiled them said so. Where it takes several kernels for them, conversions of what they read or
    write for instance, each kernel has a record; all its runs for one execution are one call.
    ``copied_bytes`` were copied by a copy or import in all its calls; 0 where memory was taken as
    it is. ``reason`` says, in the backend's words, why an import was refused, the last time.
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

    @property
    def mean_ns(self) -> float:
        """Time of one execution."""
        return self.total_ns / self.calls

    @property
    def how(self) -> str:
        """The kernel; of a move its memories, how much was copied, and why it was no import."""
        words = f"{self.kernel} {self.memory}".rstrip()
        if self.copied_bytes:
            words += f", {counted(self.copied_bytes, 'byte')} copied"
        return f"{words}: {self.reason}" if self.reason else words


@dataclass(frozen=True, slots=True)
class BackendEvent:
    """Something that a backend told the trace.

    Attributes
    ----------
    name
        What it is, in the backend's words.
    phase
        ``"begin"``, ``"end"`` or ``"instant"``; begin and end nest on one thread.
    id
        What the backend numbers its events with, usually a layer's guid.
    thread
        A small number, the same for one thread.
    time_ns
        When it was, on the monotonic clock.
    in_run
        Whether it came from a thread that worked for a run of the profiled network; otherwise from
        a thread of a backend, and perhaps for another network.
    layer, backend
        What was executed at that moment, as in `LayerProfile`; None for what came from a thread of
        a backend or from between two layers.
    """

    name: str
    phase: Literal["begin", "end", "instant"]
    id: int
    thread: int
    time_ns: int
    in_run: bool
    layer: str | None = None
    backend: str | None = None


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """One execution of a layer, or a whole run (whose ``type`` is ``"Run"``).

    Attributes
    ----------
    layer, type, backend, kernel
        As in `LayerProfile`.
    thread
        A small number, the same for one thread.
    time_ns, duration_ns
        When it began, on the monotonic clock, and how long it took.
    """

    layer: str
    type: str
    backend: str
    kernel: str
    thread: int
    time_ns: int
    duration_ns: int
