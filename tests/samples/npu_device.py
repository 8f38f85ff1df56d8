# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sample_Npu without the package's planner: compile a network, make its tensors, run it.

Only the C interface and the structures that cross it are used, so that these tests say what the
backend does, whatever the host makes of it.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer
from armnn_py._native.layers.layer_structs import LayerStructs, layer_query
from armnn_py._native.layers.optimization_sink import OptimizationAnswer, optimize_subgraph
from armnn_py._native.layers.subgraph import (
    ABSENT,
    BOUNDARY,
    CONSTANT,
    LayerData,
    Slot,
    SubgraphData,
)
from armnn_py._native.table.handle_registry import HandleRegistry
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    import armnn_py as ann

BORDER = (LayerType.INPUT, LayerType.OUTPUT, LayerType.CONSTANT)
ENTRIES = {
    "GetBackendId": ctypes.CFUNCTYPE(ctypes.c_char_p),
    "BackendFactory": ctypes.CFUNCTYPE(ctypes.c_void_p),
}


class DeviceError(Exception):
    """A function of the backend failed; status and words."""


def part_of(network: ann.Network) -> SubgraphData:
    """All layers between the inputs and the outputs of a network."""
    inner = [layer for layer in network.layers if layer.type not in BORDER]
    number = {layer.guid: index for index, layer in enumerate(inner)}
    sources = [layer for layer in network.layers if layer.type is LayerType.INPUT]
    boundary = {layer.guid: index for index, layer in enumerate(sources)}
    ends = [layer for layer in network.layers if layer.type is LayerType.OUTPUT]
    layers = []
    for layer in inner:
        slots: list[Slot] = []
        constants: list[NDArray[Any] | None] = []
        for index, slot in enumerate(layer.inputs):
            constants.append(None)
            if slot is None:
                slots.append((ABSENT, 0))
            elif slot.layer.type is LayerType.CONSTANT:
                slots.append((CONSTANT, index))
                constants[-1] = slot.layer.value  # type: ignore[attr-defined]
            elif slot.layer.type is LayerType.INPUT:
                slots.append((BOUNDARY, boundary[slot.layer.guid]))
            else:
                slots.append((number[slot.layer.guid], slot.index))
        layers.append(
            LayerData(
                type=layer.type,
                name=layer.name,
                descriptor=layer.descriptor,
                inputs=tuple(slots),
                input_infos=tuple(None if s is None else s.info for s in layer.inputs),
                constants=tuple(constants),
                output_infos=tuple(s.info for s in layer.outputs),
                guid=layer.guid,
            )
        )
    outputs = []
    for end in ends:
        (slot,) = end.inputs
        assert slot is not None
        outputs.append((number[slot.layer.guid], slot.index))
    return SubgraphData(
        tuple(layers), tuple(source.output.info for source in sources), tuple(outputs)
    )


