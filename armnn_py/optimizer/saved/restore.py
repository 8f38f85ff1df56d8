# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A saved network gets its backends: they are asked again, and blobs are made again."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

from armnn_py._native.growth import why_not_shown
from armnn_py.backends import ModelOptions
from armnn_py.errors import (
    BackendError,
    InvalidArgumentError,
    NoBackendForLayerError,
)
from armnn_py.garbage import without_collections
from armnn_py.optimizer.host import Host
from armnn_py.optimizer.options import OptimizerOptions
from armnn_py.optimizer.placing.placed_network import PlacedNetwork
from armnn_py.optimizer.reports.report import Assignment
from armnn_py.optimizer.saved.binder import Binder
from armnn_py.optimizer.saved.contents import SavedNetwork, SavedStages
from armnn_py.optimizer.saved.read import read_network
from armnn_py.optimizer.saved.reports import SavedReports, merged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from armnn_py._native.table.blob import NativeBlob
    from armnn_py.backends.backend import Backend
    from armnn_py.network import NetworkStorage
    from armnn_py.optimizer.run_passes import PassRecord


def load_network(
    path: str | os.PathLike[str], runtime: Host, *, in_place: bool = True
) -> tuple[SavedPlace, list[Backend], OptimizerOptions]:
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
        members = saved.members if isinstance(saved, SavedStages) else (saved,)
        bound = [(one, *_bind_network(one, runtime)) for one in members]
        saved.archive.mark()  # all sums were right
    backends = {backend.id: backend for _, _, used, _ in bound for backend in used}
    options = bound[0][3] if bound else OptimizerOptions()
    if isinstance(saved, SavedStages):
        contents = {id(one.contents): placed for one, placed, _, _ in bound}
        return SavedPlace(saved.contents, contents), [*backends.values()], options
    placed = bound[0][1]
    return SavedPlace(placed.network, {id(placed.network): placed}), [*backends.values()], options


class SavedPlace:
    """Answers `OptimizedNetwork` which backends a network of the file has, or one of its stages.

    Parameters
    ----------
    network
        The whole network, which keeps those of its stages.
    placed
        By id of a network without stages: the same with its backends.
    """

    def __init__(self, network: NetworkStorage, placed: Mapping[int, PlacedNetwork]) -> None:
        self.network = network
        self._placed = placed

    def __call__(self, network: NetworkStorage, *_: bool) -> PlacedNetwork:
        """Return a network of the file with its backends."""
        return self._placed[id(network)]


def _bind_network(
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
        placed = _place_compiled(saved, runtime.backends, model_options, answers)
    if placed is None:
        binder = Binder(saved, runtime.backends, options, model_options, missing, answers)
        try:
            placed = binder.placed()
        except NoBackendForLayerError as error:
            raise next(iter((*missing.values(), *binder.refused.values())), error) from error
        finally:
            binder.graph.drop_contents()
            answers.clear()
    used = dict.fromkeys(name for name in placed.layer_backends if name is not None)
    names = [*(name for name in saved.backends if name not in missing), *used]
    return placed, [runtime.backends[name] for name in dict.fromkeys(names)], options


def _place_compiled(
    saved: SavedNetwork,
    backends: Mapping[str, Backend],
    model_options: ModelOptions,
    answers: dict[int, NativeBlob | BackendError],
) -> PlacedNetwork | None:
    """Give a network of compiled layers its backends, if these take it as it was saved.

    Parameters
    ----------
    saved
        Without a graph.
    backends
        All that are loaded, by id.
    model_options
        Options of the model.
    answers
        Gets by guid what backends made of their bytes, so that they are not asked again.

    Returns
    -------
    PlacedNetwork or None
        None if a backend is missing, does not take a layer, or has memory of its own.
    """
    contents = saved.contents
    used = dict.fromkeys(name for name in saved.layer_backends if name is not None)
    if any(name not in backends or backends[name].may_have_memory for name in used):
        return None
    for guid, part in saved.parts.items():
        layer = contents.layers[guid]
        backend = backends[saved.layer_backends[guid] or ""]
        infos = [slot.info for slot in (*layer.inputs, *layer.outputs) if slot is not None]
        if not part.member or why_not_shown(backend.api, layer.type, None, infos):
            return None
        try:
            answers[guid] = part.blob(saved.archive, backend, layer)
        except BackendError as error:
            # Without the frames that it came through, which hold blobs.
            error.__context__ = None
            answers[guid] = error.with_traceback(None)
            return None
    files = {name: backends[name].file for name in used}
    path, text = saved.archive.path, saved.reports_text
    guids = range(len(contents.layers))
    return PlacedNetwork(
        contents,
        saved.layer_backends,
        functools.cache(lambda: _assignment(path, text, files)),
        {guid: one for guid, one in answers.items() if not isinstance(one, BackendError)},
        {},
        functools.cache(lambda: _passes(path, text)),
        model_options,
        {guid: saved.origins[guid] for guid in guids},
        saved.public_guids,
        {guid: part.source for guid, part in saved.parts.items() if part.source is not None},
        saved.replacements,
    )


def _assignment(path: str, text: bytes, files: Mapping[str, str | None]) -> Assignment:
    """The saved report with the files of the backends."""
    return Assignment(merged(SavedReports(path, text).assignment(), {}, (), files))


def _passes(path: str, text: bytes) -> tuple[PassRecord, ...]:
    return SavedReports(path, text).passes()
