# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Progress on a terminal: there while something takes long, gone afterwards, nowhere else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from .conftest import DEMO

HIDE, SHOW, ERASE = b"\x1b[?25l", b"\x1b[?25h", b"\x1b[2K"


class Call:
    """A Python program whose standard error is a terminal."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        ours, theirs = os.openpty()
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", **variables}
        self.process = subprocess.Popen(
            [sys.executable, *arguments], stdout=subprocess.PIPE, stderr=theirs, env=environment
        )
        os.close(theirs)
        self.terminal = ours
        self.shown = b""

    def read(self, until: bytes | None = None) -> None:
        """Take what is shown until some text, or the end."""
        end = time.monotonic() + 120
        while (until is None or until not in self.shown) and time.monotonic() < end:
            try:
                self.shown += os.read(self.terminal, 4096)
            except OSError:  # its other end is closed
                return

    def finish(self) -> tuple[int, bytes]:
        self.read()
        os.close(self.terminal)
        out, _ = self.process.communicate(timeout=120)
        return self.process.returncode, out


BENCH = ("-m", "armnn_py", "bench", str(DEMO), "-b", "CpuRef", "--seconds", "1.5")


def test_a_bar_is_shown_while_bench_runs_and_gone_before_its_answer() -> None:
    call = Call(*BENCH)
    code, out = call.finish()
    assert code == 0
    assert b"running digits.onnx" in call.shown
    assert b" %" in call.shown
    assert call.shown.count(HIDE) == call.shown.count(SHOW) > 0
    # The line that was last drawn is erased, and nothing comes after that.
    assert call.shown.rindex(ERASE) > call.shown.rindex(b"running digits.onnx")
    assert out.startswith(b"metric")
    assert b"\x1b" not in out


SLOW = """
import time
from armnn_py.cli.progress import shown_progress
with shown_progress("running m.onnx", 1, color="never") as bar:
    print("begun", flush=True)
    time.sleep(60)
"""


def test_a_bar_is_shown_before_the_first_run_is_over() -> None:
    call = Call("-c", SLOW)
    call.read(until=b"0 %")
    assert b"running m.onnx" in call.shown
    assert call.process.poll() is None
    call.process.send_signal(signal.SIGINT)
    call.finish()
    assert call.shown.count(HIDE) == call.shown.count(SHOW) > 0


@pytest.mark.parametrize(
    ("more", "variables"),
    [
        pytest.param(["--json"], {}, id="json"),
        pytest.param(["-q"], {}, id="quiet"),
        pytest.param([], {"TERM": "dumb"}, id="dumb terminal"),
    ],
)
def test_no_progress_where_none_is_wanted(more: list[str], variables: dict[str, str]) -> None:
    call = Call(*BENCH, *more, **variables)
    assert call.finish()[0] == 0
    assert call.shown == b""


def test_ctrl_c_leaves_the_terminal_as_it_was() -> None:
    call = Call(*BENCH[:-1], "100")
    call.read(until=b"running digits.onnx")
    call.process.send_signal(signal.SIGINT)
    code, out = call.finish()
    assert (code, out) == (130, b"")
    assert call.shown.endswith(b"error: interrupted\r\n")
    assert call.shown.count(HIDE) == call.shown.count(SHOW)


def test_a_spinner_is_shown_while_something_loads() -> None:
    program = (
        "import sys, time\n"
        "from armnn_py.cli import app\n"
        "with app.Session().progress('loading \\x1b[31mx'):\n"
        "    time.sleep(1.5)\n"
        "print('done', file=sys.stderr)\n"
    )
    call = Call("-c", program)
    assert call.finish()[0] == 0
    assert b"loading \\x1b[31mx" in call.shown
    assert call.shown.endswith(b"done\r\n")
    assert call.shown.count(HIDE) == call.shown.count(SHOW) == 1
