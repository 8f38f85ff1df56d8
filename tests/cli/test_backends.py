# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""backends list, show, check, paths and new; config and doctor."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from armnn_py.backends.loader.checking import STEPS

from .conftest import DEMO, Command

REPOSITORY = Path(__file__).resolve().parents[2]


def test_list_shows_the_reference(command: Command) -> None:
    verdicts = command("backends", "list", "--json").json["verdicts"]
    (reference,) = (v for v in verdicts if v["id"] == "CpuRef")
    assert reference["status"] == "loaded"
    assert reference["version"] == "2.0"
    assert "CpuRef" in command("backends", "list").out


def test_list_says_why_a_file_was_refused_without_a_warning(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "Acme_Npu_backend.so").write_bytes(b"no ELF file")
    (tmp_path / "notes.txt").write_text("not for us")
    answer = command("--backend-path", tmp_path, "backends", "list")
    assert answer.code == 0
    assert answer.err == ""
    assert "Acme_Npu_backend.so" in answer.out
    assert "inspect: " in answer.out
    assert "notes.txt" not in answer.out
    assert "notes.txt" in command("--backend-path", tmp_path, "backends", "list", "-v").out
    verdicts = command("--backend-path", tmp_path, "backends", "list", "--json").json["verdicts"]
    assert {Path(v["path"]).name: v["status"] for v in verdicts if v["place"] == "argument"} == {
        "Acme_Npu_backend.so": "refused", "notes.txt": "skipped",
    }  # fmt: skip


def test_a_shared_object_with_another_name_is_reported(command: Command, tmp_path: Path) -> None:
    (tmp_path / "libnpu.so").write_bytes(b"no ELF file")
    (tmp_path / "notes.txt").write_text("not for us")
    said = f"1 file in {tmp_path} does not follow <vendor>_<name>_backend.so: libnpu.so"
    given = ("--backend-path", tmp_path)
    assert f"\n{said}; -v shows all\n" in command(*given, "backends", "list").out
    assert said not in command(*given, "backends", "list", "-v").out
    checks = {one["check"]: one for one in command(*given, "doctor", "--json").json["checks"]}
    assert said in checks["backends"]["detail"]
    assert "notes.txt" not in checks["backends"]["detail"]


def test_show_describes_a_backend(command: Command) -> None:
    document = command("backends", "show", "CpuRef", "--json").json
    assert document["api"] == "2.0"
    assert document["score"] == 0
    assert "Options: " in command("backends", "show", "CpuRef").out


def test_show_lists_the_layers_that_a_backend_takes(command: Command, dozen_folder: Path) -> None:
    arguments = ("--backend-path", dozen_folder, "backends", "show", "Dozen")
    layers = command(*arguments, "--json").json["layers"]
    taken = {layer: types for layer, types in layers.items() if types}
    assert taken == {"ElementwiseBinary": ["float32"]}
    text = command(*arguments).out
    assert re.search(r"\nElementwiseBinary +float32\nNot taken: Activation, ", text)
    assert "Softmax" in text
    assert re.search(r"\nReshape +all\n", command("backends", "show", "CpuRef").out)


def test_show_has_what_there_is(
    command: Command, tmp_path: Path, build_backend: Callable[..., None]
) -> None:
    build_backend("services_backend.c", tmp_path / "Test_Services_backend.so")
    arguments = ("--backend-path", tmp_path, "backends", "show", "Services")
    document = command(*arguments, "--json").json
    defaults = {(one["scope"], one["name"]): one["default"] for one in document["options"]}
    assert defaults == {("model", "negate"): True, ("model", "effort"): 3}
    assert [device["name"] for device in document["devices"]] == ["npu0", "npu1"]
    assert document["devices"][0]["memory_size"] == 2**33
    assert [counter["name"] for counter in document["counters"]] == ["layers", "temperature"]
    assert document["cache_files"] == 2
    text = command(*arguments).out
    assert re.search(r"\nmodel +negate +bool +true +any +-\n", text)
    assert "Given by: --model-option ID.NAME=VALUE\n" in text
    assert re.search(r"npu0 .*1\.2 .*8192 MiB", text)
    assert re.search(r"temperature .*absolute .*degrees", text)
    assert re.search(r"cache files +2", text)
    without = command("backends", "show", "CpuRef").out
    for word in ("Given by", "device", "counter", "cache files"):
        assert word not in without


