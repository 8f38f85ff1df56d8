# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The models of a server: by name and version, from named files and from a folder."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import armnn_py
from armnn_py.errors import ArmnnError, InvalidArgumentError
from armnn_py.serve.failures import NOT_FOUND, UNAVAILABLE, UNSUPPORTED, RequestError
from armnn_py.serve.logs import log_request
from armnn_py.serve.metrics import Metrics, gauge
from armnn_py.serve.model import Model
from armnn_py.serve.settings import Settings
from armnn_py.serve.versions import READY, UNLOADED, Version, files_of

if TYPE_CHECKING:
    from prometheus_client.core import Metric

_log = logging.getLogger("armnn_py.serve")


class Repository:
    """Loads, finds, replaces and closes the models of a server.

    Parameters
    ----------
    settings
        Of the server.
    runtime
        Loads the models; default: one that is closed with them.

    Raises
    ------
    InvalidArgumentError
        Two models have one name, or a file does not exist.
    """

    def __init__(self, settings: Settings, runtime: armnn_py.Runtime | None = None) -> None:
        self.settings = settings
        self._owns_runtime = runtime is None
        self.runtime = runtime or armnn_py.Runtime()
        self._threads = armnn_py.get_num_threads()
        self._executor = ThreadPoolExecutor(self._threads, "armnn_py.serve")
        self.metrics = Metrics(self._gauges)
        self.runtime.events.subscribe(self.metrics.worker_event)
        self.waiting_bytes = 0
        self.draining = False
        #: Where gRPC listens; None: it does not.
        self.grpc_port: int | None = None
        self._entries: dict[str, dict[str, Version]] = {}
        self._endings: set[asyncio.Task[None]] = set()
        for name, one in settings.models.items():
            if one.path:
                if not Path(one.path).is_file():
                    raise InvalidArgumentError(f"model '{name}': '{one.path}' is not a file")
                self._add(name, "1", Path(one.path))
        for name, version, path in files_of(self.settings.folder):
            self._add(name, version, path)

    def _add(self, name: str, version: str, path: Path) -> Version:
        entry = self._entries.setdefault(name, {}).setdefault(version, Version(name, version, path))
        if entry.path != path:
            raise InvalidArgumentError(
                f"model '{name}' version {version} has two files: '{entry.path}' and '{path}'"
            )
        return entry

    @property
    def _all(self) -> list[Version]:
        return [one for versions in self._entries.values() for one in versions.values()]

    # ---- What requests ask for -------------------------------------------------------------------

    @property
    def metadata(self) -> dict[str, Any]:
        """Name, version and extensions of the server, as the protocol writes them."""
        extensions = ["binary_tensor_data"]
        if not self.settings.shares_ports:
            extensions.append("model_repository")
        return {"name": "armnn_py", "version": armnn_py.__version__, "extensions": extensions}

    def versions(self, name: str) -> list[str]:
        """Return the loaded versions of a model, oldest first."""
        found = self._entries.get(name, {})
        return sorted((version for version, one in found.items() if one.model), key=int)

    def find(self, name: str, version: str = "") -> Model:
        """Return a model; without a version the newest.

        Raises
        ------
        RequestError
            It is unknown or not loaded.
        """
        known = self.versions(name)
        entry = self._entries.get(name, {}).get(version or (known[-1] if known else ""))
        if entry is not None and entry.model is not None:
            return entry.model
        if entry is not None:
            raise RequestError(
                f"model '{name}' version {version} is not loaded: {entry.reason}", NOT_FOUND
            )
        if version and known:
            raise RequestError(
                f"model '{name}' has no version '{version[:50]}', {', '.join(known)} expected",
                NOT_FOUND,
            )
        if name in self._entries:
            raise RequestError(f"model '{name}' is not loaded", NOT_FOUND)
        raise RequestError(f"model '{name[:200]}' is unknown", NOT_FOUND)

    def unready_of(self, name: str, version: str) -> str:
        """Return why a model is not ready; empty if it is.

        Raises
        ------
        RequestError
            It is unknown.
        """
        try:
            return self.find(name, version).unready
        except RequestError as error:
            known = self._entries.get(name, {})
            if known and (not version or version in known):
                return str(error)
            raise

    def note(
        self,
        protocol: str,
        name: str,
        version: str,
        status: str,
        seconds: float,
        number: str,
        trace: str | None,
    ) -> None:
        """Count and log a request; names of models that do not exist are left out."""
        loaded = self.versions(name)
        model = (name, version or (loaded[-1] if loaded else ""))
        if model[1] not in self._entries.get(name, {}):
            model = ("", "")
        self.metrics.answered(*model, protocol, status, seconds)
        log_request(protocol, model, status, seconds, number, trace)

    def unready(self) -> str:
        """Why the server is not ready; empty if each model that should be loaded is ready."""
        if self.draining:
            return "the server is shutting down"
        for entry in self._all:
            if entry.model is not None and (why := entry.model.unready):
                return why
            if entry.model is None and entry.reason != UNLOADED:
                return f"model '{entry.name}' version {entry.version}: {entry.reason}"
        return ""

    def index(self, *, ready: bool = False) -> list[dict[str, str]]:
        """Return name, version, state and reason of each model; ``ready``: of loaded ones alone."""
        rows = [one.row for one in self._all]
        return [row for row in rows if row["state"] == READY or not ready]

    @contextlib.contextmanager
    def room_for(self, size: int) -> Iterator[None]:
        """Reserve bytes of a body.

        Raises
        ------
        RequestError
            Too many bytes wait.
        """
        if self.waiting_bytes + size > self.settings.max_waiting_bytes:
            raise RequestError(
                f"{self.waiting_bytes} bytes of requests wait, {self.settings.max_waiting_bytes} "
                "are the limit", UNAVAILABLE,
            )  # fmt: skip
        self.waiting_bytes += size
        try:
            yield
        finally:
            self.waiting_bytes -= size

    def _gauges(self) -> Iterator[Metric]:
        """Yield what is read for each scrape."""
        loaded = [one.model for one in self._all if one.model is not None]
        labels = ("model", "version")
        yield gauge(
            "armnn_queue_requests", "Requests that wait", labels,
            [((one.name, one.version), one.batcher.waiting) for one in loaded],
        )  # fmt: skip
        yield gauge(
            "armnn_model_ready", "1: ready by its policy", labels,
            [((one.name, one.version), float(not one.unready)) for one in loaded],
        )  # fmt: skip
        yield gauge(
            "armnn_waiting_bytes", "Bytes of bodies in the server", (), [((), self.waiting_bytes)]
        )

    # ---- Load and unload -------------------------------------------------------------------------

    def load_all(self) -> None:
        """Load every model; called before the server listens.

        Raises
        ------
        ArmnnError
            A model cannot be loaded.
        """
        try:
            for entry in self._all:
                if entry.model is None:
                    entry.hold(entry.path.open("rb"))
                    self._made(entry, self._make(entry))
        except BaseException:
            self.let_go()
            raise

    def let_go(self) -> None:
        """Close the files of models that are not served after all."""
        for entry in self._all:
            entry.hold(None)

    def _make(self, entry: Version) -> Model:
        """Load a file; runs on any thread."""
        of_name = self.settings.models.get(entry.name, self.settings.defaults)
        return Model(
            entry.name,
            entry.version,
            msgspec.structs.replace(of_name, path=str(entry.path)),
            runtime=self.runtime,
            executor=self._executor,
            threads=self._threads,
            metrics=self.metrics,
        )

    def _made(self, entry: Version, model: Model) -> None:
        entry.model, entry.reason = model, ""
        _log.info("model '%s' version %s is loaded", entry.name, entry.version)

    async def load(self, name: str) -> None:
        """Load all versions of a model, those that are loaded anew.

        Raises
        ------
        RequestError
            The name is unknown, or a file cannot be loaded; what was loaded stays. Or the server
            has several workers.
        """
        self._refuse_workers()
        for found, version, path in files_of(self.settings.folder):
            if found == name:
                self._add(found, version, path)
        if name not in self._entries:
            raise RequestError(f"model '{name[:200]}' is unknown", NOT_FOUND)
        for entry in list(self._entries[name].values()):
            await self._load(entry)

    def _refuse_workers(self) -> None:
        if self.settings.shares_ports:
            raise RequestError(
                "this would reach one of several workers: change the files of the folder instead",
                UNSUPPORTED,
            )

    async def _load(self, entry: Version) -> None:
        async with entry.lock:
            before = entry.model
            try:
                entry.hold(entry.path.open("rb"))  # before the load: a later rename is seen
                loop = asyncio.get_running_loop()
                made = await loop.run_in_executor(self._executor, self._make, entry)
            except (ArmnnError, OSError) as error:
                if before is None:
                    entry.reason = str(error)
                raise RequestError(f"model '{entry.name}': {error}", UNAVAILABLE) from None
            self._made(entry, made)
            if before is not None:
                self._end(before)

    async def unload(self, name: str) -> None:
        """Unload all versions of a model; requests that use them are still answered.

        Raises
        ------
        RequestError
            The name is unknown, or the server has several workers.
        """
        self._refuse_workers()
        if name not in self._entries:
            raise RequestError(f"model '{name[:200]}' is unknown", NOT_FOUND)
        for entry in list(self._entries[name].values()):
            await self._unload(entry)

    async def _unload(self, entry: Version) -> None:
        async with entry.lock:
            model, entry.model = entry.model, None
            entry.reason = UNLOADED
            entry.hold(None)
            if model is not None:
                self._end(model)

    def _end(self, model: Model) -> None:
        """Close a model after its last request, which may still be arriving."""
        ending = asyncio.create_task(model.close())
        self._endings.add(ending)
        ending.add_done_callback(self._ended)

    def _ended(self, ending: asyncio.Task[None]) -> None:
        self._endings.discard(ending)
        if not ending.cancelled() and (error := ending.exception()) is not None:
            _log.warning("a model was not closed: %s", error)

    async def reread(self) -> None:
        """Load files of the folder that are new or replaced by rename; unload those that are gone.

        A file that cannot be loaded changes nothing but the log and the index.
        """
        if not self.settings.folder:
            return
        found = list(files_of(self.settings.folder))
        paths = {path for _, _, path in found}
        for entry in self._all:
            if entry.path.is_relative_to(self.settings.folder) and entry.path not in paths:
                versions = self._entries[entry.name]
                del versions[entry.version]
                if not versions:
                    del self._entries[entry.name]
                await self._unload(entry)
        for name, version, path in found:
            entry = self._add(name, version, path)
            if entry.reason != UNLOADED and entry.is_replaced:
                try:
                    await self._load(entry)
                except RequestError as error:
                    _log.warning("%s", error)

    # ---- Life ------------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Read the folder again and again in a block; close everything at its end."""
        polls = bool(self.settings.folder and self.settings.poll_seconds)
        polling = asyncio.create_task(self._polling()) if polls else None
        try:
            yield
        finally:
            self.draining = True
            if polling is not None:
                polling.cancel()
            for entry in self._all:
                await self._unload(entry)
            if self._endings:
                await asyncio.wait(self._endings)
            self._executor.shutdown()
            if self._owns_runtime:
                self.runtime.close()

    async def _polling(self) -> None:
        while True:
            await asyncio.sleep(self.settings.poll_seconds)
            try:
                await self.reread()
            except (ArmnnError, OSError) as error:
                _log.warning("folder of models: %s", error)
