# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The ids of the package's own backends: no other file gets one by being found."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py._native.table import dynamic_library
from armnn_py.backends.loader.checking import check_file
from armnn_py.backends.loader.naming import RESERVED_IDS, is_of_package
from armnn_py.errors import BackendSkippedWarning

from .harness import REPOSITORY, Load, Workshop, outcome
from .test_entry_points import declare, install, site

__all__ = ["site"]

REFUSED = ("refused", "id", "id-of-package")
Monkey = pytest.MonkeyPatch


def own_file() -> Path:
    """The file of CpuAcc that the package ships."""
    for folder in sys.modules["armnn_py"].__path__:
        for file in Path(folder).glob("_backends/Arm_CpuAcc_backend.so"):
            return file
    pytest.skip("CpuAcc is linked into this build")


def test_they_are_those_of_what_the_package_ships() -> None:
    built = {
        re.search(r"armnn_add_backend\((\w+)", file.read_text()).group(1)
        for file in (REPOSITORY / "backends_c").glob("cpu_*/CMakeLists.txt")
    }
    assert built == RESERVED_IDS


@pytest.mark.parametrize("backend_id", sorted(RESERVED_IDS))
@pytest.mark.parametrize("seconds", [None, 0], ids=["tried", "not tried"])
@pytest.mark.parametrize("bundled", [True, False], ids=["beside ours", "without ours"])
def test_a_folder(
    load: Load, tmp_path: Path, workshop: Workshop, backend_id: str, seconds: float, bundled: bool
) -> None:
    file = workshop.put_id(tmp_path, backend_id, name="Evil_Npu_backend.so")
    registry = load(tmp_path, bundled_backends=bundled, probe_seconds=seconds)
    verdict = registry.load_report.about(backend_id)[1 if bundled and backend_id == "CpuRef" else 0]
    assert verdict.path == str(file)
    assert outcome(verdict) == REFUSED
    assert verdict.reason == f"the id '{backend_id}' belongs to a backend of the armnn_py package"
    assert verdict.hint.endswith(f"name the file itself as a place to search: '{file}'")
    assert (backend_id in registry) == bundled
    if bundled:
        used = registry[backend_id].file
        assert used is None or is_of_package(used)


def test_a_wheel(load: Load, site: Path, workshop: Workshop) -> None:
    install(site, "evil_npu", declare("npu = evil_npu"), "evil_npu")
    file = workshop.put_id(site / "evil_npu", "CpuAcc", name="Arm_CpuAcc_backend.so")
    registry = load(bundled_backends=True)
    assert registry["CpuAcc"].file == str(own_file().resolve())
    (verdict,) = (one for one in registry.load_report if one.path == str(file))
    assert verdict.place == "entry-point evil-npu/npu"
    assert outcome(verdict) == REFUSED
    with ann.Runtime(backends=["CpuAcc"]) as runtime:
        assert runtime.backends["CpuAcc"].file == str(own_file().resolve())


@pytest.mark.parametrize("where", ["variable", "compiled in"])
def test_other_folders(
    load: Load, tmp_path: Path, workshop: Workshop, monkeypatch: Monkey, where: str
) -> None:
    workshop.put_id(tmp_path, "CpuAcc")
    if where == "variable":
        monkeypatch.setenv("DYNAMIC_BACKEND_PATHS", str(tmp_path))
    else:
        monkeypatch.setattr(dynamic_library, "compiled_in_paths", lambda: str(tmp_path))
    monkeypatch.setenv("ARMNN_PY_NO_ENTRY_POINTS", "1")
    registry = load()
    assert [outcome(one) for one in registry.load_report] == [REFUSED]


def test_a_folder_that_the_caller_named_is_warned_about(tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path, "CpuAcc")
    with pytest.warns(BackendSkippedWarning, match="name the file itself as a place"):
        ann.Runtime(tmp_path).close()


@pytest.mark.parametrize("where", ["argument", "argument beside its folder", "variable"])
def test_a_file_that_is_named(
    load: Load, tmp_path: Path, workshop: Workshop, monkeypatch: Monkey, where: str
) -> None:
    file = workshop.put_id(tmp_path, "CpuAcc")
    # It beats the package's own file, whose folder is searched last.
    if where == "variable":
        monkeypatch.setenv("DYNAMIC_BACKEND_PATHS", str(file))
        registry = load(bundled_backends=True)
    else:
        registry = load([tmp_path, file] if "beside" in where else file, bundled_backends=True)
    assert registry["CpuAcc"].file == str(file)


def test_a_link_that_is_named(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    file = workshop.put_id(tmp_path / "there", "CpuAcc")
    link = tmp_path / "Acme_CpuAcc_backend.so.1"
    link.symlink_to(file)
    assert load(link)["CpuAcc"].file == str(file)


def test_a_name_allows_no_other_file(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path / "one", "CpuAcc")
    file = workshop.put_id(tmp_path / "two", "CpuAcc")
    registry = load([tmp_path / "one", file])
    assert registry["CpuAcc"].file == str(file)
    assert outcome(registry.load_report[0]) == REFUSED


def test_a_link_to_the_packages_own_file(load: Load, tmp_path: Path) -> None:
    (tmp_path / "Arm_CpuAcc_backend.so").symlink_to(own_file())
    registry = load(tmp_path)
    assert registry["CpuAcc"].file == str(own_file().resolve())


def test_the_packages_folder_behind_links(
    load: Load, tmp_path: Path, monkeypatch: Monkey, workshop: Workshop
) -> None:
    """Some installers put links into `site-packages`, and the files elsewhere."""
    package = tmp_path / "armnn_py" / "_backends"
    package.mkdir(parents=True)
    file = workshop.put_id(tmp_path / "store", "CpuAcc", name="Arm_CpuAcc_backend.so")
    (package / file.name).symlink_to(file)
    monkeypatch.setattr(sys.modules["armnn_py"], "__path__", [str(package.parent)])
    assert load([], bundled_backends=True)["CpuAcc"].file == str(file)


def test_ids_that_only_look_alike_are_free(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path, "AcmeAcc", name="Acme_CpuAcc_backend.so")
    workshop.put_id(tmp_path, "Acme_CpuAcc", name="Acme_Other_backend.so")
    assert sorted(load(tmp_path)) == ["AcmeAcc", "Acme_CpuAcc"]


def test_check_says_what_a_search_does(tmp_path: Path, workshop: Workshop) -> None:
    verdict, steps = check_file(workshop.put_id(tmp_path, "CpuAcc"))
    assert verdict.status == "loaded"
    (step,) = (one for one in steps if one.step == "id")
    assert step.result == "note"
    assert step.detail == "CpuAcc, of the package: loads only where this file itself is named"
