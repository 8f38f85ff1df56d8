# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""backends check: files whose code ends the process, and files that export too much."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from armnn_py.backends.loader.checking import STEPS
from armnn_py.testing.deep import DEEP_STEPS
from tests.processes import await_end

from .conftest import DEMO, Command

REPOSITORY = Path(__file__).resolve().parents[2]
DEEDS = REPOSITORY / "tests" / "fixtures" / "deed_backend.c"
SOURCE = REPOSITORY / "tests" / "fixtures" / "bad_backend.c"
INCLUDE = REPOSITORY / "native" / "include"


def build(folder: Path, *flags: str, extra: str = "") -> Path:
    """Compile the backend of the loader's tests, and ``extra`` behind it."""
    path = folder / "Test_Dying_backend.so"
    source = folder / "source.c"
    source.write_text(f'#include "{SOURCE}"\n{extra}\n')
    visibility = [] if "-fvisibility=default" in flags else ["-fvisibility=hidden"]
    command = ["cc", "-std=gnu11", "-shared", "-fPIC", *visibility, f"-I{INCLUDE}", *flags]
    subprocess.run([*command, str(source), "-o", str(path)], check=True)
    return path


LATER_CONSTRUCTOR = "__attribute__((constructor)) static void second(void)"
CONSTRUCTOR = "__attribute__((constructor)) static void first(void)"


@pytest.mark.exhaustive(kept=1)
@pytest.mark.parametrize(
    ("extra", "flags", "step", "said"),
    [
        pytest.param(f"#include <signal.h>\n{CONSTRUCTOR} {{ raise(SIGSEGV); }}", [], "open",
                     "signal 11 (SIGSEGV)", id="constructor crashes"),
        pytest.param(f"{CONSTRUCTOR} {{ abort(); }}", [], "open", "signal 6 (SIGABRT)",
                     id="constructor aborts"),
        pytest.param(f"#include <unistd.h>\n{CONSTRUCTOR} {{ _exit(7); }}", [], "open",
                     "the process ended with exit code 7", id="constructor ends the process"),
        pytest.param("", ["-DBACKEND_ID=(abort(),(char*)0)", "-DSILENT_LIBRARY",
                          '-DINSTANCE_ID="x"'], "id",
                     "signal 6 (SIGABRT)", id="GetBackendId aborts"),
        pytest.param("", ["-DCREATE_STATUS=(abort(),0)"], "create", "signal 6 (SIGABRT)",
                     id="create aborts"),
        pytest.param("__attribute__((destructor)) static void last(void) { abort(); }", [],
                     "create", "it was made, and when it was closed: signal 6 (SIGABRT)",
                     id="destructor aborts"),
    ],
)  # fmt: skip
def test_file_that_ends_the_process_is_reported_with_its_step(
    command: Command, tmp_path: Path, extra: str, flags: list[str], step: str, said: str
) -> None:
    if any("BACKEND_ID=(" in flag for flag in flags):
        extra = ""
        flags = ["-include", str(tmp_path / "before.h"), "-DBACKEND_ID=ended()",
                 "-DSILENT_LIBRARY", '-DINSTANCE_ID="x"']  # fmt: skip
        (tmp_path / "before.h").write_text(
            "#include <stdlib.h>\nstatic const char* ended(void) { abort(); }\n"
        )
    path = build(tmp_path, *flags, extra=extra)
    answer = command("backends", "check", path, "--json")
    assert answer.code == 4
    steps = {row["step"]: (row["result"], row["detail"]) for row in answer.json["steps"]}
    assert steps[step] == ("died", said)
    results = [row["result"] for row in answer.json["steps"]]
    reached = STEPS.index(step)
    assert results == ["ok"] * reached + ["died"] + ["not tried"] * (len(STEPS) - reached - 1)
    text = command("backends", "check", path)
    assert text.code == 4
    assert f"step {step}: {said}" in text.err
    assert "hint: " in text.out


