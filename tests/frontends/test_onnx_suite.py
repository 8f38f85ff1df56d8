# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Every recorded case of the ONNX project's own test data still passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from armnn_py.testing.onnx_suite import score_onnx
from armnn_py.testing.onnx_suite.score import read_expected

CASE_LIST = Path(__file__).parent / "onnx_cases.txt"


@pytest.mark.models
@pytest.mark.parametrize("backends", [["CpuRef"], ["CpuAcc", "CpuRef"]], ids="-".join)
def test_recorded_cases_pass(models_folder: Path, backends: list[str]) -> None:
    data = models_folder / "testdata" / "1.20.1"
    score = score_onnx(data=data, backends=backends, expect=CASE_LIST)
    messages = {one.title: one.message for one in score.results}
    assert {title: messages.get(title, "no such case") for title in score.lost} == {}


def test_the_record_is_the_floor() -> None:
    """The number may only grow."""
    assert len(read_expected(CASE_LIST)) >= 1690
