# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Execute of a workload at addresses that the caller chooses, without a plan."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py._native.table.workloads import NativeWorkload


class DirectCall:
    """One ``execute``, to be called as often as wanted, by one thread at a time.

    Parameters
    ----------
    workload
        Not destroyed while this lives.
    inputs, outputs
        Addresses; None for an operand that is absent, or constant and consumed.
    scratch
        As many bytes as its requirements say, or None if they say none.
    execution_data
        Execution data that its factory made for this caller.
    persistent
        As many zeros as its requirements say, or None if they say none.
    workload_data
        The workload's data for this caller; None: each call makes its own.
    """

    def __init__(
        self,
        workload: NativeWorkload,
        inputs: Sequence[int | None],
        outputs: Sequence[int],
        scratch: int | None,
        execution_data: int | None,
        persistent: int | None = None,
        *,
        workload_data: int | None = None,
    ) -> None:
        self._data = workload_data
        self._workload, self._execution_data = workload, execution_data
        self._arguments = arguments = abi.armnn_execute_args_t()
        arguments.header.struct_size = ctypes.sizeof(arguments)
        arguments.header.struct_type = abi.ARMNN_STRUCT_EXECUTE_ARGS
        arguments.inputs = (ctypes.c_void_p * max(len(inputs), 1))(*inputs)
        arguments.outputs = (ctypes.c_void_p * max(len(outputs), 1))(*outputs)
        if scratch is not None:
            arguments.scratch = scratch
            arguments.scratch_size = workload.requirements.scratch_size
        if execution_data is not None:
            arguments.execution_data = execution_data
        self._persistent = persistent
        self._error = ErrorBuffer()
        self._references = ctypes.byref(arguments), ctypes.byref(self._error.struct)
        self._execute = workload.object.contents.api.contents.execute

    def __call__(self) -> tuple[int, str]:
        """Call it, with data of the workload that is made for this call.

        Calls of a serial workload wait for each other.

        Returns
        -------
        tuple
            The status, and the text of the error if it is not OK.
        """
        error, workload = self._error, self._workload
        error.clear()
        if workload.has_data and self._data is None:
            with workload.data(self._execution_data, error) as (status, data):
                if status == abi.ARMNN_STATUS_OK:
                    status = self._call(data)
        else:
            status = self._call(self._data)
        return status, "" if status == abi.ARMNN_STATUS_OK else error.text

    def repeat(self, count: int) -> tuple[int, str]:
        """Call it so many times, as long as it answers OK, with as little around as there can be.

        Returns
        -------
        tuple
            As a call.
        """
        if self._workload.has_data or self._workload.requirements.is_serial:
            answers = (self() for _ in range(count))
            return next((one for one in answers if one[0] != abi.ARMNN_STATUS_OK), (0, ""))
        self._error.clear()
        self._arguments.workload_data = self._persistent
        execute, workload, references = self._execute, self._workload.object, self._references
        for _ in range(count):
            if execute(workload, *references):
                return self()
        return abi.ARMNN_STATUS_OK, ""

    def _call(self, data: int | None) -> int:
        self._arguments.workload_data = data if self._persistent is None else self._persistent
        with self._workload.turn:
            return int(self._execute(self._workload.object, *self._references))
