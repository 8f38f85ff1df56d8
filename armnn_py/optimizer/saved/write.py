# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From an optimised network, or one as it is, to a file."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, cast

from armnn_py._version import __version__
from armnn_py.backends.options.model_options import ModelOptions
from armnn_py.errors import BackendError, InvalidArgumentError
from armnn_py.network import AssignLayer, ConstantLayer, VariableLayer
from armnn_py.optimizer.options import OptimizerOptions
from armnn_py.optimizer.placing.placed_network import PlacedNetwork
from armnn_py.optimizer.saved.archive import (
    BLOBS,
    CONSTANTS,
    REPORTS,
    SOURCES,
    write_archive,
)
from armnn_py.optimizer.saved.descriptor_values import descriptor_to_json
from armnn_py.optimizer.saved.safetensors import tensors_to_chunks
from armnn_py.optimizer.saved.values import (
    FORMAT,
    FORMAT_VERSION,
    info_to_json,
    metadata_to_json,
)
from armnn_py.tensors.equal_arrays import EqualArrays
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.backends.backend import Backend
    from armnn_py.descriptors import AttributeTensor
    from armnn_py.network import NetworkStorage, OutputSlot
    from armnn_py.optimizer.reports.report import Assignment
    from armnn_py.optimizer.saved.contents import Savable
    from armnn_py.tensors import TensorInfo


def save_network(
    optimized: Savable,
    path: str | os.PathLike[str],
    *,
    keep_subgraphs: bool | None,
    mode: int = 0o666,
) -> None:
    """Write a network; see `OptimizedNetwork.save`, and `write_archive` for ``mode``."""
    try:
        target = os.fsdecode(path)
    except TypeError:
        raise InvalidArgumentError(
            f"save: {type(path).__name__} given, the path of a file expected"
        ) from None

    def members_of(one: Savable) -> dict[str, tuple[Any, ...]]:
        writer = _Writer(one.placed, one.runtime.backends, keep_subgraphs)
        return writer.members(one.options)

    if optimized.contents.stages:
        from armnn_py.optimizer.saved.staged import members_in_stages  # few networks have stages

        members = members_in_stages(optimized, members_of)
    else:
        members = members_of(optimized)
    _write(target, members, mode)


def _write(target: str, members: Mapping[str, tuple[Any, ...]], mode: int) -> None:
    try:
        write_archive(target, members, mode=mode)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        first = error.__context__
        if first is not None and not isinstance(first, OSError | ValueError):
            raise first from None  # of a signal's handler; zipfile then fails to close the file
        why = getattr(error, "strerror", None) or str(error)
        raise InvalidArgumentError(f"the network cannot be saved to '{target}': {why}") from error


