# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The four result lists of ``optimize_subgraph_view``: a sink in C that gathers plain data.

A callback answers an invalid call with INVALID_ARGUMENT, notes the reason, and changes nothing. It
never raises: ctypes would swallow the exception and answer OK.
"""

from __future__ import annotations

import ctypes
import itertools
import logging
import threading
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, check_memory, status_name
from armnn_py._native.layers.replacement_layers import ReplacementReader, check_slot, read_slots
from armnn_py._native.layers.subgraph import (
    BOUNDARY,
    LayerData,
    Slot,
    SubgraphData,
    SubgraphStructs,
)
from armnn_py._native.memory.read_memory import NonsenseError, address_of, read_array, read_counted
from armnn_py._native.table.blob import NativeBlob
from armnn_py.interrupts import deferred_interrupts
from armnn_py.text import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from armnn_py._native.table.option_structs import NativeModelOptions

_log = logging.getLogger("armnn_py.backends")


class SubstitutionData(Struct, eq=False):
    """Layers, and the layers that replace them.

    Attributes
    ----------
    layers
        Numbers of the replaced layers.
    replacement
        The new layers; their boundary inputs are indices into ``inputs``.
    inputs
        The slot of the sub-graph that each boundary input reads.
    outputs
        Pairs: a slot of the replaced layers, and the new slot for it.
    is_open
        Whether the backend may still add to it.
    """

    layers: tuple[int, ...]
    replacement: list[LayerData] = field(default_factory=list)
    inputs: tuple[Slot, ...] = ()
    outputs: tuple[tuple[Slot, Slot], ...] = ()
    is_open: bool = True


class OptimizationAnswer(Struct, eq=False):
    """A backend's answer about a sub-graph; layers are given by number.

    Attributes
    ----------
    substitutions, deleted
        As the sink got them.
    failed, untouched
        Each with the backend's reason.
    refused
        Why calls of the sink were answered with INVALID_ARGUMENT.
    error
        Why the function itself failed, or None.
    """

    substitutions: list[SubstitutionData] = field(default_factory=list)
    failed: list[tuple[tuple[int, ...], str]] = field(default_factory=list)
    untouched: list[tuple[tuple[int, ...], str]] = field(default_factory=list)
    deleted: list[tuple[int, ...]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    error: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all was reported."""
        return not (
            self.substitutions or self.failed or self.untouched or self.deleted or self.refused
        )


def optimize_subgraph(
    data: SubgraphData,
    backend_id: str,
    api: abi.armnn_backend_api_t,
    instance: int,
    options: NativeModelOptions | None,
    *,
    retain: Callable[[], None],
    release: Callable[[], None],
) -> OptimizationAnswer:
    """Call ``optimize_subgraph_view`` of a backend whose table has it.

    Parameters
    ----------
    data
        The sub-graph.
    backend_id
        For messages.
    api, instance
        The backend's table and object; it stays open during the call.
    options
        Its model options, or None.
    retain, release
        Keep the backend open for the blobs that it makes.
    """
    structs = SubgraphStructs(data)
    return ask_sink(Sink(data, structs, retain, release, api), backend_id, api, instance, options)


def ask_sink(
    sink: Sink,
    backend_id: str,
    api: abi.armnn_backend_api_t,
    instance: int,
    options: NativeModelOptions | None,
) -> OptimizationAnswer:
    """Call ``optimize_subgraph_view`` with a sink; the other parameters are as above."""
    data, error = sink.data, ErrorBuffer()
    with deferred_interrupts():  # until every blob has its owner
        sink.open()
        try:
            status = api.optimize_subgraph_view(
                ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t)),
                ctypes.byref(sink.structs.struct),
                None if options is None else options.pointer,
                ctypes.byref(sink.struct),
                ctypes.byref(error.struct),
            )
        finally:
            answer, interruption = sink.close()
    if interruption is not None:
        raise interruption
    if status == abi.ARMNN_STATUS_OUT_OF_MEMORY:
        names = quoted((one.name for one in data.layers), most=4)
        check_memory(status, backend_id, f"optimize_subgraph_view of {names}", error)
    if status == abi.ARMNN_STATUS_UNSUPPORTED:  # an answer: there is nothing to do
        everything = tuple(range(len(data.layers)))
        return OptimizationAnswer(untouched=[(everything, error.text)])
    if status != abi.ARMNN_STATUS_OK:
        answer.error = f"{status_name(status)}: {error.text or 'no reason given'}"
    return answer


