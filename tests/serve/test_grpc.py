# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The protocol over gRPC, by messages that protobuf reads from the text of its description."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from onnx import helper

import armnn_py

from .serving import TYPES, adder, running, save

grpc = pytest.importorskip("grpc", reason="the extra 'serve' is not installed")

from armnn_py.serve.grpc_front import SERVICE, message  # noqa: E402

CONTENTS = {
    "BOOL": ("bool_contents", [True, False]), "INT8": ("int_contents", [-128, 127]),
    "INT16": ("int_contents", [-32768, 32767]), "INT32": ("int_contents", [-5, 2**31 - 1]),
    "INT64": ("int64_contents", [-(2**63), 7]), "UINT8": ("uint_contents", [0, 255]),
    "UINT16": ("uint_contents", [0, 65535]), "UINT32": ("uint_contents", [0, 2**32 - 1]),
    "UINT64": ("uint64_contents", [0, 2**64 - 1]), "FP32": ("fp32_contents", [-0.5, 1.5]),
    "FP64": ("fp64_contents", [0.1, 2.0]), "BYTES": ("bytes_contents", [b"", "größer".encode()]),
}  # fmt: skip


class Caller:
    """Calls methods by name."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel

    def __call__(self, method: str, timeout: float = 60, **fields: Any) -> Any:
        request = message(f"{method}Request")(**fields)
        return self.raw(method, timeout)(request.SerializeToString())

    def raw(self, method: str, timeout: float = 60) -> Any:
        call = self._channel.unary_unary(
            f"/{SERVICE}/{method}",
            response_deserializer=message(f"{method}Response").FromString,
        )
        return lambda data: call(data, timeout=timeout)

    def refusal(self, **fields: Any) -> tuple[str, str]:
        with pytest.raises(grpc.RpcError) as caught:
            self("ModelInfer", **fields)
        return caught.value.code().name, caught.value.details()


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    from armnn_py.serve import Settings
    from armnn_py.serve.app import application_of, with_models
    from armnn_py.serve.repository import Repository

    folder = tmp_path_factory.mktemp("models")
    files = [adder(folder / "adder.onnx")]
    for name, kind in TYPES.items():
        node = helper.make_node("Identity", ["x"], ["y"])
        io = ("x", kind, ["n", 2]), ("y", kind, ["n", 2])
        files.append(save(folder / f"{name}.onnx", [node], [io[0]], [io[1]]))
    settings = with_models(Settings(grpc_port=0, max_body_bytes=1 << 20), tuple(files))
    repository = Repository(settings)
    with (
        running(application_of(repository)),
        grpc.insecure_channel(f"127.0.0.1:{repository.grpc_port}") as channel,
    ):
        yield Caller(channel)


def tensor(name: str, datatype: str, shape: list[int], **more: Any) -> dict[str, Any]:
    return {"name": name, "datatype": datatype, "shape": shape, **more}


def test_health_and_metadata(call: Caller) -> None:
    assert call("ServerLive").live
    assert call("ServerReady").ready
    assert call("ModelReady", name="adder").ready
    assert call("ServerMetadata").name == "armnn_py"
    document = call("ModelMetadata", name="adder", version="1")
    assert [(one.name, one.datatype, list(one.shape)) for one in document.inputs] == [
        ("left", "FP32", [2, 3]),
        ("right", "FP32", [2, 3]),
    ]
    assert list(document.versions) == ["1"]


@pytest.mark.parametrize("name", TYPES)
def test_raw_contents_come_back(call: Caller, name: str) -> None:
    kind = {"FP16": "f2", "BF16": "u2", "FP32": "f4", "FP64": "f8", "BOOL": "?"}.get(name)
    if name == "BYTES":
        raw = b"\x00\x00\x00\x00\x02\x00\x00\x00ab"
    else:
        kind = kind or f"{'u' if name[0] == 'U' else 'i'}{int(name.lstrip('UINT')) // 8}"
        raw = np.array([1, 0], kind).tobytes()
    given = tensor("x", name, [1, 2])
    answer = call("ModelInfer", model_name=name, id="7", inputs=[given], raw_input_contents=[raw])
    assert (answer.model_name, answer.model_version, answer.id) == (name, "1", "7")
    assert [(one.name, one.datatype, list(one.shape)) for one in answer.outputs] == [
        ("y", name, [1, 2])
    ]
    assert list(answer.raw_output_contents) == [raw]


@pytest.mark.parametrize("name", CONTENTS)
def test_typed_contents_come_back(call: Caller, name: str) -> None:
    field, values = CONTENTS[name]
    given = tensor("x", name, [1, 2], contents={field: values})
    (output,) = call("ModelInfer", model_name=name, inputs=[given]).outputs
    assert list(getattr(output.contents, field)) == values


def test_two_inputs_and_an_output_by_name(call: Caller) -> None:
    left = np.arange(6, dtype=np.float32)
    answer = call(
        "ModelInfer",
        model_name="adder",
        inputs=[tensor("left", "FP32", [2, 3]), tensor("right", "FP32", [2, 3])],
        outputs=[{"name": "sum/out"}],
        raw_input_contents=[left.tobytes(), (10 * left).tobytes()],
    )
    np.testing.assert_array_equal(np.frombuffer(answer.raw_output_contents[0], "f4"), 11 * left)


def test_requests_that_do_not_fit(call: Caller) -> None:
    one = tensor("x", "FP32", [1, 2])
    invalid = "INVALID_ARGUMENT"
    rows: list[tuple[dict[str, Any], str, str]] = [
        ({"model_name": "no"}, "NOT_FOUND", "model 'no' is unknown"),
        ({"model_name": "FP32", "model_version": "9"}, "NOT_FOUND", "has no version '9'"),
        ({"inputs": []}, invalid, "input 'x' is missing"),
        ({"inputs": [tensor("z", "FP32", [1, 2])]}, invalid, "input 'z' is unknown"),
        ({"inputs": [tensor("x", "FP64", [1, 2])]}, invalid, "FP32 expected"),
        ({"inputs": [tensor("x", "FP32", [2**62, 2**62])]}, invalid, "given, [-1, 2] expected"),
        ({"inputs": [tensor("x", "FP32", [-1, 2])]}, invalid, "given, [-1, 2] expected"),
        ({"inputs": [one]}, invalid, "0 elements given, 2 expected"),
        ({"inputs": [one], "raw_input_contents": [bytes(7)]}, invalid, "7 bytes given, 8"),
        ({"inputs": [one], "raw_input_contents": [bytes(8)] * 2}, invalid, "one for each of the 1"),
        (
            {
                "inputs": [{**one, "contents": {"fp32_contents": [1]}}],
                "raw_input_contents": [bytes(8)],
            },
            invalid,
            "has contents and raw_input_contents",
        ),
        (
            {"model_name": "INT8", "inputs": [tensor("x", "INT8", [1, 2],
              contents={"int_contents": [1, 300]})]}, invalid, "input 'x'",
        ),
        (
            {"model_name": "FP16", "inputs": [tensor("x", "FP16", [1, 2])]},
            invalid,
            "FP16 needs raw_input_contents",
        ),
        ({"inputs": [one], "outputs": [{"name": "q"}], "raw_input_contents": [bytes(8)]},
         invalid, "output 'q' is unknown"),
        ({"inputs": [one], "raw_input_contents": [bytes(2 << 20)]},
         "RESOURCE_EXHAUSTED", "larger than max"),
    ]  # fmt: skip
    for fields, code, words in rows:
        found = call.refusal(**{"model_name": "FP32", **fields})
        assert found[0] == code, found
        assert words in found[1]


def test_bytes_that_are_no_message(call: Caller) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        call.raw("ModelInfer")(b"\xff" * 50)
    assert caught.value.code().name == "INVALID_ARGUMENT"
    assert "is not a ModelInferRequest" in caught.value.details()


def test_a_message_of_many_small_messages(call: Caller) -> None:
    """Empty inputs take two bytes in the message, and eighty in memory."""
    for data in (b"\x2a\x00" * 300_000, b"\x2a\x02\x22\x00" * 100_000, b"\x80" * 500_000):
        with pytest.raises(grpc.RpcError) as caught:
            call.raw("ModelInfer")(data)
        code, words = caught.value.code().name, caught.value.details()
        if data[0] == 0x2A:
            assert (code, words) == (
                "RESOURCE_EXHAUSTED",
                "the ModelInferRequest has too many fields",
            )
        else:
            assert code == "INVALID_ARGUMENT"
    shape = [1, *[2] * 60_000]  # elements are not fields
    assert call.refusal(model_name="FP32", inputs=[tensor("x", "FP32", shape)])[0][:7] == "INVALID"


def test_a_refused_request_is_let_go(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error keeps no frame, and so no message, until the garbage collector comes."""
    one = tensor("x", "FP32", [1, 2])
    fits = {"inputs": [one], "raw_input_contents": [bytes(8)]}

    def fails(*_: Any, **__: Any) -> None:
        raise armnn_py.InvalidArgumentError("no")

    monkeypatch.setattr(armnn_py.LoadedNetwork, "run", fails)
    gc.disable()
    try:
        gc.collect()
        gc.set_debug(gc.DEBUG_SAVEALL)
        for fields in ({"model_name": "no"}, {"inputs": [one]}, fits):
            call.refusal(**{"model_name": "FP32", **fields})
        with contextlib.suppress(grpc.RpcError):
            call.raw("ModelInfer")(b"\xff" * 50)
        gc.collect()
        kept = [found for found in gc.garbage if isinstance(found, FrameType)]
        assert [one.f_code.co_name for one in kept if "armnn_py" in one.f_code.co_filename] == []
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def test_the_repository(call: Caller) -> None:
    index = {one.name: one.state for one in call("RepositoryIndex").models}
    assert index["adder"] == "READY"
    call("RepositoryModelUnload", model_name="adder")
    assert call.refusal(model_name="adder") == ("NOT_FOUND", "model 'adder' is not loaded")
    assert not call("ModelReady", name="adder").ready
    assert "adder" not in {one.name for one in call("RepositoryIndex", ready=True).models}
    assert call("ServerReady").ready  # it was unloaded on purpose
    call("RepositoryModelLoad", model_name="adder")
    assert call("ModelReady", name="adder").ready


