# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a backend has beyond layers: each defect is found, and what is right passes."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from armnn_py.testing import Report, check_conformance
from armnn_py.testing.features import FEATURES
from armnn_py.testing.features.services import failing_calls
from armnn_py.types import LayerType

from .conftest import REPOSITORY, WRONG, Build

#: The feature that is wrong, and what the report says.
DEFECTS = {
    "READS_THE_BOUND": ("bounded shapes", "'Softmax of columns', 1 rows where up to 9 may come"),
    "DEFAULT_IS_ANOTHER": ("options", "'gain' is given as its stated default, 1"),
    "MODEL_DEFAULT_IS_ANOTHER": ("options", "'exact' is given as its stated default, True"),
    "DEFAULT_TAKES_OTHER_LAYERS": (
        "options",
        "Softmax/float32/3x4x5' is refused where option 'volumes' is given as its",
    ),
    "CHANGES_FOR_GOOD": ("options", "'gain' was changed and set back to 1"),
    "RUN_OPTION_STAYS": ("run options", "a run with option 'factor' = 3 came before"),
    "RUN_OPTION_IS_GLOBAL": ("run options", "with option 'factor' = 3 goes on at the same time"),
    "LEAVES_A_FILE_OF_EACH_LOAD": ("lives", "each load leaves 1 open files behind: 8 after 8"),
    "LEAVES_A_FILE_OF_EACH_OPEN": ("lives", "each open leaves 1 open files behind: 8 after 8"),
    "REFUSES_A_SECOND_INSTANCE": ("lives", "the device is in use"),
    "LOCKS_OUT_A_SECOND_INSTANCE": ("lives", "did not return within"),
    "INSTANCES_ADD_UP": ("lives", "beside a second instance a layer gives other numbers"),
    "LEAKS_HEAP_OF_EACH_OPEN": ("lives", "bytes of the heap behind"),
    "LEAKS_HEAP_OF_EACH_LOAD": ("lives", "bytes of the heap behind"),
    "LEAVES_A_THREAD_OF_EACH_OPEN": ("lives", "each open leaves 1 threads behind"),
    "LEAKS_HEAP_OF_EACH_THREAD": ("lives", "each set of 8 threads leaves"),
    "LEAKS_PAGES_OF_EACH_LOAD": ("lives", "each load leaves 4.1e+03 bytes of addresses behind"),
    "NEEDS_THE_CLOCK": ("services", "SIGSEGV"),
    "FREES_TWICE_WITHOUT_MEMORY": ("services", "it releases memory twice"),
    "LEAKS_WITHOUT_MEMORY": ("services", "memory is not released, 1 blocks"),
    "READS_AFTER_CLOSE": ("services", "SIGSEGV"),
}


def features_of(file: Path, only: str = "") -> Report:
    part = (list(FEATURES).index(only) + 1, len(FEATURES)) if only else (1, 1)
    return check_conformance(file, groups=["features"], part=part)


def outcomes(report: Report) -> dict[str, str]:
    return {one.case: one.outcome for one in report.results if one.group == "features"}


def test_every_defect_of_the_source_is_listed() -> None:
    names = re.findall(r"^  ([A-Z][A-Z0-9_]+),$", (WRONG / "features.c").read_text(), re.MULTILINE)
    assert set(names) == {"NONE", *DEFECTS}


@pytest.mark.exhaustive(kept=1)
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_found_by_its_check(defect: str, wrong_features: Build) -> None:
    feature, words = DEFECTS[defect]
    report = features_of(wrong_features(defect), feature)
    assert not report.ok
    (bad,) = report.bad()
    ends = {"SIGSEGV": "crashed", "did not return within": "hung"}
    outcome = ends.get(words, "failed")
    assert (bad.case, bad.group, bad.outcome) == (feature, "features", outcome)
    assert words in bad.message


@pytest.mark.exhaustive
def test_without_a_defect_everything_passes(wrong_features: Build) -> None:
    report = check_conformance(wrong_features("NONE"))
    assert report.ok, report.changes
    assert outcomes(report) == {
        "bounded shapes": "passed",
        "options": "passed",
        "run options": "passed",
        "blobs": "refused",
        "state": "passed",
        "sizes": "passed",
        "lives": "passed",
        "services": "passed",
        "handles": "refused",
        "fences": "refused",
    }
    alone = features_of(wrong_features("NONE"))
    assert alone.executed == 7
    assert alone.ok
    rows = {row.layer: row for row in report.matrix()}
    assert rows["(options)"].counts == {"passed": 1}
    assert "reads no compiled sub-graphs" in rows["(blobs)"].reason


