# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py run``: one inference, or the same one several times."""

from __future__ import annotations

import logging
import math
import re
import time
from pathlib import Path
from typing import Any

import click
import numpy as np
from msgspec import structs

from armnn_py.cli.app import Session, with_session
from armnn_py.cli.help import Command
from armnn_py.cli.inputs import inputs as files
from armnn_py.cli.inputs.number_files import read_labels
from armnn_py.cli.inputs.pictures import MAX_SIDE, read_notes
from armnn_py.cli.model_arguments import (
    ModelArguments,
    bounds_option,
    input_option,
    model_arguments,
    run_option,
)
from armnn_py.cli.networks import assumption
from armnn_py.cli.prepared import Prepared, prepared
from armnn_py.cli.render import Column, Renderer, format_duration, format_shape, shortened
from armnn_py.tensors import QuantizationInfo
from armnn_py.text import counted, printable

_log = logging.getLogger("armnn_py.cli")
_MOST_VALUES = 16
_LONGEST = 100
"""Characters of a string that are shown."""
_MAX_FLOAT32 = float(np.finfo(np.float32).max)


def _numbers(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> tuple[float, ...] | None:
    if value is None:
        return None
    try:
        numbers = tuple(float(part) for part in value.split(","))
    except ValueError:
        raise click.BadParameter(
            f"'{shortened(value, 60)}' is not a list of numbers like 104,117,123"
        ) from None
    for number in numbers:
        if not abs(number) <= _MAX_FLOAT32:  # not a number at all is out of range, too
            raise click.BadParameter(f"{number} is not in the range of float32")
    return numbers


def _size(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Any:
    if value is None:
        return None
    match = re.fullmatch(r"([0-9]{1,9})[x,]([0-9]{1,9})", value)
    if match is None:
        raise click.BadParameter(f"'{shortened(value, 60)}' is not HEIGHTxWIDTH like 480x640")
    height, width = int(match[1]), int(match[2])
    if not (0 < height <= MAX_SIDE and 0 < width <= MAX_SIDE):
        raise click.BadParameter(f"'{value}' is not from 1x1 to {MAX_SIDE}x{MAX_SIDE}")
    return height, width


@click.command(cls=Command)
@input_option(
    "A .npy, .npz, .raw or .txt file or a picture; NAME= may be left out for a single input."
)
@click.option(
    "--random",
    "seed",
    type=files.SEED,
    metavar="SEED",
    help="Random values for the inputs that no file is given for.",
)
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write each output to this folder as a .npy file.",
)
@click.option(
    "--dump",
    "dump",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the tensor behind each layer to this folder as a .npy file: nothing is simplified "
    "or compiled then.",
)
@click.option(
    "--quantize",
    is_flag=True,
    help="Files and random values of quantised inputs are real numbers, and so are the outputs.",
)
@click.option(
    "--labels",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Names of the classes, one a line, for the best of a row of numbers; default: those in a "
    "TensorFlow Lite model.",
)
@model_arguments
@click.option(
    "--iterations",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="How many times to run on these inputs; variables of the network stay from run to run.",
)
@click.option(
    "--record",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the calls of isolated backends to FILE, for 'armnn-py backends replay'; "
    "third-party backends are isolated for it.",
)
@run_option
@bounds_option
@click.option(
    "--mean",
    callback=_numbers,
    metavar="NUMBER[,...]",
    help="Pictures: subtracted from each pixel, one number or one a channel; default: as a "
    "TensorFlow Lite model of floats says, else 0.",
)
@click.option(
    "--scale",
    callback=_numbers,
    metavar="NUMBER[,...]",
    help="Pictures: each pixel less the mean is multiplied by this; default: as a TensorFlow Lite "
    "model of floats says, else 1.",
)
@click.option(
    "--layout",
    type=click.Choice(["auto", "nchw", "nhwc"]),
    default="auto",
    show_default=True,
    help="Pictures: which dimension the channels are.",
)
@click.option(
    "--channel-order",
    type=click.Choice(["rgb", "bgr"]),
    default="rgb",
    show_default=True,
    help="Pictures: order of the channels.",
)
@click.option(
    "--resize",
    type=click.Choice(["stretch", "fit", "none"]),
    default="stretch",
    show_default=True,
    help="Pictures: how they get the input's size.",
)
@click.option(
    "--size",
    callback=_size,
    metavar="HEIGHTxWIDTH",
    help="Pictures: size for an input whose own is free; default: the picture's.",
)
@with_session
def run(
    session: Session,
    *,
    given: ModelArguments,
    arguments: tuple[str, ...],
    seed: int | None,
    folder: Path | None,
    dump: Path | None,
    quantize: bool,
    labels: Path | None,
    iterations: int,
    record: str | None,
    run_options: tuple[str, ...],
    bounds: tuple[str, ...],
    mean: tuple[float, ...] | None,
    scale: tuple[float, ...] | None,
    layout: str,
    channel_order: str,
    resize: str,
    size: tuple[int, int] | None,
) -> None:
    """Run MODEL once on the given inputs and show its outputs."""
    session.record = record
    notes = read_notes(Path(given.model))
    options = files.ImageOptions(
        mean=mean or (0.0,),
        scale=scale or (1.0,),
        layout=layout,
        channel_order=channel_order,
        resize=resize,
        size=size,
        normalization=(notes.mean, notes.std) if notes.mean and not (mean or scale) else None,
    )
    names = list(notes.labels) or None if labels is None else read_labels(labels)
    tensors: dict[str, np.ndarray[Any, Any]] = {}
    with prepared(
        session,
        given if dump is None else structs.replace(given, shows_tensors=True),
        arguments,
        seed=seed,
        options=options,
        run_options=run_options,
        bounds=bounds,
        quantize=quantize,
    ) as ready:
        if dump is not None:
            ready.network.register_debug_callback(
                lambda layer, index, array: tensors.update(
                    {f"{layer}_{index}" if index else layer: array}
                )
            )
        outputs, times = _repeated(session, given.name, ready, iterations)
        counts = ready.network.assignment.counts
        quantizations = {name: info.quantization for name, info in ready.network.outputs.items()}
        if quantize:
            outputs = {
                name: info.dequantize(outputs[name]) if info.quantization else outputs[name]
                for name, info in ready.network.outputs.items()
            }
            quantizations = dict.fromkeys(outputs)
    saved = files.save_outputs(outputs, folder) if folder is not None else {}
    dumped = files.save_outputs(tensors, dump) if dump is not None else {}
    rows = [
        _describe(name, array, saved, names, quantizations[name]) for name, array in outputs.items()
    ]
    if labels is not None:
        _check_labels(labels, names or [], rows)
    data = {
        "model": given.model,
        "assumed_shapes": ready.assumed,
        "iterations": iterations,
        "load_seconds": ready.load_seconds,
        "seconds": times,
        "backends": counts,
        "outputs": rows,
        "tensors": {name: str(path) for name, path in dumped.items()},
        "recording": ready.runtime.recording,
    }
    session.answer(data, lambda renderer: _render(renderer, data))


def _repeated(
    session: Session, name: str, ready: Prepared, iterations: int
) -> tuple[dict[str, np.ndarray[Any, Any]], list[float]]:
    """Run the network; return the outputs of the last run, and the seconds of each."""
    times: list[float] = []
    with session.progress(f"running {name}", iterations) as bar:
        for _ in range(iterations):
            start = time.perf_counter()
            outputs = ready.run()
            times.append(time.perf_counter() - start)
            bar.to(len(times))
    return outputs, times


def _check_labels(path: Path, labels: list[str], rows: list[dict[str, Any]]) -> None:
    """Warn if no output has one number for each label."""
    if any("label" in top for row in rows for top in row["top"] or ()):
        return
    sizes = ", ".join(f"'{printable(row['name'])}' has {math.prod(row['shape'])}" for row in rows)
    _log.warning(
        "labels '%s': %s found, but no output has as many numbers in a row: %s",
        path, counted(len(labels), "name"), sizes,
    )  # fmt: skip


def _describe(
    name: str,
    array: np.ndarray[Any, Any],
    saved: dict[str, Path],
    labels: list[str] | None,
    quantization: QuantizationInfo | None,
) -> dict[str, Any]:
    is_text = array.dtype == np.dtype(object)
    values = array.astype(np.float64) if array.size and not is_text else None
    return {
        "name": name,
        "dtype": "string" if is_text else str(array.dtype),
        "shape": list(array.shape),
        "min": float(values.min()) if values is not None else None,
        "mean": float(values.mean()) if values is not None else None,
        "max": float(values.max()) if values is not None else None,
        "values": array.ravel().tolist() if 0 < array.size <= _MOST_VALUES else None,
        "real_values": quantization.dequantize(array).ravel().tolist()
        if quantization is not None and 0 < array.size <= _MOST_VALUES
        else None,
        "top": None if is_text else _top(array, labels, quantization),
        "file": str(saved[name]) if name in saved else None,
    }


def _top(
    array: np.ndarray[Any, Any],
    labels: list[str] | None = None,
    quantization: QuantizationInfo | None = None,
) -> list[dict[str, Any]] | None:
    """Return the largest of a row of numbers, best first, as of a classifier's classes.

    Of quantised ones ``real`` is what they stand for.
    """
    is_short = array.size <= _MOST_VALUES and (labels is None or len(labels) != array.size)
    if is_short or array.size == 0 or array.ndim == 0 or array.shape[-1] != array.size:
        return None
    row = array.ravel()
    # Numbers without sign have no negatives to sort: the last five, with ties turned round.
    best = row.size - 1 - row[::-1].argsort(kind="stable")[:-6:-1]
    found: list[dict[str, Any]] = [{"index": int(i), "value": row[i].item()} for i in best]
    for one in found:
        if quantization is not None and quantization.axis is None:
            one["real"] = quantization.scale * (one["value"] - quantization.zero_point)
        if labels is not None and len(labels) == row.size:
            one["label"] = labels[one["index"]]
    return found


def _shown(value: float | str) -> str:
    """Return a number, or a string in quotes, on one line and without control characters."""
    if isinstance(value, str):
        return f"'{printable(shortened(value, _LONGEST))}'"
    return f"{value:.4g}"


def _render(renderer: Renderer, data: dict[str, Any]) -> None:
    def number(value: float | None) -> str:
        return "-" if value is None else f"{value:.4g}"

    renderer.table(
        [
            Column("output"),
            Column("dtype"),
            Column("shape", whole=True),
            Column("min", right=True),
            Column("mean", right=True),
            Column("max", right=True),
        ],
        [
            [
                row["name"],
                row["dtype"],
                format_shape(row["shape"]),
                number(row["min"]),
                number(row["mean"]),
                number(row["max"]),
            ]
            for row in data["outputs"]
        ],
    )
    for row in data["outputs"]:
        if row["values"] is not None and not any("label" in top for top in row["top"] or ()):
            renderer.line(f"{printable(row['name'])}: {' '.join(map(_shown, row['values']))}")
            if row["real_values"] is not None:
                real = " ".join(map(_shown, row["real_values"]))
                renderer.line(f"{printable(row['name'])}, as real numbers: {real}")
        elif row["top"] is not None:
            best = ", ".join(
                f"[{top['index']}] {top['label'] + ' ' if 'label' in top else ''}"
                f"{top.get('real', top['value']):.4g}"
                + (f" ({top['value']})" if "real" in top else "")
                for top in row["top"]
            )
            renderer.line(f"{printable(row['name'])}: top 5 are {best}")
    times = sorted(data["seconds"])
    runs = counted(len(times), "run")
    what = "in" if len(times) == 1 else "with a median of"
    backends = " and ".join(
        f"{backend} ({counted(count, 'layer')})" for backend, count in data["backends"].items()
    )
    saved = ", ".join(row["file"] for row in data["outputs"] if row["file"])
    renderer.line(
        f"{runs} {what} {format_duration(times[len(times) // 2])} on {backends or 'no backend'}, "
        f"loaded in {format_duration(data['load_seconds'])}" + (f"; saved {saved}" if saved else "")
    )
    if data["tensors"]:
        folder = Path(next(iter(data["tensors"].values()))).parent
        renderer.line(f"{counted(len(data['tensors']), 'tensor')} written to {folder}")
    if data["recording"]:
        renderer.line(f"calls of isolated backends recorded in {data['recording']}")
    if data["assumed_shapes"]:
        renderer.line(assumption(data["assumed_shapes"]))
