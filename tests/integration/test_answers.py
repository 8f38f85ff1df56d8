# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Real networks see what a person sees: a cat, an espresso, a rocket, a face, lines of text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import armnn_py as ann

pytestmark = pytest.mark.models


def opened(folder: Path, name: str) -> Image.Image:
    with Image.open(folder / "images" / name) as picture:
        return picture.convert("RGB")


def pixels(picture: Image.Image, width: int, height: int) -> np.ndarray:
    """8-bit RGB of [height, width, 3]."""
    return np.asarray(picture.resize((width, height), Image.Resampling.BILINEAR))


def centred(image: np.ndarray) -> np.ndarray:
    """A batch of one picture, from -1 to 1."""
    return image[np.newaxis].astype(np.float32) / 127.5 - 1


# Classes of ImageNet: Egyptian cat, espresso, missile.
@pytest.mark.parametrize(
    ("name", "best"), [("chelsea.png", 285), ("coffee.png", 967), ("rocket.jpg", 657)]
)
def test_efficientnet_in_8_bits(
    models_folder: Path, backends: tuple[str, ...], name: str, best: int
) -> None:
    path = models_folder / "open" / "efficientnet_lite0_int8.tflite"
    with ann.load(path, backends) as network:
        found = network.run({"images": pixels(opened(models_folder, name), 224, 224)[None]})
    assert int(found["Softmax"].argmax()) == best


def test_deeplab_marks_a_cat_and_a_person(models_folder: Path, backends: tuple[str, ...]) -> None:
    """Classes of Pascal VOC: 8 is a cat, 15 a person, 0 the background."""
    with ann.load(models_folder / "open" / "deeplabv3_mnv2.tflite", backends) as network:
        for name, expected in (("chelsea.png", 8), ("astronaut.png", 15)):
            image = centred(pixels(opened(models_folder, name), 257, 257))
            (scores,) = network.run(image).values()
            classes = np.bincount(scores[0].argmax(-1).ravel(), minlength=21)
            assert classes[1:].argmax() + 1 == expected
            assert classes[expected] > 0.4 * classes.sum()


def test_a_face_where_there_is_one(models_folder: Path, backends: tuple[str, ...]) -> None:
    """BlazeFace: above 0 the score of a box is a probability above a half."""
    with ann.load(models_folder / "extra" / "face_detection_short.tflite", backends) as network:
        for name, is_there in (("astronaut.png", True), ("coffee.png", False)):
            found = network.run(centred(pixels(opened(models_folder, name), 128, 128)))
            assert bool(found["classificators"].max() > 0) == is_there


def test_a_page_is_read(models_folder: Path, backends: tuple[str, ...]) -> None:
    """Detection marks the lines, recognition reads each."""
    page, (width, height) = opened(models_folder, "page.png"), (640, 320)
    image = centred(pixels(page, width, height)).transpose(0, 3, 1, 2)
    with ann.load(models_folder / "open" / "ocr_det.onnx", backends) as network:
        (text,) = network.run(np.ascontiguousarray(image)).values()
    marked = text[0, 0] > 0.3
    rows = np.diff(np.concatenate([[0], marked.any(1).astype(int), [0]])).nonzero()[0]
    lines = []
    with ann.load(models_folder / "open" / "ocr_rec.onnx", backends) as network:
        alphabet = ["", *str(network.metadata.properties["character"]).splitlines(), " "]
        for top, bottom in rows.reshape(-1, 2):
            columns = marked[top:bottom].any(0).nonzero()[0]
            box = np.array([columns[0] - 4, top - 3, columns[-1] + 5, bottom + 3], np.float64)
            box *= np.array(page.size * 2) / [width, height, width, height]
            line = page.crop(tuple(box.clip(0).astype(int).tolist()))
            strip = centred(pixels(line, round(48 * line.width / line.height), 48))
            (scores,) = network.run(np.ascontiguousarray(strip.transpose(0, 3, 1, 2))).values()
            best = scores[0].argmax(-1)
            changed = np.diff(best, prepend=0) != 0
            lines.append("".join(alphabet[place] for place in best[changed & (best > 0)]))
    assert "Let us first determine markers of the coins and the" in lines
    assert any(line.startswith("background.These markers are pixels that we can") for line in lines)
    assert any(line.startswith("unambiguously as either object or") for line in lines)


def test_a_wake_word_is_heard_among_others(models_folder: Path, backends: tuple[str, ...]) -> None:
    """Words that espeak-ng said, as spectra of 10 ms in the network's own numbers.

    They come from the front end that the network was trained with. As its authors say, the mean of
    five answers must be above 0.85. Its state is variables: each sentence begins anew.
    """
    path = models_folder / "extra" / "wake_word_stream_int8.tflite"
    with (
        np.load(Path(__file__).with_name("spoken_words.npz")) as spoken,
        ann.load(path, backends) as network,
    ):
        heard = {}
        for words in spoken.files:
            network.reset_state()
            spectra = spoken[words]
            answers = [
                next(iter(network.run(spectra[None, at : at + 3]).values())).item() / 256
                for at in range(0, len(spectra) - 2, 3)
            ]
            heard[words] = np.convolve(answers, np.full(5, 0.2), "valid").max() > 0.85
    assert heard == {"okay_nabu": True, "okay_google": False, "the_weather_is_nice": False}
