# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Each defect is found, by the check that is there for it; and what is right passes."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from armnn_py.testing import check_conformance
from armnn_py.testing.features import FEATURES
from armnn_py.types import DataType, LayerType

from .conftest import WRONG, Build

ADD, RELU = LayerType.ELEMENTWISE_BINARY, LayerType.ACTIVATION
SOFTMAX, DENSE = LayerType.SOFTMAX, LayerType.FULLY_CONNECTED
GROUPS = ("truth", "numbers", "memory", "reentrance")

#: The layer that is wrong, the check that finds it, how it ends, and what the report says.
DEFECTS = {
    "WRITES_BEHIND_OUTPUT": (ADD, "memory", "crashed", "SIGSEGV"),
    "WRITES_BEFORE_OUTPUT": (ADD, "memory", "failed", "wrote beside output 0, .* before its start"),
    "READS_BEHIND_INPUT": (ADD, "memory", "crashed", "SIGSEGV"),
    "WRITES_INPUT": (ADD, "memory", "failed", "an input was written to"),
    "LEAVES_LAST_ELEMENT": (RELU, "memory", "failed", "depends on what was in memory"),
    "KEEPS_ADDRESS": (ADD, "memory", "crashed", "SIGSEGV"),
    "READS_FRESH_SCRATCH": (SOFTMAX, "memory", "failed", "depends on what was in memory"),
    "WRITES_BEHIND_SCRATCH": (SOFTMAX, "memory", "crashed", "SIGSEGV"),
    "READS_CONSTANT_LATER": (DENSE, "memory", "crashed", "SIGSEGV"),
    "FINDS_WEIGHTS_BY_ADDRESS": (DENSE, "memory", "failed", "with constants that lay there before"),
    "ASSUMES_ALIGNMENT": (ADD, "memory", "crashed", "SIGSEGV"),
    "TOUCHES_EMPTY_OUTPUT": (ADD, "memory", "crashed", "SIGSEGV"),
    "OFFERS_WRONG_PLACE": (SOFTMAX, "memory", "failed", "in the memory of input 0"),
    "READS_FURTHER_THAN_ASKED": (ADD, "memory", "crashed", "SIGSEGV"),
    "USES_WHAT_LIES_BEHIND": (ADD, "memory", "failed", "depends on what was in memory"),
    "WRITES_WHERE_IT_MAY_READ": (ADD, "memory", "failed", "wrote beside input 0, 0 bytes behind"),
    "WRITES_BEHIND_STATE": (ADD, "memory", "crashed", "SIGSEGV"),
    "LEAKS_IN_EXECUTE": (ADD, "memory", "failed", "is not freed: .* bytes more of the heap"),
    "LEAKS_PAGES_IN_EXECUTE": (ADD, "memory", "failed", "is not freed: .* bytes more of addresses"),
    "WRONG_BY_A_THOUSANDTH": (ADD, "numbers", "failed", r"element \[.*\] is .* expected"),
    "SWALLOWS_NAN": (RELU, "numbers", "failed", "with special values.*nan expected"),
    "BROADCASTS_WRONGLY": (ADD, "numbers", "failed", r"element \[.*\] is .* expected"),
    "IGNORES_AXIS": (SOFTMAX, "numbers", "failed", r"element \[.*\] is .* expected"),
    "IGNORES_NEGATIVE_AXES": (SOFTMAX, "numbers", "failed", r"element \[.*\] is .* expected"),
    "FORGETS_FACTOR_OF_TANH": (RELU, "numbers", "failed", r"element \[.*\] is .* expected"),
    "HAS_ROOM_FOR_1024": (SOFTMAX, "numbers", "failed", r"element \[.*\] is .* expected"),
    "FORGETS_HIGH_RANKS": (ADD, "numbers", "failed", r"element \[.*\] is .* expected"),
    "FORGETS_BIAS": (DENSE, "numbers", "failed", r"element \[.*\] is .* expected"),
    "KEEPS_24_BITS_OF_SUMS": (DENSE, "numbers", "failed", r"element \[.*\] is .* expected"),
    "TAKES_EVERYTHING": (ADD, "truth", "failed", "was taken but is not made: .*it has Add"),
    "ANSWERS_4242": (ADD, "truth", "failed", "answered 4242"),
    "GIVES_NO_REASON": (ADD, "truth", "failed", "without a reason"),
    "CHANGES_ITS_MIND": (ADD, "truth", "failed", "asked twice, two answers: .*not now"),
    "PLURAL_DIFFERS": (ADD, "truth", "failed", "are_layers_supported refuses what"),
    "COUNTS_ITS_CALLS": (ADD, "truth", "failed", "differs between two runs"),
    "READS_ABSENT_BIAS": (DENSE, "truth", "crashed", "SIGSEGV"),
    "EXECUTE_FAILS": (ADD, "truth", "failed", "execute answered 77: no luck today"),
    "ODD_ALIGNMENT": (ADD, "truth", "failed", "aligned to 3 bytes"),
    "CONSUMES_WHAT_IS_NOT_CONSTANT": (RELU, "truth", "failed", "packed input 0"),
    "ABORTS": (ADD, "truth", "crashed", "SIGABRT"),
    "LOOPS": (ADD, "truth", "hung", "did not return within"),
    "EXITS": (ADD, "truth", "crashed", "^the process ended with exit code 0; under way: execute"),
    "SHARES_ITS_ARGUMENT": (ADD, "reentrance", "(failed|crashed)", "two runs overlap|SIGSEGV"),
    "SCRATCH_TOO_SMALL_FOR_MORE_THREADS": (SOFTMAX, "reentrance", "crashed", "SIGSEGV"),
    "EXPECTS_ORDER": (ADD, "reentrance", "failed", "parallel_for cuts backwards"),
    "INDEX_OF_THREAD_AS_PLACE": (ADD, "reentrance", "failed", "parallel_for cuts"),
    "SHARES_SCRATCH_OF_THREADS": (
        SOFTMAX,
        "reentrance",
        "failed",
        "pieces of its work run at once",
    ),
    "ROUNDS_UPWARD": (ADD, "reentrance", "failed", "how numbers are rounded"),
    "CHANGES_FOLDER": (ADD, "reentrance", "failed", "changed the working folder"),
    "ROUNDS_UPWARD_IN_OTHER_THREADS": (
        SOFTMAX,
        "reentrance",
        "failed",
        "a thread of parallel_for: execute changed how numbers are rounded",
    ),
    "FLUSHES_DENORMALS_IN_OTHER_THREADS": (
        SOFTMAX,
        "reentrance",
        "failed",
        "a thread of parallel_for: execute changed how denormals are computed",
    ),
    "LEAVES_FILES_OPEN": (ADD, "reentrance", "failed", "leaves 1 file open in each run"),
    "WRITES_DESCRIPTOR": (ADD, "truth", "failed", "create_workload wrote to its descriptor"),
    "HAS_ROOM_FOR_FEW_LAYERS": (ADD, "subgraphs", "failed", r"output 'y\d+' of the \w+ run: "),
    "SLEEPS_IN_CREATE": (ADD, "load", "hung", "did not return within"),
    "DIES_IN_DESTROY": (ADD, "load", "crashed", "loads, and does not close: signal 6 .SIGABRT"),
    "ADDS_OTHERWISE_AFTER_OTHERS": (ADD, "numbers", "failed", "only after 12 other cases in one"),
    "ABORTS_AFTER_OTHERS": (ADD, "truth", "crashed", "SIGABRT.*only after 12 other cases"),
    "DIES_IN_DESTROY_AFTER_MANY": (
        ADD,
        "truth",
        "crashed",
        "SIGABRT.*only after 24 cases in one process, none alone",
    ),
}
#: What an eighth of the many cases of an addition does not show.
NEEDS_ALL = {
    "BROADCASTS_WRONGLY", "HAS_ROOM_FOR_FEW_LAYERS", "ADDS_OTHERWISE_AFTER_OTHERS",
    "ABORTS_AFTER_OTHERS", "DIES_IN_DESTROY_AFTER_MANY",
}  # fmt: skip
#: Where the instruction set decides whether it is wrong at all.
ONLY_X86 = {"ASSUMES_ALIGNMENT", "FLUSHES_DENORMALS_IN_OTHER_THREADS"}


