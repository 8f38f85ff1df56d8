# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Clients that others publish: tritonclient and kserve, over HTTP and gRPC."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .serving import rows, running

pytestmark = pytest.mark.filterwarnings("default")  # of the clients

X = np.arange(8, dtype=np.float32).reshape(2, 4)


def client_of(name: str, other: str) -> Any:
    """Import a client; both define the messages of the protocol, so a process takes one of them."""
    if other in sys.modules:
        pytest.skip(f"{other} is imported: name the test to run it by itself")
    return pytest.importorskip(name)


@pytest.fixture
def addresses(tmp_path: Path) -> Iterator[dict[str, str]]:
    from armnn_py.serve import Settings
    from armnn_py.serve.app import application_of, with_models
    from armnn_py.serve.repository import Repository

    repository = Repository(with_models(Settings(grpc_port=0), (rows(tmp_path / "neg.onnx"),)))
    with running(application_of(repository)) as address:
        yield {"http": address.removeprefix("http://"), "grpc": f"127.0.0.1:{repository.grpc_port}"}


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_tritonclient(addresses: dict[str, str], protocol: str) -> None:
    triton = client_of(f"tritonclient.{protocol}", "kserve")
    client = triton.InferenceServerClient(addresses[protocol])
    assert client.is_server_live()
    assert client.is_server_ready()
    for has_bytes in (True, False) if protocol == "http" else (True,):
        more = {"binary_data": has_bytes} if protocol == "http" else {}
        x = triton.InferInput("x", [2, 4], "FP32")
        x.set_data_from_numpy(X, **more)
        answer = client.infer("neg", [x], outputs=[triton.InferRequestedOutput("y", **more)])
        np.testing.assert_array_equal(answer.as_numpy("y"), -X)
    wrong = triton.InferInput("x", [2, 4], "INT32")
    wrong.set_data_from_numpy(X.astype(np.int32))
    with pytest.raises(Exception, match="datatype INT32 given, FP32 expected"):
        client.infer("neg", [wrong])
    client.unload_model("neg")
    assert not client.is_model_ready("neg")
    client.load_model("neg")
    assert client.is_model_ready("neg")
    client.close()


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_kserve(addresses: dict[str, str], protocol: str) -> None:
    kserve = client_of("kserve", "tritonclient")

    def request(values: Any, datatype: str, has_bytes: bool) -> Any:
        x = kserve.InferInput("x", [2, 4], datatype)
        x.set_data_from_numpy(values, binary_data=has_bytes)
        return kserve.InferRequest("neg", [x])

    async def ask() -> None:
        url = f"http://{addresses['http']}"
        if protocol == "http":
            client = kserve.InferenceRESTClient(kserve.RESTConfig(protocol="v2", retries=0))
            assert await client.is_model_ready(url, "neg")
        else:
            client = kserve.InferenceGRPCClient(addresses["grpc"])
            assert await client.is_model_ready("neg")

        async def infer(one: Any) -> Any:
            return await (
                client.infer(url, one, "neg") if protocol == "http" else client.infer(one)
            )

        for has_bytes in (True, False):
            answer = await infer(request(X, "FP32", has_bytes))
            np.testing.assert_array_equal(answer.outputs[0].as_numpy(), -X)
        with pytest.raises(Exception, match="datatype INT32 given, FP32 expected"):
            await infer(request(X.astype(np.int32), "INT32", has_bytes=False))
        await client.close()

    asyncio.run(ask())
