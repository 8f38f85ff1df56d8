# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Plans of the native executor, and the structures that describe them.

A plan is made once for a network and its shapes; `NativeContext` runs it.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from armnn_py._native import abi
from armnn_py._native.calls import ErrorBuffer, raise_status
from armnn_py._native.layers.tensor_structs import tensor_info
from armnn_py._native.library import core

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.tensors import TensorInfo


class PlanSpec:
    """An ``armnn_plan_spec_t`` that is filled tensor by tensor and step by step.

    Parameters
    ----------
    tensor_count, step_count, listener_count
        How many there will be.
    """

    __slots__ = ("_keep", "struct")

    def __init__(self, tensor_count: int, step_count: int, listener_count: int = 0) -> None:
        self.struct = spec = abi.armnn_plan_spec_t()
        spec.header.struct_size = ctypes.sizeof(spec)
        spec.header.struct_type = abi.ARMNN_STRUCT_PLAN_SPEC
        spec.tensors = (abi.armnn_plan_tensor_t * max(tensor_count, 1))()
        spec.steps = (abi.armnn_plan_step_t * max(step_count, 1))()
        spec.listeners = (abi.armnn_plan_listener_t * max(listener_count, 1))()
        self._keep: list[Any] = []

    def add_tensor(
        self,
        kind: int,
        size: int,
        *,
        index: int = 0,
        offset: int = 0,
        alignment: int = 1,
        readable: int = 0,
        address: int = 0,
    ) -> None:
        """Add the next tensor; ``kind`` is an ``ARMNN_PLAN_TENSOR_`` value."""
        struct = self.struct.tensors[self.struct.tensor_count]
        self.struct.tensor_count += 1
        struct.kind = kind
        struct.index = index
        struct.offset = offset
        struct.size = size
        struct.alignment = alignment
        struct.readable = readable
        struct.address = address or None

    def add_step(
        self,
        kind: int,
        inputs: Sequence[int] = (),
        outputs: Sequence[int] = (),
        *,
        workload: int = 0,
        scratch_offset: int = 0,
        scratch_size: int = 0,
        persistent_size: int = 0,
        is_serial: bool = False,
        execution_data_index: int = abi.ARMNN_PLAN_NONE,
        backend_context: int = 0,
        network_id: int = 0,
        flags: int = 0,
        fence: int = 0,
        bounded: int = abi.ARMNN_PLAN_BOUNDED_NONE,
        input_infos: Any = None,
    ) -> None:
        """Add the next step; ``kind`` is an ``ARMNN_PLAN_STEP_`` value.

        Operands are numbers of tensors, ``ARMNN_PLAN_NONE`` for an absent one; workload and backend
        context are addresses.
        """
        struct = self.struct.steps[self.struct.step_count]
        self.struct.step_count += 1
        struct.kind = kind
        struct.input_count = len(inputs)
        struct.output_count = len(outputs)
        struct.execution_data_index = execution_data_index
        if workload:
            struct.workload = ctypes.cast(workload, ctypes.POINTER(abi.armnn_workload_t))
        struct.inputs = read = (ctypes.c_uint32 * max(len(inputs), 1))(*inputs)
        struct.outputs = written = (ctypes.c_uint32 * max(len(outputs), 1))(*outputs)
        self._keep += [read, written]
        struct.scratch_offset = scratch_offset
        struct.scratch_size = scratch_size
        struct.persistent_size = persistent_size
        struct.is_serial = is_serial
        struct.network_id = network_id
        struct.flags = flags
        struct.fence = fence
        struct.bounded = bounded
        if input_infos is not None:
            struct.input_infos = input_infos
        if backend_context:
            struct.backend_context = ctypes.cast(
                backend_context, ctypes.POINTER(abi.armnn_backend_context_t)
            )

    def add_listener(self, context: int, network_id: int, execution_data_index: int) -> None:
        """Add the next backend context that hears of each run; ``context`` is its address."""
        struct = self.struct.listeners[self.struct.listener_count]
        self.struct.listener_count += 1
        struct.context = ctypes.cast(context, ctypes.POINTER(abi.armnn_backend_context_t))
        struct.network_id = network_id
        struct.execution_data_index = execution_data_index

    def set_variables(self, places: Sequence[tuple[int, int | None]]) -> None:
        """Set the variables: numbers of the tensors of each one's value and next value."""
        self.struct.variable_count = len(places)
        self.struct.variables = (abi.armnn_plan_variable_t * max(len(places), 1))()
        for index, (value, after) in enumerate(places):
            self.struct.variables[index].value = value
            self.struct.variables[index].next = abi.ARMNN_PLAN_NONE if after is None else after


