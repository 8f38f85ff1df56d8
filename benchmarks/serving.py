# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What `armnn-py serve` costs a request beside a loop of runs, with 1 to 256 callers.

    python benchmarks/serving.py MODEL [--callers 1 8 64 256] [--seconds 10] [--max-batch 8]

Each caller of a closed loop waits for its answer before it asks again. The ratio is the processor
time of a bare run by that of the server for a request: a busy machine changes it little. A long run
shows whether memory, descriptors and threads are level: their values before and after are printed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import armnn_py

TICK = os.sysconf("SC_CLK_TCK")


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


def request(model: Path, inputs: dict[str, np.ndarray]) -> bytes:
    """Return a request over HTTP whose tensors, and those of its answer, are binary."""
    names = {
        "int64": "INT64",
        "int32": "INT32",
        "float32": "FP32",
        "uint8": "UINT8",
        "int8": "INT8",
    }
    tensors = [
        {
            "name": name,
            "shape": list(value.shape),
            "datatype": names[value.dtype.name],
            "parameters": {"binary_data_size": value.nbytes},
        }
        for name, value in inputs.items()
    ]
    head = json.dumps({"inputs": tensors, "parameters": {"binary_data_output": True}}).encode()
    body = head + b"".join(value.tobytes() for value in inputs.values())
    lines = (
        f"POST /v2/models/{model.stem}/infer HTTP/1.1\r\nHost: localhost\r\n"
        f"Inference-Header-Content-Length: {len(head)}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return lines.encode() + body


@contextlib.contextmanager
def served(model: Path, port: int, *options: str) -> Iterator[int]:
    """Serve a model in a process of its own; gives its number."""
    command = [sys.executable, "-m", "armnn_py", "serve", str(model), "--port", str(port), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        server.stdout.readline()
        try:
            yield server.pid
        finally:
            server.terminate()


async def caller(port: int, data: bytes, end: float, waits: list[float]) -> None:
    """Ask until a time, and append the seconds of each answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    while (start := time.monotonic()) < end:
        writer.write(data)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        if not head.startswith(b"http/1.1 200"):
            raise RuntimeError(head.decode())
        await reader.readexactly(int(head.split(b"\r\ncontent-length: ")[1].split(b"\r")[0]))
        waits.append(time.monotonic() - start)
    writer.close()


def state(process: int) -> dict[str, Any]:
    """Return processor seconds, resident MiB, open descriptors and threads of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return {
        "seconds": (int(fields[11]) + int(fields[12])) / TICK,
        "MiB": int(fields[21]) * os.sysconf("SC_PAGESIZE") >> 20,
        "descriptors": len(list(Path(f"/proc/{process}/fd").iterdir())),
        "threads": int(fields[17]),
    }


async def measure(port: int, data: bytes, callers: int, seconds: float) -> list[float]:
    """Return the seconds of each request of all callers."""
    waits: list[float] = []
    end = time.monotonic() + seconds
    await asyncio.gather(*(caller(port, data, end, waits) for _ in range(callers)))
    return waits


def main() -> None:
    """Print a row for each number of callers."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("--callers", type=int, nargs="+", default=[1, 8, 64, 256])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--max-batch", type=int, default=1)
    parser.add_argument("--port", type=int, default=8765)
    given = parser.parse_args()
    inputs = one_row(given.model)
    data = request(given.model, inputs)
    options = ("--max-batch", str(given.max_batch), "--max-queue", "1024")
    with served(given.model, given.port, *options) as server:
        asyncio.run(measure(given.port, data, 1, 1))
        print("| callers | requests/s | ratio | p50, p99 ms | MiB | descriptors | threads |")
        print("|---|---|---|---|---|---|---|")
        for callers in given.callers:
            bare = bare_loop(given.model, inputs, 2)
            before = state(server)
            waits = sorted(asyncio.run(measure(given.port, data, callers, given.seconds)))
            after = state(server)
            cost = (after["seconds"] - before["seconds"]) / len(waits)
            tail = waits[len(waits) * 99 // 100]
            print(
                f"| {callers} | {len(waits) / given.seconds:.0f} | {bare / cost:.2f} "
                f"| {1e3 * statistics.median(waits):.1f}, {1e3 * tail:.1f} | "
                + " | ".join(f"{before[key]}, {after[key]}" for key in [*after][1:])
                + " |",
                flush=True,
            )


if __name__ == "__main__":
    main()