def test_every_defect_of_the_sources_is_listed() -> None:
    text = (WRONG / "wrong.h").read_text()
    names = re.findall(r"^  ([A-Z][A-Z0-9_]+),$", text, re.MULTILINE)
    assert set(names) == {"NONE", *DEFECTS}
    assert len(DEFECTS) >= 25


@pytest.mark.exhaustive(kept=4)
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_found_by_its_check(defect: str, wrong_backend: Build) -> None:
    if defect in ONLY_X86 and platform.machine() != "x86_64":
        pytest.skip("an x86 instruction")
    layer, group, outcome, words = DEFECTS[defect]
    timeout = 1.5 if outcome == "hung" else 10
    of_networks = group == "subgraphs"  # they need all layers
    report = check_conformance(
        wrong_backend(defect),
        layers=[] if of_networks else [layer],
        types=[] if of_networks else [DataType.FLOAT32],
        groups=GROUPS if group == "load" else [group],
        timeout=timeout,
        part=(1, 8) if layer is ADD and defect not in NEEDS_ALL else (1, 1),
    )
    assert not report.ok
    found = [
        result
        for result in report.bad()
        if result.group == group
        and re.fullmatch(outcome, result.outcome)
        and re.search(words, result.message)
    ]
    assert found, [result.as_dict() for result in report.bad()[:5]]
    for result in found:
        if group != "load" and result.outcome in ("crashed", "hung"):
            # The call, and what the layer reads and makes.
            assert re.search(
                r"; under way: (\w+|parallel_for).*; .*float32 .* -> float32 ", result.message
            )
    # Nobody else is blamed.
    assert {result.group for result in report.bad()} <= {group, "load", "truth"}


