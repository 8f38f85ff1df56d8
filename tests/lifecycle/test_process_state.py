# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend that changes the state of the process: it is put back, and told of."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.exhaustive(kept=1)  # each case starts processes

#: Prints the state before and after, what the verdict says, and how a number of CpuRef comes out.
PROGRAM = """
import ctypes, fcntl, json, locale, logging, os, resource, signal, sys
import numpy as np
import armnn_py as ann
logging.basicConfig()
locale.setlocale(locale.LC_ALL, "C.UTF-8")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a script in the background has none
os.umask(0o27)
files = int(os.environ.get("ARMNN_TEST_FILES", 200))
resource.setrlimit(resource.RLIMIT_NOFILE, (files, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

def fields(*wanted):
    lines = (line.split(":")[:2] for line in open("/proc/thread-self/status"))
    found = {name: int(value, 16) for name, value in lines if name in wanted}
    for number in (4, 5, 6, 7, 8, 11, 31):  # fatal signals: the host's own handlers
        found["SigCgt"] &= ~(1 << number - 1)
    return found

libc = ctypes.CDLL(None)

def variable(name):
    libc.getenv.restype = ctypes.c_char_p
    value = libc.getenv(name.encode())
    return value and value.decode()

def attribute(number, by_pointer=False):
    value = ctypes.c_int()
    made = libc.prctl(number, ctypes.byref(value) if by_pointer else 0, 0, 0, 0)
    return value.value if by_pointer else made

def kernel_state():
    stack = (ctypes.c_size_t * 3)()
    libc.sigaltstack(None, stack)
    return {
        "limits": [
            resource.getrlimit(one) for one in (resource.RLIMIT_NPROC, resource.RLIMIT_MEMLOCK)
        ],
        "processors": sorted(os.sched_getaffinity(0)),
        "scheduling": [os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)],
        "signal stack": list(stack),
        "root": os.stat("/")[1:3],
        "ids": [os.getresuid(), os.getresgid(), os.getgroups()],
        "attributes": [attribute(2, True), attribute(37, True), attribute(3), attribute(39)],
        "name": open("/proc/thread-self/comm").read(),
    }

def action(number):
    made = (ctypes.c_size_t * 64)()  # struct sigaction: handler, 128 bytes of mask, flags
    libc.sigaction(number, None, made)
    return [made[0], made[17] & 0xffffffff]

def state():
    tiny = np.float32(1e-38)
    return {
        "status": fields("SigBlk", "SigIgn", "SigCgt", "Umask"),
        "interrupt": action(signal.SIGINT),
        "folder": os.getcwd(),
        "locale": locale.setlocale(locale.LC_ALL),
        "streams": [os.fstat(i)[:3] for i in range(3)],
        "flags": [fcntl.fcntl(i, fcntl.F_GETFL) for i in range(3)],
        "timer": signal.getitimer(signal.ITIMER_REAL)[0] > 0,
        "path": variable("PATH"),
        "home": variable("HOME"),
        "new": variable("ARMNN_TEST_NEW_VARIABLE"),
        "files": resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        "third": (np.array([1.0], np.float32) / np.array([3.0], np.float32)).tolist(),
        "two_thirds": (np.array([2.0], np.float32) / np.array([3.0], np.float32)).tolist(),
        "tiny": (np.array([tiny]) * np.float32(0.1)).tolist(),
        "long": float(np.longdouble(2) / np.longdouble(3)),
        **kernel_state(),
    }

def run(runtime, backends):
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((64,)))
    made = network.add_elementwise_unary(x, ann.UnaryOperation.ABS, name="middle")
    made = network.add_elementwise_unary(made, ann.UnaryOperation.SQRT, name="last")
    network.add_output("y", made)
    with ann.load(network, backends, runtime=runtime) as loaded:
        return loaded.run(np.linspace(-3, 3, 64, dtype=np.float32))["y"].tolist()

handlers = ctypes.create_string_buffer(1 << 16)  # else the host gives the thread a stack
libc.sigaltstack((ctypes.c_size_t * 3)(ctypes.addressof(handlers), 0, len(handlers)), None)
before = state()
with ann.Runtime(sys.argv[1]) as runtime:
    after = state()
    verdicts = [(v.status, v.hint) for v in runtime.load_report if v.id == "Deed"]
    computed = run(runtime, ["CpuRef"])
    mixed = run(runtime, ["Deed", "CpuRef"]) if sys.argv[2] == "runs" else None
    last = state()
result = json.dumps([before, after, last, verdicts, computed, mixed])
with open(sys.argv[3], "w") as file:
    file.write(result)
"""
SCHEDULING = "how the thread is scheduled"
ATTRIBUTES = "what prctl sets"
WORDS = {
    "round": "how numbers are rounded",
    "mask": "which signals are blocked",
    "ignore_interrupt": "handlers of signals",
    "ignore_children": "handlers of signals",
    "restart": "handlers of signals",
    "folder": "the working folder",
    "umask": "the umask",
    "locale": "the locale",
    "streams": "standard input, output or error",
    "output": "standard input, output or error",
    "flags": "standard input, output or error",
    "alarm": "timers",
    "path": "environment variables",
    "home": "environment variables",
    "files": "resource limits",
    "processes": "resource limits",
    "locked_memory": "resource limits",
    "processors": SCHEDULING,
    "policy": SCHEDULING,
    "niceness": SCHEDULING,
    "signal_stack": "the stack of signal handlers",
    "root": "the root folder",
    "user": "users or groups",
    "group": "users or groups",
    "subreaper": ATTRIBUTES,
    "parent_death": ATTRIBUTES,
    "undumpable": ATTRIBUTES,
    "name": ATTRIBUTES,
}
if platform.machine() == "x86_64":
    WORDS["flush"] = "how numbers are rounded"


