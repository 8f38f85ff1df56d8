# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Calls of a backend's layer support object."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, backend_failure
from armnn_py._native.layers import layer_query
from armnn_py._native.object_table import object_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.tensors import TensorInfo

__all__ = ["NativeLayerSupport"]


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

    Raises
    ------
    BackendError
        If the backend does not give a layer support object.
    """

    __slots__ = ("_api", "_error", "_object", "backend_id")

    def __init__(self, backend_id: str, api: abi.armnn_backend_api_t, instance: int) -> None:
        self.backend_id = backend_id
        self._error = ErrorBuffer()
        self._object: Any = None
        out = ctypes.POINTER(abi.armnn_layer_support_t)()
        backend = ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t))
        status = api.get_layer_support(
            backend, None, ctypes.byref(out), ctypes.byref(self._error.struct)
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

    def ask(
        self,
        layer_type: int,
        descriptor: Any,
        inputs: Sequence[TensorInfo | None],
        outputs: Sequence[TensorInfo],
        constant_inputs: Sequence[bool],
    ) -> tuple[bool, str]:
        """Whether the backend takes this layer, and the reason if it does not."""
        keep, query = layer_query(layer_type, descriptor, inputs, outputs, constant_inputs)
        self._error.clear()
        status = self._api.is_layer_supported(
            self._object, ctypes.byref(query), ctypes.byref(self._error.struct)
        )
        del keep
        if status == abi.ARMNN_STATUS_OK:
            return True, ""
        reason = self._error.text
        if status != abi.ARMNN_STATUS_UNSUPPORTED:
            reason = f"is_layer_supported answered {status}: {reason or 'no reason given'}"
        return False, reason or "no reason given"

    def close(self) -> None:
        """Destroy the object; harmless when repeated."""
        if self._object is not None:
            self._api.destroy(self._object)
            self._object = None
