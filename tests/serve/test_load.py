# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Batches, full queues, deadlines, clients that go, and the end of a server."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import armnn_py

from .serving import Client, Serving, rows

armnn_serve = pytest.importorskip("armnn_py.serve")


class Slow:
    """A network that waits for a permission before each run, and keeps what it ran on."""

    def __init__(self) -> None:
        self.permit = threading.Semaphore(0)
        self.ran: list[np.ndarray[Any, Any]] = []
        self.limits: list[float | None] = []
        self.last_run = SimpleNamespace(degraded=False)

    def run(self, inputs: Any, *, timeout: float | None, cancel: Any) -> dict[str, Any]:
        assert self.permit.acquire(timeout=30)
        self.limits.append(timeout)
        if cancel is not None and cancel.cancelled:
            raise armnn_py.ExecutionCancelledError("cancelled")
        array = inputs["x"]
        self.ran.append(array)
        if np.isnan(array).any():
            raise armnn_py.InvalidArgumentError("NaN given")
        return {"y": -array}


def batcher(network: Slow, **settings: Any) -> tuple[Any, list[int]]:
    """A batcher over a network, and the rows of its runs."""
    from armnn_py.serve.batcher import Batcher
    from armnn_py.serve.settings import ModelSettings

    sizes: list[int] = []
    made = Batcher(
        network,  # type: ignore[arg-type]
        ModelSettings(**settings),
        ThreadPoolExecutor(2),
        batches=True,
        seen=lambda count, *_: sizes.append(count),
    )
    return made, sizes


def x(*values: float) -> dict[str, Any]:
    return {"x": np.float32(values).reshape(-1, 1)}


async def _until(condition: Any) -> None:
    while not condition():
        await asyncio.sleep(0.001)


def test_requests_that_wait_become_a_batch() -> None:
    async def work() -> None:
        network = Slow()
        queue, sizes = batcher(network, max_batch=4, max_delay_ms=0)
        tasks = [asyncio.create_task(queue.run(x(i))) for i in range(6)]
        await _until(lambda: queue.waiting == 5)
        network.permit.release(10)
        answers = await asyncio.gather(*tasks)
        assert [a["y"].tolist() for a in answers] == [[[-i]] for i in range(6)]
        assert sizes == [1, 4, 1]

    asyncio.run(work())


def test_a_request_waits_for_others_as_long_as_it_may() -> None:
    async def work() -> None:
        network = Slow()
        network.permit.release(10)
        queue, sizes = batcher(network, max_batch=3, max_delay_ms=60_000)
        tasks = [asyncio.create_task(queue.run(x(i))) for i in range(2)]
        await asyncio.sleep(0.01)
        assert sizes == []
        tasks.append(asyncio.create_task(queue.run(x(2))))  # the batch is full
        await asyncio.gather(*tasks)
        assert sizes == [3]
        queue, sizes = batcher(network, max_batch=3, max_delay_ms=1)
        await asyncio.gather(queue.run(x(0)), queue.run(x(1)))
        assert sizes == [2]

    asyncio.run(work())


def test_shapes_that_differ_and_large_requests_run_alone() -> None:
    async def work() -> None:
        network = Slow()
        queue, _ = batcher(network, max_batch=4, max_delay_ms=0)
        shapes = [(1, 1), (1, 2), (1, 1), (9, 1), (2, 2)]
        tasks = [asyncio.create_task(queue.run({"x": np.zeros(s, np.float32)})) for s in shapes]
        await _until(lambda: queue.waiting == 4)
        network.permit.release(10)
        answers = await asyncio.gather(*tasks)
        assert [a["y"].shape for a in answers] == shapes
        assert [one.shape for one in network.ran] == [(1, 1), (3, 2), (1, 1), (9, 1)]

    asyncio.run(work())


def test_a_bad_request_of_a_batch_fails_alone() -> None:
    async def work() -> None:
        network = Slow()
        queue, sizes = batcher(network, max_batch=4, max_delay_ms=0)
        first = asyncio.create_task(queue.run(x(0)))
        tasks = [asyncio.create_task(queue.run(x(v))) for v in (1, np.nan, 3)]
        await _until(lambda: queue.waiting == 3)
        network.permit.release(10)
        one, bad, three = await asyncio.gather(*tasks, return_exceptions=True)
        assert one["y"] == -1
        assert three["y"] == -3
        assert isinstance(bad, armnn_py.InvalidArgumentError)
        await first
        assert sizes == [1, 1, 1]

    asyncio.run(work())


