# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Write ``docs/fault_injection.md``: what a program sees when a backend misbehaves.

Each fault in each place is a program of its own: it loads the backend, runs a network on it, and
closes everything. Needs a C compiler.

Usage::

    python scripts/generate_fault_table.py            # write the page; minutes
    python scripts/generate_fault_table.py --check    # exit 1 if the page says otherwise
    python scripts/generate_fault_table.py --sample   # compare one place of each fault
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, NamedTuple

from generated_page import ROOT, write_or_check

__all__ = ["FAULTS", "PLACES", "RUNTIMES", "FaultTable", "Place"]

PAGE = ROOT / "docs" / "fault_injection.md"
FIXTURES = ROOT / "tests" / "fixtures"
INCLUDE = ROOT / "native" / "include"

#: Word of the fixtures -> what the backend does.
FAULTS = {
    "abort": "calls `abort`",
    "double_free": "frees memory twice",
    "segv": "reads unmapped memory",
    "trap": "runs an illegal instruction",
    "divide": "divides an integer by 0",
    "stack": "overflows the stack",
    "longjmp": "jumps to a wild address",
    "throw": "throws a C++ exception",
    "exit": "calls `exit(0)`",
    "_exit": "calls `_exit(0)`",
    "exec": "replaces the process with `exec`",
    "kill_group": "kills the process group",
    "hang": "waits for ever",
    "spin": "loops for ever",
    "fork": "forks, both copies return",
    "fork_hang": "forks, the copy waits",
    "close": "closes all descriptors",
    "round": "changes the rounding mode",
    "folder": "changes the working folder",
    "locale": "changes the locale",
    "mask": "blocks all signals",
    "ignore_interrupt": "ignores SIGINT",
}


class Place(NamedTuple):
    """A call of a backend: its name on the page, the fixture that has it, its word there."""

    shown: str
    source: str
    site: str
    is_probed: bool = False


_FIRST, _MEMORY = "deed_backend.c", "deed_memory_backend.c"
PLACES = (
    Place("`create`, probed", _FIRST, "create", is_probed=True),
    Place("`create`, not probed", _FIRST, "create"),
    Place("`create_workload`", _FIRST, "create_workload"),
    Place("`execute`", _FIRST, "execute"),
    Place("`execute`, in `parallel_for`", _FIRST, "body"),
    Place("`copy_in_from`", _MEMORY, "copy_in"),
    Place("`before_run`", _MEMORY, "before_run"),
    Place("`destroy`", _FIRST, "late_destroy"),
)
#: Heading of a table -> arguments of `Runtime`; of ``isolate`` those of `Isolation`.
RUNTIMES: dict[str, dict[str, Any]] = {
    "In the program's process": {},
    "In a worker": {"isolate": {"Deed": {"deadline": 1.0, "patience": 5.0, "restarts": 0}}},
}

_HEAD = """\
# Fault injection

This page shows what a program sees when a backend misbehaves in a call. A run of
`python scripts/generate_fault_table.py` makes it: each cell is a program that loads the backend,
runs a network and closes everything.

- *refused*: the [probe](finding_backends.md#files-are-probed-first) found the fault. The program
  goes on without the backend, and the load report has the reason.
- *signal N, reported*: the program ends by the signal. One line on standard error names the call,
  the layer, the backend and its file.
- *signal N*, *ends with 0*: the program ends, and nothing says why.
- *hangs*: the call does not return.
- *fails*: Python meets the closed descriptors and ends with an error.
- *goes on*: the run has the right result. *goes on twice*: in both copies of the process.
- *other backend*: the run has the right result, which another backend computed. *no worker*: the
  worker did not load the backend, and the load report has the reason. In both, the event or the
  load report names the signal, the exit code, the limit or the closed connection; the script
  compares that with the fault.
- *restored*, *stays*: the run has the right result, and the changed state is as before, or not.
"""

_TAIL = """\
A thread that a backend leaves runs on: a library stays mapped unless its backend declares
`ARMNN_BACKEND_UNLOADABLE`. Such a thread ends the program when the promise was false.
[Security](security.md) says what of this page is promised.
"""

