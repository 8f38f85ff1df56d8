# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Several processes that accept from one socket, watched by uvicorn's supervisor.

Each loads the models itself. Saved networks are mapped, so that their weights are in memory once.
"""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from uvicorn.supervisors import Multiprocess

import armnn_py
from armnn_py.errors import InvalidArgumentError
from armnn_py.serve.app import application_of
from armnn_py.serve.repository import Repository
from armnn_py.serve.server import addresses, configured
from armnn_py.serve.settings import Settings

if TYPE_CHECKING:
    from starlette.applications import Starlette

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
