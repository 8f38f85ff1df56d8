# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py inspect``: the contents of a model file."""

from __future__ import annotations

import gc
import math
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from armnn_py.cli.app import Session, backend_option, with_session
from armnn_py.cli.help import Command
from armnn_py.cli.model_arguments import ModelArguments, chosen_part, part_options
from armnn_py.cli.networks import (
    assumption,
    read_compiled,
    read_network,
    shape_hint,
    with_batch,
)
from armnn_py.cli.prepared import prepared
from armnn_py.cli.render import (
    Column,
    Renderer,
    format_count,
    format_shape,
    printable,
    shortened,
)
from armnn_py.network.layer import working_layers
from armnn_py.network.stages import count_layers, describe_stage, walk_stages, why_stages
from armnn_py.runtime.network_growth import Growth
from armnn_py.runtime.network_memory import NetworkMemory, memory_of
from armnn_py.text import counted, format_bytes
from armnn_py.types import DataLayout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.network import Layer, Stage
    from armnn_py.tensors import TensorInfo


@click.command(cls=Command)
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--shape",
    "shapes",
    multiple=True,
    metavar="NAME=1x3x640x640",
    help="Shape of an input with free dimensions; layers are known once all are bound.",
)
@click.option("--layers", "all_layers", is_flag=True, help="List every layer.")
@click.option("--weights", is_flag=True, help="List every constant.")
@click.option(
    "--memory", is_flag=True, help="Load it, run it once on random values and show its memory."
)
@backend_option
@part_options[0]
@part_options[1]
@with_session
def inspect(
    session: Session,
    model: str,
    shapes: tuple[str, ...],
    all_layers: bool,
    weights: bool,
    memory: bool,
    backends: tuple[str, ...],
    signature: str | None,
    subgraph: str | None,
) -> None:
    """Show the inputs, outputs, variables, layers and sizes of MODEL."""
    measured = None
    if memory:  # first: its weights are not in memory yet
        given = ModelArguments(
            model, shapes, backends, None, (), "preference", False, signature, subgraph
        )
        measured = _measure(session, given)
    with session.progress(f"reading {Path(model).name}"):
        part = chosen_part(signature, subgraph)
        saved = read_compiled(model, shapes, part)
        source = read_network(model, shapes, None, part) if saved is None else saved.network
        network, assumed = with_batch(source)
    parts = [stage.network for stage in network.stages if stage.network is not None]
    layers = [layer for part in (network, *parts) for layer in part.layers]
    constants = [layer for layer in layers if layer.shown_type.label == "Constant"]
    working = working_layers(layers)
    tensors = [
        {"kind": kind, **_tensor(name, info)}
        for kind, infos in (
            ("input", source.inputs),
            ("output", source.outputs),
            ("variable", source.variables),
        )
        for name, info in infos.items()
    ]
    counts = [multiply_adds(layer) for layer in working]
    data: dict[str, Any] = {
        "model": model,
        "name": network.name,
        "metadata": {
            f.name: getattr(source.metadata, f.name)
            for f in fields(source.metadata)
            if f.name != "defaults"  # arrays
        },
        "tensors": tensors,
        "free_dimensions": network.is_dynamic,
        "assumed_shapes": assumed,
        "stages": [_stage(*found) for found in walk_stages(network)],
        "layer_count": len(working),
        "layer_types": dict(Counter(layer.shown_type.label for layer in working).most_common()),
        "weight_bytes": sum(layer.outputs[0].info.byte_size for layer in constants),
        "multiply_adds": None if None in counts else sum(c for c in counts if c is not None),
    }
    if saved is not None:
        as_bytes = sum(1 for part in saved.parts.values() if part.member)
        data["compiled"] = {
            "written_by": saved.written_by,
            "backends": saved.backends,
            "as_bytes": as_bytes,
            "as_layers": len(saved.parts) - as_bytes,
        }
    if measured is not None:
        data["memory"] = measured.to_json()
    if all_layers:
        data["layers"] = [_describe(layer) for layer in working]
    if weights:
        data["weights"] = [_describe(layer) for layer in constants]
    is_free = any(not info.is_static for info in network.inputs.values())
    hint = shape_hint(network.inputs) if is_free else ""

    def render(renderer: Renderer) -> None:
        _render(renderer, data, hint, network.stages)
        if measured is not None:
            head, *rows = measured.rows()
            renderer.line()
            renderer.table([Column(name, right=name in ("size", "shared")) for name in head], rows)
            for line in measured.notes():
                renderer.line(line)

    session.answer(data, render)


