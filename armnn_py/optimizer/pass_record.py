# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The record of one pass in the report."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from armnn_py.later import public_class

__all__ = ["PassRecord"]


@public_class
class PassRecord(Struct, frozen=True):
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
