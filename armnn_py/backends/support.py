# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""May this backend run this layer, and if not, why not.

Answers are cached by layer signature (type, descriptor, infos, which inputs are constant), so that
thirty equal layers of a network cost one question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armnn_py._native.support import NativeLayerSupport
from armnn_py.errors import BackendError
from armnn_py.ownership import Closing
from armnn_py.records import record
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py._native.model_options import NativeModelOptions
    from armnn_py.backends.backend import Backend
    from armnn_py.network import Layer

__all__ = ["LayerSupport", "Support", "layer_signature"]


@record
class Support:
    """An answer: true if the backend takes the layer, otherwise with the backend's reason."""

    ok: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.ok


def layer_signature(layer: Layer) -> tuple[Any, ...]:
    """Everything that a support answer may depend on, hashable."""
    return (
        layer.type,
        layer.descriptor,
        tuple(None if slot is None else slot.info for slot in layer.inputs),
        tuple(slot.info for slot in layer.outputs),
        tuple(slot is not None and slot.layer.type is LayerType.CONSTANT for slot in layer.inputs),
    )


class LayerSupport(Closing):
    """The layer support object of one backend, with a cache; use it in a ``with`` block.

    Parameters
    ----------
    backend
        Whom to ask.
    model_options
        What it gets as model options, from `ModelOptions.of`; None: null.
    """

    __slots__ = ("_cache", "_failure", "_native", "backend")

    def __init__(self, backend: Backend, model_options: NativeModelOptions | None = None) -> None:
        self.backend = backend
        self._cache: dict[tuple[Any, ...], Support] = {}
        self._native: NativeLayerSupport | None = None
        self._failure = ""
        backend.retain()
        try:
            self._native = NativeLayerSupport(
                backend.id, backend.api, backend.instance, model_options
            )
        except BackendError as error:
            # One broken backend must not stop the others: its failure is its answer.
            self._failure = "; ".join((error.message, *error.details))

    @property
    def answers_many(self) -> bool:
        """Whether the backend answers many questions in one call."""
        return self._native is not None and self._native.answers_many

    def ask(self, layer: Layer) -> Support:
        """Whether the backend takes ``layer``, with its reason if not."""
        return self.ask_signature(layer_signature(layer))

    def ask_signature(self, key: tuple[Any, ...]) -> Support:
        """The same for a layer that is known by its `layer_signature` only."""
        if self._native is None:
            return Support(False, self._failure)
        if self.backend.lost_device is not None:
            return Support(False, f"its device is lost: {self.backend.lost_device}")
        answer = self._cache.get(key)
        if answer is None:
            answer = Support(*self._native.ask(*key))
            self._cache[key] = answer
        return answer

    def ask_many(self, layers: Sequence[Layer]) -> list[Support]:
        """The answer for each of ``layers``, in one call of the backend where it offers that."""
        return self.ask_signatures([layer_signature(layer) for layer in layers])

    def ask_signatures(self, keys: Sequence[tuple[Any, ...]]) -> list[Support]:
        """The same for layers that are known by their `layer_signature` only."""
        if self._native is not None and self.backend.lost_device is None:
            new = [key for key in dict.fromkeys(keys) if key not in self._cache]
            for key, answer in zip(new, self._native.ask_many(new), strict=True):
                self._cache[key] = Support(*answer)
        return [self.ask_signature(key) for key in keys]

    def close(self) -> None:
        """Destroy the native object; call it once."""
        if self._native is not None:
            self._native.close()
            self._native = None
        self.backend.release()
