# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Events of a runtime: of workers, and of comparisons in the background."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from armnn_py.later import public_class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from armnn_py.isolation.events import WorkerEvent

_log = logging.getLogger("armnn_py.isolation")
_MOST_EVENTS = 1000


@public_class
@dataclass(frozen=True, slots=True)
class ShadowEvent:
    """One event of the shadow of a network, see `Shadow`.

    Each kind makes an event the first, second, fourth, eighth time and so on.

    Attributes
    ----------
    kind
        ``"differs"``: an output was beyond the tolerance; ``"unchecked"``: the reference failed.
    backend
        Ids of the backends of the network.
    network
        Its name.
    reference
        Id of the reference.
    reason
        The output and its worst element, or the error.
    count
        How often this happened up to now.
    time
        Seconds since the epoch.
    """

    kind: Literal["differs", "unchecked"]
    backend: str
    network: str
    reference: str
    reason: str = ""
    count: int = 1
    time: float = field(default_factory=time.time)

    def __str__(self) -> str:
        verb = "differs from" if self.kind == "differs" else "is not compared with"
        return (
            f"network '{self.network}' on {self.backend} {verb} {self.reference}, run "
            f"{self.count} of this kind: {self.reason}"
        )


@public_class
class EventLog:
    """The events of a runtime, oldest first: iterate over it, or have a function called.

    Holds the last 1000.
    """

    def __init__(self) -> None:
        self._events: deque[WorkerEvent | ShadowEvent] = deque(maxlen=_MOST_EVENTS)
        self._callbacks: list[Callable[[WorkerEvent | ShadowEvent], object]] = []
        self._lock = threading.Lock()

    def subscribe(self, callback: Callable[[WorkerEvent | ShadowEvent], object]) -> None:
        """Have ``callback`` called with each event, on the thread that found it.

        An exception of it is logged.
        """
        with self._lock:
            self._callbacks.append(callback)

    def add(self, event: WorkerEvent | ShadowEvent) -> None:
        """Note an event, log it, and tell subscribers."""
        with self._lock:
            self._events.append(event)
            callbacks = list(self._callbacks)
        _log.warning("%s", event)
        for callback in callbacks:
            try:
                callback(event)
            except Exception:
                _log.exception("a subscriber to events of a runtime raised")

    def __iter__(self) -> Iterator[WorkerEvent | ShadowEvent]:
        with self._lock:
            return iter(tuple(self._events))

    def __len__(self) -> int:
        return len(self._events)