class _Writer:
    """Collects the members of one file."""

    def __init__(
        self, placed: PlacedNetwork, backends: Mapping[str, Backend], keep_subgraphs: bool | None
    ) -> None:
        self._placed = placed
        self._backends = backends
        self._keep_subgraphs = keep_subgraphs
        self._constants: dict[int, tuple[int, NDArray[Any]]] = {}  # by id of the array, kept
        self._arrays: list[NDArray[Any]] = []  # of unlike content
        self._equal: EqualArrays[int] = EqualArrays()
        self._infos: dict[str, int] = {}
        self._info_list: list[dict[str, Any]] = []
        self._blobs: list[NDArray[np.uint8]] = []
        self._sources: list[dict[str, Any]] = []

    def members(self, options: OptimizerOptions) -> dict[str, tuple[Any, ...]]:
        """The members by name."""
        placed = self._placed
        used = dict.fromkeys(name for name in placed.layer_backends if name is not None)
        document = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "written_by": __version__,
            "name": placed.network.name,
            "metadata": metadata_to_json(placed.network.metadata),
            "backends": {name: self._about(self._backends[name]) for name in used},
            "model_options": self._model_options(),
            "options": {
                "import_memory": options.import_memory,
                "debug": options.debug,
                "reduce_fp32_to_fp16": options.reduce_fp32_to_fp16,
            },
            "layers": self._main_layers(),
        }
        document["infos"] = self._info_list
        reports = {
            "assignment": [
                {key: value for key, value in record.to_json().items() if key != "file"}
                for record in placed.assignment
                if not (record.inserted and record.type in _MOVES)
            ],
            "passes": [record.to_json() for record in placed.passes],
        }
        members: dict[str, tuple[Any, ...]] = {
            "network.json": (_text_of(document),),
            REPORTS: (_text_of(reports),),
        }
        for index, source in enumerate(self._sources):
            members[f"{SOURCES}{index}.json"] = (_text_of(source),)
        if self._arrays:  # a network that is compiled as a whole may have none
            members[CONSTANTS] = tensors_to_chunks(self._arrays)
        for index, blob in enumerate(self._blobs):
            members[f"{BLOBS}{index}.bin"] = (blob.data,)
        return members

    @staticmethod
    def _about(backend: Backend) -> dict[str, Any]:
        return {"api": str(backend.version), "vendor_version": backend.vendor_version}

    def _model_options(self) -> dict[str, dict[str, OptionValue]]:
        given = self._placed.model_options.given
        for backend_id, values in given.items():
            for option in self._backends[backend_id].describe_options():
                if option.scope == "model" and option.secret and option.name in values:
                    raise InvalidArgumentError(
                        f"model option '{option.name}' of backend '{backend_id}' is secret, "
                        "and everybody could read it in the file",
                        hints=["optimize() without it"],
                    )
        return given

    # ---- Layers ------------------------------------------------------------------------------

    def _main_layers(self) -> list[dict[str, Any]]:
        """All layers but copies and imports, which are inserted anew when the file is loaded."""
        placed = self._placed
        number_of: dict[int, int] = {}
        source_of: dict[OutputSlot, OutputSlot] = {}
        layers: list[dict[str, Any]] = []
        for layer in placed.network.layers:
            inputs = [None if slot is None else source_of.get(slot, slot) for slot in layer.inputs]
            if FACTS[layer.type].moves_memory:
                (source,) = inputs
                assert source is not None
                source_of[layer.outputs[0]] = source
                continue
            number_of[layer.guid] = len(layers)
            document = self._layer(layer, inputs, number_of)
            document["guid"] = placed.public_guids[layer.guid]
            document["origins"] = list(placed.origins[layer.guid])
            if placed.layer_backends[layer.guid] is not None:
                document["backend"] = placed.layer_backends[layer.guid]
            if layer.backend_hint is not None:
                document["hint"] = layer.backend_hint
            if layer.guid in placed.replacements:
                document["replacement"] = True
            if layer.type is LayerType.PRE_COMPILED:
                document["compiled"] = self._compiled(layer.guid, layer.name)
            layers.append(document)
        return layers

    def _layer(
        self, layer: Any, inputs: list[OutputSlot | None], number_of: Mapping[int, int]
    ) -> dict[str, Any]:
        document: dict[str, Any] = {
            "name": layer.name,
            "type": layer.type.name,
            "inputs": [
                None if slot is None else [number_of[slot.layer.guid], slot.index]
                for slot in inputs
            ],
            "outputs": [self._info(slot.info) for slot in layer.outputs],
        }
        if layer.descriptor is not None:
            document["descriptor"] = descriptor_to_json(layer.descriptor, self._tensor)
        if isinstance(layer, ConstantLayer):
            document["constant"] = self._constant(layer.value)
        elif isinstance(layer, VariableLayer):
            document["initial"] = self._constant(layer.initial)
        elif isinstance(layer, AssignLayer):
            document["variable"] = number_of[layer.variable.guid]
        elif layer.type is LayerType.INPUT and layer.name in self._placed.network.metadata.defaults:
            default = self._placed.network.metadata.defaults[layer.name]
            document["default"] = self._constant(default)
        return document

    def _info(self, info: TensorInfo) -> int:
        document = info_to_json(info)
        key = json.dumps(document)
        if key not in self._infos:
            self._infos[key] = len(self._info_list)
            self._info_list.append(document)
        return self._infos[key]

    def _tensor(self, tensor: AttributeTensor) -> list[int]:
        return [self._info(tensor.info), self._constant(tensor.array)]

    def _constant(self, value: NDArray[Any]) -> int:
        known = self._constants.get(id(value))
        if known is not None:
            return known[0]
        number = next(self._equal.alike(value, None), len(self._arrays))
        if number == len(self._arrays):
            self._arrays.append(value)
            self._equal.add(value, None, number)
        self._constants[id(value)] = (number, value)
        return number

    # ---- Compiled layers ---------------------------------------------------------------------

    def _compiled(self, guid: int, name: str) -> dict[str, Any]:
        """The source of a compiled layer: bytes of its backend, layers, or both."""
        placed = self._placed
        backend = self._backends[placed.layer_backends[guid] or ""]
        blob, source = placed.blobs.get(guid), placed.sources.get(guid)
        keeps = self._keep_subgraphs
        if keeps is None:
            keeps = backend.reads_blobs_in_place
        document: dict[str, Any] = {}
        if blob is not None and blob.is_serializable and backend.api.deserialize_blob:
            with backend.in_use():
                data = blob.to_bytes(backend.id, name)
            document["compatibility"] = base64.b64encode(blob.compatibility).decode()
            document["bytes"] = len(self._blobs)
            document["sha256"] = hashlib.sha256(data.data).hexdigest()
            self._blobs.append(data)
            if not keeps:
                return document
        if source is None and (not document or self._keep_subgraphs):
            raise BackendError(
                f"layer '{name}' cannot be saved: the layers that it was compiled from are not "
                "known, and its backend writes no bytes",
                details=[
                    f"backend '{backend.id}' replaced them by several layers, or the network was "
                    "loaded from a file without them"
                ],
                hints=["save the result of optimize()"],
            )
        if source is not None:
            made = source.as_network(name)
            number_of = {layer.guid: layer.guid for layer in made.network.layers}
            document["source"] = len(self._sources)
            source_document = {
                "layers": [
                    {**self._layer(layer, list(layer.inputs), number_of), "guid": public}
                    for layer, public in zip(made.network.layers, made.guids, strict=True)
                ],
                "inputs": list(made.border.inputs),
                "outputs": list(made.border.outputs),
            }
            self._sources.append(source_document)
        return document


