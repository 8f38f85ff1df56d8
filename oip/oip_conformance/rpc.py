# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A strict client over gRPC, with the messages of the package open-inference-grpc."""

from __future__ import annotations

from typing import Any

import grpc
import numpy as np
from open_inference.grpc import protocol as messages
from open_inference.grpc.service import GRPCInferenceServiceStub

from oip_conformance.client import Model, Tensor, expect
from oip_conformance.tensors import CONTENTS, DTYPES, from_bytes, to_bytes


class Rpc:
    """The gRPC side of a server."""

    def __init__(self, address: str, timeout: float) -> None:
        self.channel = grpc.insecure_channel(
            address, options=[("grpc.max_receive_message_length", -1)]
        )
        self.stub = GRPCInferenceServiceStub(self.channel)
        self.timeout = timeout

    def close(self) -> None:
        """Close the channel."""
        self.channel.close()

    def call(self, method: str, **fields: Any) -> Any:
        """Call a method with a request of these fields."""
        request = getattr(messages, f"{method}Request")(**fields)
        return getattr(self.stub, method)(request, timeout=self.timeout)

    def refusal(self, method: str, request: Any) -> tuple[str, str]:
        """Call a method that must fail; give the name of the status code, and its details."""
        try:
            response = getattr(self.stub, method)(request, timeout=self.timeout)
        except grpc.RpcError as error:
            return error.code().name, error.details() or ""
        raise AssertionError(f"the status is OK instead of an error: {str(response)[:300]}")

    def infer(self, request: Any, model: Model) -> dict[str, np.ndarray]:
        """Call ModelInfer; give the outputs, whose form is checked."""
        return read_outputs(self.stub.ModelInfer(request, timeout=self.timeout), model)


def request(model: Model, arrays: dict[str, np.ndarray], *, raw: bool = False) -> Any:
    """Build a ModelInferRequest with typed or raw contents."""
    made = messages.ModelInferRequest(model_name=model.name)
    for one in model.inputs:
        array = arrays[one.name]
        entry = made.inputs.add(name=one.name, datatype=one.datatype, shape=array.shape)
        if raw:
            made.raw_input_contents.append(to_bytes(array))
        else:
            getattr(entry.contents, CONTENTS[one.datatype]).extend(array.reshape(-1).tolist())
    return made


def read_outputs(response: Any, model: Model) -> dict[str, np.ndarray]:
    """Give the outputs of a ModelInferResponse, whose form is checked."""
    name = response.model_name
    expect(name == model.name, f"model_name is {name!r} instead of {model.name!r}")
    raw = list(response.raw_output_contents)
    if raw:
        counts = f"{len(raw)} raw contents for {len(response.outputs)} outputs"
        expect(len(raw) == len(response.outputs), counts)
    known = {one.name: one for one in model.outputs}
    found = {}
    for place, entry in enumerate(response.outputs):
        expect(entry.name in known, f"unknown output {entry.name!r}")
        tensor = known[entry.name]
        expect(entry.datatype == tensor.datatype, f"{entry.name!r} has type {entry.datatype!r}")
        found[entry.name] = _read(tensor, entry, raw[place] if raw else None)
    expect(sorted(found) == sorted(known), f"outputs {sorted(found)} instead of {sorted(known)}")
    return found


def _read(tensor: Tensor, entry: Any, raw: bytes | None) -> np.ndarray:
    shape = list(entry.shape)
    if raw is not None:
        expect(not entry.contents.ListFields(), f"{tensor.name!r} has typed and raw contents")
        return from_bytes(raw, tensor.datatype, shape)
    expect(tensor.datatype in CONTENTS, f"{tensor.datatype} has no typed contents")
    flat = np.array(getattr(entry.contents, CONTENTS[tensor.datatype]), DTYPES[tensor.datatype])
    sizes = f"{flat.size} elements of {tensor.name!r} for the shape {shape}"
    expect(flat.size == np.prod(shape, dtype=np.int64), sizes)
    return flat.reshape(shape)
