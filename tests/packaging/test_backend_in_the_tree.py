# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend in the tree as CONTRIBUTING.md has it: common code, backend and its own unit test."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

import armnn_py as ann
from tests.builds import FEW_KERNELS, sources_beside

from .conftest import REPOSITORY, run

#: What the root's CMakeLists.txt reads; with tests, those of `tests/` that are in C.
PARTS = ("CMakeLists.txt", "cmake", "native", "backends_c", "tests/native", "tests/cpu_acc")
BLOCK = re.compile(r"^```(?:c|cmake)\n(?:# |/\* )(\S+)(?: \*/)?\n(.*?)^```$", re.M | re.S)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository's C sources with the files that CONTRIBUTING.md shows."""
    tree = tmp_path_factory.mktemp("tree")
    for part in PARTS:
        source = REPOSITORY / part
        (tree / part).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tree / part)
    page = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    files = BLOCK.findall(page)
    assert {Path(name).name for name, _ in files} >= {"common.cmake", "backend.cmake", "test.c"}
    for name, text in files:
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text(text, encoding="utf-8")
    return tree


@pytest.fixture(scope="module")
def build(tree: Path) -> Path:
    build = tree / "build"
    run("cmake", "-S", tree, "-B", build, "-G", "Ninja", "-DARMNN_BUILD_TESTS=ON",
        "-DARMNN_WERROR=ON")  # fmt: skip
    return build


def test_its_own_test_is_found_beside_ours(build: Path) -> None:
    listed = run("ctest", "--test-dir", build, "-N")
    assert re.search(r"Test +#\d+: acme$", listed, re.MULTILINE)
    assert re.search(r"Test +#\d+: native_plan$", listed, re.MULTILINE)


def test_template_builds_tests_and_loads(build: Path) -> None:
    run("cmake", "--build", build, "--target", "Acme_Npu_backend", "acme_test")
    run("ctest", "--test-dir", build, "-R", "^acme$", "--no-tests=error")
    library = build / "backends_c" / "acme" / "Acme_Npu_backend.so"
    with ann.Runtime(library.parent) as runtime:
        (verdict,) = (one for one in runtime.load_report if one.path == str(library))
    assert (verdict.id, verdict.status) == ("AcmeNpu", "loaded")


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "options",
    [(), ("-DARMNN_STATIC_BACKENDS=CpuRef;CpuAcc", "-DARMNN_DYNAMIC_BACKENDS=ALL"),
     ("-DARMNN_STATIC_BACKENDS=",)],
    ids=["default", "both forms", "files alone"],
)  # fmt: skip
def test_cpu_ref_and_cpu_acc_run_a_layer_linked_and_as_files(
    tree: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """A convolution through the C table of each, in whatever forms the build has them."""
    build = tmp_path / "build"
    run("cmake", "-S", sources_beside(build, tree), "-B", build, "-G", "Ninja",
        "-DARMNN_BUILD_TESTS=ON", "-DARMNN_WERROR=ON", *FEW_KERNELS, *options)  # fmt: skip
    run("cmake", "--build", build, "--target", "armnn_backend_tests")
    told = run("ctest", "--test-dir", build, "-L", "backends", "--no-tests=error")
    names = re.findall(r"Test +#\d+: (\w+) \.+ +Passed", told)
    assert names == ["cpu_ref_static", "cpu_ref_dynamic", "cpu_acc_static", "cpu_acc_dynamic"]


def test_the_same_sources_and_their_test_serve_both_forms(tree: Path) -> None:
    """Linked into the library and a file at once; the test links the objects of both."""
    build = tree / "both"
    run("cmake", "-S", tree, "-B", build, "-G", "Ninja", "-DARMNN_BUILD_TESTS=ON",
        "-DARMNN_WERROR=ON", "-DARMNN_STATIC_BACKENDS=Npu",
        "-DARMNN_DYNAMIC_BACKENDS=ALL")  # fmt: skip
    run("cmake", "--build", build, "--target", "armnn_core", "Acme_Npu_backend", "acme_test")
    run("ctest", "--test-dir", build, "-R", "^acme$", "--no-tests=error")
    library = build / "backends_c" / "acme" / "Acme_Npu_backend.so"
    listed = json.loads(
        run(sys.executable, "-m", "armnn_py", "--backend-path", library.parent, "backends", "list",
            "--json", ARMNN_PY_CORE_LIBRARY=str(build / "native" / "libarmnn_core.so"),
            PYTHONPATH=os.pathsep.join(sys.path))
    )  # fmt: skip
    verdicts = [(v["status"], v["place"]) for v in listed["verdicts"] if v["id"] == "AcmeNpu"]
    assert verdicts == [("loaded", "static"), ("duplicate", "argument")]
