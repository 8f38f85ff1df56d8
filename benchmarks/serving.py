# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What `armnn-py serve` costs a request beside a loop of runs, with 1 to 256 callers.

    python benchmarks/serving.py MODEL [--callers 1 8 64] [--seconds 10] [--by grpc] [-- OPTIONS]
    python benchmarks/serving.py MODEL --peer 127.0.0.1:9000 --process PID --by json

Each caller of a closed loop waits for its answer before it asks again; an error
ends the script. The ratio is the processor time of a bare run by that of the server and of its
children for a request: a busy machine changes it little. A long run shows whether memory,
descriptors and threads are level: their values before and after are printed.

OPTIONS are those of ``armnn-py serve``, such as ``--max-batch 8``. ``--kill 5`` kills the workers
of isolated backends every five seconds. ``--peer`` measures a server that runs already.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import numpy as np

import armnn_py
from armnn_py.serve.grpc_front import SERVICE, message

TICK = os.sysconf("SC_CLK_TCK")
#: The protocol's name of a dtype.
TYPES = {"int64": "INT64", "int32": "INT32", "float32": "FP32", "uint8": "UINT8", "int8": "INT8"}


def one_row(model: Path) -> dict[str, np.ndarray]:
    """Random inputs, each with one row; 64 for other dimensions that are free."""
    chance = np.random.default_rng(0)
    with armnn_py.load(model) as network:
        infos = network.inputs
    shapes = {name: [1, *(dim or 64 for dim in info.shape[1:])] for name, info in infos.items()}
    return {
        name: chance.integers(0, 2, shapes[name]).astype(info.data_type.numpy)
        for name, info in infos.items()
    }


def bare_loop(model: Path, inputs: dict[str, np.ndarray], seconds: float) -> float:
    """Return processor seconds of one run."""
    with armnn_py.load(model) as network:
        network.run(inputs)
        runs, start, end = 0, time.process_time(), time.monotonic() + seconds
        while time.monotonic() < end:
            network.run(inputs)
            runs += 1
        return (time.process_time() - start) / runs


def request(model: Path, inputs: dict[str, np.ndarray], by: str) -> bytes:
    """Return a request over HTTP with binary tensors or JSON, or a message of gRPC."""
    tensors: list[dict[str, Any]] = [
        {"name": name, "shape": list(value.shape), "datatype": TYPES[value.dtype.name]}
        for name, value in inputs.items()
    ]
    raw = [value.tobytes() for value in inputs.values()]
    if by == "grpc":
        made = message("ModelInferRequest")(
            model_name=model.stem, inputs=tensors, raw_input_contents=raw
        )
        return bytes(made.SerializeToString())
    for tensor, value in zip(tensors, inputs.values(), strict=True):
        if by == "json":
            tensor["data"] = value.ravel().tolist()
        else:
            tensor["parameters"] = {"binary_data_size": value.nbytes}
    head = json.dumps({"inputs": tensors, "parameters": {"binary_data_output": by == "binary"}})
    body = head.encode() + (b"".join(raw) if by == "binary" else b"")
    lines = f"POST /v2/models/{model.stem}/infer HTTP/1.1\r\nHost: localhost\r\n"
    if by == "binary":
        lines += f"Inference-Header-Content-Length: {len(head)}\r\n"
    else:
        lines += "Content-Type: application/json\r\n"
    return f"{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body


@contextlib.contextmanager
def served(model: Path, options: list[str]) -> Iterator[tuple[str, int]]:
    """Serve a model in a process of its own; gives its address and its number."""
    command = [sys.executable, "-m", "armnn_py", "serve", str(model), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        told = re.findall(r"[\d.]+:\d+", server.stdout.readline())
        try:
            yield told[-1], server.pid
        finally:
            server.terminate()


async def caller(address: str, data: bytes, end: float, waits: list[float]) -> None:
    """Ask over HTTP until a time, and append the seconds of each answer."""
    host, port = address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 24)
    while (start := time.monotonic()) < end:
        writer.write(data)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        body = await reader.readexactly(int(head.split(b"\r\ncontent-length: ")[1].split(b"\r")[0]))
        if not head.startswith(b"http/1.1 200"):
            raise RuntimeError((head + body[:500]).decode())
        waits.append(time.monotonic() - start)
    writer.close()


