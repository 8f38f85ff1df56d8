# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The open profiles: the interface between running a network and profiling."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Protocol

from armnn_py._native import trace

if TYPE_CHECKING:
    from collections.abc import Collection

    from armnn_py._native.plans.context import NativeContext
    from armnn_py._native.trace import TraceEvent
    from armnn_py.runtime.plan.network_plan import NetworkPlan
    from armnn_py.runtime.profile.profile_stages import StageBook


class OpenProfile(Protocol):
    """A `Profile`, as execution contexts use it."""

    copies: int
    copied_bytes: int
    _stages: StageBook

    @property
    def plans(self) -> Collection[NetworkPlan]:
        """The plans of the network that it is about, and of its stages."""

    def take(self, events: list[TraceEvent], dropped: int) -> None:
        """Count the events of its network; ``dropped`` is the process's count."""


# The process has one native buffer and reading empties it, so each read serves all open profiles.
LOCK = threading.RLock()
open_profiles: list[OpenProfile] = []


def flush_profiles() -> None:
    """Pass recorded events to the open profiles, before a plan's address can be reused."""
    with LOCK:
        if not open_profiles:
            return

        events = trace.read()
        dropped = trace.dropped()
        for profile in open_profiles:
            profile.take(events, dropped)


def note_copies(plan: NetworkPlan, native: NativeContext) -> None:
    """Add the copies of a context's last run, and its thread, to the open profiles."""
    copies, copied_bytes = native.copies
    with LOCK:
        for profile in open_profiles:
            if plan in profile.plans:
                profile.copies += copies
                profile.copied_bytes += copied_bytes
                profile._stages.note_thread(plan, native.run_id)
