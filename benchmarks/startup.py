# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How long it takes to start: import, the first Runtime, a folder of 200 good and 200 bad files.

    python benchmarks/startup.py [--output FILE.json]

Each sample is a fresh process. The files of the last part are warm in the page cache, as any second
start finds them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from common import EXAMPLE, compile_backend, publish, spread

PROGRAM = """
import json, sys, time
start = time.perf_counter()
import numpy
numpy_done = time.perf_counter()
from armnn_py import DataType, Runtime, TensorInfo  # names are imported when they are asked for
import_done = time.perf_counter()
folder = sys.argv[1] if len(sys.argv) > 1 else None
before = time.perf_counter()
import warnings
warnings.simplefilter("ignore")
with Runtime(folder) as runtime:
    made = time.perf_counter()
    counts = {}
    for verdict in runtime.load_report:
        counts[verdict.status] = counts.get(verdict.status, 0) + 1
    text = str(runtime.load_report)
    told = time.perf_counter()
print(json.dumps({"numpy": numpy_done - start, "import": import_done - start,
                  "runtime": made - before, "told": told - before, "counts": counts}))
"""
PLACEHOLDER = "AcmeNpu"


def sample(*arguments: str) -> dict[str, float]:
    """Run the program once in a fresh process."""
    command = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def fill(folder: Path) -> None:
    """Write 200 good backends, each with its own id, and 200 bad files of four kinds."""
    good = compile_backend(EXAMPLE, folder / "good.tmp").read_bytes()
    empty_source = folder / "empty.tmp.c"
    empty_source.write_text(
        "int nothing(void);\nint nothing(void) { return 0; }\n", encoding="utf-8"
    )
    empty = compile_backend(empty_source, folder / "empty.tmp").read_bytes()
    for temporary in folder.glob("*.tmp*"):
        temporary.unlink()
    assert good.count(PLACEHOLDER.encode()) >= 1
    for index in range(200):
        patched = good.replace(PLACEHOLDER.encode(), f"Acme{index:03}".encode())
        (folder / f"Good_N{index:03}_backend.so").write_bytes(patched)
    kinds = [b"a text, not a library\n", good[: len(good) // 2], empty, b""]
    for index in range(200):
        (folder / f"Bad_N{index:03}_backend.so").write_bytes(kinds[index % len(kinds)])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time to start.")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--samples", type=int, default=15)
    arguments = parser.parse_args()
    sample()
    plain = [sample() for _ in range(arguments.samples)]
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder))
        sample(folder)
        full = [sample(folder) for _ in range(arguments.samples)]
    counts = full[0]["counts"]
    publish(
        "startup",
        {
            "import_numpy_alone_ms": spread([s["numpy"] for s in plain], 1e-3),
            "import_armnn_py_with_numpy_ms": spread([s["import"] for s in plain], 1e-3),
            "import_armnn_py_over_numpy": spread([s["import"] / s["numpy"] for s in plain], 1),
            "first_runtime_ms": spread([s["runtime"] for s in plain], 1e-3),
            "verdicts_of_the_full_folder": counts,
            "runtime_on_the_full_folder_ms": spread([s["runtime"] for s in full], 1e-3),
            "with_the_report_as_text_ms": spread([s["told"] for s in full], 1e-3),
            "wanted": "import under 150 ms and 1.6 times numpy's, Runtime() under 15 ms, "
            "full folder under 2000 ms",
        },
        arguments.output,
    )


if __name__ == "__main__":
    main()
