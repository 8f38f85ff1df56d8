# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The group of commands; turns every error into a message and an exit code."""

from __future__ import annotations

import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence

import click
from click.exceptions import Exit, NoArgsIsHelpError
from click.shell_completion import shell_complete

from armnn_py import environment, errors
from armnn_py._version import __version__
from armnn_py.cli import app, completion
from armnn_py.cli.help import Group
from armnn_py.cli.hints import for_commands
from armnn_py.cli.render import printable, shortened
from armnn_py.errors.shortage import as_shortage, shortage_of
from armnn_py.garbage import without_collections

# Command -> its module and function; a module is imported when its command is used.
_COMMANDS = {
    "run": "armnn_py.cli.commands.run:run",
    "inspect": "armnn_py.cli.commands.inspect:inspect",
    "check": "armnn_py.cli.commands.check:check",
    "save": "armnn_py.cli.commands.save:save",
    "compile": "armnn_py.cli.commands.save:compile_model",
    "bench": "armnn_py.cli.commands.bench:bench",
    "profile": "armnn_py.cli.commands.profile:profile",
    "compare": "armnn_py.cli.commands.compare:compare",
    "extract": "armnn_py.cli.commands.extract:extract",
    "graph": "armnn_py.cli.commands.graph:graph",
    "report": "armnn_py.cli.commands.report:report",
    "explore": "armnn_py.cli.commands.explore:explore",
    "serve": "armnn_py.cli.commands.serve:serve",
    "operators": "armnn_py.cli.commands.operators:operators",
    "conformance": "armnn_py.cli.commands.conformance:conformance",
    "backends": "armnn_py.cli.commands.backends:backends",
    "config": "armnn_py.cli.commands.config:config",
    "sdk": "armnn_py.cli.commands.sdk:sdk",
    "doctor": "armnn_py.cli.commands.doctor:doctor",
    "demo": "armnn_py.cli.commands.demo:demo",
}


class _LazyGroup(Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            if ctx.resilient_parsing:
                return None
            near = errors.near_names(cmd_name, list(_COMMANDS), limit=1)
            if near:
                ctx.fail(f"no such command '{cmd_name}', did you mean '{near[0]}'?")
            return None
        module, _, attribute = _COMMANDS[cmd_name].partition(":")
        with without_collections():
            command: click.Command = getattr(importlib.import_module(module), attribute)
        return command


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="armnn-py")
@app.with_session
def cli(session: app.Session) -> None:
    """Run neural networks on vendor backends that are plain C shared objects."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _prepare_streams()
    asked = os.environ.get(completion.VARIABLE) if arguments is None else None
    if asked is not None:
        return shell_complete(cli, {"obj": app.Session()}, "armnn-py", completion.VARIABLE, asked)
    session = app.Session(as_json="--json" in given, debug="--debug" in given)
    code = 0
    try:
        session.debug |= environment.debug()
        with cli.make_context("armnn-py", list(given), obj=session) as context:
            cli.invoke(context)
    except Exit as stop:
        code = stop.exit_code
    except BrokenPipeError:
        # The reader has closed the pipe, as `head` does: nothing more can be written.
        _drop_output()
        return app.EXIT_FAILED
    except (KeyboardInterrupt, Exception) as error:
        code = _report(error, session)
    return _flush(code)


def _prepare_streams() -> None:
    """Make both streams take every text, also one that was closed or cannot show every character.

    A caller who closes a stream does not want it, so what is written there is dropped.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif isinstance(stream, io.TextIOWrapper) and stream.errors != "backslashreplace":
            stream.reconfigure(errors="backslashreplace")


def _flush(code: int) -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        return app.EXIT_FAILED
    except OSError as error:
        _drop_output()
        if code == 0:
            print(f"error: {_words(app.OutputError(error))}", file=sys.stderr)
        return code or app.EXIT_FAILED
    return code


def _drop_output() -> None:
    """Throw away buffered output, which the interpreter would fail to write at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report(error: BaseException, session: app.Session) -> int:
    if not isinstance(error, errors.ArmnnError) and shortage_of(error) != "disk":  # of the answer
        error = as_shortage(error, "run this command") or error
    code = app.exit_code_of(error)
    if isinstance(error, errors.ArmnnError):
        error.hints = tuple(map(for_commands, error.hints))
    if session.debug:
        traceback.print_exception(error)
    if isinstance(error, NoArgsIsHelpError) and not session.as_json:
        error.show()
    elif isinstance(error, app.CommandFailedError) and session.as_json:
        pass  # the command has written its document, which says the same
    elif session.as_json and not isinstance(error, app.OutputError):
        context = getattr(error, "ctx", None)
        name = app.command_name(context) if context is not None else session.command
        try:
            app.write_json(app.error_document(error, command=name))
        except app.OutputError as problem:
            print(f"error: {printable(_words(error), keep=chr(10))}", file=sys.stderr)
            print(f"error: {_words(problem)}", file=sys.stderr)
    else:
        print(f"error: {printable(_words(error), keep=chr(10))}", file=sys.stderr)
    return code


def _words(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, click.ClickException):
        message = shortened(error.format_message().rstrip("."), 500)
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "armnn-py"
        return f"{message[:1].lower()}{message[1:]}\nhint: '{command} --help' shows how to use it"
    if isinstance(error, errors.ArmnnError):
        return str(error)
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"'{error.filename}': {error.strerror.lower()}"
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return f"{type(error).__name__}: {error}\nhint: --debug shows where it happened"
