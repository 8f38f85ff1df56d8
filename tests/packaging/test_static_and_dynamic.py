# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The same program with a backend linked in, and with it loaded from a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builds import FEW_KERNELS, sources_beside

from .conftest import REPOSITORY, Environment, run

pytestmark = pytest.mark.timeout(900)  # a build without a compiler cache

PROGRAM = """
import hashlib, json, os, sys
from pathlib import Path
import numpy as np
import armnn_py as ann

results = {}
for argument in sys.argv[1:]:
    path, _, text = argument.partition("@")
    with ann.load(path, backends=[os.environ.get("BACKEND", "CpuRef")]) as network:
        generator = np.random.default_rng(3)
        for shape in text.split("+"):
            (name,) = network.inputs
            shape = tuple(int(part) for part in shape.split("x"))
            image = generator.random(shape, dtype=np.float32)
            outputs = network.run({name: image})
            for output, array in outputs.items():
                key = f"{Path(path).stem} {shape} {output}"
                results[key] = hashlib.sha256(array.tobytes()).hexdigest()
                assert np.isfinite(array).all() and array.any()
        files = {record.file for record in network.assignment}
print(json.dumps({"results": results, "files": sorted(map(str, files))}))
"""


@pytest.fixture(scope="module")
def dynamic_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library without static backends, and the reference as a shared object."""
    build = tmp_path_factory.mktemp("dynamic") / "build"
    run("cmake", "-S", sources_beside(build), "-B", build, "-G", "Ninja", "-DARMNN_WERROR=ON",
        "-DARMNN_STATIC_BACKENDS=", *FEW_KERNELS)  # fmt: skip
    run("cmake", "--build", build)
    return build


def both(installed: Environment, build: Path, folder: Path, *arguments: str) -> list[Any]:
    """Answers of the program: as installed, and with what the build made."""
    (library,) = build.rglob("Arm_CpuRef_backend.so")
    (folder / library.name).write_bytes(library.read_bytes())
    command = [installed.python, "-c", PROGRAM, *arguments]
    linked = run(*command, cwd=folder)
    loaded = run(
        *command,
        cwd=folder,
        ARMNN_PY_CORE_LIBRARY=str(build / "native" / "libarmnn_core.so"),
        DYNAMIC_BACKEND_PATHS=str(folder / library.name),
    )
    answers = [json.loads(linked), json.loads(loaded)]
    assert answers[0]["files"] == ["None"]
    assert answers[1]["files"] == [str((folder / library.name).resolve())]
    return answers


def test_results_of_the_demo_are_bit_equal(
    installed: Environment, dynamic_build: Path, tmp_path: Path
) -> None:
    model = REPOSITORY / "armnn_py" / "demo" / "digits.onnx"
    linked, loaded = both(installed, dynamic_build, tmp_path, f"{model}@1x1x8x8+1x1x8x8")
    assert linked["results"] == loaded["results"]
    assert linked["results"]


@pytest.mark.models
def test_results_of_real_networks_are_bit_equal(
    installed: Environment, dynamic_build: Path, tmp_path: Path, models_folder: Path
) -> None:
    shapes = {
        "resnet50_thin": "1x224x224x3",
        "ocr_det": "1x3x320x320+1x3x320x480",
        "ocr_rec": "1x3x48x320",
        "yolox_tiny": "1x3x416x416",
    }
    arguments = [f"{models_folder / 'open' / name}.onnx@{shape}" for name, shape in shapes.items()]
    linked, loaded = both(installed, dynamic_build, tmp_path, *arguments)
    assert linked["results"] == loaded["results"]
    assert len(linked["results"]) == 5


def test_places_compiled_in_are_searched(
    installed: Environment, dynamic_build: Path, tmp_path: Path
) -> None:
    (library,) = dynamic_build.rglob("Arm_CpuRef_backend.so")
    (tmp_path / library.name).write_bytes(library.read_bytes())
    build = tmp_path / "build"
    run("cmake", "-S", sources_beside(build), "-B", build, "-G", "Ninja",
        "-DARMNN_WERROR=ON", "-DARMNN_STATIC_BACKENDS=",
        f"-DDYNAMIC_BACKEND_PATHS={tmp_path / library.name}:/no/such/folder")  # fmt: skip
    run("cmake", "--build", build, "--target", "armnn_core")
    listed = json.loads(
        run(installed.command, "backends", "list", "--json",
            ARMNN_PY_CORE_LIBRARY=str(build / "native" / "libarmnn_core.so"))
    )  # fmt: skip
    found = {v["path"]: (v["status"], v["place"]) for v in listed["verdicts"]}
    assert found[str(tmp_path / library.name)] == ("loaded", "compiled-in")
    assert found["/no/such/folder"] == ("refused", "compiled-in")


def test_cpu_acc_is_linked_and_a_file_from_one_build(
    installed: Environment, tmp_path: Path
) -> None:
    build = tmp_path / "build"
    run("cmake", "-S", sources_beside(build), "-B", build, "-G", "Ninja", "-DARMNN_WERROR=ON",
        "-DARMNN_DYNAMIC_BACKENDS=CpuAcc", "-DARMNN_STATIC_BACKENDS=CpuRef;CpuAcc",
        *FEW_KERNELS)  # fmt: skip
    run("cmake", "--build", build)
    (file,) = build.rglob("*_backend.so")
    assert file.name == "Arm_CpuAcc_backend.so"
    linked = {"ARMNN_PY_CORE_LIBRARY": str(build / "native" / "libarmnn_core.so")}
    model = f"{REPOSITORY / 'armnn_py' / 'demo' / 'digits.onnx'}@1x1x8x8"
    answers = []
    for variables in (linked, {"DYNAMIC_BACKEND_PATHS": str(file)}):
        answer = run(
            installed.python, "-c", PROGRAM, model, cwd=tmp_path, BACKEND="CpuAcc", **variables
        )
        answers.append(json.loads(answer))
    assert answers[0]["files"] == ["None"]
    assert answers[1]["files"] == [str(file.resolve())]
    assert answers[0]["results"] == answers[1]["results"]
    listed = json.loads(
        run(installed.command, "backends", "list", "--json", cwd=tmp_path,
            DYNAMIC_BACKEND_PATHS=str(file), **linked)
    )  # fmt: skip
    verdicts = [(v["status"], v["place"]) for v in listed["verdicts"] if v["id"] == "CpuAcc"]
    assert verdicts[:2] == [("loaded", "static"), ("duplicate", "environment")]
