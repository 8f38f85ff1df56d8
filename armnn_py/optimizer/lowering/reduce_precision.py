# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Float16 in place of float32, and float32 where a backend has no float16.

`reduce_fp32_to_fp16` is Arm NN's option of that name; inputs and outputs of the network stay
float32. `run_in_fp32` is for layers that run in float32 only. Both put conversion layers
around what they change, and `cancel_inverse_conversions` takes out those that meet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armnn_py.errors import ArmnnError
from armnn_py.network import shapes
from armnn_py.optimizer.passes.permutes.movement import only_input
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataType, LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Node, Value
    from armnn_py.optimizer.passes import PassLog

_OTHER = {DataType.FLOAT16: DataType.FLOAT32, DataType.FLOAT32: DataType.FLOAT16}
_HALF_MAX = float(np.finfo(np.float16).max)


def reduce_fp32_to_fp16(graph: Graph, log: PassLog) -> None:
    """Turn float32 inside of the network to float16.

    A layer whose rules do not allow float16 there stays float32 between conversions. Numbers of
    constants beyond float16 become its largest, 65504: a mask of -1e9 must not become infinite.

    Parameters
    ----------
    graph
        Changed in place; a value that several layers read is converted once.
    log
        Gets sentences: the converted layers, those left in float32, and the constants cut.
    """
    reducer = _Reducer(graph, log)
    for node in graph.nodes:
        reducer.take(node)
    if reducer.layers:
        log.changed(f"{reducer.layers} layers and {reducer.constants} constants turned to float16")
    for constant in reducer.converted:
        if not constant.users and constant.node in graph:
            graph.remove(constant.node)


class _Reducer:
    """One walk over a graph; takes nodes in order."""

    def __init__(self, graph: Graph, log: PassLog) -> None:
        self._graph = graph
        self._log = log
        self._halved: set[Value] = set()  # float32 in the network, now float16
        self._conversions = {node for node in graph.nodes if _converts_to(node) is not None}
        self._half_of: dict[Value, Value] = {}
        self._single_of: dict[Value, Value] = {}
        self.layers = 0
        self.constants = 0

    @property
    def converted(self) -> list[Value]:
        """Float32 constants that have a float16 copy."""
        return [value for value in self._half_of if value.constant is not None]

    def take(self, node: Node) -> None:
        if node.type in (LayerType.INPUT, LayerType.CONSTANT):
            return  # converted at their readers
        kept = node in self._conversions or node.type is LayerType.OUTPUT
        if kept or not self._halve(node):
            for index, value in enumerate(node.inputs):
                if value is not None:
                    self._graph.set_input(node, index, self._single(value))

    def _halve(self, node: Node) -> bool:
        """Let a node work in float16; False if it does not."""
        values = [*node.inputs, *node.outputs]
        if not any(v in self._halved or _is_single(v) for v in values if v is not None):
            return True  # no float32 in it
        inputs = [None if v is None else _as(v.info, DataType.FLOAT16) for v in node.inputs]
        outputs = [_as(value.info, DataType.FLOAT16) for value in node.outputs]
        try:
            found = shapes.infer(
                node.type,
                node.descriptor,
                inputs,
                node.constants,
                outputs=outputs,
                layer=node.name,
            )
        except ArmnnError as error:
            self._log.changed(f"'{node.name}' stays in float32: {str(error).splitlines()[0]}")
            return False
        if found != outputs:
            self._log.changed(f"'{node.name}' stays in float32")
            return False
        for index, value in enumerate(node.inputs):
            if value is not None and _is_single(value):
                self._graph.set_input(node, index, self._half(value))
        for value in node.outputs:
            if _is_single(value):
                value.info = _as(value.info, DataType.FLOAT16)
                self._halved.add(value)
        self.layers += 1
        return True

    def _half(self, value: Value) -> Value:
        found = self._half_of.get(value)
        if found is None:
            if value.constant is None:
                found = _conversion(self._graph, DataType.FLOAT16, value)
            else:
                found = _half_constant(self._graph, value, self._log)
                self.constants += 1
            self._half_of[value] = found
        return found

    def _single(self, value: Value) -> Value:
        if value not in self._halved:
            return value
        found = self._single_of.get(value)
        if found is None:
            found = self._single_of[value] = _conversion(self._graph, DataType.FLOAT32, value)
        return found


