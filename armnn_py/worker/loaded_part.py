# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Answers of a worker about layers and sub-graphs, and the threads that run these."""

from __future__ import annotations

import mmap
import os
import threading
from typing import TYPE_CHECKING

import numpy as np

from armnn_py._native import abi, trace
from armnn_py._native.channel import WorkerChannel
from armnn_py._native.memory.process_memory import give_back_freed
from armnn_py.backends.options.model_options import ModelOptions
from armnn_py.backends.questions.layer_support import LayerSupport, never_shown, valid_signature
from armnn_py.errors import ArmnnError, NoBackendForLayerError
from armnn_py.isolation.parts import number_of
from armnn_py.network import ConstantLayer
from armnn_py.optimizer import OptimizerOptions, optimize
from armnn_py.runtime import LoadedNetwork
from armnn_py.tensors.json_infos import info_to_json
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from armnn_py._native.layers.shown_layers import ShownLayer
    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.backends.backend import Backend
    from armnn_py.network import Network
    from armnn_py.runtime import Runtime
    from armnn_py.runtime.bound_network import BoundNetwork
    from armnn_py.runtime.plan.network_plan import NetworkPlan
    from armnn_py.tensors import TensorInfo

_SLICE = 0.2
_WAKE_AGAIN = 0.002
_CAPACITY = 1 << 16
_COMPILED = LayerType.PRE_COMPILED.label


class _Kernels:
    """Events of kernels in the runs of this worker, while a profile of the host is open."""

    def __init__(self) -> None:
        self.is_on = False
        self._lock = threading.Lock()
        self._events: dict[tuple[int, int], list[trace.TraceEvent]] = {}

    def turn(self, on: bool) -> None:
        """Begin or end to record."""
        with self._lock:
            if on == self.is_on:
                return
            self.is_on = on
            if on:
                trace.start(_CAPACITY)
            else:
                trace.stop()
                trace.read()
                self._events.clear()

    def of_run(self, plan: int, run: int) -> list[trace.TraceEvent]:
        """Take the events of a run that has ended."""
        with self._lock:
            for event in trace.read():
                self._events.setdefault((event.plan, event.run_id), []).append(event)
            return self._events.pop((plan, run), [])


kernels = _Kernels()