#: What the event of a worker that ends says, or the verdict on one that does not start.
_REASONS = {
    "abort": "SIGABRT",
    "double_free": "SIGABRT",
    "segv": "SIGSEGV",
    "trap": "SIGILL",
    "divide": "SIGFPE",
    "stack": "SIGSEGV",
    "longjmp": "SIGSEGV",
    "throw": "SIGABRT",
    "exit": "exit code 0",
    "_exit": "exit code 0",
    "exec": "exit code 0",
    "kill_group": "SIGKILL",
    "hang": "no answer|passed the deadline",
    "spin": "no answer|passed the deadline",
    "close": "exit code 1|closed its connection",
}
_STATE = {"round", "folder", "locale", "mask", "ignore_interrupt"}
_UNENDING = {"hang", "spin"}
_HANG_SECONDS = 8  # after which a program counts as hanging
_MOST_SECONDS = 300  # for a program that ends, on a busy machine
_COPY_SECONDS = 20  # for the second copy of a program to end

_PROGRAM = """
import ctypes, json, locale, os, signal, sys, time
import numpy as np
import armnn_py as ann

signal.signal(signal.SIGINT, signal.default_int_handler)
locale.setlocale(locale.LC_ALL, "C.UTF-8")

def state():
    ignored = next(line for line in open("/proc/self/status") if line.startswith("SigIgn"))
    return {
        "round": ctypes.CDLL("libm.so.6").fegetround(),
        "folder": os.getcwd(),
        "locale": locale.setlocale(locale.LC_ALL),
        "mask": sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))),
        "ignore_interrupt": int(ignored.split()[1], 16) & 2,
    }

before = state()
given = json.loads(sys.argv[2])
if "isolate" in given:
    given["isolate"] = {name: ann.Isolation(**some) for name, some in given["isolate"].items()}
with ann.Runtime(sys.argv[1], **given) as runtime:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((64,)))
    made = network.add_elementwise_unary(x, ann.UnaryOperation.ABS, name="middle")
    network.add_output("y", made)
    backends = [name for name in ("Deed", "CpuRef") if name in runtime.backends]
    with ann.load(network, backends, runtime=runtime) as loaded:
        right = bool((loaded.run(np.full(64, -1, np.float32))["y"] == 1).all())
        other = "Deed" not in loaded.assignment.counts or loaded.last_run.degraded
        end = time.monotonic() + 20
        while "isolate" in given and other and not runtime.events and backends[0] == "Deed":
            assert time.monotonic() < end, "no event"
            time.sleep(0.01)
        told = [one.reason for one in runtime.load_report if one.id == "Deed" and one.reason]
        told += [f"{one.kind}: {one.reason}" for one in runtime.events]
after = state()
changed = [name for name in before if before[name] != after[name]]
refused = "Deed" not in backends
result = {"right": right, "refused": refused, "other": other, "changed": changed, "told": told}
print(json.dumps(result))
"""


