# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Saved networks whose layers are all compiled: they are checked and placed without a graph.

Most files are such, as CpuAcc compiles whatever it takes. What they do without, graphs, rules of
shapes and all other parameters, takes longer to import than the rest of a load.
"""

from __future__ import annotations

import functools
from collections import Counter
from typing import TYPE_CHECKING, Any

from armnn_py._native.blob import IncompatibleBlobError, deserialize_blob
from armnn_py._native.growth import why_not_shown
from armnn_py.descriptors.compiled import PreCompiledDescriptor
from armnn_py.errors import BackendError
from armnn_py.network import AssignLayer, VariableLayer
from armnn_py.optimizer.connect_backends import has_memory
from armnn_py.optimizer.placed_network import PlacedNetwork
from armnn_py.optimizer.saved.blobs import reads_in_place
from armnn_py.optimizer.saved.values import DamageError, member, number
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from armnn_py._native.blob import NativeBlob
    from armnn_py.backends import ModelOptions
    from armnn_py.backends.backend import Backend
    from armnn_py.network import Layer, NetworkStorage
    from armnn_py.optimizer.pass_record import PassRecord
    from armnn_py.optimizer.report import Assignment
    from armnn_py.optimizer.saved.archive import Archive
    from armnn_py.optimizer.saved.read import CompiledPart, SavedNetwork

__all__ = [
    "COMPILED_TYPES",
    "blob_from_bytes",
    "compiled_descriptor",
    "find_compiled_problem",
    "place_compiled",
]

#: The types of layers of such networks.
COMPILED_TYPES = frozenset(
    (LayerType.INPUT, LayerType.CONSTANT, LayerType.OUTPUT, LayerType.PRE_COMPILED)
)

_MOST_SLOTS = 1 << 32


# ---- Checks --------------------------------------------------------------------------------------


def compiled_descriptor(kind: LayerType, given: Any) -> PreCompiledDescriptor | None:
    """Return the descriptor of a layer of one of these types."""
    if (given is None) != (kind is not LayerType.PRE_COMPILED):
        raise DamageError(f"layer type {kind.label}: its descriptor is missing or too much")
    if given is None:
        return None
    if not isinstance(given, dict) or not given.keys() <= {"input_count", "output_count"}:
        raise DamageError(f"the descriptor of a layer of type {kind.label} is another one")
    return PreCompiledDescriptor(
        **{name: number(member(given, name, int), _MOST_SLOTS) for name in given}
    )


def find_compiled_problem(network: NetworkStorage) -> str:
    """What is wrong with a network of these types alone, which was read; empty if nothing is.

    The reader has looked at names, at the numbers of what the host's layers read and make, at
    values, and that layers read what comes before them.
    """
    if not network.output_layers and not network.assign_layers:
        return "the graph has no outputs"
    for kind, what in ((LayerType.INPUT, "input"), (LayerType.OUTPUT, "output")):
        names = Counter(
            layer.name
            for layer in network.layers
            if layer.type is kind and not isinstance(layer, VariableLayer | AssignLayer)
        )
        for name, count in names.items():
            if count > 1:
                return f"{count} {what}s are called '{name}'"
    for layer in network.layers:
        problem = _problem_of(layer)
        if problem:
            return f"layer '{layer.name}' ({layer.type.label}) {problem}"
    return ""


def _problem_of(layer: Layer) -> str:
    descriptor = layer.descriptor
    if isinstance(descriptor, PreCompiledDescriptor):
        for given, expected, what in (
            (layer.inputs, descriptor.input_count, "inputs"),
            (layer.outputs, descriptor.output_count, "outputs"),
        ):
            if len(given) != expected:
                return f"has {len(given)} {what}, {expected} expected by the descriptor"
    if None in layer.inputs:
        return f"has no input {layer.inputs.index(None)}"
    if isinstance(layer, AssignLayer) and layer.inputs[0] is not None:
        info, initial = layer.inputs[0].info, layer.variable.initial
        if info.shape != initial.shape or info.dtype != initial.dtype:
            return f"does not fit variable '{layer.variable.name}'"
    return ""


# ---- Placing -------------------------------------------------------------------------------------


def blob_from_bytes(
    archive: Archive, backend: Backend, layer: Layer, part: CompiledPart
) -> NativeBlob:
    """Let a backend read its bytes of a compiled layer.

    Raises
    ------
    ParseError
        They have another sum.
    BackendError
        The backend does not take them, or fails.
    """
    in_place = reads_in_place(backend)
    data = archive.view_aligned(part.member) if in_place else archive.read_aligned(part.member)
    if not archive.is_checked:
        import hashlib  # late: most files have no bytes to sum

        if hashlib.sha256(data.data).hexdigest() != part.sha256:
            raise archive.damaged(f"member '{part.member}' has another sum")
    if not backend.api.deserialize_blob:
        raise IncompatibleBlobError(
            f"backend '{backend.id}' reads no compiled sub-graphs, as '{layer.name}' is"
        )
    with backend.in_use():
        blob = deserialize_blob(
            backend.id,
            backend.api,
            backend.instance,
            data,
            part.compatibility,
            layer.name,
            retain=backend.retain,
            release=backend.release,
        )
    if in_place:
        blob.keep(data)
    return blob


def place_compiled(
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
        Gets by guid what backends made of their bytes, so that nobody asks them again.

    Returns
    -------
    PlacedNetwork or None
        None if a backend is missing, does not take a layer, or has memory of its own.
    """
    contents = saved.contents
    used = dict.fromkeys(name for name in saved.layer_backends if name is not None)
    if any(name not in backends or has_memory(backends[name]) for name in used):
        return None
    for guid, part in saved.parts.items():
        layer = contents.layers[guid]
        backend = backends[saved.layer_backends[guid] or ""]
        infos = [slot.info for slot in (*layer.inputs, *layer.outputs) if slot is not None]
        if not part.member or why_not_shown(backend.api, layer.type, layer.descriptor, infos):
            return None
        try:
            answers[guid] = blob_from_bytes(saved.archive, backend, layer, part)
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
    from armnn_py.optimizer.report import Assignment  # late: what is run needs none
    from armnn_py.optimizer.saved.reports import SavedReports, merged

    return Assignment(merged(SavedReports(path, text).assignment(), {}, (), files))


def _passes(path: str, text: bytes) -> tuple[PassRecord, ...]:
    from armnn_py.optimizer.saved.reports import SavedReports  # late, too

    return SavedReports(path, text).passes()
