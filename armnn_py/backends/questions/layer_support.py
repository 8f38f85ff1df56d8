# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""May this backend run this layer, and if not, why not: Arm NN's ``ILayerSupport``.

Answers are cached by layer signature, so that thirty equal layers of a network cost one query.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from armnn_py._native.table.support import NativeLayerSupport
from armnn_py.descriptors import BatchMatMulDescriptor, Descriptor
from armnn_py.descriptors.canonical import canonical_form
from armnn_py.errors import BackendError, InvalidArgumentError
from armnn_py.network.shapes import infer
from armnn_py.ownership import Closing
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataLayout, LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py._native.layers.reusable import RepeatedQuestions
    from armnn_py._native.table.option_structs import NativeModelOptions
    from armnn_py.backends.instance import BackendInstance
    from armnn_py.descriptors import StandInDescriptor


class Support(Struct, frozen=True):
    """An answer: true if the backend takes the layer, otherwise with the backend's reason."""

    ok: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.ok


class StandInAnswer(Struct, frozen=True):
    """An answer on an operator that no layer expresses: true if the backend runs it.

    Attributes
    ----------
    outputs
        Infos of its outputs; None if the backend does not run it.
    reason
        Why not.
    """

    outputs: tuple[TensorInfo, ...] | None
    reason: str = ""

    def __bool__(self) -> bool:
        return self.outputs is not None


class LayerSignature(NamedTuple):
    """Everything that an answer may depend on.

    Attributes
    ----------
    type, descriptor
        Type and parameters of the layer.
    inputs
        Infos of its operands, None where an optional one is absent.
    outputs
        Infos of its outputs.
    constants
        For each operand, whether its values are known when the network is loaded.
    """

    type: LayerType
    descriptor: Descriptor | None
    inputs: tuple[TensorInfo | None, ...]
    outputs: tuple[TensorInfo, ...]
    constants: tuple[bool, ...]


def valid_signature(
    layer_type: LayerType,
    inputs: Sequence[TensorInfo | None],
    outputs: Sequence[TensorInfo] | None,
    descriptor: Descriptor | None,
    constants: Collection[int],
) -> LayerSignature:
    """Return the signature of a layer that a network could have; see `Backend.supports`."""
    if type(layer_type) is not LayerType:
        raise InvalidArgumentError(f"layer type {layer_type!r} is not a LayerType")
    for what, infos in (("inputs", inputs), ("outputs", outputs or ())):
        wrong = [info for info in infos if info is not None and not isinstance(info, TensorInfo)]
        if wrong:
            raise InvalidArgumentError(
                f"{what}: {type(wrong[0]).__name__} given, a sequence of TensorInfo expected"
            )
    operands = list(inputs)
    while operands and operands[-1] is None:
        operands.pop()
    beyond = [index for index in constants if not 0 <= index < len(operands)]
    if beyond:
        raise InvalidArgumentError(
            f"constants: operand {beyond[0]} named, but {len(operands)} operands are given"
        )
    found = infer(layer_type, descriptor, operands, outputs=outputs, layer=layer_type.label)
    layer_type, descriptor = canonical_form(layer_type, descriptor)
    are_constant = tuple(index in constants for index in range(len(operands)))
    return LayerSignature(layer_type, descriptor, tuple(operands), tuple(found), are_constant)


def never_shown(layer_type: LayerType, descriptor: Descriptor | None) -> str:
    """Return why no backend is shown such a layer, empty for one that backends see."""
    if layer_type in (LayerType.MERGE, LayerType.SWITCH):
        return "the host writes it out: a Merge is a Select by the condition of its Switch"
    if isinstance(descriptor, BatchMatMulDescriptor) and not (
        descriptor.data_layout_x.channel_axis == descriptor.data_layout_y.channel_axis == 1
    ):
        return "the host transposes around it: backends multiply the last two dimensions"
    return ""


