# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The scripts of ``examples/scale``: their actors, which need no Ray for one batch."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .test_example_networks import SCRIPTS, script

pytestmark = pytest.mark.models


def objects(values: list[Any]) -> Any:
    column = np.empty(len(values), object)
    column[:] = values
    return column


def test_embed_text(models_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Padded sentences of a batch have the vectors that each has by itself."""
    folder = models_folder / "more"
    if not (folder / "wordpieces.json").exists():
        pytest.skip("no npm brought the pieces of words")
    monkeypatch.setattr(sys, "path", [*sys.path])
    embed = script("scale/embed_text").Embedder(str(folder), str(SCRIPTS / "networks"))
    lines = ["The cat sleeps.", "Stock prices fell sharply on Monday, and rose again on Tuesday."]
    found = embed({"id": np.arange(2), "text": objects(lines)})
    assert list(found) == ["id", "vector"]
    encoder = script("networks/find_similar").Encoder(folder)
    expected = np.stack([encoder.vector(line) for line in lines])
    np.testing.assert_allclose(found["vector"], expected, atol=1e-5)


def test_read_pictures(models_folder: Path) -> None:
    read_pictures = script("scale/read_pictures")
    models = str(models_folder / "open")
    names = ["page.png", "rocket.jpg"]
    pictures = [(models_folder / "images" / name).read_bytes() for name in names]
    lines = read_pictures.Detector(models)({"path": objects(names), "bytes": objects(pictures)})
    found = read_pictures.Recogniser(models)(lines)
    texts = [
        text for path, text in zip(found["path"], found["text"], strict=True) if "page" in path
    ]
    read = " ".join(texts)
    for words in ("Region-based segmentation", "determine markers of the coins", "of grey values:"):
        assert words in read
    first = found["text"].tolist().index("Region-based segmentation")
    left, top, right, bottom = found["box"][first]
    assert left < 15 < 280 < right < 300  # as one sees it in the picture
    assert top < 15 < 30 < bottom < 40
