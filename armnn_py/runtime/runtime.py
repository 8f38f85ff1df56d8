# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The runtime: loaded backends and loaded networks, and the order in which they close."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import threading
import weakref
from typing import TYPE_CHECKING, Any, Literal, Self

from msgspec import Struct

from armnn_py import environment
from armnn_py._native.log import drain_log, follow_log_level
from armnn_py.backends import load_backends
from armnn_py.errors import InvalidArgumentError
from armnn_py.errors.shortage import tells_shortage
from armnn_py.interrupts import deferred_interrupts
from armnn_py.later import public_class
from armnn_py.ownership import Closing, Owner
from armnn_py.recording.recorder import recorder_of
from armnn_py.runtime.ending import begin_ending, closed_error
from armnn_py.runtime.events import EventLog
from armnn_py.runtime.log_lines import use_log_levels_once
from armnn_py.runtime.threads import limited_threads, use_environment_once

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from armnn_py.backends.loader.verdict import LoadReport
    from armnn_py.backends.options.allocator import Allocator
    from armnn_py.backends.registry import BackendRegistry
    from armnn_py.isolation.backend import IsolatedBackend
    from armnn_py.isolation.settings import Isolate
    from armnn_py.network import Network
    from armnn_py.optimizer import OptimizedNetwork, OptimizerOptions
    from armnn_py.python_backend import PythonBackend
    from armnn_py.runtime.bounded.bounded_sizes import Bounds
    from armnn_py.runtime.loaded_network import LoadedNetwork

#: Seconds to wait at interpreter exit for runs that were told to stop.
_EXIT_PATIENCE = 10.0

_open_runtimes: weakref.WeakSet[Runtime] = weakref.WeakSet()


@public_class
class DeviceSpec(Struct, frozen=True):
    """Ids of the backends of a runtime, in the order in which they were registered."""

    supported_backends: tuple[str, ...]


