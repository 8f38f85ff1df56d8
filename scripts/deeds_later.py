# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What becomes of a program whose backend does something wrong later than its trial reaches.

Each deed in each place is a program of its own, which loads the backend without a trial, runs a
network on it, and closes everything.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, NamedTuple

from generated_page import ROOT

__all__ = ["DEEDS", "PLACES", "Later", "render"]

FIXTURES = ROOT / "tests" / "fixtures"
INCLUDE = ROOT / "native" / "include"

#: Word of the fixtures -> what the backend does.
DEEDS = {
    "abort": "`abort()`",
    "double_free": "frees twice",
    "segv": "touches no memory",
    "trap": "illegal instruction",
    "divide": "divides by 0",
    "stack": "recurses for ever",
    "longjmp": "jumps into nowhere",
    "exit": "`exit(0)`",
    "_exit": "`_exit(0)`",
    "exec": "puts another program there",
    "kill_group": "kills its group",
    "hang": "waits for ever",
    "spin": "loops for ever",
    "throw": "throws in C++",
    "fork": "forks, both go on",
    "fork_hang": "forks, the copy waits",
    "close": "closes descriptors",
    "round": "rounds otherwise",
    "folder": "changes the folder",
    "locale": "changes the locale",
    "mask": "blocks signals",
    "ignore_interrupt": "ignores Ctrl-C",
    "thread": "leaves a thread",
    "null": "answers with null",
    "wild": "answers with a wild pointer",
}
#: Seconds that a program may take to its end, on a machine with much else to do.
_PATIENCE = 300
_COPY_SECONDS = 30
_UNENDING = {"hang", "spin"}
_STATE = {"round", "folder", "locale", "mask", "ignore_interrupt"}
_ANSWERS = {"workload_factory", "handle_factory_id", "create_handle", "create_context"}


class _Place(NamedTuple):
    """Where: the name in the table, which fixture has it, and what last words have to say."""

    shown: str
    source: str
    told: str


_LAYER = "layer 'middle' (ElementwiseUnary)"
_FIRST, _MEMORY = "deed_backend.c", "deed_memory_backend.c"
#: Word of the fixtures -> the place.
PLACES = {
    "optimize": _Place("`optimize_subgraph_view`", _FIRST, "optimize_subgraph_view"),
    "is_supported": _Place("`is_layer_supported`", _FIRST, "is_layer_supported of layer of type"),
    "destroy_support": _Place("`destroy` of it", _FIRST, "destroy of a layer support"),
    "workload_factory": _Place("`create_workload_factory`", _FIRST, "create_workload_factory"),
    "create_workload": _Place("`create_workload`", _FIRST, f"create_workload of {_LAYER}"),
    "create_data": _Place("`create_workload_data`", _MEMORY, f"create_workload_data of {_LAYER}"),
    "reset_data": _Place("`reset_workload_data`", _MEMORY, f"reset_workload_data of {_LAYER}"),
    "destroy_data": _Place(
        "`destroy_workload_data`", _MEMORY, f"destroy_workload_data of {_LAYER}"
    ),
    "execute": _Place("`execute`", _FIRST, f"execute of {_LAYER}"),
    "body": _Place("`execute`, in `parallel_for`", _FIRST, f"execute of {_LAYER}"),
    "destroy_workload": _Place("`destroy` of a workload", _FIRST, "destroy of a workload"),
    "late_quiesce": _Place("`quiesce`", _FIRST, "quiesce"),
    "late_destroy": _Place("`destroy`", _FIRST, "destroy"),
    "destructor": _Place("destructor", _FIRST, "the closing of"),
    "register": _Place(
        "`register_tensor_handle_factories`", _MEMORY, "register_tensor_handle_factories"
    ),
    "handle_factory_id": _Place(
        "`get_id` of a handle factory", _MEMORY, "get_id of a tensor handle factory"
    ),
    "create_handle": _Place("`create_tensor_handle`", _MEMORY, "create_tensor_handle"),
    "allocate": _Place("`allocate` of a handle", _MEMORY, "allocate of a tensor handle"),
    "acquire": _Place("`acquire` of a memory manager", _MEMORY, "acquire of a memory manager"),
    "copy_in": _Place("`copy_in_from`", _MEMORY, "copy for layer"),
    "copy_out": _Place("`copy_out_to`", _MEMORY, "copy for layer"),
    "release": _Place("`release` of a memory manager", _MEMORY, "release of a memory manager"),
    "destroy_handle": _Place("`destroy` of a handle", _MEMORY, "destroy of a tensor handle"),
    "destroy_handle_factory": _Place(
        "`destroy` of a handle factory", _MEMORY, "destroy of a tensor handle factory"
    ),
    "destroy_manager": _Place(
        "`destroy` of a memory manager", _MEMORY, "destroy of a memory manager"
    ),
    "create_context": _Place("`create_backend_context`", _MEMORY, "step 'create' of loading"),
    "before_load": _Place("`before_load_network`", _MEMORY, "before_load_network"),
    "after_load": _Place("`after_load_network`", _MEMORY, "after_load_network"),
    "before_run": _Place("`before_run`", _MEMORY, "before_run"),
    "flush": _Place("`after_enqueue_workload`", _MEMORY, "after_enqueue_workload"),
    "after_run": _Place("`after_run`", _MEMORY, "after_run"),
    "before_unload": _Place("`before_unload_network`", _MEMORY, "before_unload_network"),
    "after_unload": _Place("`after_unload_network`", _MEMORY, "after_unload_network"),
    "destroy_context": _Place("`destroy` of a context", _MEMORY, "destroy of a backend context"),
}

