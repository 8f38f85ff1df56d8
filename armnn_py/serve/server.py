# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Runs the application in uvicorn until a signal ends it, in one process or in several.

Several accept from one socket, and uvicorn's supervisor watches them. Each loads the models; saved
networks are mapped, so their weights are in memory once.
"""

from __future__ import annotations

import functools
import os
import signal
import socket
import tempfile
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

import msgspec
import uvicorn
from uvicorn.supervisors import Multiprocess

import armnn_py
from armnn_py.errors import InvalidArgumentError
from armnn_py.serve.app import application_of
from armnn_py.serve.repository import Repository
from armnn_py.serve.settings import Settings, address

if TYPE_CHECKING:
    from starlette.applications import Starlette


class _Server(uvicorn.Server):
    """Says where it listens, and is not ready any more when a signal has come."""

    def __init__(
        self, config: uvicorn.Config, repository: Repository, told: Callable[[str], object]
    ) -> None:
        super().__init__(config)
        self._repository, self._told = repository, told

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            bound = self.servers[0].sockets[0].getsockname()
            self._told(addresses(self.config, bound, self._repository.grpc_port))

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._repository.draining = True
        super().handle_exit(sig, frame)


def addresses(config: uvicorn.Config, bound: tuple[Any, ...], grpc_port: int | None) -> str:
    """Return where a server listens, in words, by the name of its socket."""
    host, port = bound[:2]
    also = "" if grpc_port is None else f", gRPC at {address(host, grpc_port)}"
    return f"{'https' if config.is_ssl else 'http'}://{address(host, port)}/v2{also}"


def configured(settings: Settings, app: Any, **more: Any) -> uvicorn.Config:
    """Return the configuration of uvicorn for an application."""
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=max(1, round(settings.drain_seconds)),
        ssl_certfile=settings.ssl_certfile or None,
        ssl_keyfile=settings.ssl_keyfile or None,
        **more,
    )


def serve(repository: Repository, told: Callable[[str], object]) -> bool:
    """Serve until SIGTERM or SIGINT, then answer what is in flight and close the models.

    Parameters
    ----------
    repository
        Its models are loaded.
    told
        Called with the address when the server listens.

    Returns
    -------
    bool
        Whether it has listened.
    """
    config = configured(repository.settings, application_of(repository))
    server = _Server(config, repository, told)

    # uvicorn raises the signal again at its end, for handlers that were there before.
    def ended(_signal: int, _frame: FrameType | None) -> None:
        pass

    before = {one: signal.signal(one, ended) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.run()
    except SystemExit:  # it has logged why it cannot listen
        return False
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    return server.started


#: A worker that does not answer the supervisor for so long is replaced; it may load models.
_HUNG_SECONDS = 60


def serve_by_workers(
    settings: Settings,
    count: int,
    make_runtime: Callable[[], armnn_py.Runtime],
    told: Callable[[str], object],
) -> None:
    """Serve until SIGTERM or SIGINT; a worker that ends is replaced.

    Parameters
    ----------
    settings
        Of each worker; all listen at the same ports.
    count
        Workers. They share the threads that one process would take.
    make_runtime
        Makes the runtime of a worker; pickled.
    told
        Called with the address when the socket accepts.

    Raises
    ------
    InvalidArgumentError
        gRPC is to listen at a port that the system chooses.
    """
    if settings.grpc_port == 0:
        raise InvalidArgumentError(
            "grpc_port 0 given with several workers, a number that all of them use expected"
        )
    threads = max(1, armnn_py.get_num_threads() // count)
    worker = functools.partial(_worker, settings, make_runtime, threads)
    config = configured(
        settings, worker, factory=True, workers=count, timeout_worker_healthcheck=_HUNG_SECONDS
    )
    with tempfile.TemporaryDirectory(prefix="armnn-py-") as folder, config.bind_socket() as socket:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder  # workers add up their counters there
        try:
            socket.listen(config.backlog)  # clients wait for the first worker
            told(addresses(config, socket.getsockname(), settings.grpc_port))
            Multiprocess(config, sockets=[socket]).run()
        finally:
            del os.environ["PROMETHEUS_MULTIPROC_DIR"]


def _worker(
    settings: Settings, make_runtime: Callable[[], armnn_py.Runtime], threads: int
) -> Starlette:
    """Return the application of one worker; called in its process."""
    armnn_py.set_num_threads(threads)
    shares = msgspec.structs.replace(settings, shares_ports=True)
    return application_of(Repository(shares, make_runtime()))
