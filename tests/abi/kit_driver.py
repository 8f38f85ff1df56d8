# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Calls a backend through its three exports and its tables, by ctypes and nothing else."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from armnn_py._native import abi

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FLOAT32 = abi.ARMNN_DATA_TYPE_FLOAT32
SIGNED32 = abi.ARMNN_DATA_TYPE_SIGNED32


class Answer(NamedTuple):
    """A status and the text that came with it; ``needed`` counts the bytes of the whole text."""

    status: int
    text: str
    needed: int


class Info(NamedTuple):
    """A tensor in a test: shape and data type."""

    shape: Sequence[int]
    data_type: int = FLOAT32

    def to_c(self) -> abi.armnn_tensor_info_t:
        info = abi.armnn_tensor_info_t()
        info.header.struct_size = ctypes.sizeof(info)
        info.header.struct_type = abi.ARMNN_STRUCT_TENSOR_INFO
        info.data_type, info.rank, info.element_count = self.data_type, len(self.shape), 1
        info.dimensionality = abi.ARMNN_DIMENSIONALITY_SPECIFIED
        info.dim_known_mask = (1 << info.rank) - 1
        info.quantization_dim = -1
        for index, dimension in enumerate(self.shape):
            info.dims[index] = dimension
            info.element_count *= dimension
        return info


def new(structure: type[Any], tag: int, **values: Any) -> Any:
    """Return a structure with its header and some members set, the others zero."""
    made = structure()
    made.header.struct_size, made.header.struct_type = ctypes.sizeof(structure), tag
    for key, value in values.items():
        setattr(made, key, value)
    return made


def binary(operation: int) -> Any:
    tag = abi.ARMNN_STRUCT_DESCRIPTOR + abi.ARMNN_LAYER_ELEMENTWISE_BINARY
    return new(abi.armnn_elementwise_binary_descriptor_t, tag, operation=operation)


def unary(operation: int) -> Any:
    tag = abi.ARMNN_STRUCT_DESCRIPTOR + abi.ARMNN_LAYER_ELEMENTWISE_UNARY
    return new(abi.armnn_elementwise_unary_descriptor_t, tag, operation=operation)


class Backend:
    """One instance of the backend in a file, created with ``host`` (a table, or None for null)."""

    def __init__(self, path: Path, host: Any = None) -> None:
        self.library = ctypes.CDLL(os.fspath(path), mode=os.RTLD_NOW | os.RTLD_LOCAL)
        self.library.GetBackendId.restype = ctypes.c_char_p
        self.library.BackendFactory.restype = ctypes.POINTER(abi.armnn_backend_api_t)
        self.api = self.library.BackendFactory().contents
        self.host = host
        given = new(abi.armnn_create_args_t, abi.ARMNN_STRUCT_CREATE_ARGS)
        if host is not None:
            given.host = ctypes.pointer(host)
        self.backend = self._make(
            abi.armnn_backend_t, lambda out: self.api.create(given, out, None)
        )
        self.support = self._make(
            abi.armnn_layer_support_t,
            lambda out: self.api.get_layer_support(self.backend, None, out, None),
        )
        arguments = new(abi.armnn_factory_args_t, abi.ARMNN_STRUCT_FACTORY_ARGS)
        self.factory = self._make(
            abi.armnn_workload_factory_t,
            lambda out: self.api.create_workload_factory(self.backend, arguments, out, None),
        )

    @staticmethod
    def _make(structure: type[Any], call: Any) -> Any:
        made = ctypes.POINTER(structure)()
        assert call(ctypes.pointer(made)) == abi.ARMNN_STATUS_OK
        assert made
        return made

    def close(self) -> None:
        """Destroy in the written order: children before parents."""
        table(self.factory).destroy(self.factory)
        table(self.support).destroy(self.support)
        self.api.destroy(self.backend)

    @property
    def id(self) -> bytes:
        return self.library.GetBackendId()

    @property
    def version(self) -> tuple[int, int]:
        major, minor = ctypes.c_uint32(99), ctypes.c_uint32(99)
        self.library.GetVersion(ctypes.byref(major), ctypes.byref(minor))
        return major.value, minor.value

    def ask(self, kind: int, descriptor: Any, inputs: Any, outputs: Any, *, room: int = 200):
        """Ask whether the layer is supported; ``room`` is the size of the text buffer."""
        query = _fill(abi.armnn_layer_query_t, abi.ARMNN_STRUCT_LAYER_QUERY, kind, descriptor)
        _fill_infos(query, inputs, outputs)
        return _with_error(
            lambda error: table(self.support).is_layer_supported(self.support, query, error), room
        )

    def make(self, kind: int, descriptor: Any, inputs: Any, outputs: Any) -> Workload:
        """Make a workload; `Workload.answer` tells whether that went well."""
        info = _fill(abi.armnn_workload_info_t, abi.ARMNN_STRUCT_WORKLOAD_INFO, kind, descriptor)
        _fill_infos(info, inputs, outputs)
        constants = (ctypes.POINTER(abi.armnn_const_tensor_t) * max(len(inputs), 1))()
        info.constants = constants
        made = ctypes.POINTER(abi.armnn_workload_t)()
        create = table(self.factory).create_workload
        answer = _with_error(lambda error: create(self.factory, info, made, error), 200)
        return Workload(self, info, made, answer)


