# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A workload whose execute goes through Python, with its tensors as arrays."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native import abi
from armnn_py._native.table.workloads import NativeWorkload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from armnn_py.tensors import TensorInfo

_Api = abi.armnn_workload_api_t
_TYPES: dict[str, Any] = dict(_Api._fields_)  # type: ignore[arg-type]


class ExecuteArrays:
    """The arguments of one execute.

    Attributes
    ----------
    inputs, outputs
        Arrays over the tensors; None for an input that is absent or consumed. Both are empty if a
        tensor has no address, or a size that only the run knows.
    kept
        The persistent bytes, or None.
    workload_data, execution_data
        Addresses.
    """

    def __init__(
        self,
        args: Any,
        inputs: Sequence[TensorInfo | None],
        outputs: Sequence[TensorInfo],
        persistent_size: int,
    ) -> None:
        self.execution_data: int | None = args.execution_data
        self.workload_data: int | None = args.workload_data
        self.kept: NDArray[np.uint8] | None = None
        if persistent_size:
            self.kept = _bytes_at(args.workload_data, persistent_size)
            self.workload_data = None
        self.inputs: list[NDArray[Any] | None] = []
        self.outputs: list[NDArray[Any]] = []
        needed = [args.inputs[i] for i, info in enumerate(inputs) if info and info.byte_size]
        needed += [args.outputs[i] for i, info in enumerate(outputs) if info.byte_size]
        self.has_arrays = all(needed) and not args.input_infos and not args.output_dims
        if self.has_arrays:
            self.inputs = [
                None if info is None else _array_at(args.inputs[i], info)
                for i, info in enumerate(inputs)
            ]
            self.outputs = [_array_at(args.outputs[i], info) for i, info in enumerate(outputs)]


def _bytes_at(address: int | None, size: int) -> NDArray[np.uint8]:
    if not address or not size:
        return np.empty(0, np.uint8)
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address))


def _array_at(address: int | None, info: TensorInfo) -> NDArray[Any]:
    return _bytes_at(address, info.byte_size).view(info.dtype).reshape(info.static_shape)


class WrappedWorkload(NativeWorkload):
    """The host's workload for the executor, in place of the backend's.

    Parameters
    ----------
    workload
        The backend's; this object becomes its owner.
    inputs, outputs
        Infos of the tensors that it reads and writes.
    execute
        Called with the arguments; returns whether the run goes on, or None: the backend's execute
        is called as it is. It never raises.
    """

    __slots__ = ("_infos", "_show", "_struct", "_table", "inner")

    def __init__(
        self,
        workload: NativeWorkload,
        inputs: Sequence[TensorInfo | None],
        outputs: Sequence[TensorInfo],
        execute: Callable[[ExecuteArrays], bool | None],
    ) -> None:
        self.inner = workload
        for name in NativeWorkload.__slots__:
            setattr(self, name, getattr(workload, name))
        self._infos, self._show = (inputs, outputs), execute
        table = _Api()
        table.header.struct_size = ctypes.sizeof(table)
        table.header.struct_type = abi.ARMNN_STRUCT_WORKLOAD
        for name, kind in _TYPES.items():
            function = getattr(self._api, name)
            if name != "header" and function:
                setattr(table, name, kind(self._forwarded(function)))
        table.destroy = _TYPES["destroy"](lambda _workload: None)  # Python owns it
        table.execute = _TYPES["execute"](self._execute)
        self._table: Any = table
        self._struct: Any = abi.armnn_workload_t(ctypes.pointer(table))
        self.address = ctypes.addressof(self._struct)

    def _forwarded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of the table that gets the backend's workload instead of this one."""
        return lambda _workload, *rest: function(self.object, *rest)

    def _execute(self, _workload: Any, args: Any, error: Any) -> int:
        try:
            given = ExecuteArrays(args.contents, *self._infos, self.requirements.persistent_size)
            goes_on = self._show(given)
        except Exception:  # none may leave a callback
            return abi.ARMNN_STATUS_INTERNAL
        if goes_on is None:
            status: int = self._api.execute(self.object, args, error)
            return status
        return abi.ARMNN_STATUS_OK if goes_on else abi.ARMNN_STATUS_INTERNAL

    def destroy(self) -> None:
        """Destroy the backend's workload; no plan may refer to this object."""
        self.object = None
        self.inner.destroy()
        self._struct = self._table = None


class DebugWorkload(WrappedWorkload):
    """The host's workload for the executor: it runs the backend's, then shows the output.

    Parameters
    ----------
    workload
        The backend's workload of a Debug layer; this object becomes its owner.
    info
        Info of the tensor that the layer passes through.
    show
        Called with a function that copies the tensor; returns whether the run goes on; never
        raises.
    """

    __slots__ = ("_show_tensor", "_tensor_info")

    def __init__(
        self,
        workload: NativeWorkload,
        info: TensorInfo,
        show: Callable[[Callable[[], np.ndarray]], bool],
    ) -> None:
        self._tensor_info = info
        self._show_tensor = show
        super().__init__(workload, (), (), lambda _given: None)

    def _execute(self, _workload: Any, args: Any, error: Any) -> int:
        status: int = self._api.execute(self.object, args, error)
        address = args.contents.outputs[0]
        size = self._tensor_info.byte_size
        if status != abi.ARMNN_STATUS_OK or (size and not address):
            return status  # memory of a backend has no address
        goes_on = self._show_tensor(lambda: self._copy(address, size))
        return status if goes_on else abi.ARMNN_STATUS_INTERNAL

    def _copy(self, address: int, size: int) -> np.ndarray:
        data = bytearray(ctypes.string_at(address, size)) if size else bytearray()
        return np.frombuffer(data, self._tensor_info.dtype).reshape(self._tensor_info.static_shape)
