# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The protocol over gRPC."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError

from armnn_py.errors import ArmnnError, InvalidArgumentError
from armnn_py.serve.failures import CANCELLED, TOO_LARGE, RequestError, Status, status_of
from armnn_py.serve.grpc_messages import METHODS, SERVICE, has_too_many_fields, message
from armnn_py.serve.logs import request_id
from armnn_py.serve.model import Answer, Model
from armnn_py.serve.repository import Repository
from armnn_py.serve.settings import address
from armnn_py.serve.tensors import datatype_of, from_raw, from_values, to_json, to_raw

__all__ = ["serving"]

_MOST_CALLS = 4096
_CONTENTS: Final = {
    "BOOL": "bool_contents", "INT8": "int_contents", "INT16": "int_contents",
    "INT32": "int_contents", "INT64": "int64_contents", "UINT8": "uint_contents",
    "UINT16": "uint_contents", "UINT32": "uint_contents", "UINT64": "uint64_contents",
    "FP32": "fp32_contents", "FP64": "fp64_contents", "BYTES": "bytes_contents",
}  # fmt: skip


@contextlib.asynccontextmanager
async def serving(repository: Repository) -> AsyncIterator[int]:
    """Serve in a block, whose value is the port; at its end what is in flight is answered.

    Raises
    ------
    InvalidArgumentError
        It cannot listen there.
    """
    settings = repository.settings
    server = grpc.aio.server(
        maximum_concurrent_rpcs=_MOST_CALLS,
        options=[
            ("grpc.max_receive_message_length", min(settings.max_body_bytes, 2**31 - 1)),
            ("grpc.max_send_message_length", -1),
            ("grpc.so_reuseport", int(settings.shares_ports)),
        ],
    )
    front = _Front(repository)
    handlers = {
        name: grpc.unary_unary_rpc_method_handler(
            front.handler(name),
            request_deserializer=_reader(message(f"{name}Request")),
            response_serializer=message(f"{name}Response").SerializeToString,
        )
        for name in METHODS
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    assert settings.grpc_port is not None
    place = address(settings.host, settings.grpc_port)
    try:
        if settings.ssl_certfile:
            pair = Path(settings.ssl_keyfile).read_bytes(), Path(settings.ssl_certfile).read_bytes()
            port = server.add_secure_port(place, grpc.ssl_server_credentials([pair]))
        else:
            port = server.add_insecure_port(place)
    except RuntimeError as error:
        raise InvalidArgumentError(f"gRPC cannot listen at {place}: {error}") from None
    await server.start()
    try:
        yield port
    finally:
        await server.stop(settings.drain_seconds)


def _reader(kind: Any) -> Callable[[bytes], Any]:
    """Return a function that reads a message, or returns the error."""
    name = kind.DESCRIPTOR.name

    def read(data: bytes) -> Any:
        if has_too_many_fields(kind, data):
            return RequestError(f"the {name} has too many fields", TOO_LARGE)
        try:
            return kind.FromString(data)
        except DecodeError as error:
            return RequestError(f"the message is not a {name}: {error}")

    return read


class _Front:
    """The methods over a repository."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def handler(self, name: str) -> Callable[[Any, Any], Awaitable[Any]]:
        """Return the method that gRPC calls; its errors become statuses."""
        method = getattr(self, f"_{name}")
        kind = message(f"{name}Response")

        async def call(request: Any, context: Any) -> Any:
            try:
                if isinstance(request, RequestError):
                    raise request
                return kind(**await method(request, context))
            except (RequestError, ArmnnError, MemoryError) as error:
                await _abort(context, status_of(error), str(error) or type(error).__name__)

        return call

    async def _ServerLive(self, _request: Any, _context: Any) -> dict[str, Any]:  # noqa: N802
        return {"live": True}

    async def _ServerReady(self, _request: Any, _context: Any) -> dict[str, Any]:  # noqa: N802
        return {"ready": not self._repository.unready()}

    async def _ModelReady(self, request: Any, _context: Any) -> dict[str, Any]:  # noqa: N802
        return {"ready": not self._repository.unready_of(request.name, request.version)}

    async def _ServerMetadata(self, _request: Any, _context: Any) -> dict[str, Any]:  # noqa: N802
        return self._repository.metadata

    async def _ModelMetadata(self, request: Any, _context: Any) -> dict[str, Any]:  # noqa: N802
        model = self._repository.find(request.name, request.version)
        return {**model.metadata, "versions": self._repository.versions(request.name)}

    async def _RepositoryIndex(self, request: Any, _context: Any) -> dict[str, Any]:  # noqa: N802
        return {"models": self._repository.index(ready=request.ready)}

    async def _RepositoryModelLoad(self, request: Any, _context: Any) -> dict[str, Any]:  # noqa: N802
        await self._repository.load(request.model_name)
        return {}

    async def _RepositoryModelUnload(self, request: Any, _context: Any) -> dict[str, Any]:  # noqa: N802
        await self._repository.unload(request.model_name)
        return {}

    async def _ModelInfer(self, request: Any, context: Any) -> dict[str, Any]:  # noqa: N802
        start = time.monotonic()
        sent = dict(context.invocation_metadata() or ())
        number = request_id(request.id or sent.get("x-request-id"))
        status = "OK"
        try:
            return await self._infer(request, context)
        except asyncio.CancelledError:
            status = CANCELLED.grpc
            raise
        except Exception as error:
            status = status_of(error).grpc
            raise
        finally:
            self._repository.note(
                "grpc", request.model_name, request.model_version, status,
                time.monotonic() - start, number, sent.get("traceparent"),
            )  # fmt: skip

    async def _infer(self, request: Any, context: Any) -> dict[str, Any]:
        model = self._repository.find(request.model_name, request.model_version)
        with model.used(), self._repository.room_for(request.ByteSize()):
            arrays = _arrays_of(model, request)
            names = [one.name for one in request.outputs]
            limits = [context.time_remaining(), request.parameters["timeout"].int64_param / 1e6]
            limits = [limit for limit in limits if limit and limit > 0]
            answer = await model.infer(arrays, names, min(limits, default=None))
        return {
            "model_name": model.name,
            "model_version": model.version,
            "id": request.id,
            **_written(answer, is_raw=bool(request.raw_input_contents)),
        }


async def _abort(context: Any, status: Status, text: str) -> None:
    await context.abort(getattr(grpc.StatusCode, status.grpc), text)


def _arrays_of(model: Model, request: Any) -> dict[str, Any]:
    """Return the arrays of a request, from raw or from typed contents.

    Raises
    ------
    RequestError
        One does not fit the model.
    """
    raw = request.raw_input_contents
    if raw and len(raw) != len(request.inputs):
        raise RequestError(
            f"{len(raw)} raw_input_contents given, one for each of the {len(request.inputs)} "
            "inputs expected"
        )
    arrays: dict[str, Any] = {}
    for number, one in enumerate(request.inputs):
        info = model.take(arrays, one.name, one.shape, one.datatype)
        if raw:
            if one.HasField("contents"):
                raise RequestError(f"input '{one.name}' has contents and raw_input_contents")
            arrays[one.name] = from_raw(one.name, raw[number], one.shape, info)
            continue
        field = _CONTENTS.get(one.datatype)
        if field is None:
            raise RequestError(f"input '{one.name}': {one.datatype} needs raw_input_contents")
        values = getattr(one.contents, field)
        if one.datatype == "BYTES":
            try:
                values = [str(value, "utf-8") for value in values]
            except UnicodeDecodeError:
                raise RequestError(f"input '{one.name}': a string is not UTF-8") from None
        arrays[one.name] = from_values(one.name, values, one.shape, info)
    return arrays


def _written(answer: Answer, *, is_raw: bool) -> dict[str, Any]:
    """Return the fields of the outputs: raw as the inputs were, or where a type needs it."""
    kinds = {name: datatype_of(answer.infos[name]) for name in answer.outputs}
    is_raw = is_raw or any(kind not in _CONTENTS for kind in kinds.values())
    rows: list[dict[str, Any]] = []
    raw: list[bytes] = []
    for name, array in answer.outputs.items():
        row: dict[str, Any] = {"name": name, "datatype": kinds[name], "shape": array.shape}
        if is_raw:
            raw.append(to_raw(array, answer.infos[name]))
        else:
            values = to_json(array, answer.infos[name])
            if kinds[name] == "BYTES":
                values = [str(value).encode() for value in values]
            row["contents"] = {_CONTENTS[kinds[name]]: values}
        rows.append(row)
    return {"outputs": rows, "raw_output_contents": raw}