#: The parts of a list of WORDS, of which one has a comma.
LIST = re.compile("|".join(sorted(set(WORDS.values()), key=len, reverse=True)))
#: Deeds that need rights, here or to be undone.
OF_ROOT = {"root", "user", "group", "niceness"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]) -> Path:
    made = tmp_path_factory.mktemp("state")
    build_backend("deed_backend.c", made / "Test_Deed_backend.so")
    return made


def run(folder: Path, deed: str, site: str, out: Path, **variables: str) -> tuple[list[Any], str]:
    """What the program writes, and standard error."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), "runs" if deed else "", str(out)],
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "HOME": "/root"}
        | {"ARMNN_PY_PROBE_SECONDS": "0", "DEED_Deed": deed, "SITE_Deed": site}
        | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(out.read_text()), done.stderr


@pytest.mark.parametrize("site", ["constructor", "factory", "create"])
@pytest.mark.parametrize("deed", WORDS)
def test_it_is_put_back_after_loading(folder: Path, deed: str, site: str, tmp_path: Path) -> None:
    if deed in OF_ROOT and os.geteuid() != 0:
        pytest.skip("only root may do it")
    if deed == "processors" and len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processor")
    (before, after, _, verdicts, computed, mixed), _ = run(folder, deed, site, tmp_path / "out")
    assert after == before
    ((status, hint),) = verdicts
    assert status == "loaded"
    words = re.fullmatch("its code changed (.*) of the process, which was undone", hint)
    assert words is not None
    along = {ATTRIBUTES} if deed in ("user", "group") else set()
    assert set(LIST.findall(words[1])) - along == {WORDS[deed]}
    assert mixed == computed


def test_streams_are_put_back_where_few_files_may_be_open(folder: Path, tmp_path: Path) -> None:
    few = {"ARMNN_TEST_FILES": "60"}
    (before, after, _, verdicts, _, _), _ = run(folder, "output", "create", tmp_path / "out", **few)
    assert after == before
    assert WORDS["output"] in verdicts[0][1]


def test_what_cannot_be_undone_is_said(folder: Path, tmp_path: Path) -> None:
    out = run(folder, "no_privileges", "create", tmp_path / "out")[0]
    assert out[0]["attributes"] != out[1]["attributes"]
    ((status, hint),) = out[3]
    assert status == "loaded"
    assert hint == f"its code changed {ATTRIBUTES} of the process, which cannot be undone"


@pytest.mark.parametrize(("deed", "field"), [("handler", "status"), ("variable", "new")])
def test_what_is_added_stays(folder: Path, deed: str, field: str, tmp_path: Path) -> None:
    (before, after, _, verdicts, _, _), _ = run(folder, deed, "create", tmp_path / "out")
    assert after.pop(field) != before.pop(field)
    assert after == before
    assert "changed" not in verdicts[0][1]


def test_a_timer_with_a_handler_stays(folder: Path, tmp_path: Path) -> None:
    (before, after, _, verdicts, _, _), _ = run(folder, "handled_alarm", "create", tmp_path / "out")
    assert after["timer"] > before["timer"]
    assert "changed" not in verdicts[0][1]


def test_a_higher_limit_stays(folder: Path, tmp_path: Path) -> None:
    (before, after, _, verdicts, _, _), _ = run(folder, "more_files", "create", tmp_path / "out")
    assert after["files"] > before["files"]
    assert "changed" not in verdicts[0][1]


# In which a variable is there twice, as `execve` allows: the first one is the program's.
TWICE = """
import ctypes, os, sys

