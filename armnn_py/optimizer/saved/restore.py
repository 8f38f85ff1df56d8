# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A saved network gets its backends: they are asked again, and blobs are made again."""

from __future__ import annotations

import dataclasses
import logging
import os
from typing import TYPE_CHECKING

from armnn_py._native.blob import IncompatibleBlobError, deserialize_blob
from armnn_py._native.growth import why_not_shown
from armnn_py._native.optimization_sink import optimize_subgraph
from armnn_py.backends import ModelOptions
from armnn_py.backends.layer_support import LayerSupport
from armnn_py.errors import BackendError, InvalidArgumentError
from armnn_py.garbage import without_collections
from armnn_py.optimizer.asking import node_signature
from armnn_py.optimizer.check_answer import find_fault
from armnn_py.optimizer.compiled_source import compiled_blob
from armnn_py.optimizer.connect_backends import connect_backends
from armnn_py.optimizer.graph import Graph
from armnn_py.optimizer.host import Host
from armnn_py.optimizer.optimize_subgraphs import subgraph_data
from armnn_py.optimizer.options import OptimizerOptions
from armnn_py.optimizer.placed_network import PlacedNetwork
from armnn_py.optimizer.report import Assignment
from armnn_py.optimizer.report_layer import LayerAssignment
from armnn_py.optimizer.saved.read import read_network
from armnn_py.optimizer.subgraph_selection import SubgraphView
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from armnn_py._native.blob import NativeBlob
    from armnn_py.backends.backend import Backend
    from armnn_py.network import Layer
    from armnn_py.optimizer.compiled_source import SourceNetwork
    from armnn_py.optimizer.graph import Node
    from armnn_py.optimizer.saved.read import CompiledPart, SavedNetwork

__all__ = ["load_network"]

_log = logging.getLogger("armnn_py.optimizer")


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
        return bind_network(saved, runtime)


def bind_network(
    saved: SavedNetwork, runtime: Host
) -> tuple[PlacedNetwork, list[Backend], OptimizerOptions]:
    """Give a network that was read its backends.

    Raises
    ------
    BackendNotFoundError, BackendError
        See `OptimizedNetwork.load`.
    """
    options = OptimizerOptions(
        model_options=saved.model_options,
        import_memory=saved.options.get("import_memory", True),
        debug=saved.options.get("debug", False),
        reduce_fp32_to_fp16=saved.options.get("reduce_fp32_to_fp16", False),
    )
    for backend_id in saved.backends:
        if backend_id not in runtime.backends:
            raise runtime.backends.not_found(
                backend_id, asked_by=f"the saved network '{saved.network.name}'"
            )
    binder = _Binder(saved, runtime.backends, options)
    try:
        placed = binder.placed()
    finally:
        binder.graph.drop_blobs()
    backends = [runtime.backends[name] for name in saved.backends]
    return placed, backends, options


