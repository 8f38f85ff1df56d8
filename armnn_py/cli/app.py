# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shared by all commands: options, the answer as text or JSON, errors as exit codes."""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

import click
from click.globals import get_current_context
from msgspec import Struct, field

import armnn_py
from armnn_py import environment, errors
from armnn_py._native.table.backend_options import OptionText
from armnn_py.cli.completion import offer, offer_backends
from armnn_py.cli.progress import Bar, shown_progress
from armnn_py.cli.render import Renderer, printable, shortened
from armnn_py.runtime.log_lines import keep_log_levels

if TYPE_CHECKING:
    from armnn_py.runtime import Runtime

EXIT_FAILED, EXIT_USAGE, EXIT_MODEL, EXIT_BACKEND, EXIT_CONFORMANCE = 1, 2, 3, 4, 5
EXIT_SHORTAGE = 6
EXIT_INTERRUPTED = 130

P = ParamSpec("P")
R = TypeVar("R")


class CommandFailedError(errors.ArmnnError):
    """A command's own answer is "no": its document is written, then the exit code is given."""

    def __init__(
        self,
        message: str,
        *,
        exit_code: int,
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        super().__init__(message, details=details, hints=hints)
        self.exit_code = exit_code


class OutputError(errors.ArmnnError):
    """The answer cannot be written where it should go."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(f"the answer cannot be written: {(cause.strerror or str(cause)).lower()}")


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error) from error


class Session(Struct, eq=False):
    """The global options of one call; writes its answer."""

    as_json: bool = False
    debug: bool = False
    verbosity: int = 0
    log_level: str | None = None
    color: str = "auto"
    backend_paths: list[str] = field(default_factory=list)
    backend_options: dict[str, dict[str, str]] = field(default_factory=dict)
    no_dynamic: bool = False
    allowed: list[str] = field(default_factory=list)
    denied: list[str] = field(default_factory=list)
    isolated: list[str] = field(default_factory=list)
    record: str | None = None
    guard: bool = False
    command: str = "armnn-py"

    def runtime(
        self,
        wanted: Sequence[str] | None = None,
        *,
        trust: Literal["open", "warn", "locked"] | None = None,
        isolate: Sequence[str] = (),
    ) -> Runtime:
        """Make a runtime with the folders and options of the command line, if there are any.

        Of ``wanted`` backends alone files are opened; None: of all. ``isolate`` names further
        backends that run in workers.
        """
        return armnn_py.Runtime(
            self.backend_paths or None,
            enable_dynamic_backends=not self.no_dynamic,
            backend_options=self.backend_options or None,
            backends=wanted,
            allowed_backends=self.allowed or None,
            denied_backends=self.denied or None,
            isolate=[*self.isolated, *isolate] or None,
            trust=trust,
            record=self.record,
            guard=self.guard or None,
        )

    def renderer(self) -> Renderer:
        """Return the renderer for standard output."""
        return Renderer(color=self.color)

    @contextlib.contextmanager
    def progress(self, words: str, total: float | None = None) -> Iterator[Bar]:
        """Show ``words`` on a terminal as long as a block runs.

        Not with ``--json``, nor with log lines, which show progress themselves.
        """
        quiet = self.as_json or self.verbosity or self.log_level is not None
        if quiet or not sys.stderr.isatty():
            yield Bar()
            return
        with shown_progress(printable(words), total, color=self.color) as bar:
            yield bar

    def answer(
        self,
        data: Mapping[str, Any],
        render: Callable[[Renderer], None],
        *,
        failure: CommandFailedError | None = None,
    ) -> None:
        """Write the answer once: ``data`` as a JSON document, or as ``render`` writes it.

        Raises
        ------
        CommandFailedError
            ``failure``, if the answer is a "no"; the document says the same.
        """
        if self.as_json:
            document: dict[str, Any] = {"schema": f"armnn-py/{self.command}/1", "ok": True}
            if failure is not None:
                document = error_document(failure, command=self.command)
            write_json({**document, **data})
        else:
            with _writing():
                render(self.renderer())
        if failure is not None:
            raise failure

    def write(self, text: str) -> None:
        """Write an answer that is a document of its own, as it is.

        Raises
        ------
        OutputError
            Standard output does not take it.
        """
        with _writing():
            sys.stdout.write(text)

    def configure(self) -> None:
        """Send log lines and warnings to standard error, at the chosen level."""
        level = self.log_level or {-1: "ERROR", 0: "WARNING", 1: "INFO"}.get(
            min(self.verbosity, 2), "DEBUG"
        )
        logging.basicConfig(
            stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s", force=True
        )
        logging.getLogger("armnn_py").setLevel(level.upper())
        # Warnings and answers report refused files; log lines would repeat it.
        told = self.log_level is None and self.verbosity <= 0
        if self.log_level is not None or self.verbosity:
            keep_log_levels()
        elif environment.log_levels():
            told = False
        logging.getLogger("armnn_py.backends").setLevel(logging.ERROR if told else logging.NOTSET)

        def show(message: Warning | str, *_: Any, **__: Any) -> None:
            if self.verbosity >= 0:
                print(f"warning: {printable(str(message), keep=chr(10))}", file=sys.stderr)

        warnings.showwarning = show


def _store(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def callback(context: click.Context, _parameter: click.Parameter, value: Any) -> None:
        session = context.ensure_object(Session)
        if name in ("verbose", "quiet"):
            session.verbosity += value if name == "verbose" else -int(value)
        elif name in ("backend_paths", "allowed", "denied", "isolated"):
            getattr(session, name).extend(value)
        elif value:
            setattr(session, name, value)

    return callback


def _global_option(name: str, *declarations: str, **settings: Any) -> Callable[[Any], Any]:
    return click.option(*declarations, expose_value=False, callback=_store(name), **settings)


def with_session(function: Callable[..., R]) -> Callable[..., R]:
    """Add the global options, so that they may stand before or after the command's name."""
    options = [
        _global_option("as_json", "--json", is_flag=True, help="One JSON document as the answer."),
        _global_option(
            "backend_paths", "--backend-path", metavar="PATH", multiple=True,
            shell_complete=offer("file"),
            help="Look in this folder, or at this file, instead of the usual folders; repeatable.",
        ),
        _global_option(
            "no_dynamic", "--no-dynamic", is_flag=True,
            help="Open no files: only backends that are linked into the library.",
        ),
        _global_option(
            "allowed", "--allow-backend", metavar="ID", multiple=True,
            help="Use this backend, and no others but those also allowed; repeatable.",
        ),
        _global_option(
            "denied", "--deny-backend", metavar="ID", multiple=True,
            help="Do not use this backend; repeatable.",
        ),
        _global_option(
            "isolated", "--isolate", metavar="ID", multiple=True,
            help="Run this backend in a process of its own, or 'all' third-party ones; repeatable.",
        ),
        _global_option("guard", "--guard", is_flag=True, help="Check backends as they run: slow."),
        _global_option(
            "verbose", "-v", "--verbose", count=True, metavar="", help="More: log lines, rows."
        ),
        _global_option("quiet", "-q", "--quiet", is_flag=True, help="No warnings."),
        _global_option(
            "log_level", "--log-level",
            type=click.Choice(["debug", "info", "warning", "error"]), help="Level of log lines.",
        ),
        _global_option(
            "color", "--color", type=click.Choice(["auto", "always", "never"]),
            help="Colour in the answer.",
        ),
        _global_option("debug", "--debug", is_flag=True, help="Show the traceback of an error."),
    ]  # fmt: skip

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> R:
        context = get_current_context()
        session = context.ensure_object(Session)
        session.command = command_name(context)
        session.configure()
        return function(session, *args, **kwargs)

    command: Any = wrapped
    for option in reversed(options):
        command = option(command)
    return command  # type: ignore[no-any-return]


def backend_values(function: Callable[P, R]) -> Callable[P, R]:
    """Add ``--backend-option ID.NAME=VALUE``, repeatable, for ``Session.backend_options``."""
    decorated: Callable[P, R] = click.option(
        "--backend-option", metavar="ID.NAME=VALUE", multiple=True,
        expose_value=False, callback=_store_backend_options,
        help="An option of a backend, or by ID:1.NAME of one device, repeatable; 'armnn-py "
        "backends show ID' lists them.",
    )(function)  # fmt: skip
    return decorated


def backend_option(function: Callable[P, R]) -> Callable[P, R]:
    """Add ``-b/--backend ID`` and ``--backend-option ID.NAME=VALUE``, both repeatable."""
    decorated: Callable[P, R] = click.option(
        "-b", "--backend", "backends", metavar="ID", multiple=True, shell_complete=offer_backends,
        help="Backend to use, repeatable, in order of preference; ID:1 is its second device, "
        "'ID?' may be absent; default: all by their score.",
    )(backend_values(function))  # fmt: skip
    return decorated


def _store_backend_options(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> None:
    session = context.ensure_object(Session)
    for text in given:
        match = re.fullmatch(r"([^.=]+)\.([^=]+)=(.*)", text, re.DOTALL)
        if match is None:
            raise click.BadParameter(
                f"'{shortened(text, 60)}' is not ID.NAME=VALUE", context, parameter
            )
        backend, name, value = match.groups()
        session.backend_options.setdefault(backend, {})[name] = OptionText(value)


def command_name(context: click.Context | None) -> str:
    """Return ``backends-list`` for ``armnn-py backends list``."""
    names: list[str] = []
    while context is not None and context.parent is not None:
        names.insert(0, context.info_name or "")
        context = context.parent
    return "-".join(names) or "armnn-py"


def exit_code_of(error: BaseException) -> int:
    """Return the exit code that an error stands for."""
    if isinstance(error, CommandFailedError):
        return error.exit_code
    if isinstance(error, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    if isinstance(error, errors.ShortageError):
        return EXIT_SHORTAGE
    if isinstance(error, errors.BackendError):
        return EXIT_BACKEND
    if isinstance(
        error, errors.ModelError | errors.GraphValidationError | errors.NoBackendForLayerError
    ):
        return EXIT_MODEL
    if isinstance(error, click.UsageError | errors.InvalidArgumentError):
        return EXIT_USAGE
    return EXIT_FAILED


def error_document(error: BaseException, *, command: str) -> dict[str, Any]:
    """Return the JSON form of a failure."""
    if isinstance(error, errors.ArmnnError):
        message, details, hints = error.message, list(error.details), list(error.hints)
    elif isinstance(error, click.ClickException):
        message, details, hints = error.format_message(), [], []
    else:
        interrupted = isinstance(error, KeyboardInterrupt)
        message = "interrupted" if interrupted else str(error) or type(error).__name__
        details, hints = [], []
    return {
        "schema": f"armnn-py/{command}/1",
        "ok": False,
        "error": {
            "type": type(error).__name__,
            "message": message,
            "details": details,
            "hints": hints,
            "exit_code": exit_code_of(error),
        },
    }


def write_json(document: Mapping[str, Any]) -> None:
    """Write one strict JSON document: numbers that JSON lacks become null.

    Raises
    ------
    OutputError
        Standard output does not take it.
    """
    text = json.dumps(_strict(document), indent=2, allow_nan=False)
    with _writing():
        print(text)


def _strict(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _strict(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(inner) for inner in value]
    return value
