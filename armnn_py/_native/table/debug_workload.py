# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend's Debug workload that also shows the tensor to Python."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native import abi
from armnn_py._native.table.workloads import NativeWorkload

if TYPE_CHECKING:
    from collections.abc import Callable

    from armnn_py.tensors import TensorInfo

__all__ = ["DebugWorkload"]

_Api = abi.armnn_workload_api_t
_TYPES: dict[str, Any] = dict(_Api._fields_)  # type: ignore[arg-type]


class DebugWorkload(NativeWorkload):
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

    __slots__ = ("_show", "_struct", "_table", "_tensor_info")

    def __init__(
        self,
        workload: NativeWorkload,
        info: TensorInfo,
        show: Callable[[Callable[[], np.ndarray]], bool],
    ) -> None:
        for name in NativeWorkload.__slots__:
            setattr(self, name, getattr(workload, name))
        workload.object = None
        self._tensor_info = info
        self._show = show
        table = _Api()
        table.header.struct_size = ctypes.sizeof(table)
        table.header.struct_type = abi.ARMNN_STRUCT_WORKLOAD
        table.destroy = _TYPES["destroy"](lambda _workload: None)  # Python owns it
        table.execute = _TYPES["execute"](self._execute)
        self._table: Any = table
        self._struct: Any = abi.armnn_workload_t(ctypes.pointer(table))
        self.address = ctypes.addressof(self._struct)

    def _execute(self, _workload: Any, args: Any, error: Any) -> int:
        status: int = self._api.execute(self.object, args, error)
        address = args.contents.outputs[0]
        size = self._tensor_info.byte_size
        if status != abi.ARMNN_STATUS_OK or (size and not address):
            return status  # memory of a backend has no address
        return status if self._show(lambda: self._copy(address, size)) else _STOPPED

    def _copy(self, address: int, size: int) -> np.ndarray:
        data = bytearray(ctypes.string_at(address, size)) if size else bytearray()
        return np.frombuffer(data, self._tensor_info.dtype).reshape(self._tensor_info.static_shape)

    def destroy(self) -> None:
        """Destroy the backend's workload; no plan may refer to this object."""
        super().destroy()
        self._struct = self._table = None


_STOPPED = abi.ARMNN_STATUS_INTERNAL
