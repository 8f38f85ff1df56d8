# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The server as an ASGI application."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException

import armnn_py
from armnn_py.errors import ArmnnError, InvalidArgumentError
from armnn_py.serve.failures import RequestError
from armnn_py.serve.repository import Repository
from armnn_py.serve.rest import Rest, failed
from armnn_py.serve.settings import Settings


def application(
    *models: str | os.PathLike[str],
    settings: Settings | None = None,
    runtime: armnn_py.Runtime | None = None,
) -> Starlette:
    """Return an ASGI application that serves models by the Open Inference Protocol v2.

    Its lifespan loads the models, and closes them after the last request.

    Parameters
    ----------
    models
        Model files and saved networks; each is named after its file without suffix.
    settings
        Of the server. ``host``, ``port``, ``grpc_port`` and TLS belong to the ASGI server.
    runtime
        Loads the models; default: one that is closed with them.

    Raises
    ------
    InvalidArgumentError
        A file does not exist, or two have one name.

    Examples
    --------
    >>> from armnn_py.serve import application
    >>> app = application("model.onnx")  # for uvicorn, hypercorn or Ray Serve
    """
    return application_of(Repository(with_models(settings or Settings(), models), runtime))


def with_models(settings: Settings, models: tuple[str | os.PathLike[str], ...]) -> Settings:
    """Add models to settings, named after their files.

    Raises
    ------
    InvalidArgumentError
        Two have one name.
    """
    named = dict(settings.models)
    for path in map(Path, models):
        known = named.get(path.stem, settings.defaults)
        if known.path:
            raise InvalidArgumentError(
                f"model '{path.stem}' has two files: '{known.path}' and '{path}'"
            )
        named[path.stem] = msgspec.structs.replace(known, path=str(path))
    return msgspec.structs.replace(settings, models=named)


def application_of(repository: Repository) -> Starlette:
    """Return the application over a repository, whose models may be loaded already."""

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        repository.load_all()
        async with repository.running(), contextlib.AsyncExitStack() as stack:
            if repository.settings.grpc_port is not None:
                from armnn_py.serve.grpc_front import serving

                repository.grpc_port = await stack.enter_async_context(serving(repository))
            yield

    handlers = dict.fromkeys((HTTPException, RequestError, ArmnnError, Exception), failed)
    return Starlette(routes=Rest(repository).routes, lifespan=lifespan, exception_handlers=handlers)
