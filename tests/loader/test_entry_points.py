# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Wheels that name a folder by an entry point: found by reading, nothing is imported."""

from __future__ import annotations

import importlib.metadata
import os
import sys
import sysconfig
from pathlib import Path

import pytest

from armnn_py import interrupts
from armnn_py.backends.loader import entry_points
from armnn_py.backends.loader.entry_points import GROUP, EntryPointFolders, entry_point_folders

from .harness import Load, Workshop, outcome

STANDARD = [
    path
    for path in sys.path
    if path.startswith(sysconfig.get_paths()["stdlib"]) and "-packages" not in path
]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole search path of Python, besides the standard library."""
    folder = tmp_path / "lib" / "python3" / "site-packages"
    folder.mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(folder), *STANDARD])
    return folder


def install(site: Path, distribution: str, text: str, *packages: str, version: str = "1.0") -> None:
    """Files that pip leaves behind, and packages that must not be imported."""
    metadata = site / f"{distribution}-{version}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Name: {distribution}\nVersion: {version}\n")
    (metadata / "entry_points.txt").write_text(text)
    for package in packages:
        folder = site / package.replace(".", "/")
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("raise SystemExit('imported')\n")


def declare(*lines: str) -> str:
    return "\n".join(
        ["[console_scripts]", "acme = x:y", "", f"[{GROUP}]", *lines, "", "[other]", "a=b"]
    )


def facts(places: list[EntryPointFolders]) -> list[tuple[str, str, str]]:
    return [(place.distribution, place.name, place.value) for place in places]


def test_a_wheel_is_found_and_nothing_is_imported(
    load: Load, site: Path, workshop: Workshop
) -> None:
    install(site, "acme_npu", declare("npu = acme_npu"), "acme_npu")
    workshop.put_id(site / "acme_npu", "AcmeNpu")
    registry = load()
    assert list(registry) == ["AcmeNpu"]
    assert registry.load_report.loaded[0].place == "entry-point acme-npu/npu"
    assert "acme_npu" not in sys.modules
    # The module of the package is an entry of the folder like any other.
    assert [v.status for v in registry.load_report] == ["loaded", "skipped"]


def test_same_answer_as_importlib(site: Path) -> None:
    install(site, "Zeta.Npu", declare("b = zeta", "a=zeta.sub"), "zeta", "zeta.sub")
    install(site, "acme_npu", declare("  npu   =   acme  "), "acme")
    install(site, "unrelated", "[console_scripts]\nx = y:z\n")
    install(site, "mentions", f"[other]\nx = {GROUP}\n")
    theirs = sorted(
        (importlib.metadata.Prepared(point.dist.name).normalized, point.name, point.value)
        for point in importlib.metadata.entry_points(group=GROUP)
        if point.dist is not None
    )
    ours = facts(entry_point_folders())
    assert [(name.replace("-", "_"), *rest) for name, *rest in ours] == theirs
    assert ours == [
        ("acme-npu", "npu", "acme"),
        ("zeta-npu", "a", "zeta.sub"),
        ("zeta-npu", "b", "zeta"),
    ]


def test_folders_of_packages(site: Path) -> None:
    install(site, "acme", declare("a = acme", "b = acme.deep.er"), "acme", "acme.deep.er")
    folders = [place.folders for place in entry_point_folders()]
    assert folders == [(str(site / "acme"),), (str(site / "acme" / "deep" / "er"),)]


def test_the_first_of_two_installs_counts(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "python3" / "dist-packages"
    install(site, "acme", declare("new = acme"), "acme", version="2.0")
    install(other, "acme", declare("old = acme"), "acme", version="1.0")
    monkeypatch.setattr(sys, "path", [str(site), str(other)])
    assert facts(entry_point_folders()) == [("acme", "new", "acme")]


def test_editable_install(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The metadata is in one folder, the package in another that the search path names."""
    install(site, "acme", declare("a = acme.backends"))
    source = tmp_path / "source" / "acme" / "backends"
    source.mkdir(parents=True)
    (source.parent / "__init__.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.setattr(sys, "path", [str(site), str(tmp_path / "source")])
    assert entry_point_folders()[0].folders == (str(source),)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("missing_package", "the package 'missing_package' is not there"),
        ("missing.deep", "the package 'missing.deep' is not there"),
        ("acme:folder", "'acme:folder' is not the name of a package"),
        ("../evil", "'../evil' is not the name of a package"),
        ("/etc", "'/etc' is not the name of a package"),
        ("", "'' is not the name of a package"),
    ],
)
def test_a_broken_entry_point_is_a_verdict(load: Load, site: Path, value: str, reason: str) -> None:
    install(site, "acme", declare(f"a = {value}"))
    install(site, "good", declare("b = good"), "good")
    report = load().load_report
    [verdict] = report.refused
    assert outcome(verdict) == ("refused", "place", "entry-point-invalid")
    assert (verdict.place, verdict.path) == ("entry-point acme/a", value)
    assert verdict.reason == reason
    assert verdict.hint == "reinstall 'acme'"


