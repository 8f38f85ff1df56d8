# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A strict client over HTTP: it builds requests and checks the form of each response."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import httpx
import numpy as np

from oip_conformance.tensors import (
    DTYPES,
    ONLY_RAW,
    from_bytes,
    from_json,
    sample,
    to_bytes,
    to_json,
)

#: The header that gives the size of the JSON in front of binary data, in bytes.
JSON_SIZE = "Inference-Header-Content-Length"


def expect(condition: object, message: str) -> None:
    """Fail the check with a message unless the condition holds."""
    __tracebackhide__ = True
    if not condition:
        raise AssertionError(message)


@dataclass(frozen=True)
class Tensor:
    """An input or output of the model metadata."""

    name: str
    datatype: str
    shape: tuple[int, ...]

    def sized(self, free: int = 2) -> list[int]:
        """Give the shape with ``free`` for each variable dimension."""
        return [free if one < 0 else one for one in self.shape]


@dataclass(frozen=True)
class Model:
    """The metadata of a served model."""

    name: str
    versions: tuple[str, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]

    @property
    def only_raw(self) -> bool:
        """Whether a tensor has a type without a JSON form."""
        return any(one.datatype in ONLY_RAW for one in (*self.inputs, *self.outputs))

    @property
    def is_free(self) -> bool:
        """Whether the first dimension of each input and output is variable."""
        return all(one.shape[:1] == (-1,) for one in (*self.inputs, *self.outputs))

    def arrays(self, free: int = 2, start: int = 0) -> dict[str, np.ndarray]:
        """Give sample values for each input."""
        return {
            one.name: sample(one.datatype, one.sized(free), start + place)
            for place, one in enumerate(self.inputs)
        }

    def request(
        self, arrays: dict[str, np.ndarray], *, nested: bool = False, binary: set[str] | None = None
    ) -> tuple[dict[str, Any], bytes]:
        """Give the request as JSON, and the binary data of the inputs named in ``binary``."""
        inputs, blobs = [], []
        for one in self.inputs:
            array = arrays[one.name]
            entry: dict[str, Any] = {"name": one.name, "datatype": one.datatype}
            entry["shape"] = list(array.shape)
            if one.name in (binary or ()):
                blobs.append(to_bytes(array))
                entry["parameters"] = {"binary_data_size": len(blobs[-1])}
            else:
                entry["data"] = to_json(array, nested=nested)
            inputs.append(entry)
        return {"inputs": inputs}, b"".join(blobs)


def read_model(document: Any) -> Model:
    """Read the response to a model metadata request, and check its form."""
    expect(isinstance(document, dict), f"the model metadata is not a JSON object: {document!r}")
    for key in ("name", "platform"):
        expect(isinstance(document.get(key), str), f"{key!r} of the metadata is not a string")
    versions = document.get("versions") or []
    expect(
        isinstance(versions, list) and all(isinstance(one, str) for one in versions),
        f"'versions' is not a list of strings: {versions!r}",
    )
    sides = []
    for key in ("inputs", "outputs"):
        expect(isinstance(document.get(key), list), f"{key!r} of the metadata is not a list")
        sides.append(tuple(_read_tensor(one, key) for one in document[key]))
    return Model(document["name"], tuple(versions), *sides)


def _read_tensor(entry: Any, key: str) -> Tensor:
    expect(isinstance(entry, dict), f"an entry of {key!r} is not a JSON object: {entry!r}")
    expect(isinstance(entry.get("name"), str), f"an entry of {key!r} has no name: {entry!r}")
    name, datatype, shape = entry["name"], entry.get("datatype"), entry.get("shape")
    expect(datatype in DTYPES, f"tensor {name!r} has the unknown datatype {datatype!r}")
    right = isinstance(shape, list) and all(type(one) is int and one >= -1 for one in shape)
    expect(right, f"tensor {name!r} has the shape {shape!r}, not integers of at least -1")
    return Tensor(name, datatype, tuple(shape))


