# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The protocol over HTTP: its routes, and bodies of JSON with raw tensors behind it."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import simdjson
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from armnn_py.errors import ArmnnError
from armnn_py.serve.failures import CANCELLED, TOO_LARGE, RequestError, Status, status_of
from armnn_py.serve.logs import request_id
from armnn_py.serve.model import Answer, Model
from armnn_py.serve.repository import Repository
from armnn_py.serve.tensors import datatype_of, from_json, from_raw, to_json, to_raw

if TYPE_CHECKING:
    import numpy as np

_LENGTH = "Inference-Header-Content-Length"
_SLOW = Status(408, "DEADLINE_EXCEEDED")
_LOOK_SECONDS = 0.05

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
        with model.used(), self._repository.room_for(self._stated_size(request)):
            data = await self._body(request)
            body, raw = read_body(data, request.headers.get(_LENGTH))
            arrays = arrays_of(model, body, raw)
            del data, raw  # a request that waits holds its arrays alone
            answer = await _unless_gone(request, model.infer(arrays, body.names, body.timeout))
            parts, length = written(model, body, answer)
        if length is None:
            return Response(parts[0], media_type="application/json")
        return Response(
            b"".join(parts),
            media_type="application/octet-stream",
            headers={_LENGTH: str(length)},
        )

    def _stated_size(self, request: Request) -> int:
        """Return the bytes that the header announces, which may not be too many."""
        limit = self._repository.settings.max_body_bytes
        stated = request.headers.get("content-length", "")
        size = int(stated) if stated.isdecimal() else 0
        if size > limit:
            raise _too_large(limit)
        return size

    async def _body(self, request: Request) -> bytes:
        """Read a body, which may be neither too long nor too slow."""
        settings = self._repository.settings
        limit = settings.max_body_bytes
        self._stated_size(request)
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(settings.body_seconds or None):
                async for part in request.stream():
                    size += len(part)
                    if size > limit:
                        raise _too_large(limit)
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
    """Return what ``work`` gives; cancel it when the client closes the connection.

    Most work ends before it pays to look.
    """
    task = asyncio.current_task()
    assert task is not None
    gone: asyncio.Future[Any] | None = None
    is_waiting = True

    def look() -> None:
        nonlocal gone
        gone = asyncio.ensure_future(request.receive())
        gone.add_done_callback(lambda _: is_waiting and task.cancel())

    timer = asyncio.get_running_loop().call_later(_LOOK_SECONDS, look)
    try:
        return await work
    except asyncio.CancelledError:
        if gone is None or not gone.done():
            raise
        task.uncancel()
        raise ClientDisconnect from None
    finally:
        is_waiting = False
        timer.cancel()
        if gone is not None:
            gone.cancel()


_NO_DATA = msgspec.Raw()
_ABSENT = (_NO_DATA, msgspec.Raw(b"null"))


class _Data(Struct):
    #: A text, or what simdjson has made of it.
    data: msgspec.Raw = _NO_DATA


class _Input(_Data, kw_only=True):
    name: str
    shape: list[int]
    datatype: str
    parameters: dict[str, Any] | None = None


class _Output(Struct):
    name: str
    parameters: dict[str, Any] | None = None


class InferBody(Struct):
    """The JSON of an infer request."""

    inputs: list[_Input]
    outputs: list[_Output] | None = None
    id: str | None = None
    parameters: dict[str, Any] | None = None

    @property
    def timeout(self) -> float | None:
        """Seconds that the parameter ``timeout`` states in microseconds; None: it is not there.

        Raises
        ------
        RequestError
            It is not a positive number.
        """
        given = (self.parameters or {}).get("timeout")
        if given in (None, 0):
            return None
        if isinstance(given, bool) or not isinstance(given, int) or given < 0:
            raise RequestError("parameter 'timeout': a number of microseconds expected")
        return min(given / 1e6, 1e6)

    @property
    def names(self) -> list[str]:
        """The outputs that are asked for."""
        return [one.name for one in self.outputs or ()]


def _too_large(limit: int) -> RequestError:
    return RequestError(f"the body exceeds the limit of {limit} bytes", TOO_LARGE)


class _Scan(Struct):
    inputs: list[_Data]


#: msgspec reads shorter texts in less time than simdjson.
_SHORT = 4096
#: simdjson and Python's objects take up to 25 times the bytes of a text.
_LONG = 16 << 20
_MOST_OBJECTS = 1 << 15
_BODY = msgspec.json.Decoder(InferBody)
_SCAN = msgspec.json.Decoder(_Scan)
_ENCODER = msgspec.json.Encoder()


def inflated(body: bytes, encoding: str, limit: int) -> bytes:
    """Return a body without its ``Content-Encoding``.

    Raises
    ------
    RequestError
        The encoding is unknown, damaged, or holds more than ``limit`` bytes.
    """
    if encoding not in ("gzip", "deflate"):
        raise RequestError(
            f"content encoding '{encoding[:50]}' given, gzip or deflate expected",
            Status(415, "INVALID_ARGUMENT"),
        )
    machine = zlib.decompressobj(wbits=47)  # either kind, recognised by its head
    try:
        plain = machine.decompress(body, limit)
    except zlib.error as error:
        raise RequestError(f"the body is not {encoding}: {error}") from None
    if machine.unconsumed_tail:
        raise RequestError(f"the body holds more than {limit} bytes", TOO_LARGE)
    if not machine.eof:
        raise RequestError(f"the body ends in the middle of its {encoding}")
    return plain


