# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""`armnn_py.ray` on a cluster of four nodes, whose processes run on this machine."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armnn_py.ray import Predictor, deployment, doctor

from .test_predictor import gatherer

ray: Any = pytest.importorskip("ray", reason="the extra 'ray' is not installed")
pytestmark = [pytest.mark.alone, pytest.mark.filterwarnings("default")]


@pytest.mark.usefixtures("cluster")
def test_each_row_comes_once_and_bad_ones_with_their_reason(tmp_path: Path) -> None:
    model = gatherer(tmp_path / "gather.onnx")
    index = np.array([[row % 3, 0] for row in range(500)])
    bad = [7, 8, 250, 499]
    index[bad, 1] = 99
    rows = ray.data.from_items([{"row": row, "x": one} for row, one in enumerate(index)])
    arguments = {"model": model, "backends": ["CpuRef"], "on_bad_row": "keep_apart"}
    done = rows.map_batches(
        Predictor, fn_constructor_kwargs=arguments, batch_size=64, num_cpus=1, concurrency=2
    ).take_all()
    assert sorted(one["row"] for one in done) == list(range(500))
    assert sorted(one["row"] for one in done if one["error"]) == bad
    for one in done:
        if not one["error"]:
            assert one["y"].tolist() == [10.0 * (1 + one["row"] % 3), 10.0]


@pytest.mark.usefixtures("cluster")
def test_the_drivers_error_names_the_backend(tmp_path: Path) -> None:
    arguments = {"model": gatherer(tmp_path / "gather.onnx"), "backends": ["NoSuchNpu"]}
    rows = ray.data.from_items([{"x": np.array([0, 1])}])
    with pytest.raises(Exception, match="NoSuchNpu"):
        rows.map_batches(Predictor, fn_constructor_kwargs=arguments, concurrency=1).take_all()


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("cpus", [1, 2])
def test_an_actor_has_the_threads_that_ray_gives_it(tmp_path: Path, cpus: int) -> None:
    class Asked(Predictor):
        def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
            import armnn_py

            return {"threads": np.full(len(batch["x"]), armnn_py.get_num_threads())}

    arguments = {"model": gatherer(tmp_path / "gather.onnx"), "backends": ["CpuRef"]}
    rows = ray.data.from_items([{"x": np.array([0, 1])}])
    done = rows.map_batches(
        Asked, fn_constructor_kwargs=arguments, num_cpus=cpus, concurrency=1
    ).take_all()
    assert [one["threads"] for one in done] == [cpus]


@pytest.mark.usefixtures("cluster")
def test_the_doctor_sees_each_node() -> None:
    reports = doctor()
    assert len(reports) == 4
    for report in reports.values():
        assert report["healthy"], report
        assert "backends" in [one["check"] for one in report["checks"]]


@pytest.mark.usefixtures("cluster")
def test_ray_serve_answers_by_the_protocol(tmp_path: Path) -> None:
    serve: Any = pytest.importorskip("ray.serve", reason="ray[serve] is not installed")
    import httpx

    model = gatherer(tmp_path / "gather.onnx")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    serve.start(http_options={"host": "127.0.0.1", "port": port})
    serve.run(deployment(model, num_replicas=2, ray_actor_options={"num_cpus": 0.5}))
    request = {"name": "x", "shape": [1, 2], "datatype": "INT64", "data": [2, 0]}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
        assert client.get("/v2/health/ready").status_code == 200
        answer = client.post("/v2/models/gather/infer", json={"inputs": [request]}).json()
        assert answer["outputs"][0]["data"] == [30.0, 10.0]
        wrong = client.post("/v2/models/gather/infer", content=b"{")
        assert (wrong.status_code, list(wrong.json())) == (400, ["error"])
    serve.shutdown()
