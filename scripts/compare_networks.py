# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Write docs/networks.md: real networks here, and on the engine that their format comes from.

    ARMNN_PY_MODELS=FOLDER python scripts/compare_networks.py

FOLDER is that of ``fetch_models.py``, with what ``quantize_network.py`` adds. ONNX models are
compared with onnxruntime, those of TensorFlow Lite with LiteRT, by its plain and its fast kernels.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import sys
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import ai_edge_litert
import numpy as np
import onnxruntime
from PIL import Image

import armnn_py as ann
from armnn_py.comparing.sides import LiteRTSide, OnnxRuntimeSide, Side
from armnn_py.comparing.tensors import Tensors

Arrays = dict[str, np.ndarray]
Engine = Callable[[Path, Tensors], Side]

PAGE = Path(__file__).resolve().parent.parent / "docs" / "networks.md"
BACKENDS = (("CpuRef",), ("CpuAcc", "CpuRef"))
FLOAT_LIMIT = 1e-4  # parts of the largest output


class Inputs:
    """Pictures, sound and noise as networks take them."""

    def __init__(self, models: Path, name: str) -> None:
        self.models, self.name = models, name
        self.random = np.random.default_rng([*name.encode()])

    def picture(self, name: str, height: int, width: int, *, grey: bool = False) -> np.ndarray:
        """A batch of one picture, [1, height, width, channels] of 0 to 255."""
        with Image.open(self.models / "images" / name) as picture:
            kept = picture.convert("L" if grey else "RGB")
            small = np.asarray(kept.resize((width, height), Image.Resampling.BILINEAR))
        return small.reshape(1, height, width, -1)

    def centred(self, name: str, height: int, width: int) -> np.ndarray:
        """From -1 to 1."""
        return self.picture(name, height, width).astype(np.float32) / np.float32(127.5) - 1

    def planes(self, name: str, height: int, width: int) -> np.ndarray:
        """From -1 to 1, [1, channels, height, width]."""
        return np.ascontiguousarray(self.centred(name, height, width).transpose(0, 3, 1, 2))

    def speech(self) -> np.ndarray:
        """A sentence, 16,000 samples a second from -1 to 1."""
        with wave.open(str(self.models / "more" / "speech.wav")) as sound:
            samples = np.frombuffer(sound.readframes(sound.getnframes()), np.int16)
        return samples.astype(np.float32) / 32768

    def given(self) -> tuple[str, list[np.ndarray]]:
        """Return a description of the inputs, and an array for each."""
        name, at = self.name, 8000  # amid the first words
        match name:
            case "ocr_det":
                return "page.png", [self.planes("page.png", 320, 640)]
            case "ocr_rec":
                return "text.png", [self.planes("text.png", 48, 320)]
            case "ocr_cls":
                return "text.png", [self.planes("text.png", 48, 192)]
            case "crnn_ocr":
                line = self.picture("text.png", 64, 200, grey=True)
                return "text.png", [line.reshape(1, 1, 64, 200).astype(np.float32) / 255]
            case "resnet50_thin" | "resnet50_thin_int8_qdq":
                cat = self.picture("chelsea.png", 224, 224)[..., ::-1].astype(np.float32)
                return "chelsea.png", [cat - np.array([104, 117, 123], np.float32)]
            case "yolox_tiny":
                face = self.picture("astronaut.png", 416, 416).transpose(0, 3, 1, 2)
                return "astronaut.png", [np.ascontiguousarray(face, np.float32)]
            case "vad_lstm":
                starts = at + 512 * np.arange(100)[:, None] + np.arange(-64, 512)
                state = np.zeros((1, 1, 128), np.float32)
                return "speech", [self.speech()[starts % self.speech().size], state, state]
            case "silero_vad_legacy":
                state = np.zeros((2, 1, 64), np.float32)
                return "speech", [self.speech()[None, at : at + 512], np.array(16000), state, state]
            case "vad_static" | "vad_with_if":
                size = 576 if name == "vad_static" else 512
                state = np.zeros((2, 1, 128), np.float32)
                rest = [] if name == "vad_static" else [np.array(16000)]
                return "speech", [self.speech()[None, at : at + size], state, *rest]
            case "basic_pitch":
                return "speech", [np.resize(self.speech(), 43844).reshape(1, -1, 1)]
            case "minilm_l3":
                words = self.random.integers(1000, 30000, (1, 128))
                return "128 words", [words, np.ones((1, 128), np.int64)]
            case "minilm_l6":
                words = self.random.integers(1000, 30000, (1, 128))
                return "128 words", [words, np.ones_like(words), np.zeros_like(words)]
            case "magika":
                text = (PAGE.parent.parent / "LICENSE").read_bytes()
                ends = np.frombuffer(text[:1024] + text[-1024:], np.uint8)
                return "a licence", [ends[None].astype(np.int32)]
            case "efficientnet_lite0_int8":
                return "chelsea.png", [self.picture("chelsea.png", 224, 224)]
            case "image_classification_int8":
                cat = self.picture("chelsea.png", 32, 32).astype(np.int16) - 128
                return "chelsea.png", [cat.astype(np.int8)]
            case "deeplabv3_mnv2":
                return "chelsea.png", [self.centred("chelsea.png", 257, 257)]
            case "face_detection_short":
                return "astronaut.png", [self.centred("astronaut.png", 128, 128)]
            case "mobilefacenet":
                faces = [self.centred(n, 112, 112) for n in ("astronaut.png", "chelsea.png")]
                return "astronaut.png, chelsea.png", [np.concatenate(faces)]
            case (
                "hand_landmark_full"
                | "pose_landmark_lite"
                | "selfie_custom_op"
                | "visual_wake_words_int8"
            ):
                size = {"h": 224, "p": 256, "s": 256, "v": 96}[name[0]]
                face = self.picture("astronaut.png", size, size).astype(np.float32)
                return "astronaut.png", [face / 255]
            case "selfie_landscape":
                face = self.picture("astronaut.png", 144, 256).astype(np.float32)
                return "astronaut.png", [face / 255]
            case "rock_paper_scissors_f32" | "rock_paper_scissors_int8":
                face = self.picture("astronaut.png", 84, 84, grey=True).astype(np.float32)
                return "astronaut.png", [face / 255]
        return "noise", []

    def of(self, network: ann.Network) -> tuple[str, Arrays]:
        """Return a description of the inputs, and arrays by name; noise by default."""
        words, given = self.given()
        if given:
            return words, dict(zip(network.inputs, given, strict=True))
        found = {}
        for name, info in network.inputs.items():
            noise = self.random.random(info.static_shape)
            if info.data_type.is_quantized:
                limits = np.iinfo(info.dtype)
                noise = np.floor(limits.min + noise * (int(limits.max) - int(limits.min) + 1))
            found[name] = noise.astype(info.dtype)
        return words, found


