# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What the trial of backend files in another process costs, and what one hanging file costs.

Of a file that is new (its time of change differs each time), of a known one, and of one that is
opened without a trial, by turns in one process; then commands over a folder with each fault of
`docs/fault_injection.md` in each call of loading, the first time and the second. Files that keep a
processor busy up to their limit have a folder of their own: of these as many run at a time as there
are processors.
"""

from __future__ import annotations

import argparse
import itertools
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from common import REPOSITORY, compile_backend, publish, spread

import armnn_py
from armnn_py.backends import load_backends
from armnn_py.backends.probe import identity

sys.path.append(str(REPOSITORY / "scripts"))
from generate_fault_table import FAULTS

BUSY = {"spin", "flood"}
#: Words of the fixture: calls while a file is loaded.
SITES = [
    "constructor",
    "id",
    "version",
    "factory",
    "options",
    "create",
    "get_id",
    "devices",
    "support",
    "is_supported",
    "destroy_support",
    "quiesce",
    "destroy",
    "destructor",
]
SOURCE = REPOSITORY / "tests" / "fixtures" / "deed_backend.c"
PACKAGE = [Path(folder) for folder in armnn_py.__path__]
DEMO = next(file for folder in PACKAGE for file in folder.glob("demo/digits.onnx"))


def processors_time() -> float:
    """Seconds of the processors so far, Python's own and those of the trials."""
    parts = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(part.ru_utime + part.ru_stime for part in parts)


def load_time(folder: Path, seconds: float) -> tuple[float, float]:
    """Seconds to load the files of a folder, on the clock and of processors."""
    files = sorted(folder.iterdir())  # each is named: one is CpuAcc, whose id is the package's
    before, begin = processors_time(), time.perf_counter()
    registry = load_backends(
        dynamic_backends_path=files, bundled_backends=False, probe_seconds=seconds
    )
    end = time.perf_counter()
    assert len(registry) == len(files), str(registry.load_report)
    registry.close()
    return end - begin, processors_time() - before


def costs(folder: Path, samples: int) -> dict[str, Any]:
    """Figures of one folder with good files, for all of them together."""
    found: dict[str, list[tuple[float, float]]] = {"no trial": [], "new": [], "known": []}
    moments = itertools.count(1_000_000_000)
    identity._FINE_STEP = 0  # files that are touched here stand for such as are there for a while
    load_time(folder, 1.0)
    for _ in range(samples):
        found["no trial"].append(load_time(folder, 0))
        for file in folder.iterdir():
            os.utime(file, ns=(next(moments), next(moments)))
        found["new"].append(load_time(folder, 1.0))
        load_time(folder, 1.0)  # what was mapped and started just now is out of the way
        found["known"].append(load_time(folder, 1.0))
    count = len(list(folder.iterdir()))
    clocks = {}
    for index, clock in enumerate(("clock", "processors")):
        times = {name: [one[index] for one in pairs] for name, pairs in found.items()}
        base = sorted(times["no trial"])[samples // 2]
        tenth = {name: sorted(some)[samples // 10] for name, some in times.items()}
        clocks[clock] = {
            **{f"{name}_ms": spread(some, 1e-3) for name, some in times.items()},
            "a_new_file_more_ms": spread([(t - base) / count for t in times["new"]], 1e-3),
            "a_known_file_more_ms": spread([(t - base) / count for t in times["known"]], 1e-3),
            "more_in_the_best_tenth_ms": {
                name: round((tenth[name] - tenth["no trial"]) / count / 1e-3, 3)
                for name in ("new", "known")
            },
        }
    size = sum(file.stat().st_size for file in folder.iterdir())
    return {"files": count, "bytes": size, **clocks}


def compile_deeds(folder: Path, deeds: set[str]) -> None:
    """Fill a folder with a file for each deed in each of its places."""
    jobs = [(deed, site) for deed in sorted(deeds) for site in SITES]

    def compile_one(job: tuple[int, tuple[str, str]]) -> None:
        number, (deed, site) = job
        flags = [f'-DBACKEND_ID="Bad{number}"', f'-DDEED="{deed}"', f'-DSITE="{site}"']
        compile_backend(SOURCE, folder / f"Bad_Bad{number}_backend.so", *flags)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, enumerate(jobs)))


def commands(folder: Path, samples: int, work: Path) -> dict[str, Any]:
    """Seconds of commands over a folder of bad files: cache empty, then filled, and without files.

    Python keeps what it compiles, as it does for users, so that sources are not compiled each time.
    """
    result: dict[str, Any] = {"files": len(list(folder.iterdir()))}
    environment = os.environ | {"PYTHONPYCACHEPREFIX": str(work / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def seconds(*words: str, cache: str) -> tuple[float, float]:
        """Time on the clock, and of the processors, Python's own and its children's."""
        before, begin = os.times(), time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "armnn_py", *words],
            env=environment | {"XDG_CACHE_HOME": cache},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        after = os.times()
        busy = after.children_user + after.children_system
        return time.perf_counter() - begin, busy - before.children_user - before.children_system

    run = ["run", str(DEMO), "--random", "1", "-b", "CpuRef"]
    for words in (["doctor"], ["backends", "list"], run, ["backends", "paths"]):
        seconds("--no-dynamic", *words, cache=str(work))  # compiles
        times: dict[str, list[tuple[float, float]]] = {"first": [], "second": [], "no files": []}
        for _ in range(samples):
            with tempfile.TemporaryDirectory() as cache:
                for turn in ("first", "second"):
                    times[turn].append(seconds("--backend-path", str(folder), *words, cache=cache))
                times["no files"].append(seconds("--no-dynamic", *words, cache=cache))
        result["run -b CpuRef" if words is run else " ".join(words)] = {
            f"{turn}, {clock}_s": spread([one[index] for one in found], 1)
            for turn, found in times.items()
            for index, clock in enumerate(("clock", "processors"))
        }
    return result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Costs of trying files in another process.")
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as work:
        os.environ["XDG_CACHE_HOME"] = str(Path(work) / "cache")
        small, large, many, bad, busy = (
            Path(work) / name for name in ("small", "large", "many", "bad", "busy")
        )
        for folder in (small, large, many, bad, busy):
            folder.mkdir()
        compile_backend(SOURCE, small / "Test_Deed_backend.so")
        for folder in PACKAGE:
            for file in folder.glob("_backends/Arm_CpuAcc_backend.so"):
                shutil.copyfile(file, large / file.name)
        for number in range(8):
            name = f'-DBACKEND_ID="Deed{number}"'
            compile_backend(SOURCE, many / f"Test_Deed{number}_backend.so", name)
        compile_deeds(bad, set(FAULTS) - BUSY)
        compile_deeds(busy, BUSY)
        few = max(3, arguments.samples // 10)
        publish(
            "probe",
            {
                "one small file": costs(small, arguments.samples),
                "CpuAcc from a folder": costs(large, arguments.samples),
                "eight small files": costs(many, arguments.samples),
                "commands over bad files": commands(bad, few, Path(work)),
                "commands over busy files": commands(busy, 1, Path(work)),
                "wanted": "a good new file at most 3 ms more, a known one at most 0.1 ms; commands "
                "over bad files under 2 s the first time, under 0.2 s the second",
            },
            arguments.output,
        )


if __name__ == "__main__":
    main()
