# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The protocol over HTTP."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from armnn_py.errors import ArmnnError
from armnn_py.serve.bodies import arrays_of, inflated, read_body, written
from armnn_py.serve.failures import CANCELLED, TOO_LARGE, RequestError, Status, status_of
from armnn_py.serve.logs import request_id
from armnn_py.serve.repository import Repository

__all__ = ["Rest", "failed"]

_LENGTH = "Inference-Header-Content-Length"
_SLOW = Status(408, "DEADLINE_EXCEEDED")

T = TypeVar("T")
Endpoint = Callable[[Request], Awaitable[Response]]


def _json(document: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(document), status, media_type="application/json")


def failed(_request: Request, error: Exception) -> Response:
    """Return an error in the form of the protocol."""
    if isinstance(error, HTTPException):
        return _json({"error": error.detail}, error.status_code)
    known = isinstance(error, (RequestError, ArmnnError, MemoryError))
    text = str(error) or type(error).__name__
    return _json(
        {"error": text if known else f"the server failed: {type(error).__name__}"},
        status_of(error).http,
    )


class Rest:
    """The endpoints over a repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    @property
    def routes(self) -> list[Route]:
        """The paths of the protocol, of its extensions, and ``/metrics``; first those of infer."""
        models = ("/v2/models/{name}", "/v2/models/{name}/versions/{version}")
        routes = [Route(f"{path}/infer", self._infer, methods=["POST"]) for path in models]
        routes += [
            Route("/v2", self._server),
            Route("/v2/", self._server),
            Route("/v2/health/live", self._live),
            Route("/v2/health/ready", self._ready),
            Route("/v2/repository/index", self._index, methods=["POST"]),
            Route("/v2/repository/models/{name}/load", self._load, methods=["POST"]),
            Route("/v2/repository/models/{name}/unload", self._unload, methods=["POST"]),
            Route("/metrics", self._metrics),
        ]
        for path in models:
            routes += [Route(path, self._model), Route(f"{path}/ready", self._model_ready)]
        return routes

    async def _server(self, _request: Request) -> Response:
        return _json(self._repository.metadata)

    async def _live(self, _request: Request) -> Response:
        return _json({"live": True})

    async def _ready(self, _request: Request) -> Response:
        why = self._repository.unready()
        document: dict[str, Any] = {"live": True, "ready": not why}
        return _json({**document, "error": why} if why else document, 503 if why else 200)

    async def _model(self, request: Request) -> Response:
        name, version = _named(request)
        model = self._repository.find(name, version)
        versions = self._repository.versions(name)
        return _json({"name": name, "versions": versions, **model.metadata})

    async def _model_ready(self, request: Request) -> Response:
        name, version = _named(request)
        why = self._repository.unready_of(name, version)
        document: dict[str, Any] = {"name": name, "ready": not why}
        return _json({**document, "error": why} if why else document, 503 if why else 200)

    async def _index(self, request: Request) -> Response:
        body = await self._body(request)
        try:
            asked = msgspec.json.decode(body or b"{}", type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise RequestError(f"the body is not JSON: {error}") from None
        return _json(self._repository.index(ready=asked.get("ready") is True))

    async def _load(self, request: Request) -> Response:
        await self._repository.load(request.path_params["name"])
        return _json({})

    async def _unload(self, request: Request) -> Response:
        await self._repository.unload(request.path_params["name"])
        return _json({})

    async def _metrics(self, _request: Request) -> Response:
        return Response(self._repository.metrics.text(), media_type="text/plain; version=0.0.4")

    # ---- Inference -------------------------------------------------------------------------------

    async def _infer(self, request: Request) -> Response:
        start = time.monotonic()
        name, version = _named(request)
        number = request_id(request.headers.get("x-request-id"))
        status = "OK"
        try:
            response = await self._answer(request, name, version)
        except (RequestError, ArmnnError, MemoryError) as error:
            status = status_of(error).grpc
            response = failed(request, error)
        except ClientDisconnect:
            status = CANCELLED.grpc
            response = Response(status_code=CANCELLED.http)
        seconds = time.monotonic() - start
        response.headers["x-request-id"] = number
        trace = request.headers.get("traceparent")
        if trace is not None:
            response.headers["traceparent"] = trace
        self._repository.note("http", name, version, status, seconds, number, trace)
        return response

    async def _answer(self, request: Request, name: str, version: str) -> Response:
        model = self._repository.find(name, version)
        stated = request.headers.get("content-length", "0")
        size = int(stated) if stated.isdecimal() else 0
        with model.used(), self._repository.room_for(size):
            data = await self._body(request)
            body, raw = read_body(data, request.headers.get(_LENGTH))
            arrays = arrays_of(model, body, raw)
            answer = await _unless_gone(request, model.infer(arrays, body.names, body.timeout))
            parts, length = written(model, body, answer)
        if length is None:
            return Response(parts[0], media_type="application/json")
        return Response(
            b"".join(parts),
            media_type="application/octet-stream",
            headers={_LENGTH: str(length)},
        )

    async def _body(self, request: Request) -> bytes:
        """Read a body, which may be neither too long nor too slow."""
        settings = self._repository.settings
        limit = settings.max_body_bytes
        stated = request.headers.get("content-length", "")
        too_large = RequestError(f"the body exceeds the limit of {limit} bytes", TOO_LARGE)
        if stated.isdecimal() and int(stated) > limit:
            raise too_large
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(settings.body_seconds or None):
                async for part in request.stream():
                    size += len(part)
                    if size > limit:
                        raise too_large
                    parts.append(part)
        except TimeoutError:
            raise RequestError(
                f"the body did not arrive in {settings.body_seconds:g} s", _SLOW
            ) from None
        body = parts[0] if len(parts) == 1 else b"".join(parts)
        encoding = request.headers.get("content-encoding", "identity")
        return body if encoding == "identity" else inflated(body, encoding, limit)


def _named(request: Request) -> tuple[str, str]:
    return request.path_params["name"], request.path_params.get("version", "")


async def _unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return what ``work`` gives; cancel it when the client closes the connection."""
    task = asyncio.current_task()
    assert task is not None
    gone = asyncio.ensure_future(request.receive())
    gone.add_done_callback(lambda _: is_waiting and task.cancel())
    is_waiting = True
    try:
        return await work
    except asyncio.CancelledError:
        if not gone.done():
            raise
        task.uncancel()
        raise ClientDisconnect from None
    finally:
        is_waiting = False
        gone.cancel()
