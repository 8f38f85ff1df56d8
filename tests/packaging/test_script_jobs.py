# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Scripts that start jobs in the background take them along when they end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builds import REPOSITORY

SCRIPTS = REPOSITORY / "scripts"
#: Notes its number, and that of what it has started, and ends far too late.
ENDLESS = "sleep 50 & echo $$ $! >>{noted}; wait"

pytestmark = pytest.mark.skipif(not SCRIPTS.exists(), reason="the scripts are not here")


def make_program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def is_running(number: str) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{number}/status").read_text()
    except OSError:
        return False


def check_that_jobs_end(
    script: str, folder: Path, programs: Path, noted: Path, count: int, by: signal.Signals
) -> None:
    """Start a script, end it when ``count`` jobs run, and look for them."""
    environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "CC": "true"}
    environment["PYTHON"] = str(programs / "python")
    arguments = ["60", "fuzz"] if script == "sanitize.sh" else []
    # A shell cannot trap what is ignored when it starts, as nohup has it.
    before = signal.signal(by, signal.SIG_DFL)
    with subprocess.Popen(
        ["sh", SCRIPTS / script, folder, *arguments],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            signal.signal(by, before)
            wait_until(
                lambda: noted.exists() and noted.read_bytes().count(b"\n") >= count,
                "the jobs do not begin",
            )
            numbers = noted.read_text().split()
            assert all(map(is_running, numbers))
            process.send_signal(by)
            told = process.communicate(timeout=20)[0].decode()
            assert process.returncode == 128 + by, told
            assert "FAILED" not in told
            wait_until(lambda: not any(map(is_running, numbers)), "jobs go on")
        finally:
            for number in noted.read_text().split() if noted.exists() else ():
                if is_running(number):
                    os.kill(int(number), signal.SIGKILL)


@pytest.mark.parametrize("by", [signal.SIGHUP, signal.SIGTERM])
def test_the_hour_of_sanitizers(tmp_path: Path, by: signal.Signals) -> None:
    work, noted = tmp_path / "work", tmp_path / "noted"
    make_program(tmp_path / "bin" / "python", ENDLESS.format(noted=noted))
    make_program(work / "address" / "test_plan_fuzz", ENDLESS.format(noted=noted))
    check_that_jobs_end("sanitize.sh", work, tmp_path / "bin", noted, 4, by)


def test_operators_on_neon(tmp_path: Path) -> None:
    work, noted = tmp_path / "work", tmp_path / "noted"
    for name in ("aarch64-linux-gnu-gcc", "apt-get", "dpkg-deb", "cmake", "ninja"):
        make_program(tmp_path / "bin" / name, "exit 0")
    make_program(tmp_path / "bin" / "nproc", "echo 2")
    make_program(tmp_path / "bin" / "qemu-aarch64", ENDLESS.format(noted=noted))
    make_program(work / "root" / "usr" / "bin" / "python3", "exit 1")
    (work / "site" / "msgspec").mkdir(parents=True)
    check_that_jobs_end("test_neon.sh", work, tmp_path / "bin", noted, 2, signal.SIGTERM)


def test_no_message_about_ended_jobs(tmp_path: Path) -> None:
    script = tmp_path / "script.sh"
    script.write_text(f'set -eu\n. "{SCRIPTS}/jobs.sh"\nsleep 0.01 &\nwait\necho done\nexit 3\n')
    sh = shutil.which("sh")
    assert sh is not None
    done = subprocess.run([sh, script], capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "done\n", "")
