# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Say what kind of text or data files hold: an encoder of bytes.

    python examples/networks/identify_file.py FILE ...

The network (more/magika.onnx and more/magika.json in ARMNN_PY_MODELS) is Google's Magika: it reads
the first and the last 1,024 bytes.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np

import armnn_py as ann


class Identifier:
    """The network, loaded once."""

    def __init__(self, folder: Path) -> None:
        self._config = json.loads((folder / "magika.json").read_text(encoding="utf-8"))
        self.loaded = ann.load(folder / "magika.onnx", shapes={"bytes": (1, 2048)})

    def features(self, content: bytes) -> np.ndarray:
        """Return both ends of a file as numbers [1, 2048], 256 where there is nothing."""
        size, block = self._config["beg_size"], self._config["block_size"]
        row = np.full(2 * size, self._config["padding_token"], np.int32)
        begin = content[:block].lstrip()[:size]
        end = content[-block:].rstrip()[-size:]
        row[: len(begin)] = list(begin)
        row[len(row) - len(end) :] = list(end)
        return row[None]

    def identify(self, content: bytes) -> tuple[str, float]:
        """Return the most likely kind, and how likely it is."""
        chances = self.loaded.run({"bytes": self.features(content)})["target_label"][0]
        best = int(chances.argmax())
        return self._config["target_labels_space"][best], float(chances[best])


def main() -> None:
    identifier = Identifier(Path(os.environ["ARMNN_PY_MODELS"], "more"))
    for name in sys.argv[1:]:
        kind, chance = identifier.identify(Path(name).read_bytes())
        print(f"{name}: {kind} ({chance:.0%})")
    identifier.loaded.close()


if __name__ == "__main__":
    main()
