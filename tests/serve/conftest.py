# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The server as a fixture; without the extra ``serve`` the modules of these tests are skipped."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def serving() -> Any:
    """Serve files with settings, as ``with serving(path, max_body_bytes=10) as client``."""
    from .serving import served

    return served
