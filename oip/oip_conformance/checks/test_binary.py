# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The binary tensor data extension."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest

from oip_conformance.client import JSON_SIZE, Model, Rest, expect
from oip_conformance.models import known_answer
from oip_conformance.tensors import extremes, same, to_bytes

pytestmark = pytest.mark.usefixtures("binary")


def _names(model: Model) -> set[str]:
    return {one.name for one in model.inputs}


@pytest.mark.parametrize("given", ["json", "binary"])
@pytest.mark.parametrize("read", ["json", "binary"])
def test_each_way(rest: Rest, model: Model, given: str, read: str) -> None:
    """Inputs and outputs are JSON or binary, in each combination. (Binary Tensor Request.)"""
    if model.only_raw and "json" in (given, read):
        pytest.skip("the protocol has no JSON form of FP16 and BF16")
    arrays = model.arrays(3)
    document, blobs = model.request(arrays, binary=_names(model) if given == "binary" else None)
    document["outputs"] = [
        {"name": one.name, "parameters": {"binary_data": read == "binary"}} for one in model.outputs
    ]
    answer = rest.post(model.name, document, blobs)
    found = answer.outputs(model)
    expected = known_answer(model.name, arrays) or rest.infer(model, arrays)
    for name, right in expected.items():
        expect(same(found[name], right), f"output {name!r} is {found[name]} instead of {right}")
    wanted = {one.name for one in model.outputs} if read == "binary" else set()
    came = answer.binary_outputs()
    expect(came == wanted, f"binary outputs {sorted(came)} instead of {sorted(wanted)}")


def test_values_at_the_limits(rest: Rest, model: Model) -> None:
    """Each bit of the largest and smallest values passes. (Binary Tensor Request.)"""
    if not model.name.startswith("oip_identity_"):
        pytest.skip("only the models oip_identity_TYPE give their input back")
    arrays = {"x": extremes(model.inputs[0].datatype).reshape(1, 4)}
    document, blobs = model.request(arrays, binary={"x"})
    document["parameters"] = {"binary_data_output": True}
    found = rest.post(model.name, document, blobs).outputs(model)["y"]
    expect(to_bytes(found) == to_bytes(arrays["x"]), f"{found} instead of {arrays['x']}")


def test_binary_data_output(rest: Rest, any_model: Model) -> None:
    """The request's parameter makes all outputs binary. ("binary_data_output".)"""
    document, _ = any_model.request(any_model.arrays())
    document["parameters"] = {"binary_data_output": True}
    answer = rest.post(any_model.name, document)
    answer.outputs(any_model)
    came = sorted(answer.binary_outputs())
    expect(came == sorted(one.name for one in any_model.outputs), f"binary outputs: {came}")


def test_binary_data_comes_first(rest: Rest, any_model: Model) -> None:
    """An output's own parameter overrides the request's. ("binary_data_output".)"""
    document, _ = any_model.request(any_model.arrays())
    document["parameters"] = {"binary_data_output": True}
    first = any_model.outputs[0].name
    document["outputs"] = [{"name": first, "parameters": {"binary_data": False}}]
    answer = rest.post(any_model.name, document)
    answer.outputs(any_model, [first])
    expect(not answer.binary_outputs(), "the output is binary although binary_data is false")


def test_json_and_binary_inputs_together(rest: Rest, model: Model) -> None:
    """One input may be JSON and another binary. (Binary Tensor Request.)"""
    if len(model.inputs) < 2 or model.only_raw:
        pytest.skip("the model has no two inputs with a JSON form")
    arrays = model.arrays()
    expected = rest.infer(model, arrays)
    for one in model.inputs:
        document, blobs = model.request(arrays, binary={one.name})
        found = rest.post(model.name, document, blobs).outputs(model)
        expect(all(same(found[name], expected[name]) for name in found), "the answers differ")


def _parameters(document: dict[str, Any]) -> dict[str, Any]:
    return document["inputs"][-1]["parameters"]


#: How a request lies: changes of the document, of the binary data and of the header.
LIES = {
    "size too small": lambda doc: _parameters(doc).update(binary_data_size=1),
    "size too large": lambda doc: _parameters(doc).update(binary_data_size=2**40),
    "negative size": lambda doc: _parameters(doc).update(binary_data_size=-8),
    "size is text": lambda doc: _parameters(doc).update(binary_data_size="eight"),
    "data beside a size": lambda doc: doc["inputs"][-1].update(data=[0]),
    "shape of other size": lambda doc: doc["inputs"][-1]["shape"].__setitem__(-1, 10**6),
}


@pytest.mark.parametrize("lie", LIES)
def test_lies_in_the_json(rest: Rest, any_model: Model, lie: str) -> None:
    """Sizes that do not fit are refused by an error object. ("binary_data_size".)"""
    document, blobs = any_model.request(any_model.arrays(), binary=_names(any_model))
    LIES[lie](document)
    rest.post(any_model.name, document, blobs).error()
    rest.infer(any_model, any_model.arrays())


@pytest.mark.parametrize("size", [0, 5, 10**9, -1, "many"])
def test_lies_in_the_header(rest: Rest, any_model: Model, size: object) -> None:
    """A header that does not name the JSON's size is refused. (Inference-Header-Content-Length.)"""
    document, blobs = any_model.request(any_model.arrays(), binary=_names(any_model))
    rest.post(any_model.name, document, blobs, json_size=size).error()
    rest.infer(any_model, any_model.arrays())


@pytest.mark.parametrize("change", ["cut", "longer"])
def test_lies_of_the_body(rest: Rest, any_model: Model, change: str) -> None:
    """Binary data that end early or go on are refused. ("binary_data_size".)"""
    document, blobs = any_model.request(any_model.arrays(), binary=_names(any_model))
    blobs = blobs[:-1] if change == "cut" else blobs + b"more"
    rest.post(any_model.name, document, blobs).error()


@pytest.mark.parametrize("length", [0, 3, 2**32 - 1])
def test_lies_of_a_string(rest: Rest, model: Model, length: int) -> None:
    """Lengths of BYTES elements that do not fit are refused. (Binary Tensor Request.)"""
    if {one.datatype for one in model.inputs} != {"BYTES"}:
        pytest.skip("the inputs are not of type BYTES")
    document, blobs = model.request(model.arrays(), binary=_names(model))
    rest.post(model.name, document, struct.pack("<I", length) + blobs[4:]).error()


def test_header_of_the_response(rest: Rest, any_model: Model) -> None:
    """A binary response names the size of its JSON. (Inference-Header-Content-Length.)"""
    document, blobs = any_model.request(any_model.arrays(), binary=_names(any_model))
    document["parameters"] = {"binary_data_output": True}
    document["id"] = "binary 7"
    answer = rest.post(any_model.name, document, blobs)
    size = answer.headers.get(JSON_SIZE, "")
    expect(size.isdigit(), f"{JSON_SIZE} is {size!r}, not a number")
    found = json.loads(answer.body[: int(size)]).get("id")
    expect(found == "binary 7", f"'id' is {found!r} instead of 'binary 7'")
