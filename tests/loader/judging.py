# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shared by tests of trust: a verdict on a folder, and files of another user."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py.backends import Verdict, load_backends

from .harness import only

SOMEBODY = 54321  # a user who is not there
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


def verdict_on(folder: Path, **more: str) -> Verdict:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ann.BackendSkippedWarning)
        registry = load_backends(
            dynamic_backends_path=folder,
            bundled_backends=False,
            **more,  # type: ignore[arg-type]
        )
    with registry:
        return only(registry)


def refused(verdict: Verdict, code: str, *words: str) -> None:
    assert (verdict.status, verdict.code) == ("refused", code)
    for word in words:
        assert word in verdict.reason
