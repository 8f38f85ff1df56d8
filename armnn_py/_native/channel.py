# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Channels for runs between host and worker, over memory that both map (`channel.c`)."""

from __future__ import annotations

import ctypes
import functools
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from armnn_py._native import abi
from armnn_py._native.library import core
from armnn_py._native.python_backend.python_objects import item_of, notice, question, table

if TYPE_CHECKING:
    import mmap
    from collections.abc import Callable, Sequence

#: Where the tensors of a channel begin in its memory.
TENSORS_OFFSET = abi.ARMNN_CHANNEL_TENSORS_OFFSET

#: The number of events lies before them.
_EVENTS_HEAD = abi.ARMNN_CHANNEL_EVENTS_HEAD
_EVENT_NAME = abi.armnn_trace_event_t.name.size  # type: ignore[attr-defined]


def execute_function() -> int:
    """Address of the ``execute`` of a workload whose data is a channel."""
    return ctypes.cast(core().armnn_channel_execute, ctypes.c_void_p).value or 0


class NativeChannel:
    """The host's end.

    Parameters
    ----------
    memory
        Mapped; kept until `close`.
    inputs, outputs
        Offset and size in bytes of each tensor.
    process
        A pidfd of the worker.
    deadline
        Seconds that a run may take, or None.
    events
        Offset and size of the memory for events of kernels.

    Raises
    ------
    MemoryError
        Memory is out.
    """

    def __init__(
        self,
        memory: mmap.mmap,
        inputs: Sequence[tuple[int, int]],
        outputs: Sequence[tuple[int, int]],
        process: int,
        deadline: float | None,
        events: tuple[int, int] = (0, 0),
    ) -> None:
        self._memory = memory
        self.handle = core().armnn_channel_open(
            _address(memory), len(memory),
            _tensors(inputs), len(inputs), _tensors(outputs), len(outputs),
            process, 0 if deadline is None else max(1, int(deadline * 1e9)),
        )  # fmt: skip
        if not self.handle:
            raise MemoryError
        core().armnn_channel_take_events(self.handle, *events)

    @staticmethod
    def bytes_of_events(count: int) -> int:
        """The memory for so many events."""
        return _EVENTS_HEAD + count * ctypes.sizeof(abi.armnn_trace_event_t)

    @property
    def address(self) -> int:
        """Address of the C object: the data of the workload."""
        return ctypes.cast(self.handle, ctypes.c_void_p).value or 0

    def end(self, reason: int) -> int:
        """Let a run in flight fail, and later ones; returns why the worker ended."""
        return int(core().armnn_channel_end(self.handle, reason))

    def settle(self) -> bool:
        """Forget a request that the ended worker left; False if a run is still in flight."""
        return bool(core().armnn_channel_settle(self.handle))

    def renew(self, process: int) -> None:
        """Have runs handed over to another worker."""
        core().armnn_channel_renew(self.handle, process)

    def keep_calls(self, most_bytes: int) -> None:
        """Keep copies of so many bytes of calls; 0: of the call in which the worker ends."""
        core().armnn_channel_keep_calls(self.handle, most_bytes)

    def take_calls(self) -> list[tuple[int, bytes, bytes]]:
        """Take the kept calls, oldest first: status, bytes of inputs, bytes of outputs."""
        found = []
        while call := core().armnn_channel_take_call(self.handle):
            told = call.contents
            inputs = ctypes.string_at(told.inputs, told.input_size)
            outputs = ctypes.string_at(told.outputs, told.output_size)
            found.append((int(told.status), inputs, outputs))
            core().armnn_channel_free_call(call)
        return found

    def close(self) -> None:
        """Free it; no run may be in flight."""
        if self.handle:
            core().armnn_channel_close(self.handle)
            self.handle = None


def yield_between_runs() -> None:
    """Have threads of the pool sleep at once between runs, when the host needs a processor."""
    core().armnn_core_yield_between_runs()