class Sink:
    """The C structure with its callbacks, for one call.

    Parameters
    ----------
    data, structs
        The sub-graph.
    retain, release, api
        As in `optimize_subgraph`.
    """

    def __init__(
        self,
        data: SubgraphData,
        structs: SubgraphStructs,
        retain: Callable[[], None],
        release: Callable[[], None],
        api: abi.armnn_backend_api_t,
    ) -> None:
        self.data = data
        self.structs = structs
        self._reader = ReplacementReader(structs.constants, retain, release, api)
        self._thread = threading.get_ident()
        self._interruption: BaseException | None = None
        self.answer = OptimizationAnswer()
        self.struct = abi.armnn_optimization_sink_t()
        self.struct.header.struct_size = ctypes.sizeof(abi.armnn_optimization_sink_t)
        self.struct.header.struct_type = abi.ARMNN_STRUCT_OPTIMIZATION_SINK
        self.struct.context = self._token = next(_sink_tokens)
        for name, function in _functions.items():
            setattr(self.struct, name, function)
        self._taken: set[tuple[int, int]] = set()  # blobs

    def open(self) -> None:
        """Take calls from now on."""
        _open_sinks[self._token] = self

    def close(self) -> tuple[OptimizationAnswer, BaseException | None]:
        """End the call: return its answer and interruption; later calls of the sink are refused."""
        _open_sinks.pop(self._token, None)
        answer, self.answer = self.answer, OptimizationAnswer()
        interruption, self._interruption = self._interruption, None
        return answer, interruption

    def called(self, name: str, arguments: tuple[Any, ...]) -> int:
        """Run a call of one of the functions; never raises."""
        try:
            if threading.get_ident() != self._thread:
                raise NonsenseError("called from another thread than optimize_subgraph_view")
            getattr(self, f"_{name}")(*arguments)
        except NonsenseError as problem:
            self.answer.refused.append(f"{name}: {problem}")
            return abi.ARMNN_STATUS_INVALID_ARGUMENT
        except MemoryError as error:
            self._interruption = self._interruption or error
            return abi.ARMNN_STATUS_OUT_OF_MEMORY
        except BaseException as error:  # raised after the call
            self._interruption = self._interruption or error
            return abi.ARMNN_STATUS_INTERNAL
        return abi.ARMNN_STATUS_OK

    # ---- Reading -----------------------------------------------------------------------------

    def _layers(self, pointer: Any, count: int) -> tuple[int, ...]:
        total = len(self.data.layers)
        if not 0 < count <= total:
            raise NonsenseError(f"{count} layers of a sub-graph of {total}")
        numbers = tuple(read_array(pointer, ctypes.c_uint32, count, "the list of layers"))
        if max(numbers) >= total:
            raise NonsenseError(f"layer {max(numbers)} of a sub-graph of {total}")
        if len(set(numbers)) != count:
            raise NonsenseError("a layer stands twice in one list")
        return tuple(sorted(numbers))

    def _open_substitution(self, token: int) -> SubstitutionData:
        # Tokens are not small numbers, so that a made-up one is noticed.
        index = token - _FIRST_TOKEN
        if not 0 <= index < len(self.answer.substitutions):
            raise NonsenseError(f"{token} is not a token of a substitution")
        substitution = self.answer.substitutions[index]
        if not substitution.is_open:
            raise NonsenseError("the substitution is closed already")
        return substitution

    # ---- Callbacks ---------------------------------------------------------------------------

    def _begin_substitution(self, layers: Any, count: int, out_token: Any) -> None:
        self._add_substitution(SubstitutionData(self._layers(layers, count)), out_token)

    def _add_substitution(self, one: SubstitutionData, out_token: Any) -> None:
        token = read_array(out_token, ctypes.c_uint64, 1, "out_token")
        token[0] = _FIRST_TOKEN + len(self.answer.substitutions)
        self.answer.substitutions.append(one)

    def _add_layer(self, token: int, layer: Any) -> None:
        substitution = self._open_substitution(token)
        added = self._reader.read(layer, substitution.replacement)
        substitution.replacement.append(added)
        if added.blob is not None:
            try:
                self._take(added.blob, added.name)  # last: nothing after it may fail
            except BaseException:
                substitution.replacement.pop()
                raise

    def _take(self, blob: NativeBlob, layer: str) -> None:
        key = (blob.struct.object or 0, address_of(blob.struct.release))
        if all(key) and key in self._taken:
            raise NonsenseError(f"the blob of layer '{layer}' is the host's already")
        blob.take()
        self._taken.add(key)

    def _end_substitution(
        self, token: int, inputs: Any, input_count: int, originals: Any, replacements: Any,
        output_count: int,
    ) -> None:  # fmt: skip
        substitution = self._open_substitution(token)
        own = set(substitution.layers)
        sources = read_slots(inputs, input_count, "the inputs of the substitution")
        for layer, slot in sources:
            if layer == BOUNDARY:
                if slot >= len(self.data.input_infos):
                    raise NonsenseError(f"boundary input {slot} of {len(self.data.input_infos)}")
                continue
            check_slot(self.data.layers, layer, slot, "an input of the substitution")
            if layer in own:
                raise NonsenseError(
                    f"an input of the substitution is made by layer {layer}, which it replaces"
                )
        before = read_slots(originals, output_count, "the slots to be replaced")
        after = read_slots(replacements, output_count, "the replacing slots")
        for layer, slot in before:
            check_slot(self.data.layers, layer, slot, "a slot to be replaced")
            if layer not in own:
                raise NonsenseError(f"layer {layer} is not among those that are substituted")
        if len(set(before)) != len(before):
            raise NonsenseError("a slot is replaced twice")
        for layer, slot in after:
            check_slot(substitution.replacement, layer, slot, "a replacing slot")
        for new in substitution.replacement:
            for layer, slot in new.inputs:
                if layer == BOUNDARY and slot >= len(sources):
                    raise NonsenseError(
                        f"layer '{new.name}' reads boundary input {slot} of {input_count}"
                    )
        substitution.inputs = sources
        substitution.outputs = tuple(zip(before, after, strict=True))
        substitution.is_open = False

    def _add_failed(self, layers: Any, count: int, reason: Any) -> None:
        self.answer.failed.append((self._layers(layers, count), _words(reason)))

    def _add_untouched(self, layers: Any, count: int, reason: Any) -> None:
        self.answer.untouched.append((self._layers(layers, count), _words(reason)))

    def _add_deleted(self, layers: Any, count: int) -> None:
        self.answer.deleted.append(self._layers(layers, count))


#: No number that a backend would make up.
_FIRST_TOKEN = 0x5B000000


def _words(reason: Any) -> str:
    return read_counted(reason, "the reason").decode("utf-8", "replace")


# ---- The functions of the structure --------------------------------------------------------------
# They live as long as the process, so that a call that comes too late is refused and does not
# crash. The context, a number that is used once, tells which sink is meant.

_sink_tokens = itertools.count(0x5D000000)
_open_sinks: dict[int, Sink] = {}


def _entry(name: str) -> Callable[..., int]:
    def call(context: int | None, *arguments: Any) -> int:
        sink = _open_sinks.get(context or 0)
        if sink is None:
            _log.warning("%s of a sub-graph's answer is called after its call: refused", name)
            return abi.ARMNN_STATUS_INVALID_ARGUMENT
        return sink.called(name, arguments)

    return call


_functions: dict[str, Any] = {
    name: kind(_entry(name)) for name, kind, *_ in abi.armnn_optimization_sink_t._fields_[2:]
}
