# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The messages that a worker answers; ``docs/isolation.md`` lists them."""

from __future__ import annotations

import functools
import glob
import os
import resource
import socket
import sys
from dataclasses import astuple
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armnn_py._native.channel import yield_between_runs
from armnn_py._native.process.confinement import (
    confine_files,
    confine_system_calls,
    give_up_privileges,
)
from armnn_py.backends.loader.search import list_folders
from armnn_py.errors import ArmnnError
from armnn_py.isolation.messages import receive_request, send_answer
from armnn_py.runtime import Runtime
from armnn_py.runtime.threads import set_num_threads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from armnn_py._native.table.backend_services import DeviceDescription
    from armnn_py.backends.backend import Backend
    from armnn_py.isolation.settings import Isolation
    from armnn_py.worker.loaded_part import Compiler

#: The module of the `Compiler`: most of the imports, of which `open` needs none.
LATER = "armnn_py.worker.loaded_part"


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
                name = f"answer_{kind}"
                answers = getattr(worker, name, None) or getattr(worker.compiler, name)
                answer = answers(payload, *files)
            except ArmnnError as error:
                answer = {"error": str(error)}
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            if os.getpid() != own:
                os._exit(0)  # a copy that the backend forked
            send_answer(connection, answer or {})
            if kind == "open":
                import_module(LATER)  # while the host goes on
    worker.close()
    sys.stderr.flush()
    os._exit(0)  # the end of the process unloads everything: no handler of the backend runs


class _Worker:
    """One method for each kind of message that needs no sub-graph."""

    def __init__(self) -> None:
        self._runtime: Runtime | None = None
        self._id = ""
        self._arguments: dict[str, Any] = {}

    @property
    def _backend(self) -> Backend:
        assert self._runtime is not None
        return self._runtime.backends[self._id]

    def close(self) -> None:
        """End everything."""
        compiler = vars(self).pop("compiler", None)
        for part in compiler.parts.values() if compiler is not None else ():
            part.close()
        if self._runtime is not None:
            self._runtime.close()

    @functools.cached_property
    def compiler(self) -> Compiler:
        """The compiler, which answers the other messages."""
        from armnn_py.worker.loaded_part import Compiler

        assert self._runtime is not None
        return Compiler(self._backend, self._runtime)

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
        return {
            "file": backend.file,
            "libraries": sorted({*filter(None, [backend.file]), *_mapped_libraries() - before}),
            "score": backend.score,
            "is_reference": backend.is_reference,
            "version": backend.vendor_version or "",
            "description": backend.description or "",
            "capabilities": backend.capabilities,
            "counters": list(map(astuple, backend.counters)),
            "devices": [
                [one.name, one.vendor, one.driver_version, one.memory_size]
                for one in _devices(backend)
            ],
            "options": [option.as_dict() for option in backend.describe_options()],
        }

    def answer_counters(self, _payload: None) -> dict[str, Any]:
        """The counters and their raw values."""
        profiling = self._backend.profiling
        values = {} if profiling is None else profiling.read()
        return {"counters": list(map(astuple, self._backend.counters)), "values": values}

    def answer_self_test(self, level: int) -> None:
        """Let the backend test itself."""
        self._backend.self_test(level)

    def answer_set_option(self, payload: tuple[str, Any]) -> None:
        """Give an option another value."""
        self._backend.set_option(*payload)


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
        package = str(Path(__file__).parents[1])  # some modules are imported later
        readable = [*_OF_THE_SYSTEM, sys.prefix, sys.base_prefix, *sys.path, package, *folders]
        writable = [path for one in limits.files for path in glob.glob(one)]  # noqa: PTH207
        confine_files(filter(None, readable), ["/dev/null", *writable])
    confine_system_calls(network=limits.network, programs=limits.programs)
