# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py backends``: files, verdicts and folders, one backend in detail, and a lock file."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click
from msgspec import structs

from armnn_py import environment
from armnn_py.backends.loader.search import list_places
from armnn_py.backends.trust.lock_file import (
    LockedBackend,
    hash_of,
    read_lock_file,
    write_lock_file,
)
from armnn_py.cli.app import (
    EXIT_BACKEND,
    CommandFailedError,
    Session,
    backend_values,
    with_session,
)
from armnn_py.cli.commands.backends_new import new
from armnn_py.cli.commands.backends_replay import replay
from armnn_py.cli.commands.backends_test import check, export_cases, report_results, test
from armnn_py.cli.completion import offer_backends
from armnn_py.cli.devices import devices_of, render_devices
from armnn_py.cli.help import Command, Group
from armnn_py.cli.misnamed import misnamed_lines
from armnn_py.cli.render import Column, Renderer
from armnn_py.errors import BackendSkippedWarning, InvalidArgumentError
from armnn_py.isolation.deaths import Deaths
from armnn_py.text import counted, printable, quoted
from armnn_py.types import DataType

if TYPE_CHECKING:
    from armnn_py.backends.options.option import BackendOption
    from armnn_py.runtime import Runtime


@click.group(cls=Group)
@with_session
def backends(session: Session) -> None:
    """Look at backends and the files that they come from."""