def _is_single(value: Value) -> bool:
    return value.info.data_type is DataType.FLOAT32


def _as(info: TensorInfo, data_type: DataType) -> TensorInfo:
    """The info with float16 for float32 or the other way round; other types stay."""
    if info.data_type is data_type or info.data_type not in (DataType.FLOAT16, DataType.FLOAT32):
        return info
    return TensorInfo(info.shape, data_type, bounded=info.bounded)


def _converts_to(node: Node) -> DataType | None:
    """The target type of a layer that only converts between float16 and float32, or None."""
    if node.type is not LayerType.CAST or node.inputs[0] is None:
        return None
    made = node.output.info.data_type
    return made if _OTHER.get(made) is node.inputs[0].info.data_type else None


def _conversion(graph: Graph, target: DataType, value: Value) -> Value:
    slot = "" if len(value.node.outputs) == 1 else f" ({value.index})"
    name = f"{target.label} of {value.node.name}{slot}"
    infos = [TensorInfo(value.info.shape, target)]
    return graph.add(LayerType.CAST, [value], name=name, near=value.node, infos=infos).output


def _half_constant(graph: Graph, value: Value, log: PassLog) -> Value:
    array = value.constant
    assert array is not None
    beyond = (np.abs(array) > _HALF_MAX) & np.isfinite(array)  # infinite values stay infinite
    count = int(np.count_nonzero(beyond))
    if count:
        array = np.where(beyond, np.copysign(np.float32(_HALF_MAX), array), array)
        log.changed(f"{count} numbers of constant '{value.node.name}' cut to {_HALF_MAX:g}")
    half = np.asarray(array, np.float16)
    return graph.add_constant(
        half, _as(value.info, DataType.FLOAT16), name=value.node.name, near=value.node
    )


# ---- Conversions that meet ---------------------------------------------------------------------


def cancel_inverse_conversions(graph: Graph, log: PassLog) -> None:
    """Take out conversions to one type and straight back.

    Float16 to float32 and back changes nothing. The other way rounds: it is removed only if the
    optimiser inserted one of the two.
    """
    for node in graph.nodes:
        target = _converts_to(node)
        if target is None or node not in graph:
            continue
        before = only_input(node).node
        if _converts_to(before) is not _OTHER[target]:
            continue
        source = only_input(before)
        if target is DataType.FLOAT32 and before.origins and node.origins:
            continue
        log.changed(f"conversions '{before.name}' and '{node.name}' cancelled")
        graph.bypass(node, source)
        if not before.output.users:
            graph.remove(before)


# ---- Float32 for one layer ---------------------------------------------------------------------


def run_in_fp32(graph: Graph, node: Node) -> list[Node]:
    """Let a float16 layer work in float32, between conversions (Arm NN's fallback).

    Parameters
    ----------
    graph
        Changed in place. Constants are converted at once; an existing conversion of an input is
        reused.
    node
        Its float16 inputs and outputs become float32; readers of the outputs still get float16.

    Returns
    -------
    list of Node
        The new conversion layers. They have pin and backend of the layer that they follow.
    """
    added: list[Node] = []
    for index, value in enumerate(node.inputs):
        if value is None or value.info.data_type is not DataType.FLOAT16:
            continue
        array = value.constant
        if array is not None:
            single = graph.add_constant(
                array.astype(np.float32),
                _as(value.info, DataType.FLOAT32),
                name=value.node.name,
                near=value.node,
            )
        else:
            found = _existing(value, DataType.FLOAT32)
            single = found if found is not None else _conversion(graph, DataType.FLOAT32, value)
            if found is None:
                added.append(single.node)
        graph.set_input(node, index, single)
        if array is not None and not value.users:
            graph.remove(value.node)
    for value in node.outputs:
        if value.info.data_type is not DataType.FLOAT16:
            continue
        value.info = _as(value.info, DataType.FLOAT32)
        if value.users:
            half = _conversion(graph, DataType.FLOAT16, value)
            graph.replace(value, half)
            added.append(half.node)
    return added


def _existing(value: Value, target: DataType) -> Value | None:
    """A conversion that the optimiser inserted for another reader; the latest one."""
    for user, _ in reversed(value.users):
        if _converts_to(user) is target and not user.origins:
            return user.output
    return None
