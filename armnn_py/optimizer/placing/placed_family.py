# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A placed network with symbolic sizes: other shapes ask the backends again, and nothing else."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from armnn_py._native.layers.optimization_sink import optimize_subgraph
from armnn_py._native.layers.reusable import ReusableQuery, ReusableSubgraph
from armnn_py.backends.questions.layer_support import LayerSupport
from armnn_py.descriptors.symbolic_fields import plain_descriptor
from armnn_py.network import AssignLayer, ConstantLayer, Network, VariableLayer
from armnn_py.optimizer.placing.placement_record import same_answer
from armnn_py.tensors.symbolic_infos import plain_info

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py._native.layers.optimization_sink import OptimizationAnswer
    from armnn_py._native.layers.subgraph import SubgraphData
    from armnn_py._native.table.blob import NativeBlob
    from armnn_py.backends.backend import Backend
    from armnn_py.backends.questions.layer_support import Support
    from armnn_py.network import NetworkStorage, OutputSlot
    from armnn_py.optimizer.placing.placed_network import PlacedNetwork
    from armnn_py.optimizer.placing.placement_record import CompiledPart, PlacementRecord
    from armnn_py.tensors import TensorInfo

__all__ = ["PlacedFamily"]


class PlacedFamily:
    """The members of a family that backends place alike.

    Parameters
    ----------
    placed
        The network for the trace's own shapes; sizes are symbolic.
    record
        The backends' answers that it depends on.
    available
        All loaded backends by id.
    """

    def __init__(
        self, placed: PlacedNetwork, record: PlacementRecord, available: Mapping[str, Backend]
    ) -> None:
        self._available = available
        guid_of = {id(blob): guid for guid, blob in placed.blobs.items()}
        self._parts = [
            _Part(part, [guid_of[id(blob)] for blob in part.blobs]) for part in record.parts
        ]
        #: Without the blobs and what only saving needs.
        self._placed = dataclasses.replace(placed, blobs={}, sources={})
        self._questions: dict[str, list[tuple[ReusableQuery, Support]]] = {}
        for backend_id, layer, answer in record.questions:
            query = ReusableQuery(layer)
            if query.is_symbolic:
                self._questions.setdefault(backend_id, []).append((query, answer))

    def first(self, blobs: Mapping[int, NativeBlob], numbers: Sequence[int]) -> PlacedNetwork:
        """The member for the trace's own shapes, with its blobs."""
        return self._with(numbers, blobs)

    def member(self, numbers: Sequence[int]) -> PlacedNetwork | None:
        """The member for these numbers of all sizes; None if a backend gives another answer."""
        options = self._placed.model_options
        for backend_id, questions in self._questions.items():
            backend = self._available[backend_id]
            with LayerSupport(backend, options.of(backend)) as support:
                for question, answer in questions:
                    question.write(numbers)
                    if support.ask_again(question) != answer:
                        return None
        blobs: dict[int, NativeBlob] = {}
        for part in self._parts:
            backend = self._available[part.backend]
            made = part.ask(backend, options.of(backend), numbers)
            if made is None:
                return None
            blobs.update(made)
        return self._with(numbers, blobs)

    def _with(self, numbers: Sequence[int], blobs: Mapping[int, NativeBlob]) -> PlacedNetwork:
        network = _with_numbers(self._placed.network, numbers)
        return dataclasses.replace(self._placed, network=network, blobs=blobs, sources={})


class _Part:
    """A sub-graph that a backend answers about again."""

    def __init__(self, part: CompiledPart, guids: Sequence[int]) -> None:
        self.backend = part.backend
        self._traced: SubgraphData = part.data
        self._guids = guids
        self._subgraph = ReusableSubgraph(part.data)
        self._answer: OptimizationAnswer = _without_blobs(part.answer)

    def ask(
        self, backend: Backend, options: object, numbers: Sequence[int]
    ) -> dict[int, NativeBlob] | None:
        """The blobs of the answer by the guids of their layers; None if it is another answer."""
        self._subgraph.write(numbers)
        backend.retain()
        try:
            answer = optimize_subgraph(
                self._subgraph.data,
                backend.id,
                backend.api,
                backend.instance,
                options,  # type: ignore[arg-type]
                retain=backend.retain,
                release=backend.release,
                structs=self._subgraph.structs,
            )
        finally:
            backend.release()
        if not same_answer(self._answer, answer):
            return None
        blobs: dict[int, NativeBlob] = {}
        for guid, one in zip(self._guids, answer.substitutions, strict=True):
            (new,) = one.replacement
            for (layer, slot), (_, own) in one.outputs:
                stated = self._traced.layers[layer].output_infos[slot]
                if not _is_alike(plain_info(stated, numbers), new.output_infos[own]):
                    return None
            assert new.blob is not None
            blobs[guid] = new.blob
        return blobs


def _is_alike(info: TensorInfo, other: TensorInfo) -> bool:
    return info.shape == other.shape and info.data_type is other.data_type


def _without_blobs(answer: OptimizationAnswer) -> OptimizationAnswer:
    substitutions = [
        dataclasses.replace(
            one, replacement=[dataclasses.replace(new, blob=None) for new in one.replacement]
        )
        for one in answer.substitutions
    ]
    return dataclasses.replace(answer, substitutions=substitutions)


def _with_numbers(network: NetworkStorage, numbers: Sequence[int]) -> Network:
    """Return a network with numbers for symbolic sizes; the values of constants are shared."""
    new = Network(network.name)
    new.metadata = network.metadata
    slot_of: dict[OutputSlot, OutputSlot] = {}
    infos: dict[int, TensorInfo] = {}
    variables: dict[str, VariableLayer] = {}
    for layer in network.layers:
        own = []
        for slot in layer.outputs:
            info = infos.get(id(slot.info))
            if info is None:
                info = infos[id(slot.info)] = plain_info(slot.info, numbers)
            own.append(info)
        value = layer.value if isinstance(layer, ConstantLayer) else None
        if isinstance(layer, VariableLayer):
            value = layer.initial
        made = new.append_unchecked(
            layer.name,
            layer.type,
            plain_descriptor(layer.descriptor, numbers),
            tuple([None if slot is None else slot_of[slot] for slot in layer.inputs]),
            own,
            backend=layer.backend_hint,
            value=value,
            variable=variables[layer.variable.name] if isinstance(layer, AssignLayer) else None,
        )
        if isinstance(made, VariableLayer):
            variables[made.name] = made
        slot_of.update(zip(layer.outputs, made.outputs, strict=True))
    return new