#: What a backend changes: words of the report.
CHANGES = {
    "round": "how numbers are rounded",
    "mask": "which signals are blocked",
    "handler": "which signals are handled",
    "folder": "the working folder",
    "locale": "the locale",
}


@pytest.mark.exhaustive(kept=1)
@pytest.mark.parametrize("site", ["create", "execute"])
@pytest.mark.parametrize("deed", CHANGES)
def test_the_process_is_as_it_was(
    deed: str,
    site: str,
    tmp_path: Path,
    build_backend: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    build_backend("deed_backend.c", tmp_path / "Test_Deed_backend.so")
    monkeypatch.setenv("DEED_Deed", deed)
    monkeypatch.setenv("SITE_Deed", site)
    lives = site == "create"
    report = check_conformance(
        tmp_path / "Test_Deed_backend.so",
        layers=[] if lives else [LayerType.ELEMENTWISE_UNARY],
        groups=["features" if lives else "reentrance"],
        part=(list(FEATURES).index("lives") + 1, len(FEATURES)) if lives else (1, 1),
    )
    assert report.bad()
    assert all(f"changed {CHANGES[deed]}" in one.message for one in report.bad())


def test_missing_features_are_refused_with_a_reason(wrong_backend: Build) -> None:
    report = features_of(wrong_backend("NONE"))
    found = outcomes(report)
    for name in ("lives", "services", "state", "sizes"):
        assert found.pop(name) == "passed"
    assert set(found.values()) == {"refused"}
    assert all(one.message for one in report.results if one.outcome == "refused")


def sample(name: str, folder: Path, *changes: tuple[str, str, str]) -> Path:
    """Build a sample, after changes to copies of its files."""
    source = folder / "source"
    shutil.copytree(REPOSITORY / "examples" / "backends" / f"sample_{name}", source)
    for file, before, after in changes:
        text = (source / file).read_text(encoding="utf-8")
        assert before in text
        (source / file).write_text(text.replace(before, after), encoding="utf-8")
    built = folder / f"Sample_{name.title()}_backend.so"
    subprocess.run(
        [
            *(os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-fPIC", "-shared"),
            *("-fvisibility=hidden", "-pthread", f"-I{REPOSITORY / 'native' / 'include'}"),
            f"-I{REPOSITORY / 'backends_c' / 'common' / 'include'}",
            *map(str, sorted(source.glob("*.c"))),
            *("-o", str(built), "-lm"),
        ],
        check=True,
    )
    return built


@pytest.mark.exhaustive
def test_bytes_that_are_believed(tmp_path: Path) -> None:
    """The sample looks at each number of a blob; without that, damaged ones do harm.

    Which harm depends on the machine: a count that is too large reads past the end or takes
    longer than the kit waits.
    """
    (tmp_path / "right").mkdir()
    (tmp_path / "wrong").mkdir()
    report = features_of(sample("npu", tmp_path / "right"), "blobs")
    assert report.bad() == []
    assert outcomes(report)["blobs"] == "passed"
    trusting = (
        "program.c",
        "bool npu_program_is_sound(const npu_program_t* program, uint64_t size) {",
        "bool npu_program_is_sound(const npu_program_t* program, uint64_t size) {\n"
        "  if (size != UINT64_MAX) return true;",
    )
    report = features_of(sample("npu", tmp_path / "wrong", trusting), "blobs")
    (bad,) = report.bad()
    assert bad.case == "blobs"
    assert bad.outcome in ("crashed", "hung")
    assert re.search("a blob of .* bytes, (only|byte)", bad.step)
    assert f"under way: {bad.step}" in bad.message


def test_calls_that_fail_are_spread_over_a_life() -> None:
    assert failing_calls(0) == []
    assert failing_calls(64) == list(range(1, 65))
    many = failing_calls(1000)
    assert (many[0], many[-1], len(many)) == (1, 1000, 64)
    assert max(b - a for a, b in itertools.pairwise(many)) == 16
