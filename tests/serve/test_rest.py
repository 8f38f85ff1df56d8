# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The protocol over HTTP with JSON: what clients read, and what they are told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from onnx import helper

from .serving import TYPES, Client, adder, rows, running, save

LEFT = {"name": "left", "shape": [2, 3], "datatype": "FP32", "data": [1, 2, 3, 4, 5, 6]}
RIGHT = {**LEFT, "name": "right", "data": [[0.5, 0.5, 0.5], [10, 20, 30]]}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """One server for all tests that leave it as it is."""
    from armnn_py.serve import Settings, application

    folder = tmp_path_factory.mktemp("models")
    files = [adder(folder / "adder.onnx"), rows(folder / "rows.onnx")]
    for name, kind in TYPES.items():
        node = helper.make_node("Identity", ["x"], ["y"])
        shape = ["n", 2]
        files.append(
            save(folder / f"{name}.onnx", [node], [("x", kind, shape)], [("y", kind, shape)])
        )
    app = application(*files, settings=Settings(max_body_bytes=1 << 20, body_seconds=1))
    with running(app) as address, Client(base_url=address, timeout=60) as client:
        yield client


@pytest.fixture(params=["msgspec", "simdjson"], autouse=True)
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one library, then the other one read all JSON."""
    from armnn_py.serve import rest

    monkeypatch.setattr(rest, "_SHORT", 1 << 20 if request.param == "msgspec" else -1)


def test_server_and_health(client: Client) -> None:
    document = client.get("/v2").json()
    assert document["name"] == "armnn_py"
    assert "binary_tensor_data" in document["extensions"]
    assert client.get("/v2/health/live").json() == {"live": True}
    ready = client.get("/v2/health/ready")
    assert (ready.status_code, ready.json()["ready"]) == (200, True)
    assert client.get("/v2/models/adder/ready").json() == {"name": "adder", "ready": True}
    assert client.get("/v2/models/adder/versions/1/ready").status_code == 200


def test_metadata_of_a_model(client: Client) -> None:
    document = client.get("/v2/models/adder").json()
    assert document == client.get("/v2/models/adder/versions/1").json()
    assert document["name"] == "adder"
    assert document["versions"] == ["1"]
    assert document["inputs"] == [
        {"name": "left", "datatype": "FP32", "shape": [2, 3]},
        {"name": "right", "datatype": "FP32", "shape": [2, 3]},
    ]
    assert document["outputs"] == [{"name": "sum/out", "datatype": "FP32", "shape": [2, 3]}]
    assert client.get("/v2/models/rows").json()["inputs"][0]["shape"] == [-1, 4]


def test_inference(client: Client) -> None:
    answer = client.infer("adder", {"id": "42", "inputs": [RIGHT, LEFT]})
    assert answer.status_code == 200
    document = answer.json()
    assert document["id"] == "42"
    assert (document["model_name"], document["model_version"]) == ("adder", "1")
    (output,) = document["outputs"]
    assert output["data"] == [1.5, 2.5, 3.5, 14, 25, 36]
    assert (output["name"], output["datatype"], output["shape"]) == ("sum/out", "FP32", [2, 3])
    plain = client.infer("adder", {"inputs": [LEFT, RIGHT], "outputs": [{"name": "sum/out"}]})
    assert "id" not in plain.json()
    assert plain.json()["outputs"] == document["outputs"]


@pytest.mark.parametrize("name", TYPES)
def test_each_data_type(client: Client, name: str) -> None:
    assert client.get(f"/v2/models/{name}").json()["inputs"][0]["datatype"] == name
    values: list[Any] = {"BOOL": [True, False], "BYTES": ["", "zwölf"]}.get(name, [3, 100])
    if name == "UINT64":
        values = [0, 2**64 - 1]
    if name == "INT64":
        values = [-(2**63), 2**53 + 1]
    if name in ("FP16", "BF16", "FP32", "FP64"):
        values = [-0.5, 1.5]
    tensor = {"name": "x", "shape": [1, 2], "datatype": name, "data": values}
    answer = client.infer(name, {"inputs": [tensor]})
    assert answer.status_code == 200, answer.text
    assert answer.json()["outputs"] == [{**tensor, "name": "y"}]


def test_bfloat16_is_rounded_to_the_nearest(client: Client) -> None:
    """Expected values of ml_dtypes."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    given = np.random.default_rng(0).normal(0, 100, (50, 2)).astype(np.float32)
    tensor = {"name": "x", "shape": [50, 2], "datatype": "BF16", "data": given.tolist()}
    (output,) = client.infer("BF16", {"inputs": [tensor]}).json()["outputs"]
    expected = given.astype(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(np.float32(output["data"]).reshape(50, 2), expected)


def test_no_rows(client: Client) -> None:
    tensor = {"name": "x", "shape": [0, 2], "datatype": "FP32", "data": []}
    (output,) = client.infer("FP32", {"inputs": [tensor]}).json()["outputs"]
    assert (output["shape"], output["data"]) == ([0, 2], [])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "up"}, "input 'up' is unknown, left, right expected"),
        ({"datatype": "FP64"}, "datatype FP64 given, FP32 expected"),
        ({"shape": [3, 2]}, "shape [3, 2] given, [2, 3] expected"),
        ({"shape": [-2, -3]}, "shape [-2, -3] given"),
        ({"shape": [2**62, 2**62, 2**62]}, "given, [2, 3] expected"),
        ({"shape": [1] * 5000}, "given, [2, 3] expected"),
        ({"data": [1, 2]}, "2 elements given, 6 expected for shape [2, 3]"),
        ({"data": [[1, 2], [3, 4], [5, 6]]}, "do not have the shape [2, 3]"),
        ({"data": [[1, 2, 3], 4]}, "do not have the shape [2, 3]"),
        ({"data": [1, 2, 3, 4, 5, "6"]}, "are not a list of FP32"),
        ({"data": [1, 2, 3, 4, 5, None]}, "are not a list of FP32"),
        ({"data": [1, 2, 3, 4, 5, [6]]}, "are not a list of FP32"),
        ({"data": [True] * 6}, "are not a list of FP32"),
        ({"data": 5}, "are not a list of FP32"),
        ({"data": {"a": 1}}, "are not a list of FP32"),
    ],
)
def test_an_input_that_does_not_fit(client: Client, change: dict[str, Any], words: str) -> None:
    assert words in client.refusal("adder", {"inputs": [{**LEFT, **change}, RIGHT]})


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "is not an infer request"),
        (b"{", "is not an infer request"),
        (b"\xff\xfe", "is not an infer request"),
        (b"[]", "is not an infer request"),
        (b"{}", "missing required field `inputs`"),
        (b'{"inputs": 3}', "is not an infer request"),
        (b'{"inputs": []}', "input 'left' is missing"),
        (b'{"inputs": [], "parameters": ' + b'{"a":' * 100_000, "is too deep"),
        (b'{"inputs": ' + b"[" * 100_000, "is not an infer request"),
    ],
    ids=range(9),
)
def test_bodies_that_are_no_requests(client: Client, body: bytes, words: str) -> None:
    assert words in client.refusal("adder", body)