ENGINES: dict[str, dict[str, Engine]] = {
    ".onnx": {"onnxruntime": OnnxRuntimeSide},
    ".tflite": {
        "LiteRT, plain": LiteRTSide,
        "LiteRT, fast": functools.partial(LiteRTSide, reference=False),
    },
}


def step_of(network: ann.Network, output: str) -> float | None:
    """What one step of a quantised number stands for in the output, which may be real; or None."""
    info = network.outputs[output]
    if info.data_type.is_quantized:
        return 1.0
    read = {layer.name: layer for layer in network.layers}[output].inputs[0]
    layer = None if read is None else read.layer
    if layer is None or layer.type is not ann.LayerType.DEQUANTIZE:
        return None
    scales = layer.inputs[0].info.quantization
    return None if scales is None else scales.scale


def difference(found: Arrays, expected: Arrays, network: ann.Network | None) -> str:
    """How far outputs are from those of an engine, in words of the page."""
    assert found.keys() == expected.keys()
    largest, steps = 0.0, []
    for name, value in expected.items():
        assert found[name].shape == value.shape, name
        assert found[name].dtype == value.dtype, name
        apart = np.abs(found[name].astype(np.float64) - value.astype(np.float64))
        step = None if network is None else step_of(network, name)
        if step is None:
            part = float(apart.max() / max(np.abs(value).max(), 1e-30))
            largest = float(np.maximum(largest, part))  # NaN if one of them is
        else:
            steps.append(np.rint(apart / step).ravel())
    if not steps:
        return f"{largest:.1e}" + ("" if largest <= FLOAT_LIMIT else " (a)")
    every = np.concatenate(steps)
    fits = every.max() <= 2 and np.mean(every <= 1) >= 0.999
    return f"{every.max():.0f} steps, {np.mean(every == 0):.1%} equal" + ("" if fits else " (a)")


