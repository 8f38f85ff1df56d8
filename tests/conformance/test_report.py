# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a report says, on the terminal and in files; what is known; what a failure leaves behind."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from armnn_py.errors import BackendError, InvalidArgumentError
from armnn_py.testing import Result, check_conformance
from armnn_py.testing.oracles.expected import Known, changes, read_known
from armnn_py.types import DataType, LayerType
from tests.cli.conftest import Command, check_answer, command

from .conftest import Build

__all__ = ["command"]  # a fixture

ADD, RELU = "ElementwiseBinary/float32/add-2x4-2x4", "Activation/float32/relu-2x4"
ONLY = ("--layer", "Activation", "--type", "float32")


def test_a_passing_backend_on_the_terminal(command: Command, wrong_backend: Build) -> None:
    answer = command("backends", "test", wrong_backend("NONE"), *ONLY)
    assert answer.code == 0, answer.err
    (row,) = (line for line in answer.out.splitlines() if line.startswith("Activation"))
    _, data_type, passed, refused, speed, reason = row.split(maxsplit=5)
    assert (data_type, reason) == ("float32", "it has ReLU and TanH")
    assert re.fullmatch(r"[\d.e+]+x", speed)
    assert int(passed) > 40
    assert int(refused) > 20
    assert f"Wrong, level quick: {passed} passed, {refused} refused" in answer.out


def test_a_layer_that_is_slower_than_the_reference(command: Command, wrong_features: Build) -> None:
    file = wrong_features("NONE", "-DWASTES_TIME")
    answer = command("backends", "test", file, *ONLY)
    assert answer.code == 0, answer.err
    assert re.search(r"Slower than CpuRef: Activation of float32 \(0\.0\d+x\)", answer.out)


@pytest.mark.exhaustive
def test_a_failing_backend_leaves_reports_and_programs(
    command: Command, wrong_backend: Build, tmp_path: Path
) -> None:
    file = wrong_backend("SWALLOWS_NAN")
    out, xml, repro = tmp_path / "report.json", tmp_path / "report.xml", tmp_path / "repro"
    answer = command("--json", "backends", "test", file, *ONLY, "--report", out, "--repro", repro)
    assert answer.code == 5
    document = answer.json
    assert document["error"]["message"].startswith("backend 'Wrong': ")
    failed = [result for result in document["results"] if result["outcome"] == "failed"]
    assert {(one["layer"], one["group"]) for one in failed} == {("Activation", "numbers")}
    assert "nan expected" in failed[0]["message"]
    written = json.loads(out.read_text())
    assert written["results"] == document["results"]
    check_answer({"schema": "armnn-py/backends-test/1", "ok": True, **written})

    script, arrays = map(Path, failed[0]["files"])
    assert repro in script.parents
    with np.load(arrays) as found:
        assert {"x0", "found", "expected"} <= set(found.files)
        assert np.isnan(found["x0"]).any()
        assert not np.isnan(found["found"]).any()
    text = script.read_text()
    assert len(text.splitlines()) <= 14
    assert f"gdb -ex run -ex 'backtrace 8' --args {sys.executable} {script}" in text
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert "numbers: failed output 0 is not numpy's" in done.stdout, done.stderr
    assert done.returncode == 1

    assert command("backends", "test", file, *ONLY, "--report", xml).code == 5
    suite = ET.parse(xml).getroot()
    assert int(suite.get("failures", "")) == len(failed)
    assert len(suite.findall("testcase/failure")) == len(failed)
    assert suite.findall("testcase/skipped")


def test_a_case_that_fails_twice_leaves_both(wrong_backend: Build, tmp_path: Path) -> None:
    report = check_conformance(
        wrong_backend("LEAVES_LAST_ELEMENT"),
        layers=[LayerType.ACTIVATION],
        types=[DataType.FLOAT32],
        groups=["numbers", "memory"],
        repro=tmp_path,
    )
    bad = Counter(result.case for result in report.bad())
    twice = next(case for case, count in bad.items() if count == 2)
    for result in report.bad():
        if result.case == twice:
            with np.load(result.files[1]) as found:
                assert len(found.files) > 1


@pytest.mark.exhaustive
def test_a_program_for_a_crash_crashes(wrong_backend: Build, tmp_path: Path) -> None:
    report = check_conformance(
        wrong_backend("ABORTS"),
        layers=[LayerType.ELEMENTWISE_BINARY],
        types=[DataType.FLOAT32],
        groups=["truth"],
        repro=tmp_path,
    )
    (result, *_) = (one for one in report.bad() if one.case == ADD)
    script, arrays = result.files
    with np.load(arrays) as found:
        assert set(found.files) == {"x0", "x1"}
    done = subprocess.run([sys.executable, script], capture_output=True, check=False)
    assert done.returncode == -6