@contextlib.contextmanager
def _runtime(session: Session, *wanted: str) -> Iterator[Runtime]:
    """Give a runtime without warnings of refused files, which the answer lists."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BackendSkippedWarning)
        runtime = session.runtime(wanted or None)
    with runtime:
        yield runtime


@backends.command("list")
@with_session
def list_(session: Session) -> None:
    """List every file that was found and the verdict on it; -v also shows foreign files.

    Devices of backends that tell of theirs follow, with the ids by which -b takes them.
    """
    with _runtime(session) as runtime:
        verdicts = runtime.load_report.as_dicts()
        devices, device_errors = devices_of(runtime)
    deaths = Deaths(environment.cache_folder()).recent()

    def render(renderer: Renderer) -> None:
        shown = [v for v in verdicts if session.verbosity > 0 or _is_of_interest(v)]
        renderer.table(
            [Column("id"), Column("file"), Column("api"), Column("from"),
             Column("verdict", verdict=True), Column("why")],
            [
                [v["id"] or "-", _file_name(v), v["version"] or "-", v["place"], v["status"],
                 _why(v)]
                for v in shown
            ],
        )  # fmt: skip
        for verdict in shown:
            if verdict["hint"] and verdict["status"] != "skipped":
                word = "note" if verdict["status"] == "loaded" else "hint"
                renderer.line(f"{word}: {_file_name(verdict)}: {verdict['hint']}")
        for line in misnamed_lines(v for v in verdicts if v not in shown):
            renderer.line(f"{line}; -v shows all")
        if devices:
            render_devices(renderer, devices)
        for error in device_errors.values():
            renderer.line(f"devices: {error}")
        for backend, count in Counter(one.backend for one in deaths).items():
            last = [one for one in deaths if one.backend == backend][-1]
            state = "in quarantine, " if last.is_last else ""
            ends = counted(count, "end")
            renderer.line(f"workers: {backend}: {state}{ends} within a week, last: {last.reason}")
            recorded = [one.recording for one in deaths if one.backend == backend and one.recording]
            if recorded:  # not of each end: a runtime records the first ones
                renderer.line(f"workers: {backend}: last call recorded in {recorded[-1]}")
        counts = Counter(verdict["status"] for verdict in verdicts)
        others = len(verdicts) - len(shown)
        counts["skipped"] -= others
        parts = [f"{count} {status}" for status, count in counts.items() if count]
        if others:
            parts.append(
                f"{counted(others, 'other file')}; -v lists {'it' if others == 1 else 'them'}"
            )
        summary = ", ".join(parts)
        advice = (
            ""
            if len(shown) == counts["loaded"]
            else "; 'armnn-py backends check FILE' explains a verdict"
        )
        renderer.line(f"{summary or 'no backend was found'}{advice}")

    session.answer(
        {
            "verdicts": verdicts,
            "devices": devices,
            "device_errors": device_errors,
            "worker_ends": [structs.asdict(one) for one in deaths],
        },
        render,
    )


def _is_of_interest(verdict: dict[str, Any]) -> bool:
    """Say whether a file was loaded or refused, or was perhaps meant to be a backend."""
    name = _file_name(verdict).lower()
    return verdict["status"] != "skipped" or ("backend" in name and ".so" in name)


def _why(verdict: dict[str, Any]) -> str:
    reason = f"{verdict['stage']}: {verdict['reason']}" if verdict["reason"] else ""
    if verdict["status"] == "skipped" and verdict["hint"]:
        reason += f": {verdict['hint']}"
    return reason


def _file_name(verdict: dict[str, Any]) -> str:
    if verdict["place"] == "static" or verdict["stage"] == "place":
        return str(verdict["path"])
    return os.path.basename(str(verdict["path"]))  # noqa: PTH119 (a Path would alter odd names)


@backends.command()
@click.argument("backend_id", metavar="ID", shell_complete=offer_backends)
@backend_values
@with_session
def show(session: Session, backend_id: str) -> None:
    """Show what the backend ID says of itself, its options, and the layers that it takes.

    ID:1 is its second device.
    """
    from armnn_py.backends.questions.layer_examples import probe_support

    with _runtime(session, backend_id) as runtime:
        backend = runtime.backends[backend_id]
        options = backend.describe_options()
        data: dict[str, Any] = {
            "id": backend.id,
            "api": str(backend.version),
            "vendor_version": backend.vendor_version,
            "description": backend.description,
            "score": backend.score,
            "file": backend.file,
            "place": backend.place,
            "options": [option.as_dict() for option in options],
            "capabilities": dict(backend.capabilities),
            "devices": [structs.asdict(device) for device in backend.devices],
            "counters": [dataclasses.asdict(counter) for counter in backend.counters],
            "cache_files": backend.number_of_cache_files,
            "layers": {
                layer_type.label: [data_type.described for data_type in data_types]
                for layer_type, data_types in probe_support(backend).items()
            },
        }

    def render(renderer: Renderer) -> None:
        renderer.table(
            [Column("field"), Column("value")],
            [[key.replace("_", " "), str(value) if value is not None else "-"]
             for key, value in data.items()
             if not isinstance(value, dict | list) and (value or key != "cache_files")],
        )  # fmt: skip
        items = [f"{name} = {_typed(value)}" for name, value in data["capabilities"].items()]
        renderer.line(f"Capabilities: {', '.join(items) or 'none'}")
        _render_options(renderer, options)
        if data["devices"]:
            render_devices(renderer, data["devices"])
        if data["counters"]:
            renderer.table(
                [Column("counter"), Column("class"), Column("unit"), Column("description")],
                [[c["name"], c["counter_class"], c["unit"], c["description"]]
                 for c in data["counters"]],
            )  # fmt: skip
        _render_layers(renderer, data["layers"])

    session.answer(data, render)


_SWITCHES = {"backend": "--backend-option", "model": "--model-option", "run": "--run-option"}


def _render_options(renderer: Renderer, options: Sequence[BackendOption]) -> None:
    """Write a row for each option, with the value in force if that is not the default."""
    if not options:
        renderer.line("Options: none")
        return

    def value_of(option: BackendOption) -> str:
        value = option.default if option.value is None else option.value
        mark = "" if value == option.default else f" (default {_typed(option.default)})"
        return f"{_typed(value)}{mark}"

    def words_of(option: BackendOption) -> str:
        marks = [word for word in ("secret", "changeable") if getattr(option, word)]
        return option.help + (f" ({', '.join(marks)})" if marks else "")

    renderer.table(
        [Column("option of"), Column("name"), Column("type"), Column("value"), Column("allowed"),
         Column("meaning")],
        [[option.scope, option.name, option.type, value_of(option), option.allowed or "any",
          words_of(option) or "-"] for option in options],
    )  # fmt: skip
    switches = [f"{_SWITCHES[scope]} ID.NAME=VALUE" for scope in _SWITCHES
                if any(option.scope == scope for option in options)]  # fmt: skip
    renderer.line(f"Given by: {', '.join(switches)}")


def _render_layers(renderer: Renderer, layers: dict[str, list[str]]) -> None:
    """Write a row for each layer type that is taken in some form, and a line of the others."""
    renderer.table(
        [Column("layer"), Column("data types")],
        [
            [label, "all" if len(types) == len(DataType) else ", ".join(types)]
            for label, types in sorted(layers.items())
            if types
        ],
    )
    others = sorted(label for label, types in layers.items() if not types)
    if others:
        renderer.line(f"Not taken: {', '.join(others)}")
    renderer.line("Asked about small examples; 'armnn-py check MODEL' asks about a model's layers.")


def _typed(value: object) -> str:
    """Return a value as ``--backend-option`` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@backends.command()