def test_deep_data(client: Client) -> None:
    text = '{"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":' + "[" * 50_000
    assert client.refusal("FP32", text.encode())
    text += "]" * 50_000 + "}]}"
    assert client.refusal("FP32", text.encode())
    assert client.get("/v2/health/live").status_code == 200


@pytest.mark.parametrize("data", [[10**30, -1], [[10**30, -1]], [1e30, -1]])
def test_integers_of_more_than_64_bits_are_floats(client: Client, data: list[Any]) -> None:
    tensor = {"name": "x", "shape": [1, 2], "datatype": "FP64", "data": data}
    (output,) = client.infer("FP64", {"inputs": [tensor]}).json()["outputs"]
    assert output["data"] == [1e30, -1]


def test_numbers_beyond_a_type(client: Client) -> None:
    tensor = {"name": "x", "shape": [1, 2], "datatype": "INT8", "data": [0, 128]}
    assert "input 'x'" in client.refusal("INT8", {"inputs": [tensor]})
    tensor = {**tensor, "datatype": "UINT8", "data": [-1, 0]}
    assert "input 'x'" in client.refusal("UINT8", {"inputs": [tensor]})
    tensor = {**tensor, "datatype": "INT32", "data": [1.5, 0]}
    assert "list of INT32" in client.refusal("INT32", {"inputs": [tensor]})


def test_missing_unknown_and_repeated_names(client: Client) -> None:
    assert client.refusal("adder", {"inputs": [LEFT]}) == "input 'right' is missing"
    assert "is given twice" in client.refusal("adder", {"inputs": [LEFT, LEFT]})
    without = {key: value for key, value in LEFT.items() if key != "data"}
    assert client.refusal("adder", {"inputs": [without, RIGHT]}) == "input 'left' has no data"
    null = {**LEFT, "data": None}
    assert client.refusal("adder", {"inputs": [null, RIGHT]}) == "input 'left' has no data"
    body = {"inputs": [LEFT, RIGHT], "outputs": [{"name": "z"}]}
    assert client.refusal("adder", body) == "output 'z' is unknown, sum/out expected"


def test_unknown_models_versions_and_paths(client: Client) -> None:
    assert client.refusal("nope", {"inputs": []}, 404) == "model 'nope' is unknown"
    answer = client.get("/v2/models/adder/versions/7")
    assert answer.status_code == 404
    assert answer.json() == {"error": "model 'adder' has no version '7', 1 expected"}
    assert client.get("/v2/models/nope/ready").status_code == 404
    for answer in (client.get("/v3"), client.get("/v2/models/adder/infer")):
        assert answer.status_code in (404, 405)
        assert list(answer.json()) == ["error"]


def test_a_body_beyond_the_limit(client: Client) -> None:
    large = b" " * ((1 << 20) + 1)
    assert "exceeds the limit of 1048576 bytes" in client.refusal("adder", large, 413)

    def parts() -> Iterator[bytes]:
        for _ in range(17):
            yield b" " * 65536

    answer = client.post("/v2/models/adder/infer", content=parts())
    assert answer.status_code == 413
    assert "exceeds the limit" in answer.json()["error"]


@pytest.mark.parametrize(
    ("size", "status"), [(100, b"408"), (10**12, b"413")], ids=["too slow", "too large"]
)
def test_a_body_that_never_ends(client: Client, size: int, status: bytes) -> None:
    """What can never be taken is refused for that, though less would have to wait as well."""
    import socket

    host, port = client.base_url.host, client.base_url.port
    with socket.create_connection((host, port), timeout=30) as slow:
        slow.sendall(
            b"POST /v2/models/adder/infer HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n{" % size
        )
        assert status in slow.recv(4096).split(b"\r\n")[0]


def test_request_ids_and_traces(client: Client) -> None:
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    headers = {"x-request-id": "abc-1", "traceparent": trace}
    answer = client.infer("adder", {"inputs": [LEFT, RIGHT]}, headers=headers)
    assert answer.headers["x-request-id"] == "abc-1"
    assert answer.headers["traceparent"] == trace
    other = client.infer("adder", {"inputs": []})
    assert len(other.headers["x-request-id"]) == 32
