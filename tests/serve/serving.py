# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A server in a thread of this process, and small models for it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper

httpx = pytest.importorskip("httpx")
uvicorn = pytest.importorskip("uvicorn", reason="the extra 'serve' is not installed")
pytest.importorskip("starlette", reason="the extra 'serve' is not installed")
pytest.importorskip("prometheus_client", reason="the extra 'serve' is not installed")

FLOAT = TensorProto.FLOAT
#: The ONNX type for each type of the protocol.
TYPES = {
    "FP16": TensorProto.FLOAT16, "BF16": TensorProto.BFLOAT16, "FP32": FLOAT,
    "FP64": TensorProto.DOUBLE, "BOOL": TensorProto.BOOL, "INT8": TensorProto.INT8,
    "INT16": TensorProto.INT16, "INT32": TensorProto.INT32, "INT64": TensorProto.INT64,
    "UINT8": TensorProto.UINT8, "UINT16": TensorProto.UINT16, "UINT32": TensorProto.UINT32,
    "UINT64": TensorProto.UINT64, "BYTES": TensorProto.STRING,
}  # fmt: skip


def save(path: Path, nodes: list[Any], inputs: list[Any], outputs: list[Any]) -> Path:
    """Write an ONNX file; inputs and outputs are (name, type, shape)."""
    graph = helper.make_graph(
        nodes,
        path.stem,
        [helper.make_tensor_value_info(*one) for one in inputs],
        [helper.make_tensor_value_info(*one) for one in outputs],
    )
    opset = [helper.make_opsetid("", 13)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), path)
    return path


def adder(path: Path) -> Path:
    """``sum/out`` = ``left`` + ``right``, both 2 x 3."""
    node = helper.make_node("Add", ["left", "right"], ["sum/out"])
    sides = [("left", FLOAT, [2, 3]), ("right", FLOAT, [2, 3])]
    return save(path, [node], sides, [("sum/out", FLOAT, [2, 3])])


def rows(path: Path, operator: str = "Neg") -> Path:
    """``y`` = -``x`` of any number of rows of 4."""
    node = helper.make_node(operator, ["x"], ["y"])
    return save(path, [node], [("x", FLOAT, ["batch", 4])], [("y", FLOAT, ["batch", 4])])


class Client(httpx.Client):
    """Calls one server."""

    def infer(self, model: str, body: Any, **more: Any) -> Any:
        return self.post(f"/v2/models/{model}/infer", json=body, **more)

    def refusal(self, model: str, body: Any, status: int = 400, **more: Any) -> str:
        """Post a request that is wrong; returns the sentence of the answer."""
        arguments = {"content": body} if isinstance(body, bytes) else {"json": body}
        answer = self.post(f"/v2/models/{model}/infer", **arguments, **more)
        assert answer.status_code == status, answer.text
        document = answer.json()
        assert list(document) == ["error"]
        text: str = document["error"]
        return text


Serving = Callable[..., contextlib.AbstractContextManager[Client]]


@contextlib.contextmanager
def running(app: Any, **options: Any) -> Iterator[str]:
    """Run an ASGI application in a thread; gives its address."""
    config = uvicorn.Config(
        app, port=0, lifespan="on", log_config=None, timeout_graceful_shutdown=5, **options
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    started = threading.Event()
    startup = server.startup

    async def told(sockets: Any = None) -> None:
        try:
            await startup(sockets)
        finally:
            started.set()

    server.startup = told
    thread.start()
    try:
        assert started.wait(60)
        assert server.started
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()


@contextlib.contextmanager
def served(*models: Path, **settings: Any) -> Iterator[Client]:
    """Serve files with settings; gives a client."""
    from armnn_py.serve import Settings, application

    app = application(*models, settings=Settings(**settings))
    with running(app) as address, Client(base_url=address, timeout=60) as client:
        yield client
