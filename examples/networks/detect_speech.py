# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Say when somebody speaks: a recurrent network whose state goes from one piece to the next.

    python examples/networks/detect_speech.py SOUND.wav [MODEL.onnx]

SOUND has one channel of 16-bit samples at 16 kHz. MODEL (default: more/silero_vad_legacy.onnx in
ARMNN_PY_MODELS) is Silero's detector of voice activity.
"""

from __future__ import annotations

import os
import sys
import wave
from pathlib import Path

import numpy as np

import armnn_py as ann

RATE, PIECE = 16000, 512
SPEECH = 0.5


def read_sound(path: Path) -> np.ndarray:
    """Return the samples of a file, float32 of -1 to 1."""
    with wave.open(str(path)) as file:
        if (file.getnchannels(), file.getsampwidth(), file.getframerate()) != (1, 2, RATE):
            raise SystemExit(f"{path}: one channel of 16 bits at {RATE} Hz expected")
        data = file.readframes(file.getnframes())
    return np.frombuffer(data, "<i2").astype(np.float32) / 32768


def chances_of_speech(samples: np.ndarray, model: Path) -> np.ndarray:
    """Return for each piece of 32 ms how likely it is speech."""
    pieces = samples[: len(samples) // PIECE * PIECE].reshape(-1, 1, PIECE)
    states = {name: np.zeros((2, 1, 64), np.float32) for name in ("h", "c")}
    rate = np.array(RATE, np.int64)
    found = []
    with ann.load(model) as loaded:
        for piece in pieces:
            outputs = loaded.run({"input": piece, "sr": rate, **states})
            states = {"h": outputs["hn"], "c": outputs["cn"]}
            found.append(float(outputs["output"][0, 0]))
    return np.array(found)


def main() -> None:
    path, *rest = sys.argv[1:]
    model = Path(*rest or (os.environ["ARMNN_PY_MODELS"], "more", "silero_vad_legacy.onnx"))
    chances = chances_of_speech(read_sound(Path(path)), model)
    print("".join("_▁▂▃▄▅▆▇█"[int(chance * 8.99)] for chance in chances))
    changes = np.flatnonzero(np.diff(np.r_[0, chances > SPEECH, 0]))
    for begin, end in changes.reshape(-1, 2) * PIECE / RATE:
        print(f"speech from {begin:.2f} s to {end:.2f} s")


if __name__ == "__main__":
    main()
