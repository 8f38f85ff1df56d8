# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Files that end, stop or copy the process that opens them: this one never does."""

from __future__ import annotations

import contextlib
import os
import platform
import pty
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from armnn_py.backends import Verdict, load_backends
from armnn_py.backends.probe.findings import CALLS, fault_of
from armnn_py.backends.probe.process import read_report, try_files
from armnn_py.backends.probe.program import ProbeProgramError, program_path
from armnn_py.errors import InvalidArgumentError
from tests.processes import children

from .harness import REPOSITORY, Load, Workshop, mapped_files, only, outcome, run_child

pytestmark = pytest.mark.exhaustive(kept=1)  # each case starts processes

SOURCE = "deed_backend.c"
#: Where a deed is done -> the stage of the program, whose code it names.
SITES = {
    "constructor": "open",
    "id": "id",
    "version": "version",
    "factory": "table",
    "options": "options",
    "create": "create",
    "devices": "devices",
    "support": "support",
    "quiesce": "quiesce",
    "destroy": "destroy",
    "destructor": "close",
}
#: Deeds that end the process -> how, in words of the verdict.
FATAL = {
    "abort": "signal 6 (SIGABRT); its last output: 'cannot go on'",
    "double_free": "signal 6 (SIGABRT); its last output: 'free(): double free",
    "exit": "exit status 0 without a return",
    "_exit": "exit status 0 without a return",
    "trap": "signal ",  # SIGILL or SIGTRAP, as the processor has it
    "segv": "signal 11 (SIGSEGV)",
    "divide": "signal 8 (SIGFPE)",
    "stack": "signal 11 (SIGSEGV)",
    "longjmp": "signal ",
    "kill_group": "signal 9 (SIGKILL)",
}

Do = Callable[[str, str], None]


@pytest.fixture
def do(monkeypatch: pytest.MonkeyPatch) -> Do:
    """Say what the backend "Deed" does, and where."""

    def choose(deed: str, site: str) -> None:
        monkeypatch.setenv("DEED_Deed", deed)
        monkeypatch.setenv("SITE_Deed", site)

    return choose


@pytest.fixture
def file(tmp_path: Path, workshop: Workshop) -> Path:
    return workshop.put(tmp_path / "place", "Deed", source=SOURCE)


@pytest.fixture
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[int]]:
    """Processes that deeds have started, and that are still there."""
    path = tmp_path / "processes.txt"
    path.touch()
    monkeypatch.setenv("ARMNN_TEST_PROCESSES", str(path))

    def left() -> list[int]:
        started = [int(line.split()[1]) for line in path.read_text().splitlines()]
        assert started, "the deed was not done"
        return [number for number in started if Path(f"/proc/{number}").exists()]

    return left


def call_of(site: str) -> str:
    return CALLS[SITES[site]][1]


# ---- Deeds --------------------------------------------------------------------------------------


def test_a_good_file_is_loaded_and_its_probe_reported(load: Load, file: Path) -> None:
    verdict = only(load(file.parent))
    assert outcome(verdict) == ("loaded", "create", "ok")
    assert verdict.probe is not None
    assert (verdict.probe.stage, verdict.probe.ended) == ("exit", "passed")
    assert (verdict.probe.id, verdict.probe.version) == ("Deed", (2, 0))
    assert verdict.probe.load_seconds > 0
    assert "SITE_Deed" in verdict.probe.variables


def test_machine_dependent_results_are_reported(
    load: Load, tmp_path: Path, workshop: Workshop
) -> None:
    """The backend's device, say, is there only in this program: its probe has seen no more."""
    workshop.put_id(tmp_path / "place", "Shy", "NOT_IN_TRIAL")
    verdict = only(load(tmp_path / "place"))
    assert outcome(verdict) == ("loaded", "create", "ok")
    assert verdict.probe is not None
    assert verdict.probe.ended == "refused"
    assert "its probe ended with create or get_id, which works here" in verdict.hint
    assert "what comes later was not tried" in verdict.hint


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize("deed", FATAL)
def test_a_deed_that_ends_the_process(deed: str, site: str, do: Do, load: Load, file: Path) -> None:
    do(deed, site)
    verdict = only(load(file.parent))
    assert outcome(verdict) == ("refused", CALLS[SITES[site]][0], "died")
    expected = f"{call_of(site)} ended the process that tried the file: {FATAL[deed]}"
    assert verdict.reason.startswith(expected)
    assert verdict.hint
    assert str(file) not in mapped_files()