def test_backend_output_is_kept_out_of_the_answer(command: Command, tmp_path: Path) -> None:
    path = build(tmp_path, extra=f'{CONSTRUCTOR} {{ puts("hello"); }}')
    answer = command("backends", "check", path, "--json")
    assert answer.json["loads"] is True
    assert "hello" in answer.err


def test_check_needs_nothing_of_the_working_folder(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = build(tmp_path)
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong module')\n")
    (tmp_path / "armnn_py.py").write_text("raise SystemExit('the wrong module')\n")
    monkeypatch.chdir(tmp_path)
    assert command("backends", "check", path.name).code == 0


def test_names_that_are_exported_beside_the_three_are_noted(
    command: Command, tmp_path: Path
) -> None:
    (row,) = (
        step
        for step in command("backends", "check", build(tmp_path), "--json").json["steps"]
        if step["step"] == "symbols"
    )
    assert row["result"] == "ok"
    extra = "int zlib_like(void) { return 1; }\nint another_global = 2;"
    path = build(tmp_path, "-fvisibility=default", extra=extra)
    answer = command("backends", "check", path, "--json")
    assert answer.code == 0
    (row,) = (step for step in answer.json["steps"] if step["step"] == "symbols")
    assert row["result"] == "note"
    assert "also 2 more: another_global, zlib_like" in row["detail"]


def test_error_of_bytes_that_are_no_text_is_short(command: Command, tmp_path: Path) -> None:
    text = '-DCREATE_TEXT="' + "\\377" * 300 + '"'
    path = build(tmp_path, text, "-DCREATE_STATUS=ARMNN_STATUS_INTERNAL")
    answer = command("backends", "check", path, "--json")
    assert answer.code == 4
    assert "(300 bytes that are not text)" in answer.json["verdict"]["reason"]
    path = build(tmp_path, '-DBACKEND_ID="' + "\\377" * 60 + '"')
    reason = command("backends", "check", path, "--json").json["verdict"]["reason"]
    assert "which is not UTF-8" in reason
    assert len(reason) < 200


def hanging_check(folder: Path) -> subprocess.Popen[bytes]:
    """Start a check of a file whose constructor does not return; it has begun."""
    words = "#include <unistd.h>\n#include <stdio.h>\n"
    path = build(
        folder,
        extra=f'{words}{CONSTRUCTOR} {{ fputs("here\\n", stderr); for (;;) pause(); }}',
    )
    command = [sys.executable, "-m", "armnn_py", "backends", "check", "--timeout", "500", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr is not None
    assert process.stderr.readline() == b"here\n"
    return process


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, b"error: interrupted\n"), (signal.SIGKILL, -9, b"")],
    ids=["Ctrl-C", "killed"],
)
def test_check_that_is_ended_leaves_no_process_behind(
    tmp_path: Path, number: int, code: int, said: bytes
) -> None:
    """Both streams, which the backend holds, close when the last process has ended."""
    process = hanging_check(tmp_path)
    process.send_signal(number)
    assert process.communicate(timeout=60) == (b"", said)
    assert process.returncode == code


@pytest.mark.exhaustive(kept=1)
@pytest.mark.parametrize(
    ("flags", "extra", "step", "when"),
    [
        (["-DCREATE_STATUS=(pause(),0)", "-includeunistd.h"], "", "create", ""),
        ([], f"#include <unistd.h>\n{CONSTRUCTOR} {{ for (;;) pause(); }}", "open", ""),
        ([], "#include <unistd.h>\n__attribute__((destructor)) static void last(void) "
         "{ for (;;) pause(); }", "create", "it was made, and when it was closed: "),
    ],
    ids=["create", "constructor", "destructor"],
)  # fmt: skip
def test_file_that_never_returns_is_reported_with_its_step(
    command: Command, tmp_path: Path, flags: list[str], extra: str, step: str, when: str
) -> None:
    path = build(tmp_path, *flags, extra=extra)
    answer = command("backends", "check", path, "--timeout", "2", "--json")
    assert answer.code == 4
    steps = {row["step"]: (row["result"], row["detail"]) for row in answer.json["steps"]}
    assert steps[step] == ("timed out", f"{when}did not return within 2 s")
    assert answer.json["verdict"]["code"] == "timed-out"
    assert "does not return" in answer.json["verdict"]["hint"]


