# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A compiled layer of a saved network is compiled again, from the layers beside it in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py._native.layers.subgraph import BOUNDARY
from armnn_py.errors import BackendError
from armnn_py.optimizer.subgraphs.check_answer import find_fault
from armnn_py.optimizer.subgraphs.compiled_source import border_of_layer
from armnn_py.optimizer.subgraphs.subgraph_selection import SubgraphView
from armnn_py.optimizer.subgraphs.subgraph_work import ask, subgraph_data
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py._native.layers.optimization_sink import OptimizationAnswer, SubstitutionData
    from armnn_py._native.layers.subgraph import LayerData, SubgraphData
    from armnn_py._native.table.blob import NativeBlob
    from armnn_py._native.table.option_structs import NativeModelOptions
    from armnn_py.backends.backend import Backend
    from armnn_py.network import Layer
    from armnn_py.optimizer.graph import Graph, Node
    from armnn_py.optimizer.subgraphs.source_network import Border


def compile_again(
    graph: Graph,
    nodes: Sequence[Node],
    border: Border,
    layer: Layer,
    backend: Backend,
    options: NativeModelOptions | None,
    versions: Sequence[str],
) -> NativeBlob:
    """Let a backend compile the source of a layer to just such a layer as before.

    Parameters
    ----------
    graph, nodes
        The source, and its layers that are not the host's.
    border
        That of the source.
    layer
        The compiled layer.
    backend
        It takes each of the nodes.
    options
        Those of the model for the backend.
    versions
        For errors: how the backend differs from the one that the network was saved with.

    Raises
    ------
    BackendError
        It does not.
    """
    view = SubgraphView(
        tuple(nodes),
        tuple(node.output for node in graph.nodes if node.type is LayerType.INPUT),
        tuple(
            value
            for node in graph.nodes
            if node.type is LayerType.OUTPUT
            for value in node.inputs
            if value is not None
        ),
    )
    data = subgraph_data(graph, view)
    answer = ask(backend, data, options)
    fault = find_fault(data, answer)
    if fault is not None:
        raise BackendError(
            f"backend '{backend.id}' does not compile the sub-graph of layer '{layer.name}' "
            f"again: {fault}",
            details=versions,
            hints=["optimize() the model anew and save it again"],
        )
    return _compiled_blob(answer, data, border, layer, backend.id)


def _compiled_blob(
    answer: OptimizationAnswer,
    data: SubgraphData,
    border: Border,
    layer: Layer,
    backend_id: str,
) -> NativeBlob:
    """The blob of an answer that compiles all of ``data`` to just such a layer as before.

    Parameters
    ----------
    answer
        Checked by `find_fault`.
    data
        The source of the layer.
    border
        That of the layer as it was saved.
    layer
        The compiled layer.
    backend_id
        For messages.

    Raises
    ------
    BackendError
        The answer is another one.
    """
    reasons = [reason for _, reason in (*answer.failed, *answer.untouched) if reason]
    reason = reasons[0] if reasons else ""
    if len(answer.substitutions) == 1:
        (substitution,) = answer.substitutions
        if len(substitution.layers) == len(data.layers) and len(substitution.replacement) == 1:
            (made,) = substitution.replacement
            reason = _difference(substitution, made, data, border, layer)
            if made.blob is not None and not reason:
                return made.blob
    raise BackendError(
        f"backend '{backend_id}' compiles the sub-graph of layer '{layer.name}' to something else "
        "than when the network was saved",
        details=[reason] if reason else [],
        hints=["optimize() the model anew and save it again"],
    )


def _difference(
    substitution: SubstitutionData,
    made: LayerData,
    data: SubgraphData,
    border: Border,
    layer: Layer,
) -> str:
    """The difference of a new compiled layer from the saved one; empty if they are equal."""
    if made.type is not LayerType.PRE_COMPILED:
        return f"it is a layer of type {made.type.label}"
    if len(made.output_infos) != len(layer.outputs) or len(made.inputs) != len(layer.inputs):
        return (
            f"it has {len(made.inputs)} inputs and {len(made.output_infos)} outputs, "
            f"{len(layer.inputs)} and {len(layer.outputs)} were saved"
        )
    if any(source[0] != BOUNDARY for source in substitution.inputs):
        return "an input comes from one of its own layers"
    if border_of_layer(made.inputs, [slot for _, slot in substitution.inputs]) != border.inputs:
        return "its inputs come in another order"
    after_of = {before: after[1] for before, after in substitution.outputs}
    if tuple(after_of.get(slot, -1) for slot in data.outputs) != border.outputs:
        return "its outputs come in another order"
    for slot, info in zip(layer.outputs, made.output_infos, strict=True):
        if (slot.info.shape, slot.info.data_type) != (info.shape, info.data_type):
            return f"an output is {info!r}, {slot.info!r} was saved"
    for index, (operand, value) in enumerate(zip(layer.inputs, made.constants, strict=True)):
        saved = None if operand is None else getattr(operand.layer, "value", None)
        if (saved is None) != (value is None) or (
            saved is not None and value is not None and saved.tobytes() != value.tobytes()
        ):
            return f"constant input {index} has other values"
    return ""