def rows(models: Path) -> Iterator[str]:
    """Yield a row for each network and engine."""
    places = [path for group in ("open", "extra", "more") for path in (models / group).iterdir()]
    for path in sorted(places, key=lambda path: (path.suffix, path.stem)):
        if path.suffix not in ENGINES:
            continue
        model = ann.import_model(path)
        words, inputs = Inputs(models, path.stem).of(model)
        is_lite = path.suffix == ".tflite"
        ours = []
        for backends in BACKENDS:
            with ann.load(path, backends) as network:
                ours.append(network.run(inputs))
        theirs: dict[str, Arrays] = {}
        for engine, side in ENGINES[path.suffix].items():
            with contextlib.suppress(ann.InvalidArgumentError):  # LiteRT lacks an operator
                theirs[engine] = side(path, Tensors(model)).outputs(inputs)
        for engine, expected in theirs.items():
            others = [found for other, found in theirs.items() if other != engine]
            cells = [
                difference(found, expected, model if is_lite else None)
                for found in (*ours, *others)
            ]
            cells += [""] * (len(ours) + 1 - len(cells))
            yield f"| {path.name} | {words} | {engine} | {' | '.join(cells)} |"
            print(path.name, engine, *cells, file=sys.stderr)


def main() -> None:
    """Run, write the page."""
    argparse.ArgumentParser(description="Write docs/networks.md.").parse_args()
    models = Path(os.environ["ARMNN_PY_MODELS"])
    names = " | ".join(", ".join(backends) for backends in BACKENDS)
    lines = [
        "# Real networks beside their engines",
        "",
        "Networks with trained weights from published packages ([fetch_models.py]"
        "(../scripts/fetch_models.py),",
        "[quantize_network.py](../scripts/quantize_network.py)), each with one input on the engine "
        "that its format comes from",
        f"(onnxruntime {onnxruntime.__version__}, LiteRT {ai_edge_litert.__version__} by its plain "
        "and by its fast kernels) and here. `scripts/compare_networks.py` writes this page.",
        "",
        "Float outputs: the largest difference in parts of the largest output. Quantised ones: the "
        "largest difference in steps, and how many",
        "numbers are equal. What is beyond 1e-4, beyond two steps, or beyond one for more than one "
        "number in a thousand, has an (a).",
        "",
        "The last column is what one set of LiteRT's kernels makes of the other's numbers.",
        "",
        f"| network | input | engine | {names} | LiteRT itself |",
        "|---|---|---|---|---|---|",
        *rows(models),
        "",
        "Quantised networks give the numbers of LiteRT's plain kernels in every bit. Its fast ones "
        "round otherwise: what is beyond two steps",
        "there is as far from its plain ones. `pose_landmark_full` and `pose_landmark_lite` lose "
        "digits whatever computes them: LiteRT's own two sets of",
        "kernels are as far apart.",
    ]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
