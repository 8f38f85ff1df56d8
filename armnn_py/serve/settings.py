# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Settings of the server and of its models, from a TOML file or from flags."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field

from armnn_py.errors import InvalidArgumentError

Count = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(ge=0)]


class ModelSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """How one model is served.

    Attributes
    ----------
    path
        The file of the model; not needed for a model of the folder.
    backends
        Ids in order of preference; empty: all, best first. A saved network has its own.
    instances
        Runs of this model at the same time. They share its weights.
    max_batch
        Most rows of a batch that is made of several requests; 1: no batches.
    max_delay_ms
        Longest time that a request waits for others to fill its batch.
    max_queue
        Most requests that wait; further ones are refused.
    timeout
        Seconds of a request that states none; 0: no limit.
    ready_when
        ``"degraded"``: the model is ready while any backend answers. ``"ready"``: only while all
        of its backends are there.
    """

    path: str = ""
    backends: tuple[str, ...] = ()
    instances: Count = 1
    max_batch: Count = 1
    max_delay_ms: Seconds = 2.0
    max_queue: Count = 256
    timeout: Seconds = 0.0
    ready_when: Literal["ready", "degraded"] = "degraded"


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """A server and its models.

    Attributes
    ----------
    models
        By name. A name without a path holds for the model of that name in the folder.
    defaults
        Of models that are not named.
    folder
        Folder of model files, and of folders ``NAME/VERSION/FILE``; empty: none.
    poll_seconds
        How often the folder is read for files that were replaced; 0: never.
    host, port, grpc_port
        Where the server listens; ``grpc_port`` None: no gRPC.
    max_body_bytes
        Largest body of a request.
    max_waiting_bytes
        Most bytes of all bodies that are read or wait; further requests are refused.
    body_seconds
        Longest time in which a body arrives.
    drain_seconds
        Longest time for requests in flight after SIGTERM.
    shares_ports
        Whether other processes listen at the same ports. ``load`` and ``unload`` are refused then.
    ssl_certfile, ssl_keyfile
        PEM files for TLS, of both ports; empty: no TLS.
    """

    models: dict[str, ModelSettings] = field(default_factory=dict)
    defaults: ModelSettings = ModelSettings()
    folder: str = ""
    poll_seconds: Seconds = 2.0
    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8000
    grpc_port: Annotated[int, Meta(ge=0, le=65535)] | None = None
    max_body_bytes: Count = 256 << 20
    max_waiting_bytes: Count = 1 << 30
    body_seconds: Seconds = 60.0
    drain_seconds: Seconds = 30.0
    shares_ports: bool = False
    ssl_certfile: str = ""
    ssl_keyfile: str = ""


def read_settings(path: str | os.PathLike[str]) -> Settings:
    """Read a TOML file; paths in it are relative to its folder.

    Raises
    ------
    InvalidArgumentError
        It cannot be read, or has a name or value that does not belong there.
    """
    file = Path(path)
    try:
        settings = msgspec.toml.decode(file.read_bytes(), type=Settings)
    except OSError as error:
        raise InvalidArgumentError(f"'{path}' cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidArgumentError(
            f"'{path}' is not a configuration of the server: {error}"
        ) from None

    def found(name: str) -> str:
        return str(file.parent / name) if name else ""

    return msgspec.structs.replace(
        settings,
        models={
            name: msgspec.structs.replace(one, path=found(one.path))
            for name, one in settings.models.items()
        },
        folder=found(settings.folder),
        ssl_certfile=found(settings.ssl_certfile),
        ssl_keyfile=found(settings.ssl_keyfile),
    )


def address(host: str, port: int) -> str:
    """Return a host and a port as a URL has them, a host of IPv6 in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
