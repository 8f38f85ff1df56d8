# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A part of a model as a model: in the saved form, or as an ONNX file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from armnn_py.comparing.groups import Group, constant_layers, group_of
from armnn_py.comparing.pieces import piece_of
from armnn_py.comparing.saving import random_like
from armnn_py.comparing.tensors import Tensors, is_known
from armnn_py.errors import InvalidArgumentError, UnknownNameError

if TYPE_CHECKING:
    from armnn_py.network import Network, OutputSlot


def extract(network: Network, starts: Sequence[str], ends: Sequence[str]) -> Network:
    """Return the layers between tensors as a network of their own.

    Parameters
    ----------
    network
        A network whose shapes are known.
    starts
        Names of tensors, or of layers for their first outputs, that become inputs. Inputs of the
        network that are read beside them stay inputs.
    ends
        Names of the tensors that become outputs; none: the outputs of the network.

    Raises
    ------
    UnknownNameError
        The network lacks a tensor of a name.
    InvalidArgumentError
        The tensors have nothing between them, or one of ``starts`` is not needed.
    """
    tensors = Tensors(network)
    inputs = {
        name: (layer.guid, 0)
        for name, layer in zip(network.inputs, network.input_layers, strict=True)
    }
    known = {**inputs, **tensors.place_of}

    def slot_of(name: str) -> OutputSlot:
        if name not in known:
            raise UnknownNameError(
                f"network '{network.name}' has no tensor and no layer '{name}'",
                name=name,
                valid=[*known],
            )
        guid, index = known[name]
        return network.layers[guid].outputs[index]

    first = {slot_of(name): name for name in starts}
    last = list(dict.fromkeys(slot_of(name) for name in ends or network.outputs))
    constants = constant_layers(network)
    taken: dict[int, Any] = {}
    waiting = [slot for slot in last if slot not in first]
    read = set()
    while waiting:
        slot = waiting.pop()
        layer = slot.layer
        if slot in first:
            read.add(slot)
        elif not (is_known(layer) or layer.guid in taken or layer.guid in constants):
            taken[layer.guid] = layer
            waiting += [one for one in layer.inputs if one is not None]
    unread = [name for slot, name in first.items() if slot not in read]
    if not taken or unread:
        raise InvalidArgumentError(
            f"extract: '{unread[0]}' is not before the last tensors"
            if unread
            else "extract: no layer lies between the tensors",
            details=[f"from: {', '.join(starts)}", f"to: {', '.join(ends)}"],
        )
    border = group_of(taken.values(), constants)
    group = Group(border.layers, border.inputs, tuple(last))
    return piece_of(network.name, [group], tensors.name).network


def extract_onnx(
    model: str | os.PathLike[str],
    output: str | os.PathLike[str],
    starts: Sequence[str],
    ends: Sequence[str],
    *,
    strip_weights: bool = False,
) -> None:
    """Write a part of an ONNX file as an ONNX file.

    Parameters
    ----------
    model, output
        The files.
    starts, ends
        Names of tensors in the file; none: its inputs, its outputs.
    strip_weights
        Whether random numbers take the place of the weights.

    Raises
    ------
    InvalidArgumentError
        The file has other tensors, or the part cannot be written.
    """
    import onnx
    from onnx import numpy_helper

    try:
        whole = onnx.load(os.fspath(model))
        constants = {one.name for one in whole.graph.initializer}
        first = list(starts) or [one.name for one in whole.graph.input if one.name not in constants]
        last = list(ends) or [one.name for one in whole.graph.output]
        part = onnx.utils.Extractor(onnx.shape_inference.infer_shapes(whole)).extract_model(
            first, last
        )
        for one in part.graph.initializer if strip_weights else ():
            value = numpy_helper.to_array(one)
            if value.dtype.kind == "f" and value.size >= 64:
                one.CopyFrom(numpy_helper.from_array(random_like(value), one.name))
        onnx.save(part, os.fspath(output))
    except Exception as error:  # of onnx, which raises its own and Python's
        words = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
        raise InvalidArgumentError(
            f"extract: no part of '{os.fspath(model)}' is written to '{os.fspath(output)}'",
            details=[str(words)[:300]],
        ) from error
