# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The callback of a program that sees the tensors at Debug layers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from armnn_py._native.table.guarded_workload import DebugWorkload, WrappedWorkload
from armnn_py.errors import ExecutionError
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.interrupts import interruptible
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py._native.table.guarded_workload import ExecuteArrays
    from armnn_py._native.table.workloads import NativeWorkload
    from armnn_py.network import Layer

#: Called with the name of a layer, the index of its output, and a copy of the tensor there.
DebugCallback = Callable[[str, int, np.ndarray], None]


class DebugHook:
    """The callback of one loaded network, and its exception until the run is over.

    Attributes
    ----------
    callback
        Called on the thread of the run; None: without a callback.
    is_used
        Whether there are Debug layers, or guarded ones.
    guards
        Whether layers of backends in this process are guarded.
    """

    __slots__ = ("_raised", "callback", "guards", "is_used")

    def __init__(self, *, guards: bool = False) -> None:
        self.guards = guards
        self.callback: DebugCallback | None = None
        self.is_used = False
        self._raised: dict[int, BaseException] = {}  # by thread: a run stays on one

    def wrap(self, workload: NativeWorkload, layer: Layer) -> DebugWorkload:
        """Wrap the workload of a Debug layer so that it shows its tensor to the callback."""
        self.is_used = True
        source = layer.inputs[0]
        assert source is not None
        while source.layer.type in (LayerType.MEM_COPY, LayerType.MEM_IMPORT):
            assert source.layer.inputs[0] is not None
            source = source.layer.inputs[0]
        name, index = source.layer.name, source.index

        def show(read: Callable[[], np.ndarray]) -> bool:
            callback = self.callback
            if callback is None:
                return True
            try:
                with interruptible():
                    callback(name, index, read())
            except BaseException as error:  # no exception goes through C
                self._raised[threading.get_ident()] = error
                return False
            return True

        return DebugWorkload(workload, layer.outputs[0].info, show)

    def guard(self, workload: NativeWorkload, layer: Layer) -> WrappedWorkload:
        """Wrap a workload so that each execute is checked."""
        from armnn_py.guard.step import GuardedStep

        self.is_used = True
        step = GuardedStep(workload, layer)

        def execute(given: ExecuteArrays) -> bool | None:
            if not given.has_arrays:
                return None
            try:
                return True if step.execute(given) else None
            except CheckFailedError as error:
                self._raised[threading.get_ident()] = broken_rule(error, workload.backend_id, layer)
            except BaseException as error:  # no exception goes through C
                self._raised[threading.get_ident()] = error
            return False

        return WrappedWorkload(workload, step.input_infos, step.output_infos, execute)

    def take_raised(self) -> BaseException | None:
        """Return and forget the exception of the callback in a run of this thread, or None."""
        return self._raised.pop(threading.get_ident(), None)


def broken_rule(error: CheckFailedError, backend_id: str, layer: Layer) -> ExecutionError:
    """The error for a rule that a backend breaks in a guarded run."""
    return ExecutionError(
        f"guard: layer '{layer.name}' ({layer.type.label}) on backend '{backend_id}': {error}",
        layer=layer.name,
        backend=backend_id,
        hints=["'armnn-py backends test FILE' checks all layers of the backend"],
    )
