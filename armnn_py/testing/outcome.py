# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The result of a check."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Group = Literal["load", "truth", "numbers", "memory", "reentrance", "subgraphs", "features"]
GROUPS: tuple[Group, ...] = ("truth", "numbers", "memory", "reentrance")
"""What is tried with each layer that the backend takes, in this order."""

Outcome = Literal["passed", "refused", "untried", "failed", "crashed", "hung"]


class NotApplicableError(Exception):
    """The backend does not have what a check is about; the message says so."""


class NotTriedError(Exception):
    """The backend has what a check is about, and nothing of the kit fits it; says why."""


class Result(Struct, frozen=True):
    """What one check of one case gave.

    Attributes
    ----------
    case
        Name of the case.
    layer, type
        Of the case, as labels; empty for what is about the backend as a whole.
    group
        Which check.
    outcome
        ``refused``: the backend does not take the layer, for the reason in ``message``; the other
        checks of the case are not made then. ``untried``: it has the feature, and nothing of the
        kit fits it.
    message
        Why not ``passed``.
    step
        What was under way.
    files
        What was written about it.
    compiled
        How many sub-graphs of two layers and more the backend compiled; None: it has no compiler,
        or the check is about something else.
    speed
        How many times as fast as CpuRef the layer runs; None where that was not measured.
    """

    case: str
    layer: str
    type: str
    group: Group
    outcome: Outcome
    message: str = ""
    step: str = ""
    files: tuple[str, ...] = ()
    compiled: int | None = None
    speed: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "case": self.case,
            "layer": self.layer,
            "type": self.type,
            "group": self.group,
            "outcome": self.outcome,
            "message": self.message,
            "step": self.step,
            "files": list(self.files),
        }
