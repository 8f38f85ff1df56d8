# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Checks of a backend's answer about a sub-graph, before any of it is carried out.

Arm NN's OptimizationViews with its rule that each layer is reported exactly once. Unlike in Arm NN
the check is always on, and it also looks at slots, shapes, types and cycles.
"""

from __future__ import annotations

import graphlib
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from armnn_py._native.layers.subgraph import ABSENT, BOUNDARY, CONSTANT, SubgraphData
from armnn_py.errors import LayerValidationError
from armnn_py.network import shapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from armnn_py._native.layers.optimization_sink import OptimizationAnswer, SubstitutionData
    from armnn_py._native.layers.subgraph import Slot
    from armnn_py.tensors import TensorInfo

#: Inputs and outputs of some layers of a sub-graph, as slots of the sub-graph.
Border = tuple[list["Slot"], list["Slot"]]

_Maker = tuple[int, int, int]


def same_info(a: TensorInfo | None, b: TensorInfo | None) -> bool:
    """Whether two infos describe the same tensor; scales compare as the float32 of C."""
    if a is None or b is None:
        return a is b
    if a.shape != b.shape or a.data_type is not b.data_type:
        return False
    if a.quantization is None or b.quantization is None:
        return a.quantization is b.quantization
    one, two = a.quantization, b.quantization
    return (
        one.axis == two.axis
        and one.zero_points == two.zero_points
        and bool(np.array_equal(np.array(one.scales, np.float32), np.array(two.scales, np.float32)))
    )


def readers_of(data: SubgraphData) -> dict[Slot, list[int]]:
    """Readers of each slot, by numbers of layers; -1 stands for readers outside."""
    readers: dict[Slot, list[int]] = {slot: [-1] for slot in data.outputs}
    for number, layer in enumerate(data.layers):
        for source in layer.inputs:
            if source[0] not in (CONSTANT, ABSENT):
                readers.setdefault(source, []).append(number)
    return readers


def border_of(
    data: SubgraphData, layers: Iterable[int], readers: Mapping[Slot, list[int]]
) -> Border:
    """Inputs and outputs of some layers of a sub-graph.

    Parameters
    ----------
    data
        The sub-graph.
    layers
        Their numbers.
    readers
        The result of `readers_of`.

    Returns
    -------
    inputs, outputs
        Boundary inputs of the sub-graph first, then slots of its layers by number; outputs are
        slots that are read by other layers or outside. Constants are no inputs.
    """
    own = set(layers)
    inputs = {
        source
        for number in own
        for source in data.layers[number].inputs
        if source[0] not in (CONSTANT, ABSENT) and source[0] not in own
    }
    outputs = [
        (number, slot)
        for number in sorted(own)
        for slot in range(len(data.layers[number].output_infos))
        if not own.issuperset(readers.get((number, slot), ()))
    ]
    return sorted(inputs, key=lambda slot: (slot[0] != BOUNDARY, slot)), outputs


def find_fault(data: SubgraphData, answer: OptimizationAnswer) -> str | None:
    """The fault of an answer, in words; None if it can be carried out.

    Parameters
    ----------
    data
        The sub-graph that the backend got.
    answer
        The backend's answer; an empty one changes nothing.
    """
    fault = _fault(data, answer)
    if fault is not None and answer.refused:
        fault += f" (refused before: {answer.refused[0]})"
    return fault


def _fault(data: SubgraphData, answer: OptimizationAnswer) -> str | None:
    if answer.error is not None:
        return f"optimize_subgraph_view failed with {answer.error}"
    if answer.is_empty:
        return None
    fault = _coverage_fault(data, answer)
    readers = readers_of(data)
    for substitution in answer.substitutions:
        fault = fault or _substitution_fault(data, substitution, readers)
    for part in answer.deleted:
        fault = fault or _deletion_fault(data, part, readers)
    return fault or _wiring_fault(data, answer, readers)


def _name(data: SubgraphData, number: int) -> str:
    return f"layer {number} '{data.layers[number].name}'"


def _info_of(data: SubgraphData, slot: Slot) -> TensorInfo:
    layer, index = slot
    return data.input_infos[index] if layer == BOUNDARY else data.layers[layer].output_infos[index]


def _coverage_fault(data: SubgraphData, answer: OptimizationAnswer) -> str | None:
    count: Counter[int] = Counter()
    for substitution in answer.substitutions:
        if substitution.is_open:
            return "a substitution was begun and not ended"
        count.update(substitution.layers)
    for layers, _ in (*answer.failed, *answer.untouched):
        count.update(layers)
    for part in answer.deleted:
        count.update(part)
    for number in range(len(data.layers)):
        if count[number] == 0:
            return f"{_name(data, number)} is in none of the four lists"
        if count[number] > 1:
            return f"{_name(data, number)} is reported {count[number]} times"
    return None


def _substitution_fault(
    data: SubgraphData, substitution: SubstitutionData, readers: Mapping[Slot, list[int]]
) -> str | None:
    if not substitution.replacement:
        return "a replacement has no layers"
    for new in substitution.replacement:
        what = f"replacement layer '{new.name}'"
        for index, (layer, slot) in enumerate(new.inputs):
            if layer in (CONSTANT, ABSENT):
                continue
            if layer == BOUNDARY:
                actual = _info_of(data, substitution.inputs[slot])
            else:
                actual = substitution.replacement[layer].output_infos[slot]
            if not same_info(new.input_infos[index], actual):
                return f"{what} takes {new.input_infos[index]} at input {index}, but gets {actual}"
        try:
            found = shapes.infer(
                new.type,
                new.descriptor,
                new.input_infos,
                new.constants,
                outputs=new.output_infos,
                layer=new.name,
            )
        except LayerValidationError as error:
            return f"replacement: {error.message}"
        for index, (ours, theirs) in enumerate(zip(found, new.output_infos, strict=True)):
            if not same_info(ours, theirs):
                return f"{what} states {theirs} for output {index}, but it is {ours}"
    replaced = set()
    for before, (layer, slot) in substitution.outputs:
        replaced.add(before)
        given = substitution.replacement[layer].output_infos[slot]
        wanted = _info_of(data, before)
        if not same_info(given, wanted):
            return (
                f"output {before[1]} of {_name(data, before[0])} is {wanted}, its "
                f"replacement is {given}"
            )
    for before in border_of(data, substitution.layers, readers)[1]:
        if before not in replaced:
            return f"nothing replaces output {before[1]} of {_name(data, before[0])}"
    return None


def _deletion_fault(
    data: SubgraphData, part: tuple[int, ...], readers: Mapping[Slot, list[int]]
) -> str | None:
    inputs, outputs = border_of(data, part, readers)
    what = f"deleted sub-graph at {_name(data, part[0])}"
    if len(inputs) != len(outputs):
        return f"{what} has {len(inputs)} inputs, but {len(outputs)} outputs"
    for index, (source, target) in enumerate(zip(inputs, outputs, strict=True)):
        before, after = _info_of(data, target), _info_of(data, source)
        if not same_info(before, after):
            return f"{what}: output {index} is {before}, input {index} is {after}"
    return None


def _wiring_fault(
    data: SubgraphData, answer: OptimizationAnswer, readers: Mapping[Slot, list[int]]
) -> str | None:
    """The fault if a layer would read a removed slot, or its own result.

    No path leaves the sub-graph and comes back, so only its inside is checked.
    """
    # A maker: (0, kept layer, 0), (1, substitution, replacement layer) or (2, deletion, output).
    # The new maker of each slot of a removed layer:
    stand_in: dict[Slot, _Maker] = {}
    gone: set[int] = set()
    slots: dict[_Maker, list[Slot]] = {}  # that each maker reads
    sources: dict[_Maker, list[_Maker]] = {}  # that each maker reads
    for number, substitution in enumerate(answer.substitutions):
        gone.update(substitution.layers)
        for before, (layer, _) in substitution.outputs:
            stand_in[before] = (1, number, layer)
        for index, new in enumerate(substitution.replacement):
            slots[1, number, index] = [
                substitution.inputs[slot] for layer, slot in new.inputs if layer == BOUNDARY
            ]
            sources[1, number, index] = [
                (1, number, layer)
                for layer, _ in new.inputs
                if layer not in (BOUNDARY, CONSTANT, ABSENT)
            ]
    for number, part in enumerate(answer.deleted):
        gone.update(part)
        for index, (source, target) in enumerate(zip(*border_of(data, part, readers), strict=True)):
            stand_in[target] = (2, number, index)
            slots[2, number, index] = [source]
    for number, old in enumerate(data.layers):
        if number not in gone:
            slots[0, number, 0] = [slot for slot in old.inputs if slot[0] not in (CONSTANT, ABSENT)]
    for reader, read in slots.items():
        for slot in read:
            if slot[0] == BOUNDARY:
                continue
            if slot[0] in gone and slot not in stand_in:
                return f"output {slot[1]} of {_name(data, slot[0])} is read, but the layer goes"
            sources.setdefault(reader, []).append(stand_in.get(slot, (0, slot[0], 0)))

    sorter = graphlib.TopologicalSorter(sources)
    try:
        sorter.prepare()
    except graphlib.CycleError:
        return "a replacement would read its own result"
    return None