@pytest.mark.parametrize("site", ["constructor", "factory", "create", "support", "destructor"])
def test_an_exception_of_cpp(
    site: str, do: Do, load: Load, tmp_path: Path, workshop: Workshop
) -> None:
    place, source = tmp_path / "place", tmp_path / "throw.cpp"
    place.mkdir()
    source.write_text(
        "#include <stdexcept>\n"
        'extern "C" void throw_an_exception() { throw std::runtime_error("no device"); }\n'
    )
    part = source.with_suffix(".o")
    subprocess.run(["c++", "-c", "-fPIC", str(source), "-o", str(part)], check=True)
    flags = ["-DTHROWS", "-fexceptions", str(part), "-lstdc++"]
    workshop.compile(workshop.fixture(SOURCE), place / "Test_Deed_backend.so", *flags)
    do("throw", site)
    verdict = only(load(place))
    assert outcome(verdict) == ("refused", CALLS[SITES[site]][0], "died")
    assert "signal 6 (SIGABRT)" in verdict.reason
    assert "what(): no device'" in verdict.reason


@pytest.mark.parametrize("deed", ["kill_parent", "stop_parent"])
def test_a_file_that_ends_the_program_that_watches_it(
    deed: str, do: Do, load: Load, file: Path
) -> None:
    do(deed, "create")
    verdict = only(load(file.parent))
    assert (verdict.status, verdict.code) == ("refused", "died")
    assert verdict.probe is not None
    assert verdict.probe.ended == "gone"
    # The system stops and ends processes when it comes to it: a later stage may have begun.
    assert "ended the program that tried the file" in verdict.reason


@pytest.mark.parametrize("site", ["constructor", "create", "destructor"])
def test_a_file_that_claims_to_be_done(do: Do, load: Load, file: Path, site: str) -> None:
    do("claim", site)
    verdict = only(load(file.parent))
    assert outcome(verdict) == ("refused", CALLS[SITES[site]][0], "died")
    assert "exit status 0 without a return" in verdict.reason
    assert verdict.probe is not None
    assert (verdict.probe.ended, verdict.probe.stage) == ("exit", SITES[site])