def _measure(session: Session, given: ModelArguments) -> NetworkMemory:
    """Load the model, run it once, and return its memory."""
    growth = Growth()
    with prepared(session, given, (), seed=0) as ready:
        gc.collect()  # trials for other sizes, which nothing holds any more
        growth.end()
        ready.run()
        return memory_of(ready.network, growth)


def _stage(called: str, stage: Stage, inputs: Mapping[str, TensorInfo]) -> dict[str, Any]:
    parts = {"": stage.network, **stage.bodies}
    return {
        "stage": called,
        "what": describe_stage(stage),
        "name": stage.name,
        "operator": stage.operator,
        "networks": [
            {
                "name": name,
                "layer_count": count_layers(part),
                "free_dimensions": part.is_dynamic,
                "stages": len(part.stages),
            }
            for name, part in parts.items()
            if part is not None
        ],
        "inputs": [_tensor(name, info) for name, info in inputs.items()],
        "outputs": [_tensor(name, info) for name, info in stage.outputs.items()],
    }


def _tensor(name: str, info: TensorInfo) -> dict[str, Any]:
    return (
        {"name": name, "dtype": info.data_type.shown, "shape": list(info.shape)}
        | ({"dimension_names": list(info.dimension_names)} if info.dimension_names else {})
        | _quantization(info)
    )


def _quantization(info: TensorInfo) -> dict[str, Any]:
    given = info.quantization
    if given is None:
        return {}
    return {
        "quantization": {
            "scales": list(given.scales),
            "zero_points": list(given.zero_points),
            "axis": given.axis,
        }
    }


def _scale_of(tensor: Mapping[str, Any]) -> str:
    """Return scale and zero point as a cell of a table."""
    given = tensor.get("quantization")
    if given is None:
        return ""
    if given["axis"] is not None:
        return f"{len(given['scales'])} along axis {given['axis']}"
    return f"{given['scales'][0]:g}, {given['zero_points'][0]}"


def multiply_adds(layer: Layer) -> int | None:
    """Return the multiply-adds of a layer's matrix work; None if free or compiled, so not known."""
    label = layer.shown_type.label
    if label == "PreCompiled":
        return None
    if label in ("Convolution2d", "DepthwiseConvolution2d", "FullyConnected"):
        output, weights = layer.outputs[0].info, layer.inputs[1]
        if weights is None or not (output.is_static and weights.info.is_static):
            return None
        shape = weights.info.shape
        if label == "DepthwiseConvolution2d":  # [1, H, W, I*M]: H*W products an output element
            return output.element_count * math.prod(d or 0 for d in shape[1:3])
        if label == "FullyConnected":
            return math.prod(d or 0 for d in shape) * math.prod(d or 0 for d in output.shape[:-1])
        return output.element_count * math.prod(d or 0 for d in shape[1:])
    if label == "TransposeConvolution2d":
        source, weights = layer.inputs[0], layer.inputs[1]
        if source is None or weights is None or not source.info.is_static:
            return None
        nhwc = getattr(layer.descriptor, "data_layout", 0) == DataLayout.NHWC
        channels = weights.info.shape[-1 if nhwc else 1] or 1
        return source.info.element_count * weights.info.element_count // channels
    if label == "BatchMatMul":
        left = layer.inputs[0]
        if left is None or not (left.info.is_static and layer.outputs[0].info.is_static):
            return None
        transposed = getattr(layer.descriptor, "transpose_x", False) or getattr(
            layer.descriptor, "adjoint_x", False
        )
        return layer.outputs[0].info.element_count * (
            left.info.shape[-2 if transposed else -1] or 0
        )
    return 0


def _describe(layer: Layer) -> dict[str, Any]:
    return {
        "name": layer.name,
        "type": layer.shown_type.label,
        "outputs": [
            {"dtype": slot.info.data_type.shown, "shape": list(slot.info.shape)}
            for slot in layer.outputs
        ],
    }


def _shape_of(tensor: Mapping[str, Any]) -> str:
    return format_shape(tensor["shape"], tensor.get("dimension_names", ()))


