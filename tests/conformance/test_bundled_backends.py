# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Our backends and the samples pass the kit, with layers of theirs really tried.

Numbers of CpuRef and CpuAcc are looked at in `tests/cpu_ref/test_definitions.py`, with the same
cases and verdicts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py.testing import Report, check_conformance
from armnn_py.testing.outcome import Group
from tests.samples.conftest import sample_backend, sdk_cmake_folder, xnnpack_library

__all__ = ["sample_backend", "sdk_cmake_folder", "xnnpack_library"]  # fixtures


ALL_BUT_NUMBERS: tuple[Group, ...] = ("truth", "memory", "reentrance", "subgraphs", "features")


def passed(report: Report) -> dict[str, set[str]]:
    """The layers that passed each check."""
    found: dict[str, set[str]] = {}
    for result in report.results:
        if result.outcome == "passed":
            found.setdefault(result.group, set()).add(result.layer)
    return found


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
def test_cpu_ref() -> None:
    report = check_conformance("CpuRef", groups=ALL_BUT_NUMBERS)
    assert report.ok, report.changes[:5]
    for group in ("truth", "memory", "reentrance"):
        assert len(passed(report)[group]) > 40


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
def test_cpu_acc() -> None:
    with ann.Runtime() as runtime:
        if "CpuAcc" not in runtime.backends:
            pytest.skip("CpuAcc is not here")
    report = check_conformance("CpuAcc", groups=ALL_BUT_NUMBERS)
    assert report.ok, report.changes[:5]
    for group in ("truth", "memory", "reentrance"):
        assert len(passed(report)[group]) > 25
    assert "subgraphs" in passed(report)


@pytest.mark.packaging
@pytest.mark.parametrize(
    ("name", "layers"),
    [
        ("sample_scale", {"Activation"}),
        pytest.param(
            "sample_zero",
            {"Activation", "Concat", "Convolution2d", "ElementwiseBinary"},
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            "sample_npu",
            {"Activation", "Convolution2d", "ElementwiseBinary"},
            marks=pytest.mark.exhaustive,
        ),
    ],
)
def test_samples(name: str, layers: set[str], sample_backend: Callable[[str], Path]) -> None:
    report = check_conformance(sample_backend(name))
    assert report.ok, report.changes[:5]
    assert layers <= passed(report)["numbers"]
    assert "" in passed(report)["subgraphs"]


@pytest.mark.exhaustive
@pytest.mark.packaging
@pytest.mark.timeout(900)
def test_xnnpack(xnnpack_library: Path) -> None:
    report = check_conformance(xnnpack_library)
    assert report.ok, report.changes[:5]
    assert len(passed(report)["numbers"]) > 12
    assert "subgraphs" in passed(report)
