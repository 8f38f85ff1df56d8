# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Programs, rules and passes on the pages about placement and the optimiser are real."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from armnn_py.optimizer import Placement
from armnn_py.optimizer.passes import SIMPLIFYING

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "placement.md").read_text(encoding="utf-8")
PASSES = (DOCS / "optimizer.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    return str(found)


def test_the_program_prints_what_the_page_shows() -> None:
    done = subprocess.run(
        [sys.executable, "-c", block("python")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    shown = [line.rstrip() for line in block("text").splitlines()]
    assert [line.rstrip() for line in done.stdout.splitlines()] == shown


def test_the_rules_are_read(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(block("toml"), encoding="utf-8")
    placement = Placement.from_toml(file)
    assert [rule.backends for rule in placement.rules] == [("AcmeNpu", "CpuAcc"), ("CpuAcc",)]
    assert [placement.is_strict(n) for n in range(2)] == [True, False]


def test_every_pass_is_listed_in_order() -> None:
    section = PASSES.partition("## Passes")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([\w-]+)` \| (.*) \|$", section, flags=re.MULTILINE)
    assert rows == [(one.name, one.summary) for one in SIMPLIFYING]