@with_session
def paths(session: Session) -> None:
    """List the folders that are searched, in order; opens no file of them."""
    report, linked = list_places(
        session.backend_paths or None, enable_dynamic_backends=not session.no_dynamic
    )
    places = [
        {"source": place.place, "folder": place.path, "entries": place.entries,
         "ignored": place.reason or None}
        for place in report.places
    ]  # fmt: skip
    hints = {v.path: v.hint for v in report if v.stage == "place" and v.hint}

    def render(renderer: Renderer) -> None:
        rows = (
            [["linked in", "(the library itself)", counted(len(linked), "backend")]]
            if linked
            else []
        )
        for place in places:
            ignored, state = place["ignored"], counted(int(place["entries"] or 0), "file")
            rows.append([str(place["source"]), str(place["folder"]),
                         f"ignored: {ignored}" if ignored else state])  # fmt: skip
        renderer.table(
            [Column("order", right=True), Column("source"), Column("folder"), Column("state")],
            [[str(number), *row] for number, row in enumerate(rows, 1)],
        )
        for path, hint in hints.items():
            renderer.line(f"hint: {path}: {hint}")

    session.answer({"linked": linked, "places": places}, render)


@backends.command(cls=Command)
@click.argument("backend_id", metavar="ID", shell_complete=offer_backends)
@with_session
def release(session: Session, backend_id: str) -> None:
    """Lift the quarantine of the isolated backend ID, whose worker ended too often.

    It ends by itself when the file, a library that it needs or the kernel changes, and after a
    week. 'armnn-py backends list' shows which backends are in quarantine.
    """
    deaths = Deaths(environment.cache_folder())
    held = sorted({one.backend for one in deaths.recent() if one.is_last})
    if not deaths.release(backend_id):
        raise InvalidArgumentError(
            f"backend '{printable(backend_id)}' is not in quarantine",
            details=[f"in quarantine: {quoted(held)}"] if held else [],
        )

    def render(renderer: Renderer) -> None:
        renderer.line(f"'{backend_id}' is used again")

    session.answer({"released": backend_id}, render)


@click.command(cls=Command)
@click.option(
    "--output", "-o", metavar="FILE", help="Where to write it; else where programs look for it."
)
@click.option("--check", is_flag=True, help="Write nothing; fail if the files are not those named.")
@with_session
def lock(session: Session, *, output: str | None, check: bool) -> None:
    """Write the lock file: id, path and hash of each file that loads, but for the package's own.

    With ARMNN_PY_TRUST=locked nothing else is opened. Without it, programs tell of other files.
    """
    path = output or environment.lock_file()
    if path is None:
        raise InvalidArgumentError(
            "the lock file has no default place, because HOME is not set",
            hints=["--output FILE or ARMNN_PY_LOCK_FILE names one"],
        )
    path = os.path.abspath(path)  # noqa: PTH100 (a Path would alter odd names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BackendSkippedWarning)
        runtime = session.runtime(trust=None if check else "warn")
    with runtime:
        found = [
            LockedBackend(
                one.id,
                one.real_path,
                hash_of(one.real_path),
                os.stat(one.real_path).st_size,  # noqa: PTH116
            )
            for one in runtime.load_report.loaded
            if one.id is not None and one.real_path is not None and one.place != "bundled"
        ]
        # If the environment says "locked", other files are not opened here either.
        refused = [
            one.real_path
            for one in runtime.load_report
            if one.code == "not-locked" and one.real_path is not None
        ]
    failure = None
    if check:
        known = read_lock_file(path)
        files = [*(one.path for one in found), *refused]
        others = [file for file in files if known is None or known.find_file(file) is None]
        if others:
            failure = CommandFailedError(
                f"{counted(len(others), 'file')} of backends not named by {path}",
                exit_code=EXIT_BACKEND,
                details=[printable(file) for file in others],
                hints=["if they are meant, 'armnn-py backends lock' names them"],
            )
    else:
        write_lock_file(path, found)
    entries = [
        {"id": one.id, "path": one.path, "sha256": one.sha256, "size": one.size} for one in found
    ]

    def render(renderer: Renderer) -> None:
        renderer.table(
            [Column("id"), Column("file"), Column("sha256")],
            [[one.id, one.path, f"{one.sha256[:16]}..."] for one in found],
        )
        if not check:
            renderer.line(f"{counted(len(found), 'file')} named by {path}")

    session.answer(
        {"file": path, "written": not check, "backends": entries}, render, failure=failure
    )


backends.add_command(check)
backends.add_command(export_cases)
backends.add_command(lock)
backends.add_command(new)
backends.add_command(replay)
backends.add_command(report_results)
backends.add_command(test)
