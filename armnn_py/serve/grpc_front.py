# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The protocol over gRPC, with messages in a pool of descriptors of their own.

The published stubs lack the repository, and claim the same names in the default pool as those of
other packages, such as tritonclient: one process could not use both.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

from armnn_py.errors import ArmnnError, InvalidArgumentError
from armnn_py.serve.failures import CANCELLED, TOO_LARGE, RequestError, status_of
from armnn_py.serve.logs import request_id
from armnn_py.serve.model import Answer, Model
from armnn_py.serve.repository import Repository
from armnn_py.serve.settings import address
from armnn_py.serve.tensors import datatype_of, from_raw, from_values, to_json, to_raw

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
            if isinstance(request, RequestError):
                return _refuse(context, request)
            try:
                return kind(**await method(request, context))
            except (RequestError, ArmnnError, MemoryError) as error:
                return _refuse(context, error)

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


def _refuse(context: Any, error: Exception) -> None:
    """Answer a call with an error.

    ``abort()`` would raise an exception that gRPC keeps until the garbage collector runs, and with
    it the request.
    """
    context.set_code(getattr(grpc.StatusCode, status_of(error).grpc))
    context.set_details(str(error) or type(error).__name__)


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


SERVICE: Final = "inference.GRPCInferenceService"
#: Each has a message NAMERequest and a message NAMEResponse.
METHODS: Final = (
    "ServerLive", "ServerReady", "ModelReady", "ServerMetadata", "ModelMetadata", "ModelInfer",
    "RepositoryIndex", "RepositoryModelLoad", "RepositoryModelUnload",
)  # fmt: skip

# A message a line: fields as name:type, `*` repeated, `|` one of a choice, `%` a map from strings.
# Fields are numbered in their order. A dot: a message inside another.
_TABLE: Final = """
ServerLiveRequest
ServerLiveResponse live:bool
ServerReadyRequest
ServerReadyResponse ready:bool
ModelReadyRequest name:string version:string
ModelReadyResponse ready:bool
ServerMetadataRequest
ServerMetadataResponse name:string version:string *extensions:string
ModelMetadataRequest name:string version:string
ModelMetadataResponse.TensorMetadata name:string datatype:string *shape:int64
ModelMetadataResponse name:string *versions:string platform:string *inputs:.TensorMetadata *outputs:.TensorMetadata
InferParameter |bool_param:bool |int64_param:int64 |string_param:string |double_param:double |uint64_param:uint64
InferTensorContents *bool_contents:bool *int_contents:int32 *int64_contents:int64 *uint_contents:uint32 *uint64_contents:uint64 *fp32_contents:float *fp64_contents:double *bytes_contents:bytes
ModelInferRequest.InferInputTensor name:string datatype:string *shape:int64 %parameters:InferParameter contents:InferTensorContents
ModelInferRequest.InferRequestedOutputTensor name:string %parameters:InferParameter
ModelInferRequest model_name:string model_version:string id:string %parameters:InferParameter *inputs:.InferInputTensor *outputs:.InferRequestedOutputTensor *raw_input_contents:bytes
ModelInferResponse.InferOutputTensor name:string datatype:string *shape:int64 %parameters:InferParameter contents:InferTensorContents
ModelInferResponse model_name:string model_version:string id:string %parameters:InferParameter *outputs:.InferOutputTensor *raw_output_contents:bytes
ModelRepositoryParameter |bool_param:bool |int64_param:int64 |string_param:string |bytes_param:bytes
RepositoryIndexRequest repository_name:string ready:bool
RepositoryIndexResponse.ModelIndex name:string version:string state:string reason:string
RepositoryIndexResponse *models:.ModelIndex
RepositoryModelLoadRequest repository_name:string model_name:string %parameters:ModelRepositoryParameter
RepositoryModelLoadResponse
RepositoryModelUnloadRequest repository_name:string model_name:string %parameters:ModelRepositoryParameter
RepositoryModelUnloadResponse
"""  # noqa: E501
#: protobuf takes some 80 bytes for a message in a message, of which the data may have 2.
_MOST_FIELDS: Final = 1 << 15
_FIELD: Final = re.compile(r"([*|%]?)(\w+):(\.?)(\w+)")


def _pool() -> descriptor_pool.DescriptorPool:
    file = descriptor_pb2.FileDescriptorProto(
        name="armnn_py_inference.proto", package="inference", syntax="proto3"
    )
    made: dict[str, Any] = {}
    for line in _TABLE.split("\n"):
        if not line:
            continue
        name, *fields = line.split()
        outer, _, inner = name.rpartition(".")
        if outer and outer not in made:
            made[outer] = file.message_type.add(name=outer)
        if name not in made:
            made[name] = made[outer].nested_type.add(name=inner) if outer else (
                file.message_type.add(name=name)
            )  # fmt: skip
        for number, text in enumerate(fields, 1):
            _add(made[name], name, number, text)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool


def _add(of: Any, name: str, number: int, text: str) -> None:
    """Add a field to the descriptor of a message."""
    kinds: Any = descriptor_pb2.FieldDescriptorProto
    found = _FIELD.fullmatch(text)
    assert found is not None, text
    mark, field, is_inner, kind = found.groups()
    added = of.field.add(name=field, number=number)
    added.label = kinds.LABEL_REPEATED if mark in ("*", "%") and mark else kinds.LABEL_OPTIONAL
    if mark == "|":
        if not of.oneof_decl:
            of.oneof_decl.add(name="parameter_choice")
        added.oneof_index = 0
    if mark == "%":
        entry = of.nested_type.add(name="ParametersEntry")
        entry.options.map_entry = True
        _add(entry, f"{name}.ParametersEntry", 1, "key:string")
        _add(entry, f"{name}.ParametersEntry", 2, f"value:{kind}")
        added.type, added.type_name = kinds.TYPE_MESSAGE, f".inference.{name}.ParametersEntry"
    elif kind[0].isupper():
        owner = f"{name}." if is_inner else ""
        added.type, added.type_name = kinds.TYPE_MESSAGE, f".inference.{owner}{kind}"
    else:
        added.type = getattr(kinds, f"TYPE_{kind.upper()}")


_POOL: Final = _pool()


def message(name: str) -> Any:
    """Return the class of a message of the protocol."""
    return message_factory.GetMessageClass(_POOL.FindMessageTypeByName(f"inference.{name}"))


def has_too_many_fields(kind: Any, data: bytes) -> bool:
    """Whether a message and those in it have more fields than requests need.

    Elements of tensors are not counted. Of data that is damaged the answer means nothing.
    """
    if len(data) <= 2 * _MOST_FIELDS:
        return False
    left = _MOST_FIELDS
    waiting = [(kind.DESCRIPTOR, 0, len(data))]
    while waiting:
        of, place, end = waiting.pop()
        while place < end:
            left -= 1
            if not left:
                return True
            key, place = _varint(data, place)
            wire = key & 7
            if wire == 2:
                size, place = _varint(data, place)
                inner = getattr(of.fields_by_number.get(key >> 3), "message_type", None)
                if inner is not None and inner.name != "InferTensorContents":
                    waiting.append((inner, place, min(place + size, end)))
                place += size
            elif wire == 0:
                place = _varint(data, place)[1]
            else:
                place += {1: 8, 5: 4}.get(wire, 0)
    return False


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """Return a number of 7 bits a byte, and the place behind it."""
    value = 0
    for shift, byte in enumerate(data[place : place + 10]):
        value |= (byte & 127) << (7 * shift)
        if byte < 128:
            return value, place + shift + 1
    return 0, len(data)  # damaged: nothing is read behind it