def _about(metadata: Mapping[str, Any]) -> list[str]:
    """Return the metadata of a model, without the empty fields."""
    opsets = ", ".join(f"{domain} {version}" for domain, version in metadata["opsets"].items())
    origin = " ".join(filter(None, (metadata["producer"], metadata["producer_version"])))
    found = {
        metadata["format"]: f"version {metadata['format_version']}"
        + (f", operator sets {opsets}" if opsets else ""),
        "Producer": origin,
        "Domain": metadata["domain"],
        "Version": str(metadata["version"] or ""),
        "Description": metadata["description"],
        "Graph": metadata["graph_name"],
        "About the graph": metadata["graph_description"],
        **{f"Property {shortened(printable(k), 40)}": v for k, v in metadata["properties"].items()},
    }
    return [
        f"{what}: {shortened(printable(text), 80)}" for what, text in found.items() if what and text
    ]


def _about_compiled(data: Mapping[str, Any]) -> str:
    backends = ", ".join(
        " ".join(filter(None, (name, about["vendor_version"])))
        for name, about in data["backends"].items()
    )
    return (
        f"Compiled for {printable(backends)} by armnn_py {printable(data['written_by'])}; "
        f"sub-graphs: {data['as_bytes']} as bytes, {data['as_layers']} as layers"
    )


def _render_stages(renderer: Renderer, stages: list[dict[str, Any]]) -> None:
    def shown(tensors: list[dict[str, Any]]) -> str:
        return ", ".join(f"{tensor['name']} {_shape_of(tensor)}" for tensor in tensors)

    renderer.table(
        [Column("stage", whole=True), Column("what"), Column("inputs"), Column("outputs")],
        [
            [stage["stage"], stage["what"], shown(stage["inputs"]), shown(stage["outputs"])]
            for stage in stages
        ],
    )


def _render(renderer: Renderer, data: dict[str, Any], hint: str, stages: Sequence[Stage]) -> None:
    is_quantized = any("quantization" in tensor for tensor in data["tensors"])
    renderer.table(
        [
            Column(""),
            Column("name"),
            Column("dtype"),
            Column("shape", whole=True),
            *([Column("scale, zero point", whole=True)] if is_quantized else []),
        ],
        [
            [
                t["kind"],
                t["name"],
                t["dtype"],
                format_shape(t["shape"], t.get("dimension_names", ())),
                *([_scale_of(t)] if is_quantized else []),
            ]
            for t in data["tensors"]
        ],
    )
    for line in _about(data["metadata"]):
        renderer.line(line)
    for key in ("layers", "weights"):
        if key in data:
            renderer.line()
            renderer.table(
                [Column("layer" if key == "layers" else "constant"), Column("type"),
                 Column("dtype"), Column("shape", whole=True)],
                [
                    [layer["name"], layer["type"], ", ".join(o["dtype"] for o in layer["outputs"]),
                     ", ".join(format_shape(o["shape"]) for o in layer["outputs"])]
                    for layer in data[key]
                ],
            )  # fmt: skip
    if data["free_dimensions"]:
        if stages:
            renderer.line(
                f"Runs in {counted(len(stages), 'stage')}, because {why_stages(stages)}; layers of "
                "later ones depend on each run"
            )
            renderer.line()
            _render_stages(renderer, data["stages"])
        elif hint:
            renderer.line(f"Layers depend on the free dimensions; {hint}")
        else:
            renderer.line("Layers depend on the values of inputs, which each run gives")
        return
    if "compiled" in data:
        renderer.line(_about_compiled(data["compiled"]))
    kinds = [f"{count} {kind}" for kind, count in data["layer_types"].items()]
    more = ", ... (--layers lists all)" if len(kinds) > 3 and "layers" not in data else ""
    shown = kinds if "layers" in data else kinds[:3]
    renderer.line(f"{counted(data['layer_count'], 'layer')}: {', '.join(shown)}{more}")
    if data["multiply_adds"] is not None:
        renderer.line(
            f"Weights {format_bytes(data['weight_bytes'])}; "
            f"{format_count(data['multiply_adds'])} multiply-adds"
        )
    if data["assumed_shapes"]:
        renderer.line(assumption(data["assumed_shapes"]))
