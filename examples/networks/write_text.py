# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Go on with a text, letter by letter: a language model with its cache as inputs and outputs.

    pip install h5py
    python examples/networks/write_text.py [BEGINNING [SEED]]

Weights: more/textgenrnn_weights.hdf5 and more/textgenrnn_vocab.json in ARMNN_PY_MODELS, trained on
titles of Reddit: an embedding, two LSTM cells, and attention over what the cells said of the last
40 letters. That past is the cache: it grows by one with each letter, up to its bound.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import armnn_py as ann

UNITS, FEATURES, LONGEST = 128, 100 + 2 * 128, 40
STATES = ("h1", "c1", "h2", "c2")
END = "<s>"


def read_weights(folder: Path) -> dict[str, np.ndarray]:
    """Return the arrays of the file, those of the cells in the order input, forget, new, output."""
    import h5py

    found = {}
    with h5py.File(folder / "textgenrnn_weights.hdf5") as file:
        for cell in ("rnn_1", "rnn_2"):
            group = file[cell][cell]
            # The file has them as NVIDIA's library wants them: each gate's matrix transposed.
            kernels = np.split(group["kernel:0"][()], 4, axis=1)
            found[f"{cell}_x"] = np.hstack([k.T.reshape(k.shape, order="F") for k in kernels])
            states = np.split(group["recurrent_kernel:0"][()], 4, axis=1)
            found[f"{cell}_h"] = np.hstack([k.T for k in states])
            found[f"{cell}_bias"] = group["bias:0"][()].reshape(2, -1).sum(0)
        found["embedding"] = file["embedding/embedding/embeddings:0"][()]
        found["attention"] = file["attention/attention/attention_W:0"][()]
        found["kernel"] = file["output/output/kernel:0"][()]
        found["bias"] = file["output/output/bias:0"][()]
    return found


def _lstm(
    network: ann.Network, weights: Mapping[str, np.ndarray], cell: str, x: ann.Layer, number: int
) -> ann.Layer:
    """Add a cell (Hochreiter and Schmidhuber, 1997) with its state as input and output."""
    info = ann.TensorInfo((1, UNITS))
    hidden = network.add_input(f"h{number}", info)
    memory = network.add_input(f"c{number}", info)
    from_state = network.add_fully_connected(hidden, weights[f"{cell}_h"])
    gates = network.add_addition(
        network.add_fully_connected(x, weights[f"{cell}_x"], weights[f"{cell}_bias"]), from_state
    )
    take, keep, new, show = network.add_split(gates, 4, axis=1).outputs
    sigmoid, tanh = ann.ActivationFunction.SIGMOID, ann.ActivationFunction.TANH
    taken = network.add_multiplication(
        network.add_activation(take, sigmoid), network.add_activation(new, tanh)
    )
    kept = network.add_multiplication(network.add_activation(keep, sigmoid), memory)
    memory = network.add_addition(kept, taken)
    hidden = network.add_multiplication(
        network.add_activation(show, sigmoid), network.add_activation(memory, tanh)
    )
    network.add_output(f"h{number}", hidden)
    network.add_output(f"c{number}", memory)
    return hidden


def build(weights: Mapping[str, np.ndarray]) -> ann.Network:
    """Return the network of one step: a letter, states and the past -> chances of the next."""

    def with_shapes(infos: Mapping[str, ann.TensorInfo]) -> ann.Network:
        network = ann.Network("write_text")
        letter = network.add_input("letter", infos["letter"])
        past = network.add_input("past", infos["past"])
        embedded = network.add_gather(weights["embedding"], letter)
        first = _lstm(network, weights, "rnn_1", embedded, 1)
        second = _lstm(network, weights, "rnn_2", first, 2)
        now = network.add_concat([embedded, first, second], axis=1)
        seen = network.add_concat([past, now], axis=0)
        steps = infos["past"].static_shape[0] + 1
        scores = network.add_fully_connected(seen, weights["attention"])
        shares = network.add_softmax(network.add_reshape(scores, (1, steps)))
        summary = network.add_batch_mat_mul(shares, seen)
        chances = network.add_softmax(
            network.add_fully_connected(summary, weights["kernel"], weights["bias"])
        )
        network.add_output("chances", chances)
        network.add_output("seen", seen)
        return network

    state = ann.TensorInfo((1, UNITS))
    inputs = {
        "letter": ann.TensorInfo((1,), "int32"),
        "past": ann.TensorInfo((None, FEATURES), dimension_names=("steps", None)),
        **dict.fromkeys(STATES, state),
    }
    outputs = {
        **dict.fromkeys(STATES, state),
        "chances": ann.TensorInfo((1, weights["bias"].size)),
        "seen": ann.TensorInfo((None, FEATURES)),
    }
    return ann.Network.from_builder("write_text", inputs, with_shapes, outputs)


class Writer:
    """The network, and what it has read so far."""

    def __init__(self, folder: Path) -> None:
        text = (folder / "textgenrnn_vocab.json").read_text(encoding="utf-8")
        self._number_of: dict[str, int] = json.loads(text)
        self._letter_of = {number: letter for letter, number in self._number_of.items()}
        # One plan for every length of the past: a step more does not mean to prepare anew.
        self.loaded = ann.load(
            build(read_weights(folder)), ["CpuRef"], bounds={"steps": LONGEST - 1}
        )
        self.cache: dict[str, np.ndarray] = {}
        self.forget()

    def forget(self) -> None:
        """Let states and past be those of no letter at all."""
        self.cache = {name: np.zeros((1, UNITS), np.float32) for name in STATES}
        self.cache["past"] = np.zeros((0, FEATURES), np.float32)

    def read(self, letter: str) -> np.ndarray:
        """Read a letter; return the chances [letters] of each to be the next."""
        number = np.array([self._number_of.get(letter, 0)], np.int32)
        outputs = self.loaded.run({"letter": number, **self.cache})
        self.cache = {name: outputs[name] for name in STATES}
        self.cache["past"] = outputs["seen"][-(LONGEST - 1) :]
        return np.asarray(outputs["chances"][0])

    def read_all(self, letters: Sequence[str]) -> np.ndarray:
        """Read letters from a fresh start, blanks before them, as the weights were trained."""
        self.forget()
        window = [*[""] * (LONGEST - len(letters)), *letters[-LONGEST:]]
        return [self.read(letter) for letter in window][-1]

    def write(self, beginning: str, seed: int = 0, temperature: float = 0.4) -> str:
        """Return a text that begins like this."""
        chance = np.random.default_rng(seed)
        letters = [END, *beginning]
        chances = self.read_all(letters)
        while len(letters) < 200:
            weighted = chances.astype(np.float64) ** (1 / temperature)
            number = int(chance.choice(len(weighted), p=weighted / weighted.sum()))
            letter = self._letter_of.get(number, " ")
            if letter == END:
                break
            letters.append(letter)
            # Longer memories than in training lead astray: then begin anew with the last letters.
            is_short = len(letters) <= LONGEST
            chances = self.read(letter) if is_short else self.read_all(letters)
        return "".join(letters[1:])


def main() -> None:
    beginning, seed = (sys.argv[1:] + ["", "0"][len(sys.argv) - 1 :])[:2]
    writer = Writer(Path(os.environ["ARMNN_PY_MODELS"], "more"))
    print(writer.write(beginning, int(seed)))
    writer.loaded.close()


if __name__ == "__main__":
    main()
