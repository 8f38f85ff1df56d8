# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Jobs that lose a worker, or have bad rows: each row comes out once."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armnn_py.ray import Predictor

from .test_predictor import gatherer

ray: Any = pytest.importorskip("ray", reason="the extra 'ray' is not installed")
pytestmark = [pytest.mark.alone, pytest.mark.filterwarnings("default")]

ROWS = 2000


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
