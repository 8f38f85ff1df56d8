# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Runs the application in uvicorn until a signal ends it."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import Any

import uvicorn

from armnn_py.serve.app import application_of
from armnn_py.serve.repository import Repository
from armnn_py.serve.settings import Settings, address


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