_MOVES = {kind.label for kind in LayerType if FACTS[kind].moves_memory}


def _text_of(document: dict[str, Any]) -> bytes:
    return json.dumps(document, allow_nan=False, separators=(",", ":")).encode()


class _About:
    """A backend as the file names it."""

    def __init__(self, version: str, vendor_version: str) -> None:
        self.version, self.vendor_version = version, vendor_version


def save_plain(
    network: NetworkStorage, backend_id: str, version: str, vendor_version: str, path: str
) -> None:
    """Write a network without optimising it or asking its backend.

    Raises
    ------
    InvalidArgumentError
        The file cannot be written.
    """
    backends = tuple(
        None if FACTS[layer.type].host or layer.type is LayerType.CONSTANT else backend_id
        for layer in network.layers
    )
    placed = PlacedNetwork(
        network=network,
        layer_backends=backends,
        read_assignment=lambda: cast("Assignment", ()),
        blobs={},
        memory={},
        read_passes=tuple,
        model_options=ModelOptions(None, {}),
        origins={layer.guid: () for layer in network.layers},
        public_guids=tuple(layer.guid for layer in network.layers),
        sources={},
        replacements=frozenset(),
    )
    about: dict[str, Any] = {backend_id: _About(version, vendor_version)}
    _write(path, _Writer(placed, about, None).members(OptimizerOptions()), 0o600)
