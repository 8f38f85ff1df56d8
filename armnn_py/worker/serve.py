# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The messages that a worker answers; ``docs/isolation.md`` lists them."""

from __future__ import annotations

import glob
import os
import resource
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armnn_py._native.channel import yield_between_runs
from armnn_py._native.process.confinement import (
    confine_files,
    confine_system_calls,
    give_up_privileges,
)
from armnn_py.backends.loader.search import list_folders
from armnn_py.backends.options.model_options import ModelOptions
from armnn_py.backends.questions.layer_support import (
    LayerSupport,
    never_shown,
    valid_signature,
)
from armnn_py.errors import ArmnnError, NoBackendForLayerError
from armnn_py.isolation.messages import receive_request, send_answer
from armnn_py.runtime import Runtime
from armnn_py.runtime.threads import set_num_threads
from armnn_py.tensors.json_infos import info_to_json
from armnn_py.worker.loaded_part import Channel, LoadedPart, kernels, refusals

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from armnn_py._native.layers.shown_layers import ShownLayer
    from armnn_py._native.table.backend_services import DeviceDescription
    from armnn_py.backends.backend import Backend
    from armnn_py.isolation.settings import Isolation
    from armnn_py.network import Network


def serve(descriptor: int) -> None:
    """Answer the messages of a host, on a socket, until it is gone."""
    own = os.getpid()
    worker = _Worker()
    with socket.socket(fileno=descriptor) as connection:
        while True:
            try:
                kind, payload, files = receive_request(connection)
            except (EOFError, OSError):
                break
            try:
                answer = getattr(worker, f"answer_{kind}")(payload, *files)
            except ArmnnError as error:
                answer = {"error": str(error)}
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            if os.getpid() != own:
                os._exit(0)  # a copy that the backend forked
            send_answer(connection, answer or {})
    worker.close()
    sys.stderr.flush()
    os._exit(0)  # the end of the process unloads everything: no handler of the backend runs