def texts(*given):
    return (ctypes.c_char_p * (len(given) + 1))(*(text.encode() for text in given), None)

variables = [f"{name}={value}" for name, value in os.environ.items()]
variables += ["ARMNN_TEST_TWICE=first", "ARMNN_TEST_TWICE=second"]
ctypes.CDLL(None).execve(sys.executable.encode(), texts(*sys.argv[1:]), texts(*variables))
"""
READS_TWICE = """
import ctypes, sys
from armnn_py.backends import load_backends
with load_backends(dynamic_backends_path=sys.argv[1], bundled_backends=False) as registry:
    print([verdict.hint for verdict in registry.load_report])
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
print(getenv(b"ARMNN_TEST_TWICE").decode())
"""


def test_a_variable_that_is_there_twice_stays(folder: Path) -> None:
    given = [sys.executable, "-W", "ignore", "-c", READS_TWICE, str(folder)]
    done = subprocess.run(
        [sys.executable, "-c", TWICE, *given],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "['']\nfirst\n"


@pytest.mark.parametrize("site", ["support", "create_workload", "execute", "body"])
@pytest.mark.parametrize("deed", sorted({"round", "flush"} & WORDS.keys()))
def test_numbers_of_others_stay_right(folder: Path, deed: str, site: str, tmp_path: Path) -> None:
    (before, after, last, _, computed, mixed), said = run(folder, deed, site, tmp_path / "out")
    assert before == after == last
    assert mixed == computed
    if site != "body":
        assert "changed how the thread rounds or treats numbers near 0; that was undone" in said
        assert "'Deed'" in said


@pytest.mark.skipif(platform.machine() != "x86_64", reason="registers of x87")
@pytest.mark.parametrize("site", ["constructor", "create", "support", "create_workload", "execute"])
def test_numbers_in_long_double_stay_right(folder: Path, site: str, tmp_path: Path) -> None:
    (before, after, last, *_), _ = run(folder, "registers", site, tmp_path / "out")
    assert before == after == last


def test_nothing_is_said_of_a_good_one(folder: Path, tmp_path: Path) -> None:
    (before, after, last, verdicts, *_), said = run(folder, "", "", tmp_path / "out")
    assert before == after == last
    assert verdicts == [["loaded", ""]]
    assert said == ""