class PlanShapes:
    """An ``armnn_plan_shapes_t``: the shapes of the tensors of a plan for some runs.

    Parameters
    ----------
    infos
        For each tensor its info, or None if no bounded step uses it.
    sizes
        For each tensor its bytes.
    bounded
        By tensor: bits of dimensions that a step reports, see `tensor_info`.
    base
        Shapes many of whose infos are the same objects: their structures are used again.
    """

    __slots__ = ("_keep", "_pointers", "struct")
    _pointers: dict[int, Any]  # by id of an info, which the caller keeps

    def __init__(
        self,
        infos: Sequence[TensorInfo | None],
        sizes: Sequence[int],
        bounded: Mapping[int, int],
        base: PlanShapes | None = None,
    ) -> None:
        self.struct = abi.armnn_plan_shapes_t()
        pointer_type = ctypes.POINTER(abi.armnn_tensor_info_t)
        pointers = (pointer_type * max(len(infos), 1))()
        known = {} if base is None else base._pointers.copy()
        for number, info in enumerate(infos):
            if info is None:
                continue
            if number in bounded:
                pointers[number] = ctypes.pointer(tensor_info(info, bounded=bounded[number]))
                continue
            pointer = known.get(id(info))
            if pointer is None:
                pointer = known[id(info)] = ctypes.pointer(tensor_info(info))
            pointers[number] = pointer
        self.struct.infos = pointers
        self.struct.sizes = (ctypes.c_uint64 * max(len(sizes), 1))(*sizes)
        self._pointers = known
        self._keep = pointers, infos  # the structures, and the ids


class NativePlan:
    """An ``armnn_plan_t``. Workloads, backend contexts and constants must outlive it.

    Raises
    ------
    InvalidArgumentError
        If a number of the plan does not fit; the native checker says which.
    """

    __slots__ = ("handle", "input_count", "labels", "output_count")

    def __init__(
        self,
        plan: PlanSpec,
        *,
        input_count: int,
        output_count: int,
        execution_data_count: int,
        arena_size: int,
        handle_count: int = 0,
        fence_count: int = 0,
    ) -> None:
        self.input_count = input_count
        self.output_count = output_count
        spec = plan.struct
        spec.input_count = input_count
        spec.output_count = output_count
        spec.execution_data_count = execution_data_count
        spec.handle_count = handle_count
        spec.fence_count = fence_count
        spec.arena_size = arena_size
        error = ErrorBuffer()
        self.handle = ctypes.POINTER(abi.armnn_plan_t)()
        self.labels: Any = None
        status = core().armnn_plan_create(
            ctypes.byref(spec), ctypes.byref(self.handle), ctypes.byref(error.struct)
        )
        if status != abi.ARMNN_STATUS_OK:
            raise_status(status, "the plan of the network was refused", error)

    @property
    def address(self) -> int:
        """The plan's id in trace events."""
        return ctypes.cast(self.handle, ctypes.c_void_p).value or 0

    def label(self, labels: Sequence[bytes | None]) -> None:
        """Set labels of the steps and of the calls beside them; None for a backend of the package.

        After the steps come two for each listener, of its ``before_run`` and ``after_run``, and one
        for what else follows the steps.
        """
        self.labels = (ctypes.c_char_p * len(labels))(*labels)
        core().armnn_plan_set_labels(self.handle, self.labels)

    def destroy(self) -> None:
        """Destroy the plan; contexts must be gone."""
        if self.handle:
            core().armnn_plan_destroy(self.handle)
            self.handle = ctypes.POINTER(abi.armnn_plan_t)()
