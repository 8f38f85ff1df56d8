# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend that does not answer: a line says which call, and the third Ctrl-C ends the program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .test_last_words import MEMORY_SITES, PROGRAM, SITES

pytestmark = pytest.mark.alone  # it counts seconds

#: A program that a script began in the background ignores Ctrl-C.
HEEDING = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
#: Where a backend hangs -> what is said of the call.
HANGING = {
    "constructor": "step 'open' of loading",
    "create": "step 'create' of loading",
    "support": "get_layer_support, backend 'Deed'",
    "create_workload": SITES["create_workload"],
    "execute": SITES["execute"],
    "destroy": SITES["destroy"],
    "destructor": SITES["destructor"],
}
MEMORY_HANGING = {
    name: MEMORY_SITES[name] for name in ("create_data", "reset_data", "destroy_data")
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]) -> Path:
    made = tmp_path_factory.mktemp("hangs")
    build_backend("deed_backend.c", made / "Test_Deed_backend.so")
    return made


def start(
    folder: Path, site: str, *, program: str = PROGRAM, **variables: str
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", HEEDING + program, str(folder)],
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        | {"ARMNN_PY_PROBE_SECONDS": "0", "ARMNN_PY_WATCHDOG_SECONDS": "0.2"}
        | {"DEED_Deed": "hang" if site else "", "SITE_Deed": site}
        | variables,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("site", MEMORY_HANGING)
def test_calls_beside_runs(tmp_path: Path, build_backend: Callable[..., None], site: str) -> None:
    build_backend("deed_memory_backend.c", tmp_path / "Test_Deed_backend.so")
    program = PROGRAM.replace('"reset" in sys.argv', "True")
    with start(tmp_path, site, program=program) as process:
        assert process.stderr is not None
        try:
            first = process.stderr.readline()
            assert first.startswith("armnn_py: no answer for ")
            assert MEMORY_HANGING[site] in first
            assert str(tmp_path) in first
        finally:
            process.kill()


@pytest.mark.parametrize("site", HANGING)
def test_it_is_told_and_the_third_interrupt_ends_it(folder: Path, site: str) -> None:
    with start(folder, site) as process:
        assert process.stderr is not None
        try:
            first = process.stderr.readline()
            assert first.startswith("armnn_py: no answer for ")
            assert HANGING[site] in first
            assert str(folder) in first
            assert "the third Ctrl-C ends the program" in process.stderr.readline()
            for _ in range(3):
                assert process.poll() is None
                process.send_signal(signal.SIGINT)
                # Signals of one number that wait are one.
                time.sleep(0.3)
            assert process.wait(20) == 130
            last = process.stderr.read().splitlines()[-1]
            assert last.startswith("armnn_py: ended by Ctrl-C: no answer from ")
            assert HANGING[site] in last
        finally:
            process.kill()


@pytest.mark.parametrize("site", ["constructor", "create", "execute"])
def test_a_call_that_ignores_interrupts_is_ended_too(folder: Path, site: str) -> None:
    with start(folder, site, DEED_Deed="ignore_and_hang") as process:
        assert process.stderr is not None
        try:
            assert HANGING[site] in process.stderr.readline()
            time.sleep(0.3)
            for _ in range(3):
                process.send_signal(signal.SIGINT)
                time.sleep(0.3)
            assert process.wait(20) == 130
            last = process.stderr.read().splitlines()[-1]
            assert last.startswith("armnn_py: ended by Ctrl-C: no answer from ")
        finally:
            process.kill()


FORKING = """
import os, signal, sys
import armnn_py as ann
with ann.Runtime(sys.argv[1]) as runtime:
    shared = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(shared)
    child = os.fork()
    if child == 0:
        os._exit(0 if shared != -1 and signal.set_wakeup_fd(-1) == -1 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert signal.set_wakeup_fd(-1) == shared
print("done")
"""


def test_a_forked_child_tells_its_signals_to_nobody_else(folder: Path) -> None:
    with start(folder, "", program=FORKING) as process:
        assert process.communicate(timeout=60) == ("done\n", "")


def test_lines_come_ever_less_often(folder: Path) -> None:
    with start(folder, "execute") as process:
        assert process.stderr is not None
        try:
            lines = [process.stderr.readline() for _ in range(6)]
        finally:
            process.kill()
    assert len([line for line in lines if line.startswith("armnn_py: no answer for ")]) == 3


def test_a_good_backend_is_not_told_of(folder: Path) -> None:
    with start(folder, "") as process:
        assert process.communicate(timeout=60) == ("done\n", "")


def test_it_can_be_switched_off(folder: Path) -> None:
    with start(folder, "execute", ARMNN_PY_WATCHDOG_SECONDS="0") as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(2.5)
        process.kill()
        assert process.communicate()[1] == ""
