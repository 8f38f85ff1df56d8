# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shared by ``graph``, ``report`` and ``explore``: the drawing of a model, with times of a run."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click
from msgspec import Struct, field

import armnn_py
from armnn_py.cli.app import Session
from armnn_py.cli.inputs.inputs import made_inputs
from armnn_py.cli.model_arguments import ModelArguments, PlacedModel, reference_option
from armnn_py.errors import ArmnnError
from armnn_py.network.saved_files import is_saved_network
from armnn_py.pictures import RunKernel, drawing_of

if TYPE_CHECKING:
    from armnn_py import Comparison, NetworkMemory, Profile
    from armnn_py.comparing.layers import LayerDifference
    from armnn_py.pictures import Drawing

R = TypeVar("R")

_log = logging.getLogger("armnn_py.cli")
_COMPILED = "PreCompiled"
_WARM_UP, _RUNS = 3, 20


class Examined(Struct, frozen=True):
    """What is known of a model after it ran here.

    Attributes
    ----------
    drawing
        Its kernels, with times.
    memory
        By holder; None if the model did not run.
    backends
        Ids and versions of its backends.
    comparison
        The errors beside a reference; None without one.
    errors
        The errors of boxes, by their id.
    """

    drawing: Drawing
    memory: NetworkMemory | None
    backends: tuple[str, ...]
    comparison: Comparison | None = None
    errors: dict[int, LayerDifference] = field(default_factory=dict)


def examine(
    session: Session, given: ModelArguments, reference: str | None, *, runs: bool
) -> Examined:
    """Place the model, run it on random values, and compare it with a reference if one is named."""
    from armnn_py.comparing.compare import compare_sides, is_file
    from armnn_py.comparing.sides import BackendSide, read_arrays

    also = [] if reference is None or is_file(reference) else [reference]
    with given.optimized(session, also) as placed:
        drawing = draw(session, given, placed, timed=runs, may_run=runs)
        optimized = placed.optimized
        versions = tuple(f"{one.id} {one.version}" for one in optimized.backends)
        memory = None
        if runs:
            with placed.runtime.load_network(optimized) as loaded:
                loaded.run(made_inputs(placed.source.inputs, seed=0))
                memory = loaded.memory
        if reference is None:
            return Examined(drawing, memory, versions)
        subject = BackendSide(
            placed.source, given.listed, placed.runtime, given.options(placed.runtime)
        )
        arrays = made_inputs(placed.source.inputs, seed=0)
        if is_file(reference):
            kept = read_arrays(reference)
            arrays |= {name: array for name, array in kept.items() if name in arrays}
        with session.progress(f"comparing {given.name}"):
            found = compare_sides(subject, reference, [arrays], given.model, layers=True)
    return Examined(drawing, memory, versions, found, _errors_of(drawing, found))


def _errors_of(drawing: Drawing, found: Comparison) -> dict[int, LayerDifference]:
    """Return the worst error among the layers of each box; a layer's own row beats a group's."""
    large_first = sorted(found.layers, key=lambda row: -len(row.group.layers))
    rows = {layer.name: row for row in large_first for layer in row.group.layers}
    errors = {}
    for box in drawing.boxes:
        own = [rows[name] for name in box.layers if name in rows]
        if own and box.kind == "layer":
            errors[box.id] = max(own, key=lambda row: (row.own.beyond, row.own.relative))
    return errors


def draw(
    session: Session, given: ModelArguments, placed: PlacedModel, *, timed: bool, may_run: bool
) -> Drawing:
    """Return the drawing; optimises again without compiling, and runs, to see compiled layers."""
    optimized = placed.optimized
    is_compiled = any(layer.type.label == _COMPILED for layer in optimized.network.layers)
    inside = None
    if is_compiled and not is_saved_network(given.model):  # of which the layers are not at hand
        with session.progress(f"looking into {given.name}"):
            options = dataclasses.replace(optimized.options, compile_parts=False)
            ids = [backend.id for backend in optimized.backends]
            again = armnn_py.optimize(placed.source, ids, runtime=placed.runtime, options=options)
            inside = again.placed
    recorded = None
    if timed:
        recorded = _run(session, given, placed, _WARM_UP, _RUNS)
    elif is_compiled and may_run:
        try:
            recorded = _run(session, given, placed, 0, 1)
        except (ArmnnError, MemoryError) as error:
            _log.warning("fused layers are not known, since the network cannot run: %s", error)
    if recorded is None:
        return drawing_of(optimized.placed, inside)
    runs = recorded.runs or 1
    kernels = [
        RunKernel(layer.layer, layer.guids, layer.total_ns * 1e-9 / runs)
        for layer in recorded.layers
    ]
    seconds = recorded.run_ns * 1e-9 / runs if timed else None
    return drawing_of(optimized.placed, inside, kernels=kernels, run_seconds=seconds)


def _run(
    session: Session, given: ModelArguments, placed: PlacedModel, warm_up: int, runs: int
) -> Profile:
    arrays = made_inputs(placed.source.inputs, seed=0)
    with session.progress(f"loading {given.name}"):
        loaded = placed.runtime.load_network(placed.optimized)
    with loaded, session.progress(f"running {given.name}", warm_up + runs) as bar:
        for number in range(warm_up):
            loaded.run(arrays)
            bar.to(number + 1)
        with loaded.profile() as recorded:
            for number in range(runs):
                loaded.run(arrays)
                bar.to(warm_up + number + 1)
    return recorded


def examined_options(function: Callable[..., R]) -> Callable[..., R]:
    """Add the options of commands that show an examined model: ``reference`` and ``no_run``."""
    reference = reference_option(help="Compare with it, as 'armnn-py compare --layers' does.")
    no_run = click.option("--no-run", is_flag=True, help="Do not run MODEL: without times.")
    return reference(no_run(function))
