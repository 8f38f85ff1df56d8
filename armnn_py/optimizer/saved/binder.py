# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A saved network gets its backends as a graph: whatever is not compiled, or not taken as saved."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from armnn_py._native.growth import why_not_shown
from armnn_py._native.table.blob import IncompatibleBlobError
from armnn_py.backends.questions.layer_support import LayerSupport
from armnn_py.errors import BackendError, BackendNotFoundError
from armnn_py.network import NetworkStorage
from armnn_py.optimizer.assignment.asking import node_signature
from armnn_py.optimizer.connect_backends import connect_backends
from armnn_py.optimizer.graph import Graph
from armnn_py.optimizer.placing.placed_network import PlacedNetwork
from armnn_py.optimizer.reports.report import Assignment
from armnn_py.optimizer.reports.report_layer import LayerAssignment
from armnn_py.optimizer.saved.rebuild import expand, rebuild, restore_origins, warn_of_changes
from armnn_py.optimizer.saved.recompile import compile_again
from armnn_py.optimizer.saved.reports import merged
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from armnn_py._native.table.blob import NativeBlob
    from armnn_py.backends import ModelOptions
    from armnn_py.backends.backend import Backend
    from armnn_py.backends.registry import BackendRegistry
    from armnn_py.network import Layer
    from armnn_py.optimizer.graph import Node
    from armnn_py.optimizer.options import OptimizerOptions
    from armnn_py.optimizer.run_passes import PassRecord
    from armnn_py.optimizer.saved.contents import CompiledPart, SavedNetwork
    from armnn_py.optimizer.saved.rebuild import Rebuilt
    from armnn_py.optimizer.subgraphs.compiled_source import CompiledSource
    from armnn_py.optimizer.subgraphs.source_network import SavedSource, SourceNetwork