def test_a_probe_has_no_terminal(tmp_path: Path, workshop: Workshop) -> None:
    file = workshop.put(tmp_path / "place", "Deed", source=SOURCE)
    program = (
        "import os, sys\n"
        "from armnn_py.backends import load_backends\n"
        "assert os.open('/dev/tty', os.O_WRONLY) > 2\n"  # else this tests nothing
        # Denied by its id: only the probe opens it.
        "with load_backends(dynamic_backends_path=sys.argv[1], denied_backends=['Dee', 'Deed'],\n"
        "                   bundled_backends=False) as found:\n"
        "    print([(one.id, one.code) for one in found.load_report])\n"
    )
    other = file.rename(file.with_name("Test_Other_backend.so"))
    variables = {"DEED_Deed": "terminal", "SITE_Deed": "constructor"}
    variables |= {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    variables |= {"XDG_CACHE_HOME": str(tmp_path), "ARMNN_PY_NO_ENTRY_POINTS": "1"}
    child, terminal = pty.fork()
    if child == 0:
        arguments = [sys.executable, "-c", program, str(other.parent)]
        os.execve(sys.executable, arguments, os.environ | variables)
    written = b""
    with contextlib.suppress(OSError):  # EIO: it has ended
        while part := os.read(terminal, 1 << 12):
            written += part
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, written
    assert b"('Deed', 'denied')" in written
    assert b"on the terminal" not in written


@pytest.mark.exhaustive
@pytest.mark.parametrize("deed", ["hang", "spin", "flood"])
def test_deeds_that_do_not_return(
    deed: str, tmp_path: Path, load: Load, workshop: Workshop
) -> None:
    """All at the same time, each refused at its place."""
    for site in SITES:
        defines = [f'BACKEND_ID="{site}"', f'DEED="{deed}"', f'SITE="{site}"']
        workshop.put(tmp_path / "place", site, *defines, source=SOURCE)
    report = load(tmp_path / "place", probe_seconds=1.5).load_report
    assert len(report) == len(SITES)
    for verdict in report:
        site = verdict.path.split("_")[-2]
        assert outcome(verdict) == ("refused", CALLS[SITES[site]][0], "timed-out")
        assert verdict.reason.startswith(f"{call_of(site)} did not return within 1.5 s")
        assert len(verdict.reason) < 600
        assert "ARMNN_PY_PROBE_SECONDS" in verdict.hint


@pytest.mark.parametrize("site", ["constructor", "factory", "create", "destroy"])
@pytest.mark.parametrize("deed", ["fork", "fork_hang", "daemon"])
def test_a_file_that_forks(
    deed: str,
    site: str,
    do: Do,
    load: Load,
    file: Path,
    processes: Callable[[], list[int]],
) -> None:
    do(deed, site)
    verdict = only(load(file.parent))
    assert (verdict.status, verdict.code) == ("refused", "forked")
    if deed != "daemon":  # it has left the process that is watched
        assert verdict.reason.startswith(f"{call_of(site)} forked")
    assert processes() == []


def test_many_copies_are_ended(
    do: Do, load: Load, file: Path, processes: Callable[[], list[int]]
) -> None:
    do("many_copies", "create")
    verdict = only(load(file.parent))
    assert (verdict.status, verdict.code) == ("refused", "forked")
    assert processes() == []


def test_another_program_is_ended_and_no_fault(
    do: Do, file: Path, processes: Callable[[], list[int]]
) -> None:
    do("program", "create")
    with file.open("rb") as stream, try_files([(str(file), stream.fileno(), 5.0)]) as findings:
        [(_, finding)] = findings
    assert finding.ended == "passed"
    assert fault_of(finding) is None
    assert processes() == []


@pytest.mark.parametrize(
    "spoil",
    [lambda file: file.chmod(0o666), lambda file: os.truncate(file, file.stat().st_size // 2)],
    ids=["writable", "cut"],
)
def test_the_program_that_starts_before_the_file_is_inspected(
    spoil: Callable[[Path], None],
    do: Do,
    load: Load,
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It runs no code of a file that the inspection refuses, and goes with its descriptors."""
    notes = tmp_path / "notes.txt"
    monkeypatch.setenv("ARMNN_TEST_PROCESSES", str(notes))
    do("program", "constructor")
    spoil(file)
    before = children()
    descriptors = Path("/proc/self/fd")
    open_after = []
    for _ in range(3):  # the first one keeps some for later
        assert only(load(file.parent)).status == "refused"
        open_after.append(len(list(descriptors.iterdir())))
    assert not notes.exists()
    assert open_after[2] == open_after[1]
    assert children() <= before  # none of this test's, not even a zombie


@pytest.mark.parametrize("site", SITES)
def test_a_file_that_closes_descriptors(site: str, do: Do, load: Load, file: Path) -> None:
    do("close", site)
    verdict = only(load(file.parent))
    assert outcome(verdict) == ("refused", CALLS[SITES[site]][0], "descriptors")
    assert verdict.reason.startswith(f"{call_of(site)} closed descriptors that are not its own")


@pytest.mark.parametrize("site", ["devices", "destroy_support"])  # loading itself calls neither
@pytest.mark.parametrize(
    ("deed", "words"),
    [
        ("round", "how numbers are rounded"),
        ("mask", "which signals are blocked"),
        ("folder", "the working folder"),
        ("locale", "the locale"),
        ("flags", "flags of the standard streams"),
    ],
)
def test_changes_of_the_process_are_reported(
    deed: str, words: str, site: str, do: Do, load: Load, file: Path
) -> None:
    do(deed, site)
    for _ in range(2):  # the second time from the cache
        verdict = only(load(file.parent))
        assert verdict.status == "loaded"
        assert verdict.hint == f"its code changed {words} in its probe"
        assert verdict.probe is not None
        assert verdict.probe.changes == (words,)


@pytest.mark.parametrize(
    ("deed", "site", "stage", "code"),
    [
        # The host sees these by itself, and says it in its own words.
        ("wild", "id", "id", "id-unreadable"),
        ("null", "id", "id", "id-null"),
        ("wild", "factory", "table", "table-unreadable"),
        ("null", "factory", "table", "table-null"),
        ("wild", "create", "create", "create-unreadable"),
        ("null", "create", "create", "create-null"),
        # This it would follow.
        ("wild", "support", "create", "wild-answer"),
    ],
)
def test_answers_that_lead_nowhere(
    deed: str, site: str, stage: str, code: str, do: Do, load: Load, file: Path
) -> None:
    do(deed, site)
    assert outcome(only(load(file.parent))) == ("refused", stage, code)


_FINDS_ITSELF = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include "{source}"
__attribute__((constructor)) static void look(void) {{
  Dl_info info;
  char path[4096];
  if (dladdr((void*)look, &info) == 0) abort();
  snprintf(path, sizeof path, "%s", info.dli_fname);
  strcpy(strrchr(path, '/'), "/firmware.bin");
  FILE* file = fopen(path, "r");
  if (file == NULL) abort();
  fclose(file);
}}
"""


def test_a_file_that_looks_beside_itself(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "firmware.bin").touch()
    source = tmp_path / "finds_itself.c"
    source.write_text(_FINDS_ITSELF.format(source=workshop.fixture("bad_backend.c")))
    file = place / "Test_Finds_backend.so"
    workshop.compile(source, file)
    verdict = next(v for v in load(place).load_report if v.path == str(file))
    assert outcome(verdict) == ("loaded", "create", "ok")
    assert verdict.probe is not None


# ---- The host -----------------------------------------------------------------------------------


def test_others_are_used(tmp_path: Path, load: Load, workshop: Workshop) -> None:
    workshop.put(tmp_path, "A", 'BACKEND_ID="A"', 'DEED="abort"', 'SITE="id"', source=SOURCE)
    workshop.put(tmp_path, "B", 'BACKEND_ID="B"', source=SOURCE)
    registry = load(tmp_path, bundled_backends=True)
    assert "B" in registry
    assert "CpuRef" in registry
    assert "A" not in registry
    words = str(registry.not_found("A"))
    assert "GetBackendId ended the process that tried the file" in words
    assert "hint:" in words


def test_a_hanging_file_keeps_no_other_runtime_waiting(
    do: Do, file: Path, load: Load, tmp_path: Path, workshop: Workshop
) -> None:
    do("hang", "constructor")
    workshop.put_id(tmp_path / "other", "Other")
    verdicts: list[Verdict] = []
    slow = threading.Thread(
        target=lambda: verdicts.extend(load(file.parent, probe_seconds=4).load_report)
    )
    slow.start()
    assert "Other" in load(tmp_path / "other")
    assert slow.is_alive()
    slow.join()
    assert [verdict.code for verdict in verdicts] == ["timed-out"]


# A program that a script began in the background ignores Ctrl-C.
_INTERRUPTED = """
import signal, sys
from armnn_py.backends import load_backends
signal.signal(signal.SIGINT, signal.default_int_handler)
print("begun", flush=True)
try:
    load_backends(dynamic_backends_path=sys.argv[1], probe_seconds=60)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_a_probe(do: Do, file: Path) -> None:
    do("hang", "create")
    child = subprocess.Popen(
        [sys.executable, "-c", _INTERRUPTED, str(file.parent)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        text=True,
    )
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        while not (probes := _probes_of(child.pid)):
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        assert child.stdout.read() == "interrupted\n"
    assert child.returncode == 0
    assert not [number for number in probes if Path(f"/proc/{number}").exists()]


def _probes_of(process: int) -> list[int]:
    """Both processes of a probe that the process ``process`` has begun."""
    found: list[int] = []
    for parent in (process, None):
        wanted = parent if parent is not None else (found[0] if found else -1)
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                text = path.read_text()
            except OSError:
                continue
            name, _, rest = text.rpartition(")")
            if name.endswith("(armnn_probe") and int(rest.split()[1]) == wanted:
                found.append(int(text.split()[0]))
    return found if len(found) == 2 else []


def test_a_probe_leaves_no_descriptor_open(do: Do, file: Path, load: Load) -> None:
    load(file.parent).close()  # what is read late
    before = len(list(Path("/proc/self/fd").iterdir()))
    for deed in ("abort", "exit", "fork", "close"):
        do(deed, "create")
        load(file.parent).close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


_FEW_DESCRIPTORS = """
import json, resource, sys, warnings
warnings.simplefilter("ignore")
from armnn_py.backends import load_backends
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
with load_backends(dynamic_backends_path=sys.argv[1], bundled_backends=False) as registry:
    print(json.dumps([[v.code, v.probe is not None] for v in registry.load_report]))
"""


def test_a_process_with_few_descriptors(tmp_path: Path, workshop: Workshop) -> None:
    defines = ['DEED="abort"', 'SITE="id"']
    for number in range(40):
        workshop.put(tmp_path, f"Id{number}", *defines, source=SOURCE)
    assert run_child(_FEW_DESCRIPTORS, tmp_path) == [["died", True]] * 40


def test_files_of_the_package_are_not_tried(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG", "armnn_py.backends"):
        load_backends(dynamic_backends_path=[]).close()
    messages = [record.getMessage() for record in caplog.records]
    assert any(text.startswith("opening ") for text in messages)
    assert not any(text.startswith("trying ") for text in messages)


def test_without_a_probe(
    load: Load, tmp_path: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.put_id(tmp_path, "One")

    def is_tried(**arguments: Any) -> bool:
        with load(tmp_path, **arguments) as registry:  # closed: an open file is not tried again
            return only(registry).probe is not None

    assert not is_tried(probe_seconds=0)
    monkeypatch.setenv("ARMNN_PY_PROBE_SECONDS", "0")
    assert not is_tried()
    assert is_tried(probe_seconds=2)
    assert is_tried(use_environment=False)


@pytest.mark.parametrize("value", ["-1", "soon", "nan", "3601"])
def test_invalid_time_limits(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMNN_PY_PROBE_SECONDS", value)
    with pytest.raises(InvalidArgumentError, match="ARMNN_PY_PROBE_SECONDS"):
        load_backends(dynamic_backends_path=[])
    with pytest.raises(InvalidArgumentError, match="probe_seconds"):
        load_backends(dynamic_backends_path=[], probe_seconds=-1)
    with pytest.raises(InvalidArgumentError, match="probe_seconds"):
        load_backends(dynamic_backends_path=[], probe_seconds="1")  # type: ignore[arg-type]


def test_where_nothing_can_be_tried(
    load: Load,
    tmp_path: Path,
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A file is opened as before, and the log says so once."""
    workshop.put_id(tmp_path, "One")

    def nothing() -> str:
        raise ProbeProgramError("it is not there")

    monkeypatch.setattr("armnn_py.backends.probe.gate._is_told", False)
    monkeypatch.setattr("armnn_py.backends.probe.process.program_path", nothing)
    for _ in range(2):
        assert outcome(only(load(tmp_path))) == ("loaded", "create", "ok")
    warnings = [record for record in caplog.records if record.levelname == "WARNING"]
    assert ["without a probe" in record.getMessage() for record in warnings] == [True]


def test_the_program_says_what_it_is_for() -> None:
    result = subprocess.run([program_path()], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "armnn-py backends check" in result.stderr


@pytest.mark.exhaustive
@pytest.mark.timeout(300)  # some processes wait
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the page has this machine's signals")
def test_the_page_of_faults_is_what_happens() -> None:
    script = REPOSITORY / "scripts" / "generate_fault_table.py"
    done = subprocess.run(
        [sys.executable, str(script), "--sample"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


# ---- Reports ------------------------------------------------------------------------------------

_LINES = [
    b"stage create",
    b"stage nowhere",
    b"entered open " + b"9" * 5000,
    b"forked create",
    b"left 1 0",
    b"ended signal 99999999999999999999999",
    b"ended done 0",
    b"version 2 x",
    b"version 99999999999999999999999 0",
    b"id zz",
    b"id ff00",
    b"library 1 2 3",
    b"library a b c d e",
    b"variable 0",
    b"words " + b"41" * 3000,
    b"end 0123",
    b"end nonce",
    bytes(range(256)),
]


def test_a_report_may_say_anything() -> None:
    """The file shares memory with those who write it."""
    chance = random.Random(7)
    for _ in range(3000):
        lines = chance.choices(_LINES, k=chance.randrange(12))
        data = bytearray(b"\n".join(lines))
        for _ in range(chance.randrange(4)):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        finding = read_report(bytes(data), "nonce", 1.0)
        fault = fault_of(finding)
        assert (fault is None) <= (finding.ended in ("passed", "refused"))
        assert b"end nonce" in data or finding.ended == "gone"
