# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The contents of a saved network: its layers, and the sources of compiled ones."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from armnn_py._native.table.blob import IncompatibleBlobError, deserialize_blob
from armnn_py.network import NetworkStorage, as_network
from armnn_py.optimizer.saved.reports import SavedReports

if TYPE_CHECKING:
    from armnn_py._native.table.blob import NativeBlob
    from armnn_py.backends.backend import Backend
    from armnn_py.network import Layer, ModelMetadata, Network
    from armnn_py.optimizer.graph import Graph
    from armnn_py.optimizer.host import Host
    from armnn_py.optimizer.options import OptimizerOptions
    from armnn_py.optimizer.placing.placed_network import PlacedNetwork
    from armnn_py.optimizer.saved.archive import Archive
    from armnn_py.optimizer.subgraphs.source_network import SavedSource


class CompiledPart(Struct, frozen=True):
    """The source of a compiled layer.

    Attributes
    ----------
    member
        The member of the file that has its bytes; empty: none.
    sha256, compatibility
        Sum of the bytes, and what the blob said of itself.
    source
        The layers that were compiled, or None.
    """

    member: str
    sha256: str
    compatibility: bytes
    source: SavedSource | None

    def blob(self, archive: Archive, backend: Backend, layer: Layer) -> NativeBlob:
        """Let a backend read its bytes of a compiled layer.

        Raises
        ------
        ParseError
            They have another sum.
        BackendError
            The backend does not take them, or fails.
        """
        in_place = backend.reads_blobs_in_place
        data = archive.view_aligned(self.member) if in_place else archive.read_aligned(self.member)
        if not archive.is_checked and hashlib.sha256(data.data).hexdigest() != self.sha256:
            raise archive.damaged(f"member '{self.member}' has another sum")
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
                self.compatibility,
                layer.name,
                retain=backend.retain,
                release=backend.release,
            )
        if in_place:
            blob.keep(data)
        return blob


class Savable(Protocol):
    """An `OptimizedNetwork`, whose module imports this one."""

    runtime: Host
    options: OptimizerOptions

    @property
    def contents(self) -> NetworkStorage:
        """The layers or stages that are run."""

    @property
    def given(self) -> Network:
        """The network that was optimised."""

    @property
    def metadata(self) -> ModelMetadata:
        """Metadata of the model file."""

    @property
    def placed(self) -> PlacedNetwork:
        """The network with the backend of each layer."""

    def like_this(self, network: Network) -> Savable:
        """Optimise a network of a stage."""


class SavedStages(Struct, frozen=True):
    """The contents of a file whose network runs in stages.

    Attributes
    ----------
    archive, written_by
        As of a `SavedNetwork`.
    contents
        The network, with its stages.
    members
        The networks without stages that these are made of, or that their functions run.
    """

    archive: Archive
    written_by: str
    contents: NetworkStorage
    members: tuple[SavedNetwork, ...]

    @property
    def network(self) -> Network:
        """The network, for display."""
        return as_network(self.contents)

    @property
    def backends(self) -> dict[str, dict[str, str | None]]:
        """By id: the versions of the backends that it was saved with."""
        return {name: about for one in self.members for name, about in one.backends.items()}

    @property
    def parts(self) -> dict[tuple[int, int], CompiledPart]:
        """By number of the network and guid: the sources of compiled layers."""
        numbered = enumerate(self.members)
        return {(n, guid): part for n, one in numbered for guid, part in one.parts.items()}


class SavedNetwork(Struct, frozen=True):
    """The contents of a file.

    Attributes
    ----------
    archive
        The file, for the bytes of compiled sub-graphs.
    written_by
        The version of armnn_py that wrote it.
    contents
        The layers, without copies between memories.
    graph
        They as a graph, which is for one use; None if all of them are compiled.
    layer_backends, public_guids, origins
        By guid, as in `PlacedNetwork`.
    replacements
        Guids of the layers that backends made to replace others.
    parts
        By guid: what compiled layers are made from.
    backends
        By id: the versions of the backends that it was saved with.
    model_options, options
        Options of the model, and those of `OptimizerOptions` that matter later.
    reports_text
        What `reports` is read from.
    """

    archive: Archive
    written_by: str
    contents: NetworkStorage
    graph: Graph | None
    layer_backends: tuple[str | None, ...]
    public_guids: tuple[int, ...]
    origins: tuple[tuple[int, ...], ...]
    replacements: frozenset[int]
    parts: dict[int, CompiledPart]
    backends: dict[str, dict[str, str | None]]
    model_options: dict[str, dict[str, Any]]
    options: dict[str, bool]
    reports_text: bytes

    @property
    def reports(self) -> SavedReports:
        """The report on each layer, and the changes of passes."""
        return SavedReports(self.archive.path, self.reports_text)

    @property
    def network(self) -> Network:
        """The layers as a network, for display."""
        return as_network(self.contents)