async def grpc_caller(address: str, data: bytes, end: float, waits: list[float]) -> None:
    """Ask by gRPC until a time, over a connection of its own."""
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1)]
    async with grpc.aio.insecure_channel(address, options=options) as channel:
        ask = channel.unary_unary(f"/{SERVICE}/ModelInfer")
        while (start := time.monotonic()) < end:
            await ask(data)
            waits.append(time.monotonic() - start)


def tree(process: int) -> list[int]:
    """Return the numbers of a process and of all that it started."""
    numbers = [process]
    for number in numbers:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{number}/task").iterdir():
                numbers += map(int, (task / "children").read_text().split())
    return numbers


def state(process: int) -> dict[str, Any]:
    """Return processor seconds, MiB, open descriptors and threads of a process and its children.

    Memory that several processes share counts once.
    """
    found: dict[str, Any] = {"seconds": 0.0, "MiB": 0.0, "descriptors": 0, "threads": 0}
    for number in tree(process):
        folder = Path(f"/proc/{number}")
        with contextlib.suppress(OSError):  # it ended meanwhile
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            found["seconds"] += sum(map(int, fields[11:15])) / TICK
            share = re.search(r"Pss: +(\d+)", (folder / "smaps_rollup").read_text())
            found["MiB"] += int(share[1]) / 1024 if share else 0
            found["descriptors"] += len(list((folder / "fd").iterdir()))
            found["threads"] += int(fields[17])
    return {**found, "MiB": round(found["MiB"])}


async def kill_workers(process: int, every: float) -> None:
    """Kill the workers of isolated backends, which the server's child started, again and again."""
    while True:
        await asyncio.sleep(every)
        own = tree(process)
        workers = [one for child in own[1:] for one in tree(child)[1:]]
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        print(f"killed {workers}")


async def measure(
    address: str, data: bytes, callers: int, seconds: float, by: str, process: int, kill: float
) -> tuple[list[float], float]:
    """Return the seconds of each request of all callers, sorted, and of all from first to last."""
    waits: list[float] = []
    start = time.monotonic()
    end = start + seconds
    ask = grpc_caller if by == "grpc" else caller
    killer = asyncio.ensure_future(kill_workers(process, kill)) if kill else None
    await asyncio.gather(*(ask(address, data, end, waits) for _ in range(callers)))
    if killer:
        killer.cancel()
    return sorted(waits), time.monotonic() - start


def report(given: argparse.Namespace, address: str, process: int, options: list[str]) -> None:
    """Print a row for each number of callers."""
    inputs = one_row(given.model)
    data = request(given.model, inputs, given.by)
    asyncio.run(measure(address, data, 1, 1, given.by, process, 0))
    print(f"{given.model.stem} by {given.by}, {' '.join(options)}, load {os.getloadavg()[0]:.1f}")
    print("| callers | requests/s | ratio | p50, p99, most ms | MiB | descriptors | threads |")
    print("|---|---|---|---|---|---|---|")
    for callers in given.callers:
        bare = bare_loop(given.model, inputs, 2)
        before = state(process)
        waits, seconds = asyncio.run(
            measure(address, data, callers, given.seconds, given.by, process, given.kill)
        )
        after = state(process)
        cost = (after["seconds"] - before["seconds"]) / len(waits)
        times = (statistics.median(waits), waits[len(waits) * 99 // 100], waits[-1])
        print(
            f"| {callers} | {len(waits) / seconds:.0f} | {bare / cost:.2f} | "
            + ", ".join(f"{1e3 * one:.1f}" for one in times)
            + " | "
            + " | ".join(f"{before[key]}, {after[key]}" for key in [*after][1:])
            + " |",
            flush=True,
        )


def main() -> None:
    """Measure a server of ours, or one that runs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("--callers", type=int, nargs="+", default=[1, 8, 64, 256])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--by", choices=["binary", "json", "grpc"], default="binary")
    parser.add_argument("--kill", type=float, default=0)
    parser.add_argument("--peer")
    parser.add_argument("--process", type=int)
    own, options = sys.argv[1:], []
    if "--" in own:
        place = own.index("--")
        own, options = own[:place], own[place + 1 :]
    given = parser.parse_args(own)
    if given.peer:
        report(given, given.peer, given.process, ["a peer"])
        return
    ports = ["--port", "0", *(["--grpc-port", "0"] if given.by == "grpc" else [])]
    with served(given.model, ["--max-queue", "1024", *ports, *options]) as (address, process):
        report(given, address, process, options)


if __name__ == "__main__":
    main()