@pytest.mark.exhaustive
def test_known_failures_are_no_failures(
    command: Command, wrong_backend: Build, tmp_path: Path
) -> None:
    known = tmp_path / "known.toml"
    known.write_text(
        '[[known]]\ncase = "Activation/float32/*"\ngroup = "numbers"\noutcome = "failed"\n'
        'why = "NaN is no matter there"\n'
    )
    bad, good = wrong_backend("SWALLOWS_NAN"), wrong_backend("NONE")
    assert command("backends", "test", bad, *ONLY, "--expect", known).code == 0
    answer = command("backends", "test", good, *ONLY, "--expect", known)
    assert answer.code == 5
    assert "is known, but nothing is like that any more" in answer.out


def test_changes_that_count() -> None:
    refused = Result(RELU, "Activation", "float32", "truth", "refused", "no")
    failed = Result(ADD, "ElementwiseBinary", "float32", "numbers", "failed", "off")
    fine = Result(ADD, "ElementwiseBinary", "float32", "truth", "passed")
    results = [refused, failed, fine]
    assert [change.case for change in changes(results, [])] == [ADD]
    of_add = Known("ElementwiseBinary/*", "", "failed", "")
    assert changes(results, [of_add]) == []
    elsewhere = Known("ElementwiseBinary/*", "memory", "failed", "")
    assert [c.outcome for c in changes(results, [elsewhere])] == ["failed", "failed"]
    of_tanh = Known("Activation/*/tanh*", "", "refused", "")
    assert {c.case for c in changes(results, [of_add, of_tanh])} == {RELU, "Activation/*/tanh*"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("known = 3 4", "is not TOML"),
        ('[[known]]\ncase = "*"\noutcome = "passed"', "entry 1 is not understood"),
        ('[[known]]\ncase = "*"\noutcome = "failed"\ngroup = "speed"', "names group 'speed'"),
    ],
)
def test_a_file_of_known_results_that_makes_no_sense(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text(text)
    with pytest.raises(InvalidArgumentError, match=words):
        read_known(tmp_path / "known.toml")


def test_untestable_targets(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "Acme_Nothing_backend.so"
    file.write_bytes(b"nothing")
    with pytest.raises(BackendError, match="does not load, step inspect"):
        check_conformance(file)
    assert command("backends", "test", file).code == 4
    answer = command("backends", "test", "Nobody")
    assert answer.code == 4
    assert "Nobody" in answer.err
    assert "hint: 'armnn-py backends list'" in answer.err
    for absent in ("missing.so", tmp_path / "Acme_Missing_backend.so", tmp_path / "Missing:1"):
        answer = command("backends", "test", absent)
        assert answer.code == 4
        path = str(tmp_path / absent).removesuffix(":1") if absent != "missing.so" else "missing.so"
        assert re.search(f"file '.*{path}' does not exist", answer.err)
        assert "hint: " in answer.err
    assert command("backends", "test", "CpuRef", "--layer", "Conv").code == 2
    assert command("backends", "test", "CpuRef", "--type", "float31").code == 2
    assert command("backends", "test", "CpuRef", "--report", "x.html").code == 2


def test_a_file_is_tested_alone(wrong_backend: Build, tmp_path: Path) -> None:
    shutil.copy(wrong_backend("DIES_IN_DESTROY"), tmp_path / "A_Wrong_backend.so")
    copy = tmp_path / "B_Wrong_backend.so"
    shutil.copy(wrong_backend("NONE"), copy)
    report = check_conformance(copy, layers=[LayerType.SOFTMAX], types=[DataType.FLOAT32])
    assert report.ok
    assert report.backend == "Wrong"
    assert report.file == str(copy)
    shutil.move(copy, tmp_path / "libnpu.so")
    with pytest.raises(BackendError, match="step name: is not named"):
        check_conformance(tmp_path / "libnpu.so")


def test_a_backend_that_takes_nothing_was_not_tested(
    tmp_path: Path, command: Command, build_backend: Callable[..., None]
) -> None:
    """Only operators of its own: the kit has no cases of those, and must not say that it passed."""
    file = tmp_path / "Test_Operator_backend.so"
    build_backend("operator_backend.c", file)
    report = check_conformance(file, layers=[LayerType.ACTIVATION], types=[DataType.FLOAT32])
    assert not report.changes
    assert report.executed == 0
    assert not report.ok
    answer = command("backends", "test", file, *ONLY)
    assert answer.code == 5
    assert "No layer was run on the backend" in answer.out
    assert "was not tested: it took none of the layers" in answer.err


@pytest.mark.exhaustive
def test_parts_are_the_whole(command: Command, wrong_backend: Build) -> None:
    file = wrong_backend("NONE")
    whole = command("--json", "backends", "test", file, *ONLY).json["results"]
    parts = [
        one
        for number in (1, 2, 3)
        for one in command("--json", "backends", "test", file, *ONLY, "--part", f"{number}/3").json[
            "results"
        ]
    ]
    names = sorted((one["case"], one["group"], one["outcome"]) for one in whole)
    assert sorted((one["case"], one["group"], one["outcome"]) for one in parts) == names


@pytest.mark.parametrize("part", ["0/3", "4/3", "3", "a/b", "1/", "-1/2"])
def test_parts_of_no_sense(command: Command, wrong_backend: Build, part: str) -> None:
    answer = command("backends", "test", wrong_backend("NONE"), *ONLY, "--part", part)
    assert answer.code == 2
    assert "part" in answer.err.lower()