def test_damaged_metadata_does_no_harm(site: Path) -> None:
    install(site, "good", declare("b = good"), "good")
    install(site, "binary", "")
    (site / "binary-1.0.dist-info" / "entry_points.txt").write_bytes(
        b"\xff\xfe[" + GROUP.encode() + b"]\n= \n===\n"
    )
    (site / "folder-1.0.dist-info" / "entry_points.txt").mkdir(parents=True)
    (site / "loop-1.0.dist-info").symlink_to("loop-1.0.dist-info")
    for name in ("pipe", "endless", "long"):
        (site / f"{name}-1.0.dist-info").mkdir()
    os.mkfifo(site / "pipe-1.0.dist-info" / "entry_points.txt")
    (site / "endless-1.0.dist-info" / "entry_points.txt").symlink_to("/dev/zero")
    long = site / "long-1.0.dist-info" / "entry_points.txt"
    long.write_text(declare("a = b") + " " * (1 << 20))
    assert facts(entry_point_folders()) == [("good", "b", "good")]


def test_the_working_folder_is_not_searched(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "here", "evil", declare("e = evil"), "evil")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(sys, "path", ["", str(site)])
    assert entry_point_folders() == []


def test_metadata_elsewhere_is_named_and_not_used(
    load: Load, site: Path, workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ``python -m`` puts before the search path: the working folder, by its full name."""
    here = tmp_path / "here"
    install(here, "evil", declare("e = evil"), "evil")
    workshop.put_id(here / "evil", "Evil")
    monkeypatch.setattr(sys, "path", [str(here), str(site), *STANDARD])
    (place,) = entry_point_folders()
    assert place.folders == ()
    assert place.reason == f"its metadata lies in {here}, which no packages are installed into"
    registry = load()
    assert list(registry) == []
    assert [place.reason in verdict.reason for verdict in registry.load_report] == [True]


@pytest.mark.parametrize(
    "entry",
    ["/no/such/folder", __file__, "\0", Path("/usr")],
    ids=["missing", "file", "null", "no text"],
)
def test_odd_search_paths(site: Path, monkeypatch: pytest.MonkeyPatch, entry: str) -> None:
    install(site, "good", declare("b = good"), "good")
    monkeypatch.setattr(sys, "path", [entry, str(site)])
    assert facts(entry_point_folders()) == [("good", "b", "good")]


def test_later_installs_are_found(site: Path) -> None:
    install(site, "one", declare("a = one"), "one")
    assert facts(entry_point_folders()) == [("one", "a", "one")]
    install(site, "two", declare("a = two"), "two")
    assert facts(entry_point_folders()) == [("one", "a", "one"), ("two", "a", "two")]


def test_an_unchanged_folder_is_read_once(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(site, "one", declare("a = one"), "one")
    os.utime(site, (1_000_000_000, 1_000_000_000))  # long ago: this change is not the last tick's
    assert len(entry_point_folders()) == 1
    monkeypatch.setattr(entry_points, "_read_folder", lambda folder: pytest.fail("read again"))
    assert len(entry_point_folders()) == 1


def test_signals_are_asked_once_for_all_files(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two", "three"):
        install(site, name, declare(f"{name} = {name}"), name)
    asked: list[int] = []
    replace = interrupts._replace
    monkeypatch.setattr(interrupts, "_replace", lambda: (asked.append(1), replace()))
    assert len(entry_point_folders([str(site)])) == 3
    assert len(asked) == 1
