# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The search for the backends of one runtime, the workers of isolated ones, and the log of both."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from armnn_py import environment
from armnn_py.backends.loader.admission import Admission, read_ids, read_wanted
from armnn_py.backends.loader.discovery import BackendPath
from armnn_py.backends.loader.search import Search, list_folders
from armnn_py.backends.loader.shared_library import LOADING
from armnn_py.backends.loader.verdict import LoadReport, Verdict, printable
from armnn_py.backends.options.allocator import Allocator
from armnn_py.backends.options.given_options import BackendOptions, OptionsOfCaller, check_known
from armnn_py.backends.options.memory_request import MemoryRequest
from armnn_py.backends.probe.gate import Examiner, check_seconds
from armnn_py.backends.registry import BackendRegistry
from armnn_py.backends.trust.rules import TrustRules, check_level
from armnn_py.caller import caller_level
from armnn_py.device_ids import split_id
from armnn_py.errors import ArmnnError, BackendSkippedWarning, InvalidArgumentError
from armnn_py.interrupts import interruptible
from armnn_py.isolation.keeper import take_keeper
from armnn_py.isolation.messages import Request
from armnn_py.isolation.process import WorkerProcess
from armnn_py.isolation.settings import read_isolate

if TYPE_CHECKING:
    from armnn_py.isolation.backend import IsolatedBackend
    from armnn_py.isolation.deaths import Deaths
    from armnn_py.isolation.events import WorkerEvent
    from armnn_py.isolation.keeper import Keeper
    from armnn_py.isolation.settings import Isolate, Isolation
    from armnn_py.isolation.worker import Recorder
    from armnn_py.python_backend import PythonBackend
    from armnn_py.python_backend.serving import Serving

_log = logging.getLogger("armnn_py.backends")

_LOG_LEVELS = {
    "loaded": logging.INFO,
    "refused": logging.WARNING,
    "duplicate": logging.INFO,
    "unavailable": logging.INFO,
    "skipped": logging.DEBUG,
}
_NAMED_BY_USER = {
    "argument": "dynamic_backends_path",
    "environment": "DYNAMIC_BACKEND_PATHS",
    "python": "python_backends",
}


