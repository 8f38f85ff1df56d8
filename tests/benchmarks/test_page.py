# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The page of benchmarks and the README say what the tables of benchmarks/results say."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = REPOSITORY / "benchmarks" / "results"
DOCS = REPOSITORY / "docs"

Peers = Callable[[str], ModuleType]


def test_page_and_readme_are_generated_from_the_tables() -> None:
    pytest.importorskip("onnx")
    command = [sys.executable, str(REPOSITORY / "benchmarks" / "peers" / "report.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_first_table_has_means_of_the_rows() -> None:
    """Counted here from the text of each file, without the code that makes the page."""
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    for path in RESULTS.glob("*.csv"):
        lines = [x.split(",") for x in path.read_text(encoding="utf-8").splitlines() if x[0] != "#"]
        rows = [x for x in lines if x[0] == "float32" and x[2] == "1" and "?" not in x]
        fastest = [max(float(cell) for cell in row[4:] if cell != "-") for row in rows]
        mean = math.prod(fastest) ** (1 / len(fastest))
        cells = re.search(rf"^\|.*/{path.name}\)(.*)\|$", page, flags=re.MULTILINE)
        assert cells is not None
        assert cells[1].split(" | ")[2].startswith(f"{mean:.2f}, {max(fastest):.2f} (")


def test_cached_entries_are_small() -> None:
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    assert len(page.split()) <= 1500
    assert (DOCS / "benchmarks.svg").stat().st_size <= 60_000
    assert list(RESULTS.glob("*.json")) == []
    for path in RESULTS.glob("*.md"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 100, path.name


def results() -> dict[str, Any]:
    """What compare.py writes: a peer refuses, one was not fed, two were timed."""

    def timed(milliseconds: float) -> dict[str, float]:
        return {"median_ms": milliseconds, "load_ms": 10 * milliseconds, "peak_mib": 50.0}

    return {
        "machine": {"processor": "P", "instruction_set": "AVX2", "second_cache_kib": 512,
                    "usable_processors": 2, "date": "2026-01-02"},
        "peak_gflops_of_one_processor": 100.4,
        "versions": {"armnn_py": "1", "onnxruntime": "2"},
        "networks": {
            "resnet50": {"1": {
                "armnn_py": timed(3), "onnxruntime": timed(4), "openvino": timed(2),
                "ncnn": {"error": "no layer", "ours": False},
            }},
            "vgg11": {"1": {
                "armnn_py": timed(3), "onnxruntime": timed(4),
                "mnn": {"error": "ValueError: x", "ours": True},
            }},
        },
    }  # fmt: skip


def test_a_table_of_results(peers: Peers, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    tables = peers("tables")
    tables.write(tables.from_results(results()), tmp_path / "t.csv")
    text = (tmp_path / "t.csv").read_text(encoding="utf-8")
    assert "# kind: P, AVX2, 512 KiB of second cache, 100 GFLOP/s each\n" in text
    assert "float32,resnet50,1,3,0.750,1.500,-,-,-,-\n" in text
    assert "float32,vgg11,1,3,0.750,-,-,-,?,-\n" in text
    assert "load_ms,resnet50,1,30,0.750,1.500,-,-,-,-\n" in text
    read = tables.read(tmp_path / "t.csv")
    assert read.not_timed() == ["ncnn on resnet50: no layer"]
    assert {row.network: row.fastest() for row in read.of("float32")} == {
        "resnet50": 1.5,
        "vgg11": None,
    }
