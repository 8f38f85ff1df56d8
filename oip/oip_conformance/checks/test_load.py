# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Many requests at once, and big ones."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from oip_conformance.client import Model, Rest, expect
from oip_conformance.models import known_answer
from oip_conformance.tensors import same, to_bytes


def test_callers_get_their_own_answers(rest: Rest, any_model: Model) -> None:
    """32 callers at once: each gets the answer and id of its own request. (REST: Inference.)"""

    def ask(place: int) -> str:
        arrays = any_model.arrays(1 + place % 3, start=place)
        document = {"id": f"caller {place}", **any_model.request(arrays)[0]}
        answer = rest.post(any_model.name, document)
        found, ident = answer.outputs(any_model), answer.document().get("id")
        if ident != document["id"]:
            return f"caller {place} got the id {ident!r}"
        right = known_answer(any_model.name, arrays) or alone[place]
        wrong = [name for name in found if not same(found[name], right[name])]
        return f"caller {place} got other values of {wrong}" if wrong else ""

    count = 128
    unknown = known_answer(any_model.name, any_model.arrays()) is None
    alone = [
        rest.infer(any_model, any_model.arrays(1 + place % 3, start=place)) if unknown else {}
        for place in range(count)
    ]
    with ThreadPoolExecutor(32) as pool:
        wrong = [one for one in pool.map(ask, range(count)) if one]
    expect(not wrong, f"{len(wrong)} of {count}: {wrong[:5]}")


def test_faults_beside_good_requests(rest: Rest, any_model: Model) -> None:
    """Malformed requests at the same time harm no others. (REST: Inference.)"""

    def ask(place: int) -> str:
        if place % 2:
            return "" if rest.post(any_model.name, b'{"inputs": [').status >= 400 else "accepted"
        rest.infer(any_model, any_model.arrays())
        return ""

    with ThreadPoolExecutor(16) as pool:
        wrong = [one for one in pool.map(ask, range(64)) if one]
    expect(not wrong, f"{len(wrong)} malformed requests were accepted")


def _big(model: Model, count: int) -> int:
    """Give the size of the free dimension that makes the first input have ``count`` elements."""
    if not model.is_free:
        pytest.skip("the first dimensions of the model are fixed")
    size = 1
    for one in model.inputs[0].shape[1:]:
        size *= one if one > 0 else 2
    return count // size


def test_big_tensor_in_json(rest: Rest, any_model: Model) -> None:
    """200,000 elements pass as JSON. (REST: Inference.)"""
    arrays = any_model.arrays(_big(any_model, 200_000))
    found = rest.infer(any_model, arrays)
    for name, right in (known_answer(any_model.name, arrays) or {}).items():
        expect(same(found[name], right), f"output {name!r} differs")


@pytest.mark.usefixtures("binary")
def test_big_tensor_in_binary(rest: Rest, any_model: Model) -> None:
    """4 million elements pass as binary data. (Binary Tensor Request.)"""
    arrays = any_model.arrays(_big(any_model, 4_000_000))
    document, blobs = any_model.request(arrays, binary={one.name for one in any_model.inputs})
    document["parameters"] = {"binary_data_output": True}
    found = rest.post(any_model.name, document, blobs).outputs(any_model)
    for name, right in (known_answer(any_model.name, arrays) or {}).items():
        expect(to_bytes(found[name]) == to_bytes(right), f"output {name!r} differs")
