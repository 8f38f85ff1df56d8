# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend's Debug workload that also shows the tensor to Python."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native import abi
from armnn_py._native.table.guarded_workload import WrappedWorkload

if TYPE_CHECKING:
    from collections.abc import Callable

    from armnn_py._native.table.workloads import NativeWorkload
    from armnn_py.tensors import TensorInfo

__all__ = ["DebugWorkload"]


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
