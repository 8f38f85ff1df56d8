# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks saved with the sample backends: programs of Sample_Npu as bytes, others as layers."""

from __future__ import annotations

import contextlib
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer.saved.archive import write_archive
from tests.cpu_acc.saving import members_of, write

from .npu_networks import numbers
from .test_sample_npu_runtime import BACKENDS, mixed

INPUT = {"x": numbers(1, 4, 12, 12)}


@pytest.fixture
def folder(sample_backend: Callable[[str], Path]) -> Path:
    return sample_backend("sample_npu").parent


@pytest.fixture
def runtime(folder: Path) -> Iterator[ann.Runtime]:
    with ann.Runtime(folder) as runtime:
        yield runtime


def test_programs_are_saved_as_bytes(runtime: ann.Runtime, tmp_path: Path) -> None:
    optimized = ann.optimize(mixed(), BACKENDS, runtime=runtime)
    path = tmp_path / "x.armnnpy"
    optimized.save(path)
    members = members_of(path)
    assert sorted(name for name in members if "constants" in name) == []  # they are in the programs
    assert all(members[f"blobs/{n}.bin"].startswith(b"SPNUPPU1") for n in range(2))
    before = runtime.backends["Sample_Npu"].read_counters()
    with runtime.load_network(optimized) as first, ann.load(path, runtime=runtime) as second:
        assert first.run(INPUT)["y"].tobytes() == second.run(INPUT)["y"].tobytes()
        assert second.assignment.to_json() == first.assignment.to_json()
    after = runtime.backends["Sample_Npu"].read_counters()
    (name,) = [name for name in before if "compiled" in name.lower()]
    assert before[name] == after[name]


