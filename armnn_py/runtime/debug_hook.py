# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The callback of a program that sees the tensors at Debug layers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from armnn_py._native.table.debug_workload import DebugWorkload
from armnn_py.interrupts import interruptible
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py._native.table.workloads import NativeWorkload
    from armnn_py.network import Layer

__all__ = ["DebugCallback", "DebugHook"]

#: Called with the name of a layer, the index of its output, and a copy of the tensor there.
DebugCallback = Callable[[str, int, np.ndarray], None]


class DebugHook:
    """The callback of one loaded network, and its exception until the run is over.

    Attributes
    ----------
    callback
        Called on the thread of the run; None: without a callback.
    is_used
        Whether there are Debug layers.
    """

    __slots__ = ("_raised", "callback", "is_used")

    def __init__(self) -> None:
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

    def take_raised(self) -> BaseException | None:
        """Return and forget the exception of the callback in a run of this thread, or None."""
        return self._raised.pop(threading.get_ident(), None)
