# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The page on operators names what the table of converters has, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path

from armnn_py.frontends.onnx.table import operator_names

PAGE = Path(__file__).resolve().parents[2] / "docs" / "onnx_operators.md"


def test_the_page_names_every_operator() -> None:
    rows = [line.split("|") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    named = [name for row in rows[1:] for name in re.findall(r"[\w.]+", row[2])]
    assert sorted(named) == list(operator_names())
