# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Reports for people and programs: verdicts, report, log lines, warnings."""

from __future__ import annotations

import json
import logging
import pickle
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from armnn_py.backends import LoadReport, Verdict, load_backends
from armnn_py.errors import ArmnnWarning, BackendSkippedWarning

from .harness import Load, Workshop

FIELDS = [
    "place",
    "path",
    "real_path",
    "id",
    "version",
    "status",
    "stage",
    "code",
    "reason",
    "hint",
    "probe",
]


@pytest.fixture
def place(tmp_path: Path, workshop: Workshop) -> Path:
    folder = tmp_path / "place"
    workshop.put_id(folder, "Good", name="A_Good_backend.so")
    workshop.put_id(folder, "Old", "MAJOR=0", name="B_Old_backend.so")
    workshop.put_id(folder, "Away", "CREATE_STATUS=2", name="C_Away_backend.so")
    workshop.put_id(folder, "Good", name="D_Good_backend.so")
    (folder / "notes.txt").touch()
    return folder


def test_fields_of_a_verdict(load: Load, place: Path) -> None:
    verdict = load(place).load_report[1]
    assert [field.name for field in fields(verdict)] == FIELDS
    assert verdict.probe is not None
    assert (verdict.probe.stage, verdict.probe.ended) == ("exit", "refused")
    assert verdict == Verdict(
        place="argument",
        path=str(place / "B_Old_backend.so"),
        real_path=str(place / "B_Old_backend.so"),
        id="Old",
        version="0.0",
        status="refused",
        stage="version",
        code="version-major",
        reason="'Old' speaks backend API 0.0, this host speaks 2.0",
        hint="GetVersion must write ARMNN_BACKEND_API_MAJOR and ARMNN_TARGET_MINOR",
        probe=verdict.probe,
    )
    with pytest.raises(FrozenInstanceError):
        verdict.status = "loaded"  # type: ignore[misc]


def test_every_entry_has_a_verdict_in_order(load: Load, place: Path) -> None:
    report = load(place).load_report
    assert [(verdict.path.rpartition("/")[2], verdict.status) for verdict in report] == [
        ("A_Good_backend.so", "loaded"),
        ("B_Old_backend.so", "refused"),
        ("C_Away_backend.so", "unavailable"),
        ("D_Good_backend.so", "duplicate"),
        ("notes.txt", "skipped"),
    ]


def test_report_is_a_sequence(load: Load, place: Path) -> None:
    report = load(place).load_report
    assert isinstance(report, LoadReport)
    assert len(report) == 5
    assert report[-1].status == "skipped"
    assert report[1:3] == tuple(report)[1:3]
    assert report[0] in report
    assert report.loaded == (report[0],)
    assert report.refused == (report[1],)
    assert report.with_status("unavailable") == (report[2],)
    assert report.about("Good") == (report[0], report[3])
    assert repr(report) == (
        "<LoadReport 1 loaded, 1 refused, 1 unavailable, 1 duplicate, 1 skipped>"
    )
    assert repr(LoadReport()) == "<LoadReport nothing found>"


def test_report_as_text_and_html(load: Load, place: Path) -> None:
    report = load(place).load_report
    lines = str(report).splitlines()
    assert lines[0] == f"{place}/A_Good_backend.so: loaded 'Good' (API 2.0)"
    assert lines[1] == (
        f"{place}/B_Old_backend.so: refused 'Old' (API 0.0), version: "
        "'Old' speaks backend API 0.0, this host speaks 2.0"
    )
    assert lines[2].startswith("  hint: GetVersion must write")
    assert "&#x27;Old&#x27; speaks" in report._repr_html_()


def test_report_as_json_and_pickle(load: Load, place: Path) -> None:
    report = load(place).load_report
    items = json.loads(json.dumps(report.as_dicts()))
    for item, verdict in zip(items, report, strict=True):
        assert item["probe"] == (None if verdict.probe is None else verdict.probe.as_dict())
        assert Verdict(**{**item, "probe": verdict.probe}) == verdict
    assert pickle.loads(pickle.dumps(report)) == report


def test_names_cannot_disturb_a_terminal(load: Load, tmp_path: Path) -> None:
    (tmp_path / "evil\x1b[2J\n_backend.so").touch()
    text = str(load(tmp_path).load_report)
    assert "evil\\x1b[2J\\n_backend.so" in text
    assert "\x1b" not in text


def test_log_levels(load: Load, place: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "armnn_py.backends"):
        load(place)
    assert {record.name for record in caplog.records} == {"armnn_py.backends"}
    steps = [record.getMessage() for record in caplog.records[:-5]]
    files = [str(place / f"{name}_backend.so") for name in ("A_Good", "B_Old", "C_Away", "D_Good")]
    assert steps == [
        *(f"trying {file} in another process" for file in files),
        *(f"opening {file}" for file in files),
    ]
    levels = [record.levelname for record in caplog.records[-5:]]
    assert levels == ["INFO", "WARNING", "INFO", "INFO", "DEBUG"]
    assert "B_Old_backend.so: refused 'Old'" in caplog.records[-4].getMessage()


def test_one_warning_for_places_that_the_caller_named(place: Path) -> None:
    missing = str(place / "missing")
    with pytest.warns(BackendSkippedWarning) as caught:
        load_backends(dynamic_backends_path=[place, missing], bundled_backends=False).close()
    assert len(caught) == 1
    lines = str(caught[0].message).splitlines()
    assert lines[0] == "refused, though named by dynamic_backends_path:"
    assert "B_Old_backend.so: refused 'Old'" in lines[1]
    assert lines[2].startswith("    hint: GetVersion must write")
    assert lines[3] == f"  {missing}: refused, place: does not exist"
    assert caught[0].filename == __file__
    assert issubclass(BackendSkippedWarning, ArmnnWarning)


def test_warning_for_the_variable(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNAMIC_BACKEND_PATHS", str(place))
    with pytest.warns(BackendSkippedWarning, match="named by DYNAMIC_BACKEND_PATHS"):
        load_backends(bundled_backends=False).close()


def test_no_warning_where_nothing_was_refused(tmp_path: Path, workshop: Workshop) -> None:
    """Warnings are errors here, so this would fail."""
    workshop.put_id(tmp_path, "Good", name="A_A_backend.so")
    workshop.put_id(tmp_path, "Good", name="B_B_backend.so")
    workshop.put_id(tmp_path, "Away", "CREATE_STATUS=2")
    (tmp_path / "notes.txt").touch()
    load_backends(dynamic_backends_path=tmp_path, bundled_backends=False).close()


def test_a_warning_as_an_error_leaves_nothing_open(
    tmp_path: Path, workshop: Workshop, journal: object
) -> None:
    workshop.put_id(tmp_path / "place", "A")
    workshop.put_id(tmp_path / "place", "B", "ID_NULL")
    with pytest.raises(BackendSkippedWarning):
        load_backends(dynamic_backends_path=tmp_path / "place", bundled_backends=False)
    assert journal()[-2:] == ["destroy A", "unmap A"]  # type: ignore[operator]
