# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The simplifying passes, in the order in which they run (Arm NN's order)."""

from __future__ import annotations

from armnn_py.optimizer.passes.base import Pass, PassLog, PassRecord

__all__ = ["SIMPLIFYING", "Pass", "PassLog", "PassRecord"]

#: Every pass that runs before layers get their backends.
SIMPLIFYING: tuple[Pass, ...] = ()
