# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The questions to backends, and their answers, while placing a network with symbolic sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py._native.layers.optimization_sink import OptimizationAnswer
    from armnn_py._native.layers.subgraph import SubgraphData
    from armnn_py._native.table.blob import NativeBlob
    from armnn_py.backends.questions.layer_support import LayerSignature, Support


class CompiledPart(Struct, frozen=True):
    """A sub-graph with symbolic sizes, and what its backend answered.

    Attributes
    ----------
    backend
        Id of the backend.
    data
        The sub-graph.
    answer
        The answer, with the numbers of the trace; without its blobs.
    blobs
        The blobs of the answer, in order.
    """

    backend: str
    data: SubgraphData
    answer: OptimizationAnswer
    blobs: list[NativeBlob]


class PlacementRecord:
    """The record of one placement.

    Attributes
    ----------
    questions
        By backend and layer, whose sizes may be symbolic: the answer.
    parts
        The sub-graphs in the order in which their backends saw them.
    is_complete
        Whether other shapes are placed alike if all of these answers stay.
    """

    def __init__(self) -> None:
        self.questions: list[tuple[str, LayerSignature, Support]] = []
        self.parts: list[CompiledPart] = []
        self.is_complete = True

    def asked(self, backend_id: str, layer: LayerSignature, answer: Support) -> None:
        """Note a question and its answer."""
        self.questions.append((backend_id, layer, answer))

    def answered(self, backend_id: str, data: SubgraphData, answer: OptimizationAnswer) -> None:
        """Note a sub-graph and its answer."""
        blobs = [new.blob for s in answer.substitutions for new in s.replacement if new.blob]
        self.parts.append(CompiledPart(backend_id, data, answer, blobs))
        if not _is_plain(answer):
            self.is_complete = False


def _is_plain(answer: OptimizationAnswer) -> bool:
    """Whether an answer only replaces layers by compiled ones, or leaves them as they are."""
    if answer.error is not None or answer.failed or answer.deleted or answer.refused:
        return False
    return all(
        not one.is_open
        and len(one.replacement) == 1
        and one.replacement[0].type is LayerType.PRE_COMPILED
        and one.replacement[0].blob is not None
        and {after for _, after in one.outputs}
        == {(0, slot) for slot in range(len(one.replacement[0].output_infos))}
        for one in answer.substitutions
    )