class _Worker:
    """One method for each kind of message."""

    def __init__(self) -> None:
        self._runtime: Runtime | None = None
        self._parts: dict[int, LoadedPart] = {}
        #: By the host's number of a run that is under way: the options that its caller gave.
        self._run_options: dict[int, dict[str, Any]] = {}
        self._id = ""
        self._arguments: dict[str, Any] = {}

    @property
    def _backend(self) -> Backend:
        assert self._runtime is not None
        return self._runtime.backends[self._id]

    def close(self) -> None:
        """End everything."""
        for part in self._parts.values():
            part.close()
        self._parts.clear()
        if self._runtime is not None:
            self._runtime.close()

    def answer_begin(self, surroundings: dict[str, Any]) -> None:
        """Adopt the environment variables and settings of the host's process."""
        os.environ.clear()
        os.environ.update(surroundings["environment"])
        os.environ.pop("ARMNN_PY_ISOLATE", None)
        os.chdir(surroundings.get("folder", "/"))
        os.sched_setaffinity(0, surroundings["processors"])

    def answer_open(self, payload: tuple[str, Isolation, dict[str, Any]]) -> dict[str, Any]:
        """Load the backend and describe it."""
        self._id, limits, self._arguments = payload
        folders, _ = list_folders(
            self._arguments["dynamic_backends_path"],
            bundled=True,
            use_environment=self._arguments["use_environment"],
        )
        apply_limits(limits, [path for _, path in folders])
        return self._open()

    def answer_list(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The ids of the backends that are not the package's."""
        with Runtime(**arguments) as runtime:
            loaded = runtime.backends.values()
            return {"ids": [one.id for one in loaded if one.place not in ("static", "bundled")]}

    def answer_reopen(self, options: dict[str, Any]) -> dict[str, Any]:
        """Load it with other options."""
        self._arguments["backend_options"] = options
        self.close()
        return self._open()

    def _open(self) -> dict[str, Any]:
        options = {
            name: given for name, given in self._arguments["backend_options"].items() if given
        }
        arguments = self._arguments | {"backend_options": options}
        before = _mapped_libraries()  # those of Python and its packages
        self._runtime = Runtime(backends=[self._id], **arguments)
        if self._id not in self._runtime.backends:
            report = self._runtime.load_report
            verdicts = [str(one) for one in report if one.status not in ("loaded", "skipped")]
            return {"error": "; ".join(verdicts) or "no file that the worker found has this id"}
        backend = self._backend
        with LayerSupport(backend) as support:
            prefers_layouts, runs_stand_ins = support.prefers_layouts, support.runs_stand_ins
        return {
            "file": backend.file,
            "libraries": sorted({*filter(None, [backend.file]), *_mapped_libraries() - before}),
            "score": backend.score,
            "is_reference": backend.is_reference,
            "version": backend.vendor_version or "",
            "description": backend.description or "",
            "capabilities": backend.capabilities,
            "counters": _counters(backend),
            "devices": [
                [one.name, one.vendor, one.driver_version, one.memory_size]
                for one in _devices(backend)
            ],
            "prefers_layouts": prefers_layouts,
            "runs_stand_ins": runs_stand_ins,
            "options": [option.as_dict() for option in backend.describe_options()],
        }

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
        given = {self._id: layer.model_options} if layer.model_options else {}
        return LayerSupport(backend, ModelOptions(given, {self._id: backend}).of(backend))

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
        assert self._runtime is not None
        try:
            part = LoadedPart(network, self._id, self._runtime, options)
        except NoBackendForLayerError as error:
            return {"refused": refusals(error)}
        self._parts[key] = part
        return {"has_state": part.has_state}

    def answer_bind(self, payload: tuple[int, int, Any, Any, Any, Any], file: int) -> None:
        """Serve the runs of one execution context of the host."""
        key, channel, guids, inputs, outputs, events = payload
        part = self._parts[key]
        part.channels[channel] = Channel(
            part, file, guids, inputs, outputs, events, self._run_options
        )

    def answer_unbind(self, payload: tuple[int, int]) -> None:
        """End that."""
        key, channel = payload
        if key in self._parts:
            self._parts[key].channels.pop(channel).close()

    def answer_reset(self, payload: tuple[int, int]) -> None:
        """Begin a new sequence in one execution context."""
        key, channel = payload
        self._parts[key].channels[channel].bound.reset_state()

    def answer_run_options(self, payload: tuple[int, dict[str, Any] | None]) -> None:
        """Take the options of a run of the host, or forget them."""
        run_id, options = payload
        if options is None:
            self._run_options.pop(run_id, None)
        else:
            self._run_options[run_id] = {self._id: options}

    def answer_profile(self, on: bool) -> None:
        """Turn the counters of the backend on or off, and the tale of its kernels."""
        kernels.turn(on)
        profiling = self._backend.profiling
        if profiling is not None and on:
            profiling.start()
        elif profiling is not None and profiling.is_on:
            profiling.stop()

    def answer_counters(self, _payload: None) -> dict[str, Any]:
        """The counters and their raw values."""
        profiling = self._backend.profiling
        values = {} if profiling is None else profiling.read()
        return {"counters": _counters(self._backend), "values": values}

    def answer_forget(self, key: int) -> None:
        """Free a sub-graph."""
        part = self._parts.pop(key, None)
        if part is not None:
            part.close()

    def answer_self_test(self, level: int) -> None:
        """Let the backend test itself."""
        self._backend.self_test(level)

    def answer_set_option(self, payload: tuple[str, Any]) -> None:
        """Give an option another value."""
        self._backend.set_option(*payload)


def _counters(backend: Backend) -> list[list[Any]]:
    return [
        [one.name, one.description, one.unit, one.counter_class, one.multiplier]
        for one in backend.counters
    ]


def _devices(backend: Backend) -> Sequence[DeviceDescription]:
    """Its devices; none where it fails to list them, as then only the first can be used."""
    try:
        return backend.devices
    except ArmnnError as error:
        print(error, file=sys.stderr)
        return ()


def _mapped_libraries() -> set[str]:
    """The shared objects of this process."""
    lines = Path("/proc/self/maps").read_text("utf-8", "surrogateescape").splitlines()
    paths = {line.split(maxsplit=5)[5] for line in lines if line.count(" ") > 5 and ".so" in line}
    return {path for path in paths if path.startswith("/")}


def _signature(layer: ShownLayer) -> Any:
    constants = [index for index, is_known in enumerate(layer.is_constant) if is_known]
    return valid_signature(layer.type, layer.inputs, layer.outputs, layer.descriptor, constants)


_OF_THE_SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc", "/proc", "/sys", "/opt", "/dev/urandom")


def apply_limits(limits: Isolation, folders: Iterable[str]) -> None:
    """Put them in force; they cannot be taken back.

    Parameters
    ----------
    limits
        All of them.
    folders
        Where backends are searched.

    Raises
    ------
    ConfinementError
        The kernel lacks what a limit needs.
    """
    yield_between_runs()
    give_up_privileges()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.memory_bytes is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (limits.memory_bytes,) * 2)
    if limits.open_files is not None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limits.open_files,) * 2)
    if limits.written_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.written_bytes,) * 2)
    if limits.threads is not None:
        set_num_threads(limits.threads)
    if limits.files is not None:
        readable = [*_OF_THE_SYSTEM, sys.prefix, sys.base_prefix, *sys.path, *folders]
        writable = [path for one in limits.files for path in glob.glob(one)]  # noqa: PTH207
        confine_files(filter(None, readable), ["/dev/null", *writable])
    confine_system_calls(network=limits.network, programs=limits.programs)
