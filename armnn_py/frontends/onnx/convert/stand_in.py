# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Offers a node of an ONNX model without a layer to the backends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from armnn_py.descriptors import StandInDescriptor
from armnn_py.descriptors.attributes import check_attributes
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.stand_ins import RunsStandIns, offer
from armnn_py.frontends.common.values import Known, Value, dense
from armnn_py.frontends.onnx.file.graph_node import Body, Node
from armnn_py.frontends.onnx.file.tensors import Unreadable
from armnn_py.network import OutputSlot
from armnn_py.types import LayerType

__all__ = ["stand_in"]


def stand_in(
    node: Node,
    version: int,
    values: Sequence[Value | None],
    emit: Emitter,
    backends: Sequence[RunsStandIns],
) -> tuple[Sequence[OutputSlot] | None, tuple[str, ...]]:
    """Make a node a StandIn layer of the first backend that runs its operator.

    Returns
    -------
    tuple of slots, or None
        The outputs of the layer; None if no backend runs the operator.
    tuple of str
        The reasons of the backends that refuse.
    """
    if not backends:
        return None, ()
    given = list(values)
    while given and given[-1] is None:
        given.pop()
    try:
        descriptor = StandInDescriptor(
            len(given),
            len(node.outputs),
            version,
            node.domain,
            node.op_type,
            check_attributes(
                {name: _plain(name, value) for name, value in node.attributes.items()}
            ),
        )
    except ValueError as error:
        return None, (str(error),)
    infos = [None if value is None else value.info for value in given]
    known = {
        index: dense(value.array) for index, value in enumerate(given) if isinstance(value, Known)
    }
    answer = offer(backends, descriptor, infos, known, node.name)
    if answer.outputs is None:
        return None, answer.reasons
    layer = emit.layers(
        LayerType.STAND_IN, given, descriptor, outputs=answer.outputs, backend=answer.backend
    )
    return layer.outputs, ()


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, Body):
        raise ValueError(f"attribute '{name}' is a graph, which no backend takes")
    if isinstance(value, Unreadable):
        raise ValueError(value.reason)
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, list):
        return [_plain(name, item) for item in value]
    return value.array if isinstance(value, Known) else value
