# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Malformed requests: each gets an error in words, and the memory of the server is bounded."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import re
import socket
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from onnx import helper

from .serving import TYPES, Serving, rows, save

grpc = pytest.importorskip("grpc", reason="the extra 'serve' is not installed")

from armnn_py.serve.grpc_front import SERVICE, message  # noqa: E402

SIZES = [-(2**63), -1, 0, 1, 2, 4, 2**31, 2**62, 2**63 - 1]
#: JSON where sizes, types, names and data belong.
ODD_SIZES = [*SIZES, 10**30, 1.5, "4", None, True]
ODD_DATA = [
    [], [1, 2, 3, 4], [[1, 2, 3, 4]], [1] * 5000, [[[[1]]]], "x", None, {"a": 1}, [None], ["a"],
    [1e400], [2**70],
]  # fmt: skip
CONTENTS = {
    "bool_contents": [True, False], "int_contents": [-128, 127], "int64_contents": [-(2**63), 7],
    "uint64_contents": [0, 2**64 - 1], "fp32_contents": [-0.5, 1.5], "fp64_contents": [0.1, 2.0],
    "bytes_contents": [b"", "größer".encode()],
}  # fmt: skip
WORDS_OF_GRPC = {"INVALID_ARGUMENT", "NOT_FOUND", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED"}

counts = pytest.mark.parametrize(
    "count", [200, pytest.param(10_000, marks=[pytest.mark.exhaustive, pytest.mark.alone])]
)


class Server:
    """A server in a process of its own, whose model ``rows`` takes rows of 4."""

    def __init__(self, process: int, http_port: int, grpc_port: int) -> None:
        self.process, self.http_port, self.grpc_port = process, http_port, grpc_port

    def peak(self) -> int:
        """Return the most MiB that it had."""
        status = Path(f"/proc/{self.process}/status").read_text()
        return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) >> 10

    def post(self, connection: http.client.HTTPConnection, body: bytes, **headers: str) -> Any:
        """Return status and document of an answer."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("POST", "/v2/models/rows/infer", body, given)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def answers(self) -> bool:
        """Whether a good request gets its result."""
        tensor = {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]}
        connection = http.client.HTTPConnection("127.0.0.1", self.http_port, timeout=60)
        with contextlib.closing(connection):
            status, found = self.post(connection, json.dumps({"inputs": [tensor]}).encode())
        return bool(status == 200 and found["outputs"][0]["data"] == [-1, -2, -3, -4])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    model = rows(tmp_path_factory.mktemp("models") / "rows.onnx")
    command = "from armnn_py_command import main; raise SystemExit(main())"
    ports = ["--port", "0", "--grpc-port", "0", "-b", "CpuRef"]
    with subprocess.Popen(
        [sys.executable, "-c", command, "serve", str(model), *ports],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        found = re.findall(r":(\d+)", process.stdout.readline())
        started = Server(process.pid, *map(int, found[-2:]))
        assert started.answers()
        yield started
        process.terminate()
        assert process.wait(60) == 0


def _tensor(chance: random.Random) -> dict[str, Any]:
    tensor = {
        "name": chance.choice(["x"] * 6 + ["y", "", 7, None, "ß" * 300]),
        "datatype": chance.choice(["FP32"] * 5 + ["INT64", "BYTES", "FP8", "", None, 3]),
        "shape": chance.choices(ODD_SIZES, k=chance.choice([0, 1, 2, 2, 2, 9, 300])),
        "data": chance.choice(ODD_DATA),
    }
    for key in list(tensor):
        if chance.random() < 0.05:
            del tensor[key]
    if chance.random() < 0.3:
        tensor["parameters"] = {"binary_data_size": chance.choice(ODD_SIZES)}
    return tensor


def _damaged(data: bytes, chance: random.Random) -> bytes:
    """Return bytes of which some may be others, or lack at the end."""
    found = bytearray(data)
    if found and chance.random() < 0.5:
        for _ in range(chance.randrange(1, 9)):
            found[chance.randrange(len(found))] = chance.choice([0, 1, 0x7F, 0x80, 0xFF])
    if found and chance.random() < 0.2:
        del found[chance.randrange(len(found)) :]
    return bytes(found)


def _body(chance: random.Random) -> tuple[bytes, dict[str, str]]:
    """Return a body, and the header of its JSON's length, of which nearly nothing fits."""
    kind = chance.randrange(9)
    if kind == 0:
        return b"[" * chance.choice([10, 1000, 100_000]), {}
    if kind == 1:
        return b'{"inputs":' * chance.choice([10, 1000, 50_000]) + b"1", {}
    if kind == 2:
        return chance.randbytes(chance.choice([0, 1, 100, 10_000])), {}
    inputs = [_tensor(chance) for _ in range(chance.choice([0, 1, 1, 1, 2, 300]))]
    document: dict[str, Any] = {"inputs": inputs}
    if chance.random() < 0.2:
        document["outputs"] = chance.choice([[{"name": "z"}], [{}], 1, [{"name": "y"}] * 3000])
    if chance.random() < 0.2:
        document["parameters"] = chance.choice([{"timeout": -1}, {"timeout": "a"}, [], 1])
    body, headers = json.dumps(document).encode(), {}
    if chance.random() < 0.4:
        size = chance.choice([-1, 0, 1, len(body) - 1, len(body), len(body) + 1, 2**40, "x"])
        headers["Inference_Header_Content_Length"] = str(size)
        body += chance.randbytes(chance.choice([0, 1, 16, 5000]))
    return _damaged(body, chance), headers


