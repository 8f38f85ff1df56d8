# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Questions to the backends of one model about the nodes of a graph."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from armnn_py.backends.questions.layer_support import LayerSignature, LayerSupport, Support
from armnn_py.descriptors.base import plain_descriptor
from armnn_py.tensors.info import plain_info
from armnn_py.types import LayerType

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Mapping, Sequence

    from armnn_py.backends.backend import Backend
    from armnn_py.backends.options.model_options import ModelOptions
    from armnn_py.optimizer.graph import Node
    from armnn_py.optimizer.placing.placement_record import PlacementRecord


def node_signature(node: Node) -> LayerSignature:
    """Everything that a backend's answer about a node may depend on."""
    return LayerSignature(
        node.type,
        node.descriptor,
        tuple(None if value is None else value.info for value in node.inputs),
        tuple(value.info for value in node.outputs),
        tuple(value is not None and value.node.type is LayerType.CONSTANT for value in node.inputs),
    )


def plain_signature(key: LayerSignature) -> LayerSignature:
    """The same with numbers for symbolic sizes, for an answer that decides no result."""
    inputs = tuple([None if info is None else plain_info(info) for info in key.inputs])
    outputs = tuple([plain_info(info) for info in key.outputs])
    if all(map(operator.is_, (*inputs, *outputs), (*key.inputs, *key.outputs))):
        return key
    return LayerSignature(
        key.type, plain_descriptor(key.descriptor), inputs, outputs, key.constants
    )


class Asking:
    """Layer support objects, made when they are first needed.

    Parameters
    ----------
    backends
        Preferences, best first.
    available
        All loaded backends by id.
    model_options
        Options of this model for the backends.
    stack
        Closes the objects.
    todo
        Nodes about which a backend that answers many questions at once is asked first.
    record
        Notes questions and answers, where sizes are symbolic.
    """

    def __init__(
        self,
        backends: Sequence[Backend],
        available: Mapping[str, Backend],
        model_options: ModelOptions | None,
        stack: contextlib.ExitStack,
        todo: Sequence[Node] = (),
        record: PlacementRecord | None = None,
    ) -> None:
        self.ids = [backend.id for backend in backends]
        self._available = available
        self._model_options = model_options
        self._stack = stack
        self._todo = todo
        self._record = record
        self._supports: dict[str, LayerSupport] = {}

    def support_of(self, backend_id: str) -> LayerSupport:
        """Return the layer support object of a backend."""
        if backend_id not in self._supports:
            backend = self._available[backend_id]
            options = None if self._model_options is None else self._model_options.of(backend)
            support = LayerSupport(backend, options)
            self._supports[backend_id] = self._stack.enter_context(support)
            if support.answers_many and self._todo:
                support.ask_many([plain_signature(node_signature(node)) for node in self._todo])
        return self._supports[backend_id]

    @property
    def with_preferences(self) -> set[str]:
        """Ids of the backends asked so far that may want layers in another layout."""
        return {name for name, support in self._supports.items() if support.prefers_layouts}

    def ask(self, backend_id: str, key: LayerSignature) -> Support:
        """Whether a backend takes such a layer."""
        if self._record is None:
            return self.support_of(backend_id).ask(key)
        answer = self.support_of(backend_id).ask(plain_signature(key))
        self._record.asked(backend_id, key, answer)
        return answer

    def taker(self, backend_id: str, key: LayerSignature) -> str | None:
        """The backend of an inserted layer: that of its neighbour, or the first that takes it."""
        for candidate in dict.fromkeys((backend_id, *self.ids)):
            if self.ask(candidate, key):
                return candidate
        return None
