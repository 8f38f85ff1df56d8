# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One layer at a time through a backend: ask for support, make a workload, execute it on arrays.

The functions of the backend are called through the C interface itself, without the package's own
planner, so that a test of a kernel depends on nothing but that interface. Each execution is made
hard on purpose: outputs start as garbage, have guards on both sides, and the layer runs twice, once
without a host and once with a host whose ``parallel_for`` takes the smallest chunks from the end,
and again in place of every input that the workload offers.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native import abi

from .guarded import Guarded
from .host_check import host_refusal
from .quantized import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence


NUMPY_TO_DATA_TYPE = {
    np.dtype(np.float16): abi.ARMNN_DATA_TYPE_FLOAT16,
    np.dtype(np.float32): abi.ARMNN_DATA_TYPE_FLOAT32,
    np.dtype(np.int32): abi.ARMNN_DATA_TYPE_SIGNED32,
    np.dtype(np.bool_): abi.ARMNN_DATA_TYPE_BOOLEAN,
    np.dtype(np.int64): abi.ARMNN_DATA_TYPE_SIGNED64,
    np.dtype(np.uint8): abi.ARMNN_DATA_TYPE_QASYMM_U8,
    np.dtype(np.int8): abi.ARMNN_DATA_TYPE_QASYMM_S8,
    np.dtype(np.int16): abi.ARMNN_DATA_TYPE_QSYMM_S16,
}

_ENTRY_TYPES = {
    "GetBackendId": ctypes.CFUNCTYPE(ctypes.c_char_p),
    "GetVersion": ctypes.CFUNCTYPE(
        None, ctypes.POINTER(ctypes.c_uint32), ctypes.POINTER(ctypes.c_uint32)
    ),
    "BackendFactory": ctypes.CFUNCTYPE(ctypes.c_void_p),
}


class RefusedError(Exception):
    """The backend does not take the layer; the text is its reason."""


class FailedError(Exception):
    """The backend answered with an error."""


def tensor_info(
    shape: Sequence[int], dtype: Any, *, data_type: int | None = None
) -> abi.armnn_tensor_info_t:
    """The C form of a shape and a type; ``data_type`` overrules what ``dtype`` implies."""
    info = abi.armnn_tensor_info_t()
    info.header = header(abi.armnn_tensor_info_t, abi.ARMNN_STRUCT_TENSOR_INFO)
    info.data_type = NUMPY_TO_DATA_TYPE[np.dtype(dtype)] if data_type is None else data_type
    info.dimensionality = (
        abi.ARMNN_DIMENSIONALITY_SPECIFIED if len(shape) else abi.ARMNN_DIMENSIONALITY_SCALAR
    )
    info.rank = len(shape)
    info.dim_known_mask = (1 << len(shape)) - 1
    count = 1
    for index, side in enumerate(shape):
        info.dims[index] = side
        count *= side
    info.element_count = count & 0xFFFF_FFFF_FFFF_FFFF
    info.quantization_dim = -1
    return info


def quantized_info(tensor: Tensor) -> abi.armnn_tensor_info_t:
    """The C form of a tensor's shape, type and quantisation."""
    info = tensor_info(tensor.array.shape, tensor.array.dtype, data_type=tensor.data_type)
    count = len(tensor.scales)
    if count:
        points = list(tensor.zero_points) or [0] * count
        info.scales = (ctypes.c_float * count)(*tensor.scales)
        info.zero_points = (ctypes.c_int32 * count)(*points)
        info.quantization_count = count
        info.quantization_dim = tensor.axis if count > 1 else -1
    return info


def _as_tensor(value: Any) -> Tensor | None:
    return value if value is None or isinstance(value, Tensor) else Tensor(np.asarray(value))


def header(structure: type[ctypes.Structure], tag: int) -> abi.armnn_header_t:
    return abi.armnn_header_t(ctypes.sizeof(structure), tag)


def descriptor(
    structure: type[ctypes.Structure], layer_type: int, **values: Any
) -> ctypes.Structure:
    """A descriptor with the given members, sequences becoming arrays; the others are zero."""
    result = structure()
    result.header = header(structure, abi.ARMNN_STRUCT_DESCRIPTOR + layer_type)
    names = {name for name, *_ in structure._fields_}
    for name, value in values.items():
        assert name in names, f"{structure.__name__} has no member {name}"
        if isinstance(value, (list, tuple)):
            for index, item in enumerate(value):
                getattr(result, name)[index] = item
        else:
            setattr(result, name, value)
    return result