def test_a_full_queue_refuses() -> None:
    async def work() -> None:
        from armnn_py.serve.failures import BUSY, RequestError

        network = Slow()
        queue, _ = batcher(network, max_queue=2)
        tasks = [asyncio.create_task(queue.run(x(i))) for i in range(3)]
        await _until(lambda: queue.waiting == 2)
        with pytest.raises(RequestError, match="2 requests wait") as caught:
            await queue.run(x(3))
        assert caught.value.status is BUSY
        network.permit.release(3)
        await asyncio.gather(*tasks)

    asyncio.run(work())


def test_deadlines_hold_in_the_queue_and_reach_the_run() -> None:
    async def work() -> None:
        from armnn_py.serve.failures import TIMEOUT, RequestError

        network = Slow()
        queue, _ = batcher(network)
        first = asyncio.create_task(queue.run(x(0), time.monotonic() + 1000))
        await asyncio.sleep(0)
        await _until(lambda: queue.waiting == 0)
        with pytest.raises(RequestError, match="deadline") as caught:
            await queue.run(x(1), time.monotonic() + 0.01)
        assert caught.value.status is TIMEOUT
        assert queue.waiting == 0
        network.permit.release(2)
        await first
        (limit,) = network.limits
        assert limit is not None
        assert 900 < limit <= 1000

    asyncio.run(work())


def test_cancelled_requests_leave_the_queue() -> None:
    async def work() -> None:
        network = Slow()
        queue, _ = batcher(network)
        tasks = [asyncio.create_task(queue.run(x(i))) for i in range(3)]
        await _until(lambda: queue.waiting == 2)
        tasks[0].cancel()  # runs: its token stops it
        tasks[1].cancel()
        await _until(lambda: queue.waiting == 1)
        network.permit.release(3)
        assert (await tasks[2])["y"] == -2
        assert [one.item() for one in network.ran] == [2]

    asyncio.run(work())


def test_closing_answers_what_waits() -> None:
    async def work() -> None:
        network = Slow()
        queue, _ = batcher(network, max_batch=8, max_delay_ms=60_000)
        tasks = [asyncio.create_task(queue.run(x(i))) for i in range(3)]
        await asyncio.sleep(0)
        network.permit.release(3)
        await queue.close()
        assert [(await task)["y"].item() for task in tasks] == [0, -1, -2]
        with pytest.raises(Exception, match="being unloaded"):
            await queue.run(x(9))

    asyncio.run(work())


def test_many_callers_and_the_metrics(serving: Serving, tmp_path: Path) -> None:
    """Each caller gets its own rows back; the counters add up."""
    model = rows(tmp_path / "rows.onnx")
    defaults = armnn_serve.ModelSettings(max_batch=8, max_delay_ms=20)
    with serving(model, defaults=defaults) as client:
        base = str(client.base_url)

        def call(caller: int) -> None:
            with Client(base_url=base, timeout=60) as own:
                for step in range(10):
                    data = [[caller, step, 1, row] for row in range(1 + step % 3)]
                    tensor = {"name": "x", "shape": [len(data), 4], "datatype": "FP32"}
                    answer = own.infer("rows", {"inputs": [{**tensor, "data": data}]})
                    (output,) = answer.json()["outputs"]
                    assert output["shape"] == [len(data), 4]
                    assert output["data"] == [-value for row in data for value in row]

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(call, range(8)))
        text = client.get("/metrics").text
    counts = dict(re.findall(r"^(armnn_\w+)\{[^}]*\} ([\d.]+)$", text, re.MULTILINE))
    assert float(counts["armnn_requests_total"]) == 80
    assert float(counts["armnn_request_seconds_count"]) == 80
    assert float(counts["armnn_batch_rows_sum"]) == 8 * (4 * 1 + 3 * 2 + 3 * 3)
    assert float(counts["armnn_run_seconds_count"]) < 80
    assert float(counts["armnn_model_ready"]) == 1
    assert float(counts["armnn_queue_requests"]) == 0


