# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Modules of benchmarks/peers, which are scripts beside each other and no package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

PEERS = Path(__file__).resolve().parents[2] / "benchmarks" / "peers"


@pytest.fixture
def peers(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Return a function that imports a module of benchmarks/peers by its name."""
    monkeypatch.syspath_prepend(str(PEERS))
    for path in (*PEERS.glob("*.py"), *PEERS.parent.glob("*.py")):
        monkeypatch.delitem(sys.modules, path.stem, raising=False)
    return importlib.import_module
