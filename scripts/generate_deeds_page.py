# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Write ``docs/deeds.md``: what becomes of a file that does something wrong, by deed and place.

Each is done for real. For what is tried first, this process searches the files, goes on, and
computes right numbers after each row; if a file harmed it, there would be no page. What comes later
is done by some hundred programs, see `deeds_later`. Needs a C compiler.

Usage::

    python scripts/generate_deeds_page.py            # write the page; minutes
    python scripts/generate_deeds_page.py --check    # exit 1 if the page says otherwise
    python scripts/generate_deeds_page.py --sample   # the same, with some of what comes later
"""

from __future__ import annotations

import locale
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import deeds_later
import numpy as np
from generated_page import ROOT, differences, write_or_check

import armnn_py as ann
from armnn_py.backends import Verdict
from armnn_py.backends.probe.findings import CALLS

PAGE = ROOT / "docs" / "deeds.md"
SOURCE = ROOT / "tests" / "fixtures" / "deed_backend.c"
INCLUDE = ROOT / "native" / "include"

_LATER = """\

## Later

What is not tried first: a program loaded the backend without a trial, ran a network on it and
closed everything. Numbers are the signal by which the program ended, or its status where it would
have ended with 0. "Told": a line on standard error named the call, the backend and its file, and
the layer where there is one; of what never returns, three times Ctrl-C then ended the program,
with status 130; of a fork, the copy ended. "Fails": Python met the
closed descriptors, and ended with status 1 or 120. Where the program went on, its numbers were
right. [Security](security.md) says what of this is promised.

"""

#: Word of the fixture -> what the file does.
DEEDS = {
    "abort": "`abort()`",
    "double_free": "frees memory twice",
    "segv": "touches memory that is not there",
    "trap": "an illegal instruction",
    "divide": "divides by 0",
    "stack": "recurses without end",
    "longjmp": "jumps into nowhere",
    "exit": "`exit(0)`",
    "_exit": "`_exit(0)`",
    "exec": "puts another program in its place",
    "kill_group": "kills its process group",
    "stop_parent": "stops the program that watches it",
    "hang": "waits for ever",
    "spin": "loops for ever",
    "flood": "writes for ever",
    "throw": "throws in C++",
    "fork": "forks, both go on",
    "fork_hang": "forks, the copy waits",
    "close": "closes all descriptors",
    "null": "answers with null",
    "wild": "answers with a wild pointer",
    "thread": "leaves a thread",
    "round": "rounds otherwise",
    "folder": "changes the folder",
    "locale": "changes the locale",
    "mask": "blocks signals",
    "ignore_interrupt": "ignores Ctrl-C",
}
#: Word of the fixture -> how the column is called, and the stage that has to be named.
SITES = {
    "constructor": ("constructor", "open"),
    "id": ("`GetBackendId`", "id"),
    "version": ("`GetVersion`", "version"),
    "factory": ("`BackendFactory`", "table"),
    "options": ("options", "options"),
    "create": ("`create`", "create"),
    "get_id": ("`get_id`", "create"),
    "devices": ("`list_devices`", "devices"),
    "support": ("`get_layer_support`", "support"),
    "is_supported": ("`is_layer_supported`", "support"),
    "destroy_support": ("`destroy` of it", "support"),
    "quiesce": ("`quiesce`", "quiesce"),
    "destroy": ("`destroy`", "destroy"),
    "destructor": ("destructor", "close"),
}
_ANSWERS = {"id", "factory", "create", "get_id", "support"}
#: What changes the state of the process, and up to which call that is put back.
_STATE = {"round", "folder", "locale", "mask", "ignore_interrupt"}
_KEPT = {"constructor", "id", "version", "factory", "options", "create", "get_id"}

_HEAD = """\
# What a wrong file does to a program

A backend was made to do each deed in each place. This page is written by
`python scripts/generate_deeds_page.py`.

## While it is loaded

