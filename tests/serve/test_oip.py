# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The suite in ``oip/`` passes on our server: all its checks, on a model of each data type."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .serving import running

SUITE = Path(__file__).parents[2] / "oip"


@pytest.mark.parametrize("max_batch", [1, 8])
def test_our_server_passes_the_suite(tmp_path: Path, max_batch: int) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")  # not that of the repository
    environment = {
        **os.environ,
        "PYTHONPATH": str(SUITE),
        "PYTEST_ADDOPTS": "",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }

    def program(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", *map(str, arguments)]
        return subprocess.run(
            command,
            check=False,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
        )

    written = program("oip_conformance.models", tmp_path)
    models = [Path(line) for line in written.stdout.splitlines()]
    assert len(models) == 16, written.stderr
    from armnn_py.serve import ModelSettings, Settings
    from armnn_py.serve.app import application_of, with_models
    from armnn_py.serve.repository import Repository

    settings = Settings(defaults=ModelSettings(max_batch=max_batch), grpc_port=0)
    repository = Repository(with_models(settings, tuple(models)))
    with running(application_of(repository)) as address:
        done = program(
            "pytest", "-q", "-rfs", "--tb=short", "-p", "no:cacheprovider",
            "-p", "oip_conformance.plugin", "-c", "pytest.ini",
            "--oip", address, "--oip-grpc", f"127.0.0.1:{repository.grpc_port}",
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert "binary tensor extension" not in done.stdout  # none of its checks is skipped
    assert "is not installed" not in done.stdout  # nor any of gRPC
