# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A small server that passes all checks over HTTP: ``python -m oip_conformance.reference PORT``.

It serves the models of `oip_conformance.models` without a framework. ``fault`` plants one of
`FAULTS`, which the tests of the suite use: each must be found by the check that is named there.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from oip_conformance.client import JSON_SIZE
from oip_conformance.models import ADDED, known_answer
from oip_conformance.tensors import DTYPES, ONLY_RAW, from_bytes, from_json, to_bytes, to_json

#: A fault that can be planted -> the check that must find it.
FAULTS = {
    "the id is lost": "test_infer.py::test_id_is_returned[42]",
    "64-bit integers pass through floats": "test_infer.py::test_values_at_the_limits",
    "nested data are transposed": "test_infer.py::test_nested_data",
    "requested outputs are ignored": "test_infer.py::test_requested_outputs",
    "inputs go by place": "test_infer.py::test_inputs_go_by_name",
    "the shape is not compared with the data": "test_errors.py::test_error_object",
    "errors are pages": "test_errors.py::test_error_object",
    "errors have status 500": "test_errors.py::test_error_is_the_clients",
    "unknown versions are served": "test_errors.py::test_unknown_version",
    "datatypes in any case": "test_errors.py::test_names_have_cases",
    "left-over binary data are ignored": "test_binary.py::test_lies_of_the_body[longer]",
    "binary data in big-endian order": "test_binary.py::test_each_way",
    "the JSON's size counts characters": "test_binary.py::test_header_of_the_response",
    "binary_data_output overrides binary_data": "test_binary.py::test_binary_data_comes_first",
    "answers are swapped": "test_load.py::test_callers_get_their_own_answers",
    "a ready model has no name": "test_metadata.py::test_model_ready_names_the_model",
}
EXTENSIONS = ["binary_tensor_data", "model_repository"]


class RefusalError(Exception):
    """A request at fault; the text is for the error object."""


def need(condition: object, message: str, kind: type | tuple[type, ...] = object) -> None:
    """Refuse a request unless the condition holds, and is of this kind."""
    if not condition or not isinstance(condition, kind):
        raise RefusalError(message)


