# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Repeats recordings of a backend's calls, in a process of their own."""

from __future__ import annotations

from armnn_py.testing.replay.replaying import Replay, child_of, replay
from armnn_py.testing.replay.strip import strip

__all__ = ["Replay", "child_of", "replay", "strip"]