@dataclass(frozen=True)
class Answer:
    """A response of the server."""

    status: int
    headers: httpx.Headers
    body: bytes

    def document(self) -> dict[str, Any]:
        """Give the JSON object of a response with status 200 and without binary data."""
        words = self.body[:300]
        expect(self.status == 200, f"status {self.status} instead of 200: {words!r}")
        kind = self.headers.get("content-type", "")
        expect(kind.startswith("application/json"), f"Content-Type is {kind!r}, not JSON")
        return _parse(self.body)

    def error(self) -> str:
        """Give the text of the error object, whose form is checked."""
        expect(self.status >= 400, f"status {self.status} instead of an error: {self.body[:300]!r}")
        text = _parse(self.body).get("error")
        expect(isinstance(text, str) and text, f"'error' is not text: {self.body[:300]!r}")
        return str(text)

    def outputs(self, model: Model, wanted: list[str] | None = None) -> dict[str, np.ndarray]:
        """Give the outputs of an inference response, whose form is checked.

        ``wanted`` names the outputs of the request; None stands for all of the model.
        """
        document, blobs = self._split()
        name = document.get("model_name")
        expect(name == model.name, f"'model_name' is {name!r} instead of {model.name!r}")
        entries = document.get("outputs")
        expect(isinstance(entries, list), f"'outputs' is not a list: {entries!r}")
        known = {one.name: one for one in model.outputs}
        found: dict[str, np.ndarray] = {}
        for entry in entries:
            expect(entry.get("name") in known, f"unknown output {entry.get('name')!r}")
            tensor = known[entry["name"]]
            expect(tensor.name not in found, f"output {tensor.name!r} is given twice")
            found[tensor.name], blobs = _read_output(tensor, entry, blobs)
        expect(not blobs, f"{len(blobs)} bytes of binary data belong to no output")
        names = sorted(list(known) if wanted is None else wanted)
        expect(sorted(found) == names, f"outputs {sorted(found)} instead of {names}")
        return found

    def binary_outputs(self) -> set[str]:
        """Name the outputs that came as binary data."""
        entries = self._split()[0]["outputs"]
        return {
            one["name"] for one in entries if "binary_data_size" in (one.get("parameters") or {})
        }

    def _split(self) -> tuple[dict[str, Any], bytes]:
        size = self.headers.get(JSON_SIZE)
        if size is None or self.status != 200:
            return self.document(), b""
        expect(size.isdigit(), f"the header {JSON_SIZE} is {size!r}, not a number")
        expect(int(size) <= len(self.body), f"{JSON_SIZE} {size} is beyond the body")
        return _parse(self.body[: int(size)]), self.body[int(size) :]


def _parse(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except ValueError as error:
        raise AssertionError(f"the body is not JSON ({error}): {body[:300]!r}") from None
    expect(isinstance(document, dict), f"the body is not a JSON object: {body[:300]!r}")
    return dict(document)


def _read_output(tensor: Tensor, entry: dict[str, Any], blobs: bytes) -> tuple[np.ndarray, bytes]:
    where = f"output {tensor.name!r}"
    datatype, shape = entry.get("datatype"), entry.get("shape")
    expect(datatype == tensor.datatype, f"{where} has the datatype {datatype!r}")
    right = isinstance(shape, list) and all(type(one) is int and one >= 0 for one in shape)
    expect(right, f"{where} has the shape {shape!r}")
    fits = len(shape) == len(tensor.shape) and all(
        stated in (-1, one) for stated, one in zip(tensor.shape, shape, strict=True)
    )
    expect(fits, f"{where} has the shape {shape}, the metadata says {list(tensor.shape)}")
    size = (entry.get("parameters") or {}).get("binary_data_size")
    if size is None:
        return from_json(entry.get("data"), tensor.datatype, shape), blobs
    expect("data" not in entry, f"{where} has both 'data' and 'binary_data_size'")
    right = type(size) is int and 0 <= size <= len(blobs)
    expect(right, f"{where} has the binary_data_size {size!r}, {len(blobs)} bytes are left")
    return from_bytes(blobs[:size], tensor.datatype, shape), blobs[size:]


class Rest:
    """The HTTP side of a server."""

    def __init__(self, url: str, timeout: float) -> None:
        limits = httpx.Limits(max_connections=64, max_keepalive_connections=64)
        self.http = httpx.Client(base_url=url, timeout=timeout, limits=limits, trust_env=False)

    def get(self, path: str) -> Answer:
        """Send a GET request to a path below ``/v2``."""
        return self._send("GET", f"v2{path}")

    def post(
        self,
        name: str,
        body: Any,
        blobs: bytes = b"",
        *,
        version: str = "",
        json_size: object = None,
    ) -> Answer:
        """Send an inference request; ``body`` is the JSON as an object or as bytes.

        With ``blobs`` or ``json_size`` the request has the header of the binary extension.
        """
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        if blobs or json_size is not None:
            headers["Content-Type"] = "application/octet-stream"
            headers[JSON_SIZE] = str(len(text) if json_size is None else json_size)
        path = f"v2/models/{name}{f'/versions/{version}' if version else ''}/infer"
        return self._send("POST", path, content=text + blobs, headers=headers)

    def infer(self, model: Model, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Give all outputs, by JSON where the types have that form, otherwise by binary data."""
        binary = {one.name for one in model.inputs} if model.only_raw else None
        document, blobs = model.request(arrays, binary=binary)
        if model.only_raw:
            document["parameters"] = {"binary_data_output": True}
        return self.post(model.name, document, blobs).outputs(model)

    def served(self) -> list[str]:
        """List the models by the model repository extension; an empty list without it."""
        answer = self._send("POST", "v2/repository/index", json={})
        if answer.status != 200:
            return []
        return [one["name"] for one in json.loads(answer.body)]

    def extensions(self) -> list[str]:
        """List the extensions that the server metadata names."""
        return list(self.get("").document().get("extensions") or [])

    def _send(self, method: str, path: str, **content: Any) -> Answer:
        try:
            response = self.http.request(method, path, **content)
        except (httpx.NetworkError, httpx.RemoteProtocolError):
            # A server may close a connection after any answer; the next request notices that.
            response = self.http.request(method, path, **content)
        return Answer(response.status_code, response.headers, response.content)
