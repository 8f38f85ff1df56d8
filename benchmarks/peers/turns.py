# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Engines take short turns in random order, while a gauge says whether the machine is quiet.

The noise of a shared machine comes in phases of seconds to minutes: other processes, or two
virtual processors on one core. Turns are short against a phase, so that all engines meet the same
ones; turns during which the gauge read less than it should are left out for all alike.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


class WorkerError(Exception):
    """An engine did not load the model, or died.

    ``ours`` tells a fault of the benchmark from one of the engine.
    """

    def __init__(self, reason: str, *, ours: bool = False) -> None:
        super().__init__(reason)
        self.ours = ours


class Gauge:
    """Reads the machine's speed now.

    Parameters
    ----------
    program
        quiet.c, compiled.
    threads
        How many processors are wanted.
    peak
        GFLOP/s of one of them; a reading of 92 % counts as quiet.
    longest_trip
        Nanoseconds that a cache line may take between two processors and back; 0: any.
    """

    def __init__(self, program: Path, threads: int, peak: float, longest_trip: float) -> None:
        self.wanted = 0.92 * peak * threads
        self.longest_trip = longest_trip if threads > 1 else 0.0
        self.process = _start([str(program), str(threads)])

    def read(self) -> tuple[float, float]:
        """Return GFLOP/s of all threads together, and nanoseconds of a round trip."""
        speed, trip = _ask(self.process, "").split()
        return float(speed), float(trip)

    def is_quiet(self) -> bool:
        """Return whether a figure taken now would mean something."""
        speed, trip = self.read()
        return speed >= self.wanted and (not self.longest_trip or trip <= self.longest_trip)

    def wait(self, patience: float) -> float:
        """Wait until the machine is quiet; returns the seconds of patience that are left."""
        end = time.monotonic() + patience
        while not self.is_quiet() and time.monotonic() < end:
            time.sleep(0.05)
        return max(0.0, end - time.monotonic())

    def close(self) -> None:
        """End the program."""
        _stop(self.process)


class NoGauge:
    """Accept every moment, noisy or not: for runs beside deliberate load."""

    def is_quiet(self) -> bool:
        """Return True."""
        return True

    def wait(self, patience: float) -> float:
        """Return at once."""
        return patience

    def close(self) -> None:
        """Do nothing."""


class BusyNeighbours:
    """Processes that compute without end, as others do on a shared machine."""

    def __init__(self, count: int) -> None:
        # Each ends by itself if this process is killed.
        endless = "import os; parent = os.getppid()\nwhile os.getppid() == parent: pass"
        command = [sys.executable, "-c", endless]
        self.processes = [subprocess.Popen(command) for _ in range(count)]

    def close(self) -> None:
        """End them."""
        for process in self.processes:
            process.kill()
            process.wait()


def build_gauge(folder: Path) -> Path:
    """Compile quiet.c for this machine."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "quiet"
    compiler = shutil.which("cc") or "gcc"
    flags = ["-O2", "-march=native", "-pthread"]
    subprocess.run([compiler, *flags, str(HERE / "quiet.c"), "-o", str(target)], check=True)
    return target


@dataclass
class Worker:
    """One engine's process and the latencies it reported."""

    engine: str
    process: subprocess.Popen[str]
    facts: dict[str, Any]
    clock: str = "wall"
    runs_a_turn: int = 1
    turns: list[tuple[bool, list[int]]] = field(default_factory=list)

    @classmethod
    def start(
        cls, engine: str, model: Path, inputs: Path, threads: int, *, exact: bool = False
    ) -> Worker:
        """Load a model in a new process, without network where the system allows it."""
        program = [sys.executable, str(HERE / "worker.py")]
        command = [*program, engine, str(model), str(inputs), str(threads)]
        command += ["exact"] if exact else []
        process = _start([*_without_network(), *command], OMP_NUM_THREADS=str(threads))
        line = process.stdout.readline() if process.stdout is not None else ""
        if not line.strip():
            _stop(process)
            ended = process.returncode
            how = signal.Signals(-ended).name if ended < 0 else f"exit status {ended}"
            # A signal comes from code in C, which is the engine's; our Python code exits.
            raise WorkerError(f"its process ended with {how} while loading", ours=ended >= 0)
        facts = json.loads(line)
        if "error" in facts:
            _stop(process)
            raise WorkerError(facts["error"], ours=facts["ours"])
        return cls(engine, process, facts)

    def run(self, count: int) -> list[int]:
        """Return the times of some runs in nanoseconds."""
        times: list[int] = json.loads(_ask(self.process, f"{self.clock} {count}"))
        return times

    def save(self, target: Path) -> None:
        """Write the outputs of one run."""
        _ask(self.process, f"save {target}")

    def close(self) -> None:
        """End the process."""
        _stop(self.process)

    def figures(self) -> dict[str, float | int]:
        """Return median, spread and counts over quiet turns; over all, if too few were quiet."""
        quiet = [times for is_quiet, times in self.turns if is_quiet]
        used = quiet if len(quiet) >= 3 else [times for _, times in self.turns]
        medians = sorted(statistics.median(times) for times in used)
        return {
            "median_ms": round(statistics.median(medians) * 1e-6, 5),
            "lower_quartile_ms": round(medians[len(medians) // 4] * 1e-6, 5),
            "upper_quartile_ms": round(medians[3 * len(medians) // 4] * 1e-6, 5),
            "fastest_run_ms": round(min(min(times) for times in used) * 1e-6, 5),
            "turns": len(self.turns),
            "quiet_turns": len(quiet),
            "runs": sum(len(times) for times in used),
        }


def take_turns(
    workers: list[Worker], gauge: Gauge | NoGauge, *, turns: int, turn_ms: float, patience: float
) -> None:
    """Let every worker have ``turns`` quiet turns, or twice that many of any kind."""
    for worker in workers:
        typical = statistics.median(worker.run(3)) * 1e-6
        worker.runs_a_turn = max(2, min(2000, int(turn_ms / typical)))
    for _ in range(2 * turns):
        waiting = [w for w in workers if sum(quiet for quiet, _ in w.turns) < turns]
        if not waiting:
            return
        # All of them, so that those who are done meet the same noise as the others: a turn that
        # is quiet for one engine and not for the next says nothing about either.
        for worker in random.sample(workers, len(workers)):
            patience = gauge.wait(patience)
            times = worker.run(worker.runs_a_turn)
            worker.turns.append((gauge.is_quiet(), times))


def _without_network() -> list[str]:
    if shutil.which("unshare") is None:
        return []
    command = ["unshare", "-n"]
    works = subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
    return command if works else []


def _start(command: list[str], **environment: str) -> subprocess.Popen[str]:
    # A tree of sources has its modules compiled once, too, as installed packages have.
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.Popen(
        command,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**inherited, **environment},
    )


def _ask(process: subprocess.Popen[str], question: str) -> str:
    if process.stdin is None or process.stdout is None:
        raise WorkerError("no pipe")
    process.stdin.write(question + "\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        raise WorkerError("died while running")
    return line


def _stop(process: subprocess.Popen[str]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
