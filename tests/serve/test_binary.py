# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The binary tensor extension, written by hand from its description."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from onnx import helper

from .serving import TYPES, Client, adder, running, save

LENGTH = "Inference-Header-Content-Length"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    from armnn_py.serve import Settings, application

    folder = tmp_path_factory.mktemp("models")
    files = [adder(folder / "adder.onnx")]
    for name, kind in TYPES.items():
        node = helper.make_node("Identity", ["x"], ["y"])
        io = ("x", kind, ["n", 2]), ("y", kind, ["n", 2])
        files.append(save(folder / f"{name}.onnx", [node], [io[0]], [io[1]]))
    app = application(*files, settings=Settings(max_body_bytes=1 << 20))
    with running(app) as address, Client(base_url=address, timeout=60) as client:
        yield client


def tensor(name: str, datatype: str, shape: list[int], size: Any) -> dict[str, Any]:
    return {
        "name": name,
        "datatype": datatype,
        "shape": shape,
        "parameters": {"binary_data_size": size},
    }


def body(document: dict[str, Any], *raw: bytes) -> tuple[bytes, dict[str, str]]:
    head = json.dumps(document).encode()
    return head + b"".join(raw), {LENGTH: str(len(head))}


def read(answer: Any) -> dict[str, bytes]:
    """The raw outputs of an answer."""
    assert answer.status_code == 200, answer.text
    size = int(answer.headers[LENGTH])
    raw, found = answer.content[size:], {}
    for one in json.loads(answer.content[:size])["outputs"]:
        assert "data" not in one
        count = one["parameters"]["binary_data_size"]
        found[one["name"]], raw = raw[:count], raw[count:]
    assert raw == b""
    return found


def test_null_data_beside_binary_data(client: Client) -> None:
    """Some clients write each member of a tensor, as null where they have no value."""
    raw = struct.pack("<2f", 1, 2)
    asked = {"outputs": [{"name": "y", "parameters": {"binary_data": True}}]}
    one = {**tensor("x", "FP32", [1, 2], len(raw)), "data": None}
    content, headers = body({"inputs": [one], **asked}, raw)
    answer = client.post("/v2/models/FP32/infer", content=content, headers=headers)
    assert read(answer) == {"y": raw}


@pytest.mark.parametrize("name", TYPES)
def test_each_data_type_comes_back(client: Client, name: str) -> None:
    width = {"FP16": 2, "BF16": 2, "FP32": 4, "FP64": 8, "BOOL": 1}.get(name)
    if name == "BYTES":
        raw = b"".join(struct.pack("<I", len(t)) + t for t in (b"", "größer".encode()))
    elif name == "BOOL":
        raw = b"\x01\x00"
    else:
        width = width or int(name.lstrip("UINT")) // 8
        raw = bytes(range(1, 2 * width + 1))
    asked = {"outputs": [{"name": "y", "parameters": {"binary_data": True}}]}
    content, headers = body({"inputs": [tensor("x", name, [1, 2], len(raw))], **asked}, raw)
    answer = client.post(f"/v2/models/{name}/infer", content=content, headers=headers)
    assert read(answer) == {"y": raw}


def test_raw_and_json_side_by_side(client: Client) -> None:
    right = np.float32([[1, 2, 3], [4, 5, 6]])
    left = {"name": "left", "datatype": "FP32", "shape": [2, 3], "data": [0.5] * 6}
    document = {"inputs": [left, tensor("right", "FP32", [2, 3], 24)]}
    content, headers = body(document, right.tobytes())
    answer = client.post("/v2/models/adder/infer", content=content, headers=headers)
    (output,) = answer.json()["outputs"]
    assert output["data"] == (right + 0.5).ravel().tolist()
    document["parameters"] = {"binary_data_output": True}  # type: ignore[assignment]
    content, headers = body(document, right.tobytes())
    answer = client.post("/v2/models/adder/infer", content=content, headers=headers)
    assert read(answer) == {"sum/out": (right + 0.5).tobytes()}


def test_infinities_have_no_json_form_but_bytes(client: Client) -> None:
    raw = np.float32([np.inf, np.nan]).tobytes()
    content, headers = body({"inputs": [tensor("x", "FP32", [1, 2], 8)]}, raw)
    answer = client.post("/v2/models/FP32/infer", content=content, headers=headers)
    assert answer.json()["outputs"][0]["data"] == [None, None]


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_compressed_bodies(client: Client, encoding: str) -> None:
    import zlib

    pack = gzip.compress if encoding == "gzip" else zlib.compress
    content, headers = body({"inputs": [tensor("x", "FP32", [1, 2], 8)]}, bytes(8))
    headers["content-encoding"] = encoding
    answer = client.post("/v2/models/FP32/infer", content=pack(content), headers=headers)
    assert answer.json()["outputs"][0]["data"] == [0, 0]
    bomb = pack(bytes(50 << 20))
    assert len(bomb) < 1 << 20
    said = client.refusal("FP32", bomb, 413, headers={"content-encoding": encoding})
    assert "holds more than 1048576 bytes" in said
    assert "ends in the middle" in client.refusal("FP32", pack(content)[:-9], headers=headers)
    assert f"is not {encoding}" in client.refusal("FP32", b"plain", headers=headers)
    headers["content-encoding"] = "br"
    assert "gzip or deflate expected" in client.refusal("FP32", b"x", 415, headers=headers)


@pytest.mark.parametrize(
    ("size", "raw", "words"),
    [
        (8, bytes(7), "binary_data_size 8 given, at most the 7 bytes"),
        (8, bytes(9), "1 bytes of the body belong to no input"),
        (4, bytes(4), "4 bytes given, 8 expected for shape [1, 2]"),
        (-8, bytes(8), "binary_data_size -8 given"),
        (2**70, bytes(8), "binary_data_size"),
        (True, bytes(8), "binary_data_size True given"),
        ("8", bytes(8), "binary_data_size 8 given"),
        ([8], bytes(8), "binary_data_size [8] given"),
    ],
)
def test_sizes_that_lie(client: Client, size: Any, raw: bytes, words: str) -> None:
    content, headers = body({"inputs": [tensor("x", "FP32", [1, 2], size)]}, raw)
    assert words in client.refusal("FP32", content, headers=headers)


@pytest.mark.parametrize("length", ["99999", "-1", "x", "9" * 5000])
def test_a_length_of_json_that_lies(client: Client, length: str) -> None:
    said = client.refusal("FP32", b"{}", headers={LENGTH: length})
    assert "header Inference-Header-Content-Length" in said


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (struct.pack("<I", 2**32 - 1) + b"abcd", "string 0 of 4294967295 bytes exceeds"),
        (bytes(4) + b"\x01", "string 1 of 1 bytes exceeds"),
        (bytes(4) * 3, "3 strings given, 2 expected"),
        (bytes(4) + struct.pack("<I", 1) + b"\xff", "string 1 is not UTF-8"),
    ],
)
def test_strings_whose_lengths_lie(client: Client, raw: bytes, words: str) -> None:
    content, headers = body({"inputs": [tensor("x", "BYTES", [1, 2], len(raw))]}, raw)
    assert words in client.refusal("BYTES", content, headers=headers)


def test_huge_shapes_without_elements(client: Client) -> None:
    document = {"inputs": [tensor("x", "FP32", [2**62, 2], 0)]}
    assert "0 bytes given" in client.refusal("FP32", *body(document)[:1], headers=body(document)[1])