@pytest.mark.parametrize(
    ("step", "function"),
    [("open", CONSTRUCTOR), ("id", "void a_function_that_nobody_has(void)")],
    ids=["a constructor", "GetBackendId"],
)
def test_a_file_that_other_programs_refuse_as_too_slow(
    command: Command, tmp_path: Path, step: str, function: str
) -> None:
    """The probe of other programs has 1 s, a step of this command has 10."""
    flags = ["-DUNDEFINED_FUNCTION"] if step == "id" else []
    path = build(tmp_path, *flags, extra=f"#include <unistd.h>\n{function} {{ usleep(1300000); }}")
    answer = command("backends", "check", path)
    assert answer.code == 0
    (row,) = (line for line in answer.out.splitlines() if line.startswith(f"{step} "))
    assert " note " in row
    assert "programs of users give loading 1 s in all and refuse the file: ARMNN" in answer.out
    found = command("--backend-path", tmp_path, "backends", "list")
    assert "did not return within 1 s" in " ".join(found.out.split())


def test_a_file_that_states_how_long_it_takes(command: Command, tmp_path: Path) -> None:
    slow = f"#include <unistd.h>\n{CONSTRUCTOR} {{ usleep(1300000); }}\n"
    stated = '#include "armnn/loading_time.h"\nARMNN_LOADING_SECONDS(30)\n'
    path = build(tmp_path, extra=slow + stated)
    answer = command("backends", "check", path)
    assert answer.code == 0
    assert " note " not in answer.out
    found = command("--backend-path", tmp_path, "backends", "list", "--json")
    (verdict,) = (one for one in found.json["verdicts"] if one["path"] == str(path))
    assert verdict["status"] == "loaded"


