# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Bodies of infer requests and of their answers: JSON, with raw tensors behind it."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from armnn_py.serve.failures import TOO_LARGE, RequestError, Status
from armnn_py.serve.model import Answer, Model
from armnn_py.serve.tensors import datatype_of, from_json, from_raw, to_json, to_raw

if TYPE_CHECKING:
    import numpy as np

__all__ = ["InferBody", "arrays_of", "inflated", "read_body", "written"]


class _Input(Struct):
    name: str
    shape: list[int]
    datatype: str
    data: msgspec.Raw = msgspec.Raw()
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


_BODY = msgspec.json.Decoder(InferBody)
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
    try:
        return _BODY.decode(view[:size]), view[size:]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"the body is not an infer request: {error}") from None
    except RecursionError:
        raise RequestError("the body is not an infer request: its JSON is too deep") from None


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
            if not len(one.data):
                raise RequestError(f"input '{one.name}' has no data")
            arrays[one.name] = from_json(one.name, memoryview(one.data), one.shape, info)
            continue
        if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size <= len(raw) - place:
            raise RequestError(
                f"input '{one.name}': binary_data_size {str(size)[:30]} given, at most the "
                f"{len(raw) - place} bytes that are left of the body expected"
            )
        if len(one.data):
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
