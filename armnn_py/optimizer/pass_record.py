# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The record of one pass in the report."""

from __future__ import annotations

from typing import Any

from armnn_py.later import public_class
from armnn_py.records import Frozen, record

__all__ = ["PassRecord"]


@public_class
@record
class PassRecord(Frozen):
    """The changes of one pass.

    Attributes
    ----------
    name
        Name of the pass, by which it is switched off.
    changes
        One sentence for each change.
    enabled
        False: it was switched off and did not run.
    """

    name: str
    changes: tuple[str, ...] = ()
    enabled: bool = True

    def to_json(self) -> dict[str, Any]:
        """The record as JSON-able values."""
        return {"name": self.name, "enabled": self.enabled, "changes": list(self.changes)}
