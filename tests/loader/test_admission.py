# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Only files that are wanted are opened; backends can be allowed and denied."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py.backends import load_backends
from armnn_py.backends.loader.search import list_places
from armnn_py.errors import BackendNotFoundError, InvalidArgumentError

from .harness import Load, Workshop

Opened = Callable[[], list[str]]


@pytest.fixture
def place(tmp_path: Path, workshop: Workshop) -> Path:
    """Files of backends A, B, and one that calls itself C and is named D."""
    folder = tmp_path / "place"
    for backend_id, name in (("A", "A"), ("B", "B"), ("C", "D")):
        workshop.put_id(folder, backend_id, name=name)
    return folder


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Callable[[str], list[str]]:
    """Names in file names of the lines that begin with a word; then they are forgotten."""
    caplog.set_level("DEBUG", "armnn_py.backends")

    def names(first: str) -> list[str]:
        lines = [r.getMessage() for r in caplog.records if r.getMessage().startswith(first)]
        return [line.split("_backend.so")[0].rpartition("_")[2] for line in lines]

    return names


Log = Callable[[str], list[str]]


@pytest.mark.parametrize(
    ("wanted", "tried", "opened", "loaded"),
    [
        (None, ["A", "B", "D"], ["A", "B", "D"], ["A", "B", "C"]),
        (["A"], ["A"], ["A"], ["A"]),
        ("A", ["A"], ["A"], ["A"]),
        (["Test_A"], ["A", "B", "D"], [], []),
        (["A:1", "B"], ["A", "B"], ["A", "B"], ["A", "B"]),
        # No name says it: all are tried, and the one is opened.
        (["C"], ["A", "B", "D"], ["D"], ["C"]),
        # A name that promises something else.
        (["D"], ["D", "A", "B"], [], []),
        (["CpuRef"], ["A", "B", "D"], [], []),
        ([], [], [], []),
    ],
)
def test_files_that_are_opened(
    wanted: Sequence[str] | None,
    tried: list[str],
    opened: list[str],
    loaded: list[str],
    place: Path,
    load: Load,
    log: Log,
) -> None:
    """Without the package's own backends, so that CpuRef is also missing."""
    registry = load(place, backends=wanted)
    assert log("trying ") == tried
    assert log("opening ") == opened
    assert list(registry) == loaded
    assert len(registry.load_report) == 3
    for verdict in registry.load_report:
        if verdict.status != "loaded":
            assert (verdict.status, verdict.code) == ("skipped", "not-asked-for")
            assert "it was not asked for" in verdict.reason


def test_no_file_is_opened_if_all_backends_are_there(place: Path, load: Load, log: Log) -> None:
    registry = load(place, backends=["CpuRef"], bundled_backends=True)
    assert list(registry) == ["CpuRef"]
    assert log("trying ") == log("opening ") == []


def test_ids_that_are_known_from_before(place: Path, load: Load, log: Log) -> None:
    load(place).close()
    assert "C" in load(place, backends=["C"])
    assert log("opening ") == ["A", "B", "D", "D"]
    assert log("trying ") == ["A", "B", "D"]


def test_options_name_backends(tmp_path: Path, workshop: Workshop, load: Load) -> None:
    workshop.put_id(tmp_path, "A", "OPTIONS")
    workshop.put_id(tmp_path, "B")
    options = {"A": {"threads": 1}}
    assert list(load(tmp_path, backends=["B"], backend_options=options)) == ["A", "B"]


def test_without_probes_unclear_names_are_opened(place: Path, load: Load) -> None:
    assert list(load(place, backends=["A"], probe_seconds=0)) == ["A"]
    assert "C" in load(place, backends=["C"], probe_seconds=0)


def test_error_about_unopened_files(place: Path, load: Load) -> None:
    registry = load(place, backends=["CpuRef"], bundled_backends=True)
    error = registry.not_found("a")
    assert isinstance(error, BackendNotFoundError)
    (known,) = [line for line in str(error).splitlines() if "there are: " in line]
    assert {"A", "B", "CpuRef", "D"} <= set(known.split(": ")[1].split(", "))
    assert "did you mean 'A'?" in str(error)
    assert "it was not asked for, only 'CpuRef'" in str(registry.not_found("A"))