class Device:
    """One instance of the backend, its context and a workload factory."""

    def __init__(self, path: Path, *, cache_dir: Path | None = None) -> None:
        library = ctypes.CDLL(str(path), mode=os.RTLD_NOW | os.RTLD_LOCAL)
        entries = {name: kind((name, library)) for name, kind in ENTRIES.items()}
        self.id = ctypes.string_at(entries["GetBackendId"]()).decode()
        table = ctypes.POINTER(abi.armnn_backend_api_t)
        self.api = ctypes.cast(entries["BackendFactory"](), table).contents
        options = abi.armnn_options_t()
        if cache_dir is not None:
            option, value = abi.armnn_option_t(), str(cache_dir).encode()
            option.name = _string(b"cache_dir")
            option.type = abi.ARMNN_OPTION_STRING
            option.string = _string(value)
            options.items = ctypes.pointer(option)
            options.count = 1
        given = abi.armnn_create_args_t()
        given.header.struct_size = ctypes.sizeof(given)
        given.header.struct_type = abi.ARMNN_STRUCT_CREATE_ARGS
        given.options = ctypes.pointer(options)
        self._backend = self.call(self.api.create, ctypes.byref(given))
        self.instance: int = ctypes.cast(self._backend, ctypes.c_void_p).value or 0
        self._context = self.call(self.api.create_backend_context, self._backend, None)
        arguments = abi.armnn_factory_args_t()
        self._factory = self.call(
            self.api.create_workload_factory, self._backend, ctypes.byref(arguments)
        )
        self.factory_api = self._factory.contents.api.contents

    def call(self, function: Any, *arguments: Any) -> Any:
        """Call a function whose last two parameters are an object to make and an error."""
        out = function.argtypes[len(arguments)]._type_()
        self.check(function, *arguments, ctypes.byref(out))
        return out

    @staticmethod
    def check(function: Any, *arguments: Any) -> None:
        """Call a function whose last parameter is an error, and expect success."""
        error = ErrorBuffer()
        status = function(*arguments, ctypes.byref(error.struct))
        if status != abi.ARMNN_STATUS_OK:
            raise DeviceError(f"{status}: {error.text}")

    def close(self) -> None:
        self.check(self.api.quiesce, self._backend, 10**10)
        self.factory_api.destroy(self._factory)
        self._context.contents.api.contents.destroy(self._context)
        self.api.destroy(self._backend)

    @property
    def cache_files(self) -> int:
        return int(self.api.get_number_of_cache_files(self._backend))

    def refusal(self, layer: LayerData) -> str | None:
        """Why the backend does not take a layer, or None."""
        support = self.call(self.api.get_layer_support, self._backend, None)
        known = [value is not None for value in layer.constants]
        keep, query = layer_query(
            layer.type, layer.descriptor, layer.input_infos, layer.output_infos, known
        )
        error = ErrorBuffer()
        api = support.contents.api.contents
        status = api.is_layer_supported(support, ctypes.byref(query), ctypes.byref(error.struct))
        api.destroy(support)
        del keep
        return error.text if status == abi.ARMNN_STATUS_UNSUPPORTED else None

    def optimize(self, part: SubgraphData) -> OptimizationAnswer:
        return optimize_subgraph(
            part, self.id, self.api, self.instance, None, retain=_nothing, release=_nothing
        )

    def compiled(self, part: SubgraphData) -> SubgraphData:
        """The part after the backend's compiler has seen it."""
        answer = self.optimize(part)
        assert answer.error is None
        assert not answer.refused
        (substitution,) = answer.substitutions
        assert substitution.layers == tuple(range(len(part.layers)))
        assert substitution.inputs == tuple((BOUNDARY, i) for i in range(len(part.input_infos)))
        assert [original for original, _ in substitution.outputs] == list(part.outputs)
        outputs = tuple(replacement for _, replacement in substitution.outputs)
        return SubgraphData(tuple(substitution.replacement), part.input_infos, outputs)


def _nothing() -> None:
    pass


def _string(text: bytes) -> abi.armnn_string_t:
    result = abi.armnn_string_t()
    result.data = ctypes.create_string_buffer(text)
    result.size = len(text)
    return result


class Loaded:
    """Workloads of a part, and an execution context with tensors in device memory."""

    def __init__(self, device: Device, part: SubgraphData) -> None:
        self.device, self.part = device, part
        self._keep: list[Any] = []
        self._workloads = [self._workload(layer) for layer in part.layers]
        self.contexts: list[Context] = []

    def _workload(self, layer: LayerData) -> Any:
        structs = LayerStructs(
            layer.type, layer.descriptor, layer.input_infos, layer.output_infos, layer.constants
        )
        info = structs.workload_info(layer.guid, layer.name)
        if layer.blob is not None:
            info.blob = ctypes.pointer(layer.blob.struct)
        self._keep += [structs, info, layer]
        api = self.device.factory_api
        return self.device.call(api.create_workload, self.device._factory, ctypes.byref(info))

    def context(self) -> Context:
        self.contexts.append(Context(self))
        return self.contexts[-1]

    def close(self) -> None:
        for context in self.contexts:
            context.close()
        for workload in self._workloads:
            workload.contents.api.contents.destroy(workload)


