# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Embed the sentences of a text data set with MiniLM.

    python examples/scale/embed_text.py TEXT OUT [MODELS]

TEXT is a Parquet file, or a folder of them, with the columns ``id``, different in each row, and
``text``. OUT gets Parquet files with ``id`` and ``vector``; OUT.done says which rows are there, so
that the same command after a crash does the others. MODELS (default: more in ARMNN_PY_MODELS) has
minilm_l6.onnx and wordpieces.json.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from armnn_py.ray import Predictor

Batch = dict[str, np.ndarray[Any, Any]]


class Embedder(Predictor):
    """Turns rows of sentences into rows of vectors of length 1: ``id``, ``vector``."""

    def __init__(self, models: str, examples: str) -> None:
        super().__init__(Path(models, "minilm_l6.onnx"), outputs={"last_hidden_state": "words"})
        sys.path.insert(0, examples)
        from find_similar import Pieces

        self._pieces = Pieces(Path(models))

    def __call__(self, batch: Batch) -> Batch:
        """Read the columns ``id`` and ``text``; sentences of one batch are padded alike."""
        numbers = [self._pieces.numbers(text) for text in batch["text"]]
        longest = -(-max(map(len, numbers)) // 16) * 16  # few lengths, so few plans
        ids = np.zeros((len(numbers), longest), np.int64)
        mask = np.zeros_like(ids)
        for row, found in enumerate(numbers):
            ids[row, : len(found)] = found
            mask[row, : len(found)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        words = super().__call__(inputs)["words"] * mask[..., None].astype(np.float32)
        sums = words.sum(1)
        return {"id": batch["id"], "vector": sums / np.linalg.norm(sums, axis=1, keepdims=True)}


def main() -> None:
    import ray
    from ray.data.checkpoint import CheckpointConfig

    text, out, *rest = sys.argv[1:]
    models = str(Path(*rest or (os.environ["ARMNN_PY_MODELS"], "more")).resolve())
    examples = str(Path(__file__).resolve().parent.parent / "networks")
    done = f"{Path(out).resolve()}.done"
    ray.data.DataContext.get_current().checkpoint_config = CheckpointConfig(
        "id", done, delete_checkpoint_on_success=False
    )
    # A block is a part of the output: some seconds of work, which a crash may cost.
    rows = ray.data.read_parquet(text).repartition(target_num_rows_per_block=512)
    rows.map_batches(
        Embedder,
        fn_constructor_kwargs={"models": models, "examples": examples},
        batch_size=32,
        num_cpus=1,
        concurrency=(1, 8),
    ).write_parquet(out)


if __name__ == "__main__":
    main()
