# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Calls of a backend's layer support object."""

from __future__ import annotations

import contextlib
import ctypes
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.calls import (
    ErrorBuffer,
    backend_failure,
    callback_type,
    check_memory,
    status_name,
)
from armnn_py._native.growth import why_not_shown
from armnn_py._native.layers.layer_structs import LayerStructs, layer_query
from armnn_py._native.layers.read_tensors import read_tensor_info
from armnn_py._native.layers.tensor_structs import tensor_info
from armnn_py._native.library import core
from armnn_py._native.memory.read_memory import NonsenseError
from armnn_py._native.object_table import object_table
from armnn_py._native.process import noted_calls
from armnn_py._native.table.backend_options import counted_text
from armnn_py.interrupts import deferred_interrupts
from armnn_py.tensors import TensorInfo
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import numpy as np

    from armnn_py._native.layers.reusable import RepeatedQuestions
    from armnn_py._native.table.option_structs import NativeModelOptions
    from armnn_py.descriptors import StandInDescriptor

_log = logging.getLogger("armnn_py.backends")

_OnReason = callback_type(abi.armnn_layer_support_api_t, "are_layers_supported", 4)
#: Value of a verdict that the backend has not written; no status of the API.
_NO_ANSWER = -(2**31)


class NativeLayerSupport:
    """An ``armnn_layer_support_t`` of one backend instance; close it when done.

    Parameters
    ----------
    backend_id
        For messages.
    api
        The backend's table.
    instance
        Address of the backend object.
    model_options
        Model options for the backend; None: null.

    Raises
    ------
    BackendError
        If the backend does not give a layer support object.
    """

    __slots__ = ("_api", "_backend_api", "_error", "_object", "backend_id")

    def __init__(
        self,
        backend_id: str,
        api: abi.armnn_backend_api_t,
        instance: int,
        model_options: NativeModelOptions | None = None,
    ) -> None:
        self.backend_id = backend_id
        self._backend_api = api
        self._error = ErrorBuffer()
        self._object: Any = None
        out = ctypes.POINTER(abi.armnn_layer_support_t)()
        backend = ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t))
        status = api.get_layer_support(
            backend,
            None if model_options is None else model_options.pointer,
            ctypes.byref(out),
            ctypes.byref(self._error.struct),
        )
        if status != abi.ARMNN_STATUS_OK or not out:
            raise backend_failure(backend_id, "get_layer_support", status, self._error)
        self._object = out
        self._api = object_table(
            out,
            abi.armnn_layer_support_api_t,
            abi.ARMNN_STRUCT_LAYER_SUPPORT,
            ("destroy", "is_layer_supported"),
            backend_id,
        )

    @property
    def answers_many(self) -> bool:
        """Whether the backend has ``are_layers_supported``."""
        return bool(self._api.are_layers_supported)

    @property
    def prefers_layouts(self) -> bool:
        """Whether the backend has ``get_preferred_layout``."""
        return bool(self._api.get_preferred_layout)

    def ask_times(self, question: tuple[Any, ...], times: int) -> list[tuple[int, str]]:
        """What ``is_layer_supported`` answers each time, as it is; for who tests a backend."""
        keep, query = layer_query(*question)
        answers: list[tuple[int, str]] = []
        for _ in range(times):
            self._error.clear()
            status = self._api.is_layer_supported(
                self._object, ctypes.byref(query), ctypes.byref(self._error.struct)
            )
            answers.append((int(status), self._error.text))
        del keep
        return answers

    def _answer(self, function: str, status: int, layer_type: int, reason: str) -> tuple[bool, str]:
        """An answer; one that is neither OK nor UNSUPPORTED is the backend's fault, and a no."""
        if status == abi.ARMNN_STATUS_OK:
            return True, ""
        if status == abi.ARMNN_STATUS_UNSUPPORTED:
            return False, reason or "no reason given"
        asked = f"{function} of a layer of type {LayerType(layer_type).label}"
        check_memory(status, self.backend_id, asked, self._error)
        if status == _NO_ANSWER:
            reason = f"{function} gave no answer"
        else:
            reason = f"{function} answered {status}: {reason or 'no reason given'}"
        _log.warning("backend '%s': %s; OK or UNSUPPORTED was expected", self.backend_id, reason)
        return False, reason

    def ask(
        self,
        layer_type: LayerType,
        descriptor: Any,
        inputs: Sequence[TensorInfo | None],
        outputs: Sequence[TensorInfo],
        constant_inputs: Sequence[bool],
    ) -> tuple[bool, str]:
        """Whether the backend takes this layer, and the reason if it does not.

        A backend that is older than such a layer is not asked.
        """
        too_new = why_not_shown(self._backend_api, layer_type, descriptor, (*inputs, *outputs))
        if too_new:
            return False, too_new
        keep, query = layer_query(layer_type, descriptor, inputs, outputs, constant_inputs)
        with noted_calls.about(self.backend_id, f"of type {layer_type.label}"):
            self._error.clear()
            status = self._api.is_layer_supported(
                self._object, ctypes.byref(query), ctypes.byref(self._error.struct)
            )
            del keep
            if status == abi.ARMNN_STATUS_OK:
                return True, ""
            return self._answer("is_layer_supported", status, layer_type, self._error.text)

    def repeats(self, questions: RepeatedQuestions) -> bool:
        """Whether all answers are those that the backend gave before."""
        ask: Callable[..., int] = core().armnn_core_ask_again
        count = len(questions.taken)
        if noted_calls.is_noted(self.backend_id):
            ask = partial(noted_calls.noted_call, self.backend_id, "is_layer_supported", ask)
        with deferred_interrupts():
            other = ask(self._object, questions.queries, count, questions.taken)
        return other == count

    def ask_bounded(self, question: tuple[Any, ...], bounded: Sequence[int]) -> tuple[bool, str]:
        """Whether the backend takes a layer with bounded dimensions.

        ``question`` is what `ask` takes, and ``bounded`` what `layer_query` takes.
        """
        if not self._api.takes_bounded_shapes:
            return False, "the backend needs to know all shapes"
        layer_type, descriptor, inputs, outputs, constant_inputs = question
        keep, query = layer_query(layer_type, descriptor, inputs, outputs, constant_inputs, bounded)
        self._error.clear()
        status = self._api.takes_bounded_shapes(
            self._object, ctypes.byref(query), ctypes.byref(self._error.struct)
        )
        del keep
        return self._answer("takes_bounded_shapes", status, layer_type, self._error.text)

    def ask_many(self, questions: Sequence[tuple[Any, ...]]) -> list[tuple[bool, str]]:
        """The answers to many questions, each the arguments of `ask`.

        One call of ``are_layers_supported``; one each of ``is_layer_supported`` if the backend has
        no such function, or if it fails.
        """
        call = self._api.are_layers_supported
        count = len(questions)
        if not call or count < 2:
            return [self.ask(*question) for question in questions]
        too_new = [
            why_not_shown(self._backend_api, kind, descriptor, (*inputs, *outputs))
            for kind, descriptor, inputs, outputs, _ in questions
        ]
        if any(too_new):
            shown = [q for q, why in zip(questions, too_new, strict=True) if not why]
            answers = iter(self.ask_many(shown))
            return [(False, why) if why else next(answers) for why in too_new]
        layers = [layer_query(*question) for question in questions]
        pointer_type = ctypes.POINTER(abi.armnn_layer_query_t)
        queries = (pointer_type * count)(*[ctypes.pointer(query) for _, query in layers])
        verdicts = (ctypes.c_int32 * count)(*[_NO_ANSWER] * count)
        reasons: dict[int, str] = {}
        self._error.clear()

        def keep_reason(_context: Any, index: int, reason: abi.armnn_string_t) -> None:
            with contextlib.suppress(Exception):  # none may leave a callback
                if index < count:
                    reasons[index] = counted_text(reason, "the reason")

        with deferred_interrupts():
            status = call(self._object, queries, count, verdicts, _OnReason(keep_reason), None)
        check_memory(status, self.backend_id, "are_layers_supported", self._error)
        if status != abi.ARMNN_STATUS_OK:
            _log.warning(
                "backend '%s': are_layers_supported failed with %s; layers are asked one by one",
                self.backend_id,
                status_name(status),
            )
            return [self.ask(*question) for question in questions]
        return [
            self._answer(
                "are_layers_supported", verdict, questions[index][0], reasons.get(index, "")
            )
            for index, verdict in enumerate(verdicts)
        ]

    @property
    def runs_stand_ins(self) -> bool:
        """Whether the backend has ``infer_stand_in``."""
        return bool(self._api.infer_stand_in)

    def infer_stand_in(
        self,
        descriptor: StandInDescriptor,
        inputs: Sequence[TensorInfo | None],
        constants: Sequence[np.ndarray | None],
        name: str,
    ) -> tuple[tuple[TensorInfo, ...] | None, str]:
        """Infos of the outputs of an operator that the backend knows, or None and its reason."""
        kind = LayerType.STAND_IN
        too_new = why_not_shown(self._backend_api, kind, descriptor, inputs)
        if too_new or not self.runs_stand_ins:
            return None, too_new or "it runs layers only"
        structs = LayerStructs(kind, descriptor, inputs, [], constants)
        layer = structs.layer(0, name)
        layer.output_count = descriptor.output_count
        layer.output_infos = None
        start = tensor_info(TensorInfo(()))
        start.dim_known_mask = (1 << abi.ARMNN_MAX_DIMS) - 1
        start.dimensionality = abi.ARMNN_DIMENSIONALITY_SPECIFIED
        count = descriptor.output_count
        infos = (abi.armnn_tensor_info_t * max(count, 1))(*[start] * count)
        self._error.clear()
        status = self._api.infer_stand_in(
            self._object, ctypes.byref(layer), infos, ctypes.byref(self._error.struct)
        )
        ok, reason = self._answer("infer_stand_in", status, kind, self._error.text)
        if not ok:
            return None, reason

        try:
            return tuple(
                read_tensor_info(
                    ctypes.pointer(info), f"the info of output {index}", takes_bounded=True
                )
                for index, info in enumerate(infos[:count])
            ), ""
        except NonsenseError as error:
            reason = f"infer_stand_in: {error}"
            _log.warning("backend '%s': %s", self.backend_id, reason)
            return None, reason

    def preferred_layout(self, question: tuple[Any, ...], known: Collection[int]) -> int:
        """The layout in which the backend would have a layer, 0: as it is.

        ``question`` are the arguments of `ask`, ``known`` the answers that make sense. Any other is
        the backend's fault, and counts as 0. A backend that is older than the layer is not asked.
        """
        kind, descriptor, inputs, outputs, _ = question
        if why_not_shown(self._backend_api, kind, descriptor, (*inputs, *outputs)):
            return 0
        keep, query = layer_query(*question)
        answer = int(self._api.get_preferred_layout(self._object, ctypes.byref(query)))
        del keep
        if answer == 0 or answer in known:
            return answer
        _log.warning(
            "backend '%s': get_preferred_layout answered %d about a layer of type %s; 0 or %s was "
            "expected",
            self.backend_id,
            answer,
            kind.label,
            " or ".join(map(str, known)),
        )
        return 0

    def close(self) -> None:
        """Destroy the object; harmless when repeated."""
        if self._object is not None:
            self._api.destroy(self._object)
            self._object = None