def load_backends(
    *,
    dynamic_backends_path: BackendPath | Sequence[BackendPath] | None = None,
    enable_dynamic_backends: bool = True,
    bundled_backends: bool = True,
    backend_options: BackendOptions | None = None,
    use_environment: bool = True,
    custom_allocators: Mapping[str, Allocator] | None = None,
    protected_mode: bool = False,
    python_backends: Sequence[PythonBackend] = (),
    backends: Sequence[str] | str | None = None,
    allowed_backends: Sequence[str] | None = None,
    denied_backends: Sequence[str] | None = None,
    probe_seconds: float | None = None,
    trust: str | None = None,
    private_libraries: Sequence[str] | None = None,
    isolate: Isolate | None = None,
    tell_event: Callable[[WorkerEvent], object] = lambda _: None,
    recorder: Recorder | None = None,
    guard: bool = False,
) -> BackendRegistry:
    """Search for backends and load them.

    No file makes this fail: files that cannot be used are in the ``load_report`` of the result.
    Libraries are shared with other registries of the process. In a `deferred_interrupts` block,
    Ctrl-C while it works leaves nothing behind, and none comes before its result has an owner.

    Parameters
    ----------
    dynamic_backends_path
        Absolute folder, file of a backend, or a sequence of them, searched instead of
        ``DYNAMIC_BACKEND_PATHS``, the compiled-in list and installed wheels; also
        if it is not usable, or an empty list.
    enable_dynamic_backends
        False: only backends that are linked into the core library.
    bundled_backends
        False: without the package's own backends, statically linked ones included.
    backend_options
        Id to (name to value); for all devices of a backend, or for one: ``"AcmeNpu:1"``.
    use_environment
        False: environment variables are not read.
    custom_allocators
        Id to allocator: a backend that does not take its allocator is not used.
    protected_mode
        True: only backends that allocate protected content are used, each with an allocator of
        memory source DMA_BUF_PROTECTED.
    python_backends
        Objects of backends written in Python, which come first: one may take another's id.
    backends
        Ids: files of other backends are not opened, as far as their names or an earlier probe tell
        whose they are. ``"AcmeNpu?"`` may be absent: its options are then left out. None: all are
        opened.
    allowed_backends, denied_backends
        Ids that alone are used, and ids that are not used; instead of ``ARMNN_PY_ALLOW_BACKENDS``
        and ``ARMNN_PY_DENY_BACKENDS``.
    probe_seconds
        Time for the probe of a file in another process, before this one opens it; 0: no probe.
        Default: ``ARMNN_PY_PROBE_SECONDS``, else 1 or the limit in the file. Files of the package
        are not tried.
    trust
        ``open``, ``warn`` or ``locked``, see `armnn_py.backends.trust.rules`. Default:
        ``ARMNN_PY_TRUST``, else ``warn``.
    private_libraries
        Ids by the names of files: such a backend gets all libraries that it needs for itself.
        Default: ``ARMNN_PY_PRIVATE_LIBRARIES``, else none.
    isolate
        Ids of backends that run in processes of their own, with limits or without; ``"all"``: all
        but the package's. Default: ``ARMNN_PY_ISOLATE``, else none.
    tell_event
        Gets what happens to these processes.
    recorder
        Writes recordings of their calls.
    guard
        Whether these processes guard their runs.

    Raises
    ------
    InvalidArgumentError
        An argument or an environment variable makes no sense, or an option does not exist.

    Warns
    -----
    BackendSkippedWarning
        Files or folders were refused that the argument or the environment named.
    """
    options = OptionsOfCaller(backend_options)
    memory_request = MemoryRequest(
        {} if custom_allocators is None else custom_allocators, protected_mode
    )
    wanted, optional = read_wanted(backends)
    allowed = read_ids("allowed_backends", allowed_backends)
    denied = read_ids("denied_backends", denied_backends)
    private = read_ids("private_libraries", private_libraries)
    seconds = check_seconds(probe_seconds)
    level = check_level(trust)
    environment.crash_report()  # reports a bad value before any file is opened
    if use_environment:
        bundled_backends = bundled_backends and environment.bundled_backends()
        enable_dynamic_backends = enable_dynamic_backends and environment.dynamic_backends()
        if allowed is None:
            allowed = read_ids("ARMNN_PY_ALLOW_BACKENDS", environment.allowed_backends())
        if denied is None:
            denied = read_ids("ARMNN_PY_DENY_BACKENDS", environment.denied_backends())
        if private is None:
            private = read_ids("ARMNN_PY_PRIVATE_LIBRARIES", environment.private_libraries())
        seconds = environment.probe_seconds() if seconds is None else seconds
        level = environment.trust_level() if level is None else level
        if isolate is None:
            isolate = environment.isolated_backends()
    limits = read_isolate(isolate)
    if wanted is not None:  # options and memory are given for backends that are wanted
        wanted |= {split_id(one)[0] for one in (*options.keys, *memory_request.allocators)}
    folders: list[tuple[str, str]] = []
    verdicts: list[Verdict] = []
    if enable_dynamic_backends:
        folders, verdicts = list_folders(
            dynamic_backends_path, bundled=bundled_backends, use_environment=use_environment
        )
    isolated: list[IsolatedBackend] = []
    if limits:
        arguments = {
            "dynamic_backends_path": dynamic_backends_path,
            "enable_dynamic_backends": enable_dynamic_backends,
            "bundled_backends": bundled_backends,
            "use_environment": use_environment,
            "probe_seconds": 0,  # a worker is a probe
            "trust": level,
            "private_libraries": sorted(private or ()),
            "guard": guard,
        }

        keeper = take_keeper()  # it starts while this process imports its own part
        try:
            from armnn_py.isolation.deaths import Deaths

            isolated, refused = start_workers(
                limits,
                tell_event,
                arguments,
                keeper,
                deaths=Deaths(environment.cache_folder() if use_environment else None),
                denied=denied or (),
                with_memory=memory_request.allocators,
                recorder=recorder,
            )
        finally:
            keeper.give_back()
        verdicts += refused
    admission = Admission(
        wanted,
        allowed,
        denied or frozenset(),
        private or frozenset(),
        frozenset(one.id for one in isolated)
        | frozenset(one.path for one in verdicts if one.place == "isolated"),
    )
    search = Search(
        options,
        memory_request,
        admission,
        Examiner(seconds, environment.cache_folder() if use_environment else None),
        TrustRules(level or "warn", environment.lock_file() if use_environment else None),
    )
    serving = _serving(python_backends)
    try:
        with interruptible():  # the clean-up and the return are not
            with LOADING:
                for python_backend in serving:
                    search.add_python(python_backend)
                for isolated_backend in isolated:
                    search.add_python(isolated_backend)
                if bundled_backends:
                    search.add_static()
            search.add_files(folders)
            search.verdicts += verdicts
            registry = BackendRegistry(search.backends, LoadReport(search.verdicts, search.places))
            admission.check_spelling(
                (one.id for one in registry.load_report if one.id is not None),
                (one.path for one in registry.load_report),
            )
            for subject, ids in (
                ("backend_options", options.keys),
                ("custom_allocators", memory_request.allocators),
            ):
                ids = [one for one in ids if one in registry or _expected(one, optional)]
                if ids:  # else no backend need be asked how many devices it has
                    check_known(subject, ids, registry, registry.load_report, registry.all_ids)
            options.check_devices(registry)
            _announce(registry.load_report, options.ids)
    except BaseException:
        search.close()
        for isolated_backend in isolated:
            isolated_backend.stop()
        raise
    return registry


