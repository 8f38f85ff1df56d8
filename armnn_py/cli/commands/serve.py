# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py serve``: models over the Open Inference Protocol."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import click
import msgspec

from armnn_py import Runtime
from armnn_py.cli.app import EXIT_FAILED, CommandFailedError, Session, backend_option, with_session
from armnn_py.cli.completion import offer
from armnn_py.cli.help import Command
from armnn_py.errors import InvalidArgumentError
from armnn_py.text import install_hint

PACKAGES = "starlette uvicorn prometheus-client grpcio protobuf"
"""Packages of the extra `serve`."""

_FILE = click.Path(exists=True, dir_okay=False)
_OF_MODELS = ("instances", "max_batch", "max_delay_ms", "max_queue", "timeout", "ready_when")


@click.command(cls=Command)
@click.argument("models", type=_FILE, nargs=-1, metavar="MODEL...")
@backend_option
@click.option("--config", "file", type=_FILE, metavar="FILE.toml", help="Settings; flags win.")
@click.option(
    "--folder", metavar="DIR", shell_complete=offer("dir"),
    help="Also serve the models of this folder, and read it again when files are renamed there.",
)  # fmt: skip
@click.option("--host", metavar="ADDRESS", help="Where to listen; default: 127.0.0.1.")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="Default: 8000.")
@click.option("--grpc-port", type=click.IntRange(0, 65535), metavar="N", help="Default: no gRPC.")
@click.option("--instances", type=click.IntRange(1), metavar="N", help="Runs of a model at once.")
@click.option(
    "--max-batch", type=click.IntRange(1), metavar="N",
    help="Most rows of a batch of several requests; default: 1, each runs by itself.",
)  # fmt: skip
@click.option(
    "--max-delay-ms", type=click.FloatRange(0), metavar="MS",
    help="How long a request waits for others in its batch; default: 2.",
)  # fmt: skip
@click.option(
    "--max-queue", type=click.IntRange(1), metavar="N",
    help="Requests of a model that wait, before more are refused; default: 256.",
)  # fmt: skip
@click.option(
    "--timeout", type=click.FloatRange(0), metavar="S", help="Of requests that state none."
)
@click.option(
    "--ready-when", type=click.Choice(["ready", "degraded"]),
    help="Whether a model is ready whose backend is lost while another answers; default: degraded.",
)  # fmt: skip
@click.option(
    "--workers", type=click.IntRange(1, 256), metavar="N", default=1,
    help="Processes that share the ports and the processors; default: 1.",
)  # fmt: skip
@click.option("--ssl-certfile", type=_FILE, metavar="FILE.pem", help="Certificate: TLS.")
@click.option("--ssl-keyfile", type=_FILE, metavar="FILE.pem", help="Its key.")
@with_session
def serve(
    session: Session,
    *,
    models: tuple[str, ...],
    backends: tuple[str, ...],
    file: str | None,
    workers: int,
    **flags: Any,
) -> None:
    """Serve models by the Open Inference Protocol v2 until SIGTERM or Ctrl-C.

    A model is named after its file without suffix.
    """
    if session.as_json:
        raise click.UsageError("serve has no --json; '--log-level info' logs requests as JSON")
    try:
        for package in ("starlette", "uvicorn", "prometheus_client", "grpc", "google.protobuf"):
            importlib.import_module(package)
    except ModuleNotFoundError as error:
        raise InvalidArgumentError(
            f"serve needs the package {error.name}",
            hints=[install_hint(PACKAGES, "serve")],
        ) from None
    from armnn_py.serve.app import with_models
    from armnn_py.serve.repository import Repository
    from armnn_py.serve.server import serve as serve_until_signal
    from armnn_py.serve.server import serve_by_workers
    from armnn_py.serve.settings import Settings, read_settings

    settings = Settings() if file is None else read_settings(file)
    given = {name: value for name, value in flags.items() if value is not None}
    of_models = {name: given.pop(name) for name in _OF_MODELS if name in given}
    if backends:
        of_models["backends"] = backends
    defaults = msgspec.structs.replace(settings.defaults, **of_models)
    settings = msgspec.structs.replace(settings, defaults=defaults, **given)
    settings = with_models(settings, models)
    if not settings.models and not settings.folder:
        raise click.UsageError("no models to serve; MODEL, --folder or --config expected")
    with session.runtime() as runtime:
        repository = Repository(settings, runtime)
        with session.progress("loading models"):
            repository.load_all()
        names = ", ".join(sorted({row["name"] for row in repository.index()}))

        def told(address: str) -> None:
            click.echo(f"serving {names} at {address}")

        if workers == 1 and not serve_until_signal(repository, told):
            raise CommandFailedError(
                f"the server cannot listen at {settings.host}:{settings.port}",
                exit_code=EXIT_FAILED,
            )
    if workers > 1:  # what can fail was tried once, and is closed
        repository.let_go()
        serve_by_workers(settings, workers, functools.partial(_runtime_of, session), told)


def _runtime_of(session: Session) -> Runtime:
    """Return the runtime of a worker; called in its process."""
    session.configure()
    return session.runtime()
