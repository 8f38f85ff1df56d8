# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Say how an English word is pronounced: an encoder and a decoder with state, step by step.

    python examples/networks/pronounce.py WORD ...

Weights: more/g2p_en.npz in ARMNN_PY_MODELS, two GRU cells (Cho et al., 2014) and a linear layer.
The state of each cell is a variable of its network; the decoder starts with what the encoder left.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import armnn_py as ann

LETTERS = ["<pad>", "<unk>", "</s>", *"abcdefghijklmnopqrstuvwxyz"]
_SOUNDS = """<pad> <unk> <s> </s>
  AA0 AA1 AA2 AE0 AE1 AE2 AH0 AH1 AH2 AO0 AO1 AO2 AW0 AW1 AW2 AY0 AY1 AY2 B CH D DH
  EH0 EH1 EH2 ER0 ER1 ER2 EY0 EY1 EY2 F G HH IH0 IH1 IH2 IY0 IY1 IY2 JH K L M N NG
  OW0 OW1 OW2 OY0 OY1 OY2 P R S SH T TH UH0 UH1 UH2 UW UW0 UW1 UW2 V W Y Z ZH"""
SOUNDS = _SOUNDS.split()
LONGEST = 20


def gru_step(weights: Mapping[str, np.ndarray], part: str) -> ann.Network:
    """Return a network that reads one token and brings its state on; the decoder gives scores."""

    def of(name: str) -> np.ndarray:
        return weights[f"{part}_{name}"]

    network = ann.Network(part)
    token = network.add_input("token", ann.TensorInfo((1,), "int32"))
    state = network.add_variable("state", ann.TensorInfo((1, of("w_hh").shape[1])))
    embedded = network.add_gather(of("emb"), token)
    gates = network.add_fully_connected(
        embedded, of("w_ih"), of("b_ih"), transpose_weight_matrix=True
    )
    kept = network.add_fully_connected(state, of("w_hh"), of("b_hh"), transpose_weight_matrix=True)
    reset_in, update_in, new_in = network.add_split(gates, 3, axis=1).outputs
    reset_state, update_state, new_state = network.add_split(kept, 3, axis=1).outputs
    sigmoid, tanh = ann.ActivationFunction.SIGMOID, ann.ActivationFunction.TANH
    reset = network.add_activation(network.add_addition(reset_in, reset_state), sigmoid)
    update = network.add_activation(network.add_addition(update_in, update_state), sigmoid)
    gated = network.add_multiplication(reset, new_state)
    new = network.add_activation(network.add_addition(new_in, gated), tanh)
    # (1 - update) * new + update * state
    change = network.add_multiplication(update, network.add_subtraction(state, new))
    after = network.add_addition(new, change)
    network.assign(state, after)
    if part == "dec":
        after = network.add_fully_connected(
            after, weights["fc_w"], weights["fc_b"], transpose_weight_matrix=True
        )
    network.add_output("scores", after)
    return network


class Speller:
    """Both networks, loaded."""

    def __init__(self, file: Path) -> None:
        with np.load(file) as weights:
            self._encoder = ann.load(gru_step(weights, "enc"))
            self._decoder = ann.load(gru_step(weights, "dec"))

    def pronounce(self, word: str) -> list[str]:
        """Return the sounds of a word, in the letters of ARPAbet; digits are stresses."""
        self._encoder.reset_state()
        for letter in [*word.lower(), "</s>"]:
            known = letter if letter in LETTERS else "<unk>"
            self._encoder.run({"token": np.array([LETTERS.index(known)], np.int32)})
        self._decoder.state["state"] = self._encoder.state["state"]
        sounds, last = [], SOUNDS.index("<s>")
        while len(sounds) < LONGEST:
            scores = self._decoder.run({"token": np.array([last], np.int32)})["scores"]
            last = int(scores.argmax())
            if SOUNDS[last] == "</s>":
                break
            sounds.append(SOUNDS[last])
        return sounds

    def close(self) -> None:
        """Close both."""
        self._encoder.close()
        self._decoder.close()


def main() -> None:
    speller = Speller(Path(os.environ["ARMNN_PY_MODELS"], "more", "g2p_en.npz"))
    for word in sys.argv[1:]:
        print(f"{word}: {' '.join(speller.pronounce(word))}")
    speller.close()


if __name__ == "__main__":
    main()
