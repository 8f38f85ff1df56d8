# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py extract``: a part of a model as a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from armnn_py.cli.app import Session, with_session
from armnn_py.cli.completion import offer
from armnn_py.cli.help import Command
from armnn_py.cli.model_arguments import chosen_part, part_options
from armnn_py.cli.networks import read_network, shape_hint, with_batch
from armnn_py.errors import InvalidArgumentError
from armnn_py.text import counted, format_bytes


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
    from armnn_py.comparing.extract import extract as part_of
    from armnn_py.comparing.extract import extract_onnx
    from armnn_py.comparing.saving import save_plainly, without_weights

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