@public_class
class Runtime(
    Closing, Owner, instead="a process makes its own Runtime, and shares it between threads"
):
    """Finds and loads backends, and owns the networks that run on them.

    Parameters
    ----------
    dynamic_backends_path
        Folder to search for ``<vendor>_<name>_backend.so`` files, one such file, or a list of them;
        absolute. Only a file that is named itself may have the id of a backend of this package.
        Replaces the environment variable ``DYNAMIC_BACKEND_PATHS``, the compiled-in list and
        installed wheels, also when it is invalid.
    enable_dynamic_backends
        False: only backends that are linked into the library.
    bundled_backends
        False: without the package's own backends, statically linked ones included.
    backend_options
        Options by backend id: ``{"CpuAcc": {"threads": 2}}``; those of ``"AcmeNpu"`` hold for all
        its devices, those of ``"AcmeNpu:1"`` come before them.
    use_environment
        False: ignore environment variables, for programs that must not load files that one names.
    custom_allocators
        Memory by id of a backend or a device: ``{"Npu": MyAllocator()}``. A backend that does not
        accept its allocator is not used, and its verdict says so.
    protected_mode
        True: a backend is used only if it has the capability ProtectedContentAllocation and
        accepts an allocator of ``custom_allocators`` whose memory source is DMA_BUF_PROTECTED.
    python_backends
        Objects of backends written in Python (``armnn_py.python_backend``). They come first, so
        that one can stand in for a backend of the same id.
    backends
        Ids of backends that are wanted: files of others are not opened, as far as their names or an
        earlier probe tell whose they are. Linked backends are there in any case. An id that no file
        has is an error where it is used. ``"AcmeNpu?"`` names one that may be absent: its options
        are then left out. Default: all files are opened.
    allowed_backends, denied_backends
        Ids that alone are used, and ids that are not used; a verdict says so. Instead of the
        environment variables ``ARMNN_PY_ALLOW_BACKENDS`` and ``ARMNN_PY_DENY_BACKENDS``.
    probe_seconds
        Each file from outside of the package is first tried in another process: one that crashes,
        exits, hangs or forks there is refused, and all else goes on. This is the time that it is
        given; 0: no probe. Default: ``ARMNN_PY_PROBE_SECONDS``, else 1, or
        what the file states (``loading_time.h``).
    trust
        Which files from outside of the package may be opened. ``warn``: none that anybody may write
        to, itself or a folder above it; the log tells of files of other users, and of those that
        the lock file does not name, if there is one. ``locked``: only those that the lock file
        names by their hash, of root or this user. ``open``: all. Default: ``ARMNN_PY_TRUST``, else
        ``warn``.
    private_libraries
        Ids of backends that get all libraries that they need for themselves, the C library, too
        (``dlmopen``), where another vendor's libraries have the same names. The name of the file
        has to say the id. Default: ``ARMNN_PY_PRIVATE_LIBRARIES``, else none.
    isolate
        Ids of backends that run in worker processes: ``["AcmeNpu"]``, or with limits,
        ``{"AcmeNpu": Isolation(deadline=1.0)}``; ``"all"``: every backend that is not the
        package's. A worker that crashes or hangs is ended and started again, and the run is
        answered by the next backend. Default: ``ARMNN_PY_ISOLATE``, else none.
    on_failure
        What follows when a backend fails in a run: ``"raise"``, the error; ``"next"``, the run is
        answered by the next backends. Default: ``"next"`` for isolated backends, ``"raise"`` for
        others.
    record
        A file that gets the calls of isolated backends when the runtime is closed, see
        ``docs/record_and_replay.md``; all third-party backends are isolated if ``isolate`` names
        none. False: nothing is recorded, not even the last call of a worker that ends. Default:
        ``ARMNN_PY_RECORD``, else only such last calls are, in the user's cache folder.
    guard
        True: checks backends in each run, as the conformance kit does. A layer runs several times,
        its tensors between unreadable pages. A broken rule is an `ExecutionError`. Default:
        ``ARMNN_PY_GUARD``, else False.

    Attributes
    ----------
    events
        Events of the workers of isolated backends, an `EventLog`.

    Raises
    ------
    InvalidArgumentError
        If an option or a variable is wrong. A refused file never raises: see ``load_report``.
    ShortageError
        Memory, open files or threads ran out. A backend that lacks memory for itself raises
        `OutOfMemoryError`: no other takes its place. ``denied_backends`` leaves it out.
    """

    @tells_shortage("make a Runtime")
    def __init__(
        self,
        dynamic_backends_path: str
        | os.PathLike[str]
        | Sequence[str | os.PathLike[str]]
        | None = None,
        *,
        enable_dynamic_backends: bool = True,
        bundled_backends: bool = True,
        backend_options: Mapping[str, Mapping[str, Any]] | None = None,
        use_environment: bool = True,
        custom_allocators: Mapping[str, Allocator] | None = None,
        protected_mode: bool = False,
        python_backends: Sequence[PythonBackend] = (),
        backends: Sequence[str] | str | None = None,
        allowed_backends: Sequence[str] | None = None,
        denied_backends: Sequence[str] | None = None,
        probe_seconds: float | None = None,
        trust: Literal["open", "warn", "locked"] | None = None,
        private_libraries: Sequence[str] | None = None,
        isolate: Isolate | None = None,
        on_failure: Literal["next", "raise"] | None = None,
        record: str | os.PathLike[str] | Literal[False] | None = None,
        guard: bool | None = None,
    ) -> None:
        self._closed = self._is_done = True  # False when there is something to close
        self._uses_environment = use_environment
        if on_failure not in (None, "next", "raise"):
            raise InvalidArgumentError(
                f"on_failure: {on_failure!r} given, 'next' or 'raise' expected"
            )
        self._on_failure = on_failure
        if guard is None:
            guard = use_environment and environment.guard()
        self._guards = bool(guard)
        self._recorder = recorder_of(record, use_environment=use_environment)
        if isolate is None and self._recorder is not None:
            isolate = self._recorder.isolate(use_environment=use_environment)
        if use_environment:
            use_environment_once()
            use_log_levels_once()
        follow_log_level()
        self._ids = itertools.count()
        self._lock = threading.RLock()  # a network may be freed at any time, also under this lock
        self.events = EventLog()
        # Weak: a network that the user drops is freed although the runtime lives on.
        self._networks: weakref.WeakValueDictionary[int, LoadedNetwork] = (
            weakref.WeakValueDictionary()
        )
        with deferred_interrupts():  # until the backends have an owner
            self._backends = load_backends(
                dynamic_backends_path=dynamic_backends_path,
                enable_dynamic_backends=enable_dynamic_backends,
                bundled_backends=bundled_backends,
                backend_options=backend_options,
                use_environment=use_environment,
                custom_allocators=custom_allocators,
                protected_mode=protected_mode,
                python_backends=python_backends,
                backends=backends,
                allowed_backends=allowed_backends,
                denied_backends=denied_backends,
                probe_seconds=probe_seconds,
                trust=trust,
                private_libraries=private_libraries,
                isolate=isolate,
                tell_event=self.events.add,
                recorder=self._recorder,
                guard=self._guards,
            )
            self._closed = self._is_done = False
        _open_runtimes.add(self)
        drain_log()

    @property
    def backends(self) -> BackendRegistry:
        """The loaded backends by id."""
        return self._backends

    @property
    def isolated(self) -> Mapping[str, IsolatedBackend]:
        """The isolated backends that are loaded, by id."""
        return self._backends.isolated

    @property
    def guards(self) -> bool:
        """Whether runs are guarded."""
        return self._guards

    def is_followed(self, backend_id: str | None) -> bool:
        """Whether other backends answer a run in which this one fails; None: any of them."""
        if self._on_failure is not None:
            return self._on_failure == "next"
        if self._guards:
            return False  # the caller wants the finding, not another answer
        isolated = self._backends.isolated
        return bool(isolated) if backend_id is None else backend_id in isolated

    @property
    def load_report(self) -> LoadReport:
        """A verdict on every file that was found, in the order of the search."""
        return self._backends.load_report

    @property
    def recording(self) -> str | None:
        """The file with the calls of isolated backends, which `close` writes; None before."""
        return None if self._recorder is None else self._recorder.written

    @property
    def device_spec(self) -> DeviceSpec:
        """The ids of the loaded backends, in order."""
        return DeviceSpec(tuple(self._backends))

    @property
    def networks(self) -> tuple[LoadedNetwork, ...]:
        """The networks that are loaded, in the order of loading."""
        with self._lock:
            items = list(self._networks.items())
        return tuple(network for _, network in sorted(items, key=lambda item: item[0]))

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    @tells_shortage("load the network")
    def load_network(
        self,
        optimized: OptimizedNetwork,
        *,
        plan_cache_size: int | None = None,
        plan_cache_bytes: int | None = None,
        bounds: Bounds | None = None,
        threads: int | None = None,
    ) -> LoadedNetwork:
        """Pack weights, plan memory and make the network ready to run.

        Parameters
        ----------
        optimized
            From `optimize` with this runtime.
        plan_cache_size, plan_cache_bytes
            For a network with free dimensions: for how many input shapes plans are kept, as many
            as there is room for if not given, and how many bytes these plans may take together,
            without the weights that they share; 64 MiB if not given, and 256 MiB for up to 4
            shapes. The least recently used goes first.
        bounds
            Largest sizes of free dimensions, as `load` takes them.
        threads
            Most threads of the process that a layer of this network takes, the caller's included;
            default: all, see `set_num_threads`.

        Raises
        ------
        InvalidArgumentError
            If ``optimized`` is something else or belongs to another runtime, or the bounds do not
            fit it.
        BackendError
            If a backend does not make a workload that it declared supported, or its context does
            not let the network be loaded.
        """
        return self._load(
            optimized,
            plan_cache_size=plan_cache_size,
            plan_cache_bytes=plan_cache_bytes,
            owns_runtime=False,
            bounds=bounds,
            threads=threads,
        )

    def _load(
        self,
        optimized: OptimizedNetwork,
        *,
        plan_cache_size: int | None,
        plan_cache_bytes: int | None,
        owns_runtime: bool,
        bounds: Bounds | None,
        threads: int | None,
    ) -> LoadedNetwork:
        self.check_open()
        # Importing the optimiser takes longer than making a runtime.
        from armnn_py.optimizer import OptimizedNetwork
        from armnn_py.runtime.loaded_network import LoadedNetwork

        if not isinstance(optimized, OptimizedNetwork):
            raise InvalidArgumentError(
                f"load_network: {type(optimized).__name__} given, OptimizedNetwork expected",
                hints=["call armnn_py.optimize(network, backends=[...], runtime=runtime) first"],
            )
        if optimized.runtime is not self:
            raise InvalidArgumentError(
                f"network '{optimized.name}' was optimised for another runtime",
                hints=["pass the same runtime to optimize() and load from that one"],
            )
        for name, value, least in (
            ("plan_cache_size", 1 if plan_cache_size is None else plan_cache_size, 1),
            ("plan_cache_bytes", 0 if plan_cache_bytes is None else plan_cache_bytes, 0),
        ):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InvalidArgumentError(
                    f"{name}: {value!r} given, an int of at least {least} expected"
                )
        with limited_threads(threads):
            network = LoadedNetwork(
                optimized,
                self,
                next(self._ids),
                plan_cache_size=plan_cache_size,
                plan_cache_bytes=plan_cache_bytes,
                owns_runtime=owns_runtime,
                bounds=bounds,
                threads=threads,
            )
        with self._lock:
            closed = self._closed
            self._networks[network.id] = network
        if closed:  # meanwhile, by another thread
            network._close(patience=None, obey=False)
            self.check_open()
        return network

    def evaluate(self, network: Network) -> Mapping[str, np.ndarray] | None:
        """Run a network without inputs once, as the optimiser does to compute constants.

        Returns
        -------
        dict or None
            Output arrays by name; None if no reference backend is loaded or it does not run it.
        """
        from armnn_py.runtime.plan.evaluate import evaluate

        return evaluate(network, self)

    def measure(
        self, network: Network, backends: Sequence[str], options: OptimizerOptions
    ) -> float | None:
        """Time a network without free dimensions on inputs of ones, as strategy "measure" does.

        Parameters
        ----------
        network
            The network to time.
        backends
            Ids in order of preference.
        options
            Options to optimise it with.

        Returns
        -------
        float or None
            Least seconds of a run; None if it does not run.
        """
        from armnn_py.runtime.plan.evaluate import time_network

        return time_network(network, backends, self, options)

    def forget(self, network_id: int) -> None:
        """Drop a network that was closed; called by `LoadedNetwork.close`."""
        with self._lock:
            self._networks.pop(network_id, None)

    def check_open(self) -> None:
        """Raise `InvalidArgumentError` if the runtime is closed."""
        if self._closed:
            raise closed_error("the runtime is closed", "make a new Runtime()")

    def close(self) -> None:
        """Close all networks, then the backends. Harmless when repeated.

        Raises
        ------
        InvalidArgumentError, BackendError
            As `LoadedNetwork.close`; the runtime stays open.
        """
        self._close(patience=None)

    def _close(self, *, patience: float | None, obey: bool = True) -> None:
        if self._is_done:
            return
        for network in reversed(self.networks):
            network._close(patience=patience, obey=obey)
        with self._lock:
            self._closed = True
        # Backends live on while plans and support queries of other threads use them.
        self._backends.close()
        for backend in self.isolated.values():
            backend.stop()
        if self._recorder is not None:
            self._recorder.write()
        self._is_done = True  # last: an interrupted close can be repeated
        drain_log()

    def _after_fork(self) -> None:
        self._lock = threading.RLock()
        for network in self.networks:
            network._after_fork()

    def __enter__(self) -> Self:
        self.check_open()
        return self

    def __del__(self) -> None:
        if not getattr(self, "_is_done", True):
            self._close(patience=None, obey=False)

    def __repr__(self) -> str:
        if self._closed:
            return "<Runtime closed>"
        refused = sum(verdict.status == "refused" for verdict in self.load_report)
        note = f", {refused} refused" if refused else ""
        return f"<Runtime with {', '.join(self._backends) or 'no backends'}{note}>"


@atexit.register
def _close_all() -> None:
    """Close all runtimes while the interpreter is intact: no network may run after that."""
    begin_ending()
    for runtime in list(_open_runtimes):
        with contextlib.suppress(Exception):
            runtime._close(patience=_EXIT_PATIENCE, obey=False)
        with contextlib.suppress(Exception):
            runtime._backends.quiesce()  # backends held by a run that did not stop


def _after_fork_in_child() -> None:
    for runtime in list(_open_runtimes):
        runtime._after_fork()


os.register_at_fork(after_in_child=_after_fork_in_child)