class FaultTable:
    """Runs programs with faults; ``folder`` gets the built backends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for source in (_FIRST, _MEMORY):
            (folder / source).mkdir()
            target = folder / source / "Test_Deed_backend.so"
            command = ["cc", "-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{INCLUDE}"]
            subprocess.run([*command, str(FIXTURES / source), "-o", str(target)], check=True)

    def cell(self, place: Place, fault: str, runtime: dict[str, Any]) -> str:
        """Return what became of a program, in a few words.

        Raises
        ------
        AssertionError
            It went on with a wrong result, or ended in a way that the page has no words for.
        """
        with (
            tempfile.TemporaryFile(dir=self._folder) as out,
            tempfile.TemporaryFile(dir=self._folder) as err,
            tempfile.TemporaryDirectory(dir=self._folder) as cache,
        ):
            probing = {} if place.is_probed else {"ARMNN_PY_PROBE_SECONDS": "0"}
            backends = str(self._folder / place.source)
            process = subprocess.Popen(
                [sys.executable, "-W", "ignore", "-c", _PROGRAM, backends, json.dumps(runtime)],
                env=os.environ
                | {"DEED_Deed": fault, "SITE_Deed": place.site, "XDG_CACHE_HOME": cache}
                | probing,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            is_isolated = "isolate" in runtime
            may_hang = not is_isolated and _may_hang(place, fault)
            seconds = _HANG_SECONDS if may_hang else _MOST_SECONDS
            try:
                code = process.wait(seconds)
                if fault == "fork" and not is_isolated:
                    _await_copy(out)
            except subprocess.TimeoutExpired:
                assert fault in _UNENDING, f"{place}, {fault}: no end"
                return "hangs"
            finally:
                with contextlib.suppress(ProcessLookupError):  # nothing is left of it
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            said, told = _text_of(out), _text_of(err)
            return _words(place, fault, code, said, told, is_isolated=is_isolated)


def _may_hang(place: Place, fault: str) -> bool:
    return fault in _UNENDING and not place.is_probed


def _text_of(stream: IO[bytes]) -> str:
    return os.pread(stream.fileno(), 1 << 20, 0).decode("utf-8", "replace")


def _await_copy(out: IO[bytes]) -> None:
    end = time.monotonic() + _COPY_SECONDS
    while _text_of(out).count("\n") < 2 and time.monotonic() < end:
        time.sleep(0.05)


def _words(place: Place, fault: str, code: int, said: str, told: str, *, is_isolated: bool) -> str:
    where = f"{place}, {fault}: status {code}, {said!r}, {told!r}"
    if code < 0:
        name = signal.Signals(-code).name
        is_reported = re.search(f"armnn_py: {name}( at 0x[0-9a-f]+)? in ", told) is not None
        return f"signal {-code}{', reported' if is_reported else ''}"
    if code != 0:
        assert fault == "close", where
        return "fails"
    if not said:
        return "ends with 0"
    try:
        first, *others = map(json.loads, said.splitlines())
    except json.JSONDecodeError as error:
        raise AssertionError(where) from error
    assert first["right"], where
    if is_isolated and first["other"]:
        assert re.search(_REASONS[fault], first["told"][0]), where
    if first["refused"]:
        return "no worker" if is_isolated else "refused"
    if first["other"]:
        return "other backend"
    if fault in _STATE:
        return "stays" if fault in first["changed"] else "restored"
    return "goes on twice" if others else "goes on"


def render(table: FaultTable) -> str:
    """Run all programs; return the page."""
    lines = [_HEAD]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for heading, runtime in RUNTIMES.items():
            lines += [f"## {heading}", ""]
            lines += [f"| the backend | {' | '.join(place.shown for place in PLACES)} |"]
            lines += [f"|---|{'---|' * len(PLACES)}"]
            jobs = {
                fault: [pool.submit(table.cell, place, fault, runtime) for place in PLACES]
                for fault in FAULTS
            }
            for fault, shown in FAULTS.items():
                cells = [job.result() for job in jobs[fault]]
                lines.append(f"| {shown} | {' | '.join(cells)} |")
            lines.append("")
    return "\n".join([*lines, _TAIL])


def compare_some(table: FaultTable) -> int:
    """Compare one place of each fault with the page; return the exit code."""
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text("utf-8").splitlines()]
    wrong = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = []
        for number, (fault, shown) in enumerate(FAULTS.items()):
            column = number % len(PLACES)
            pages = [row[1 + column] for row in rows if row[0] == shown]
            for (heading, runtime), told in zip(RUNTIMES.items(), pages, strict=True):
                where = f"{heading}, {shown}, {PLACES[column].shown}"
                jobs.append((where, told, pool.submit(table.cell, PLACES[column], fault, runtime)))
        for where, told, job in jobs:
            if job.result() != told:
                print(f"{where}: {job.result()}, the page says {told}")
                wrong = 1
    return wrong


def main() -> int:
    """Write or check the page."""
    os.environ["ARMNN_PY_NO_ENTRY_POINTS"] = "1"
    with tempfile.TemporaryDirectory() as work:
        table = FaultTable(Path(work))
        if sys.argv[1:] == ["--sample"]:
            return compare_some(table)
        return write_or_check(PAGE, render(table), __file__, None)


if __name__ == "__main__":
    sys.exit(main())
