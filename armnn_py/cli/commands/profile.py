# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py profile``: time by layer, and a timeline for a viewer of traces."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from armnn_py.cli.app import Session, with_session
from armnn_py.cli.commands.inspect import multiply_adds
from armnn_py.cli.help import Command
from armnn_py.cli.networks import assumption
from armnn_py.cli.render import Column, Renderer, format_duration, words_of
from armnn_py.cli.timed import TimedArguments, timed_arguments
from armnn_py.errors import InvalidArgumentError
from armnn_py.network.stages import sub_stage, walk_stages
from armnn_py.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py import BackendEvent, LayerProfile, Network, Profile, TimelineEvent
    from armnn_py.network import Layer, NetworkStorage

_LEAST_PREFIX = 4


@click.command(cls=Command)
@timed_arguments
@click.option(
    "--iterations", type=click.IntRange(min=1), metavar="N", default=50, show_default=True,
    help="Runs that are profiled.",
)  # fmt: skip
@click.option(
    "--top", type=click.IntRange(min=1), metavar="N", default=15, show_default=True,
    help="Show the slowest N.",
)  # fmt: skip
@click.option("--all", "every", is_flag=True, help="Show all, whatever --top says.")
@click.option(
    "--trace", "trace_file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.json",
    help="Write a timeline that Perfetto and chrome://tracing open.",
)  # fmt: skip
@with_session
def profile(
    session: Session,
    *,
    timed: TimedArguments,
    iterations: int,
    top: int,
    every: bool,
    trace_file: Path | None,
) -> None:
    """Run MODEL several times and show where the time goes."""
    if trace_file is not None:
        _require_folder_of(trace_file)
    with timed.warm(session) as warm:
        source, assumed = warm.ready.source, warm.ready.assumed
        with (
            session.progress(f"profiling {timed.given.name}", iterations) as bar,
            warm.ready.network.profile() as recorded,
        ):
            for number in range(iterations):
                warm.run()
                bar.to(number + 1)
        threads = warm.threads
    if trace_file is not None:
        _write(trace_file, chrome_trace(recorded))
    total = sum(layer.total_ns for layer in recorded.layers) or 1
    slowest = recorded.slowest(len(recorded.layers))
    shown = slowest if every else slowest[:top]
    rows = [
        {
            "layer": layer.layer,
            "type": layer.type,
            "backend": layer.backend,
            "kernel": layer.kernel,
            "memory": layer.memory,
            "copied_bytes": layer.copied_bytes,
            "reason": layer.reason,
            "calls": layer.calls,
            "seconds": layer.total_ns * 1e-9,
            "share": layer.total_ns / total,
            "gflops": speed if layer.gflops is None else layer.gflops,
            "expected_seconds": layer.expected_ns * 1e-9 if layer.expected_ns else None,
            "stage": layer.stage,
        }
        for layer, speed in zip(shown, _speeds(source, slowest), strict=False)
    ]
    data = {
        "model": timed.given.model,
        "assumed_shapes": assumed,
        "runs": recorded.runs,
        "run_seconds": recorded.run_ns * 1e-9,
        "threads": threads,
        "copies": recorded.copies,
        "dropped_events": recorded.dropped,
        "counters": recorded.counters,
        "units": recorded.units,
        "notes": list(recorded.notes),
        "layer_count": len(recorded.layers),
        "layers": rows,
        "types": _by_type(source, slowest, total),
        "trace": str(trace_file) if trace_file is not None else None,
    }
    ways = [layer.how for layer in shown]
    backends = list(dict.fromkeys(layer.backend for layer in recorded.layers))
    session.answer(data, lambda renderer: _render(renderer, data, ways, backends))


def _by_type(
    network: Network, layers: Sequence[LayerProfile], total_ns: int
) -> list[dict[str, Any]]:
    """Add up the records of each type, most time first.

    A kernel that computes several layers counts for the one that multiplies, or else the first.
    """
    multiplying = {
        (stage, one.guid): one.type.label
        for stage, members in _members(network).items()
        for one in members
        if multiply_adds(one)
    }
    sums: dict[str, list[int]] = {}
    for layer in layers:
        found = (multiplying.get((layer.stage, guid)) for guid in layer.guids)
        label = next(filter(None, found), None)
        sums.setdefault(label or layer.type.partition(" + ")[0], []).append(layer.total_ns)
    return [
        {"type": label, "rows": len(times), "seconds": sum(times) * 1e-9,
         "share": sum(times) / total_ns}
        for label, times in sorted(sums.items(), key=lambda item: -sum(item[1]))
    ]  # fmt: skip


