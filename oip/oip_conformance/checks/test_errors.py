# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Requests that must fail, over HTTP with JSON."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from oip_conformance.checks.test_metadata import NO_MODEL, NO_VERSION
from oip_conformance.client import Answer, Model, Rest, expect

Document = dict[str, Any]


def _other_type(document: Document) -> None:
    entry = document["inputs"][0]
    entry["datatype"] = "INT64" if entry["datatype"] != "INT64" else "FP32"
    if isinstance(entry["data"][0], str):
        entry["data"] = [0] * len(entry["data"])


def _nest_unevenly(document: Document) -> None:
    data = document["inputs"][0]["data"]
    document["inputs"][0]["data"] = [data[:1], data[1:]]


def _nest_deeply(document: Document) -> bytes:
    return json.dumps(document).encode().replace(b'"data": [', b'"data": ' + b"[" * 100_000, 1)


def _set(key: str, value: Any) -> Callable[[Document], None]:
    """Give a fault that sets a member of the first input."""
    return lambda document: document["inputs"][0].update({key: value})


#: Each changes a good request in place, or gives a body in its stead.
FAULTS: dict[str, Callable[[Document], bytes | None]] = {
    "empty body": lambda document: b"",
    "no JSON": lambda document: b"these are words",
    "JSON cut short": lambda document: json.dumps(document).encode()[:-20],
    "not UTF-8": lambda document: b'{"id": "\xff\xfe", ' + json.dumps(document).encode()[1:],
    "a list": lambda document: b"[1, 2, 3]",
    "a number": lambda document: b"17",
    "deep nesting": _nest_deeply,
    "no inputs member": lambda document: document.pop("inputs") and None,
    "inputs is an object": lambda document: document.update(inputs={}),
    "an input is a number": lambda document: document.update(inputs=[3]),
    "an input is missing": lambda document: document["inputs"].pop() and None,
    "unknown input": lambda document: document["inputs"].append(
        {**document["inputs"][0], "name": "no such input"}
    ),
    "no name": lambda document: document["inputs"][0].pop("name") and None,
    "no datatype": lambda document: document["inputs"][0].pop("datatype") and None,
    "no shape": lambda document: document["inputs"][0].pop("shape") and None,
    "no data": lambda document: document["inputs"][0].pop("data") and None,
    "unknown datatype": _set("datatype", "FLOAT"),
    "another datatype": _other_type,
    "shape is text": _set("shape", "2x4"),
    "shape of fractions": _set("shape", [1.5, 4]),
    "negative shape": _set("shape", [-2, -4]),
    "shape of another rank": lambda document: document["inputs"][0]["shape"].extend([1] * 9),
    "huge shape": _set("shape", [2**62, 2**62]),
    "too few elements": lambda document: document["inputs"][0]["data"].pop() and None,
    "too many elements": lambda document: document["inputs"][0].update(
        data=document["inputs"][0]["data"] * 2
    ),
    "uneven nesting": _nest_unevenly,
    "an element is an object": lambda document: document["inputs"][0]["data"].__setitem__(0, {}),
    "an element is null": lambda document: document["inputs"][0]["data"].__setitem__(0, None),
    "unknown output": lambda document: document.update(outputs=[{"name": "no such output"}]),
    "outputs is text": lambda document: document.update(outputs="all"),
}


def _send(rest: Rest, model: Model, fault: str) -> Answer:
    document = copy.deepcopy(model.request(model.arrays())[0])
    body = FAULTS[fault](document)
    return rest.post(model.name, document if body is None else body)


@pytest.mark.parametrize("fault", FAULTS)
def test_error_object(rest: Rest, any_model: Model, fault: str) -> None:
    """An error status and {"error": text}; then the server goes on. (REST: Inference Error.)"""
    _send(rest, any_model, fault).error()
    rest.infer(any_model, any_model.arrays())


@pytest.mark.parametrize("fault", FAULTS)
def test_error_is_the_clients(rest: Rest, any_model: Model, fault: str) -> None:
    """The status is "typically 400": one of 4xx. (REST: Inference Response JSON Error.)"""
    status = _send(rest, any_model, fault).status
    expect(400 <= status < 500, f"status {status} instead of 4xx")


def test_unknown_model(rest: Rest, any_model: Model) -> None:
    """A model that is not there: an error object. (REST: Inference Response JSON Error.)"""
    rest.post(NO_MODEL, any_model.request(any_model.arrays())[0]).error()


def test_unknown_version(rest: Rest, any_model: Model) -> None:
    """A version that is not there: an error object. (REST: Inference Response JSON Error.)"""
    document, _ = any_model.request(any_model.arrays())
    rest.post(any_model.name, document, version=NO_VERSION).error()


def test_names_have_cases(rest: Rest, any_model: Model) -> None:
    """Strings are case-sensitive: a datatype in small letters is unknown. (Introduction.)"""
    document, _ = any_model.request(any_model.arrays())
    document["inputs"][0]["datatype"] = document["inputs"][0]["datatype"].lower()
    rest.post(any_model.name, document).error()
