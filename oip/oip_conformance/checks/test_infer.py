# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Inference over HTTP with JSON."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oip_conformance.client import Model, Rest, expect
from oip_conformance.models import known_answer
from oip_conformance.tensors import extremes, from_json, same


@pytest.fixture
def in_json(model: Model) -> Model:
    """Give the model if its types have a JSON form."""
    if model.only_raw:
        pytest.skip("the protocol has no JSON form of FP16 and BF16")
    return model


def _expect_same(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    for name, right in expected.items():
        words = f"output {name!r} is {found[name].tolist()} instead of {right.tolist()}"
        expect(same(found[name], right), words[:600])


def test_flat_data(rest: Rest, in_json: Model) -> None:
    """Data in one flat list; known models give the known answer. (REST: Inference.)"""
    arrays = in_json.arrays()
    found = rest.post(in_json.name, in_json.request(arrays)[0]).outputs(in_json)
    _expect_same(found, known_answer(in_json.name, arrays) or {})


def test_nested_data(rest: Rest, in_json: Model) -> None:
    """Data nested as the shape mean the same as flat data. (Tensor Data.)"""
    arrays = in_json.arrays()
    document, _ = in_json.request(arrays, nested=True)
    _expect_same(rest.post(in_json.name, document).outputs(in_json), rest.infer(in_json, arrays))


def test_values_at_the_limits(rest: Rest, in_json: Model) -> None:
    """Largest and smallest values of a type pass JSON unchanged. (Tensor Data Types.)"""
    if not in_json.name.startswith("oip_identity_"):
        pytest.skip("only the models oip_identity_TYPE give their input back")
    arrays = {"x": extremes(in_json.inputs[0].datatype).reshape(1, 4)}
    answer = rest.post(in_json.name, in_json.request(arrays)[0])
    _expect_same(answer.outputs(in_json), {"y": arrays["x"]})


@pytest.mark.parametrize("size", [1, 3, 17])
def test_variable_dimension(rest: Rest, in_json: Model, size: int) -> None:
    """A dimension of -1 takes different sizes. (REST: Model Metadata, "shape".)"""
    if not in_json.is_free:
        pytest.skip("the first dimensions of the model are fixed")
    arrays = in_json.arrays(size)
    found = rest.infer(in_json, arrays)
    _expect_same(found, known_answer(in_json.name, arrays) or {})


def test_empty_tensor(rest: Rest, any_model: Model) -> None:
    """A size of 0 is answered, or refused by an error object. (REST: Request Input, "shape".)"""
    if not any_model.is_free:
        pytest.skip("the first dimensions of the model are fixed")
    answer = rest.post(any_model.name, any_model.request(any_model.arrays(0))[0])
    if answer.status == 200:
        found = answer.outputs(any_model)
        expect(all(one.size == 0 for one in found.values()), "outputs have elements")
    else:
        answer.error()


@pytest.mark.parametrize(
    "ident", ["42", "a b/c?\u00e9\u4e16", "x" * 200], ids=["42", "odd", "long"]
)
def test_id_is_returned(rest: Rest, any_model: Model, ident: str) -> None:
    """The response has the id of the request. (REST: Inference Request, "id".)"""
    document = {"id": ident, **any_model.request(any_model.arrays())[0]}
    found = rest.post(any_model.name, document).document().get("id")
    expect(found == ident, f"'id' is {found!r} instead of {ident!r}")


def test_request_without_an_id(rest: Rest, any_model: Model) -> None:
    """The id is optional. (REST: Inference Request, "id".)"""
    rest.post(any_model.name, any_model.request(any_model.arrays())[0]).outputs(any_model)


def test_requested_outputs(rest: Rest, in_json: Model) -> None:
    """Each output is given alone if it alone is requested. (REST: Request Output.)"""
    arrays = in_json.arrays()
    every = rest.infer(in_json, arrays)
    for output in in_json.outputs:
        document = {**in_json.request(arrays)[0], "outputs": [{"name": output.name}]}
        found = rest.post(in_json.name, document).outputs(in_json, [output.name])
        _expect_same(found, {output.name: every[output.name]})


def test_outputs_in_another_order(rest: Rest, in_json: Model) -> None:
    """All outputs may be requested in any order. (REST: Request Output.)"""
    if len(in_json.outputs) < 2:
        pytest.skip("the model has one output")
    arrays = in_json.arrays()
    names: list[Any] = [{"name": one.name} for one in reversed(in_json.outputs)]
    document = {**in_json.request(arrays)[0], "outputs": names}
    _expect_same(rest.post(in_json.name, document).outputs(in_json), rest.infer(in_json, arrays))


def test_inputs_go_by_name(rest: Rest, in_json: Model) -> None:
    """The order of the inputs in the request means nothing. (REST: Request Input, "name".)"""
    if len(in_json.inputs) < 2:
        pytest.skip("the model has one input")
    arrays = in_json.arrays()
    document, _ = in_json.request(arrays)
    document["inputs"].reverse()
    _expect_same(rest.post(in_json.name, document).outputs(in_json), rest.infer(in_json, arrays))


def test_empty_parameters(rest: Rest, any_model: Model) -> None:
    """Empty parameters are allowed in request, inputs and outputs. (REST: Parameters.)"""
    document, _ = any_model.request(any_model.arrays())
    document["parameters"] = {}
    document["outputs"] = [{"name": one.name, "parameters": {}} for one in any_model.outputs]
    for entry in document["inputs"]:
        entry["parameters"] = {}
    rest.post(any_model.name, document).outputs(any_model)


def test_response_in_row_major_order(rest: Rest, any_model: Model) -> None:
    """Data of the response are flat or nested as the shape. (Tensor Data.)"""
    document = rest.post(any_model.name, any_model.request(any_model.arrays())[0]).document()
    for entry in document["outputs"]:
        data, shape = entry["data"], entry["shape"]
        from_json(data, entry["datatype"], shape)
        if data and isinstance(data[0], list):
            found = list(np.array(data).shape)
            expect(found == shape, f"data are nested as {found}, the shape is {shape}")
