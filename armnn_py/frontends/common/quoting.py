# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Names from model files in messages."""

from __future__ import annotations

SHOWN_LENGTH = 100
"""Most characters of a name that a message shows."""


def quoted(name: object) -> str:
    """Return a name from a file in quotes, printable and of sane length."""
    text = str(name)
    if len(text) > SHOWN_LENGTH:
        text = f"{text[:SHOWN_LENGTH]}..."
    if not text.isprintable():
        text = text.encode("unicode_escape").decode("ascii")
    return f"'{text}'"