# What the fixtures change is looked at before and after.
_PROGRAM = """
import ctypes, json, locale, os, signal, sys
import numpy as np
import armnn_py as ann

signal.signal(signal.SIGINT, signal.default_int_handler)
locale.setlocale(locale.LC_ALL, "C.UTF-8")

def state():
    return {
        "round": ctypes.CDLL("libm.so.6").fegetround(),
        "folder": os.getcwd(),
        "locale": locale.setlocale(locale.LC_ALL),
        "mask": sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))),
        "ignore_interrupt": "0000000000000002" in [
            f"{int(line.split()[1], 16) & 2:016x}"
            for line in open("/proc/self/status") if line.startswith("SigIgn")
        ],
    }

before = state()
right = False
error = ""
try:
    with ann.Runtime(sys.argv[1]) as runtime:
        network = ann.Network()
        x = network.add_input("x", ann.TensorInfo((64,)))
        made = network.add_elementwise_unary(x, ann.UnaryOperation.ABS, name="middle")
        network.add_output("y", made)
        with ann.load(network, ["Deed"], runtime=runtime) as loaded:
            right = bool((loaded.run(np.full(64, -1, np.float32))["y"] == 1).all())
            if sys.argv[2] == "reset_data":
                loaded.reset_state()
except ann.ArmnnError as problem:
    error = str(problem)
after = state()
changed = [name for name in before if before[name] != after[name]]
print(json.dumps({"right": right, "error": error, "changed": changed}))
"""


class Later:
    """Tries deeds in places; the backends are built in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for source in (_FIRST, _MEMORY):
            place = folder / source
            place.mkdir()
            target = place / "Test_Deed_backend.so"
            command = ["cc", "-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{INCLUDE}"]
            subprocess.run([*command, str(FIXTURES / source), "-o", str(target)], check=True)

    def cell(self, site: str, deed: str) -> str:
        """Return what became of the program, in a few words.

        Raises
        ------
        AssertionError
            It ended without a word where there should be one, or went on with wrong numbers.
        """
        if deed in ("null", "wild") and site not in _ANSWERS:
            return "-"
        if (site, deed) == ("destructor", "thread"):
            return "-"  # its code is gone before it runs
        with (
            tempfile.TemporaryFile(dir=self._folder) as out,
            tempfile.TemporaryFile(dir=self._folder) as err,
        ):
            place = self._folder / PLACES[site].source
            process = subprocess.Popen(
                [sys.executable, "-W", "ignore", "-c", _PROGRAM, str(place), site],
                env=os.environ
                | {"ARMNN_PY_PROBE_SECONDS": "0", "DEED_Deed": deed, "SITE_Deed": site}
                | {"XDG_CACHE_HOME": str(self._folder)},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            try:
                if deed in _UNENDING:
                    self._interrupt(process, err)
                code = process.wait(_PATIENCE)
                if deed == "fork":
                    _await_words(err)  # of the copy, which is slower where much else runs
            except subprocess.TimeoutExpired:
                raise AssertionError(f"{site}, {deed}: no end, {_text_of(err)!r}") from None
            finally:
                with contextlib.suppress(ProcessLookupError):  # nothing is left of it
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            return _words(site, deed, code, _text_of(out), _text_of(err))

    @staticmethod
    def _interrupt(process: subprocess.Popen[bytes], err: IO[bytes]) -> None:
        """Do what the line on the screen says."""
        _wait_until(process, lambda: "the third Ctrl-C ends the program" in _text_of(err))
        for _ in range(3):
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                _wait_until(process, lambda: not _is_waiting(process.pid, signal.SIGINT))


def _text_of(stream: IO[bytes]) -> str:
    """What a program wrote so far; it goes on where the file's position is, which stays."""
    return os.pread(stream.fileno(), 1 << 20, 0).decode("utf-8", "replace")


def _wait_until(process: subprocess.Popen[bytes], is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and process.poll() is None and not is_so():
        time.sleep(0.02)


def _is_waiting(process: int, number: signal.Signals) -> bool:
    """Whether a signal has not reached a process yet: another one of its number would be lost."""
    with contextlib.suppress(OSError):  # it has ended
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("ShdPnd:"):
                return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


def _await_words(err: IO[bytes]) -> None:
    end = time.monotonic() + _COPY_SECONDS
    while os.fstat(err.fileno()).st_size == 0 and time.monotonic() < end:
        time.sleep(0.01)


def _words(site: str, deed: str, code: int, said: str, told: str) -> str:
    where = f"{site}, {deed}: status {code}, {said!r}, {told!r}"
    is_told = PLACES[site].told in told
    if deed in _UNENDING:
        assert code == 130, where
        assert is_told, where
        return "told"
    if code < 0:
        if deed == "kill_group":
            return f"{-code}"
        assert is_told, where
        return f"{-code}, told"
    if code == 70:
        assert is_told, where
        return "70, told"
    if code != 0:
        # Of Python: 1 if it met the closed descriptors in the program, 120 if not before its end.
        assert deed == "close", where
        assert code in (1, 120), where
        return "fails"
    answer = json.loads(said)
    if answer["error"]:
        assert deed in ("null", "wild"), where
        return "error"
    assert answer["right"], where
    if deed == "fork":
        assert is_told, where
        return "told"
    if deed in _STATE:
        return "stays" if deed in answer["changed"] else "put back"
    return "goes on"


def render(later: Later) -> Iterator[str]:
    """Give the lines of the table: a row for each place, a column for each deed."""
    yield f"| | {' | '.join(DEEDS.values())} |"
    yield f"|---|{'---|' * len(DEEDS)}"
    pairs = list(itertools.product(PLACES, DEEDS))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        cells = dict(zip(pairs, pool.map(lambda pair: later.cell(*pair), pairs), strict=True))
    for site, place in PLACES.items():
        yield f"| {place.shown} | {' | '.join(cells[site, deed] for deed in DEEDS)} |"