@pytest.mark.exhaustive
def test_without_a_defect_everything_passes(wrong_backend: Build) -> None:
    report = check_conformance(wrong_backend("NONE"), types=[DataType.FLOAT32])
    assert report.ok, report.changes
    passed = {(r.layer, r.group) for r in report.results if r.outcome == "passed"}
    layers = [layer.label for layer in (ADD, RELU, SOFTMAX, DENSE)]
    assert passed == {(layer, group) for layer in layers for group in GROUPS}


def test_a_backend_that_says_that_nan_may_get_lost(wrong_backend: Build) -> None:
    report = check_conformance(
        wrong_backend("SWALLOWS_NAN", "-DSAYS_SO"), layers=[RELU], types=[DataType.FLOAT32]
    )
    assert report.ok, report.changes
    assert any(one.group == "numbers" and one.outcome == "passed" for one in report.results)


def test_calls_of_a_serial_workload_do_not_overlap(wrong_backend: Build) -> None:
    """What is wrong where calls overlap is right where it asks for one at a time."""
    report = check_conformance(
        wrong_backend("SHARES_ITS_ARGUMENT", "-DIS_SERIAL"),
        layers=[ADD],
        types=[DataType.FLOAT32],
        groups=["reentrance"],
    )
    assert report.ok, report.changes
    assert any(result.outcome == "passed" for result in report.results)


@pytest.mark.exhaustive
def test_tensors_that_do_not_last(build_backend: Callable[..., None], tmp_path: Path) -> None:
    """A backend with memory of its own has to keep what is in the handles of variables."""
    for defines, outcome in (((), "passed"), (("-DFORGETS",), "failed")):
        folder = tmp_path / outcome
        folder.mkdir()
        build_backend("handle_backend.c", folder / "Test_Handle_backend.so", *defines)
        report = check_conformance(
            folder / "Test_Handle_backend.so",
            layers=[LayerType.ELEMENTWISE_UNARY],
            types=[DataType.FLOAT32],
            groups=["numbers", "memory"],
        )
        assert outcome in {result.outcome for result in report.results if result.group == "memory"}
        assert {result.group for result in report.bad()} <= {"memory"}
        assert report.ok is (outcome == "passed")
        for result in report.bad():
            assert "does not go on where the run before it ended" in result.message


@pytest.mark.exhaustive
def test_handles_that_are_not_freed(build_backend: Callable[..., None], tmp_path: Path) -> None:
    build_backend("handle_backend.c", tmp_path / "Test_Handle_backend.so", "-DLEAKS")
    lives = (list(FEATURES).index("lives") + 1, len(FEATURES))
    report = check_conformance(tmp_path / "Test_Handle_backend.so", groups=["features"], part=lives)
    (bad,) = report.bad()
    assert re.search("each load of a network leaves .* of the heap behind", bad.message)
