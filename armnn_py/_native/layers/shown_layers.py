# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers as a backend written in Python is shown them, read from the structures that C hands it."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.layers.read_layers import descriptor_from_struct
from armnn_py._native.layers.read_tensors import read_constant, read_tensor_info
from armnn_py._native.memory.read_memory import read_counted
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.descriptors import Descriptor
    from armnn_py.tensors import TensorInfo

_NOTHING: Mapping[int, Any] = {}


@dataclass(frozen=True, slots=True)
class ShownLayer:
    """A layer as the host shows it to a backend: a valid one, of a canonical type.

    Attributes
    ----------
    type, descriptor
        Its type and parameters; the descriptor is None for a layer without parameters.
    inputs
        Infos of its operands; None for an optional one that is absent.
    outputs
        Infos of its outputs.
    is_constant
        For each operand whether its values are known when the network is loaded.
    constants
        For each operand its values, read-only, or None; all None in a question about support.
    model_options
        Options of the model for the backend, by name.
    name, guid
        Of the layer in the network; empty and 0 in a question about support.
    """

    type: LayerType
    descriptor: Any  # of which class, the type says; and which of the others are None
    inputs: tuple[Any, ...]
    outputs: tuple[TensorInfo, ...]
    is_constant: tuple[bool, ...]
    constants: tuple[Any, ...]
    model_options: Mapping[str, OptionValue]
    name: str = ""
    guid: int = 0


def read_options(pointer: Any) -> dict[str, OptionValue]:
    """The values of an ``armnn_options_t``; none for null."""
    values: dict[str, OptionValue] = {}
    if not pointer:
        return values
    options = pointer.contents
    for index in range(options.count):
        item = options.items[index]
        name = read_counted(item.name, "the name of an option").decode("utf-8", "replace")
        if item.type == abi.ARMNN_OPTION_STRING:
            text = read_counted(item.string, f"option '{name}'")
            values[name] = text.decode("utf-8", "surrogateescape")
        elif item.type == abi.ARMNN_OPTION_FLOAT:
            values[name] = float(item.real)
        elif item.type == abi.ARMNN_OPTION_BOOL:
            values[name] = bool(item.integer)
        else:
            values[name] = int(item.integer)
    return values


def read_query(query: Any, options: Mapping[str, OptionValue]) -> ShownLayer:
    """The layer of an ``armnn_layer_query_t``, whose constants have no values."""
    kind, descriptor, inputs, outputs, flags = _signature(query)
    return ShownLayer(kind, descriptor, inputs, outputs, flags, (None,) * len(inputs), options)


def read_workload_info(
    info: Any, options: Mapping[str, OptionValue], *, outputs: int | None = None
) -> ShownLayer:
    """The layer of an ``armnn_workload_info_t`` or ``armnn_layer_t``, with copies of constants.

    ``outputs`` says how many infos of outputs there are, if not as many as outputs.
    """
    kind, descriptor, inputs, infos, flags = _signature(info, outputs)
    constants: list[NDArray[Any] | None] = [None] * len(inputs)
    if info.constants:
        for index in range(len(inputs)):
            pointer = info.constants[index]
            if pointer:
                constants[index] = read_constant(pointer, f"constant {index}", _NOTHING)[1]
    name = read_counted(info.name, "the name of the layer").decode("utf-8", "replace")
    return ShownLayer(
        kind, descriptor, inputs, infos, flags, tuple(constants), options, name, int(info.guid)
    )


def read_call_infos(
    args: Any, input_count: int, output_count: int
) -> tuple[tuple[TensorInfo | None, ...], tuple[TensorInfo, ...]] | None:
    """The infos of a call from its ``armnn_execute_args_t``; None: they are the layer's."""
    if not args.input_infos:
        return None
    inputs = (args.input_infos[index] for index in range(input_count))
    return (
        tuple(_info(item, f"input {i}") if item else None for i, item in enumerate(inputs)),
        tuple(_info(args.output_infos[i], f"output {i}") for i in range(output_count)),
    )


def _info(pointer: Any, what: str) -> TensorInfo:
    return read_tensor_info(pointer, what, takes_bounded=True)


def read_operator(info: Any, options: Mapping[str, OptionValue]) -> ShownLayer:
    """The layer of an ``armnn_layer_t`` whose outputs are asked for; it has none here."""
    return read_workload_info(info, options, outputs=0)


def _signature(
    struct: Any,
    output_count: int | None = None,
) -> tuple[
    LayerType,
    Descriptor | None,
    tuple[TensorInfo | None, ...],
    tuple[TensorInfo, ...],
    tuple[bool, ...],
]:
    inputs: list[TensorInfo | None] = []
    flags = []
    for index in range(struct.input_count):
        pointer = struct.input_infos[index]
        inputs.append(_info(pointer, f"input {index}") if pointer else None)
        flags.append(bool(pointer and pointer.contents.flags & abi.ARMNN_TENSOR_CONSTANT))
    outputs = tuple(
        _info(struct.output_infos[index], f"output {index}")
        for index in range(struct.output_count if output_count is None else output_count)
    )
    kind = LayerType(int(struct.type))
    views = outputs if kind is LayerType.CONCAT else inputs
    rank = views[0].rank if views and views[0] is not None else 0
    descriptor = None
    if kind is not LayerType.PRE_COMPILED:
        pointer = ctypes.cast(struct.descriptor, ctypes.c_void_p)
        descriptor = descriptor_from_struct(kind, pointer, "the descriptor", view_rank=rank)
    return kind, descriptor, tuple(inputs), outputs, tuple(flags)
