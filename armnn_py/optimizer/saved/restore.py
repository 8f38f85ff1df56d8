# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A saved network gets its backends: they are asked again, and blobs are made again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from armnn_py.backends import ModelOptions
from armnn_py.errors import (
    BackendError,
    InvalidArgumentError,
    NoBackendForLayerError,
)
from armnn_py.garbage import without_collections
from armnn_py.optimizer.host import Host
from armnn_py.optimizer.options import OptimizerOptions
from armnn_py.optimizer.placed_network import PlacedNetwork
from armnn_py.optimizer.saved.compiled import place_compiled
from armnn_py.optimizer.saved.read import read_network

if TYPE_CHECKING:
    from armnn_py._native.blob import NativeBlob
    from armnn_py.backends.backend import Backend
    from armnn_py.optimizer.saved.read import SavedNetwork

__all__ = ["load_network"]


def load_network(
    path: str | os.PathLike[str], runtime: Host, *, in_place: bool = True
) -> tuple[PlacedNetwork, list[Backend], OptimizerOptions]:
    """Read a saved network; see `OptimizedNetwork.load`."""
    if not isinstance(runtime, Host):
        raise InvalidArgumentError(
            f"load: {type(runtime).__name__} given as runtime, Runtime expected",
            hints=["with armnn_py.Runtime() as runtime: ..."],
        )
    runtime.check_open()
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise InvalidArgumentError(
            f"load: {type(path).__name__} given, the path of a file expected"
        ) from None
    with without_collections():
        saved = read_network(name, in_place=in_place)
        bound = bind_network(saved, runtime)
        saved.archive.mark()  # all sums were right
        return bound


def bind_network(
    saved: SavedNetwork, runtime: Host
) -> tuple[PlacedNetwork, list[Backend], OptimizerOptions]:
    """Give a network that was read its backends.

    Raises
    ------
    BackendNotFoundError, BackendError
        See `OptimizedNetwork.load`.
    """
    missing = {
        name: runtime.backends.not_found(
            name, asked_by=f"the saved network '{saved.contents.name}'"
        )
        for name in saved.backends
        if name not in runtime.backends
    }
    options = OptimizerOptions(
        model_options={k: v for k, v in saved.model_options.items() if k not in missing},
        import_memory=saved.options.get("import_memory", True),
        debug=saved.options.get("debug", False),
        reduce_fp32_to_fp16=saved.options.get("reduce_fp32_to_fp16", False),
    )
    model_options = ModelOptions(options.model_options, runtime.backends)
    answers: dict[int, NativeBlob | BackendError] = {}
    placed = None
    if saved.graph is None:
        placed = place_compiled(saved, runtime.backends, model_options, answers)
    if placed is None:
        from armnn_py.optimizer.saved.binder import Binder  # late: a graph's modules

        binder = Binder(saved, runtime.backends, options, model_options, missing, answers)
        try:
            placed = binder.placed()
        except NoBackendForLayerError as error:
            raise next(iter((*missing.values(), *binder.refused.values())), error) from error
        finally:
            binder.graph.drop_blobs()
            answers.clear()
    used = dict.fromkeys(name for name in placed.layer_backends if name is not None)
    names = [*(name for name in saved.backends if name not in missing), *used]
    return placed, [runtime.backends[name] for name in dict.fromkeys(names)], options
