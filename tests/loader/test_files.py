# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which files of a folder are taken: AN 2.3 and 2.4, case 20 of AN 2.11, links, special files."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from armnn_py.backends.loader.discovery import Candidate, find_candidates
from armnn_py.backends.loader.naming import FILE_NAME_RULE

from .harness import Load, Workshop, only, outcome, run_as_nobody
from .test_names_and_versions import BAD, GOOD

SO = "Test_X_backend.so"


def test_case_20_files_of_four_folders(tmp_path: Path) -> None:
    path1, path2, path3 = (tmp_path / name for name in ("path1", "path2", "path3"))
    for folder in (path1, path2, path3):
        folder.mkdir()
    table = [name for name in (*GOOD, *BAD) if "GpuAcc" in name or name.startswith(("Arm__", "__"))]
    for name in table:
        (path1 / name).write_text("never loaded")
    for name in ("Arm_CpuAcc_backend.so", "Arm_GpuAcc_backend.so"):
        (path2 / name).write_text("never loaded")
    (path2 / "Arm_CpuAcc_backend.so.1").symlink_to("Arm_CpuAcc_backend.so")
    (path2 / "Arm_CpuAcc_backend.so.1.2").symlink_to("Arm_CpuAcc_backend.so.1")
    (path2 / "Arm_CpuAcc_backend.so.1.2.3").symlink_to("Arm_CpuAcc_backend.so.1.2")
    (path2 / "Arm_no_backend.so").symlink_to("nothing")

    seen: dict[tuple[int, int], str] = {}
    found = []
    for folder in (path1, path2, path3, tmp_path / "path4"):
        findings = find_candidates("argument", str(folder), seen)[1]
        found += [finding.path for finding in findings if isinstance(finding, Candidate)]
    names = [
        "path1/Arm123_GpuAcc_backend.so",
        "path1/Arm_GpuAcc456_backend.so",
        "path1/Arm_GpuAcc_backend.so",
        "path1/Arm_GpuAcc_backend.so.1",
        "path1/Arm_GpuAcc_backend.so.1.2",
        "path1/Arm_GpuAcc_backend.so.1.2.3",
        "path1/Arm_GpuAcc_backend.so.10.1.27",
        "path2/Arm_CpuAcc_backend.so",
        "path2/Arm_GpuAcc_backend.so",
    ]
    assert found == [str(tmp_path / name) for name in names]


def test_no_name_is_skipped_in_silence(load: Load, tmp_path: Path) -> None:
    names = [name for name in BAD if name] + ["notes.txt", os.fsdecode(b"\xff_\xfe_backend.so")]
    for name in names:
        (tmp_path / name).touch()
    report = load(tmp_path).load_report
    assert {outcome(verdict) for verdict in report} == {("skipped", "name", "name-mismatch")}
    assert {Path(verdict.path).name for verdict in report} == set(names)
    assert all(FILE_NAME_RULE in verdict.reason for verdict in report)
    assert "the <vendor> part 'Arm%Co' may have only" in str(report)
    str(report).encode()