@pytest.mark.exhaustive
def test_deep_runs_networks_in_processes_of_their_own(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "Test_Deed_backend.so"
    include = f"-I{INCLUDE}"
    subprocess.run(["cc", "-shared", "-fPIC", include, str(DEEDS), "-o", str(path)], check=True)
    answer = command("backends", "check", path, "--deep", "--json")
    assert answer.code == 0, answer.err
    rows = {row["step"]: row["result"] for row in answer.json["steps"]}
    assert list(rows) == [*STEPS, *DEEP_STEPS]
    assert set(rows.values()) <= {"ok", "note"}
    monkeypatch.setenv("DEED_Deed", "abort")
    monkeypatch.setenv("SITE_Deed", "execute")
    assert command("backends", "check", path).code == 0
    answer = command("backends", "check", path, "--deep", "--json")
    assert answer.code == 4
    assert answer.json["loads"] is True
    (failure,) = answer.json["failures"]
    assert (failure["step"], failure["result"]) == ("execute", "died")
    text = command("backends", "check", path, "--deep")
    assert text.code == 4
    assert f"'{path}' loads; step execute: ElementwiseUnary of float32 " in text.err
    assert "signal 6 (SIGABRT) in execute of layer 'layer'" in text.err
    monkeypatch.setenv("SITE_Deed", "create")  # what does not load is not run
    steps = command("backends", "check", path, "--deep", "--json").json["steps"]
    assert [row["step"] for row in steps] == list(STEPS)


@pytest.mark.parametrize("deed", ["fork_hang", "program"])
@pytest.mark.parametrize("then", ["", "for (;;) pause();", "abort();"])
def test_no_process_of_its_group_is_left(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: str, then: str
) -> None:
    path, noted = tmp_path / "Test_Deed_backend.so", tmp_path / "processes.txt"
    source = tmp_path / "source.c"
    source.write_text(f'#include "{DEEDS}"\n{LATER_CONSTRUCTOR} {{ {then} }}\n')
    subprocess.run(
        ["cc", "-std=gnu11", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{INCLUDE}",
         str(source), "-o", str(path)], check=True,
    )  # fmt: skip
    monkeypatch.setenv("DEED_Deed", deed)
    monkeypatch.setenv("SITE_Deed", "create" if not then else "constructor")
    monkeypatch.setenv("ARMNN_TEST_PROCESSES", str(noted))
    answer = command("backends", "check", path, "--timeout", "2", "--json")
    started = [int(line.split()[1]) for line in noted.read_text().splitlines()]
    assert started
    await_end(started)
    assert answer.json["verdict"]["code"] == {"": "ok", "abort();": "died"}.get(then, "timed-out")


OPTIONS = ("-DOPTIONS", '-DBACKEND_ID="Test"')


@pytest.mark.parametrize("name", ["run", "check"])
def test_backend_options_get_their_types(command: Command, tmp_path: Path, name: str) -> None:
    build(tmp_path, *OPTIONS)
    options = ["echo=true", "threads=-7", "cache_size=9", "ratio=2", "device=5"]
    given = [part for text in options for part in ("--backend-option", f"Test.{text}")]
    seed = ["--random", "1"] if name == "run" else []
    answer = command("--backend-path", tmp_path, name, DEMO, *seed, *given, "-b", "CpuRef")
    assert answer.code == 0, answer.err
    # Name, type of armnn_option_type_e, integer, float, text: what the backend was given.
    assert ("given: echo/0=1|0| threads/1=-7|0| cache_size/2=9|0| ratio/3=0|2| device/4=0|0|5"
            in answer.err)  # fmt: skip


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("Test.threads=many", "option 'threads' is 'many', a value of type int expected"),
        ("Test.cache_size=-1", "option 'cache_size' is -1, a value of type uint from 0 to"),
        ("Test.echo=maybe", "option 'echo' is 'maybe', a value of type bool expected"),
        ("Test.thread=1", "did you mean 'threads'?"),
        ("Nobody.threads=1", "backend 'Nobody' is not loaded"),
        ("threads=1", "'threads=1' is not ID.NAME=VALUE"),
        ("Test.threads", "'Test.threads' is not ID.NAME=VALUE"),
    ],
)
def test_wrong_backend_option_is_wrong_usage(
    command: Command, tmp_path: Path, option: str, said: str
) -> None:
    build(tmp_path, *OPTIONS)
    answer = command("--backend-path", tmp_path, "check", DEMO, "--backend-option", option)
    assert answer.code == 2
    assert said in answer.err


def test_show_gives_options_with_their_types(command: Command, tmp_path: Path) -> None:
    build(tmp_path, *OPTIONS)
    answer = command("--backend-path", tmp_path, "backends", "show", "Test", "--json")
    values = {one["name"]: one["value"] for one in answer.json["options"]}
    assert values == {
        "echo": False, "threads": 3, "cache_size": 64, "ratio": 0.5, "device": "first",
    }  # fmt: skip
    assert values["echo"] is False
    text = command("--backend-path", tmp_path, "backends", "show", "Test").out
    assert re.search(r"\nbackend +echo +bool +false +any", text)


@pytest.mark.parametrize(
    "text",
    [
        "no JSON", "[1]", "\\\\xff", '{\\"step\\": 5}', '{\\"step\\": \\"nowhere\\"}',
        '{\\"error\\": 1}', '{\\"verdict\\": 1}', '{\\"verdict\\": {\\"id\\": 1}}',
    ],
)  # fmt: skip
def test_a_file_that_forges_messages(command: Command, tmp_path: Path, text: str) -> None:
    forge = (
        "#include <unistd.h>\n#include <sys/stat.h>\n"
        f"{CONSTRUCTOR} {{\n"
        f'  static const char text[] = "{text}\\n";\n'
        "  for (int i = 3; i < 64; ++i) {\n"
        "    struct stat status;\n"
        "    if (fstat(i, &status) == 0 && S_ISFIFO(status.st_mode))\n"
        "      if (write(i, text, sizeof text - 1) < 0) continue;\n"
        "  }\n}"
    )
    answer = command("backends", "check", build(tmp_path, extra=forge), "--json")
    assert answer.code == 4
    assert "wrote to the pipe of the process that checks it" in str(answer.json)
