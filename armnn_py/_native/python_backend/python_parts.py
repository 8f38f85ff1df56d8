# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``optimize_subgraph_view`` of a backend that is written in Python, and the blobs it makes."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from armnn_py._native import abi
from armnn_py._native.calls import status_name
from armnn_py._native.layers.layer_structs import LayerStructs
from armnn_py._native.layers.read_tensors import read_tensor_info
from armnn_py._native.layers.shown_layers import read_options, read_workload_info
from armnn_py._native.layers.subgraph import Slot
from armnn_py._native.python_backend.python_objects import notice
from armnn_py._native.texts import counted
from armnn_py.descriptors import PreCompiledDescriptor
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py._native.table.blob import NativeBlob
    from armnn_py.tensors import TensorInfo

_blobs: dict[int, object] = {}
_keys = itertools.count(1)


def _release(key: int | None) -> None:
    _blobs.pop(key or 0, None)


_RELEASE = notice(ctypes.CFUNCTYPE(None, ctypes.c_void_p), _release)


def compiled_of(info: Any) -> object | None:
    """Return the compiled sub-graph of the blob of an ``armnn_workload_info_t``, or None."""
    return _blobs[int(info.blob.contents.object)] if info.blob else None


class ShownPart:
    """A sub-graph that the host shows, and where the answer goes; for the length of the call.

    Attributes
    ----------
    layers
        In topological order.
    sources
        For each layer where its operands come from.
    input_infos
        Infos of the inputs of the part.
    outputs
        Slots that are used outside.
    """

    def __init__(self, subgraph: Any, options: Any, sink: Any) -> None:
        values = read_options(options)
        structs = [subgraph.layers[index].contents for index in range(subgraph.layer_count)]
        self.layers = tuple(read_workload_info(struct, values) for struct in structs)
        self.sources = tuple(_slots(struct.inputs, struct.input_count) for struct in structs)
        self.input_infos = tuple(
            read_tensor_info(subgraph.input_infos[index], f"input {index} of the part")
            for index in range(subgraph.input_count)
        )
        self.outputs = _slots(subgraph.outputs, subgraph.output_count)
        self._sink: Any = sink

    def close(self) -> None:
        """End of the call."""
        self._sink = None

    def substitute(
        self,
        layers: Sequence[int],
        inputs: Sequence[tuple[Slot, TensorInfo]],
        outputs: Sequence[tuple[Slot, TensorInfo]],
        compiled: object,
        name: str,
    ) -> None:
        """Put one layer that runs ``compiled`` in the place of some.

        Raises
        ------
        RuntimeError
            The call of ``optimize`` is over.
        ValueError
            The host refuses it.
        """
        key = next(_keys)
        blob = abi.armnn_blob_t()
        blob.header.struct_size = ctypes.sizeof(blob)
        blob.header.struct_type = abi.ARMNN_STRUCT_BLOB
        blob.object = key
        blob.release = _RELEASE
        infos = [info for _, info in outputs]
        structs = LayerStructs(
            LayerType.PRE_COMPILED,
            PreCompiledDescriptor(input_count=len(inputs), output_count=len(outputs)),
            [info for _, info in inputs],
            infos,
            blob=cast("NativeBlob", _Blob(blob)),
        )
        layer = structs.layer(0, name)
        layer.inputs = _array([(abi.ARMNN_SLOT_BOUNDARY, index) for index in range(len(inputs))])
        token = ctypes.c_uint64()
        numbers = (ctypes.c_uint32 * len(layers))(*layers)
        self._tell("begin_substitution", numbers, len(layers), ctypes.byref(token))
        _blobs[key] = compiled
        try:
            self._tell("add_layer", token, ctypes.byref(layer))
        except BaseException:
            _release(key)
            raise
        self._tell(
            "end_substitution",
            token,
            _array([slot for slot, _ in inputs]),
            len(inputs),
            _array([slot for slot, _ in outputs]),
            _array([(0, index) for index in range(len(outputs))]),
            len(outputs),
        )

    def fail(self, layers: Sequence[int], reason: str) -> None:
        """Have the host place layers elsewhere; raises as `substitute` does."""
        self._tell_list("add_failed", layers, reason)

    def keep(self, layers: Sequence[int]) -> None:
        """Run layers as they are; raises as `substitute` does."""
        self._tell_list("add_untouched", layers, "")

    def _tell_list(self, function: str, layers: Sequence[int], reason: str) -> None:
        numbers = (ctypes.c_uint32 * len(layers))(*layers)
        self._tell(function, numbers, len(layers), counted(reason))

    def _tell(self, function: str, *arguments: Any) -> None:
        if self._sink is None:
            raise RuntimeError("the part is not there any more: its optimize() has returned")
        status = getattr(self._sink, function)(self._sink.context, *arguments)
        if status != abi.ARMNN_STATUS_OK:
            raise ValueError(f"the host refuses {function}: {status_name(status)}")


class _Blob:
    """Stands for the host's blob while a layer is described to the host."""

    def __init__(self, struct: abi.armnn_blob_t) -> None:
        self.struct = struct


def _slots(pointer: Any, count: int) -> tuple[Slot, ...]:
    return tuple((int(pointer[index].layer), int(pointer[index].slot)) for index in range(count))


def _array(slots: Sequence[Slot]) -> Any:
    array = (abi.armnn_slot_t * max(len(slots), 1))()
    for struct, (layer, slot) in zip(array, slots, strict=False):
        struct.layer, struct.slot = layer, slot
    return array
