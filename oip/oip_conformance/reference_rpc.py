# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The gRPC side of the small server of `oip_conformance.reference`, with faults of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import numpy as np
from open_inference.grpc import protocol as messages
from open_inference.grpc.service import (
    GRPCInferenceServiceServicer,
    add_GRPCInferenceServiceServicer_to_server,
)

from oip_conformance.models import known_answer
from oip_conformance.reference import EXTENSIONS, RefusalError, metadata, need
from oip_conformance.tensors import CONTENTS, DTYPES, from_bytes, to_bytes

#: A fault that can be planted -> the check that must find it.
RPC_FAULTS = {
    "the server is never ready": "test_grpc.py::test_server_health[ServerReady-ready]",
    "unknown models are ready": "test_grpc.py::test_unknown_model[ModelReady]",
    "the metadata lack versions": "test_grpc.py::test_model_metadata",
    "the server has another version": "test_grpc.py::test_server_metadata",
    "the id is lost": "test_grpc.py::test_id_is_returned",
    "requested outputs are ignored": "test_grpc.py::test_requested_output",
    "integers become floats": "test_grpc.py::test_values_at_the_limits[oip_identity_int64-typed]",
    "raw contents in big-endian order": "test_grpc.py::test_contents[oip_identity_int64-raw]",
    "missing bytes are zeros": "test_grpc.py::test_error[raw contents cut]",
    "errors have no details": "test_grpc.py::test_error",
    "errors are INTERNAL": "test_grpc.py::test_error_is_the_clients",
    "answers are swapped": "test_grpc.py::test_callers_get_their_own_answers",
}


class _Servicer(GRPCInferenceServiceServicer):  # type: ignore[misc]
    def __init__(self, fault: str) -> None:
        self._fault = fault
        self._last: Any = None

    def ServerLive(self, _request: Any, _context: Any) -> Any:  # noqa: N802
        return messages.ServerLiveResponse(live=True)

    def ServerReady(self, _request: Any, _context: Any) -> Any:  # noqa: N802
        return messages.ServerReadyResponse(ready=self._fault != "the server is never ready")

    def ModelReady(self, request: Any, context: Any) -> Any:  # noqa: N802
        if self._fault != "unknown models are ready":
            self._refusing(context, metadata, request.name)
        return messages.ModelReadyResponse(ready=True)

    def ServerMetadata(self, _request: Any, _context: Any) -> Any:  # noqa: N802
        version = "2" if self._fault == "the server has another version" else "1"
        return messages.ServerMetadataResponse(
            name="reference", version=version, extensions=EXTENSIONS
        )

    def ModelMetadata(self, request: Any, context: Any) -> Any:  # noqa: N802
        document = self._refusing(context, metadata, request.name)
        if self._fault == "the metadata lack versions":
            document["versions"] = []
        return messages.ModelMetadataResponse(**document)

    def ModelInfer(self, request: Any, context: Any) -> Any:  # noqa: N802
        response = self._refusing(context, self._infer, request)
        if self._fault == "answers are swapped":
            response, self._last = self._last or response, response
        return response

    def _refusing(self, context: Any, function: Any, *arguments: Any) -> Any:
        """Call a function whose errors become a status."""
        try:
            return function(*arguments)
        except (RefusalError, AssertionError, ValueError, KeyError) as error:
            internal = self._fault == "errors are INTERNAL"
            code = grpc.StatusCode.INTERNAL if internal else grpc.StatusCode.INVALID_ARGUMENT
            context.abort(code, "" if self._fault == "errors have no details" else str(error))

    def _infer(self, request: Any) -> Any:
        model = metadata(request.model_name)
        need(request.model_version in ("", "1"), f"no version {request.model_version!r}")
        arrays = self._read_inputs(model, request)
        found = known_answer(model["name"], arrays) or {}
        wanted = [one.name for one in request.outputs] or list(found)
        if self._fault == "requested outputs are ignored":
            wanted = list(found)
        made = messages.ModelInferResponse(model_name=model["name"], model_version="1")
        made.id = "" if self._fault == "the id is lost" else request.id
        datatype = model["outputs"][0]["datatype"]
        for name in wanted:
            need(name in found, f"no output has the name {name!r}")
            entry = made.outputs.add(name=name, datatype=datatype, shape=found[name].shape)
            if request.raw_input_contents:
                big = self._fault == "raw contents in big-endian order"
                array = found[name].byteswap() if big else found[name]
                made.raw_output_contents.append(to_bytes(array))
            else:
                getattr(entry.contents, CONTENTS[datatype]).extend(found[name].ravel().tolist())
        return made

    def _read_inputs(self, model: Any, request: Any) -> dict[str, np.ndarray]:
        raw = list(request.raw_input_contents)
        need(not raw or len(raw) == len(request.inputs), f"{len(raw)} raw contents")
        stated = {one["name"]: one["datatype"] for one in model["inputs"]}
        arrays = {}
        for place, one in enumerate(request.inputs):
            need(one.name in stated and one.name not in arrays, f"input {one.name!r}")
            need(one.datatype == stated[one.name], f"{one.name!r} has datatype {one.datatype!r}")
            shape = list(one.shape)
            fits = len(shape) == 2 and 0 <= shape[0] < 2**31 and shape[1] == 4
            need(fits, f"shape {shape} is not (batch, 4)")
            arrays[one.name] = self._read_input(one, shape, raw[place] if raw else None)
        need(arrays.keys() == stated.keys(), f"inputs {sorted(arrays)}")
        return arrays

    def _read_input(self, one: Any, shape: list[int], raw: bytes | None) -> np.ndarray:
        dtype = DTYPES[one.datatype]
        if raw is not None:
            need(not one.HasField("contents"), "typed and raw contents")
            if self._fault == "missing bytes are zeros":
                raw = raw.ljust(shape[0] * 4 * np.dtype(dtype).itemsize, b"\0")
            return from_bytes(raw, one.datatype, shape)
        values = getattr(one.contents, CONTENTS[one.datatype])
        through = "f8" if self._fault == "integers become floats" else dtype
        return np.array(values, through).astype(dtype).reshape(shape)


def make_rpc_server(fault: str = "") -> tuple[grpc.Server, int]:
    """Make and start a server on a free port of 127.0.0.1; give it and the port."""
    server = grpc.server(ThreadPoolExecutor(32))
    add_GRPCInferenceServiceServicer_to_server(_Servicer(fault), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, port
