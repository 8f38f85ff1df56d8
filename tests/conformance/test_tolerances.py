# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The table of allowed errors: complete, as its page says, and compared by it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.backends.questions.layer_support import LayerSignature
from armnn_py.descriptors import ElementwiseBinaryDescriptor
from armnn_py.guard.outcome import CheckFailedError, nearly_equal
from armnn_py.testing.cases import Case, all_cases
from armnn_py.testing.checks.numbers import check_numbers
from armnn_py.testing.oracles.independent import steps_by_definition, unsure_elements
from armnn_py.testing.oracles.reference import Expectation
from armnn_py.testing.tolerances import Tolerance, compare, table, tolerance_of
from armnn_py.types import DataType, LayerType
from armnn_py.types.facts import FACTS

F32 = DataType.FLOAT32
ALLOWED = Tolerance(relative=1e-3, scaled=0.0)
SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "generate_tolerances_page.py"


def test_the_page_is_what_the_table_says() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_is_a_row_for_every_layer_and_type() -> None:
    for layer in LayerType:
        for data_type in DataType:
            assert tolerance_of(layer.label, data_type.label).relative < 0.1
    labels = {layer.label for layer in LayerType} | {"*"}
    for row in table()["special"]:
        assert set(row["layers"]) <= labels
    arithmetics = {facts.arithmetic for facts in FACTS.values()} | {"*"}
    for row in table()["row"]:
        assert set(row["arithmetic"]) <= arithmetics
    assert tolerance_of("Transpose", "float32") == Tolerance(0.0, 0.0)
    assert tolerance_of("Convolution2d", "qasymm_u8").steps == 1


def array(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (array(1.0009, 2), array(1, 2)),
        (array(np.nan, np.inf), array(np.nan, np.inf)),
        (array(0.0), array(-0.0)),
        (array(1e-45), array(0.0)),
        (array(np.inf), np.array([3.4028235e38])),
    ],
)
def test_values_within_tolerance(found: np.ndarray, expected: np.ndarray) -> None:
    assert compare(found, expected, F32, ALLOWED) == ""


@pytest.mark.parametrize(
    ("found", "expected", "words"),
    [
        (array(1, 1.9, 3.3), array(1, 2, 3), r"element [2] is 3.3, 3.0 expected (2 of 3"),
        (array(1), array(np.nan), "element [0] is 1.0, nan expected"),
        (array(np.nan), array(1), "element [0] is nan, 1.0 expected"),
        (array(-np.inf), array(np.inf), "element [0] is -inf, inf expected"),
        (array(3e38), array(np.inf), "element [0] is 3e+38, inf expected"),
        (array(0.0), array(1e-40), "element [0] is 0.0, 1e-40 expected"),
        (array(1, 2), array(1), "shape (2,) found, (1,) expected"),
    ],
)
def test_values_out_of_tolerance(found: np.ndarray, expected: np.ndarray, words: str) -> None:
    assert words in compare(found, expected, F32, ALLOWED)


def test_moved_values_are_compared_by_bits() -> None:
    exact = Tolerance(0.0, 0.0)
    assert compare(array(0.0), array(-0.0), F32, exact) != ""
    assert compare(array(np.nan), array(np.nan), F32, exact) == ""


def test_a_large_value_stands_for_the_terms_of_a_sum() -> None:
    found, expected = array(1e-5, 100), array(0, 100)
    assert compare(found, expected, F32, ALLOWED) != ""
    assert compare(found, expected, F32, Tolerance(1e-3, 1e-6)) == ""


def test_quantised_numbers_have_steps() -> None:
    found, expected = np.array([3, 200], np.uint8), np.array([2, 200], np.uint8)
    assert compare(found, expected, DataType.QASYMM_U8, Tolerance(0.0, 0.0, 1)) == ""
    assert "is 3, 2 expected" in compare(
        found, expected, DataType.QASYMM_U8, Tolerance(0.0, 0.0, 0)
    )