Nothing, as far as [its trial](finding_backends.md#files-are-probed-first) reaches: a program
searched for backends in a folder with it, went on, and computed right numbers on `CpuRef`. A cell
is why the file was refused; "loads" if it was not; "put back" if what it changed in the process was
undone, and named in the verdict. A thread that a destructor starts is left out: its code is gone
before it runs, and the program ends by signal 11. So are changes of the process by calls that come
after `create`: [below](#later) is what becomes of them.

"""


def cell(verdict: Verdict, site: str) -> str:
    """Return what became of a file, in a word or two.

    Raises
    ------
    AssertionError
        The verdict names another stage than the one in which it was done.
    """
    finding = verdict.probe
    assert finding is not None
    if verdict.status == "loaded":
        return "put back" if verdict.hint.endswith("which was undone") else "loads"
    step, call = CALLS[SITES[site][1]]
    assert verdict.status == "refused", str(verdict)
    if finding.ended != "gone":  # the system stops a process when it comes to it
        assert verdict.stage == step, str(verdict)
    if finding.ended in ("signal", "exit", "time"):
        assert verdict.reason.startswith(call), str(verdict)
    if finding.ended == "signal":
        return f"signal {finding.number}"
    if finding.ended == "exit":
        return f"ended, {finding.number}"
    return {"time": "time limit"}.get(finding.ended, verdict.code)


def check_host() -> None:
    """Compute something in this process."""
    network = ann.Network("relu")
    values = network.add_input("x", ann.TensorInfo((4,)))
    network.add_output("y", network.add_activation(values, ann.ActivationFunction.RELU))
    with ann.load(network, ["CpuRef"]) as loaded:
        result = loaded.run({"x": np.array([-1, 0, 2, 0.5], np.float32)})["y"]
    assert result.tolist() == [0, 0, 2, 0.5]


def _id_of(site: str) -> str:
    return site.title().replace("_", "")


def _file_of(site: str) -> str:
    return f"Bad_{_id_of(site)}_backend.so"


def places_of(deed: str) -> set[str]:
    """Where a deed is done."""
    if deed in ("null", "wild"):
        return _ANSWERS
    if deed in _STATE:
        return _KEPT
    return set(SITES) - ({"destructor"} if deed == "thread" else set())


def build(folder: Path) -> None:
    """Compile a file for each place; the deed is chosen by the environment."""
    for site in SITES:
        command = ["cc", "-std=c11", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{INCLUDE}"]
        defines = [f'-DBACKEND_ID="{_id_of(site)}"', f'-DSITE="{site}"']
        target = folder / _file_of(site)
        subprocess.run([*command, *defines, str(SOURCE), "-o", str(target)], check=True)


def render() -> str:
    """Do every deed in every place and return the text of the page."""
    warnings.simplefilter("ignore")
    lines = [
        f"| deed | {' | '.join(name for name, _ in SITES.values())} |",
        f"|---|{'---|' * len(SITES)}",
    ]
    with tempfile.TemporaryDirectory() as work:
        os.environ["XDG_CACHE_HOME"] = str(Path(work) / "cache")
        folder = Path(work) / "place"
        folder.mkdir()
        build(folder)
        for deed, words in DEEDS.items():
            done = places_of(deed)
            for site in SITES:
                os.environ[f"DEED_{_id_of(site)}"] = deed if site in done else ""
            place = Path(work) / deed  # of its own: some files stay open, and are not tried again
            shutil.copytree(folder, place)
            with ann.Runtime(place, bundled_backends=False) as runtime:
                found = {Path(v.path).name: v for v in runtime.load_report}
            cells = [cell(found[_file_of(site)], site) if site in done else "-" for site in SITES]
            lines.append(f"| {words} | {' | '.join(cells)} |")
            check_host()
    return _HEAD + "\n".join(lines) + "\n" + _LATER


def render_later() -> str:
    """Do every deed that comes later and return the rest of the page."""
    with tempfile.TemporaryDirectory() as work:
        return "\n".join(deeds_later.render(deeds_later.Later(Path(work)))) + "\n"


def check_some(text: str) -> int:
    """Do one deed of each later place, another one in each; return the exit code."""
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    rows = [[cell.strip("| ") for cell in row] for row in rows]
    with tempfile.TemporaryDirectory() as work:
        later = deeds_later.Later(Path(work))
        deeds = list(deeds_later.DEEDS)
        for number, (site, place) in enumerate(deeds_later.PLACES.items()):
            (row,) = (row for row in rows if row[0] == place.shown)
            column = number * 7 % len(deeds)  # 7 and 25 have no common factor
            found = later.cell(site, deeds[column])
            if found != row[1 + column]:
                print(f"{place.shown}, {deeds[column]}: {found}, the page says {row[1 + column]}")
                return 1
    return 0


def main() -> int:
    """Write or check the page."""
    os.environ["ARMNN_PY_NO_ENTRY_POINTS"] = "1"
    locale.setlocale(locale.LC_ALL, "C.UTF-8")  # the fixture changes it to another one
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a background job of a script
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.argv[1:] != ["--sample"]:
        return write_or_check(PAGE, render() + render_later(), __file__, None)
    text = PAGE.read_text(encoding="utf-8")
    begin, _, rest = text.partition(_LATER)
    changes = list(differences(begin + _LATER, render()))
    if not changes:
        return check_some(rest)
    print("docs/deeds.md: the first table is not what is found", *changes, sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
