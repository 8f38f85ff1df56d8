# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py extract``: a part of a model as a model, in the saved form or as an ONNX file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from armnn_py.cli.app import Session, with_session
from armnn_py.cli.completion import offer
from armnn_py.cli.help import Command
from armnn_py.cli.model_arguments import chosen_part, part_options
from armnn_py.cli.networks import read_network, shape_hint, with_batch
from armnn_py.comparing.groups import Group, constant_layers, group_of
from armnn_py.comparing.pieces import piece_of
from armnn_py.comparing.saving import random_like, save_plainly, without_weights
from armnn_py.comparing.tensors import Tensors, is_known
from armnn_py.errors import InvalidArgumentError, UnknownNameError
from armnn_py.text import counted, format_bytes

if TYPE_CHECKING:
    from armnn_py.network import Network, OutputSlot


def part_of(network: Network, starts: Sequence[str], ends: Sequence[str]) -> Network:
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


@click.command(cls=Command)
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--from", "starts", metavar="TENSOR", multiple=True,
    help="A tensor, or layer, that becomes an input, repeatable; default: the inputs.",
)  # fmt: skip
@click.option(
    "--to", "ends", metavar="TENSOR", multiple=True,
    help="A tensor, or layer, that becomes an output, repeatable; default: the outputs.",
)  # fmt: skip
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    shell_complete=offer("file"),
    help="File to write: .onnx of an ONNX model, else .armnnpy, a network in the saved form.",
)
@click.option(
    "--shape", "shapes", multiple=True, metavar="NAME=1x3x640x640",
    help="Shape of an input with free dimensions.",
)  # fmt: skip
@click.option(
    "--strip-weights",
    is_flag=True,
    help="Put random numbers in the place of the weights, so that the file may be shared.",
)
@part_options[0]
@part_options[1]
@with_session
def extract(
    session: Session,
    *,
    model: str,
    starts: tuple[str, ...],
    ends: tuple[str, ...],
    output: Path,
    shapes: tuple[str, ...],
    strip_weights: bool,
    signature: str | None,
    subgraph: str | None,
) -> None:
    """Write a part of MODEL as a model."""
    if output.exists() and output.samefile(model):
        raise click.UsageError("-o names the model itself")
    layers = None
    if output.suffix.lower() == ".onnx":
        if Path(model).suffix.lower() != ".onnx":
            raise click.UsageError("-o FILE.onnx needs an ONNX model; FILE.armnnpy takes any")
        with session.progress(f"writing {output.name}"):
            extract_onnx(model, output, starts, ends, strip_weights=strip_weights)
    else:
        with session.runtime(["CpuRef"]) as runtime:
            with session.progress(f"reading {Path(model).name}"):
                part = chosen_part(signature, subgraph)
                network, _ = with_batch(read_network(model, shapes, None, part, runtime=runtime))
            for name, info in network.inputs.items():
                if not info.is_static:
                    raise InvalidArgumentError(
                        f"input '{name}' has free dimensions: {info!r}",
                        hints=[shape_hint(network.inputs)],
                    )
            with session.progress(f"writing {output.name}"):
                found = part_of(network, starts, ends)
                found = without_weights(found) if strip_weights else found
                save_plainly(found, runtime, output)
                layers = sum(1 for layer in found.layers if layer.inputs and layer.outputs)
    data: dict[str, Any] = {
        "model": model,
        "output": str(output),
        "bytes": output.stat().st_size,
        "layers": layers,
    }
    count = "" if layers is None else f"{counted(layers, 'layer')}, "
    text = f"Wrote {output} ({count}{format_bytes(data['bytes'])})"
    session.answer(data, lambda renderer: renderer.line(text))
