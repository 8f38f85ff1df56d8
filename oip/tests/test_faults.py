# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The suite passes on a right server, and finds each fault that is planted in it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("httpx", reason="the suite's client, httpx, is not installed")
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from oip_conformance.plugin import CHECKS  # noqa: E402
from oip_conformance.reference import FAULTS, make_server  # noqa: E402

try:
    from oip_conformance.reference_rpc import RPC_FAULTS, make_rpc_server
except ModuleNotFoundError as error:  # the extra `grpc` of the suite
    if error.name not in ("grpc", "open_inference"):
        raise
    RPC_FAULTS = {}

NO_OTHERS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # plugins that happen to be installed
ONE_MODEL = ["--oip-model", "oip_add_fp32", "--oip-model", "oip_identity_int64"]


@contextmanager
def serving(fault: str = "") -> Iterator[str]:
    server = make_server(fault=fault)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def serving_rpc(fault: str = "") -> Iterator[str]:
    server, port = make_rpc_server(fault)
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


def run_suite(url: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-rfs", "-p", "no:cacheprovider"]
    (folder / "pytest.ini").write_text("[pytest]\n")  # not that of the repository
    command += [
        "-c",
        str(folder / "pytest.ini"),
        "-p",
        "oip_conformance.plugin",
        "--oip",
        url,
        *arguments,
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": "", **NO_OTHERS}
    return subprocess.run(
        command,
        check=False,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_right_server_passes_each_check(tmp_path: Path) -> None:
    with serving() as url:
        done = run_suite(url, folder=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "failed" not in done.stdout.splitlines()[-1]
    assert "the gRPC side is not checked without --oip-grpc" in done.stdout


def test_a_right_server_passes_each_check_over_grpc(tmp_path: Path) -> None:
    if not RPC_FAULTS:
        pytest.skip("grpcio and open-inference-grpc are not installed")
    checks = str(CHECKS / "test_grpc.py")
    with serving() as url, serving_rpc() as address:
        done = run_suite(url, "--oip-grpc", address, checks, folder=tmp_path)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout.splitlines()[-1]


def is_found(check: str, url: str, *arguments: str, folder: Path) -> None:
    """The check named ``FILE::NAME[ID`` fails, and shows what it checks."""
    file, _, check = check.partition("::")
    name = check.partition("[")[0]
    done = run_suite(url, *arguments, *ONE_MODEL, str(CHECKS / file), "-k", name, folder=folder)
    assert done.returncode == 1, done.stdout + done.stderr
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert any(f"::{check}" in line for line in failed), done.stdout
    assert "protocol" in done.stdout  # the docstring of the check, with the section


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, tmp_path: Path) -> None:
    with serving(fault) as url:
        is_found(FAULTS[fault], url, folder=tmp_path)


@pytest.mark.parametrize("fault", RPC_FAULTS)
def test_a_fault_planted_in_grpc_is_found(fault: str, tmp_path: Path) -> None:
    with serving() as url, serving_rpc(fault) as address:
        is_found(RPC_FAULTS[fault], url, "--oip-grpc", address, folder=tmp_path)


def test_without_a_server_the_options_say_what_lacks(tmp_path: Path) -> None:
    done = run_suite("http://127.0.0.1:9", folder=tmp_path)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: --oip http://127.0.0.1:9: " in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