def test_show_takes_backend_options(command: Command) -> None:
    arguments = ("backends", "show", "CpuAcc", "--json", "--backend-option")
    options = command(*arguments, "CpuAcc.threads=1").json["options"]
    assert {one["name"]: one["value"] for one in options}["threads"] == 1
    assert command(*arguments, "CpuAcc.treads=1").code != 0


def test_test_takes_backend_options(command: Command) -> None:
    arguments = ("backends", "test", "CpuAcc", "--layer", "Prelu", "--backend-option")
    answer = command(*arguments, "CpuAcc.isa=nonsense")
    assert answer.code != 0
    assert "nonsense" in answer.err
    answer = command(*arguments, "CpuAcc.threads=1")  # a number
    assert answer.code == 0
    assert "Only these layers or types" in answer.out


def test_show_explains_options_and_hides_secrets(
    command: Command, tmp_path: Path, build_backend: Callable[..., None]
) -> None:
    build_backend("options_backend.c", tmp_path / "Test_Options_backend.so")
    arguments = ("--backend-path", tmp_path, "backends", "show", "Options")
    answer = command(*arguments, "--json")
    options = {one["name"]: one for one in answer.json["options"]}
    assert options["factor"] == {
        "scope": "backend", "name": "factor", "type": "uint", "default": 2, "value": 2,
        "help": "multiplies", "unit": "times", "minimum": 1, "maximum": 10, "choices": [],
        "secret": False, "changeable": True,
    }  # fmt: skip
    assert options["mode"]["choices"] == ["fast", "exact"]
    assert options["gain"]["scope"] == "run"
    text = command(*arguments).out
    assert re.search(
        r"\nbackend +factor +uint +2 +1 to 10 times +multiplies \(changeable\)\n", text
    )
    assert re.search(r"\nbackend +mode +string +fast +fast, exact +how to compute\n", text)
    assert re.search(r"\nbackend +key +string +\(secret\) +any +licence key \(secret, cha", text)
    assert re.search(r"\nrun +gain +float +1.0 +-4.0 to 4.0 +multiplies\n", text)
    assert "hunter" not in text + answer.out


def test_show_of_an_unknown_backend_is_code_4(command: Command) -> None:
    answer = command("backends", "show", "CpuReff")
    assert answer.code == 4
    assert "did you mean 'CpuRef'?" in answer.err