def metadata(name: str) -> dict[str, Any]:
    """Give the metadata of a model.

    Raises
    ------
    RefusalError
        If no model has this name.
    """
    _, _, rest = name.partition("oip_")
    kind, _, datatype = rest.partition("_")
    known = datatype.upper() in (ADDED if kind == "add" else DTYPES) and datatype.islower()
    need(known and kind in ("identity", "add"), f"no model has the name {name!r}")
    sides = (["a", "b"], ["sum", "difference"]) if kind == "add" else (["x"], ["y"])
    tensors = (
        [{"name": one, "datatype": datatype.upper(), "shape": [-1, 4]} for one in side]
        for side in sides
    )
    document = dict(zip(("inputs", "outputs"), tensors, strict=True))
    return {"name": name, "versions": ["1"], "platform": "reference_numpy", **document}


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body leave together
    fault = ""
    _last: Any = None

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        """Answer health and metadata."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """Answer inference and the repository index."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(lambda parts: self._post(parts, body))

    def _answer(self, make: Any) -> None:
        status, blobs = 200, None
        try:
            document, blobs = make(self.path.split("?")[0].strip("/").split("/"))
        except (
            RefusalError,
            AssertionError,
            ValueError,
            RecursionError,
            TypeError,
            KeyError,
        ) as error:
            status = 500 if self.fault == "errors have status 500" else 400
            document = {"error": f"{type(error).__name__}: {error}"}
        text = json.dumps(document, ensure_ascii=False).encode()
        if status != 200 and self.fault == "errors are pages":
            text = b"<html>bad request</html>"
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if blobs is None else "octet-stream")
        self.send_header("Content-Length", str(len(text) + len(blobs or b"")))
        if blobs is not None:
            characters = self.fault == "the JSON's size counts characters"
            self.send_header(JSON_SIZE, str(len(text.decode()) - 3 if characters else len(text)))
        self.end_headers()
        self.wfile.write(text + (blobs or b""))

    def _get(self, parts: list[str]) -> tuple[Any, None]:
        if parts[:2] == ["v2", "health"]:
            return {parts[2]: True}, None
        if parts == ["v2"]:
            return {"name": "reference", "version": "1", "extensions": EXTENSIONS}, None
        document = metadata(self._model(parts))
        if parts[-1] == "ready":
            name = {} if self.fault == "a ready model has no name" else {"name": document["name"]}
            return {**name, "ready": True}, None
        return document, None

    def _model(self, parts: list[str]) -> str:
        need(len(parts) > 2 and parts[:2] == ["v2", "models"], f"unknown path {self.path}")
        if parts[3:4] == ["versions"] and self.fault != "unknown versions are served":
            need(parts[4:5] == ["1"], f"no version {parts[4:5]}")
        return parts[2]

    def _post(self, parts: list[str], body: bytes) -> tuple[Any, bytes | None]:
        if parts == ["v2", "repository", "index"]:
            names = [f"oip_identity_{one.lower()}" for one in DTYPES]
            names += [f"oip_add_{one.lower()}" for one in ADDED]
            return [{"name": one, "version": "1", "state": "READY"} for one in names], None
        model = metadata(self._model(parts))
        need(parts[-1] == "infer", f"unknown path {self.path}")
        size = self.headers.get(JSON_SIZE, str(len(body)))
        need(size.isdigit() and int(size) <= len(body), f"{JSON_SIZE} is {size}")
        request = json.loads(body[: int(size)])
        need(request, "the request is not an object", dict)
        need(request.get("inputs"), "inputs is not a list", list)
        arrays = self._read_inputs(model, request["inputs"], body[int(size) :])
        return self._write_outputs(model, request, known_answer(model["name"], arrays) or {})

    def _read_inputs(self, model: Any, entries: list[Any], blobs: bytes) -> dict[str, np.ndarray]:
        arrays: dict[str, np.ndarray] = {}
        stated = {one["name"]: one for one in model["inputs"]}
        for place, entry in enumerate(entries):
            need(entry, "an input is not an object", dict)
            name = entry.get("name")
            if self.fault == "inputs go by place":
                name = model["inputs"][place]["name"]
            need(name in stated and name not in arrays, f"input {name!r} is not expected")
            datatype = entry["datatype"]
            if self.fault == "datatypes in any case":
                datatype = datatype.upper()
            need(datatype == stated[name]["datatype"], f"{name!r} has datatype {datatype!r}")
            arrays[name], blobs = self._read_input(entry, datatype, blobs)
        need(len(arrays) == len(stated), f"inputs {sorted(arrays)} instead of {sorted(stated)}")
        if self.fault != "left-over binary data are ignored":
            need(not blobs, f"{len(blobs)} bytes belong to no input")
        return arrays

    def _read_input(self, entry: Any, datatype: str, blobs: bytes) -> tuple[np.ndarray, bytes]:
        shape = entry["shape"]
        need(shape, "shape is not a list", list)
        right = len(shape) == 2 and all(type(one) is int and one >= 0 for one in shape)
        need(right and shape[1] == 4 and shape[0] < 2**31, f"shape {shape} is not (batch, 4)")
        size = (entry.get("parameters") or {}).get("binary_data_size")
        if size is None:
            data = entry["data"]
            need(isinstance(data, list), "data is not a list")
            need(datatype not in ONLY_RAW, f"{datatype} has no JSON form")
            nested = bool(data) and isinstance(data[0], list)
            fits = not nested or all(isinstance(one, list) and len(one) == 4 for one in data)
            need(fits, "data are nested unevenly")
            if self.fault == "the shape is not compared with the data":
                shape = [len(data) // 4, 4]
                data = data[: len(data) // 4 * 4]
            array = from_json(data, datatype, shape)
            if self.fault == "64-bit integers pass through floats" and "INT64" in datatype:
                array = array.astype("f8").astype("i8").astype(array.dtype)
            if nested and self.fault == "nested data are transposed":
                array = array.T.reshape(shape)
            return array, blobs
        need("data" not in entry, "an input has data and binary_data_size")
        need(type(size) is int and 0 <= size <= len(blobs), f"binary_data_size is {size!r}")
        return from_bytes(blobs[:size], datatype, shape), blobs[size:]

    def _write_outputs(
        self, model: Any, request: dict[str, Any], found: dict[str, np.ndarray]
    ) -> tuple[Any, bytes | None]:
        entries, blobs, is_binary = [], [], False
        wanted = request.get("outputs") or [{"name": one} for one in found]
        if self.fault == "requested outputs are ignored":
            wanted = [{"name": one} for one in found]
        every = (request.get("parameters") or {}).get("binary_data_output", False)
        for one in wanted:
            need(one, "a requested output is not an object", dict)
            need(one.get("name") in found, f"no output has the name {one.get('name')!r}")
            own = (one.get("parameters") or {}).get("binary_data", every)
            if self.fault == "binary_data_output overrides binary_data":
                own = own or every
            array = found[one["name"]]
            datatype = model["outputs"][0]["datatype"]
            entry = {"name": one["name"], "datatype": datatype, "shape": list(array.shape)}
            if own:
                is_binary = True
                blobs.append(to_bytes(array))
                if self.fault == "binary data in big-endian order" and array.dtype != object:
                    blobs[-1] = array.byteswap().tobytes()
                entry["parameters"] = {"binary_data_size": len(blobs[-1])}
            else:
                entry["data"] = to_json(array)
            entries.append(entry)
        document = {"model_name": model["name"], "model_version": "1", "outputs": entries}
        if "id" in request and self.fault != "the id is lost":
            document["id"] = request["id"]
        if self.fault == "answers are swapped" and Handler._last is not None:
            document["outputs"], Handler._last = Handler._last, document["outputs"]
        elif self.fault == "answers are swapped":
            Handler._last = document["outputs"]
        return document, b"".join(blobs) if is_binary else None


class _Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


def make_server(port: int = 0, fault: str = "") -> ThreadingHTTPServer:
    """Make a server on 127.0.0.1 that `serve_forever` runs; port 0 takes a free one."""
    handler = type("Planted", (Handler,), {"fault": fault})
    return _Server(("127.0.0.1", port), handler)


if __name__ == "__main__":
    server = make_server(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
