# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Text for people that has names in it which others chose."""

from __future__ import annotations

__all__ = ["printable"]


def printable(text: str) -> str:
    """Return ``text`` with everything that could disturb a terminal or a log line escaped."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