def test_check_stops_at_the_step_that_refuses(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "Acme_Npu_backend.so"
    path.write_bytes(b"\x7fELF")
    answer = command("backends", "check", path, "--json")
    assert answer.code == 4
    steps = answer.json["steps"]
    assert [step["step"] for step in steps] == list(STEPS)
    assert [step["result"] for step in steps] == ["ok", "ok", "refused"] + ["not tried"] * 7
    assert steps[2]["detail"] == answer.json["verdict"]["reason"]
    text = command("backends", "check", path)
    assert "vendor Acme, name Npu" in text.out
    assert "step inspect" in text.err


@pytest.mark.parametrize("kind", ["missing", "folder", "dangling", "name"])
def test_check_copes_with_anything(command: Command, tmp_path: Path, kind: str) -> None:
    path = tmp_path / ("odd.so" if kind == "name" else "Acme_Npu_backend.so")
    if kind == "folder":
        path.mkdir()
    elif kind == "dangling":
        path.symlink_to("nowhere")
    elif kind == "name":
        path.write_bytes(b"")
    answer = command("backends", "check", path)
    assert answer.code == (2 if kind == "missing" else 4)
    assert answer.err.startswith("error: ")


def test_paths_lists_places_in_order(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = tmp_path / "good"
    good.mkdir()
    monkeypatch.setenv("DYNAMIC_BACKEND_PATHS", f"{good}:relative:{tmp_path / 'none'}")
    places = command("backends", "paths", "--json").json["places"]
    named = [place for place in places if place["source"] == "environment"]
    assert [place["folder"] for place in named] == [str(good), "relative", str(tmp_path / "none")]
    assert [place["ignored"] is None for place in named] == [True, False, False]
    assert "ignored: " in command("backends", "paths").out


def test_new_writes_a_project_and_says_what_next(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    answer = command("backends", "new", folder, "--vendor", "Acme", "--name", "Dsp7")
    assert answer.code == 0
    assert {p.name for p in folder.iterdir()} == {
        "CMakeLists.txt", "README.md", "backend.c", "pyproject.toml",
    }  # fmt: skip
    assert "armnn_add_backend(Dsp7 VENDOR Acme" in (folder / "CMakeLists.txt").read_text()
    assert "@" not in (folder / "CMakeLists.txt").read_text()
    assert "CMAKE_BUILD_TYPE Release" in (folder / "CMakeLists.txt").read_text()
    assert "cmake --build build" in answer.out


@pytest.mark.parametrize(
    ("options", "files"),
    [
        (["--cpp"], {"backend.cpp"}),
        (["--tests"], {"backend.c", "kernels.c", "kernels.h", "tests/test_kernels.c",
                       "tests/test_backend.py"}),
        (["--compiler"], {"backend.c", "kernels.c", "kernels.h", "compiler.c", "compiler.h"}),
        (["--cpp", "--compiler", "--tests"],
         {"backend.cpp", "kernels.cpp", "kernels.h", "compiler.cpp", "compiler.h",
          "tests/test_kernels.cpp", "tests/test_backend.py"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_new_writes_what_is_asked_for(
    command: Command, tmp_path: Path, options: list[str], files: set[str]
) -> None:
    folder = tmp_path / "project"
    answer = command(
        "backends", "new", folder, "--vendor", "Acme", "--name", "Dsp7", *options, "--json"
    )
    written = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert written == files | {"CMakeLists.txt", "README.md", "pyproject.toml"}
    assert {str(folder / name) for name in written} == set(answer.json["files"])
    assert ("pytest tests" in answer.json["commands"]) is ("--tests" in options)
    for name in written:
        lines = (folder / name).read_text(encoding="utf-8").splitlines()
        placed = [line for line in lines if line.startswith(("@if", "@end"))]
        assert not placed
        assert not [line for line in lines if re.search("@[A-Z]+@", line)]


@pytest.mark.parametrize(
    ("vendor", "name", "said"),
    [
        ("Acme_Corp", "Npu", "--vendor: 'Acme_Corp'"),
        ("Acme", "", "--name: ''"),
        ("Acme", "N pu", "--name: 'N pu'"),
        ("Ácme", "Npu", "--vendor: 'Ácme'"),
    ],
)
def test_new_refuses_names_that_break_the_rule(
    command: Command, tmp_path: Path, vendor: str, name: str, said: str
) -> None:
    answer = command("backends", "new", tmp_path / "p", "--vendor", vendor, "--name", name)
    assert answer.code == 2
    assert said in answer.err
    assert not (tmp_path / "p").exists()


def test_new_overwrites_nothing(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.c").write_text("precious")
    answer = command("backends", "new", tmp_path, "--vendor", "Acme", "--name", "Npu")
    assert answer.code == 2
    assert "is not empty" in answer.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.c"]


def test_config_prints_the_version_alone(command: Command) -> None:
    import armnn_py

    assert command("config", "--version").out == f"{armnn_py.__version__}\n"
    assert command("config", "--version", "--json").json["version"] == armnn_py.__version__


def test_doctor_finds_this_install_healthy(command: Command) -> None:
    answer = command("doctor", "--json")
    assert answer.code == 0
    results = {row["check"]: row["result"] for row in answer.json["checks"]}
    assert results["native library"] == results["struct layouts"] == "ok"
    assert results["backends"] in ("ok", "warning")


def test_doctor_warns_of_too_many_threads(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARMNN_PY_NUM_THREADS", "1000")
    rows = {row["check"]: row for row in command("doctor", "--json").json["checks"]}
    assert rows["threads"]["result"] == "warning"
    assert "ARMNN_PY_NUM_THREADS=1000" in rows["threads"]["detail"]
    monkeypatch.delenv("ARMNN_PY_NUM_THREADS")
    from armnn_py.runtime.threads import set_num_threads

    set_num_threads(0)


def test_doctor_without_the_library_says_so(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    from armnn_py import errors
    from armnn_py._native import self_check

    def missing() -> str:
        raise errors.InternalError("the native library 'x' is not there")

    monkeypatch.setattr(self_check, "core_version", missing)
    answer = command("doctor", "--json")
    assert answer.code == 1
    assert answer.json["checks"][0]["detail"] == "the native library 'x' is not there"


def test_list_shows_files_that_were_perhaps_meant(command: Command, tmp_path: Path) -> None:
    for name in ("Bad_Bad_extra_backend.so", "Acme_Npu_Backend.so", "notes.txt"):
        (tmp_path / name).write_bytes(b"")
    out = command("--backend-path", tmp_path, "backends", "list").out
    (row,) = (line for line in out.splitlines() if "Bad_Bad_extra_backend.so" in line)
    assert "skipped" in row
    assert "the <name> part 'Bad_extra' may have only letters" in row
    assert "Acme_Npu_Backend.so" in out
    assert "notes.txt" not in out
    assert "2 skipped, 1 other file; -v lists it" in out


def test_relative_backend_path_is_refused_with_the_absolute_form(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "build").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("list", "paths"):
        out = command("--backend-path", "build", "backends", name).out
        assert "is not absolute" in out
        assert f"hint: build: use '{tmp_path / 'build'}'" in out


@pytest.mark.parametrize("name", ["CpuRef", "Unknown"])
def test_new_refuses_the_ids_of_others(command: Command, tmp_path: Path, name: str) -> None:
    answer = command("backends", "new", tmp_path / "p", "--vendor", "Acme", "--name", name)
    assert answer.code == 2
    assert f"the id '{name}' is " in answer.err
    assert not (tmp_path / "p").exists()


def test_sdk_export_copies_headers_and_cmake_files(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "sdk"
    answer = command("sdk", "export", folder, "--json")
    assert answer.code == 0
    assert {str(path) for path in folder.rglob("*") if path.is_file()} == set(answer.json["files"])
    given = Path(command("config", "--includedir").out.strip()) / "armnn" / "backend_api.h"
    assert (folder / "include" / "armnn" / "backend_api.h").read_bytes() == given.read_bytes()
    assert (folder / "cmake" / "armnn_py-config.cmake").is_file()
    other = command("sdk", "export", tmp_path / "other")
    assert f"-DCMAKE_PREFIX_PATH={tmp_path / 'other'}" in other.out


def test_sdk_export_overwrites_nothing(command: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.h").write_text("precious")
    answer = command("sdk", "export", tmp_path)
    assert answer.code == 2
    assert "is not empty" in answer.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.h"]


def test_one_is_not_said_in_the_plural(command: Command, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not for us")
    out = command("--backend-path", tmp_path, "backends", "paths").out
    assert "1 backend\n" in out
    assert "1 file\n" in out


def test_a_veto_of_the_end_takes_nothing_from_the_answer(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, include = REPOSITORY / "tests/fixtures/queue_backend.c", REPOSITORY / "native/include"
    path = tmp_path / "Test_Queue_backend.so"
    flags = ["-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread", f"-I{include}"]
    subprocess.run(["cc", *flags, str(source), "-o", str(path)], check=True)
    monkeypatch.setenv("QUEUE_REFUSES", "before_unload_network")
    chosen = ("-b", "CpuRef", "-b", "Queue")  # else its file is not opened
    answer = command("--backend-path", tmp_path, "run", DEMO, "--random", "1", *chosen)
    assert answer.code == 0, answer.err
    assert "1 run in" in answer.out
    assert "does not let network 'digits' be closed: before_unload_network" in answer.err
    assert command("--backend-path", tmp_path, "run", DEMO, "--random", "1", "--json").json["ok"]


def test_missing_extra_is_named(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {row["check"]: row for row in command("doctor", "--json").json["checks"]}
    assert rows["extras"]["detail"] == (
        "ONNX models, TensorFlow Lite models, pictures as inputs, reports, server of models"
    )
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    rows = {row["check"]: row for row in command("doctor", "--json").json["checks"]}
    assert rows["extras"] == {
        "check": "extras",
        "result": "note",
        "detail": 'no ONNX models: pip install onnx, or pip install ".[onnx]" in a clone of '
        "armnn_py; no TensorFlow Lite models: pip install flatbuffers, or pip install "
        '".[tflite]" in a clone of armnn_py; no pictures as inputs: pip install '
        'pillow, or pip install ".[onnx]" in a clone of armnn_py; no reports: pip install '
        'jinja2, or pip install ".[report]" in a clone of armnn_py; no server of models: pip '
        "install starlette uvicorn prometheus-client grpcio protobuf, or pip install "
        '".[serve]" in a clone of armnn_py',
    }