class Binder:
    """The steps for one network.

    Parameters
    ----------
    saved
        The network.
    backends
        All that are loaded.
    options, model_options
        Those of the network.
    missing
        By id: the errors for backends that are not there.
    answers
        By guid: what backends made of the bytes of compiled layers, of those that were asked.
    """

    def __init__(
        self,
        saved: SavedNetwork,
        backends: BackendRegistry,
        options: OptimizerOptions,
        model_options: ModelOptions,
        missing: Mapping[str, BackendNotFoundError],
        answers: dict[int, NativeBlob | BackendError],
    ) -> None:
        self._saved = saved
        self._backends = backends
        self._missing = missing
        self.refused: dict[Node, BackendError | BackendNotFoundError] = {}
        self._compiled_again: dict[str, str] = {}
        self._rebuilt: Rebuilt | None = None
        self._options = options
        self._model_options = model_options
        self._answers = answers
        self.graph = Graph.from_network(saved.contents) if saved.graph is None else saved.graph
        self._layer_of: dict[Node, Layer] = dict(
            zip(self.graph.nodes, saved.contents.layers, strict=True)
        )

    def placed(self) -> PlacedNetwork:
        """The network with its backends."""
        saved = self._saved
        for node, layer in self._layer_of.items():
            node.backend = saved.layer_backends[layer.guid]
            node.is_replacement = layer.guid in saved.replacements
            self.graph.restore_guid(node, saved.public_guids[layer.guid])
        self.refused.update(self._ask(self._layer_of))
        for node, layer in self._layer_of.items():
            if layer.guid in saved.parts:
                part = saved.parts[layer.guid]
                try:
                    if node not in self.refused:
                        node.blob = self._blob(layer, part)
                except BackendError as error:
                    # Without the frames that it came through, which hold blobs.
                    error.__context__ = None
                    self.refused[node] = error.with_traceback(None)
                if node in self.refused and part.source is None:
                    raise self.refused[node]
        if self.refused:
            self._rebuild()
        elif self._compiled_again:
            warn_of_changes(saved.contents.name, self._compiled_again, {})
        memory = connect_backends(self.graph, self._backends, imports=self._options.import_memory)
        network = NetworkStorage(self.graph.name)
        layer_of = self.graph.write_to(network)
        network.metadata = saved.contents.metadata
        old = {node: layer.guid for node, layer in self._layer_of.items() if node in self.graph}
        rebuilt = self._rebuilt
        backends: list[str | None] = [None] * len(network.layers)
        for node, layer in layer_of.items():
            backends[layer.guid] = node.backend
        return PlacedNetwork(
            network,
            tuple(backends),
            self._assignment(old),
            {layer.guid: node.blob for node, layer in layer_of.items() if node.blob is not None},
            {(layer_of[v.node].guid, v.index): name for v, name in memory.items()},
            saved.reports.passes if rebuilt is None else self._passes(rebuilt),
            self._model_options,
            {layer.guid: self._origins(node, old) for node, layer in layer_of.items()},
            tuple(self.graph.guids.of(node) for node in layer_of),
            {
                layer.guid: source
                for node, layer in layer_of.items()
                if (source := self._source(node, old)) is not None
            },
            frozenset(layer.guid for node, layer in layer_of.items() if node.is_replacement),
        )

    def _source(self, node: Node, old: Mapping[Node, int]) -> CompiledSource | SavedSource | None:
        """The layers that a compiled layer was made from, in the file or just now."""
        part = self._saved.parts.get(old.get(node, -1))
        return node.source if part is None else part.source

    def _rebuild(self) -> None:
        """Optimise anew what is refused: each compiled layer from the layers inside of it."""
        # late: it needs the whole optimiser, which other files do without

        saved = self._saved
        restore_origins(
            {node: saved.origins[layer.guid] for node, layer in self._layer_of.items()},
            saved.reports.assignment(),
        )
        todo: dict[Node, dict[str, str]] = {}
        anew: dict[str, str] = {}
        for node, error in self.refused.items():
            reason = "; ".join((error.message, *error.details[:1]))
            anew[node.name] = error.message if isinstance(error, BackendNotFoundError) else reason
            part = saved.parts.get(self._layer_of[node].guid)
            if part is None:
                todo[node] = {node.backend or "": error.message}
            else:
                assert part.source is not None
                todo.update(
                    (inner, {}) for inner in expand(self.graph, node, part.source.as_network())
                )
        candidates = [self._backends[name] for name in saved.backends if name in self._backends]
        names = self._backends.by_preference
        candidates += [self._backends[name] for name in names if name not in saved.backends]
        self._rebuilt = rebuild(self.graph, todo, candidates, self._backends, self._model_options)
        warn_of_changes(saved.contents.name, self._compiled_again, anew)

    # ---- Layers ------------------------------------------------------------------------------

    def _ask(self, nodes: Iterable[Node]) -> dict[Node, BackendError | BackendNotFoundError]:
        """Ask each backend whether it takes its layers; returns why not, of those refused.

        Its version may have changed, or it may be missing.
        """
        refused: dict[Node, BackendError | BackendNotFoundError] = {}
        by_backend: dict[str, list[Node]] = {}
        for node in nodes:
            if node.backend is None:
                continue
            if node.backend in self._missing:
                refused[node] = self._missing[node.backend]
                continue
            backend = self._backends[node.backend]
            reason = why_not_shown(backend.api, node.type, node.descriptor, node.infos)
            if reason:
                refused[node] = self._refusal(node, reason)
            elif node.type is LayerType.PRE_COMPILED or node.is_replacement:
                # A layer that a backend made is a question for its compiler alone.
                if not backend.api.optimize_subgraph_view and not backend.api.deserialize_blob:
                    refused[node] = self._refusal(node, "it compiles nothing")
            else:
                by_backend.setdefault(node.backend, []).append(node)
        if not by_backend:
            return refused
        # late: in many files every layer is compiled

        for backend_id, own in by_backend.items():
            backend = self._backends[backend_id]
            with LayerSupport(backend, self._model_options.of(backend)) as support:
                answers = support.ask_many([node_signature(node) for node in own])
            for node, answer in zip(own, answers, strict=True):
                if not answer:
                    refused[node] = self._refusal(node, answer.reason)
        return refused

    def _refusal(self, node: Node, reason: str) -> BackendError:
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
                blob = self._compile(backend, layer, part.source.as_network())
                self._compiled_again[layer.name] = error.message
                return blob
        if part.source is None:
            raise self._saved.archive.damaged(f"layer '{layer.name}' has nothing inside")
        return self._compile(backend, layer, part.source.as_network())

    def _from_bytes(self, backend: Backend, layer: Layer, part: CompiledPart) -> NativeBlob:
        answer = self._answers.pop(layer.guid, None)
        if answer is None:
            return part.blob(self._saved.archive, backend, layer)
        if isinstance(answer, BackendError):
            raise answer
        return answer

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
        for error in self._ask(nodes).values():
            raise error

        return compile_again(
            graph,
            nodes,
            source.border,
            layer,
            backend,
            self._model_options.of(backend),
            self._versions(backend.id),
        )

    # ---- Reports -----------------------------------------------------------------------------

    def _passes(self, rebuilt: Rebuilt) -> Callable[[], tuple[PassRecord, ...]]:
        passes = (*self._saved.reports.passes(), *rebuilt.records)
        return lambda: passes

    def _is_inserted(self, node: Node) -> bool:
        """Whether it came with what was optimised anew, and stands for no layer of the user's."""
        rebuilt = self._rebuilt
        return (
            rebuilt is not None
            and not node.is_host
            and not node.origins
            and node not in rebuilt.kept
        )

    def _origins(self, node: Node, old: Mapping[Node, int]) -> tuple[int, ...]:
        """The guids of the user's layers that a node stands for."""
        if self._rebuilt is None:
            return self._saved.origins[old[node]] if node in old else ()
        return tuple(origin.guid for origin in node.origins)

    def _assignment(self, old: Mapping[Node, int]) -> Callable[[], Assignment]:
        """The saved report, with the copies and imports that were inserted now."""
        used = {node.backend for node in self.graph.nodes if node.backend is not None}
        files = {name: self._backends[name].file for name in used}
        before: dict[int, list[LayerAssignment]] = {}
        waiting: list[LayerAssignment] = []
        for node in self.graph.nodes:
            if FACTS[node.type].moves_memory or self._is_inserted(node):
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
            elif origins := self._origins(node, old):
                first = min(origins)
                before.setdefault(first, []).extend(waiting)
                waiting = []
        saved, rebuilt = self._saved.reports, self._rebuilt
        if rebuilt is not None:
            rows = [rebuilt.row(row) for row in saved.assignment()]
            assignment = Assignment(merged(rows, before, waiting, files))
            return lambda: assignment
        return functools.cache(
            lambda: Assignment(merged(saved.assignment(), before, waiting, files))
        )
