# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A fork beside threads that load and look up code: no child waits for a lock of its parent."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

#: Threads do something again and again while the first one forks; each child does it once. A child
#: that waits for ever is ended by its alarm, with the status of a signal.
PROGRAM = """
import os, signal, sys, threading
from pathlib import Path
import armnn_py as ann
from armnn_py._native.table import dynamic_library

demo = Path(ann.__file__).parent / "demo" / "digits.onnx"

def look_up():
    for _ in range(100):
        dynamic_library.is_code(1)

def load():
    ann.load(demo).close()

def optimise(runtime=ann.Runtime(), model=ann.import_model(demo)):
    ann.optimize(model, runtime=runtime)

work = {"look_up": (look_up,), "load": (load, optimise)}[sys.argv[1]]
is_over = threading.Event()

def repeat(one):
    while not is_over.is_set():
        one()

for one in work:
    one()
threads = [threading.Thread(target=repeat, args=(one,)) for one in work]
for thread in threads:
    thread.start()
ends = []
for _ in range(int(sys.argv[2])):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        for one in work:
            one()
        os._exit(0)
    ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    if ends[-1]:
        break
is_over.set()
for thread in threads:
    thread.join()
print(set(ends))
"""


@pytest.mark.exhaustive(kept=1)
@pytest.mark.parametrize(("what", "count"), [("look_up", 300), ("load", 60)])
def test_no_child_hangs(what: str, count: int) -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, what, str(count)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert (run.returncode, run.stdout) == (0, "{0}\n"), run.stderr