def _speeds(network: Network, layers: Sequence[LayerProfile]) -> list[float | None]:
    """GFLOP/s of each record; None for one without multiplications of ``network``'s layers.

    A kernel may compute several layers, and a layer may take several kernels. Its multiplications
    count for the kernel with the most layers, then the longest; the others convert or add. Layers
    of stages whose shapes data decide are not known here.
    """
    counts: dict[tuple[str, int | str], int] = {}
    for stage, members in _members(network).items():
        names = Counter(source.name for source in members)
        for source in members:
            count = 2 * (multiply_adds(source) or 0)
            counts[stage, source.guid] = count
            if names[source.name] == 1:
                counts[stage, source.name] = count
    workers: dict[tuple[str, int | str], int] = {}
    order = sorted(range(len(layers)), key=lambda n: (len(layers[n].guids), layers[n].total_ns))
    for index in order:
        workers.update(dict.fromkeys(_keys(layers[index]), index))
    speeds: list[float | None] = []
    for index, layer in enumerate(layers):
        count = sum(counts.get(key, 0) for key in _keys(layer) if workers[key] == index)
        speeds.append(count * layer.calls / layer.total_ns if count and layer.total_ns else None)
    return speeds


def _keys(layer: LayerProfile) -> list[tuple[str, int | str]]:
    return [(layer.stage, key) for key in layer.guids or (layer.layer,)]


def _members(network: NetworkStorage) -> dict[str, Sequence[Layer]]:
    """Return the layers of each stage and body; of a network without stages, all of them."""
    found: dict[str, Sequence[Layer]] = {"": network.layers}
    for called, stage, _ in walk_stages(network):
        if stage.network is not None:
            found[called] = stage.network.layers
        for name, body in stage.bodies.items():
            found[sub_stage(called, name)] = body.layers
    return found


def _require_folder_of(path: Path) -> None:
    """Fail before minutes of runs if their timeline could not be written."""
    folder = path.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        state = "cannot be written to" if folder.is_dir() else "does not exist or is not a folder"
        raise InvalidArgumentError(
            f"timeline '{path}' cannot be written",
            details=[f"'{folder}' {state}"],
            hints=["name a file in a folder that is there"],
        )


def _write(path: Path, document: dict[str, Any]) -> None:
    try:
        path.write_text(json.dumps(document) + "\n", encoding="utf-8")
    except OSError as error:
        raise InvalidArgumentError(
            f"timeline '{path}' cannot be written", details=[words_of(error)]
        ) from error


def _short_names(layers: Sequence[str]) -> tuple[str, list[str]]:
    """Return names for a table: of fused layers the first, all without the prefix that they share.

    The prefix ends with a slash; a short prefix is not dropped, and then it is empty.
    """
    fused = [layer.split(" + ") for layer in layers]
    # A compiled sub-graph is called by its backend and its first layer.
    bare = [members[0].rpartition(": ")[2] for members in fused]
    shared = os.path.commonprefix(bare) if len(bare) > 1 else ""  # noqa: RUF071 (it is cut below)
    prefix = shared[: shared.rfind("/") + 1]
    if len(prefix) < _LEAST_PREFIX:
        prefix = ""
    return prefix, [
        members[0].replace(prefix, "", 1)
        + (f" + {len(members) - 1} more" if len(members) > 1 else "")
        for members in fused
    ]


def _render(renderer: Renderer, data: dict[str, Any], ways: list[str], backends: list[str]) -> None:
    def speed(value: float | None) -> str:
        return "-" if value is None else f"{value:.1f}"

    def expected(row: dict[str, Any]) -> str:
        seconds = row["expected_seconds"]
        return "-" if seconds is None else f"{seconds * 1e3:.3f}"

    several = len(backends) > 1
    is_staged = any(row["stage"] for row in data["layers"])
    is_expected = any(row["expected_seconds"] is not None for row in data["layers"])
    runs = data["runs"] or 1
    shares = [Column("ms/run", right=True, whole=True), Column("share", right=True, whole=True)]
    prefix, names = _short_names([row["layer"] for row in data["layers"]])

    def times(row: dict[str, Any]) -> list[str]:
        return [f"{row['seconds'] * 1e3 / runs:.3f}", f"{row['share'] * 100:.1f} %"]

    renderer.table(
        [
            *shares,
            Column("GFLOP/s", right=True, whole=True),
            *([Column("expected ms", right=True, whole=True)] if is_expected else []),
            *([Column("stage", whole=True)] if is_staged else []),
            Column("layer", cut="middle"),
            *([Column("backend", whole=True)] if several else []),
            Column("kernel", cut="start"),
        ],
        [
            [
                *times(row),
                speed(row["gflops"]),
                *([expected(row)] if is_expected else []),
                *([row["stage"]] if is_staged else []),
                name,
                *([row["backend"]] if several else []),
                how,
            ]
            for row, name, how in zip(data["layers"], names, ways, strict=True)
        ],
    )
    if prefix:
        renderer.line(f"The names of the layers begin with {prefix}")
    renderer.line()
    renderer.table(
        [Column("type"), Column("rows", right=True, whole=True), *shares],
        [[row["type"], str(row["rows"]), *times(row)] for row in data["types"]],
    )
    shown, count = len(data["layers"]), data["layer_count"]
    which = (
        f"slowest {shown} of {counted(count, 'row')} (--all shows the rest)"
        if shown < count
        else counted(count, "row")
    )
    only = f", on {backends[0]}" if len(backends) == 1 else ""
    where = f"; timeline in {data['trace']} (opens in Perfetto or chrome://tracing)"
    renderer.line(
        f"{counted(data['runs'], 'run')} of {format_duration(data['run_seconds'] / runs)} with "
        f"{counted(data['threads'], 'thread')}: {which}{only}{where if data['trace'] else ''}"
    )
    for backend, values in data["counters"].items():
        units = data["units"].get(backend, {})
        shown_values = ", ".join(
            f"{name} {value:g} {units.get(name, '')}".rstrip() for name, value in values.items()
        )
        renderer.line(f"Counters of {backend}: {shown_values}")
    for note in data["notes"]:
        renderer.line(f"note: {note}")
    if data["dropped_events"]:
        lost = counted(data["dropped_events"], "event")
        renderer.line(f"{lost} did not fit into the buffer: the times are too small")
    if data["assumed_shapes"]:
        renderer.line(assumption(data["assumed_shapes"]))


