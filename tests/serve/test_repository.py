# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Models of a folder: versions, files that change by rename, load and unload; the configuration."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py
from armnn_py.errors import InvalidArgumentError
from armnn_py.frontends.registry import FRONTENDS

from .serving import Client, Serving, adder, rows

armnn_serve = pytest.importorskip("armnn_py.serve")

from armnn_py.serve.versions import files_of  # noqa: E402

TENSOR = {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1, 4, 9, 16]}


def output(client: Client, model: str) -> list[float]:
    answer = client.infer(model, {"inputs": [TENSOR]})
    assert answer.status_code == 200, answer.text
    data: list[float] = answer.json()["outputs"][0]["data"]
    return data


def index(client: Client) -> dict[tuple[str, str], tuple[str, str]]:
    answer = client.post("/v2/repository/index").json()
    return {(one["name"], one["version"]): (one["state"], one["reason"]) for one in answer}


def until(condition: Callable[[], Any]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_versions(serving: Serving, tmp_path: Path) -> None:
    for version, operator in (("2", "Neg"), ("10", "Sqrt")):
        (tmp_path / "m" / version).mkdir(parents=True)
        rows(tmp_path / "m" / version / "model.onnx", operator)
    (tmp_path / "m" / "draft").mkdir()
    rows(tmp_path / "m" / "draft" / "model.onnx")
    with serving(folder=str(tmp_path)) as client:
        assert client.get("/v2/models/m").json()["versions"] == ["2", "10"]
        assert output(client, "m") == [1, 2, 3, 4]
        assert output(client, "m/versions/2") == [-1, -4, -9, -16]
        answer = client.infer("m", {"inputs": [TENSOR]}).json()
        assert answer["model_version"] == "10"
        assert client.get("/v2/models/m/versions/3/ready").status_code == 404


def test_every_suffix_of_a_model_format_is_found(tmp_path: Path) -> None:
    suffixes = {suffix for one in FRONTENDS for suffix in one.suffixes}
    assert {".onnx", ".tflite", ".lite"} <= suffixes
    for suffix in (*suffixes, ".armnnpy", ".txt"):
        (tmp_path / f"m{suffix}").touch()
    found = {path.suffix for _, _, path in files_of(str(tmp_path))}
    assert found == {*suffixes, ".armnnpy"}


def test_saved_networks_of_a_folder(serving: Serving, tmp_path: Path) -> None:
    network = armnn_py.import_model(adder(tmp_path / "adder.onnx"))
    (tmp_path / "models").mkdir()
    with armnn_py.Runtime() as runtime:
        optimized = armnn_py.optimize(network, ["CpuRef"], runtime=runtime)
        optimized.save(tmp_path / "models" / "saved.armnnpy")
    with serving(folder=str(tmp_path / "models")) as client:
        assert index(client) == {("saved", "1"): ("READY", "")}


def test_files_that_change_by_rename(serving: Serving, tmp_path: Path) -> None:
    folder, aside = tmp_path / "models", tmp_path / "aside"
    folder.mkdir()
    aside.mkdir()
    rows(folder / "a.onnx")
    with serving(folder=str(folder), poll_seconds=0.02) as client:
        assert output(client, "a") == [-1, -4, -9, -16]
        rows(aside / "a.onnx", "Sqrt").replace(folder / "a.onnx")
        until(lambda: output(client, "a") == [1, 2, 3, 4])
        rows(aside / "b.onnx").replace(folder / "b.onnx")
        until(lambda: ("b", "1") in index(client) and index(client)["b", "1"][0] == "READY")
        (aside / "a.onnx").write_bytes(b"no model")
        (aside / "a.onnx").replace(folder / "a.onnx")
        (folder / "b.onnx").unlink()
        until(lambda: ("b", "1") not in index(client))
        assert client.get("/v2/models/b/ready").status_code == 404
        assert output(client, "a") == [1, 2, 3, 4]  # the old one stays


def test_a_file_that_gets_the_inode_of_the_one_it_replaces(tmp_path: Path) -> None:
    """Two renames between two reads of the folder: the file system may use the number again."""
    from armnn_py.serve.repository import Repository

    folder = tmp_path / "models"
    folder.mkdir()
    path = rows(folder / "a.onnx")

    async def work() -> list[list[float]]:
        repository = Repository(armnn_serve.Settings(folder=str(folder), poll_seconds=0))
        repository.load_all()
        async with repository.running():
            first = path.stat().st_ino
            rows(tmp_path / "a.onnx", "Abs").replace(path)
            for number in range(50):
                new = rows(tmp_path / f"{number}.onnx", "Sqrt")
                if new.stat().st_ino == first:
                    break
            new.replace(path)
            await repository.reread()
            answer = await repository.find("a").infer({"x": np.float32([[1, 4, 9, 16]])})
            values: list[list[float]] = answer.outputs["y"].tolist()
            return values

    assert asyncio.run(work()) == [[1, 2, 3, 4]]


def test_several_workers_refuse_load_and_unload(serving: Serving, tmp_path: Path) -> None:
    with serving(rows(tmp_path / "a.onnx"), shares_ports=True) as client:
        assert "model_repository" not in client.get("/v2").json()["extensions"]
        for what in ("load", "unload"):
            answer = client.post(f"/v2/repository/models/a/{what}")
            assert answer.status_code == 501
            assert "one of several workers" in answer.json()["error"]
        assert output(client, "a") == [-1, -4, -9, -16]


@pytest.mark.parametrize("what", ["load", "unload"])
def test_a_request_that_is_still_arriving_keeps_its_model(
    serving: Serving, tmp_path: Path, what: str
) -> None:
    with serving(rows(tmp_path / "a.onnx")) as client:
        raw = json.dumps({"inputs": [TENSOR]}).encode()
        head = f"POST /v2/models/a/infer HTTP/1.1\r\nHost: x\r\nContent-Length: {len(raw)}"
        with socket.create_connection((client.base_url.host, client.base_url.port)) as slow:
            slow.settimeout(60)
            slow.sendall(head.encode() + b"\r\nExpect: 100-continue\r\n\r\n")
            assert b" 100 " in slow.recv(4096)  # the server has found the model
            assert client.post(f"/v2/repository/models/a/{what}").status_code == 200
            slow.sendall(raw)
            assert b" 200 " in slow.recv(4096).split(b"\r\n")[0]


def test_load_and_unload(serving: Serving, tmp_path: Path) -> None:
    rows(tmp_path / "a.onnx")
    with serving(folder=str(tmp_path), poll_seconds=0) as client:
        assert client.post("/v2/repository/models/a/unload").status_code == 200
        assert index(client) == {("a", "1"): ("UNAVAILABLE", "unloaded")}
        assert client.post("/v2/repository/index", json={"ready": True}).json() == []
        assert client.get("/v2/models/a/ready").status_code == 503
        assert client.refusal("a", {"inputs": [TENSOR]}, 404) == "model 'a' is not loaded"
        assert client.get("/v2/health/ready").status_code == 200
        rows(tmp_path / "b.onnx", "Sqrt")
        for name in ("a", "b"):
            assert client.post(f"/v2/repository/models/{name}/load").status_code == 200
        assert output(client, "a") == [-1, -4, -9, -16]
        assert output(client, "b") == [1, 2, 3, 4]
        (tmp_path / "b.onnx").write_bytes(b"no model")
        answer = client.post("/v2/repository/models/b/load")
        assert answer.status_code == 503
        assert "model 'b'" in answer.json()["error"]
        assert output(client, "b") == [1, 2, 3, 4]
        for path in ("models/c/load", "models/c/unload"):
            assert client.post(f"/v2/repository/{path}").status_code == 404
        assert client.post("/v2/repository/index", content=b"[").status_code == 400


def test_a_configuration(serving: Serving, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    rows(tmp_path / "models" / "r.onnx")
    adder(tmp_path / "one.onnx")
    text = """
    folder = "models"
    port = 0
    [defaults]
    max_queue = 7
    [models.r]
    max_batch = 8
    backends = ["CpuRef"]
    [models.sum]
    path = "one.onnx"
    """
    (tmp_path / "server.toml").write_text(text, encoding="utf-8")
    settings = armnn_serve.read_settings(tmp_path / "server.toml")
    assert settings.models["r"].max_batch == 8
    assert settings.defaults.max_queue == 7
    assert Path(settings.models["sum"].path) == tmp_path / "one.onnx"
    with serving(folder=settings.folder, models=settings.models) as client:
        assert output(client, "r") == [-1, -4, -9, -16]
        assert client.get("/v2/models/sum/ready").status_code == 200


@pytest.mark.parametrize(
    "text", ["nope = 1", "[models.a]\nmax_batch = 0", "port = 70000", "port =", "[models]\na = 1"]
)
def test_configurations_that_are_wrong(tmp_path: Path, text: str) -> None:
    (tmp_path / "server.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidArgumentError, match="not a configuration of the server"):
        armnn_serve.read_settings(tmp_path / "server.toml")


def test_unservable_models(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        armnn_serve.read_settings(tmp_path / "none.toml")
    with pytest.raises(InvalidArgumentError, match=r"'gone\.onnx' is not a file"):
        armnn_serve.application("gone.onnx")
    with pytest.raises(InvalidArgumentError, match="is not a folder"):
        armnn_serve.application(settings=armnn_serve.Settings(folder=str(tmp_path / "none")))
    for name in ("a", "b"):
        (tmp_path / "m" / "1").mkdir(parents=True, exist_ok=True)
        rows(tmp_path / "m" / "1" / f"{name}.onnx")
    with pytest.raises(InvalidArgumentError, match="has two files"):
        armnn_serve.application(settings=armnn_serve.Settings(folder=str(tmp_path)))
