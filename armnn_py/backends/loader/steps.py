# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The steps of loading a backend, in their order."""

from __future__ import annotations

from typing import Literal

Stage = Literal[
    "place",
    "name",
    "resolve",
    "inspect",
    "open",
    "symbols",
    "id",
    "version",
    "unique",
    "table",
    "create",
]
