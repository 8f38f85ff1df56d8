# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The scripts of ``examples/networks``: numbers of other engines, and answers that make sense."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

import armnn_py as ann

pytestmark = pytest.mark.models

SCRIPTS = Path(__file__).parents[2] / "examples"
RANDOM = np.random.default_rng(1)


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def onnx_run(
    nodes: list[onnx.NodeProto], constants: dict[str, np.ndarray], x: np.ndarray, outputs: list[str]
) -> list[np.ndarray]:
    """What ONNX Runtime makes of a chain of nodes that begins with ``x``."""
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(np.ascontiguousarray(v), k) for k, v in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    found: list[np.ndarray] = session.run(outputs, {"x": x})
    return found


def test_upscale(models_folder: Path) -> None:
    upscale = script("networks/upscale")
    stem = models_folder / "more" / "realesr-animevideov3-x4"
    nodes: list[onnx.NodeProto] = []
    constants: dict[str, np.ndarray] = {}
    last = "x"
    for number, (kernel, bias, slopes) in enumerate(upscale.read_layers(stem)):
        names = [f"kernel{number}", f"bias{number}"]
        constants[names[0]], constants[names[1]] = kernel.transpose(0, 3, 1, 2), bias
        nodes.append(helper.make_node("Conv", [last, *names], [f"c{number}"], pads=[1, 1, 1, 1]))
        last = f"c{number}"
        if slopes is not None:
            constants[f"slopes{number}"] = slopes[:, None, None]
            nodes.append(helper.make_node("PRelu", [last, f"slopes{number}"], [f"p{number}"]))
            last = f"p{number}"
    constants["scales"] = np.array([1, 1, 4, 4], np.float32)
    nodes += [
        helper.make_node("DepthToSpace", [last], ["details"], blocksize=4, mode="CRD"),
        helper.make_node("Resize", ["x", "", "scales"], ["large"], mode="nearest",
                         coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
        helper.make_node("Add", ["details", "large"], ["y"]),
    ]  # fmt: skip
    with Image.open(models_folder / "images" / "chelsea.png") as image:
        small = np.asarray(image.convert("RGB").resize((60, 40)), np.float32) / 255
    (expected,) = onnx_run(nodes, constants, small.transpose(2, 0, 1)[None], ["y"])
    with ann.load(upscale.build(stem)) as loaded:
        found = loaded.run(small[None])["large"]
    assert found.shape == (1, 160, 240, 3)
    np.testing.assert_allclose(found, expected.transpose(0, 2, 3, 1), atol=1e-4)


def test_pronounce(models_folder: Path) -> None:
    pronounce = script("networks/pronounce")
    file = models_folder / "more" / "g2p_en.npz"
    speller = pronounce.Speller(file)
    # As CMU's dictionary of pronunciations has them.
    assert speller.pronounce("armchair") == ["AA1", "R", "M", "CH", "EH2", "R"]
    assert speller.pronounce("wizardry") == ["W", "IH1", "Z", "ER0", "D", "R", "IY0"]
    assert speller.pronounce("Kernel") == ["K", "ER1", "N", "AH0", "L"]
    speller.close()

    with np.load(file) as weights:
        letters = [pronounce.LETTERS.index(letter) for letter in "typesetter"]

        def zrh(name: str) -> np.ndarray:  # ONNX has update before reset
            reset, update, new = np.split(weights[f"enc_{name}"], 3)
            return np.concatenate([update, reset, new])

        constants = {
            "w": zrh("w_ih")[None],
            "r": zrh("w_hh")[None],
            "b": np.concatenate([zrh("b_ih"), zrh("b_hh")])[None],
        }
        node = helper.make_node(
            "GRU", ["x", "w", "r", "b"], ["", "h"], hidden_size=256, linear_before_reset=1
        )
        x = weights["enc_emb"][letters][:, None]
        (expected,) = onnx_run([node], constants, x, ["h"])
        with ann.load(pronounce.gru_step(weights, "enc")) as loaded:
            for letter in letters:
                found = loaded.run({"token": np.array([letter], np.int32)})["scores"]
    np.testing.assert_allclose(found, expected[0], atol=1e-5)


def test_write_text(models_folder: Path) -> None:
    pytest.importorskip("h5py")
    write_text = script("networks/write_text")
    folder = models_folder / "more"
    weights = write_text.read_weights(folder)
    writer = write_text.Writer(folder)
    assert writer.loaded.bounded_shapes, writer.loaded.bounded_shapes.reasons

    letter_of = {
        v: k for k, v in json.loads((folder / "textgenrnn_vocab.json").read_text()).items()
    }
    text = [write_text.END, *"What is the best wa"]
    found = writer.read_all(text)
    assert letter_of[int(found.argmax())] == "y"

    numbers = [0] * (40 - len(text)) + [{v: k for k, v in letter_of.items()}[t] for t in text]
    x = weights["embedding"][numbers][:, None]
    nodes: list[onnx.NodeProto] = []
    constants: dict[str, np.ndarray] = {}
    for number, source in ((1, "x"), (2, "f1")):

        def iofc(name: str, cell: str = f"rnn_{number}") -> np.ndarray:
            take, keep, new, show = np.split(weights[f"{cell}_{name}"].T, 4)
            return np.concatenate([take, show, keep, new])[None]

        names = [f"{kind}{number}" for kind in "wrb"]
        constants |= dict(zip(names[:2], (iofc("x"), iofc("h")), strict=True))
        constants[names[2]] = np.concatenate([iofc("bias"), np.zeros((1, 512), np.float32)], 1)
        nodes.append(helper.make_node("LSTM", [source, *names], [f"y{number}"], hidden_size=128))
        nodes.append(helper.make_node("Squeeze", [f"y{number}", "one"], [f"f{number}"]))
    constants["one"] = np.array([1], np.int64)
    first, second = onnx_run(nodes, constants, x, ["f1", "f2"])
    seen = np.concatenate([x, first, second], axis=2)[:, 0]
    scores = np.exp(seen @ weights["attention"])
    summary = (seen * scores / scores.sum()).sum(0)
    logits = summary @ weights["kernel"] + weights["bias"]
    expected = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    np.testing.assert_allclose(found, expected, atol=1e-5)

    assert writer.write("What is the best wa", temperature=0.1).startswith("What is the best way")
    writer.loaded.close()


def test_detect_speech(models_folder: Path) -> None:
    detect_speech = script("networks/detect_speech")
    model = models_folder / "more" / "silero_vad_legacy.onnx"
    if not model.exists():
        pytest.skip("no npm brought the model")
    samples = detect_speech.read_sound(models_folder / "more" / "speech.wav")
    found = detect_speech.chances_of_speech(samples, model)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # it warns of initialisers that the model does not use
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    states = [np.zeros((2, 1, 64), np.float32)] * 2
    for number, piece in enumerate(samples[: found.size * 512].reshape(-1, 1, 512)):
        feeds = {"input": piece, "sr": np.array(16000, np.int64), "h": states[0], "c": states[1]}
        chance, *states = session.run(["output", "hn", "cn"], feeds)
        assert abs(found[number] - chance[0, 0]) < 1e-4
    speech = found > detect_speech.SPEECH
    assert not speech[:4].any()  # silence, a sentence, silence
    assert speech[8:88].all()
    assert not speech[-3:].any()


def test_identify_file(models_folder: Path) -> None:
    identifier = script("networks/identify_file").Identifier(models_folder / "more")
    root = SCRIPTS.parent
    kinds = {
        "README.md": "markdown",
        "pyproject.toml": "toml",
        "CMakeLists.txt": "cmake",
        "backends_c/cpu_ref/elementwise/cast.c": "c",
        "docs/architecture.svg": "svg",
        "examples/networks/upscale.py": "python",
    }
    session = onnxruntime.InferenceSession(
        models_folder / "more" / "magika.onnx", providers=["CPUExecutionProvider"]
    )
    for name, kind in kinds.items():
        content = (root / name).read_bytes()
        found, chance = identifier.identify(content)
        assert (found, chance > 0.9) == (kind, True), name
        (expected,) = session.run(None, {"bytes": identifier.features(content)})
        assert abs(float(expected.max()) - chance) < 1e-4
    identifier.loaded.close()


def test_find_pose(models_folder: Path, tmp_path: Path) -> None:
    find_pose = script("networks/find_pose")
    model = models_folder / "more" / "pose_landmark_lite.tflite"
    if not model.exists():
        pytest.skip("no npm brought the model")
    with Image.open(models_folder / "images" / "astronaut.png") as picture:
        chance, joints = find_pose.find_pose(picture, model)
        drawn = find_pose.draw(picture, joints)
        pixels = np.asarray(picture.convert("RGB").resize((256, 256)), np.float32)[None] / 255
    assert chance > 0.9
    number_of = {name: number for number, name in find_pose.NAMES.items()}
    nose, left, right = (joints[number_of[name]] for name in ("nose", "left eye", "right eye"))
    assert right[0] < nose[0] < left[0]  # she looks at us
    assert 90 < right[1] < left[1] + 20 < nose[1] + 20 < 160
    assert drawn.size == (512, 512)
    with Image.open(models_folder / "images" / "coffee.png") as picture:
        assert find_pose.find_pose(picture, model)[0] < 0.1

    expected = lite_outputs(model, pixels)
    with ann.load(model) as loaded:
        for name, value in loaded.run({"input_1": pixels}).items():
            largest = np.abs(expected[name]).max()
            assert np.abs(value - expected[name]).max() <= 5e-4 * max(largest, 1e-3), name


def test_cut_out(models_folder: Path) -> None:
    cut_out = script("networks/cut_out")
    model = models_folder / "more" / "selfie_landscape.tflite"
    if not model.exists():
        pytest.skip("no npm brought the model")
    with Image.open(models_folder / "images" / "astronaut.png") as picture:
        mask = cut_out.find_person(picture, model)
        drawn = np.asarray(cut_out.cut_out(picture, mask))
        pixels = np.asarray(picture.convert("RGB"))
        small = picture.convert("RGB").resize((256, 144), Image.Resampling.BILINEAR)
    (expected,) = lite_outputs(model, np.asarray(small, np.float32)[None] / 255).values()
    assert np.abs(mask - expected[0, :, :, 0]).max() < 1e-4
    assert np.mean(drawn[:60, 340:] > 250) > 0.98  # the wall behind her
    face = np.abs(drawn[80:150, 200:260].astype(int) - pixels[80:150, 200:260])
    assert face.max() < 10


def test_find_similar(models_folder: Path) -> None:
    find_similar = script("networks/find_similar")
    folder = models_folder / "more"
    if not (folder / "wordpieces.json").exists():
        pytest.skip("no npm brought the pieces of words")
    encoder = find_similar.Encoder(folder)
    # As BERT's own vocabulary numbers them.
    assert encoder.numbers("This is a Tést!") == [101, 2023, 2003, 1037, 3231, 999, 102]
    assert encoder.numbers("unaffable") == [101, 14477, 20961, 3468, 102]
    lines = [
        "The cat sleeps on the sofa all day long.",
        "Stock prices fell sharply on Monday.",
        "The striker scored twice in the final match.",
        "My laptop does not start after the update.",
        "Add two eggs and a cup of flour to the bowl.",
    ]
    for question, best in (
        ("Who won the football game?", 2),
        ("a pet is resting", 0),
        ("my computer is broken", 3),
        ("How do I bake bread?", 4),
    ):
        ranked = find_similar.rank(encoder, question, lines)
        assert ranked[0][1] == lines[best]
        assert ranked[0][0] > ranked[1][0] + 0.1

    session = onnxruntime.InferenceSession(
        folder / "minilm_l6.onnx", providers=["CPUExecutionProvider"]
    )
    for line in lines:
        numbers = np.array([encoder.numbers(line)])
        words = session.run(None, {
            "input_ids": numbers, "attention_mask": np.ones_like(numbers),
            "token_type_ids": np.zeros_like(numbers),
        })[0]  # fmt: skip
        mean = words[0].mean(0)
        expected = mean / np.linalg.norm(mean)
        assert np.abs(encoder.vector(line) - expected).max() < 1e-4
    encoder.network.close()


def lite_outputs(model: Path, pixels: np.ndarray) -> dict[str, Any]:
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_path=str(model), num_threads=1)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], pixels)
    interpreter.invoke()
    return {d["name"]: interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()}


@pytest.mark.parametrize(
    ("name", "arguments", "shown"),
    [
        ("pronounce", ["wizardry"], "wizardry: W IH1 Z ER0 D R IY0"),
        ("detect_speech", ["{models}/more/speech.wav"], "speech from 0.1"),
        ("identify_file", ["{here}"], "python (1"),
        ("upscale", ["{models}/images/text.png", "{folder}/large.png"], "large.png: "),
    ],
)
def test_the_commands(
    models_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    arguments: list[str],
    shown: str,
) -> None:
    if name == "detect_speech" and not (models_folder / "more/silero_vad_legacy.onnx").exists():
        pytest.skip("no npm brought the model")
    places = {"models": models_folder, "here": __file__, "folder": tmp_path}
    filled = [argument.format(**places) for argument in arguments]
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *filled])
    script(f"networks/{name}").main()
    assert shown in capsys.readouterr().out
