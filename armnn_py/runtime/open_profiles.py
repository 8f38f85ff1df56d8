# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which profiles are open, for what runs networks: it needs no more of profiling than this."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armnn_py._native.plan import NativeContext
    from armnn_py.runtime.network_plan import NetworkPlan
    from armnn_py.runtime.profiling import Profile

__all__ = ["LOCK", "flush_profiles", "note_copies", "open_profiles"]

# The native buffer is one for the process and reading empties it, so all open profiles are served
# by whoever reads.
LOCK = threading.RLock()
open_profiles: list[Profile] = []


def flush_profiles() -> None:
    """Hand what was recorded to the open profiles; before a plan's address can be used again."""
    with LOCK:
        if not open_profiles:
            return
        from armnn_py._native import trace

        events = trace.read()
        dropped = trace.dropped()
        for profile in open_profiles:
            profile._take(events, dropped)


def note_copies(plan: NetworkPlan, native: NativeContext) -> None:
    """Tell the open profiles what the last run of a context copied."""
    copies, copied_bytes = native.copies
    with LOCK:
        for profile in open_profiles:
            if plan in profile._network._plans():
                profile.copies += copies
                profile.copied_bytes += copied_bytes
