# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Every recorded case of the ONNX project's own test data still passes."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.models

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "onnx_backend_suite.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("onnx_backend_suite", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def suite(script: ModuleType, models_folder: Path) -> Iterator[Any]:
    folder = models_folder / "testdata" / script.VERSION / "node"
    suite = script.Suite(folder)
    yield suite
    suite.close()


def test_recorded_cases_pass(script: ModuleType, suite: Any) -> None:
    recorded = script.read_list()
    results = [suite.run(name) for name in recorded]
    lost = [result for result in results if result.outcome != "pass"]
    assert not lost


def test_the_record_is_the_floor(script: ModuleType) -> None:
    """Nearly all of the CORE cases; the number may only grow."""
    assert len(script.read_list()) >= 646