def test_deadlines_and_cancelled_calls(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    permit, asked = threading.Event(), []
    run = armnn_py.LoadedNetwork.run

    def slow(self: Any, inputs: Any, **options: Any) -> Any:
        asked.append(options["timeout"])
        assert permit.wait(30)
        return run(self, inputs, **options)

    monkeypatch.setattr(armnn_py.LoadedNetwork, "run", slow)
    fields = {
        "model_name": "FP32",
        "inputs": [tensor("x", "FP32", [1, 2])],
        "raw_input_contents": [bytes(8)],
    }
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(call, "ModelInfer", 50, **fields)
        with pytest.raises(grpc.RpcError) as caught:
            call("ModelInfer", 0.3, **fields)
        assert caught.value.code().name == "DEADLINE_EXCEEDED"
        permit.set()
        assert list(first.result().raw_output_contents) == [bytes(8)]
    assert 0 < asked[0] < 60


def test_a_port_that_is_in_use(tmp_path: Path, call: Caller) -> None:
    import asyncio
    import socket

    from armnn_py.serve import Settings
    from armnn_py.serve.grpc_front import serving
    from armnn_py.serve.repository import Repository

    async def listen(port: int) -> None:
        async with serving(Repository(Settings(grpc_port=port))):
            pass

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(armnn_py.InvalidArgumentError, match="gRPC cannot listen at 127"):
            asyncio.run(listen(taken.getsockname()[1]))