@pytest.mark.parametrize("timeout", [-1, True, "5", [1]])
def test_invalid_timeouts(serving: Serving, tmp_path: Path, timeout: Any) -> None:
    with serving(rows(tmp_path / "rows.onnx")) as client:
        tensor = {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]}
        body = {"inputs": [tensor], "parameters": {"timeout": timeout}}
        assert "a number of microseconds expected" in client.refusal("rows", body)
        body["parameters"] = {"timeout": 60_000_000}
        assert client.infer("rows", body).status_code == 200


def test_a_model_whose_backend_is_lost(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = rows(tmp_path / "rows.onnx")
    health = armnn_py.Health("ready")
    monkeypatch.setattr(armnn_py.LoadedNetwork, "health", property(lambda _: health))
    strict = {"rows": armnn_serve.ModelSettings(ready_when="ready")}
    with serving(model) as lenient, serving(model, models=strict) as other:
        health = armnn_py.Health("degraded", ("Npu: its worker ended",))
        assert lenient.get("/v2/models/rows/ready").status_code == 200
        refused = other.get("/v2/health/ready")
        assert refused.status_code == 503
        assert refused.json()["error"] == "model 'rows' is degraded: Npu: its worker ended"
        health = armnn_py.Health("lost", ("Npu: its worker ended",))
        assert lenient.get("/v2/models/rows/ready").status_code == 503
        tensor = {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]}
        assert "is lost" in lenient.refusal("rows", {"inputs": [tensor]}, 503)
        health = armnn_py.Health("ready")


class Gate:
    """Holds each run of a network until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open, self.entered = threading.Event(), threading.Event()
        run = armnn_py.LoadedNetwork.run

        def slow(network: Any, inputs: Any, **options: Any) -> Any:
            self.entered.set()
            assert self.open.wait(60)
            return run(network, inputs, **options)

        monkeypatch.setattr(armnn_py.LoadedNetwork, "run", slow)


BODY = {"inputs": [{"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]}]}


def _waiting(client: Client) -> float:
    text = client.get("/metrics").text
    return float(re.findall(r"^armnn_queue_requests\{.*\} (.*)$", text, re.MULTILINE)[0])


def test_a_client_that_goes_takes_its_request_along(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch)
    with serving(rows(tmp_path / "rows.onnx")) as client, ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.infer, "rows", BODY)
        assert gate.entered.wait(30)
        raw = json.dumps(BODY).encode()
        head = f"POST /v2/models/rows/infer HTTP/1.1\r\nHost: x\r\nContent-Length: {len(raw)}"
        with socket.create_connection((client.base_url.host, client.base_url.port)) as gone:
            gone.sendall(head.encode() + b"\r\n\r\n" + raw)
            while _waiting(client) != 1:
                time.sleep(0.01)
        while _waiting(client) != 0:
            time.sleep(0.01)
        gate.open.set()
        assert first.result().status_code == 200


def test_requests_in_flight_are_answered_at_the_end(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch)
    with ThreadPoolExecutor(1) as pool:
        with serving(rows(tmp_path / "rows.onnx")) as client:
            base = str(client.base_url)
            answer = pool.submit(Client(base_url=base, timeout=60).infer, "rows", BODY)
            assert gate.entered.wait(30)
            threading.Timer(0.2, gate.open.set).start()
        assert answer.result().status_code == 200


def test_a_full_queue_and_a_passed_deadline_over_http(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(monkeypatch)
    one = armnn_serve.ModelSettings(max_queue=1)
    with serving(rows(tmp_path / "rows.onnx"), defaults=one) as client, ThreadPoolExecutor(2) as p:
        first = p.submit(client.infer, "rows", BODY)
        assert gate.entered.wait(30)
        late = {**BODY, "parameters": {"timeout": 1000}}
        assert "the deadline of the request passed" in client.refusal("rows", late, 504)
        second = p.submit(client.infer, "rows", BODY)
        while _waiting(client) != 1:
            time.sleep(0.01)
        assert "1 requests wait" in client.refusal("rows", BODY, 429)
        gate.open.set()
        assert first.result().status_code == second.result().status_code == 200
