# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The answer of a backend about a sub-graph that it saw before with other sizes.

Each call of the sink is compared with that of the first answer; only the blobs are read.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.layers.optimization_sink import Sink, SubstitutionData, ask_sink
from armnn_py._native.memory.read_memory import (
    address_of,
    read_array,
    read_counted,
    read_struct,
)
from armnn_py._native.table.blob import NativeBlob, check_functions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from armnn_py._native.layers.optimization_sink import OptimizationAnswer
    from armnn_py._native.layers.reusable import ReusableSubgraph
    from armnn_py._native.layers.subgraph import Slot
    from armnn_py._native.table.option_structs import NativeModelOptions


class _Known:
    """A substitution by one compiled layer, as C shows it."""

    def __init__(self, one: SubstitutionData, subgraph: ReusableSubgraph) -> None:
        (new,) = one.replacement
        assert new.blob is not None
        layers = subgraph.structs.layers
        self.numbers = one.layers
        self.layers = bytes((ctypes.c_uint32 * len(one.layers))(*one.layers))
        self.layer_inputs = _slots(new.inputs)
        self.name = new.name.encode()
        self.inputs = _slots(one.inputs)
        self.originals = _slots([before for before, _ in one.outputs])
        self.replacements = _slots([after for _, after in one.outputs])
        #: By output of the new layer: the info of the output that it replaces.
        self.infos = {own: layers[layer].outputs[slot] for (layer, slot), (_, own) in one.outputs}
        self.functions = _functions_of(new.blob.struct)


def _slots(slots: Sequence[Slot]) -> bytes:
    return bytes((abi.armnn_slot_t * len(slots))(*[abi.armnn_slot_t(*slot) for slot in slots]))


def _functions_of(blob: abi.armnn_blob_t) -> tuple[int, ...]:
    return address_of(blob.release), address_of(blob.get_size), address_of(blob.serialize)


class KnownAnswer:
    """The first answer of a backend about a sub-graph whose sizes change.

    Parameters
    ----------
    answer
        Substitutions by one compiled layer each; and layers that stay as they are.
    subgraph
        The sub-graph in C.
    """

    def __init__(self, answer: OptimizationAnswer, subgraph: ReusableSubgraph) -> None:
        self._subgraph = subgraph
        self._untouched = answer.untouched
        self._known = [_Known(one, subgraph) for one in answer.substitutions]

    def ask(
        self,
        backend_id: str,
        api: abi.armnn_backend_api_t,
        instance: int,
        options: NativeModelOptions | None,
        *,
        retain: Callable[[], None],
        release: Callable[[], None],
    ) -> list[NativeBlob] | None:
        """Have the sub-graph compiled for the sizes that were written last.

        The parameters are those of `optimize_subgraph`. The result has the blob of each
        substitution; None if the backend answers otherwise than before.
        """
        sink = _KnownSink(self._subgraph, self._known, retain, release, api)
        answer = ask_sink(sink, backend_id, api, instance, options)
        is_alike = (
            not sink.is_other
            and answer.error is None
            and not (answer.failed or answer.deleted or answer.refused)
            and answer.untouched == self._untouched
            and len(sink.blobs) == len(self._known)
            and not any(one.is_open for one in answer.substitutions)
        )
        return sink.blobs if is_alike else None


class _KnownSink(Sink):
    """Reads no more than the blobs, as long as calls are those of the answer before."""

    def __init__(
        self,
        subgraph: ReusableSubgraph,
        known: Sequence[_Known],
        retain: Callable[[], None],
        release: Callable[[], None],
        api: abi.armnn_backend_api_t,
    ) -> None:
        super().__init__(subgraph.data, subgraph.structs, retain, release, api)
        self._known = known
        self._users = retain, release
        self.blobs: list[NativeBlob] = []
        #: Whether a call differed: it was taken as one of a new answer.
        self.is_other = False

    def _begin_substitution(self, layers: Any, count: int, out_token: Any) -> None:
        number = len(self.answer.substitutions)
        if number < len(self._known):
            known = self._known[number]
            if _is_alike(layers, known.layers, count, ctypes.c_uint32, "the list of layers"):
                self._add_substitution(SubstitutionData(known.numbers), out_token)
                return
        self.is_other = True
        super()._begin_substitution(layers, count, out_token)

    def _add_layer(self, token: int, layer: Any) -> None:
        self._open_substitution(token)
        blob = None if self.is_other else self._read_known(layer)
        if blob is None:
            self.is_other = True
            super()._add_layer(token, layer)
        else:
            self._take(blob, self._known[len(self.blobs)].name.decode())
            self.blobs.append(blob)

    def _read_known(self, layer: Any) -> NativeBlob | None:
        """The blob of the layer that is next; None if it is another one."""
        number = len(self.blobs)
        if number != len(self.answer.substitutions) - 1:
            return None
        known = self._known[number]
        tag, what = abi.ARMNN_STRUCT_LAYER, "the layer"
        struct = read_struct(layer, abi.armnn_layer_t, tag, what, least="blob")
        count = len(known.infos)
        is_alike = (
            struct.type == abi.ARMNN_LAYER_PRE_COMPILED
            and struct.fields_used == 0
            and struct.output_count == count
            and read_counted(struct.name, "the name of the layer") == known.name
            and _is_alike(
                struct.inputs, known.layer_inputs, struct.input_count, abi.armnn_slot_t, what
            )
        )
        if not is_alike:
            return None
        outputs = read_array(struct.output_infos, ctypes.c_void_p, count, "output_infos")
        for own, expected in known.infos.items():
            tag, what = abi.ARMNN_STRUCT_TENSOR_INFO, f"output {own} of the layer"
            info = read_struct(outputs[own], abi.armnn_tensor_info_t, tag, what, least="dims")
            if _shape(info) != _shape(expected):
                return None
        tag, what = abi.ARMNN_STRUCT_BLOB, "the blob of the layer"
        given = read_struct(struct.blob, abi.armnn_blob_t, tag, what, least="release")
        if _functions_of(given) != known.functions:
            check_functions(given, what)
        text = read_counted(given.compatibility, f"the compatibility of {what}")
        retain, release = self._users
        return NativeBlob(given, text, retain=retain, release=release)

    def _end_substitution(
        self, token: int, inputs: Any, input_count: int, originals: Any, replacements: Any,
        output_count: int,
    ) -> None:  # fmt: skip
        one = self._open_substitution(token)
        if self.is_other and one.replacement:
            super()._end_substitution(
                token, inputs, input_count, originals, replacements, output_count
            )
            return
        known = self._known[len(self.answer.substitutions) - 1]
        slot, what = abi.armnn_slot_t, "the slots of the substitution"
        if not (
            _is_alike(inputs, known.inputs, input_count, slot, what)
            and _is_alike(originals, known.originals, output_count, slot, what)
            and _is_alike(replacements, known.replacements, output_count, slot, what)
        ):
            self.is_other = True
        one.is_open = False


def _is_alike(pointer: Any, expected: bytes, count: int, item: type[Any], what: str) -> bool:
    if count * ctypes.sizeof(item) != len(expected):
        return False
    return bytes(read_array(pointer, item, count, what)) == expected


def _shape(info: abi.armnn_tensor_info_t) -> tuple[int, list[int]]:
    return info.data_type, info.dims[: info.rank]