class Context:
    """The tensors and the queue of one caller at a time."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        device, part = loaded.device, loaded.part
        self.registry = HandleRegistry([device])
        factory = self.registry._by_id["Sample/Sample_Npu/Device"]
        infos = {(BOUNDARY, i): info for i, info in enumerate(part.input_infos)}
        last: dict[Slot, int] = {}
        for number, layer in enumerate(part.layers):
            infos |= {(number, s): info for s, info in enumerate(layer.output_infos)}
            last |= {slot: number for slot in layer.inputs if slot in infos}
        self.handles = {
            slot: factory.create(info, managed=slot[0] != BOUNDARY) for slot, info in infos.items()
        }
        for number, layer in enumerate(part.layers):
            for s in range(len(layer.output_infos)):
                self.handles[number, s].manage()
            for slot, reader in last.items():
                if reader == number and slot[0] != BOUNDARY and slot not in part.outputs:
                    self.handles[slot].allocate()
        for manager in self.registry.managers:
            manager.acquire()
        api = device.factory_api
        self.queue = ctypes.c_void_p()
        device.check(api.create_execution_data, device._factory, ctypes.byref(self.queue))
        self.commands = []
        for workload in loaded._workloads:
            command = ctypes.c_void_p()
            create = workload.contents.api.contents.create_workload_data
            device.check(create, workload, self.queue, ctypes.byref(command))
            self.commands.append(command)

    def enqueue(self) -> None:
        """Call execute of every workload."""
        pointer = ctypes.POINTER(abi.armnn_tensor_handle_t)
        for number, layer in enumerate(self._loaded.part.layers):
            arguments = abi.armnn_execute_args_t()
            reads = [self.handles[s]._object if s in self.handles else None for s in layer.inputs]
            writes = [self.handles[number, s]._object for s in range(len(layer.output_infos))]
            arguments.input_handles = (pointer * max(len(reads), 1))(*reads)
            arguments.output_handles = (pointer * len(writes))(*writes)
            arguments.execution_data = self.queue
            arguments.workload_data = self.commands[number]
            arguments.header.struct_size = ctypes.sizeof(arguments)
            workload = self._loaded._workloads[number]
            execute = workload.contents.api.contents.execute
            self._loaded.device.check(execute, workload, ctypes.byref(arguments))

    def wait(self) -> None:
        """Call after_enqueue_workload."""
        context = self._loaded.device._context
        wait = context.contents.api.contents.after_enqueue_workload
        self._loaded.device.check(wait, context, 1, self.queue)

    def run(self, inputs: list[NDArray[Any]]) -> list[NDArray[Any]]:
        check = self._loaded.device.check
        part = self._loaded.part
        for i, array in enumerate(inputs):
            handle = self.handles[BOUNDARY, i]
            dense = np.ascontiguousarray(array)
            check(handle._api.copy_in_from, handle._object, dense.ctypes.data, dense.nbytes)
        self.enqueue()
        self.wait()
        results = []
        for layer, slot in part.outputs:
            info = part.layers[layer].output_infos[slot]
            result = np.empty([int(side) for side in info.shape], np.float32)
            handle = self.handles[layer, slot]
            check(handle._api.copy_out_to, handle._object, result.ctypes.data, result.nbytes)
            results.append(result)
        return results

    def close(self) -> None:
        """What the host does, children first."""
        for handle in self.handles.values():
            handle.destroy()
        device = self._loaded.device
        for workload, command in zip(self._loaded._workloads, self.commands, strict=True):
            workload.contents.api.contents.destroy_workload_data(workload, command)
        device.factory_api.destroy_execution_data(device._factory, self.queue)
        self.registry.close()


@contextmanager
def loaded(device: Device, part: SubgraphData) -> Iterator[Loaded]:
    """Workloads of a part, destroyed at the end."""
    network = Loaded(device, part)
    try:
        yield network
    finally:
        network.close()


def run_part(
    device: Device, part: SubgraphData, inputs: Mapping[str, NDArray[Any]]
) -> list[NDArray[Any]]:
    """Load, run once, close."""
    with loaded(device, part) as network:
        return network.context().run(list(inputs.values()))