def _pointers(kind: type[ctypes.Structure], items: Sequence[ctypes.Structure | None]) -> Any:
    pointer = ctypes.POINTER(kind)
    return (pointer * max(len(items), 1))(
        *[ctypes.pointer(item) if item is not None else pointer() for item in items]
    )


class ChunkedHost:
    """A host whose ``parallel_for`` makes the smallest allowed chunks, last chunk first."""

    def __init__(self) -> None:
        self.table = abi.armnn_host_t()
        self.table.header = header(abi.armnn_host_t, abi.ARMNN_STRUCT_HOST)
        self.table.api_major = abi.ARMNN_BACKEND_API_MAJOR
        self.table.api_minor = abi.ARMNN_BACKEND_API_MINOR
        kind = dict(abi.armnn_host_t._fields_)["parallel_for"]
        self.table.parallel_for = kind(self._parallel_for)

    @staticmethod
    def _parallel_for(
        _context: Any, body: Any, argument: Any, count: int, grain: int, _max_threads: int
    ) -> int:
        step = max(grain, 1, count // 50)
        for begin in reversed(range(0, count, step)):
            status = body(argument, begin, min(begin + step, count), 0)
            if status != abi.ARMNN_STATUS_OK:
                return int(status)
        return abi.ARMNN_STATUS_OK


class Backend:
    """A backend file, or a backend that is linked into the core library."""

    def __init__(self, entries: dict[str, Any], host: Any = None) -> None:
        self.id = ctypes.string_at(entries["GetBackendId"]()).decode()
        table = ctypes.POINTER(abi.armnn_backend_api_t)
        self.api = ctypes.cast(entries["BackendFactory"](), table).contents
        self._host = host if host is not None else ctypes.POINTER(abi.armnn_host_t)()
        arguments = abi.armnn_create_args_t()
        arguments.header = header(abi.armnn_create_args_t, abi.ARMNN_STRUCT_CREATE_ARGS)
        arguments.host = self._host
        self._object = self._make(self.api.create, ctypes.pointer(arguments))
        self._support = self._make(self.api.get_layer_support, self._object, None)
        self._factory = self._make(self.api.create_workload_factory, self._object, None)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str], host: Any = None) -> Backend:
        library = ctypes.CDLL(str(Path(path)), mode=os.RTLD_NOW | os.RTLD_LOCAL)
        return cls({name: kind((name, library)) for name, kind in _ENTRY_TYPES.items()}, host)

    @classmethod
    def from_core(cls, core: Any, name: str, host: Any = None) -> Backend:
        for index in range(core.armnn_core_static_backend_count()):
            entry = core.armnn_core_static_backend(index).contents
            if entry.name.decode() == name:
                return cls(
                    {
                        "GetBackendId": entry.get_backend_id,
                        "GetVersion": entry.get_version,
                        "BackendFactory": entry.backend_factory,
                    },
                    host,
                )
        raise LookupError(f"{name} is not linked into the core library")

    @staticmethod
    def _error() -> tuple[abi.armnn_error_t, Any]:
        text = ctypes.create_string_buffer(1024)
        error = abi.armnn_error_t()
        error.header = header(abi.armnn_error_t, abi.ARMNN_STRUCT_ERROR)
        error.text = ctypes.cast(text, type(error.text))
        error.capacity = len(text)
        return error, text

    def _make(self, function: Any, *arguments: Any) -> Any:
        error, text = self._error()
        kind = function.argtypes[len(arguments)]
        out = kind._type_()
        status = function(*arguments, ctypes.byref(out), ctypes.byref(error))
        if status == abi.ARMNN_STATUS_UNSUPPORTED:
            raise RefusedError(text.value.decode())
        if status != abi.ARMNN_STATUS_OK:
            raise FailedError(f"{status}: {text.value.decode()}")
        return out

    def supports(
        self,
        layer_type: int,
        layer_descriptor: ctypes.Structure | None,
        inputs: Sequence[abi.armnn_tensor_info_t | None],
        outputs: Sequence[abi.armnn_tensor_info_t],
    ) -> str | None:
        """``None`` if the backend takes the layer, else its reason (never empty)."""
        query = abi.armnn_layer_query_t()
        query.header = header(abi.armnn_layer_query_t, abi.ARMNN_STRUCT_LAYER_QUERY)
        self._fill(query, layer_type, layer_descriptor, inputs, outputs)
        error, text = self._error()
        api = self._support.contents.api.contents
        status = api.is_layer_supported(self._support, ctypes.byref(query), ctypes.byref(error))
        if status == abi.ARMNN_STATUS_OK:
            return None
        assert status == abi.ARMNN_STATUS_UNSUPPORTED, f"status {status}"
        assert text.value, "refused without a reason"
        return text.value.decode()

    @staticmethod
    def _fill(
        target: Any,
        layer_type: int,
        layer_descriptor: ctypes.Structure | None,
        inputs: Sequence[abi.armnn_tensor_info_t | None],
        outputs: Sequence[abi.armnn_tensor_info_t],
    ) -> None:
        target.type = layer_type
        target.input_count, target.output_count = len(inputs), len(outputs)
        if layer_descriptor is not None:
            target.descriptor = ctypes.cast(
                ctypes.pointer(layer_descriptor), ctypes.POINTER(abi.armnn_header_t)
            )
        target.input_infos = _pointers(abi.armnn_tensor_info_t, inputs)
        target.output_infos = _pointers(abi.armnn_tensor_info_t, outputs)

    def execute(
        self,
        layer_type: int,
        layer_descriptor: ctypes.Structure | None,
        inputs: Sequence[np.ndarray | Tensor | None],
        outputs: Sequence[tuple[Sequence[int], Any] | Tensor],
        *,
        constants: Sequence[int] = (),
        repeat: int = 1,
    ) -> list[np.ndarray]:
        """Run one layer; ``constants`` are the inputs whose values the workload may pack."""
        tensors = [_as_tensor(x) for x in inputs]
        arrays = [
            np.ascontiguousarray(x.array).reshape(x.array.shape) if x is not None else None
            for x in tensors
        ]
        infos = [x and quantized_info(x) for x in tensors]
        targets = [x if isinstance(x, Tensor) else Tensor(np.empty(*x)) for x in outputs]
        output_infos = [quantized_info(x) for x in targets]
        outputs = [(x.array.shape, x.array.dtype) for x in targets]
        reason = self.supports(layer_type, layer_descriptor, infos, output_infos)
        if reason is not None:
            raise RefusedError(reason)
        sources: list[Guarded | None] = []
        for x in arrays:
            source = Guarded(x.shape, x.dtype) if x is not None else None
            if source is not None and x is not None:
                source.array[...] = x
            sources.append(source)
        info = abi.armnn_workload_info_t()
        info.header = header(abi.armnn_workload_info_t, abi.ARMNN_STRUCT_WORKLOAD_INFO)
        self._fill(info, layer_type, layer_descriptor, infos, output_infos)
        known: list[abi.armnn_const_tensor_t | None] = []
        for index, source in enumerate(sources):
            if index not in constants or source is None:
                known.append(None)
                continue
            constant = abi.armnn_const_tensor_t()
            constant.header = header(abi.armnn_const_tensor_t, abi.ARMNN_STRUCT_CONST_TENSOR)
            constant.info = ctypes.pointer(infos[index])
            constant.data, constant.size = source.address, source.size
            known.append(constant)
        info.constants = _pointers(abi.armnn_const_tensor_t, known)
        factory = self._factory.contents.api.contents
        workload = self._make(factory.create_workload, self._factory, ctypes.byref(info))
        api = workload.contents.api.contents
        try:
            return self._execute(workload, api, sources, outputs, repeat)
        finally:
            api.destroy(workload)

    def in_place_mask(
        self,
        layer_type: int,
        layer_descriptor: ctypes.Structure | None,
        inputs: Sequence[abi.armnn_tensor_info_t | None],
        outputs: Sequence[abi.armnn_tensor_info_t],
    ) -> int:
        """The inputs whose memory the workload offers for its output, as bits."""
        info = abi.armnn_workload_info_t()
        info.header = header(abi.armnn_workload_info_t, abi.ARMNN_STRUCT_WORKLOAD_INFO)
        self._fill(info, layer_type, layer_descriptor, inputs, outputs)
        factory = self._factory.contents.api.contents
        workload = self._make(factory.create_workload, self._factory, ctypes.byref(info))
        needs = self._needs(workload)
        workload.contents.api.contents.destroy(workload)
        return int(needs.in_place_mask)

    @staticmethod
    def _needs(workload: Any) -> abi.armnn_workload_requirements_t:
        needs = abi.armnn_workload_requirements_t()
        needs.header = header(
            abi.armnn_workload_requirements_t, abi.ARMNN_STRUCT_WORKLOAD_REQUIREMENTS
        )
        workload.contents.api.contents.get_requirements(workload, ctypes.byref(needs))
        return needs

    def _execute(
        self,
        workload: Any,
        api: Any,
        sources: Sequence[Guarded | None],
        outputs: Sequence[tuple[Sequence[int], Any]],
        repeat: int,
    ) -> list[np.ndarray]:
        needs = self._needs(workload)
        targets = [Guarded(shape, dtype) for shape, dtype in outputs]
        scratch = Guarded((needs.scratch_size,), np.uint8)
        addresses = [
            None if s is None or needs.consumed_mask >> i & 1 else s.address
            for i, s in enumerate(sources)
        ]
        arguments = abi.armnn_execute_args_t()
        arguments.header = header(abi.armnn_execute_args_t, abi.ARMNN_STRUCT_EXECUTE_ARGS)
        arguments.inputs = (ctypes.c_void_p * max(len(addresses), 1))(*addresses)
        arguments.outputs = (ctypes.c_void_p * len(targets))(*[t.address for t in targets])
        arguments.scratch, arguments.scratch_size = scratch.address, needs.scratch_size
        for _ in range(repeat):
            error, text = self._error()
            status = api.execute(workload, ctypes.byref(arguments), ctypes.byref(error))
            if status != abi.ARMNN_STATUS_OK:
                raise FailedError(f"{status}: {text.value.decode()}")
        for memory in (*targets, scratch, *(s for s in sources if s is not None)):
            memory.check()
        for i, source in enumerate(sources):
            if needs.in_place_mask >> i & 1 and source is not None:
                self._execute_in_place(workload, api, arguments, i, source, targets[0])
        return [target.array.copy() for target in targets]

    def _execute_in_place(
        self,
        workload: Any,
        api: Any,
        arguments: abi.armnn_execute_args_t,
        index: int,
        source: Guarded,
        target: Guarded,
    ) -> None:
        """Once more with output 0 in the memory of an input that the workload offered for it."""
        before = source.array.copy()
        arguments.outputs[0] = source.address
        error, text = self._error()
        status = api.execute(workload, ctypes.byref(arguments), ctypes.byref(error))
        assert status == abi.ARMNN_STATUS_OK, text.value.decode()
        source.check()
        result = source.buffer[source.start : source.start + target.size]
        assert result.tobytes() == target.array.tobytes(), f"in place of input {index}: wrong"
        source.array[...] = before
        arguments.outputs[0] = target.address


