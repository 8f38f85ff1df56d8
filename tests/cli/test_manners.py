# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Common to all commands: channels, JSON, exit codes, pipes, interrupts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from armnn_py import errors
from armnn_py.cli import app
from armnn_py.cli import main as main_module
from armnn_py.cli.commands import doctor

from .conftest import DEMO, SCHEMA, Command

MODULE = [sys.executable, "-m", "armnn_py"]


def test_every_command_is_in_the_help(command: Command) -> None:
    answer = command("--help")
    assert answer.code == 0
    for name in ("run", "inspect", "check", "backends", "config", "doctor", "demo"):
        assert f" {name} " in answer.out
    for name in ("list", "show", "check", "paths", "new"):
        assert f" {name} " in command("backends", "--help").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["bogus"], "no such command 'bogus'", id="unknown command"),
        pytest.param(["inspct", "x"], "did you mean 'inspect'?", id="near command"),
        pytest.param(["run"], "missing argument 'model'", id="missing argument"),
        pytest.param(["run", "no/such.onnx"], "'no/such.onnx' does not exist", id="no file"),
        pytest.param(["doctor", "--bogus"], "no such option", id="unknown option"),
    ],
)
def test_wrong_usage_is_code_2_and_a_message_on_stderr(
    command: Command, arguments: list[str], said: str
) -> None:
    answer = command(*arguments)
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.startswith("error: ")
    assert said in answer.err.lower()
    assert "hint: " in answer.err


def test_wrong_usage_as_json_is_one_document(command: Command) -> None:
    answer = command("--json", "run", "no/such.onnx")
    assert answer.code == 2
    assert answer.json["schema"] == "armnn-py/run/1"
    assert answer.err == ""


@pytest.mark.parametrize("where", ["before", "after"])
def test_global_options_stand_before_or_after_the_command(command: Command, where: str) -> None:
    arguments = ["--json", "doctor"] if where == "before" else ["doctor", "--json"]
    assert command(*arguments).json["schema"] == "armnn-py/doctor/1"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.ArmnnError("x"), 1),
        (errors.ExecutionError("x"), 1),
        (OSError("x"), 1),
        (RuntimeError("x"), 1),
        (errors.InvalidArgumentError("x"), 2),
        (errors.UnknownNameError("x"), 2),
        (errors.ParseError("x"), 3),
        (errors.UnsupportedOperatorError("x"), 3),
        (errors.NoBackendForLayerError("x"), 3),
        (errors.GraphValidationError("x"), 3),
        (errors.BackendNotFoundError("x"), 4),
        (errors.BackendUnavailableError("x"), 4),
        (KeyboardInterrupt(), 130),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_exit_code_of_each_error(error: BaseException, code: int) -> None:
    assert app.exit_code_of(error) == code


