# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Editable install, source archive, and a wheel with other static backends."""

from __future__ import annotations

import json
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builds import OPTIONS, SOURCES

from .conftest import REPOSITORY, Environment, run

PROGRAM = """
import json
import numpy as np
import armnn_py as ann
from armnn_py import sdk_paths

network = ann.Network("relu")
x = network.add_input("x", ann.TensorInfo((4,)))
network.add_output("y", network.add_activation(x, ann.ActivationFunction.RELU))
with ann.load(network, ["CpuRef"]) as loaded:
    y = loaded.run({"x": np.array([-1, 0, 1, 2], np.float32)})["y"]
    (record,) = loaded.assignment
print(json.dumps({
    "y": y.tolist(), "file": record.file, "package": ann.__file__,
    "include": str(sdk_paths.get_include()), "cmake": str(sdk_paths.get_cmake_dir()),
}))
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unpacked source archive."""
    folder = tmp_path_factory.mktemp("archive")
    program = f"from scikit_build_core.build import build_sdist; build_sdist({str(folder)!r})"
    run(sys.executable, "-c", program, cwd=REPOSITORY)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        # Python before 3.11.4 has no filters.
        files.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
        files.extractall(folder)
    return (folder / archive.name.removesuffix(".tar.gz")).rename(folder / SOURCES)


def settings(source: Path, build: str, *more: str) -> list[str]:
    """What pip is told for a build in a folder beside the sources."""
    told = [f"build-dir={source.parent / build}"]
    told += (f"cmake.define.{define}" for define in (*OPTIONS, *more))
    return [f"--config-settings={setting}" for setting in told]


def test_editable_install_runs_from_the_sources(
    make_environment: Callable[[str], Environment], source: Path, tmp_path: Path
) -> None:
    environment = make_environment("editable")
    environment.install(*settings(source, "editable"), "-e", source)
    answer = json.loads(run(environment.python, "-c", PROGRAM, cwd=tmp_path))
    assert answer["y"] == [0, 0, 1, 2]
    assert Path(answer["package"]).is_relative_to(source)
    assert (Path(answer["include"]) / "armnn" / "backend_api.h").is_file()
    assert (Path(answer["cmake"]) / "armnn_py-config.cmake").is_file()


def test_source_archive_builds_the_same_wheel(wheel: Path, source: Path, tmp_path: Path) -> None:
    for needed in ("LICENSE", "README.md", "tests/conftest.py", "examples", "docs"):
        assert (source / needed).exists()
    run(
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"),
        *("--no-index", "--wheel-dir", tmp_path / "wheels"),
        *settings(source, "wheel"),
        source,
    )
    (built,) = (tmp_path / "wheels").glob("*.whl")
    assert built.name == wheel.name
    assert names(built) == names(wheel)


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_pip_hands_variables_to_cmake(
    make_environment: Callable[[str], Environment], source: Path, tmp_path: Path
) -> None:
    """A wheel without static backends bundles the reference; folders can be compiled in."""
    folder, missing = tmp_path / "backends", tmp_path / "missing"
    folder.mkdir()
    (folder / "Acme_Npu_backend.so").write_text("no library")
    environment = make_environment("dynamic")
    variables = ("ARMNN_STATIC_BACKENDS=", f"DYNAMIC_BACKEND_PATHS={folder}:{missing}")
    environment.install(*settings(source, "variables", *variables), source)
    bundled = environment.packages / "armnn_py" / "_backends" / "Arm_CpuRef_backend.so"
    answer = json.loads(run(environment.python, "-c", PROGRAM, cwd=tmp_path))
    assert answer["y"] == [0, 0, 1, 2]
    assert answer["file"] == str(bundled.resolve())
    told = run(environment.command, "backends", "list", "--json")
    found = {
        verdict["path"]: verdict["stage"]
        for verdict in json.loads(told)["verdicts"]
        if verdict["place"] == "compiled-in"
    }
    assert found == {str(folder / "Acme_Npu_backend.so"): "inspect", str(missing): "place"}
