# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A compiled sub-graph in a worker, and the threads that run it."""

from __future__ import annotations

import mmap
import os
import threading
from typing import TYPE_CHECKING

import numpy as np

from armnn_py._native import abi
from armnn_py._native.channel import WorkerChannel
from armnn_py.errors import ArmnnError, NoBackendForLayerError
from armnn_py.optimizer import OptimizerOptions, optimize
from armnn_py.runtime import LoadedNetwork
from armnn_py.worker.kernels import KernelsOfPlan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.network import Network
    from armnn_py.runtime import Runtime
    from armnn_py.runtime.bound_network import BoundNetwork
    from armnn_py.tensors import TensorInfo
    from armnn_py.worker.kernels import Kernels

_SLICE = 0.2
_WAKE_AGAIN = 0.002


class LoadedPart:
    """A network of one backend, loaded.

    Raises
    ------
    NoBackendForLayerError
        The backend refuses layers, see `refusals`.
    """

    def __init__(
        self,
        network: Network,
        backend_id: str,
        runtime: Runtime,
        model_options: Mapping[str, OptionValue],
    ) -> None:
        options = OptimizerOptions(
            simplify=False,  # the host has done it
            model_options={backend_id: model_options} if model_options else {},
        )
        optimized = optimize(network, [backend_id], runtime=runtime, options=options)
        self.loaded: LoadedNetwork = runtime.load_network(optimized)
        with self.loaded.bind() as bound:
            #: Whether a run leaves something for the next.
            self.has_state = bound.has_state
        #: By number of an execution context of the host.
        self.channels: dict[int, Channel] = {}

    def close(self) -> None:
        """End all of it."""
        for channel in self.channels.values():
            channel.close()
        self.channels.clear()
        self.loaded.close()


class Channel:
    """One execution context of the host: its memory, arrays in it, and a thread that runs."""

    def __init__(
        self,
        part: LoadedPart,
        file: int,
        guids: Sequence[int],
        inputs: Sequence[tuple[int, int]],
        outputs: Sequence[tuple[int, int]],
        events: tuple[int, int],
        kernels: Kernels,
        run_options: Mapping[int, Mapping[str, Mapping[str, OptionValue]]],
    ) -> None:
        self._run_options, self._kernels = run_options, kernels
        memory = mmap.mmap(file, 0)
        os.close(file)
        loaded = part.loaded
        self.bound: BoundNetwork = loaded.bind(
            dict(zip(loaded.inputs, _arrays(memory, loaded.inputs, inputs), strict=True)),
            dict(zip(loaded.outputs, _arrays(memory, loaded.outputs, outputs), strict=True)),
        )
        self._channel = WorkerChannel(memory, events)
        self._translated = KernelsOfPlan(self.bound._context.plan, guids)
        self._is_closed = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread, and give back the memory."""
        self._is_closed = True
        while self._thread.is_alive():  # a wake before its sleep is lost
            self._channel.wake()
            self._thread.join(_WAKE_AGAIN)
        self.bound.close()

    def _serve(self) -> None:
        channel, run, own, given = self._channel, self.bound.run, os.getpid(), self._run_options
        while not self._is_closed:
            if not channel.wait(_SLICE):
                continue
            try:
                run(options=given.get(channel.run_id) if given else None)
                if os.getpid() != own:
                    os._exit(0)  # a copy that the backend forked
                if self._kernels.is_on:
                    self._tell_kernels()
            except Exception as error:
                status = getattr(error, "status", None) or abi.ARMNN_STATUS_INTERNAL
                channel.answer(status, _words(error))
            else:
                channel.answer()

    def _tell_kernels(self) -> None:
        context = self.bound._context
        assert context.plan.native is not None
        events = self._kernels.of_run(context.plan.native.address, context.native.run_id)
        self._channel.tell(self._translated.translate(events))


def _words(error: Exception) -> str:
    if isinstance(error, ArmnnError):
        return "; ".join([error.message, *error.details])
    return f"{type(error).__name__}: {error}"


def _arrays(
    memory: mmap.mmap, infos: Mapping[str, TensorInfo], places: Sequence[tuple[int, int]]
) -> list[np.ndarray[Any, Any]]:
    return [
        np.ndarray(info.static_shape, info.dtype, memory, offset)
        for info, (offset, _) in zip(infos.values(), places, strict=True)
    ]


def refusals(error: NoBackendForLayerError) -> dict[str, str]:
    """The layers that a backend refuses, and why."""
    return {one.layer: "; ".join(reason for _, reason in one.refusals) for one in error.layers}