def test_load_opens_what_it_is_given(
    place: Path, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNAMIC_BACKEND_PATHS", str(place))
    monkeypatch.setenv("ARMNN_PY_NO_ENTRY_POINTS", "1")
    model = Path(ann.__file__).parent / "demo" / "digits.onnx"
    with ann.load(model, ["CpuRef"]) as network:
        assert {record.backend for record in network.assignment} == {"CpuRef"}
    assert log("opening ") == log("trying ") == []
    with ann.load(model, ["CpuRef"], placement=[]):  # rules may name others
        pass
    assert {"A", "B", "D"} < set(log("opening "))


# ---- Allowed and denied -------------------------------------------------------------------------


def codes(registry: ann.backends.BackendRegistry) -> dict[str, str]:
    return {
        verdict.path.rpartition("Test_")[2].partition("_")[0]: verdict.code
        for verdict in registry.load_report
        if verdict.place == "argument"
    }


def test_denied_backends(place: Path, load: Load, log: Log) -> None:
    registry = load(place, denied_backends=["A", "C"])
    assert list(registry) == ["B"]
    assert codes(registry) == {"A": "denied", "B": "ok", "D": "denied"}
    # The first by its file's name, the other by what it said in its probe.
    assert log("trying ") == ["B", "D"]
    assert log("opening ") == ["B"]
    assert registry.load_report[0].status == "skipped"
    assert "'A' is denied" in str(registry.not_found("A"))


def test_allowed_backends(place: Path, load: Load) -> None:
    registry = load(place, allowed_backends=["C"], bundled_backends=True)
    assert list(registry) == ["C"]
    assert codes(registry) == {"A": "not-allowed", "B": "not-allowed", "D": "ok"}
    [static] = [v for v in registry.load_report if v.place == "static"]
    assert (static.status, static.code, static.id) == ("skipped", "not-allowed", "CpuRef")


def test_no_backend_is_allowed(place: Path, load: Load) -> None:
    assert list(load(place, allowed_backends=[], bundled_backends=True)) == []


def test_without_a_probe_they_are_asked_for_their_ids(place: Path, load: Load) -> None:
    registry = load(place, denied_backends=["C"], probe_seconds=0)
    assert list(registry) == ["A", "B"]
    assert codes(registry)["D"] == "denied"


def test_variables(place: Path, load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMNN_PY_DENY_BACKENDS", "A, B")
    assert list(load(place)) == ["C"]
    assert list(load(place, denied_backends=["C"])) == ["A", "B"]
    assert list(load(place, use_environment=False)) == ["A", "B", "C"]
    monkeypatch.setenv("ARMNN_PY_ALLOW_BACKENDS", "A,C")
    assert list(load(place)) == ["C"]
    monkeypatch.setenv("ARMNN_PY_NO_DYNAMIC", "1")
    assert list(load(place, bundled_backends=True)) == []
    monkeypatch.delenv("ARMNN_PY_ALLOW_BACKENDS")
    assert list(load(place, bundled_backends=True)) == ["CpuRef"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"denied_backends": ["a"]}, "'a' is denied, but the id of that backend is 'A'"),
        ({"denied_backends": ["c"]}, "'c' is denied, but the id of that backend is 'C'"),
        ({"denied_backends": ["test_b"]}, "'test_b' is denied, but .* is 'Test_B'"),
        ({"allowed_backends": ["b"]}, "'b' is allowed, but .* is 'B'"),
        ({"denied_backends": ["CPUACC"], "bundled_backends": True}, "is 'CpuAcc'"),
    ],
)
def test_ids_that_are_right_but_for_capital_letters(
    given: dict[str, list[str]], words: str, place: Path, load: Load
) -> None:
    """They would deny nothing, or allow nothing, without a word."""
    with pytest.raises(InvalidArgumentError, match=words):
        load(place, **given)


@pytest.mark.parametrize("kind", ["allowed", "denied"])
@pytest.mark.parametrize(
    "given",
    [
        "A,Npu",
        "Npu, a",
        " A",
        "A ",
        "A\u00a0",
        "A:01",
        "A:first",
        "A.threads",
        "A B",
        "b; A",
        "a\tB",
    ],
)
def test_lists_given_as_one_id(given: str, kind: str, place: Path, load: Load) -> None:
    """A list as one text, say: it would deny nothing, or allow nothing, without a word."""
    words = rf"{re.escape(repr(given))} is {kind} as one id, but '[AB]' is that of a backend"
    with pytest.raises(InvalidArgumentError, match=words) as caught:
        load(place, **{f"{kind}_backends": [given]})
    assert caught.value.hints == ("give each id by itself, and commas between those in a variable",)


def test_ids_with_blanks_of_backends_that_this_machine_has_not(place: Path, load: Load) -> None:
    assert list(load(place, denied_backends=["A Npu", "Npu;B"])) == ["A", "B", "C"]


def test_ids_of_backends_that_this_machine_has_not(place: Path, load: Load) -> None:
    assert list(load(place, denied_backends=["Npu", "B"])) == ["A", "C"]


@pytest.mark.parametrize("name", ["backends", "allowed_backends", "denied_backends"])
@pytest.mark.parametrize("value", [5, [5], {"A": 1}])
def test_invalid_ids(name: str, value: object) -> None:
    with pytest.raises(InvalidArgumentError, match=name):
        load_backends(dynamic_backends_path=[], **{name: value})  # type: ignore[arg-type]


# ---- Folders alone ------------------------------------------------------------------------------


def test_places_are_listed_and_nothing_is_opened(
    place: Path, tmp_path: Path, workshop: Workshop, log: Log
) -> None:
    workshop.put(place, "Deed", 'DEED="abort"', 'SITE="constructor"', source="deed_backend.c")
    report, linked = list_places([place, tmp_path / "missing"])
    places = [(one.path, one.entries, one.usable) for one in report.places]
    assert places[:2] == [(str(place), 4, True), (str(tmp_path / "missing"), 0, False)]
    assert [one.place for one in report.places[2:]] == ["bundled"]
    assert [verdict.code for verdict in report] == ["path-missing"]
    assert linked == ["Arm_CpuRef"]
    assert log("opening ") == log("trying ") == []
    assert list_places([place], enable_dynamic_backends=False)[0].places == ()
