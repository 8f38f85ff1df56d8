# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""All cases of the ONNX project's own test data pass, but those that are listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from armnn_py.testing.onnx_suite import Outcome, score_onnx
from armnn_py.testing.onnx_suite.score import read_expected

NOT_PASSED = Path(__file__).parent / "onnx_cases_not_passed.txt"


@pytest.mark.models
@pytest.mark.parametrize("backends", [["CpuRef"], ["CpuAcc", "CpuRef"]], ids="-".join)
def test_all_other_cases_pass(models_folder: Path, backends: list[str]) -> None:
    score = score_onnx(data=models_folder / "testdata" / "1.20.1", backends=backends)
    missed = {one.title: one.message for one in score.results if one.outcome is not Outcome.PASSED}
    for title in read_expected(NOT_PASSED):
        missed.pop(title, None)
    assert missed == {}
    assert len(score.results) == 1793


def test_the_list_may_only_shrink() -> None:
    assert len(read_expected(NOT_PASSED)) <= 72
