# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py serve`` as a process: it says where it listens, and ends in order."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

from armnn_py.cli.main import main

from .serving import Client, adder

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start the command; what still runs at the end is ended."""
    started: list[subprocess.Popen[str]] = []

    def call(*arguments: str | Path) -> subprocess.Popen[str]:
        line = [sys.executable, "-c", "from armnn_py_command import main; raise SystemExit(main())"]
        process = subprocess.Popen(
            [*line, "serve", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield call
    for process in started:
        if process.poll() is None:
            process.terminate()  # a supervisor ends its workers
        process.communicate()


def address(out: IO[str] | None) -> str:
    assert out is not None
    line = out.readline()
    found = re.search(r"serving .* at (https?://\S+)/v2", line)
    assert found, line
    return found[1]


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_serves_until_a_signal(start: Start, tmp_path: Path, sent: signal.Signals) -> None:
    process = start(adder(tmp_path / "adder.onnx"), "--port", "0", "-b", "CpuRef")
    with Client(base_url=address(process.stdout), timeout=60) as client:
        assert client.get("/v2/models/adder/ready").status_code == 200
        process.send_signal(sent)
        assert process.wait(60) == 0
    assert process.stderr is not None
    assert process.stderr.read() == ""


def test_a_port_that_is_in_use(start: Start, tmp_path: Path) -> None:
    model = adder(tmp_path / "adder.onnx")
    first = start(model, "--port", "0")
    port = address(first.stdout).rsplit(":", 1)[1]
    second = start(model, "--port", port)
    assert second.wait(60) == 1
    assert second.stderr is not None
    assert "address already in use" in second.stderr.read()


def test_wrong_arguments(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = str(adder(tmp_path / "adder.onnx"))
    assert main(["serve"]) == 2
    assert "no models to serve" in capfd.readouterr().err
    assert main(["serve", model, model]) == 2
    assert "model 'adder' has two files" in capfd.readouterr().err
    assert main(["serve", model, "--max-batch", "8"]) == 2
    assert "the first dimension of input 'left' is not free" in capfd.readouterr().err
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[models.a]\npath = 'adder.onnx'\ninstances = 0\n", encoding="utf-8")
    assert main(["serve", "--config", str(wrong)]) == 2
    assert "is not a configuration of the server" in capfd.readouterr().err
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["serve", model]) == 2
    assert "serve needs the package uvicorn" in capfd.readouterr().err


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate with openssl")
def test_tls_and_grpc(start: Start, tmp_path: Path) -> None:
    pem, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    line = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    made = [*line, "-keyout", str(key), "-out", str(pem)]
    subprocess.run(made, check=True, capture_output=True, timeout=60)
    options = ["--ssl-certfile", pem, "--ssl-keyfile", key, "--port", "0", "--grpc-port", "0"]
    process = start(adder(tmp_path / "adder.onnx"), *options)
    assert process.stdout is not None
    found = re.search(r"at (https://\S+)/v2, gRPC at (\S+)", process.stdout.readline())
    assert found
    import ssl

    trusted = ssl.create_default_context(cafile=str(pem))
    with Client(base_url=found[1], verify=trusted, timeout=60) as client:
        assert client.get("/v2/health/ready").status_code == 200
    grpc = pytest.importorskip("grpc")
    from armnn_py.serve.grpc_front import SERVICE, message

    trust = grpc.ssl_channel_credentials(pem.read_bytes())
    with grpc.secure_channel(found[2], trust) as channel:
        call = channel.unary_unary(
            f"/{SERVICE}/ServerLive",
            response_deserializer=message("ServerLiveResponse").FromString,
        )
        assert call(b"", timeout=60).live


def _children(pid: int) -> set[int]:
    return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


@pytest.mark.alone
def test_workers_share_a_socket_and_are_replaced(start: Start, tmp_path: Path) -> None:
    process = start(adder(tmp_path / "adder.onnx"), "--port", "0", "--workers", "2", "-q")
    side = {"shape": [2, 3], "datatype": "FP32", "data": [1, 2, 3, 4, 5, 6]}
    body = {"inputs": [{**side, "name": "left"}, {**side, "name": "right"}]}
    base = address(process.stdout)

    def ask(count: int) -> None:
        for _ in range(count):
            with Client(base_url=base, timeout=60) as client:
                (output,) = client.infer("adder", body).json()["outputs"]
                assert output["data"] == [2, 4, 6, 8, 10, 12]

    ask(5)
    with Client(base_url=base, timeout=60) as client:
        text = client.get("/metrics").text
    assert re.findall(r'^armnn_requests_total\{.*status="OK".*\} (.*)$', text, re.M) == ["5.0"]
    serving = [pid for pid in _children(process.pid) if "resource_tracker" not in _words(pid)]
    os.kill(serving[0], signal.SIGKILL)
    end = time.monotonic() + 60
    while len([p for p in _children(process.pid) if "spawn_main" in _words(p)]) < 2:
        assert time.monotonic() < end
        time.sleep(0.05)
    ask(5)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0


def _words(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
