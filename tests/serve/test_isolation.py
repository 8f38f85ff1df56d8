# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend in a process of its own dies under the server: no request is lost."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

import armnn_py

from .serving import Client, rows, running

pytestmark = pytest.mark.alone


def test_a_killed_worker_costs_no_request(tmp_path: Path) -> None:
    from armnn_py.serve import ModelSettings, Settings, application

    model = rows(tmp_path / "rows.onnx")
    both = ModelSettings(backends=("CpuAcc", "CpuRef"))
    with armnn_py.Runtime(isolate=["CpuAcc"]) as runtime:
        app = application(model, settings=Settings(defaults=both), runtime=runtime)
        with running(app) as address, Client(base_url=address, timeout=60) as client:

            def ask(step: int) -> None:
                data = np.full((1, 4), step, np.float32)
                tensor = {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": data.tolist()}
                answer = client.infer("rows", {"inputs": [tensor]})
                assert answer.status_code == 200, answer.text
                assert answer.json()["outputs"][0]["data"] == (-data).ravel().tolist()

            for step in range(5):
                ask(step)
            os.kill(runtime.isolated["CpuAcc"].process_id, signal.SIGKILL)
            end = time.monotonic() + 60
            ended = 'armnn_worker_events_total{backend="CpuAcc",kind="ended"} 1.0'
            while ended not in client.get("/metrics").text.splitlines():
                ask(5)
                assert time.monotonic() < end
            ask(6)
            assert 'armnn_run_seconds_count{backends="CpuAcc",' in client.get("/metrics").text
