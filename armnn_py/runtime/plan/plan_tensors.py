# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The tensors of a plan: their numbers, and the copies at the end of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py._native import abi
from armnn_py.network import ConstantLayer
from armnn_py.runtime.plan.moves import add_tensor, lend_output, make_place
from armnn_py.runtime.plan.planned import PlannedStep, PlannedTensor, PlannedVariable
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from armnn_py.network import NetworkStorage
    from armnn_py.runtime.plan.planned import Build

__all__ = ["add_assign_copies", "add_output_copies", "number_tensors"]


def number_tensors(
    build: Build,
    network: NetworkStorage,
    memory: Mapping[tuple[int, int], str],
    value_of: Callable[[ConstantLayer], np.ndarray],
) -> None:
    """Number all tensors; inputs and a slot's first use as output are memory of the caller.

    ``memory`` has the tensor handle factory of each slot that has one, by guid and index;
    ``value_of`` gives the value of a constant, aligned.
    """
    for index, layer in enumerate(network.input_layers):
        slot = layer.outputs[0]
        build.number_of[slot] = build.add(
            PlannedTensor(abi.ARMNN_PLAN_TENSOR_INPUT, slot.info.byte_size, index)
        )
    if network.variables:
        _number_variables(build, network, memory)
    for index, layer in enumerate(network.output_layers):
        source = layer.inputs[0]
        assert source is not None
        if source in build.number_of or source.layer.type == LayerType.CONSTANT:
            continue  # an input, a constant or a second output of one tensor: copied at the end
        factory = memory.get((source.layer.guid, source.index))
        if factory is not None:
            lend_output(build, source, factory, index)
            continue
        if source.layer.type == LayerType.MEM_IMPORT:
            continue  # memory of a backend, copied at the end
        build.number_of[source] = build.add(
            PlannedTensor(abi.ARMNN_PLAN_TENSOR_OUTPUT, source.info.byte_size, index)
        )
    for layer in network.layers:
        if isinstance(layer, ConstantLayer):
            slot = layer.outputs[0]
            build.number_of[slot] = build.add(
                PlannedTensor(
                    abi.ARMNN_PLAN_TENSOR_CONSTANT,
                    slot.info.byte_size,
                    value=value_of(layer),
                )
            )
        elif not FACTS[layer.type].host:
            for slot in layer.outputs:
                if slot not in build.number_of:
                    add_tensor(build, slot, memory)


def _number_variables(
    build: Build, network: NetworkStorage, memory: Mapping[tuple[int, int], str]
) -> None:
    """Number the places of variables; layers that assign one write to it where they can.

    They cannot if their tensor is an input, a constant, a variable or assigned to another one:
    these are copied at the end of the run.
    """
    assigned = network.assign_layers
    for layer in network.variable_layers:
        slot = layer.outputs[0]
        factory = memory.get((layer.guid, 0), "")
        value = make_place(slot.info, factory)
        build.number_of[slot] = build.add(value)
        after = make_place(slot.info, factory) if layer.name in assigned else None
        build.variables.append(PlannedVariable(layer.name, slot.info, layer.initial, value, after))
    for variable in build.variables:
        if variable.next is None:
            continue
        number = build.add(variable.next)
        source = assigned[variable.name].inputs[0]
        assert source is not None
        place = memory.get((source.layer.guid, source.index), "")
        moves = source.layer.type in (LayerType.CONSTANT, LayerType.MEM_IMPORT)
        if source not in build.number_of and not moves and place == variable.value.factory:
            build.number_of[source] = number


def add_assign_copies(build: Build, network: NetworkStorage) -> None:
    """Copy at the end of the run what is assigned to a variable and written elsewhere."""
    numbers = {id(tensor): number for number, tensor in enumerate(build.tensors)}
    for variable in build.variables:
        source = network.assign_layers[variable.name].inputs[0] if variable.next else None
        if source is None:
            continue
        target = numbers[id(variable.next)]
        if build.number_of[source] != target:
            build.steps.append(
                PlannedStep([build.number_of[source]], [target], assigns=variable.name)
            )


def add_output_copies(build: Build, network: NetworkStorage) -> None:
    """Copy outputs that no step writes to where the caller has them, or return lent memory."""
    for index, layer in enumerate(network.output_layers):
        source = layer.inputs[0]
        assert source is not None
        number = build.number_of[source]
        tensor = build.tensors[number]
        if tensor.kind == abi.ARMNN_PLAN_TENSOR_OUTPUT and tensor.index == index:
            continue
        if index in build.lent:
            build.steps.append(
                PlannedStep(
                    [number],
                    [build.lent[index]],
                    source.layer,
                    kind=abi.ARMNN_PLAN_STEP_RETURN,
                )
            )
            continue
        target = build.add(
            PlannedTensor(abi.ARMNN_PLAN_TENSOR_OUTPUT, source.info.byte_size, index)
        )
        build.steps.append(PlannedStep([number], [target]))