_PROCESS = 1


def chrome_trace(recorded: Profile) -> dict[str, Any]:
    """Return a profile in the Trace Event Format; times in microseconds from the first event."""
    start = min((event.time_ns for event in recorded.timeline), default=0)
    slices = [_slice_of(event, start) for event in recorded.timeline]
    told = [event for event in recorded.events if event.time_ns >= start]
    pairs, marks = _slices_and_marks(told, recorded)
    slices += [_slice_between(begin, end, start) for begin, end in pairs]
    slices.sort(key=lambda event: (event["ts"], -event["dur"]))
    events = slices + [_mark_of(event, start) for event in marks]
    labels: list[dict[str, Any]] = [
        {"name": "process_name", "ph": "M", "pid": _PROCESS, "args": {"name": "armnn_py"}}
    ]
    for thread in sorted({event["tid"] for event in events}):
        label = {"name": f"thread {thread}"}
        labels.append(
            {"name": "thread_name", "ph": "M", "pid": _PROCESS, "tid": thread, "args": label}
        )
    return {"traceEvents": labels + events, "displayTimeUnit": "ms"}


def _slices_and_marks(
    told: list[BackendEvent], recorded: Profile
) -> tuple[list[tuple[BackendEvent, BackendEvent]], list[BackendEvent]]:
    """Pair begins and ends on each thread; return the pairs, and all other events."""
    shown = {(event.thread, event.time_ns, event.kernel) for event in recorded.timeline}
    inner = {guid for layer in recorded.layers for guid in layer.guids}
    opened: dict[int, list[BackendEvent]] = {}
    pairs: list[tuple[BackendEvent, BackendEvent]] = []
    marks: list[BackendEvent] = []

    def is_shown(begin: BackendEvent) -> bool:
        return (begin.thread, begin.time_ns, begin.name) in shown

    for event in told:
        stack = opened.setdefault(event.thread, [])
        if event.phase == "begin":
            stack.append(event)
        elif event.phase == "instant":
            if not (stack and is_shown(stack[-1]) and event.id in inner):
                marks.append(event)
        else:
            begun = [(one.name, one.id) for one in stack]
            if (event.name, event.id) not in begun:
                marks.append(event)
                continue
            while (begin := stack.pop()) and (begin.name, begin.id) != (event.name, event.id):
                marks.append(begin)
            if not is_shown(begin):
                pairs.append((begin, event))
    marks += [begin for stack in opened.values() for begin in stack]
    return pairs, sorted(marks, key=lambda event: event.time_ns)


def _slice_of(event: TimelineEvent, start: int) -> dict[str, Any]:
    return {
        "name": event.layer,
        "cat": event.type,
        "ph": "X",
        "ts": (event.time_ns - start) / 1e3,
        "dur": event.duration_ns / 1e3,
        "pid": _PROCESS,
        "tid": event.thread,
        "args": {
            "type": event.type,
            "backend": event.backend,
            "kernel": event.kernel,
            **({"stage": event.stage} if event.stage else {}),
        },
    }


def _slice_between(begin: BackendEvent, end: BackendEvent, start: int) -> dict[str, Any]:
    return {
        "name": begin.name,
        "cat": "backend",
        "ph": "X",
        "ts": (begin.time_ns - start) / 1e3,
        "dur": (end.time_ns - begin.time_ns) / 1e3,
        "pid": _PROCESS,
        "tid": begin.thread,
        "args": {"id": begin.id, "layer": begin.layer, "backend": begin.backend},
    }


def _mark_of(event: BackendEvent, start: int) -> dict[str, Any]:
    return {
        "name": event.name,
        "cat": "backend",
        "ph": "i",
        "s": "t",
        "ts": (event.time_ns - start) / 1e3,
        "pid": _PROCESS,
        "tid": event.thread,
        "args": {"phase": event.phase, "id": event.id, "layer": event.layer},
    }
