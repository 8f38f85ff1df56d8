# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Jobs that lose a worker, a node or their driver, or have bad rows: each row comes out once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armnn_py.ray import Predictor

from .test_predictor import gatherer

ray: Any = pytest.importorskip("ray", reason="the extra 'ray' is not installed")
pytestmark = [pytest.mark.alone, pytest.mark.filterwarnings("default")]

ROWS = 2000


def until(condition: Any) -> None:
    end = time.monotonic() + 240
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def write(model: str, out: Path, predictor: type[Predictor]) -> None:
    """Run a job over rows that count from 0."""

    def numbered(batch: dict[str, Any]) -> dict[str, Any]:
        row = batch["id"]
        return {"id": row, "x": np.stack([row % 3, np.zeros_like(row)], 1)}

    rows = ray.data.range(ROWS, override_num_blocks=20).map_batches(numbered, batch_size=None)
    rows.map_batches(
        predictor,
        fn_constructor_kwargs={"model": model, "backends": ["CpuRef"]},
        batch_size=25,
        num_cpus=0.25,  # so that one node has room for all, and for the tasks that read and write
        concurrency=3,
    ).write_parquet(str(out))


def check(out: Path) -> None:
    """Each row is there once, with the right numbers."""
    found = {}
    for one in ray.data.read_parquet(str(out)).take_all():
        assert one["id"] not in found
        found[one["id"]] = one["y"].tolist()
    assert found == {row: [10.0 * (1 + row % 3), 10.0] for row in range(ROWS)}


@pytest.mark.usefixtures("cluster")
def test_a_worker_is_killed(tmp_path: Path) -> None:
    mark = tmp_path / "killed"

    class Killed(Predictor):
        def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
            if 1000 in batch["id"]:
                try:
                    mark.touch(exist_ok=False)
                except FileExistsError:
                    pass
                else:
                    os.kill(os.getpid(), signal.SIGKILL)
            return super().__call__(batch)

    write(gatherer(tmp_path / "gather.onnx"), tmp_path / "out", Killed)
    assert mark.exists()
    check(tmp_path / "out")


TEN_JOBS = pytest.param(10, marks=[pytest.mark.exhaustive, pytest.mark.timeout(1800)])


@pytest.mark.parametrize("jobs", [1, TEN_JOBS])
def test_a_node_is_killed(cluster: Any, tmp_path: Path, jobs: int) -> None:
    """In the middle of each job the first node dies whose actor has run some batches."""
    model = gatherer(tmp_path / "gather.onnx")
    for job in range(jobs):
        lose_a_node(cluster, model, tmp_path / str(job))
        cluster.add_node(num_cpus=1)


def lose_a_node(cluster: Any, model: str, folder: Path) -> None:
    """Run a job, kill a node that works on it, and check what came out."""
    (folder / "works").mkdir(parents=True)

    class Slow(Predictor):
        def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
            time.sleep(0.03)
            found = super().__call__(batch)
            with (folder / "works" / ray.get_runtime_context().get_node_id()).open("a") as file:
                file.write("x")
            return found

    killed = []

    def working() -> list[Any]:
        marks = {path.name for path in (folder / "works").iterdir() if path.stat().st_size > 2}
        return [node for node in cluster.worker_nodes if node.node_id in marks]

    def kill() -> None:
        until(working)
        (node, *_) = working()
        cluster.remove_node(node, allow_graceful=False)
        killed.append(sum(path.stat().st_size for path in (folder / "works").iterdir()))

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        write(model, folder / "out", Slow)
    finally:
        killer.join()
    assert killed
    assert killed[0] < ROWS // 25
    check(folder / "out")


JOB = """
import sys, time
from pathlib import Path
import ray
from ray.data.checkpoint import CheckpointConfig
from armnn_py.ray import Predictor
from tests.scale.test_lost import write

class Slow(Predictor):
    def __call__(self, batch):
        time.sleep(0.02)
        with open(ran, "a") as file:
            file.write(len(batch["id"]) * "x")
        return super().__call__(batch)

address, model, out, ran = sys.argv[1:]
ray.init(address=address, log_to_driver=False)
ray.data.DataContext.get_current().checkpoint_config = CheckpointConfig(
    "id", out + ".done", delete_checkpoint_on_success=False
)
write(model, Path(out), Slow)
"""


def test_a_job_started_again_does_what_is_missing(cluster: Any, tmp_path: Path) -> None:
    pytest.importorskip("ray.data.checkpoint", reason="this Ray has no checkpoints")
    out = tmp_path / "out"
    model = gatherer(tmp_path / "gather.onnx")

    def start(ran: Path) -> subprocess.Popen[bytes]:
        """Start the job; each row that it runs is a letter in the file."""
        ran.touch()
        command = [sys.executable, "-c", JOB, cluster.address, model, str(out), str(ran)]
        return subprocess.Popen(command, stderr=subprocess.PIPE)

    def parts() -> list[Path]:
        return sorted(out.glob("*.parquet"))

    with start(tmp_path / "first") as first:
        until(lambda: len(parts()) > 3 or first.poll() is not None)
        first.kill()
    before = parts()
    assert 3 < len(before) < 20
    for ran, most in ((tmp_path / "second", ROWS - 300), (tmp_path / "third", 0)):
        with start(ran) as again:
            said = again.communicate(timeout=240)[1]
            assert again.returncode == 0, said.decode()
        check(out)
        assert ran.stat().st_size <= most


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("count", [5000, pytest.param(100_000, marks=pytest.mark.exhaustive)])
def test_one_row_of_a_hundred_is_bad(tmp_path: Path, count: int) -> None:
    """Eight kinds of bad rows, from Parquet: all are told, and no other."""
    import pyarrow as pa
    from pyarrow import parquet

    kinds = [None, [], [1], [0, 1, 2], [0, None], [0, 3], [-4, 0], [0, -(2**63)]]
    rows: list[Any] = [[row % 3, 2 - row % 3] for row in range(count)]
    bad = list(range(7, count, 100))
    for number, row in enumerate(bad):
        rows[row] = kinds[number % len(kinds)]
    table = pa.table({"row": range(count), "x": pa.array(rows, pa.list_(pa.int64()))})
    parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=1000)
    arguments = {
        "model": gatherer(tmp_path / "gather.onnx"),
        "backends": ["CpuRef"],
        "on_bad_row": "keep_apart",
    }
    ray.data.read_parquet(str(tmp_path / "rows.parquet")).map_batches(
        Predictor, fn_constructor_kwargs=arguments, batch_size=512, num_cpus=1, concurrency=2
    ).write_parquet(str(tmp_path / "out"))
    done = ray.data.read_parquet(str(tmp_path / "out")).take_all()
    assert sorted(one["row"] for one in done) == list(range(count))
    assert sorted(one["row"] for one in done if one["error"]) == bad
    for one in done:
        if one["error"]:
            assert np.isnan(one["y"]).all()
        else:
            assert one["y"].tolist() == [10.0 * (1 + one["row"] % 3), 10.0 * (3 - one["row"] % 3)]