class WorkerChannel:
    """The worker's end."""

    def __init__(self, memory: mmap.mmap, events: tuple[int, int] = (0, 0)) -> None:
        self._memory = memory
        self._address = _address(memory)
        offset, size = events
        count = max(0, size - _EVENTS_HEAD) // ctypes.sizeof(abi.armnn_trace_event_t)
        self._count = ctypes.c_uint64.from_buffer(memory, offset)
        kind = abi.armnn_trace_event_t * count
        self._events = kind.from_buffer(memory, offset + _EVENTS_HEAD)

    def wait(self, seconds: float) -> bool:
        """Wait for a run; False if none came."""
        return bool(core().armnn_channel_wait(self._address, int(seconds * 1e9)))

    def wake(self) -> None:
        """End a `wait` that has begun to sleep, from another thread."""
        core().armnn_channel_wake(self._address)

    @property
    def run_id(self) -> int:
        """The host's number of the run."""
        return int(core().armnn_channel_run_id(self._address))

    def tell(self, events: Sequence[tuple[int, str, int, int]]) -> None:
        """Add events to the answer: phase, name, id and time of each. The host counts the rest."""
        for struct, (kind, name, number, time_ns) in zip(self._events, events, strict=False):
            struct.kind, struct.id, struct.time_ns = kind, number, time_ns
            struct.name = name.encode()[: _EVENT_NAME - 1]
        self._count.value = len(events)

    def answer(self, status: int = abi.ARMNN_STATUS_OK, text: str = "") -> None:
        """End the run."""
        core().armnn_channel_answer(self._address, status, text.encode("utf-8", "replace"))


def _address(memory: mmap.mmap) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))


def _tensors(places: Sequence[tuple[int, int]]) -> Any:
    array = (abi.armnn_channel_tensor_t * max(len(places), 1))()
    for struct, (offset, size) in zip(array, places, strict=False):
        struct.offset, struct.size = offset, size
    return array


class HandedOver(Protocol):
    """A compiled sub-graph whose runs go through channels, one for each execution context."""

    name: str
    consumed_mask: int  # bits of operands whose values the worker has
    has_state: bool  # whether a run leaves something for the next

    def open_channel(self) -> int: ...
    def reset_channel(self, address: int) -> None: ...
    def close_channel(self, address: int) -> None: ...


@functools.cache
def channel_functions(destroy: Callable[[Any], None], *, has_state: bool) -> Any:
    """The functions of a workload whose object has the member ``runs``, a `HandedOver`."""
    functions: dict[str, Any] = {
        "destroy": partial(notice, function=destroy),
        "execute": lambda kind: kind(execute_function()),
        "get_requirements": partial(notice, function=_get_requirements),
        "get_kernel_name": partial(notice, function=_get_kernel_name, default=0),
        "create_workload_data": partial(
            question, answer=_create_data, what="create_workload_data", keeps=True
        ),
        "destroy_workload_data": partial(notice, function=_destroy_data),
    }
    if has_state:
        functions["reset_workload_data"] = partial(
            question, answer=_reset_data, what="reset_workload_data", keeps=True
        )
    return table(abi.armnn_workload_api_t, abi.ARMNN_STRUCT_WORKLOAD, functions)


def _get_requirements(pointer: Any, out: Any) -> None:
    out.contents.consumed_mask = item_of(pointer).runs.consumed_mask
    out.contents.tensor_alignment = 1  # tensors are copied to the worker


def _get_kernel_name(pointer: Any) -> int:
    return int(item_of(pointer).name_address)


def _create_data(pointer: Any, _execution_data: Any, out: Any) -> None:
    out[0] = item_of(pointer).runs.open_channel()


def _reset_data(pointer: Any, data: Any) -> None:
    item_of(pointer).runs.reset_channel(int(data))


def _destroy_data(pointer: Any, data: Any) -> None:
    item_of(pointer).runs.close_channel(int(data))
