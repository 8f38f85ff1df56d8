# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Where backends are searched: AN 2.2, cases 21, 22 and 24 of AN 2.11."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from armnn_py._native.table import dynamic_library
from armnn_py.backends.loader import entry_points
from armnn_py.backends.loader.discovery import argument_paths, check_folder, split_path_list
from armnn_py.errors import InvalidArgumentError

from .harness import Load, Workshop, only, outcome, run_as_nobody


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, str]:
    for name in ("one", "two", "empty"):
        (tmp_path / name).mkdir()
    (tmp_path / "one" / "file").touch()
    names = {"D1": "one", "D2": "two", "D3": "empty", "D4": "missing"}
    return {key: str(tmp_path / name) for key, name in names.items()}


def usable(paths: list[str]) -> list[str]:
    return [path for path in paths if check_folder("argument", path) is None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", "", id="case 21 the empty text"),
        pytest.param("{D1}/{D1}", "", id="case 21 D1/D1"),
        pytest.param("{D1}", "D1", id="case 21 D1"),
        pytest.param("{D1}:{D1}", "D1", id="case 21 D1:D1"),
        pytest.param(":::", "", id="case 21 :::"),
        pytest.param("{D1}:{D2}:{D3}", "D1 D2 D3", id="case 21 D1:D2:D3"),
        pytest.param("::{D1}:", "D1", id="case 21 ::D1:"),
        pytest.param(":{D4}::", "", id="case 21 :D4::"),
        pytest.param("{D1}:{D4}:", "D1", id="case 21 D1:D4:"),
        pytest.param("{D1}:{D4}::{D1}:{D4}::{D2}:{D2}", "D1 D2", id="case 21 D1:D4: D1:D4: D2:D2"),
    ],
)
def test_list_of_folders(folders: dict[str, str], text: str, expected: str) -> None:
    found = usable(split_path_list(text.format(**folders)))
    assert found == [folders[name] for name in expected.split()]


@pytest.mark.parametrize(
    ("override", "expected"),
    [pytest.param("D1", ["D1"], id="case 22 D1"), pytest.param("D4", [], id="case 22 D4")],
)
def test_override(folders: dict[str, str], override: str, expected: list[str]) -> None:
    assert usable(argument_paths(folders[override])) == [folders[name] for name in expected]


def test_case_24_no_paths(load: Load) -> None:
    registry = load([])
    assert list(registry) == []
    assert list(registry.load_report) == []


