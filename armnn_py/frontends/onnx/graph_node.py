# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One node of the graph, read once and shared by all conversions."""

from __future__ import annotations

from typing import Any

from armnn_py.frontends.common.quoting import quoted
from armnn_py.records import record

__all__ = ["Node"]


@record
class Node:
    """One operator of the graph."""

    index: int
    name: str
    """Unique in the model; made from operator and position where the file gives none."""
    domain: str
    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]

    @property
    def label(self) -> str:
        """The node in messages."""
        return f"node {quoted(self.name)} ({self.operator})"

    @property
    def operator(self) -> str:
        """Operator with its domain, unless that is the standard one."""
        return f"{self.domain}.{self.op_type}" if self.domain else self.op_type