@counts
def test_http(server: Server, count: int) -> None:
    """Each hundredth request is followed by one whose body never comes."""
    chance = random.Random(count)
    connection = http.client.HTTPConnection("127.0.0.1", server.http_port, timeout=60)
    with contextlib.ExitStack() as slow:
        slow.callback(connection.close)
        for number in range(count):
            if number % 100 == 50:
                length = chance.choice([100, 10**6, 2 * 10**8, 10**12])
                one = socket.create_connection(("127.0.0.1", server.http_port))
                slow.enter_context(one)
                head = b"POST /v2/models/rows/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d"
                one.sendall(head % length + b"\r\n\r\n{")
            body, headers = _body(chance)
            status, found = server.post(connection, body, **headers)
            if status != 200:
                assert 400 <= status < 500, (found, body[:200])
                assert list(found) == ["error"]
                assert found["error"]
        assert server.answers()
    assert server.peak() < 256


LONG = 17 << 20


@pytest.mark.parametrize(
    ("data", "rest", "status", "words"),
    [
        (b"[" + b"[0]," * (LONG // 4) + b"[0]]", b"", 400, "elements given, 4 expected"),
        (b"[" + b'["a"],' * (LONG // 6) + b'["a"]]', b"", 400, "elements given, 4 expected"),
        (b"[]", b',"parameters":{"a":[' + b"[]," * (LONG // 3) + b"0]}", 413, "beside its data"),
        (b"[]", b',"outputs":[' + b"{}," * (LONG // 3) + b"{}]", 413, "32768 objects"),
        (b"[" + b'["a"],' * 3 + b'["a"]]', b" " * LONG, 413, "beside its data"),
    ],
    ids=["numbers", "strings", "parameters", "outputs", "spaces"],
)
def test_memory_of_long_json(
    serving: Serving, tmp_path: Path, data: bytes, rest: bytes, status: int, words: str
) -> None:
    """Python's objects of a text would take some twenty times its bytes."""
    datatype = "BYTES" if b'"' in data else "FP32"
    ends = [[name, TYPES[datatype], ["batch", 4]] for name in "xy"]
    model = save(
        tmp_path / "rows.onnx",
        [helper.make_node("Identity", ["x"], ["y"])],
        *[[one] for one in ends],
    )
    head = b'{"inputs":[{"name":"x","shape":[1,4],"datatype":"%s","data":' % datatype.encode()
    body = head + data + b"}]" + rest + b"}"
    with serving(model) as client:
        tracemalloc.start()
        try:
            assert words in client.refusal("rows", body, status)
            assert tracemalloc.get_traced_memory()[1] < 6 * len(body)
        finally:
            tracemalloc.stop()


def _message(chance: random.Random) -> bytes:
    """Return a message of which nearly nothing fits."""
    inputs = []
    for _ in range(chance.choice([0, *[1] * 30, 2, 2, 2, 500])):
        one = {
            "name": chance.choice(["x", "x", "left", "", "größer" * 50]),
            "datatype": chance.choice([*["FP32"] * 5, *TYPES, "", "fp32", "FP8"]),
            "shape": chance.choices(SIZES, k=chance.choice([0, 1, 2, 2, 2, 9])),
        }
        if chance.random() < 0.5:
            field, values = chance.choice(list(CONTENTS.items()))
            one["contents"] = {field: values * chance.choice([0, *[1] * 20, 5000])}
        inputs.append(one)
    raw = [chance.randbytes(chance.choice([0, 1, 8, 8, 16, 5000])) for _ in inputs]
    timeout = {"int64_param": chance.choice([*SIZES, 10**7])}
    request = message("ModelInferRequest")(
        model_name=chance.choice([*["rows"] * 9, "no"]),
        inputs=inputs,
        outputs=[{"name": "y"}] * chance.choice([*[0] * 20, 1, 2, 3000]),
        raw_input_contents=raw[: chance.choice([0, 0, 1, 9])],
        parameters={"timeout": timeout} if chance.random() < 0.2 else {},
    )
    return _damaged(request.SerializeToString(), chance)


@counts
def test_grpc(server: Server, count: int) -> None:
    chance = random.Random(count)
    with grpc.insecure_channel(f"127.0.0.1:{server.grpc_port}") as channel:
        for _ in range(count):
            method = chance.choice(["ModelInfer"] * 8 + ["ModelMetadata", "RepositoryIndex"])
            try:
                channel.unary_unary(f"/{SERVICE}/{method}")(_message(chance), timeout=60)
            except grpc.RpcError as error:
                code, words = error.code().name, error.details()
                assert code in WORDS_OF_GRPC, words
                assert words
                assert "Error" not in words or "parsing" in words, words
    assert server.answers()
    assert server.peak() < 256
