# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Wrong quantised kernels: each is found at the quick level, and what is right passes."""

from __future__ import annotations

import re

import pytest

from armnn_py.testing import check_conformance
from armnn_py.types import DataType, LayerType

from .conftest import WRONG, Build

CONVOLUTION, ADD = LayerType.CONVOLUTION2D, LayerType.ELEMENTWISE_BINARY

#: The layer that is wrong, and what the report says.
DEFECTS = {
    "CONVOLUTION_HAS_ONE_QUANTIZATION": (CONVOLUTION, r"element \[.*\] is .* expected"),
    "OUTPUT_SCALE_IS_INPUTS": (CONVOLUTION, r"element \[.*\] is .* expected"),
    "OUTPUT_POINT_IS_INPUTS": (CONVOLUTION, r"element \[.*\] is .* expected"),
    "IGNORES_CHANNEL_SCALES": (CONVOLUTION, r"element \[.*\] is .* expected"),
    "FORGETS_POINT_IN_PADDING": (CONVOLUTION, r"element \[.*\] is .* expected"),
    "IS_ONE_TOO_LOW": (CONVOLUTION, "steps too low in the mean"),
    "TRUNCATES_SUMS": (CONVOLUTION, "are not the nearest step"),
    "IGNORES_POINT_OF_WEIGHTS": (CONVOLUTION, r"element \[.*\] is .* expected"),
    "PADS_TOP_AS_LEFT": (CONVOLUTION, r"element \[.*\] is .* expected"),
    "IGNORES_DILATION": (CONVOLUTION, r"element \[.*\] is .* expected"),
    "IGNORES_GROUPS": (CONVOLUTION, r"element \[.*\] is .* expected"),
    "IGNORES_RIGHT_QUANTIZATION": (ADD, r"element \[.*\] is .* expected"),
    "IGNORES_OUTPUT_QUANTIZATION": (ADD, r"element \[.*\] is .* expected"),
    "TRUNCATES_IN_QUANTIZE": (LayerType.QUANTIZE, "are not the nearest step"),
}


def test_every_defect_of_the_source_is_listed() -> None:
    names = re.findall(r"^  ([A-Z][A-Z0-9_]+),$", (WRONG / "integers.c").read_text(), re.MULTILINE)
    assert set(names) == {"NONE", *DEFECTS}


@pytest.mark.exhaustive(kept=3)
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_found(defect: str, wrong_integers: Build) -> None:
    layer, words = DEFECTS[defect]
    report = check_conformance(
        wrong_integers(defect), layers=[layer], types=[DataType.QASYMM_S8], groups=["numbers"]
    )
    messages = [result.message for result in report.bad()]
    assert any(re.search(words, message) for message in messages), messages[:5]


def test_without_a_defect_everything_passes(wrong_integers: Build) -> None:
    report = check_conformance(wrong_integers("NONE"), types=[DataType.QASYMM_S8])
    assert report.ok, report.changes[:5]
    passed = {one.layer for one in report.results if one.outcome == "passed"}
    assert passed == {"Convolution2d", "FullyConnected", "ElementwiseBinary", "Quantize"}