def test_sixteen_bits_of_a_bfloat16() -> None:
    one = np.array([0x3F80], np.uint16)
    other = np.array([0x3F81], np.uint16)
    allowed = tolerance_of("Activation", "bfloat16")
    assert compare(one, np.array([1.0]), DataType.BFLOAT16, allowed) == ""
    assert compare(other, one, DataType.BFLOAT16, Tolerance(1e-3, 0.0)) != ""


def test_partial_sums_may_be_rounded_elsewhere() -> None:
    assert nearly_equal(array(1, 100), array(1.000005, 100))
    assert not nearly_equal(array(1, 100), array(1.01, 100))
    assert nearly_equal(array(np.nan), array(np.nan))
    assert not nearly_equal(np.array([1]), np.array([2]))


def test_denormals_may_count_as_zeros_of_their_sign() -> None:
    """As ``descriptors.h`` has it: an output that small, and what comes of such an input."""
    (case, *_) = (
        one
        for one in all_cases("quick", layers=[LayerType.ELEMENTWISE_UNARY])
        if one.type is F32 and one.most_elements >= 8 and "log" in one.name
    )
    (special,), (flushed,) = case.values("special"), case.values("flushed")
    assert special is not None
    assert flushed is not None
    is_denormal = (special != 0) & (np.abs(special) < np.finfo(np.float32).smallest_normal)
    assert is_denormal.any()
    assert (flushed[is_denormal] == 0).all()
    np.testing.assert_array_equal(np.signbit(flushed), np.signbit(special))
    np.testing.assert_array_equal(flushed[~is_denormal], special[~is_denormal])

    with np.errstate(all="ignore"):
        logs = {kind: np.log(case.values(kind)[0]) for kind in ("special", "flushed")}
    expected = {kind: [Expectation("numpy", [logs[kind]])] for kind in logs}
    for found in logs.values():  # log(1e-40) is -92.1; that of zero is -inf
        check(case, found, expected)
    with pytest.raises(CheckFailedError, match="is not numpy's, with special values"):
        check(case, logs["flushed"], {"special": expected["special"]})
    tiny = {kind: [Expectation("numpy", [np.full_like(special, -1e-40)])] for kind in logs}
    check(case, np.full_like(special, -0.0), tiny)
    with pytest.raises(CheckFailedError, match="with special values: element"):
        check(case, np.full_like(special, 1e-37), tiny)


def check(case: Case, found: Any, expected: Any) -> None:
    prepared: Any = SimpleNamespace(finite_math_only=False, run=lambda _values: [found])
    check_numbers(case, prepared, expected, lambda _step: None)


@pytest.mark.parametrize(
    ("operation", "x", "y", "is_unsure"),
    [
        (ann.BinaryOperation.MOD, -53, 91, True),  # -1.1348236 and 1.1348235
        (ann.BinaryOperation.MOD, -20, 91, False),
        (ann.BinaryOperation.ADD, -53, 91, False),
        (ann.BinaryOperation.MUL, 127, 127, False),
    ],
)  # fmt: skip
def test_elements_at_a_jump_decide_nothing(
    operation: ann.BinaryOperation, x: int, y: int, is_unsure: bool
) -> None:
    infos = [
        ann.TensorInfo((1,), DataType.QSYMM_S8, quantization=ann.QuantizationInfo(scale))
        for scale in (0.02141176536679268, 0.012470588088035583, 0.010626998730003834)
    ]
    descriptor = ElementwiseBinaryDescriptor(operation=operation)
    signature = LayerSignature(
        LayerType.ELEMENTWISE_BINARY, descriptor, tuple(infos[:2]), (infos[2],), (False, False)
    )
    values = [np.array([number], np.int8) for number in (x, y)]
    real = steps_by_definition(signature, values)
    assert real is not None
    unsure = unsure_elements(signature, values, real[0])
    assert unsure is not None
    assert unsure.tolist() == [is_unsure]
