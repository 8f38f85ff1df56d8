# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends in processes of their own: the host's side.

`IsolatedBackend` stands in the runtime for a backend whose code runs in a worker process
(`armnn_py.worker`). Few things cross the border: questions about layers, sub-graphs as
networks, and runs. The messages are listed in ``docs/isolation.md``.
"""

from __future__ import annotations

from armnn_py.isolation.events import WorkerEvent
from armnn_py.isolation.settings import Isolation

__all__ = ["Isolation", "WorkerEvent"]
