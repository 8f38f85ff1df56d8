# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One engine with one model in a process of its own, told on standard input what to do.

    python worker.py ENGINE MODEL INPUTS.npz THREADS [exact]

Each command is a line, each answer a line of JSON: ``wall N`` answers N latencies in nanoseconds,
``cpu N`` the processor time of the process in N runs, ``save FILE.npz`` writes the outputs.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from pathlib import Path

import numpy as np


def main() -> None:
    """Load, then serve until standard input ends."""
    name, model, input_file, threads, *settings = sys.argv[1:]
    os.environ["OMP_NUM_THREADS"] = threads
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # engines that print must not disturb the answers
    from blame import describe
    from engines import ENGINES

    def answer(value: object) -> None:
        print(json.dumps(value), file=answers, flush=True)

    with np.load(input_file) as arrays:
        inputs = {key: arrays[key] for key in arrays.files}
    begin = time.perf_counter()
    try:
        importlib.import_module(ENGINES[name].module)
        start = time.perf_counter()
        engine = ENGINES[name]
        load = engine.exact if settings == ["exact"] and engine.exact else engine.load
        run = load(Path(model), inputs, int(threads))
        loaded = time.perf_counter()
        run()
        first = time.perf_counter()
        run()
    except Exception as error:  # whatever an engine raises is its result
        answer(describe(error, frozenset({ENGINES[name].module})))
        return
    status = Path("/proc/self/status").read_text(encoding="ascii")
    # ru_maxrss would do elsewhere; on Linux it starts with what the parent process had.
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    answer(
        {
            "import_ms": (start - begin) * 1e3,
            "load_ms": (loaded - start) * 1e3,
            "first_run_ms": (first - loaded) * 1e3,
            "peak_mib": peak / 1024,
        }
    )
    clocks = {"wall": time.perf_counter_ns, "cpu": time.process_time_ns}
    for line in sys.stdin:
        command, argument = line.split(maxsplit=1)
        if command == "save":
            np.savez(argument.strip(), *[np.array(output) for output in run()])
            answer({})
            continue
        clock = clocks[command]
        run()  # what slept while others ran wakes up
        times = []
        for _ in range(int(argument)):
            before = clock()
            run()
            times.append(clock() - before)
        answer(times)


if __name__ == "__main__":
    main()
