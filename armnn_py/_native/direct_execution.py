# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One execute of a workload at addresses that the caller chooses, without a plan."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py._native.workloads import NativeWorkload

__all__ = ["execute"]


def execute(
    workload: NativeWorkload,
    inputs: Sequence[int | None],
    outputs: Sequence[int],
    scratch: int | None,
    execution_data: int | None,
    persistent: int | None = None,
) -> tuple[int, str]:
    """Call ``execute`` once, with data of the workload that is made for this call.

    Calls of a serial workload wait for each other.

    Parameters
    ----------
    workload
        Not destroyed.
    inputs, outputs
        Addresses; None for an operand that is absent, or constant and consumed.
    scratch
        As many bytes as its requirements say, or None if they say none.
    execution_data
        What its factory made for this caller.
    persistent
        As many zeros as its requirements say, or None if they say none.

    Returns
    -------
    tuple
        The status, and the text of the error.
    """
    arguments = abi.armnn_execute_args_t()
    arguments.header.struct_size = ctypes.sizeof(arguments)
    arguments.header.struct_type = abi.ARMNN_STRUCT_EXECUTE_ARGS
    arguments.inputs = (ctypes.c_void_p * max(len(inputs), 1))(*inputs)
    arguments.outputs = (ctypes.c_void_p * max(len(outputs), 1))(*outputs)
    if scratch is not None:
        arguments.scratch = scratch
        arguments.scratch_size = workload.requirements.scratch_size
    if execution_data is not None:
        arguments.execution_data = execution_data
    error = ErrorBuffer()
    call = workload.object.contents.api.contents.execute
    with workload.data(execution_data, error) as (status, data):
        if status != abi.ARMNN_STATUS_OK:
            return status, error.text
        arguments.workload_data = data if persistent is None else persistent
        with workload.turn:
            status = int(call(workload.object, ctypes.byref(arguments), ctypes.byref(error.struct)))
    return status, error.text