def _expected(backend_id: object, optional: frozenset[str]) -> bool:
    """Whether settings for an id that is not loaded are a mistake."""
    return not isinstance(backend_id, str) or optional.isdisjoint(
        (backend_id, split_id(backend_id)[0])
    )


def _serving(python_backends: Sequence[PythonBackend]) -> list[Serving]:
    """Check the caller's backends; those in C need nothing of what these do."""
    if isinstance(python_backends, (list, tuple)) and not python_backends:
        return []
    from armnn_py.python_backend.serving import Serving

    if not isinstance(python_backends, (list, tuple)):
        raise InvalidArgumentError(
            f"python_backends: {type(python_backends).__name__} given, "
            "a list of PythonBackend objects expected"
        )
    return [Serving(backend) for backend in python_backends]


# ---- Telling people -----------------------------------------------------------------------------


def _announce(report: LoadReport, asked_for: Collection[str]) -> None:
    """Log all verdicts; warn of refused files in folders that the caller named, or with options."""
    unwelcome = []
    for verdict in report:
        named_by_user = verdict.place in _NAMED_BY_USER or verdict.id in asked_for
        level = _LOG_LEVELS[verdict.status]
        if verdict.stage == "place" and verdict.place == "compiled-in":
            level = logging.INFO  # a distribution's folder may well be absent
        _log.log(level, "%s", verdict)
        if named_by_user and verdict.status == "refused":
            unwelcome.append(verdict)
    if unwelcome:
        sources = dict.fromkeys(
            _NAMED_BY_USER.get(verdict.place, "backend_options") for verdict in unwelcome
        )
        lines = [f"refused, though named by {' and '.join(sources)}:"]
        for verdict in unwelcome:
            lines.append(f"  {verdict}")
            lines += [f"    hint: {printable(verdict.hint)}"] if verdict.hint else []
        warnings.warn("\n".join(lines), BackendSkippedWarning, stacklevel=caller_level())


def start_workers(
    isolate: Mapping[str, Isolation],
    tell_event: Callable[[WorkerEvent], object],
    arguments: Mapping[str, Any],
    keeper: Keeper,
    *,
    deaths: Deaths,
    denied: Collection[str],
    with_memory: Collection[str],
    recorder: Recorder | None = None,
) -> tuple[list[IsolatedBackend], list[Verdict]]:
    """Start a worker for each backend that is isolated.

    Parameters
    ----------
    isolate
        Ids and limits; ``"all"`` stands for every backend that is not the package's.
    tell_event
        Is called with each event of a worker.
    arguments
        Of the `Runtime` in a worker.
    keeper
        Starts the one that lists backends.
    deaths
        Keeps the ends of workers.
    denied
        Ids that are not used: they get no worker.
    with_memory
        Ids that get memory of an allocator of the caller.
    recorder
        Writes recordings of their calls.

    Returns
    -------
    list
        The backends, in the order of ``isolate``.
    list
        Verdicts on backends that no worker loads.
    """
    from armnn_py.isolation.backend import IsolatedBackend
    from armnn_py.isolation.supervisor import Supervisor

    wanted = dict(isolate)
    limits = wanted.pop("all", None)
    if limits is not None:
        found = _ids_from_outside(arguments, keeper)
        wanted |= {name: limits for name in found if name not in wanted}
    for name in wanted:
        if name in with_memory:
            raise InvalidArgumentError(
                f"isolate: memory of custom_allocators['{name}'] is this process's, the worker of "
                f"'{name}' cannot use it",
                hints=[f"leave '{name}' out of isolate or of custom_allocators"],
            )
    backends: list[IsolatedBackend] = []
    verdicts = []
    for name in (one for one in wanted if one not in denied):
        try:
            worker = Supervisor(name, wanted[name], tell_event, arguments, deaths, recorder)
            backends.append(IsolatedBackend(worker))
        except ArmnnError as error:
            verdicts.append(_refused(name, error))
        except BaseException:  # Ctrl-C
            for backend in backends:
                backend.stop()
            raise
    return backends, verdicts


def _ids_from_outside(arguments: Mapping[str, Any], keeper: Keeper) -> list[str]:
    """Have a worker look for backends that are not the package's."""
    process = WorkerProcess("all", keeper, 60.0)
    try:
        with interruptible():
            return [str(name) for name in process.ask(Request("list", dict(arguments)))["ids"]]
    finally:
        process.close()


def _refused(name: str, error: ArmnnError) -> Verdict:
    reason = "; ".join([error.message, *error.details])
    hint = "; ".join(error.hints)
    return Verdict(
        "isolated",
        name,
        None,
        name,
        None,
        "refused",
        "create",
        "worker",
        printable(reason),
        printable(hint),
    )
