"""``armnn-py backends``: what was found, why it was refused, where was searched."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import rich_click as click

from armnn_py.cli.app import EXIT_BACKEND, CommandFailedError, Session, with_session
from armnn_py.cli.backends_new import new
from armnn_py.cli.render import Column, Renderer
from armnn_py.errors import BackendSkippedWarning
from armnn_py.text import counted

if TYPE_CHECKING:
    from armnn_py.runtime import Runtime

__all__ = ["backends"]


@click.group()
@with_session
def backends(session: Session) -> None:
    """Look at backends and the files that they come from."""


@contextlib.contextmanager
def _runtime(session: Session) -> Iterator[Runtime]:
    """Give a runtime; refused files are in the answer, so they are not warned of as well."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BackendSkippedWarning)
        runtime = session.runtime()
    with runtime:
        yield runtime


@backends.command("list")
@with_session
def list_(session: Session) -> None:
    """List every file that was met and the verdict on it; -v shows foreign files, too."""
    with _runtime(session) as runtime:
        verdicts = runtime.load_report.as_dicts()

    def render(renderer: Renderer) -> None:
        shown = [v for v in verdicts if v["status"] != "skipped" or session.verbosity > 0]
        renderer.table(
            [Column("id"), Column("file"), Column("api"), Column("from"),
             Column("verdict", verdict=True), Column("why")],
            [
                [v["id"] or "-", _file_name(v), v["version"] or "-", v["place"], v["status"],
                 f"{v['stage']}: {v['reason']}" if v["reason"] else ""]
                for v in shown
            ],
        )  # fmt: skip
        counts = Counter(verdict["status"] for verdict in verdicts)
        others = counts["skipped"] if session.verbosity <= 0 else 0
        parts = [
            f"{count} {status}"
            for status, count in counts.items()
            if status != "skipped" or not others
        ]
        if others:
            parts.append(
                f"{counted(others, 'other file')}; -v lists {'it' if others == 1 else 'them'}"
            )
        summary = ", ".join(parts)
        advice = (
            ""
            if not set(counts) - {"loaded", "skipped"}
            else "; 'armnn-py backends check FILE' explains a verdict"
        )
        renderer.line(f"{summary or 'no backend was found'}{advice}")

    session.answer({"verdicts": verdicts}, render)


def _file_name(verdict: dict[str, Any]) -> str:
    if verdict["place"] == "static" or verdict["stage"] == "place":
        return str(verdict["path"])
    return os.path.basename(str(verdict["path"]))  # noqa: PTH119 (a Path would alter odd names)


@backends.command()
@click.argument("backend_id", metavar="ID")
@with_session
def show(session: Session, backend_id: str) -> None:
    """Show what the backend ID says of itself, and its options."""
    with _runtime(session) as runtime:
        backend = runtime.backends[backend_id]
        data: dict[str, Any] = {
            "id": backend.id,
            "api": str(backend.version),
            "vendor_version": backend.vendor_version,
            "description": backend.description,
            "score": backend.score,
            "file": backend.file,
            "place": backend.place,
            "options": {name: str(value) for name, value in backend.options.items()},
            "capabilities": {name: str(value) for name, value in backend.capabilities.items()},
        }

    def render(renderer: Renderer) -> None:
        renderer.table(
            [Column("field"), Column("value")],
            [[key.replace("_", " "), str(value) if value is not None else "-"]
             for key, value in data.items() if not isinstance(value, dict)],
        )  # fmt: skip
        for key in ("options", "capabilities"):
            items = [f"{name} = {value}" for name, value in data[key].items()]
            renderer.line(f"{key.capitalize()}: {', '.join(items) or 'none'}")

    session.answer(data, render)


@backends.command()
@click.argument("file", type=click.Path())
@with_session
def check(session: Session, file: str) -> None:
    """Take FILE through every step of loading; exit 4 if one fails."""
    from armnn_py.backends.checking import check_file

    verdict, steps = check_file(file)
    rows = [{"step": s.step, "result": s.result, "detail": s.detail} for s in steps]
    data = {"file": file, "loads": verdict.status == "loaded", "steps": rows,
            "verdict": verdict.as_dict()}  # fmt: skip

    def render(renderer: Renderer) -> None:
        renderer.table(
            [Column("step"), Column("result", verdict=True), Column("detail")],
            [[row["step"], row["result"], row["detail"]] for row in rows],
        )
        if verdict.hint:
            renderer.line(f"hint: {verdict.hint}")

    failure = None
    if verdict.status != "loaded":
        failure = CommandFailedError(
            f"'{file}' does not load, step {verdict.stage}: {verdict.reason}",
            exit_code=EXIT_BACKEND,
        )
    session.answer(data, render, failure=failure)


@backends.command()
@with_session
def paths(session: Session) -> None:
    """List the folders that are searched, in order."""
    with _runtime(session) as runtime:
        places = [
            {"source": place.place, "folder": place.path, "entries": place.entries,
             "ignored": place.reason or None}
            for place in runtime.load_report.places
        ]  # fmt: skip
        linked = [v.path for v in runtime.load_report if v.place == "static"]

    def render(renderer: Renderer) -> None:
        rows = (
            [
                [
                    "linked in",
                    "(the library itself)",
                    f"{len(linked)} backend{'s' if len(linked) != 1 else ''}",
                ]
            ]
            if linked
            else []
        )
        for place in places:
            ignored, count = place["ignored"], place["entries"]
            state = f"{count} files" if count != 1 else "1 file"
            rows.append([str(place["source"]), str(place["folder"]),
                         f"ignored: {ignored}" if ignored else state])  # fmt: skip
        renderer.table(
            [Column("order", right=True), Column("source"), Column("folder"), Column("state")],
            [[str(number), *row] for number, row in enumerate(rows, 1)],
        )

    session.answer({"linked": linked, "places": places}, render)


backends.add_command(new)