def test_entries_are_taken_in_byte_order(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    order = [
        "0_A_backend.so",
        "A0_A_backend.so",
        "A_A_backend.so",
        "A_a_backend.so",
        "a_A_backend.so",
    ]
    for number, name in enumerate(reversed(order)):
        workshop.put_id(tmp_path, f"Id{number}", name=name)
    assert [Path(verdict.path).name for verdict in load(tmp_path).load_report] == order


def test_subfolders_are_not_searched(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path / "below", "Below")
    verdict = only(load(tmp_path))
    assert outcome(verdict) == ("skipped", "name", "name-mismatch")
    assert verdict.reason == "is a folder; subfolders are not searched"


def test_a_text_file(load: Load, tmp_path: Path) -> None:
    (tmp_path / SO).write_text("just text")
    verdict = only(load(tmp_path))
    assert outcome(verdict) == ("refused", "inspect", "not-elf")
    assert verdict.reason == "not a shared object: no ELF head"


def test_the_name_need_not_be_the_id(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path, "SomethingElse", name=SO)
    verdict = only(load(tmp_path))
    assert (verdict.status, verdict.id) == ("loaded", "SomethingElse")
    assert verdict.hint == "the file name says 'X', the backend calls itself 'SomethingElse'"


@pytest.mark.parametrize("name", ["Npu", "Acme_Npu"])
def test_name_and_id_may_have_the_vendor_or_not(
    load: Load, tmp_path: Path, workshop: Workshop, name: str
) -> None:
    workshop.put_id(tmp_path, name, name="Acme_Npu_backend.so")
    verdict = only(load(tmp_path))
    assert (verdict.status, verdict.id, verdict.hint) == ("loaded", name, "")


# ---- Links --------------------------------------------------------------------------------------


def test_dangling_link(load: Load, tmp_path: Path) -> None:
    (tmp_path / SO).symlink_to("nothing")
    verdict = only(load(tmp_path))
    assert outcome(verdict) == ("refused", "resolve", "dangling-link")
    assert verdict.reason == "is a link to 'nothing', which does not exist"


def test_link_to_itself(load: Load, tmp_path: Path) -> None:
    (tmp_path / SO).symlink_to(SO)
    verdict = only(load(tmp_path))
    assert outcome(verdict) == ("refused", "resolve", "link-loop")


def test_links_in_a_circle(load: Load, tmp_path: Path) -> None:
    names = [f"Test_{letter}_backend.so" for letter in "ABC"]
    for name, target in zip(names, names[1:] + names[:1], strict=True):
        (tmp_path / name).symlink_to(target)
    report = load(tmp_path).load_report
    assert [outcome(verdict) for verdict in report] == [("refused", "resolve", "link-loop")] * 3


def test_link_loop_with_an_irrelevant_name(load: Load, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert outcome(only(load(tmp_path))) == ("skipped", "name", "name-mismatch")


def test_chain_of_versions_is_one_backend(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path / "real", "One", name="Arm_One_backend.so.1.2.3")
    place = tmp_path / "place"
    place.mkdir()
    (place / "Arm_One_backend.so").symlink_to("Arm_One_backend.so.1")
    (place / "Arm_One_backend.so.1").symlink_to(tmp_path / "real" / "Arm_One_backend.so.1.2.3")
    first, second = load(place).load_report
    assert (first.status, first.path) == ("loaded", str(place / "Arm_One_backend.so"))
    assert first.real_path == str(tmp_path / "real" / "Arm_One_backend.so.1.2.3")
    assert outcome(second) == ("duplicate", "resolve", "same-file")
    assert str(place / "Arm_One_backend.so") in second.reason


def test_the_links_own_name_counts(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    target = workshop.put_id(tmp_path / "real", "One", name="any_backend_name")
    place = tmp_path / "place"
    place.mkdir()
    (place / SO).symlink_to(target)
    (place / "other.so").symlink_to(target)
    assert [verdict.status for verdict in load(place).load_report] == ["loaded", "skipped"]


def test_hard_link_is_the_same_file(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    first = workshop.put_id(tmp_path, "One", name="A_A_backend.so")
    (tmp_path / "B_B_backend.so").hardlink_to(first)
    assert [verdict.code for verdict in load(tmp_path).load_report] == ["ok", "same-file"]


def test_one_file_in_two_places_counts_once(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    original = workshop.put_id(tmp_path / "a", "One")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / original.name).symlink_to(original)
    report = load([tmp_path / "a", tmp_path / "b"]).load_report
    assert [verdict.code for verdict in report] == ["ok", "same-file"]


# ---- Things that are no files -------------------------------------------------------------------


def test_folder_named_like_a_backend(load: Load, tmp_path: Path) -> None:
    (tmp_path / SO).mkdir()
    verdict = only(load(tmp_path))
    assert outcome(verdict) == ("refused", "resolve", "not-a-file")
    assert verdict.reason == "is a folder, not a file"


def test_pipe_named_like_a_backend(load: Load, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / SO)
    assert only(load(tmp_path)).reason == "is a pipe, not a file"


def test_link_to_a_device(load: Load, tmp_path: Path) -> None:
    (tmp_path / SO).symlink_to("/dev/zero")
    assert only(load(tmp_path)).reason == "is a device, not a file"


def test_socket_named_like_a_backend(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket may have 107 bytes
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(SO)
        assert only(load(tmp_path)).reason == "is a socket, not a file"


def test_unreadable_file(open_folder: Path, workshop: Workshop) -> None:
    workshop.put_id(open_folder, "One").chmod(0o000)
    workshop.put_id(open_folder, "Two")
    (open_folder / "Test_Two_backend.so").chmod(0o644)
    refused, loaded = run_as_nobody(open_folder)
    assert refused == ["refused", "resolve", "unreadable", "cannot be read: Permission denied"]
    assert loaded[0] == "loaded"


def test_link_into_an_unreadable_folder(open_folder: Path, workshop: Workshop) -> None:
    target = workshop.put_id(open_folder / "closed", "One")
    (open_folder / "place").mkdir()
    (open_folder / "place" / SO).symlink_to(target)
    target.parent.chmod(0o000)
    verdicts = run_as_nobody(open_folder / "place")
    target.parent.chmod(0o700)
    assert verdicts == [["refused", "resolve", "unreadable", "cannot be read: Permission denied"]]
