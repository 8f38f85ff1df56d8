# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shared by ``graph``, ``report`` and ``explore``: the drawing of a model, with times of a run."""

from __future__ import annotations

import dataclasses
import logging
from typing import TYPE_CHECKING

import armnn_py
from armnn_py.cli.app import Session
from armnn_py.cli.inputs.inputs import made_inputs
from armnn_py.cli.model_arguments import ModelArguments, PlacedModel
from armnn_py.errors import ArmnnError
from armnn_py.network.saved_files import is_saved_network
from armnn_py.pictures import RunKernel, drawing_of

if TYPE_CHECKING:
    from armnn_py import Profile
    from armnn_py.pictures import Drawing

__all__ = ["draw"]

_log = logging.getLogger("armnn_py.cli")
_COMPILED = "PreCompiled"
_WARM_UP, _RUNS = 3, 20


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