@pytest.mark.parametrize(
    ("path", "code", "reason"),
    [
        pytest.param("", "path-empty", "is empty", id="empty"),
        pytest.param("/no/such/folder", "path-missing", "does not exist", id="missing"),
        pytest.param("{file}", "path-not-directory", "is not a directory", id="a file"),
        pytest.param("{file}/x", "path-missing", "does not exist", id="below a file"),
        pytest.param("here", "path-not-absolute", "is not absolute", id="relative"),
        pytest.param(".", "path-not-absolute", "is not absolute", id="working folder"),
        pytest.param("not/here", "path-missing", "does not exist", id="relative and missing"),
        pytest.param("{D1}:{D2}", "path-missing", "does not exist", id="two joined by a colon"),
        pytest.param("a\0b", "path-invalid", "contains a null character", id="null character"),
        pytest.param("/" + "x" * 5000, "path-unreadable", "cannot be read", id="too long"),
        pytest.param("{loop}", "path-unreadable", "cannot be read", id="link to itself"),
    ],
)
def test_unusable_place(
    folders: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    load: Load,
    path: str,
    code: str,
    reason: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    if "{" in path:
        path = path.format(**folders, file=folders["D1"] + "/file", loop=tmp_path / "loop")
    registry = load(path)
    verdict = only(registry)
    assert outcome(verdict) == ("refused", "place", code)
    assert reason in verdict.reason
    assert verdict.path == path
    assert [(place.path, place.usable) for place in registry.load_report.places] == [(path, False)]


def test_a_place_may_be_a_file(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path, "A")
    file = workshop.put_id(tmp_path, "B")
    registry = load(file)
    assert list(registry) == ["B"]
    assert [(one.path, one.entries) for one in registry.load_report.places] == [(str(file), 1)]
    verdict = only(load(f"{file}/"))
    assert outcome(verdict) == ("refused", "place", "path-missing")


def test_a_file_as_a_place_is_absolute(
    load: Load, tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = workshop.put_id(tmp_path, "A")
    monkeypatch.chdir(tmp_path)
    assert outcome(only(load(file.name))) == ("refused", "place", "path-not-absolute")


def test_a_link_as_a_place(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    file = workshop.put_id(tmp_path, "A")
    link = tmp_path / "Acme_A_backend.so.1"
    link.symlink_to(file)
    assert only(load(link)).real_path == str(file)
    assert outcome(load([tmp_path, link]).load_report[-1]) == ("duplicate", "resolve", "same-file")
    # One that leads nowhere is missing, as a folder would be.
    file.unlink()
    assert outcome(only(load(link))) == ("refused", "place", "path-missing")


def test_several_paths_are_a_list(load: Load, folders: dict[str, str]) -> None:
    verdict = only(load(f"{folders['D2']}:{folders['D3']}"))
    assert verdict.hint == "give several folders as a list; a text is one path"


def test_usable_and_unusable_places_together(
    load: Load, folders: dict[str, str], workshop: Workshop
) -> None:
    workshop.put_id(Path(folders["D2"]), "Two")
    registry = load([folders["D4"], folders["D2"], folders["D3"]])
    assert list(registry) == ["Two"]
    assert next((v.status, v.path) for v in registry.load_report) == ("refused", folders["D4"])


@pytest.mark.parametrize("kind", [str, Path, os.fsencode], ids=["text", "PathLike", "bytes"])
def test_kinds_of_path(load: Load, tmp_path: Path, workshop: Workshop, kind: type) -> None:
    workshop.put_id(tmp_path / "place", "One")
    for path in (kind(tmp_path / "place"), [kind(tmp_path / "place")]):
        assert list(load(path)) == ["One"]


@pytest.mark.parametrize(
    "value", [3, [3], [None], 1.5, object()], ids=["3", "[3]", "[None]", "1.5", "object"]
)
def test_invalid_path_is_the_callers_error(load: Load, value: object) -> None:
    with pytest.raises(InvalidArgumentError, match="dynamic_backends_path"):
        load(value)


def test_trailing_slash(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path / "place", "One")
    assert list(load(f"{tmp_path}/place/")) == ["One"]


@pytest.mark.parametrize("ending", ["/", "//", "/.", "/./"])
def test_one_folder_under_two_texts_is_searched_once(
    load: Load, tmp_path: Path, workshop: Workshop, ending: str
) -> None:
    workshop.put_id(tmp_path / "place", "One")
    report = load([f"{tmp_path}/place", f"{tmp_path}/place{ending}"]).load_report
    assert [place.path for place in report.places] == [f"{tmp_path}/place"]
    assert [verdict.status for verdict in report] == ["loaded"]


def test_one_folder_by_two_ways_has_its_files_once(
    load: Load, tmp_path: Path, workshop: Workshop
) -> None:
    workshop.put_id(tmp_path / "place", "One")
    report = load([f"{tmp_path}/place", f"{tmp_path}/../{tmp_path.name}/place"]).load_report
    assert len(report.places) == 2
    assert outcome(report[1]) == ("duplicate", "resolve", "same-file")


def test_colon_is_part_of_a_name(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path / "a:b", "One")
    assert list(load(tmp_path / "a:b")) == ["One"]


def test_folder_whose_name_is_not_utf8(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe"))
    workshop.put_id(folder, "One")
    registry = load(folder)
    assert list(registry) == ["One"]
    str(registry.load_report).encode()  # can be printed


def test_empty_folder(load: Load, folders: dict[str, str]) -> None:
    registry = load(folders["D3"])
    assert len(registry.load_report) == 0
    assert [place.entries for place in registry.load_report.places] == [0]


# ---- The five places ----------------------------------------------------------------------------


@pytest.fixture
def five_places(
    tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Path]:
    places = {}
    for name in ("Argument", "Environment", "CompiledIn", "EntryPoint", "Bundled"):
        workshop.put_id(tmp_path / name, name)
        places[name] = tmp_path / name
    monkeypatch.setenv("DYNAMIC_BACKEND_PATHS", str(places["Environment"]))
    monkeypatch.setattr(dynamic_library, "compiled_in_paths", lambda: str(places["CompiledIn"]))
    site = tmp_path / "lib" / "python3" / "site-packages"
    (site / "acme-1.0.dist-info").mkdir(parents=True)
    (site / "acme-1.0.dist-info" / "entry_points.txt").write_text(
        f"[{entry_points.GROUP}]\nacme = EntryPoint\n"
    )
    (site / "EntryPoint").symlink_to(places["EntryPoint"])
    monkeypatch.setattr(sys, "path", [str(site)])
    package = tmp_path / "package"
    package.mkdir()
    (package / "_backends").symlink_to(places["Bundled"])
    monkeypatch.setattr(sys.modules["armnn_py"], "__path__", [str(package)])
    monkeypatch.setattr(dynamic_library, "static_backends", lambda: [])
    return places


ALL_BUT_ARGUMENT = ["Environment", "CompiledIn", "EntryPoint", "Bundled"]


@pytest.mark.parametrize(
    ("arguments", "variables", "expected"),
    [
        pytest.param({}, {}, ALL_BUT_ARGUMENT, id="all, in order"),
        pytest.param({"path": "Argument"}, {}, ["Argument", "Bundled"], id="argument replaces"),
        pytest.param({"path": "/none"}, {}, ["Bundled"], id="invalid argument replaces, too"),
        pytest.param({"path": []}, {}, ["Bundled"], id="empty list replaces, too"),
        pytest.param({"use_environment": False}, {}, ALL_BUT_ARGUMENT[1:], id="no environment"),
        pytest.param({"bundled_backends": False}, {}, ALL_BUT_ARGUMENT[:3], id="none of ours"),
        pytest.param({"enable_dynamic_backends": False}, {}, [], id="none at all"),
        pytest.param(
            {}, {"ARMNN_PY_BUNDLED_BACKENDS": "0"}, ALL_BUT_ARGUMENT[:3], id="none of ours, by env"
        ),
        pytest.param(
            {},
            {"ARMNN_PY_NO_ENTRY_POINTS": "1"},
            ["Environment", "CompiledIn", "Bundled"],
            id="no entry points, by env",
        ),
        pytest.param(
            {"use_environment": False},
            {"ARMNN_PY_NO_ENTRY_POINTS": "1", "ARMNN_PY_BUNDLED_BACKENDS": "0"},
            ALL_BUT_ARGUMENT[1:],
            id="switches of the environment ignored",
        ),
        pytest.param(
            {},
            {"DYNAMIC_BACKEND_PATHS": ""},
            ALL_BUT_ARGUMENT[1:],
            id="empty variable counts as unset",
        ),
    ],
)
def test_places_in_order(
    five_places: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    load: Load,
    arguments: dict[str, object],
    variables: dict[str, str],
    expected: list[str],
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    path = arguments.pop("path", None)
    if path == "Argument":
        path = five_places["Argument"]
    assert list(load(path, **{"bundled_backends": True} | arguments)) == expected


def test_labels_of_places(five_places: dict[str, Path], load: Load) -> None:
    report = load(bundled_backends=True).load_report
    labels = ["environment", "compiled-in", "entry-point acme/acme", "bundled"]
    assert [verdict.place for verdict in report] == labels
    assert [place.place for place in report.places] == labels
    assert [v.place for v in load(five_places["Argument"]).load_report] == ["argument"]


def test_variable_is_a_list(
    load: Load, tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("A", "B"):
        workshop.put_id(tmp_path / name, name)
    monkeypatch.setenv("DYNAMIC_BACKEND_PATHS", f"{tmp_path}/B::relative:{tmp_path}/A:")
    registry = load()
    assert list(registry) == ["B", "A"]
    refused = registry.load_report.refused
    assert [(v.place, v.path, v.code) for v in refused] == [
        ("environment", "relative", "path-missing")
    ]


def test_unreadable_folder(open_folder: Path, workshop: Workshop) -> None:
    workshop.put_id(open_folder / "place", "One")
    (open_folder / "place").chmod(0o311)
    assert run_as_nobody(open_folder / "place") == [
        ["refused", "place", "path-unreadable", "cannot be read: Permission denied"]
    ]


def test_folder_below_an_unreadable_one(open_folder: Path, workshop: Workshop) -> None:
    workshop.put_id(open_folder / "closed" / "place", "One")
    (open_folder / "closed").chmod(0o600)
    result = run_as_nobody(open_folder / "closed" / "place")
    (open_folder / "closed").chmod(0o700)
    assert result == [["refused", "place", "path-unreadable", "cannot be read: Permission denied"]]