class Layers:
    """CpuRef under test: each layer runs without a host and with a chunking one."""

    def __init__(self, plain: Backend, chunked: Backend) -> None:
        self.plain, self.chunked = plain, chunked

    def run(
        self,
        layer_type: int,
        layer_descriptor: ctypes.Structure | None,
        inputs: Sequence[Any],
        outputs: Sequence[tuple[Sequence[int], Any]],
        *,
        constants: Sequence[int] = (),
    ) -> list[np.ndarray]:
        """The outputs; both executions must agree to the last bit."""
        first = self.plain.execute(
            layer_type, layer_descriptor, inputs, outputs, constants=constants
        )
        second = self.chunked.execute(layer_type, layer_descriptor, inputs, outputs)
        for a, b in zip(first, second, strict=True):
            assert a.tobytes() == b.tobytes(), "the result depends on how the work is cut"
        return first

    def refusal(
        self,
        layer_type: int,
        layer_descriptor: ctypes.Structure | None,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
    ) -> str | None:
        """The reason against a layer, or ``None``. Tensors are ``(shape, dtype)`` or infos.

        As in a network: a backend is asked only about layers that the host finds valid.
        """
        query = layer_type, layer_descriptor, _infos(inputs), _infos(outputs)
        return host_refusal(*query) or self.plain.supports(*query)


def _infos(items: Sequence[Any]) -> list[Any]:
    return [tensor_info(*item) if isinstance(item, tuple) else item for item in items]