class _Binder:
    """The steps for one network."""

    def __init__(
        self, saved: SavedNetwork, backends: Mapping[str, Backend], options: OptimizerOptions
    ) -> None:
        self._saved = saved
        self._backends = backends
        self._options = options
        self._model_options = ModelOptions(options.model_options, backends)
        self.graph = saved.graph
        self._layer_of: dict[Node, Layer] = dict(
            zip(self.graph.nodes, saved.network.layers, strict=True)
        )

    def placed(self) -> PlacedNetwork:
        """The network with its backends."""
        saved = self._saved
        for node, layer in self._layer_of.items():
            node.backend = saved.layer_backends[layer.guid]
            node.is_replacement = layer.guid in saved.replacements
            self.graph.restore_guid(node, saved.public_guids[layer.guid])
        self._ask(self._layer_of)
        for node, layer in self._layer_of.items():
            if layer.guid in saved.parts:
                node.blob = self._blob(layer, saved.parts[layer.guid])
        memory = connect_backends(self.graph, self._backends, imports=self._options.import_memory)
        network, layer_of = self.graph.to_network()
        network.metadata = saved.network.metadata
        old = {node: layer.guid for node, layer in self._layer_of.items()}
        backends: list[str | None] = [None] * len(network.layers)
        for node, layer in layer_of.items():
            backends[layer.guid] = node.backend
        return PlacedNetwork(
            network,
            tuple(backends),
            Assignment(self._records(old)),
            {layer.guid: node.blob for node, layer in layer_of.items() if node.blob is not None},
            {(layer_of[v.node].guid, v.index): name for v, name in memory.items()},
            saved.passes,
            self._model_options,
            {
                layer.guid: saved.origins[old[node]] if node in old else ()
                for node, layer in layer_of.items()
            },
            tuple(self.graph.public_guid(node) for node in layer_of),
            {
                layer.guid: part.source
                for node, layer in layer_of.items()
                if (part := saved.parts.get(old.get(node, -1))) and part.source is not None
            },
            frozenset(layer.guid for node, layer in layer_of.items() if node.is_replacement),
        )

    # ---- Layers ------------------------------------------------------------------------------

    def _ask(self, nodes: Iterable[Node]) -> None:
        """Ask each backend whether it takes its layers, of which its version may have changed."""
        by_backend: dict[str, list[Node]] = {}
        for node in nodes:
            if node.backend is None:
                continue
            backend = self._backends[node.backend]
            reason = why_not_shown(backend.api, node.type, node.descriptor, node.infos)
            if reason:
                raise self._refused(node, reason)
            if node.type is LayerType.PRE_COMPILED or node.is_replacement:
                # A layer that a backend made is a question for its compiler alone.
                if not backend.api.optimize_subgraph_view and not backend.api.deserialize_blob:
                    raise self._refused(node, "it compiles nothing")
                continue
            by_backend.setdefault(node.backend, []).append(node)
        for backend_id, own in by_backend.items():
            backend = self._backends[backend_id]
            with LayerSupport(backend, self._model_options.of(backend)) as support:
                answers = support.ask_many([node_signature(node) for node in own])
            for node, answer in zip(own, answers, strict=True):
                if not answer:
                    raise self._refused(node, answer.reason)

    def _refused(self, node: Node, reason: str) -> BackendError:
        return BackendError(
            f"backend '{node.backend}' does not take layer '{node.name}' "
            f"({node.shown_type.label}) of the saved network: {reason or 'no reason given'}",
            details=self._versions(node.backend or ""),
            hints=["optimize() the model anew and save it again"],
        )

    def _versions(self, backend_id: str) -> list[str]:
        before = self._saved.backends[backend_id].get("vendor_version")
        now = self._backends[backend_id].vendor_version
        if before == now:
            return []
        return [f"saved with version {str(before)[:80]} of the backend, this is {now}"]

    # ---- Compiled sub-graphs -----------------------------------------------------------------

    def _blob(self, layer: Layer, part: CompiledPart) -> NativeBlob:
        backend = self._backends[self._saved.layer_backends[layer.guid] or ""]
        if part.member:
            try:
                return self._from_bytes(backend, layer, part)
            except IncompatibleBlobError as error:
                if part.source is None:
                    raise IncompatibleBlobError(
                        error.message,
                        details=[*error.details, *self._versions(backend.id)],
                        hints=[
                            "optimize() the model anew and save it again; "
                            "save(keep_subgraphs=True) lets a backend compile again by itself"
                        ],
                    ) from error
                _log.warning("%s: it is compiled again", error.message)
        assert part.source is not None
        return self._compile(backend, layer, part.source)

    def _from_bytes(self, backend: Backend, layer: Layer, part: CompiledPart) -> NativeBlob:
        import hashlib  # late: most files have no bytes to sum

        data = self._saved.archive.read_aligned(part.member)
        if hashlib.sha256(data.data).hexdigest() != part.sha256:
            raise self._saved.archive.damaged(f"member '{part.member}' has another sum")
        if not backend.api.deserialize_blob:
            raise IncompatibleBlobError(
                f"backend '{backend.id}' reads no compiled sub-graphs, as '{layer.name}' is"
            )
        with backend.in_use():
            return deserialize_blob(
                backend.id,
                backend.api,
                backend.instance,
                data,
                part.compatibility,
                layer.name,
                retain=backend.retain,
                release=backend.release,
            )

    def _compile(self, backend: Backend, layer: Layer, source: SourceNetwork) -> NativeBlob:
        if not backend.api.optimize_subgraph_view:
            raise IncompatibleBlobError(
                f"backend '{backend.id}' compiles nothing, and layer '{layer.name}' is a compiled "
                "sub-graph"
            )
        graph = Graph.from_network(source.network)
        nodes = []
        for node, guid in zip(graph.nodes, source.guids, strict=True):
            if not FACTS[node.type].host:
                node.backend = backend.id
                graph.restore_guid(node, guid)
                nodes.append(node)
        self._ask(nodes)
        view = SubgraphView(
            tuple(nodes),
            tuple(node.output for node in graph.nodes if node.type is LayerType.INPUT),
            tuple(
                value
                for node in graph.nodes
                if node.type is LayerType.OUTPUT
                for value in node.inputs
                if value is not None
            ),
        )
        data = subgraph_data(graph, view)
        with backend.in_use():
            answer = optimize_subgraph(
                data,
                backend.id,
                backend.api,
                backend.instance,
                self._model_options.of(backend),
                retain=backend.retain,
                release=backend.release,
            )
        fault = find_fault(data, answer)
        if fault is not None:
            raise BackendError(
                f"backend '{backend.id}' does not compile the sub-graph of layer '{layer.name}' "
                f"again: {fault}",
                details=self._versions(backend.id),
                hints=["optimize() the model anew and save it again"],
            )
        return compiled_blob(answer, data, source.border, layer, backend.id)

    # ---- Reports -----------------------------------------------------------------------------

    def _records(self, old: Mapping[Node, int]) -> Sequence[LayerAssignment]:
        """The saved report, with the copies and imports that were inserted now."""
        files = {name: self._backends[name].file for name in self._saved.backends}
        before: dict[int, list[LayerAssignment]] = {}
        waiting: list[LayerAssignment] = []
        for node in self.graph.nodes:
            if FACTS[node.type].moves_memory:
                backend, kind = node.backend or "", node.shown_type.label
                file = files.get(backend)
                waiting.append(
                    LayerAssignment(
                        None,
                        node.name,
                        kind,
                        backend,
                        file,
                        inserted=True,
                        run_by=node.name,
                        run_as=kind,
                    )
                )
            elif node in old and self._saved.origins[old[node]]:
                first = min(self._saved.origins[old[node]])
                before.setdefault(first, []).extend(waiting)
                waiting = []
        records: list[LayerAssignment] = []
        for saved in self._saved.assignment:
            if saved.guid is not None:
                records += before.pop(saved.guid, [])
            records.append(dataclasses.replace(saved, file=files.get(saved.backend)))
        for left in before.values():
            records += left
        return records + waiting
