# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py backends replay``: repeat a recording of a backend's calls."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from armnn_py.cli.app import EXIT_FAILED, CommandFailedError, Session, with_session
from armnn_py.cli.case_options import timeout_option
from armnn_py.cli.help import Command
from armnn_py.cli.render import Column, Renderer, format_shape
from armnn_py.errors import InvalidArgumentError
from armnn_py.text import counted, printable

if TYPE_CHECKING:
    from armnn_py.recording.container import Recording


@click.command(cls=Command)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--show", is_flag=True, help="Show the contents, and run nothing.")
@click.option("--gdb", is_flag=True, help="Run in gdb, which shows where it fails.")
@click.option(
    "--strip", "stripped", type=click.Path(dir_okay=False), metavar="OUT",
    help="Write a recording with random weights and inputs, if it still fails.",
)  # fmt: skip
@timeout_option(60, "For each call; a backend that takes longer hangs.")
@with_session
def replay(
    session: Session, *, file: str, show: bool, gdb: bool, stripped: str | None, timeout: float
) -> None:
    """Repeat the calls recorded in FILE, in another process; exit 1 if they end otherwise.

    A recording needs neither the model nor the program. Runtime(record=FILE) and 'armnn-py run
    --record FILE' write one, and so does the end of an isolated backend's worker.
    """
    from armnn_py.recording.container import read_recording
    from armnn_py.testing.replay import child_of
    from armnn_py.testing.replay import replay as repeated

    recording = read_recording(file)
    data = _contents(file, recording)
    if show:
        session.answer(data, lambda renderer: _render_contents(renderer, data))
        return
    isolate = bool(session.isolated)
    if gdb:
        sys.stdout.flush()
        batch = [] if sys.stdin.isatty() else ["-batch"]
        command = child_of(file, session.backend_paths, isolate=False, tells=False)
        commands = ["-ex", "run", "-ex", "backtrace 8"]
        try:
            os.execvp("gdb", ["gdb", "-q", *batch, *commands, "--args", *command])
        except OSError as error:
            raise InvalidArgumentError(f"gdb cannot be started: {error.strerror}") from error
    found = repeated(file, session.backend_paths, isolate=isolate, timeout=timeout)
    data |= {"is_same": found.is_same, "fails": found.fails, "result": found.words}
    data |= {"replayed": found.calls, "stripped": None, "random": []}
    failure = None
    if not found.is_same:
        failure = CommandFailedError(found.words, exit_code=EXIT_FAILED)
    elif stripped is not None:
        if not found.fails:
            failure = _not_stripped("these calls do not fail")
        else:
            data["random"] = _strip(session, recording, stripped, timeout)
            if data["random"]:
                data["stripped"] = stripped
            else:
                failure = _not_stripped("with random weights they do not fail as recorded")
    session.answer(data, lambda renderer: _render(renderer, data), failure=failure)


def _not_stripped(why: str) -> CommandFailedError:
    return CommandFailedError(f"no stripped recording is written: {why}", exit_code=EXIT_FAILED)


def _strip(session: Session, recording: Recording, target: str, timeout: float) -> list[str]:
    """Write a recording with as few values of the user as it fails with; returns what is random."""
    from armnn_py.recording.container import write_recording
    from armnn_py.testing.replay import replay as repeated
    from armnn_py.testing.replay import strip

    with tempfile.TemporaryDirectory(prefix="armnn-py-") as folder:
        for with_inputs in (True, False):
            made = strip(recording, inputs=with_inputs)
            file = str(Path(folder, "stripped.zip"))
            write_recording(made, file)
            isolate = bool(session.isolated)
            if repeated(file, session.backend_paths, isolate=isolate, timeout=timeout).is_same:
                write_recording(made, target)
                return ["weights", "inputs"] if with_inputs else ["weights"]
    return []


def _contents(file: str, recording: Recording) -> dict[str, Any]:
    return {
        "file": file,
        "written_by": recording.written_by,
        "host": recording.host,
        "backends": recording.backends,
        "end": recording.end or None,
        "parts": [
            {
                "backend": part.backend,
                "layers": [f"{one.name} ({one.type.label})" for one in part.network.layers],
                "model_options": part.model_options,
                "has_state": part.has_state,
                "inputs": [_tensor(info) for info in part.network.inputs.values()],
                "outputs": [_tensor(info) for info in part.network.outputs.values()],
            }
            for part in recording.parts
        ],
        "calls": [{"part": call.part, "status": call.status} for call in recording.calls],
    }


def _tensor(info: Any) -> dict[str, Any]:
    return {"dtype": info.data_type.label, "shape": list(info.static_shape)}


def _render_contents(renderer: Renderer, data: dict[str, Any]) -> None:
    for name, about in data["backends"].items():
        version = f" {about['version']}" if about["version"] else ""
        renderer.line(f"backend: {name}{version}, file {about['file']}")
        renderer.line(f"SHA-256: {about['sha256']}")
        if about["options"]:
            shown = (f"{option}={value}" for option, value in about["options"].items())
            renderer.line(f"options: {', '.join(shown)}")
    host = data["host"]
    renderer.line(
        f"host: armnn_py {data['written_by']}, Python {host['python']}, {host['system']}, "
        f"{host['processor']}"
    )
    rows = []
    for number, part in enumerate(data["parts"]):
        calls = sum(call["part"] == number for call in data["calls"])
        tensors = (
            ", ".join(f"{one['dtype']} {format_shape(one['shape'])}" for one in part[kind])
            for kind in ("inputs", "outputs")
        )
        rows.append([str(number), str(len(part["layers"])), *tensors, str(calls)])
    renderer.table(
        [Column("sub-graph"), Column("layers", right=True), Column("inputs"), Column("outputs"),
         Column("calls", right=True)],
        rows,
    )  # fmt: skip
    for part in data["parts"]:
        renderer.line(f"layers: {printable(', '.join(part['layers']))}")
    renderer.line("with the values of weights, inputs and outputs")
    if data["end"]:
        renderer.line(f"end: {printable(str(data['end'].get('reason')))}")
        for line in data["end"].get("lines", ()):
            renderer.line(f"  {printable(str(line))}")


def _render(renderer: Renderer, data: dict[str, Any]) -> None:
    about = ", ".join(
        f"'{name}'{' ' + one['version'] if one['version'] else ''} ({one['file'] or 'packaged'})"
        for name, one in data["backends"].items()
    )
    calls = counted(len(data["calls"]), "call")
    renderer.line(f"{calls} of {counted(len(data['parts']), 'sub-graph')} on {about}")
    if data["is_same"]:
        renderer.line(data["result"])
    if data["stripped"]:
        renderer.line(f"{data['stripped']} has random {' and '.join(data['random'])}")