def read_body(body: bytes, json_length: str | None) -> tuple[InferBody, memoryview]:
    """Read the JSON of a request; returns it, and the raw tensors behind it.

    Parameters
    ----------
    body
        All of it.
    json_length
        The header ``Inference-Header-Content-Length``: bytes of JSON; None: all.

    Raises
    ------
    RequestError
        The length lies, or the JSON is not a request.
    """
    view = memoryview(body)
    size = len(body)
    if json_length is not None:
        if not json_length.isdecimal() or len(json_length) > 18 or int(json_length) > size:
            raise RequestError(
                f"header Inference-Header-Content-Length: '{json_length[:30]}' given, at most the "
                f"{size} bytes of the body expected"
            )
        size = int(json_length)
    text = body if size == len(body) else body[:size]
    try:
        if size > _LONG:
            _check_long(text)
        read = _with_flat_data(text) if _SHORT < size <= _LONG else None
        return read or _BODY.decode(text), view[size:]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"the body is not an infer request: {error}") from None
    except RecursionError:
        raise RequestError("the body is not an infer request: its JSON is too deep") from None


def _check_long(text: bytes) -> None:
    """Refuse a long text that has much beside its data, whose length their shape limits.

    Raises
    ------
    RequestError
        It would take many times its bytes.
    """
    if text.count(b"{") > _MOST_OBJECTS:
        raise RequestError(f"the JSON has more than {_MOST_OBJECTS} objects", TOO_LARGE)
    data = sum(memoryview(one.data).nbytes for one in _SCAN.decode(text).inputs)
    if len(text) - data > _LONG:
        raise RequestError(f"the JSON has more than {_LONG} bytes beside its data", TOO_LARGE)


def _with_flat_data(text: bytes) -> InferBody | None:
    """Read a request with flat lists of data, and leave these where simdjson put them.

    Returns None for what msgspec should read or refuse: nested lists, and integers beyond 64 bits,
    which ``FP32`` data may have.
    """
    try:
        document: Any = simdjson.Parser().parse(text)
    except (RuntimeError, ValueError):
        return None
    listed = document.get("inputs") if isinstance(document, simdjson.Object) else None
    inputs: list[Any] = list(listed) if isinstance(listed, simdjson.Array) else [None]
    if not all(isinstance(one, simdjson.Object) for one in inputs):
        return None
    # The lists of inputs, outputs, shapes and data: with no other one, all data are flat.
    lists = 1 + ("outputs" in document) + len(inputs) + sum("data" in one for one in inputs)
    if text.count(b"[") != lists:
        return None
    head = _members(document, "id", "outputs", "parameters")
    rows = [_members(one, "name", "shape", "datatype", "parameters") for one in inputs]
    body = msgspec.convert({**head, "inputs": rows}, InferBody)
    for one, given in zip(body.inputs, inputs, strict=True):
        if given.get("data") is not None:
            one.data = given["data"]
    return body


def _members(given: simdjson.Object, *names: str) -> dict[str, Any]:
    """Return the members of an object that are there, in Python's types."""
    found: dict[str, Any] = {name: given[name] for name in names if name in given}
    for name, value in found.items():
        if isinstance(value, simdjson.Object):
            found[name] = value.as_dict()
        elif isinstance(value, simdjson.Array):
            found[name] = value.as_list()
    return found


def arrays_of(model: Model, body: InferBody, raw: memoryview) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays of a request.

    Raises
    ------
    RequestError
        One does not fit the model, or the lengths of the raw tensors lie.
    """
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    place = 0
    for one in body.inputs:
        info = model.take(arrays, one.name, one.shape, one.datatype)
        size = (one.parameters or {}).get("binary_data_size")
        if size is None:
            if one.data in _ABSENT:
                raise RequestError(f"input '{one.name}' has no data")
            arrays[one.name] = from_json(one.name, one.data, one.shape, info)
            one.data = _NO_DATA  # the text and its numbers are larger than the array
            continue
        if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size <= len(raw) - place:
            raise RequestError(
                f"input '{one.name}': binary_data_size {str(size)[:30]} given, at most the "
                f"{len(raw) - place} bytes that are left of the body expected"
            )
        if one.data not in _ABSENT:
            raise RequestError(f"input '{one.name}' has data and binary_data_size, one expected")
        arrays[one.name] = from_raw(one.name, raw[place : place + size], one.shape, info)
        place += size
    if place != len(raw):
        raise RequestError(f"{len(raw) - place} bytes of the body belong to no input")
    return arrays


def written(model: Model, body: InferBody, answer: Answer) -> tuple[list[bytes], int | None]:
    """Return the parts of an answer's body, and the bytes of its JSON if raw tensors follow."""
    everywhere = (body.parameters or {}).get("binary_data_output") is True
    asked = {one.name: (one.parameters or {}) for one in body.outputs or ()}
    outputs: list[dict[str, Any]] = []
    tail: list[bytes] = []
    for name, array in answer.outputs.items():
        info = answer.infos[name]
        row: dict[str, Any] = {
            "name": name,
            "datatype": datatype_of(info),
            "shape": array.shape,
        }
        if asked.get(name, {}).get("binary_data", everywhere) is True:
            raw = to_raw(array, info)
            row["parameters"] = {"binary_data_size": len(raw)}
            tail.append(raw)
        else:
            row["data"] = to_json(array, info)
        outputs.append(row)
    document = {"model_name": model.name, "model_version": model.version, "outputs": outputs}
    if body.id is not None:
        document["id"] = body.id
    head = _ENCODER.encode(document)
    return [head, *tail], len(head) if tail else None
