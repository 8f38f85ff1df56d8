# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Is every run answered rightly while the worker of its backend ends again and again?

    python scripts/soak_workers.py [--ends 1000] [--seconds 600]

Four threads run a network on an isolated backend, whose worker is killed, crashes, is stopped, runs
out of memory, calls exit or hangs. Afterwards: no wrong answer, no failed run, and as many
processes, descriptors, threads and shared mappings as before. Then a host is killed, and no worker
may be left after one second. Exit code 1 otherwise. Needs a C compiler.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import armnn_py as ann
from armnn_py.isolation import supervisor

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))
from common import REPOSITORY, compile_backend

#: How workers end: by a signal from outside, or by what the backend does in its first run.
KINDS: tuple[signal.Signals | str, ...] = (
    signal.SIGKILL, "segv", signal.SIGSTOP, "memory", "exit", "hang", signal.SIGTERM, "abort",
)  # fmt: skip
#: Variables of the backend: what it does, and where.
DEED, SITE = "DEED_Deed", "SITE_Deed"
_PATIENCE = 60.0


def network() -> ann.Network:
    """Return a network of one layer that the backend takes."""
    made = ann.Network("soak")
    x = made.add_input("x", ann.TensorInfo((64,)))
    made.add_output("y", made.add_elementwise_unary(x, ann.UnaryOperation.ABS))
    return made


def children() -> set[int]:
    """Return the numbers of the processes that this one started and that are not gone."""
    found = set()
    for task in Path("/proc/self/task").iterdir():
        found |= set(map(int, (task / "children").read_text().split()))
    return found


def state() -> tuple[int, int, int, int]:
    """Return how many processes, descriptors, threads and shared mappings there are."""
    gc.collect()
    return (
        len(children()),
        len(list(Path("/proc/self/fd").iterdir())),
        len(list(Path("/proc/self/task").iterdir())),
        Path("/proc/self/maps").read_text().count("/memfd:armnn_py"),
    )


class Ends:
    """Lets worker after worker end, each in another way, as often as it is told.

    A worker has the environment of this process when it starts; `note` is called before that.
    """

    def __init__(self, count: int) -> None:
        self.count, self.done = count, 0
        self._prepare()

    @property
    def kind(self) -> signal.Signals | str:
        """How the worker that runs ends."""
        return KINDS[self.done % len(KINDS)]

    def _prepare(self) -> None:
        is_deed = self.done < self.count and isinstance(self.kind, str)
        os.environ[DEED] = str(self.kind) if is_deed else ""

    def note(self, event: ann.WorkerEvent) -> None:
        """Take note of an event."""
        if event.kind == "ended":
            self.done += 1
            self._prepare()

    def bring_about(self, process: int) -> None:
        """End the worker, if it does not do so itself."""
        if not isinstance(self.kind, str):
            os.kill(process, self.kind)


def end_workers(folder: str, count: int, seconds: float) -> list[str]:
    """End the worker that often under four threads of runs; return what went wrong.

    After so many ``seconds`` it is enough.
    """
    enough = time.monotonic() + seconds
    faults: list[str] = []
    stop = threading.Event()
    runs = [0] * 4
    limits = ann.Isolation(restarts=10 * count, deadline=0.25, patience=5.0, memory="256M")
    os.environ[SITE] = "execute"
    supervisor.QUICK_SECONDS = 0.0  # no pause before the next one
    ends = Ends(count)
    with ann.Runtime(folder, isolate={"Deed": limits}) as runtime:
        runtime.events.subscribe(ends.note)
        loaded = ann.load(network(), ["Deed", "CpuRef"], runtime=runtime)

        def work(number: int) -> None:
            given = np.full(64, -number, np.float32)
            while not stop.is_set():
                try:
                    made = loaded.run(given)["y"]
                except ann.ArmnnError as error:
                    faults.append(f"a run failed: {error}")
                else:
                    if not (made == number).all():
                        faults.append(f"thread {number} got {made}")
                runs[number] += 1
                time.sleep(0.002)  # time for what ends and starts workers

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        seen = -1
        end = time.monotonic()
        while ends.done < count and not faults and time.monotonic() < enough:
            if seen != ends.done:
                seen, end = ends.done, time.monotonic() + _PATIENCE
            if loaded.health.status == "ready":
                with contextlib.suppress(ann.BackendError, ProcessLookupError):  # ended meanwhile
                    ends.bring_about(runtime.isolated["Deed"].process_id)
            if time.monotonic() > end:
                faults.append(f"no end by {ends.kind!r}, or no worker was started again")
            time.sleep(0.005)
        while loaded.health.status != "ready" and not faults:
            if time.monotonic() > end:
                faults.append("no worker was started again")
            time.sleep(0.005)
        stop.set()
        for thread in threads:
            thread.join()
        loaded.close()
    print(f"{ends.done} ends, {sum(runs)} runs, {len(faults)} faults", flush=True)
    return faults


def kill_host(folder: str) -> list[str]:
    """Kill a program with a worker; return what is left of it."""
    program = (
        "import sys, time, armnn_py as ann\n"
        "runtime = ann.Runtime(sys.argv[1], isolate=['Deed'])\n"
        "print(runtime.isolated['Deed'].process_id, flush=True)\n"
        "time.sleep(100)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, folder], stdout=subprocess.PIPE, text=True
    ) as host:
        assert host.stdout is not None
        worker = int(host.stdout.readline())
        host.kill()
    time.sleep(1.0)
    try:
        status = Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return []
    return [] if status == "Z" else [f"worker {worker} of a killed host is {status}"]


def main() -> int:
    """Print what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ends", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")  # noqa: PTH118
        source = REPOSITORY / "tests" / "fixtures" / "deed_backend.c"
        compile_backend(source, Path(folder) / "Test_Deed_backend.so")
        end_workers(folder, 1, _PATIENCE)  # what is imported and started once
        before = state()
        faults = end_workers(folder, given.ends, given.seconds)
        end = time.monotonic() + _PATIENCE
        while state() != before and time.monotonic() < end:
            time.sleep(0.1)
        if state() != before:
            what = "processes, descriptors, threads, shared mappings"
            faults.append(f"{what}: {before} before, {state()} after")
        faults += kill_host(folder)
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
