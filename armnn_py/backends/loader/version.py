# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Versions of the backend API, and the rule that decides which backends may load."""

from __future__ import annotations

from typing import NamedTuple

from armnn_py.later import public_class


@public_class
class BackendVersion(NamedTuple):
    """A version of the backend API, ordered by major, then minor."""

    major: int
    minor: int

    def is_compatible_with(self, host: BackendVersion) -> bool:
        """Say whether a backend of this version runs in ``host``: same major, minor not above."""
        return self.major == host.major and self.minor <= host.minor

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"
