# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Wrong quantised kernels: each is found at the quick level, and what is right passes."""

from __future__ import annotations

import re
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from armnn_py.backends.questions.layer_support import LayerSignature
from armnn_py.descriptors import ReduceDescriptor
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.testing import check_conformance
from armnn_py.testing.cases import Case
from armnn_py.testing.checks.numbers import check_numbers
from armnn_py.testing.oracles.reference import Reference
from armnn_py.types import DataType, LayerType, ReduceOperation
from tests.cpu_ref.harness import Tensor
from tests.cpu_ref.tflite_models import tflite_node

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
    "KEEPS_24_BITS_OF_SUMS": (CONVOLUTION, r"element \[.*\] is .* expected"),
    "COUNTS_TILES_IN_8_BITS": (CONVOLUTION, r"element \[.*\] is .* expected"),
    "HAS_SCALES_OF_64_CHANNELS": (CONVOLUTION, r"element \[.*\] is .* expected"),
    "SHIFTS_TO_THE_RIGHT_ALONE": (CONVOLUTION, r"element \[.*\] is .* expected"),
    "SATURATES_PAIRS_AT_16_BITS": (CONVOLUTION, r"element \[.*\] is .* expected"),
    "IGNORES_RIGHT_QUANTIZATION": (ADD, r"element \[.*\] is .* expected"),
    "ADDS_STEPS_OF_EQUAL_SCALES": (ADD, r"element \[.*\] is .* expected"),
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


@pytest.mark.parametrize("shift", [0.0, -0.5])
def test_a_mean_with_the_arithmetic_of_tensorflow_lite(shift: float) -> None:
    """LiteRT rounds means of seven elements up by 0.3 steps; to truncate is wrong all the same."""
    quantization = QuantizationInfo((1 / 256,), (-128,))
    infos = [TensorInfo(shape, DataType.QASYMM_S8, quantization) for shape in ((256, 7), (256,))]
    mean = ReduceDescriptor(ReduceOperation.MEAN, False, (1,))
    signature = LayerSignature(LayerType.REDUCE, mean, (infos[0],), (infos[1],), (False,))
    case = Case("mean", DataType.QASYMM_S8, signature, (None,), 0)
    with Reference("another") as reference:
        (expected,) = reference.expectations([case], [["plain"]])
    (x,) = case.values()
    assert x is not None
    (real,) = next(one.real for one in expected["plain"] if one.real is not None)
    axes = Tensor(np.array([1], np.int32), constant=True)
    operands = [Tensor(x, quantization.scales, quantization.zero_points), axes]
    result = Tensor(np.zeros(256, np.int8), quantization.scales, quantization.zero_points)
    options = {"table": "ReducerOptions", "keepDims": False}
    found = tflite_node("MEAN", operands, result, options, version=2)
    assert (found - real).mean() > 0.2
    if shift:
        found = np.floor(real).astype(np.int8)
    prepared: Any = SimpleNamespace(finite_math_only=False, run=lambda values: [found])
    with pytest.raises(CheckFailedError, match="too low") if shift else nullcontext():
        check_numbers(case, prepared, expected, lambda words: None)