class LoadedPart:
    """A network of one backend, loaded.

    Raises
    ------
    NoBackendForLayerError
        The backend refuses layers.
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
        give_back_freed()
        for memory in _maps_of(network):
            memory.madvise(mmap.MADV_DONTNEED)  # a backend that reads the weights has them again

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
        run_options: Mapping[int, Mapping[str, Mapping[str, OptionValue]]],
    ) -> None:
        self._run_options = run_options
        memory = mmap.mmap(file, 0)
        os.close(file)
        loaded = part.loaded
        self.bound: BoundNetwork = loaded.bind(
            dict(zip(loaded.inputs, _arrays(memory, loaded.inputs, inputs), strict=True)),
            dict(zip(loaded.outputs, _arrays(memory, loaded.outputs, outputs), strict=True)),
        )
        self._channel = WorkerChannel(memory, events)
        self._translated = _KernelsOfPlan(self.bound._context.plan, guids)
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
                if kernels.is_on:
                    self._tell_kernels()
            except Exception as error:
                status = getattr(error, "status", None) or abi.ARMNN_STATUS_INTERNAL
                channel.answer(status, _words(error))
            else:
                channel.answer()

    def _tell_kernels(self) -> None:
        context = self.bound._context
        assert context.plan.native is not None
        events = kernels.of_run(context.plan.native.address, context.native.run_id)
        self._channel.tell(self._translated.translate(events))


def _maps_of(network: Network) -> set[mmap.mmap]:
    """The mapped files in which constants lie."""
    found = set()
    for layer in network.layers:
        memory: Any = layer.value if isinstance(layer, ConstantLayer) else None
        while isinstance(memory, np.ndarray):
            memory = memory.base
        if isinstance(memory, memoryview) and isinstance(memory.obj, mmap.mmap):
            found.add(memory.obj)
    return found


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


class _KernelsOfPlan:
    """Translates events of a plan into those that the host would see of the backend.

    Parameters
    ----------
    plan
        The plan of a sub-graph.
    guids
        Guids of the layers in the host, by the number in a layer's name.
    """

    def __init__(self, plan: NetworkPlan, guids: Sequence[int]) -> None:
        self._plan = plan
        #: By guid in the worker: that in the host.
        self._guids: dict[int, int] = {}
        #: Guids of all layers of the worker, which mean other layers in the host.
        self._others = {layer.guid for layer in plan.network.layers}
        #: By name of a step's layer: guids in the host of the layers that it computes.
        self._inside: dict[str, list[int]] = {}
        for row in plan.assignment:
            if row.guid is None or not row.layer.partition(" ")[0].isdecimal():
                continue
            self._guids[row.guid] = guids[number_of(row.layer)]
            self._inside.setdefault(row.run_by, []).append(self._guids[row.guid])

    def translate(self, events: Sequence[trace.TraceEvent]) -> list[tuple[int, str, int, int]]:
        """Phase, name, id and time of each event; a step without events of its own has two."""
        made: list[tuple[int, str, int, int]] = []
        in_step = 0
        for event in events:
            if event.kind in trace.PHASES:
                number = self._guids.get(event.id, 0 if event.id in self._others else event.id)
                made.append((event.kind, event.name, number, event.time_ns))
                in_step += event.id in self._guids
            elif event.kind == trace.STEP:
                info = self._plan.steps[event.id]
                inside = self._inside.get(info.layer, [])
                if inside and not (in_step and info.type == _COMPILED):
                    made += _of_step(info.kernel, inside, event)
                in_step = 0
        return made


def _of_step(
    kernel: str, guids: Sequence[int], step: trace.TraceEvent
) -> list[tuple[int, str, int, int]]:
    begin, end = step.time_ns, step.time_ns + step.duration_ns
    return [
        (abi.ARMNN_TRACE_BEGIN, kernel, guids[0], begin),
        *((abi.ARMNN_TRACE_INSTANT, kernel, guid, begin) for guid in guids[1:]),
        (abi.ARMNN_TRACE_END, kernel, guids[0], end),
    ]


class Compiler:
    """One method for each kind of message about layers and sub-graphs."""

    def __init__(self, backend: Backend, runtime: Runtime) -> None:
        self._backend, self._runtime = backend, runtime
        self.parts: dict[int, LoadedPart] = {}
        #: By the host's number of a run that is under way: the options that its caller gave.
        self._run_options: dict[int, dict[str, Any]] = {}

    def answer_traits(self, _payload: None) -> dict[str, Any]:
        """Which questions about layers the backend answers."""
        with LayerSupport(self._backend) as support:
            return {"layouts": support.prefers_layouts, "stand_ins": support.runs_stand_ins}

    def answer_support(self, layers: list[ShownLayer]) -> dict[str, Any]:
        """Why the backend does not run layers; empty texts where it does."""
        return {"reasons": [self._why_not(layer) for layer in layers]}

    def _why_not(self, layer: ShownLayer) -> str:
        signature = _signature(layer)
        why = never_shown(signature.type, signature.descriptor)
        if why:
            return why
        with self._support(layer) as support:
            answer = support.ask(signature)
        return "" if answer else answer.reason or "it says no"

    def _support(self, layer: ShownLayer) -> LayerSupport:
        backend = self._backend
        given = {backend.id: layer.model_options} if layer.model_options else {}
        return LayerSupport(backend, ModelOptions(given, {backend.id: backend}).of(backend))

    def answer_layout(self, layer: ShownLayer) -> dict[str, Any]:
        """The layout in which the backend would have a layer, 0: as it is."""
        with self._support(layer) as support:
            layout = support.preferred_layout(_signature(layer))
        return {"layout": 0 if layout is None else layout.value}

    def answer_infer(self, layer: ShownLayer) -> dict[str, Any]:
        """The outputs of an operator that no layer expresses, or why it does not run."""
        with self._support(layer) as support:
            answer = support.infer_stand_in(
                layer.descriptor, layer.inputs, layer.constants, layer.name
            )
        if answer.outputs is None:
            return {"reason": answer.reason or "it says no"}
        if any(info.bounded for info in answer.outputs):
            return {"reason": "sizes that it finds in a run do not leave its worker"}
        return {"infos": [info_to_json(info) for info in answer.outputs]}

    def answer_compile(self, payload: tuple[int, Network, dict[str, Any]]) -> dict[str, Any]:
        """Compile and load a sub-graph, or say which of its layers are refused."""
        key, network, options = payload
        try:
            part = LoadedPart(network, self._backend.id, self._runtime, options)
        except NoBackendForLayerError as error:
            why = [(one.layer, [reason for _, reason in one.refusals]) for one in error.layers]
            return {"refused": {layer: "; ".join(reasons) for layer, reasons in why}}
        self.parts[key] = part
        return {"has_state": part.has_state}

    def answer_bind(self, payload: tuple[int, int, Any, Any, Any, Any], file: int) -> None:
        """Serve the runs of one execution context of the host."""
        key, channel, guids, inputs, outputs, events = payload
        part = self.parts[key]
        part.channels[channel] = Channel(
            part, file, guids, inputs, outputs, events, self._run_options
        )

    def answer_unbind(self, payload: tuple[int, int]) -> None:
        """End that."""
        key, channel = payload
        if key in self.parts:
            self.parts[key].channels.pop(channel).close()

    def answer_reset(self, payload: tuple[int, int]) -> None:
        """Begin a new sequence in one execution context."""
        key, channel = payload
        self.parts[key].channels[channel].bound.reset_state()

    def answer_run_options(self, payload: tuple[int, dict[str, Any] | None]) -> None:
        """Take the options of a run of the host, or forget them."""
        run_id, options = payload
        if options is None:
            self._run_options.pop(run_id, None)
        else:
            self._run_options[run_id] = {self._backend.id: options}

    def answer_profile(self, on: bool) -> None:
        """Turn the counters of the backend on or off, and the tale of its kernels."""
        kernels.turn(on)
        profiling = self._backend.profiling
        if profiling is not None and on:
            profiling.start()
        elif profiling is not None and profiling.is_on:
            profiling.stop()

    def answer_forget(self, key: int) -> None:
        """Free a sub-graph."""
        part = self.parts.pop(key, None)
        if part is not None:
            part.close()


def _signature(layer: ShownLayer) -> Any:
    constants = [index for index, is_known in enumerate(layer.is_constant) if is_known]
    return valid_signature(layer.type, layer.inputs, layer.outputs, layer.descriptor, constants)