def test_another_process_runs_them(folder: Path, runtime: ann.Runtime, tmp_path: Path) -> None:
    optimized = ann.optimize(mixed(), BACKENDS, runtime=runtime)
    optimized.save(tmp_path / "x.armnnpy")
    np.save(tmp_path / "x.npy", INPUT["x"])
    code = (
        "import sys, numpy as np, armnn_py as ann\n"
        "with ann.Runtime(sys.argv[1]) as runtime:\n"
        "    with ann.load(sys.argv[2], runtime=runtime) as net:\n"
        "        print(net.run(np.load(sys.argv[3]))['y'].tobytes().hex())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder), tmp_path / "x.armnnpy", tmp_path / "x.npy"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    with runtime.load_network(optimized) as network:
        assert done.stdout.strip() == network.run(INPUT)["y"].tobytes().hex()


@pytest.mark.parametrize("keep", [False, True])
def test_programs_of_another_compiler(runtime: ann.Runtime, tmp_path: Path, keep: bool) -> None:
    path = tmp_path / "x.armnnpy"
    optimized = ann.optimize(mixed(), BACKENDS, runtime=runtime)
    optimized.save(path, keep_subgraphs=keep)
    members = members_of(path)
    members["network.json"] = members["network.json"].replace(
        b"c2FtcGxlLW5wdS8x", b"c2FtcGxlLW5wdS8w"
    )  # sample-npu/0
    write(path, members)
    if not keep:
        words = "compiled for 'sample-npu/0', this is 'sample-npu/1'"
        with pytest.raises(ann.BackendError, match=words) as raised:
            ann.load(path, runtime=runtime)
        assert "optimize() the model anew" in str(raised.value)
        return
    with runtime.load_network(optimized) as first, ann.load(path, runtime=runtime) as second:
        assert first.run(INPUT)["y"].tobytes() == second.run(INPUT)["y"].tobytes()


def test_a_damaged_program_does_not_reach_the_backend(runtime: ann.Runtime, tmp_path: Path) -> None:
    path = tmp_path / "x.armnnpy"
    ann.optimize(mixed(), BACKENDS, runtime=runtime).save(path)
    members = members_of(path)
    members["blobs/0.bin"] = bytes([members["blobs/0.bin"][0] ^ 1]) + members["blobs/0.bin"][1:]
    write_archive(str(path), {name: (data,) for name, data in members.items()})
    path.write_bytes(path.read_bytes())  # not by armnn_py, which would know the sums
    with pytest.raises(ann.ParseError, match=r"'blobs/0.bin' has another sum"):
        ann.load(path, runtime=runtime)


def test_a_forged_program_does_no_harm(runtime: ann.Runtime, tmp_path: Path) -> None:
    path = tmp_path / "x.armnnpy"
    ann.optimize(mixed(), BACKENDS, runtime=runtime).save(path)
    members = members_of(path)
    noise = random.Random(3)
    refused = 0
    for _ in range(150):
        blob = bytearray(members["blobs/0.bin"])
        for _ in range(noise.choice([1, 3])):
            blob[noise.randrange(min(len(blob), 600))] = noise.randrange(256)
        if noise.random() < 0.3:
            del blob[noise.randrange(len(blob)) :]
        if bytes(blob) == members["blobs/0.bin"]:
            continue
        write(path, {**members, "blobs/0.bin": bytes(blob)})
        try:
            network = ann.load(path, runtime=runtime)
        except ann.BackendError as error:
            refused += "the bytes are no program" in str(error)
        else:  # it computes something else
            with network, contextlib.suppress(ann.ExecutionError, ann.BackendError):
                network.run(INPUT)
    assert refused > 50


def test_a_program_of_another_layer_is_refused(runtime: ann.Runtime, tmp_path: Path) -> None:
    path = tmp_path / "x.armnnpy"
    ann.optimize(mixed(), BACKENDS, runtime=runtime).save(path)
    members = members_of(path)
    members["blobs/0.bin"], members["blobs/1.bin"] = members["blobs/1.bin"], members["blobs/0.bin"]
    write(path, members)
    with pytest.raises(ann.BackendError, match="compiled for other tensors"):
        ann.load(path, runtime=runtime)


def test_a_saved_program_that_gets_no_workload(
    runtime: ann.Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hint is about the file, which another version of the backend may have written."""
    path = tmp_path / "x.armnnpy"
    optimized = ann.optimize(mixed(), BACKENDS, runtime=runtime)
    optimized.save(path)
    again = ann.OptimizedNetwork.load(path, runtime=runtime)
    for placed, hint in (
        (again, "optimize\\(\\) the model anew and save it again"),
        (optimized, "made this compiled layer itself: report it to its vendor"),
    ):
        with monkeypatch.context() as patch:
            for blob in placed.placed.blobs.values():
                patch.setattr(blob.struct, "object", None)
            with pytest.raises(ann.BackendError, match=hint):
                runtime.load_network(placed)


def check_saved(runtime: ann.Runtime, backends: list[str], path: Path) -> list[dict[str, Any]]:
    """The same network comes back; returns what the file says of its compiled layers."""
    optimized = ann.optimize(mixed(), backends, runtime=runtime)
    optimized.save(path)
    document = json.loads(members_of(path)["network.json"])
    with runtime.load_network(optimized) as first, ann.load(path, runtime=runtime) as second:
        assert first.run(INPUT)["y"].tobytes() == second.run(INPUT)["y"].tobytes()
        assert second.assignment.to_json() == first.assignment.to_json()
    return [layer["compiled"] for layer in document["layers"] if "compiled" in layer]


def test_several_backends(runtime: ann.Runtime, tmp_path: Path) -> None:
    """Bytes of two, and memory that is copied between them."""
    optimized = ann.optimize(mixed(), ["Sample_Npu", "CpuAcc"], runtime=runtime)
    assert len(optimized.assignment.counts) == 2
    assert optimized.assignment.copies > 0
    path = tmp_path / "x.armnnpy"
    optimized.save(path)
    again = ann.OptimizedNetwork.load(path, runtime=runtime)
    assert again.memory == optimized.memory
    compiled = check_saved(runtime, ["Sample_Npu", "CpuAcc"], path)
    assert len(compiled) > 1
    assert all("bytes" in one for one in compiled)


# ---- Backends whose blobs have no bytes ----------------------------------------------------------


def check_layers_are_saved(runtime: ann.Runtime, backends: list[str], path: Path) -> None:
    """What is compiled again from a file computes just what was compiled at first."""
    compiled = check_saved(runtime, backends, path)
    assert any("source" in one and "bytes" not in one for one in compiled)


def test_xnnpack(xnnpack_library: Path, tmp_path: Path) -> None:
    with ann.Runtime(xnnpack_library.parent) as runtime:
        name = next(name for name in runtime.backends if not name.startswith("Cpu"))
        check_layers_are_saved(runtime, [name, "CpuRef"], tmp_path / "x.armnnpy")
