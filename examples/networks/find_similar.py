# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Find the lines of a text that say what a question asks, in other words, too.

    python examples/networks/find_similar.py QUESTION FILE.txt [FOLDER]

FOLDER (default: more in ARMNN_PY_MODELS) has MiniLM, a transformer that turns a sentence into a
vector, and the pieces of words that it reads. Sentences of any length are read: the network is
converted once, and each length gets a plan.
"""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from pathlib import Path

import numpy as np

import armnn_py as ann

BEGIN, END, UNKNOWN = 101, 102, 100
LONGEST = 128
SHOWN = 5


class Pieces:
    """Turns sentences into the numbers of their pieces of words."""

    def __init__(self, folder: Path) -> None:
        pieces = json.loads((folder / "wordpieces.json").read_text(encoding="utf-8"))
        self._number_of = {piece: number for number, piece in enumerate(pieces) if piece != "▁"}

    def numbers(self, sentence: str) -> list[int]:
        """The pieces of words, each the longest that fits; the first of a word has a mark."""
        plain = unicodedata.normalize("NFD", sentence.lower())
        plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
        found = [BEGIN]
        for word in re.findall(r"\w+|[^\w\s]", plain):
            found += self._pieces(f"▁{word}")
        return [*found[: LONGEST - 1], END]

    def _pieces(self, word: str) -> list[int]:
        pieces = []
        while word:
            ends = range(len(word), 0, -1)
            end = next((end for end in ends if word[:end] in self._number_of), None)
            if end is None:
                return [UNKNOWN]
            pieces.append(self._number_of[word[:end]])
            word = word[end:]
        return pieces


class Encoder(Pieces):
    """Turns sentences into vectors of length 1."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.network = ann.load(folder / "minilm_l6.onnx")

    def vector(self, sentence: str) -> np.ndarray:
        """The mean of what the network says of each piece."""
        numbers = np.array([self.numbers(sentence)])
        words = self.network.run(
            {
                "input_ids": numbers,
                "attention_mask": np.ones_like(numbers),
                "token_type_ids": np.zeros_like(numbers),
            }
        )["last_hidden_state"]
        mean = words[0].mean(0)
        return np.asarray(mean / np.linalg.norm(mean))


def rank(encoder: Encoder, question: str, lines: list[str]) -> list[tuple[float, str]]:
    """Lines with how near they are to the question, 1 for the same, nearest first."""
    asked = encoder.vector(question)
    return sorted(((float(asked @ encoder.vector(line)), line) for line in lines), reverse=True)


def main() -> None:
    question, text, *rest = sys.argv[1:]
    encoder = Encoder(Path(*rest or (os.environ["ARMNN_PY_MODELS"], "more")))
    lines = [line.strip() for line in Path(text).read_text(encoding="utf-8").splitlines()]
    for nearness, line in rank(encoder, question, [line for line in lines if line])[:SHOWN]:
        print(f"{nearness:5.2f}  {line}")


if __name__ == "__main__":
    main()
