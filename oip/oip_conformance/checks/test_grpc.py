# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The gRPC side: the same checks with typed and raw contents."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from oip_conformance.checks.test_metadata import NO_MODEL, NO_VERSION
from oip_conformance.client import Model, Rest, Tensor, expect
from oip_conformance.models import known_answer
from oip_conformance.tensors import extremes, same, to_bytes


def _request(model: Model, arrays: dict[str, Any], *, raw: bool) -> Any:
    from oip_conformance.rpc import request

    return request(model, arrays, raw=raw)


@pytest.mark.parametrize(("method", "field"), [("ServerLive", "live"), ("ServerReady", "ready")])
def test_server_health(grpc: Any, method: str, field: str) -> None:
    """A healthy server answers true. (gRPC: Server Live, Server Ready.)"""
    expect(getattr(grpc.call(method), field) is True, f"'{field}' is false")


def test_model_ready(grpc: Any, model: Model) -> None:
    """A loaded model is ready. (gRPC: Model Ready.)"""
    expect(grpc.call("ModelReady", name=model.name).ready, "'ready' is false")


def test_server_metadata(grpc: Any, rest: Rest) -> None:
    """Name, version and extensions are those of REST. (gRPC: Server Metadata.)"""
    found, document = grpc.call("ServerMetadata"), rest.get("").document()
    for key in ("name", "version"):
        words = f"{key} is {getattr(found, key)!r} instead of {document[key]!r}"
        expect(getattr(found, key) == document[key], words)
    extensions = sorted(document.get("extensions") or [])
    expect(sorted(found.extensions) == extensions, f"extensions are {list(found.extensions)}")


def test_model_metadata(grpc: Any, model: Model) -> None:
    """The metadata are those of REST. (gRPC: Model Metadata.)"""
    found = grpc.call("ModelMetadata", name=model.name)
    sides = (
        tuple(Tensor(one.name, one.datatype, tuple(one.shape)) for one in side)
        for side in (found.inputs, found.outputs)
    )
    read = Model(found.name, tuple(found.versions), *sides)
    expect(read == model, f"{read} instead of {model}")


@pytest.mark.parametrize("raw", [False, True], ids=["typed", "raw"])
def test_contents(grpc: Any, model: Model, raw: bool) -> None:
    """Typed and raw contents give the known answer. (gRPC: Inference, Tensor Data.)"""
    if model.only_raw and not raw:
        pytest.skip("FP16 and BF16 have no typed contents")
    arrays = model.arrays()
    found = grpc.infer(_request(model, arrays, raw=raw), model)
    for name, right in (known_answer(model.name, arrays) or {}).items():
        expect(same(found[name], right), f"output {name!r} is {found[name]} instead of {right}")


@pytest.mark.parametrize("raw", [False, True], ids=["typed", "raw"])
def test_values_at_the_limits(grpc: Any, model: Model, raw: bool) -> None:
    """Each bit of the largest and smallest values passes. (gRPC: Tensor Data.)"""
    if not model.name.startswith("oip_identity_"):
        pytest.skip("only the models oip_identity_TYPE give their input back")
    if model.only_raw and not raw:
        pytest.skip("FP16 and BF16 have no typed contents")
    arrays = {"x": extremes(model.inputs[0].datatype).reshape(1, 4)}
    found = grpc.infer(_request(model, arrays, raw=raw), model)["y"]
    expect(to_bytes(found) == to_bytes(arrays["x"]), f"{found} instead of {arrays['x']}")


def test_id_is_returned(grpc: Any, any_model: Model) -> None:
    """The response has the id of the request. (gRPC: Inference, "id".)"""
    request = _request(any_model, any_model.arrays(), raw=True)
    request.id = "id 42"
    found = grpc.stub.ModelInfer(request, timeout=grpc.timeout).id
    expect(found == "id 42", f"'id' is {found!r} instead of 'id 42'")


def test_requested_output(grpc: Any, model: Model) -> None:
    """The requested output is given alone. (gRPC: InferRequestedOutputTensor.)"""
    request = _request(model, model.arrays(), raw=True)
    request.outputs.add(name=model.outputs[-1].name)
    response = grpc.stub.ModelInfer(request, timeout=grpc.timeout)
    found = [one.name for one in response.outputs]
    expect(found == [model.outputs[-1].name], f"outputs {found}")


#: Each changes a good request with raw contents.
FAULTS = {
    "unknown model": lambda one: setattr(one, "model_name", NO_MODEL),
    "unknown version": lambda one: setattr(one, "model_version", NO_VERSION),
    "unknown input": lambda one: setattr(one.inputs[0], "name", "no such input"),
    "unknown datatype": lambda one: setattr(one.inputs[0], "datatype", "FLOAT"),
    "negative shape": lambda one: one.inputs[0].shape.__setitem__(0, -2),
    "huge shape": lambda one: one.inputs[0].shape.__setitem__(0, 2**62),
    "raw contents cut": lambda one: one.raw_input_contents.__setitem__(
        0, one.raw_input_contents[0][:-1]
    ),
    "too many raw contents": lambda one: one.raw_input_contents.append(b"1234"),
    "no contents": lambda one: one.ClearField("raw_input_contents"),
    "typed and raw contents": lambda one: one.inputs[0].contents.fp32_contents.append(1.0),
    "an input is missing": lambda one: (one.inputs.pop(), one.raw_input_contents.pop()),
    "unknown output": lambda one: one.outputs.add(name="no such output"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_error(grpc: Any, any_model: Model, fault: str) -> None:
    """An error has a code of its own and details; then the server goes on. (gRPC: Inference.)"""
    request = _request(any_model, any_model.arrays(), raw=True)
    FAULTS[fault](request)
    code, details = grpc.refusal("ModelInfer", request)
    expect(details, f"the error {code} has no details")
    grpc.infer(_request(any_model, any_model.arrays(), raw=True), any_model)


@pytest.mark.parametrize("fault", FAULTS)
def test_error_is_the_clients(grpc: Any, any_model: Model, fault: str) -> None:
    """The code says that the request is at fault. (gRPC: Inference, google.rpc.Status.)"""
    request = _request(any_model, any_model.arrays(), raw=True)
    FAULTS[fault](request)
    code, _ = grpc.refusal("ModelInfer", request)
    clients = {"INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "OUT_OF_RANGE"}
    expect(code in clients, f"the code is {code}, none of {sorted(clients)}")


@pytest.mark.parametrize("method", ["ModelReady", "ModelMetadata"])
def test_unknown_model(grpc: Any, method: str) -> None:
    """A model that is not there: an error, or not ready. (gRPC: Model Ready, Metadata.)"""
    from open_inference.grpc import protocol

    if method == "ModelReady":
        try:
            ready = grpc.call("ModelReady", name=NO_MODEL).ready
        except Exception:  # any status but OK
            ready = False
        expect(not ready, "an unknown model is ready")
        return
    grpc.refusal(method, protocol.ModelMetadataRequest(name=NO_MODEL))


def test_callers_get_their_own_answers(grpc: Any, any_model: Model) -> None:
    """32 callers at once: each gets its own answer. (gRPC: Inference.)"""

    def ask(place: int) -> bool:
        arrays = any_model.arrays(1 + place % 3, start=place)
        found = grpc.infer(_request(any_model, arrays, raw=True), any_model)
        right = known_answer(any_model.name, arrays) or found
        return all(same(found[name], right[name]) for name in right)

    with ThreadPoolExecutor(32) as pool:
        wrong = list(pool.map(ask, range(128))).count(False)
    expect(not wrong, f"{wrong} of 128 callers got values of others")