def fail_in_doctor(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail() -> None:
        raise error

    from armnn_py.cli.commands import doctor

    monkeypatch.setattr(doctor, "_cpu", fail)


@pytest.mark.parametrize("as_json", [False, True])
def test_ctrl_c_is_code_130(
    command: Command, monkeypatch: pytest.MonkeyPatch, as_json: bool
) -> None:
    fail_in_doctor(monkeypatch, KeyboardInterrupt())
    answer = command("doctor", *(["--json"] if as_json else []))
    assert answer.code == 130
    if as_json:
        assert answer.json["error"]["message"] == "interrupted"
    else:
        assert answer.err == "error: interrupted\n"


def test_an_internal_error_is_reported_without_a_traceback(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_in_doctor(monkeypatch, ZeroDivisionError("oops"))
    answer = command("doctor")
    assert answer.code == 1
    assert answer.err == "error: ZeroDivisionError: oops\nhint: --debug shows where it happened\n"


@pytest.mark.parametrize("how", ["option", "variable"])
def test_debug_shows_the_traceback(
    command: Command, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    fail_in_doctor(monkeypatch, ZeroDivisionError("oops"))
    if how == "variable":
        monkeypatch.setenv("ARMNN_PY_DEBUG", "1")
    answer = command("doctor", *(["--debug"] if how == "option" else []))
    assert "Traceback (most recent call last)" in answer.err
    assert "in fail" in answer.err


def test_wrong_variable_is_wrong_usage(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMNN_PY_NO_ENTRY_POINTS", "maybe")
    answer = command("backends", "list")
    assert answer.code == 2
    assert "ARMNN_PY_NO_ENTRY_POINTS: 'maybe' given" in answer.err


def test_reader_that_goes_away_is_not_an_error() -> None:
    process = subprocess.Popen(
        [*MODULE, "inspect", str(DEMO), "--layers"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=120)
    assert err == b""


def test_interrupted_process_ends_with_code_130(tmp_path: Path) -> None:
    program = (
        "import sys, os, signal\n"
        "from armnn_py.cli import main\n"
        "from armnn_py.cli.commands import doctor\n"
        "doctor._cpu = lambda: os.kill(os.getpid(), signal.SIGINT) or ('ok', '')\n"
        "sys.exit(main.main(['doctor']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 130
    assert done.returncode != -signal.SIGINT
    assert done.stderr == "error: interrupted\n"


def test_pipe_gets_whole_lines_without_colour(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 40)
    folder.mkdir()
    environment = {**os.environ, "TERM": "dumb", "COLUMNS": "60"}
    done = subprocess.run(
        [*MODULE, "--backend-path", str(folder), "backends", "paths"],
        capture_output=True, text=True, check=True, env={**environment, "COLUMNS": ""},
    )  # fmt: skip
    assert str(folder) in done.stdout
    assert "\x1b" not in done.stdout
    assert not any(line.endswith(" ") for line in done.stdout.splitlines())


def test_colour_on_demand(command: Command) -> None:
    assert "\x1b[" in command("doctor", "--color", "always").out
    assert "\x1b[" not in command("doctor", "--color", "never").out


def test_no_color_and_force_color(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in command("doctor").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in command("doctor").out


def test_both_ways_to_start_are_the_same() -> None:
    as_module = subprocess.run([*MODULE, "--version"], capture_output=True, text=True, check=True)
    program = f"import sys; sys.argv[0] = 'armnn-py'; from {main_module.__name__} import main; "
    as_script = subprocess.run(
        [sys.executable, "-c", f"{program}sys.exit(main(['--version']))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert as_module.stdout == as_script.stdout
    assert as_module.stdout.startswith("armnn-py, version ")


def test_importing_the_package_brings_no_terminal_library() -> None:
    program = "import sys, json, armnn_py; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    modules = set(json.loads(done.stdout))
    assert not modules & {"rich", "click", "rich_click", "onnx", "PIL", "importlib.metadata"}


def test_one_schema_has_an_entry_for_every_command(command: Command) -> None:
    schema = json.loads(Path(command("config", "--schemafile").out.strip()).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    groups = {name: main_module.cli.get_command(None, name) for name in main_module._COMMANDS}
    names = {"armnn-py", *groups}
    for name, group in groups.items():
        names |= {f"{name}-{inner}" for inner in getattr(group, "commands", ())}
    entries = {option["$ref"].removeprefix("#/$defs/") for option in schema["oneOf"]}
    assert entries == names
    for name in entries:
        constant = schema["$defs"][name]["properties"]["schema"]["const"]
        assert constant == f"armnn-py/{name}/1"


@pytest.mark.parametrize(
    ("document", "is_valid"),
    [
        ({"schema": "armnn-py/config/1", "ok": True, "version": "1"}, True),
        ({"schema": "armnn-py/config/1", "ok": True, "version": 1}, False),
        ({"schema": "armnn-py/config/1", "ok": True, "verson": "1"}, False),
        ({"schema": "armnn-py/config/1", "ok": False}, False),
        ({"schema": "armnn-py/bogus/1", "ok": True}, False),
        ({"schema": "armnn-py/doctor/1", "ok": True, "healthy": True}, False),
    ],
)
def test_schema_distinguishes_answers(document: dict[str, object], is_valid: bool) -> None:
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(document) is is_valid


@pytest.mark.parametrize("name", ["run", "bench", "profile"])
def test_help_shows_no_unusual_numbers(command: Command, name: str) -> None:
    text = command(name, "--help").out
    assert "9223372036854775807" not in "".join(text.split())
    assert "INTEGER" not in text
    assert "TEXT" not in text


def test_packages_that_doctor_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Doctor names the packages of each importer."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    level, words = doctor._extras()
    assert level == "note"
    for package, name in (("onnx", "ONNX"), ("flatbuffers", "TensorFlow Lite")):
        assert f"no {name} models: pip install {package}" in words