class LayerSupport(Closing):
    """The layer support object of one backend, with a cache; use it in a ``with`` block.

    `Backend.supports` is the short form for one question.

    Parameters
    ----------
    backend
        The backend that answers.
    model_options
        Model options for the backend, from `ModelOptions.of`; None: null.
    """

    __slots__ = ("_cache", "_failure", "_native", "_preferred", "backend")

    def __init__(
        self, backend: BackendInstance, model_options: NativeModelOptions | None = None
    ) -> None:
        self.backend = backend
        self._cache: dict[LayerSignature, Support] = {}
        self._preferred: dict[LayerSignature, DataLayout | None] = {}
        self._native: NativeLayerSupport | None = None
        self._failure = ""
        backend.retain()
        try:
            self._native = NativeLayerSupport(
                backend.id, backend.api, backend.instance, model_options
            )
        except BackendError as error:
            # A broken backend must not stop the others: it refuses every layer with this reason.
            self._failure = "; ".join((error.message, *error.details))

    @property
    def answers_many(self) -> bool:
        """Whether the backend answers many questions in one call."""
        return self._native is not None and self._native.answers_many

    def ask(self, layer: LayerSignature) -> Support:
        """Whether the backend takes such a layer, with its reason if not."""
        if self._native is None:
            return Support(False, self._failure)
        if self.backend.lost_device is not None:
            return Support(False, f"its device is lost: {self.backend.lost_device}")
        answer = self._cache.get(layer)
        if answer is None:
            answer = Support(*self._native.ask(*layer))
            self._cache[layer] = answer
        return answer

    def ask_many(self, layers: Sequence[LayerSignature]) -> list[Support]:
        """The answer for each of ``layers``, in one call of the backend where it offers that."""
        if self._native is not None and self.backend.lost_device is None:
            new = [layer for layer in dict.fromkeys(layers) if layer not in self._cache]
            for layer, answer in zip(new, self._native.ask_many(new), strict=True):
                self._cache[layer] = Support(*answer)
        return [self.ask(layer) for layer in layers]

    def repeats(self, questions: RepeatedQuestions) -> bool:
        """Whether the backend answers as before, though sizes are others by now; not cached."""
        if self._native is None or self.backend.lost_device is not None:
            return False
        return self._native.repeats(questions)

    def ask_bounded(self, layer: LayerSignature, bounded: Sequence[int]) -> Support:
        """Whether the backend takes a layer with dimensions that are known only when it runs.

        ``bounded`` has for each input, then for each output the bits of these dimensions; their
        sizes in ``layer`` are upper bounds.
        """
        if self._native is None:
            return Support(False, self._failure)
        return Support(*self._native.ask_bounded(layer, bounded))

    @property
    def runs_stand_ins(self) -> bool:
        """Whether the backend runs any operator that no layer expresses."""
        return self._native is not None and self._native.runs_stand_ins

    def infer_stand_in(
        self,
        descriptor: StandInDescriptor,
        inputs: Sequence[TensorInfo | None],
        constants: Sequence[NDArray[Any] | None],
        name: str,
    ) -> StandInAnswer:
        """Whether the backend runs an operator that no layer expresses; not cached."""
        if self._native is None:
            return StandInAnswer(None, self._failure)
        if self.backend.lost_device is not None:
            return StandInAnswer(None, f"its device is lost: {self.backend.lost_device}")
        return StandInAnswer(*self._native.infer_stand_in(descriptor, inputs, constants, name))

    @property
    def prefers_layouts(self) -> bool:
        """Whether the backend may want layers in another layout; if not, it need not be asked."""
        return self._native is not None and self._native.prefers_layouts

    def preferred_layout(self, layer: LayerSignature) -> DataLayout | None:
        """The layout in which the backend would have a layer of another one; None: as it is.

        ``layer`` has a ``data_layout``; only one of as many dimensions is an answer.
        """
        if self._native is None or not self._native.prefers_layouts:
            return None
        if layer not in self._preferred:
            given: DataLayout = layer.descriptor.data_layout  # type: ignore[union-attr]
            known = [one.value for one in DataLayout if one.rank == given.rank]
            answer = self._native.preferred_layout(layer, known)
            other = None if answer in (0, given) else DataLayout(answer)
            self._preferred[layer] = other
        return self._preferred[layer]

    def close(self) -> None:
        """Destroy the native object; call it once."""
        if self._native is not None:
            self._native.close()
            self._native = None
        self.backend.release()
