# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A copy of the project one minor version on: a layer, a data type, an enumerator, a field more."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
_PARTS = ("armnn_py", "backends_c", "cmake", "native", "schema", "scripts", "CMakeLists.txt")

_NEW = """\
[layer.REHEARSAL]
id = {layer}
since = "2.{minor}"
doc = "Is what a later minor version brings."
shape = "same"

[data_type.REHEARSAL64]
id = {data_type}
since = "2.{minor}"
bits = 64
numpy = "float64"
kind = "float"
"""


def make(folder: Path, minor: int) -> Path:
    """Copy the project into a folder, give it one minor version more, and generate its files."""
    for part in _PARTS:
        source = REPOSITORY / part
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "lib", "_backends", "sdk")
            shutil.copytree(source, folder / part, ignore=ignored)
        else:
            shutil.copy(source, folder / part)
    numbers = _numbers(folder)
    new = _NEW.format(minor=minor, layer=numbers["layer"], data_type=numbers["data_type"])
    (folder / "schema" / "rehearsal.toml").write_text(new, encoding="utf-8")
    _replace(
        folder / "schema" / "elementwise.toml",
        r"(\[enum\.ActivationFunction\].*?)\n\]",
        rf'\1\n  {{ name = "REHEARSAL", id = {numbers["activation"]}, since = "2.{minor}" }},\n]',
    )
    _replace(
        folder / "schema" / "reduction.toml",
        r"(\[descriptor\.Softmax\]\nfields = \[.*?)\n\]",
        rf'\1\n  {{ name = "rehearsal", type = "float", default = 0.0, since = "2.{minor}", '
        "must_understand = 63 },\n]",
    )
    _replace(
        folder / "native" / "include" / "armnn" / "backend_api.h",
        r"#define ARMNN_BACKEND_API_MINOR \d+u",
        f"#define ARMNN_BACKEND_API_MINOR {minor}u",
    )
    _run(sys.executable, folder / "scripts" / "generate_layers.py")
    return folder


def build_core(folder: Path) -> Path:
    """Build the core library of a copy, without any backend."""
    build = folder / "build"
    _run(
        *("cmake", "-S", folder, "-B", build, "-G", "Ninja", "-DARMNN_STATIC_BACKENDS="),
        "-DCMAKE_BUILD_TYPE=Debug",
    )
    _run("cmake", "--build", build, "--target", "armnn_core")
    return build / "native" / "libarmnn_core.so"


def _numbers(folder: Path) -> dict[str, int]:
    """The first free number of each kind, from the headers."""
    text = "".join(
        (folder / "native" / "include" / "armnn" / name).read_text(encoding="utf-8")
        for name in ("types.h", "descriptors.h")
    )
    counts = {
        "layer": "ARMNN_LAYER_TYPE_COUNT",
        "data_type": "ARMNN_DATA_TYPE_COUNT",
        "activation": "ARMNN_ACTIVATION_COUNT",
    }
    found = {}
    for key, name in counts.items():
        match = re.search(rf"{name} = (\d+)", text)
        assert match is not None
        found[key] = int(match[1])
    return found


def _replace(path: Path, pattern: str, replacement: str) -> None:
    text = path.read_text(encoding="utf-8")
    changed, count = re.subn(pattern, replacement, text, count=1, flags=re.DOTALL)
    assert count == 1, f"{path.name} has no {pattern}"
    path.write_text(changed, encoding="utf-8")


def _run(*command: object) -> None:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
