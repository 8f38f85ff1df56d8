# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The protocol's gRPC messages, in a pool of descriptors of their own.

The published stubs lack the repository, and claim the same names in the default pool as those of
other packages, such as tritonclient: one process could not use both.
"""

from __future__ import annotations

import re
from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

__all__ = ["METHODS", "SERVICE", "has_too_many_fields", "message"]

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
