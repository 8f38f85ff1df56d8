# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The TensorFlow Lite importer.

::

    source -> bytes -> TfliteModel -> Network
        reading    model        building, conversion

The file is mapped and checked; every table of it becomes a plain record once, and weights are views
of the file. Conversion is done for concrete input shapes: every value is then either an array that
is known already or a slot of the network, and an operator that finds all its inputs known is
computed at once (weights stored as float16 behind DEQUANTIZE, shapes, axes).

Images stay in NHWC. Quantised tensors keep their scales: a layer of quantised numbers stays one.
Weights of 8 bits beside float activations become float32 at import.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from armnn_py.garbage import without_collections
from armnn_py.network import Network

if TYPE_CHECKING:
    from armnn_py.frontends.common.source import ModelSource
    from armnn_py.frontends.common.stand_ins import RunsStandIns

__all__ = ["import_source"]


def import_source(
    source: ModelSource,
    shapes: Mapping[str, Sequence[int | None]] | None = None,
    backends: Sequence[RunsStandIns] = (),
    *,
    signature: str | None = None,
    subgraph: int | str | None = None,
    keeps_loops: bool = False,
) -> Network:
    """Read a TensorFlow Lite model into a network; see `armnn_py.frontends.import_model`.

    ``keeps_loops``: loops of many layers run by themselves, in stages.
    """
    with without_collections():
        from armnn_py.frontends.tflite.binding import choose_entry
        from armnn_py.frontends.tflite.building import network_of, with_loops
        from armnn_py.frontends.tflite.model import load_model

        model = load_model(source)
        entry = choose_entry(model, signature, subgraph)
        kept = with_loops(model, entry, shapes, backends) if keeps_loops else None
        return kept or network_of(model, entry, shapes, backends)