def table(item: Any) -> Any:
    """Return the table of functions that an object points to."""
    return item.contents.api.contents


def _fill(structure: type[Any], tag: int, kind: int, descriptor: Any) -> Any:
    made = new(structure, tag, type=kind)
    if descriptor is not None:
        made.descriptor = ctypes.cast(
            ctypes.pointer(descriptor), ctypes.POINTER(abi.armnn_header_t)
        )
    return made


def _fill_infos(target: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    pointer = ctypes.POINTER(abi.armnn_tensor_info_t)
    for name, infos in (("input", inputs), ("output", outputs)):
        array = (pointer * max(len(infos), 1))()
        for index, info in enumerate(infos):
            if info is not None:
                array[index] = ctypes.pointer(info.to_c())
        setattr(target, f"{name}_infos", array)
        setattr(target, f"{name}_count", len(infos))


def _with_error(call: Any, room: int) -> Answer:
    error = new(abi.armnn_error_t, abi.ARMNN_STRUCT_ERROR, capacity=room)
    text = ctypes.create_string_buffer(b"untouched" if room > 9 else b"", max(room, 1))
    error.text = text
    status = call(ctypes.pointer(error))
    return Answer(status, text.value.decode(), error.needed)


class Workload:
    """A workload and what it was made from."""

    def __init__(self, backend: Backend, info: Any, pointer: Any, answer: Answer) -> None:
        self.backend, self.info, self.pointer, self.answer = backend, info, pointer, answer

    def requirements(self) -> Any:
        made = new(abi.armnn_workload_requirements_t, abi.ARMNN_STRUCT_WORKLOAD_REQUIREMENTS)
        table(self.pointer).get_requirements(self.pointer, made)
        return made

    @property
    def kernel_name(self) -> bytes:
        return ctypes.string_at(table(self.pointer).get_kernel_name(self.pointer))

    def run(self, inputs: Sequence[Any], outputs: Sequence[Any], scratch: Any = None) -> Answer:
        """Execute over numpy arrays; None is a null address."""
        addresses = [
            (ctypes.c_void_p * max(len(arrays), 1))(
                *(None if item is None else item.ctypes.data for item in arrays)
            )
            for arrays in (inputs, outputs)
        ]
        arguments = new(abi.armnn_execute_args_t, abi.ARMNN_STRUCT_EXECUTE_ARGS, run_id=7)
        arguments.inputs, arguments.outputs = addresses
        if scratch is not None:
            arguments.scratch, arguments.scratch_size = scratch.ctypes.data, scratch.nbytes
        execute = table(self.pointer).execute
        return _with_error(lambda error: execute(self.pointer, arguments, error), 200)

    def close(self) -> None:
        table(self.pointer).destroy(self.pointer)
