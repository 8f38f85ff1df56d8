# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py bench``: latency and throughput of models on this machine."""

from __future__ import annotations

import json
import math
import multiprocessing
import platform
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from armnn_py._native.memory.process_memory import peak_bytes
from armnn_py.cli.app import Session, with_session
from armnn_py.cli.help import Command
from armnn_py.cli.networks import assumption
from armnn_py.cli.render import Column, Renderer, format_duration, words_of
from armnn_py.cli.timed import EnergyMeter, TimedArguments, timed_arguments
from armnn_py.errors import ArmnnError, InvalidArgumentError
from armnn_py.text import counted, format_bytes, printable

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_MOST_CALLERS = 256


def read_callers(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> tuple[int, ...]:
    """Read ``4``, or ``1:8`` as 1, 2, 4 and 8 callers."""
    if value is None:
        return ()
    first, _, last = value.partition(":")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise click.BadParameter(f"'{value}' given, a number or FIRST:LAST expected")
    least, most = int(first), int(last or first)
    if not 1 <= least <= most <= _MOST_CALLERS:
        raise click.BadParameter(f"'{value}' given, 1 to {_MOST_CALLERS} callers expected")
    counts = [least]
    while counts[-1] * 2 < most:
        counts.append(counts[-1] * 2)
    return tuple(dict.fromkeys([*counts, most]))


def measure_callers(
    run: Callable[[], float], counts: Sequence[int], seconds: float, least_runs: int
) -> list[dict[str, Any]]:
    """Run from so many threads at once, one count after the other.

    Parameters
    ----------
    run
        Runs once and returns its seconds; called by several threads.
    counts
        Numbers of threads.
    seconds
        How long each number of threads runs.
    least_runs
        Runs of each thread at least.

    Returns
    -------
    list of dict
        For each count: its runs, throughput and percentiles.
    """
    rows = []
    for count in counts:
        ready = threading.Barrier(count + 1)

        def call(ready: threading.Barrier = ready) -> list[float]:
            times: list[float] = []
            ready.wait()
            end = time.perf_counter() + seconds
            while len(times) < least_runs or time.perf_counter() < end:
                times.append(run())
            return times

        with ThreadPoolExecutor(count) as pool:
            calls = [pool.submit(call) for _ in range(count)]
            ready.wait()
            start = time.perf_counter()
            times = [taken for one in calls for taken in one.result()]
            elapsed = time.perf_counter() - start
        rows.append(
            {
                "callers": count,
                "runs": len(times),
                "runs_per_second": len(times) / elapsed,
                **percentiles(times),
            }
        )
    return rows


def percentiles(times: Sequence[float]) -> dict[str, float]:
    """Return the median, and the times that 90 % and 99 % of the runs do not exceed."""
    ordered = sorted(times)

    def percentile(share: float) -> float:
        return ordered[math.ceil(share * len(ordered)) - 1]

    return {
        "p50_seconds": statistics.median(ordered),
        "p90_seconds": percentile(0.90),
        "p99_seconds": percentile(0.99),
    }


_LEAST_RUNS = 3
_SCHEMA = "armnn-py/bench/1"
#: Metric: its key in the answer, and how it is shown; less is better for all but throughput.
_METRICS = (
    ("load", "load_seconds"),
    ("first run", "first_seconds"),
    ("p50", "p50_seconds"),
    ("p90", "p90_seconds"),
    ("p99", "p99_seconds"),
    ("mean +/- stdev", "mean_seconds"),
    ("throughput", "runs_per_second"),
    ("peak arena", "arena_bytes"),
)
#: Other memory, and what it holds.
_KEPT = {"persistent_bytes": "of state", "packed_bytes": "that backends packed"}
#: Two answers can be compared where these agree.
_CIRCUMSTANCES = ("model", "threads", "backends")


@click.command(cls=Command)
@timed_arguments
@click.argument("others", nargs=-1, type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--seconds", type=click.FloatRange(0, 86400), metavar="SECONDS", default=3.0, show_default=True,
    help="How long to run; never less than three runs.",
)  # fmt: skip
@click.option(
    "--compare", "other", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.json", help="An earlier answer of bench --json to set beside this one.",
)  # fmt: skip
@click.option(
    "--concurrency", "callers", callback=read_callers, metavar="N|FIRST:LAST",
    help="Then run from N threads at once, or from FIRST, twice as many and so on up to LAST: "
    "throughput and percentiles of each.",
)  # fmt: skip
@with_session
def bench(
    session: Session,
    *,
    timed: TimedArguments,
    others: tuple[str, ...],
    seconds: float,
    other: Path | None,
    callers: tuple[int, ...],
) -> None:
    """Run MODEL over and over on one set of inputs and show how long it takes.

    OTHERS are further models: each runs in a process of its own, and one table shows all.
    """
    if others:
        if other is not None:
            raise click.UsageError("--compare given with several models, one expected")
        models = [
            msgspec.structs.replace(timed, given=msgspec.structs.replace(timed.given, model=model))
            for model in (timed.given.model, *others)
        ]
        rows = [_measure_apart(session, one, seconds, callers) for one in models]
        session.answer({"models": rows}, lambda renderer: _render_models(renderer, rows))
        return
    before = _read(other) if other is not None else None
    data = {**_measure(session, timed, seconds, callers), "compared": before}
    session.answer(data, lambda renderer: _render(renderer, data, before))


def _measure(
    session: Session, timed: TimedArguments, seconds: float, callers: tuple[int, ...]
) -> dict[str, Any]:
    """Return the figures of one model."""
    with timed.warm(session) as warm:
        times: list[float] = []
        meter, start = EnergyMeter(), time.perf_counter()
        with session.progress(f"running {timed.given.name}", max(seconds, 1e-9)) as bar:
            while len(times) < _LEAST_RUNS or time.perf_counter() < start + seconds:
                times.append(warm.run())
                bar.to(time.perf_counter() - start)
        joules = meter.joules()
        data: dict[str, Any] = {
            "model": timed.given.model,
            "backends": warm.ready.network.assignment.counts,
            "runs": len(times),
            "warmup": timed.warmup,
            "threads": warm.threads,
            "system": f"{platform.system()} {platform.machine()}",
            "load_seconds": warm.ready.load_seconds,
            "first_seconds": warm.first_seconds,
            **_summary(times),
            "joules_per_run": None if joules is None else joules / len(times),
            "arena_bytes": warm.ready.network.arena_size,
            "persistent_bytes": warm.ready.network.persistent_size,
            "packed_bytes": warm.ready.network.packed_size,
            "assumed_shapes": warm.ready.assumed,
            "concurrency": [],
        }
        if callers:
            with session.progress(f"running {timed.given.name} from several threads"):
                data["concurrency"] = measure_callers(warm.run, callers, seconds, _LEAST_RUNS)
        data["peak_bytes"] = peak_bytes()
    return data


def _measure_apart(
    session: Session, timed: TimedArguments, seconds: float, callers: tuple[int, ...]
) -> dict[str, Any]:
    """Return the same, measured in a process that no other model used."""
    own, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(
        target=_send_figures, args=(theirs, session, timed, seconds, callers)
    )
    process.start()
    theirs.close()
    try:
        found: dict[str, Any] | ArmnnError = own.recv()
    except EOFError:
        process.join()
        raise InvalidArgumentError(
            f"'{timed.given.model}' could not be measured: its process ended with exit code "
            f"{process.exitcode}",
            hints=[f"armnn-py bench {timed.given.model}"],
        ) from None
    process.join()
    if isinstance(found, ArmnnError):
        raise found
    return found


def _send_figures(to: Connection, *arguments: Any) -> None:
    try:
        to.send(_measure(*arguments))
    except ArmnnError as error:
        to.send(error)


def _summary(times: Sequence[float]) -> dict[str, float]:
    return {
        **percentiles(times),
        "mean_seconds": statistics.fmean(times),
        "stdev_seconds": statistics.stdev(times),
        "runs_per_second": len(times) / sum(times),
    }


def _read(path: Path) -> dict[str, Any]:
    """Return the figures of an earlier answer."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidArgumentError(
            f"'{path}' cannot be read", details=[words_of(error)], hints=["bench --json writes one"]
        ) from error
    keys = [key for _, key in _METRICS]
    is_answer = (
        isinstance(document, dict)
        and document.get("schema") == _SCHEMA
        and all(isinstance(document.get(key), int | float) for key in keys)
        and isinstance(document.get("model"), str)
        and isinstance(document.get("threads"), int)
        and isinstance(document.get("backends"), dict)
    )
    if not is_answer:
        raise InvalidArgumentError(
            f"'{path}' is not the output of a successful 'bench --json'",
            hints=["write one with: armnn-py --json bench MODEL > FILE.json"],
        )
    return {key: document[key] for key in (*_CIRCUMSTANCES, *keys)}


def _render(renderer: Renderer, data: dict[str, Any], before: dict[str, Any] | None) -> None:
    columns = [Column("metric"), Column("value", right=True)]
    rows = [[name, _shown(key, data)] for name, key in _METRICS]
    if before is not None:
        columns += [Column("before", right=True), Column("ratio", right=True)]
        for row, (_, key) in zip(rows, _METRICS, strict=True):
            ratio = f"{data[key] / before[key]:.2f}" if before[key] else "-"
            row += [_shown(key, before), ratio]
        differences = _differences(data, before)
        if differences:
            renderer.line(f"not comparable: before {' and '.join(differences)}")
    renderer.table(columns, rows)
    renderer.line(
        f"{counted(data['runs'], 'run')} after {counted(data['warmup'], 'warm-up')}, "
        f"{counted(data['threads'], 'thread')}, {data['system']}, {_ran_on(data)}"
    )
    if before is not None:
        renderer.line(
            f"before: {Path(before['model']).name}, {counted(before['threads'], 'thread')}, "
            f"{_ran_on(before)}"
        )
    kept = [f"{format_bytes(data[key])} {what}" for key, what in _KEPT.items() if data[key]]
    if kept:
        renderer.line("besides the arena: " + ", ".join(kept))
    renderer.line(f"peak memory of this process: {format_bytes(data['peak_bytes'])}")
    if data["joules_per_run"] is not None:
        energy = _energy(data["joules_per_run"])
        renderer.line(f"energy of a run: {energy}, other programs of the machine included")
    if data["concurrency"]:
        renderer.table(
            [Column(head, right=True) for head in ("callers", "throughput", "p50", "p90", "p99")],
            [
                [str(row["callers"]), _shown("runs_per_second", row)]
                + [_shown(key, row) for key in ("p50_seconds", "p90_seconds", "p99_seconds")]
                for row in data["concurrency"]
            ],
        )
    if data["assumed_shapes"]:
        renderer.line(assumption(data["assumed_shapes"]))


def _render_models(renderer: Renderer, models: Sequence[dict[str, Any]]) -> None:
    keys = [key for _, key in _METRICS if key not in ("mean_seconds", "arena_bytes")]
    heads = [name for name, key in _METRICS if key in keys]
    has_energy = any(one["joules_per_run"] is not None for one in models)
    rows = []
    for one in models:
        own = [format_bytes(one["peak_bytes"])]
        own += [_energy(one["joules_per_run"])] if has_energy else []
        rows.append([Path(one["model"]).name, "1", *(_shown(key, one) for key in keys), *own])
        rows += [
            ["", str(row["callers"])]
            + [_shown(key, row) if key in row else "" for key in keys]
            + [""] * len(own)
            for row in one["concurrency"]
        ]
    tail = ["peak memory", *(["energy of a run"] if has_energy else [])]
    renderer.table(
        [Column("model"), *(Column(head, right=True) for head in ("callers", *heads, *tail))], rows
    )
    first = models[0]
    renderer.line(f"{counted(first['threads'], 'thread')}, {first['system']}")
    for one in models:
        notes = [f"{Path(one['model']).name} {_ran_on(one)}"]
        if one["assumed_shapes"]:
            notes.append(assumption(one["assumed_shapes"]))
        renderer.line("; ".join(notes))


def _energy(joules: float | None) -> str:
    return "-" if joules is None else f"{joules * 1e3:.3g} mJ"


def _differences(data: dict[str, Any], before: dict[str, Any]) -> list[str]:
    """Return why two answers are of different things; a model and its saved network are one."""
    found = []
    if Path(data["model"]).stem != Path(before["model"]).stem:
        found.append(f"was another model, {printable(Path(before['model']).name)}")
    if data["threads"] != before["threads"]:
        found.append(f"had {counted(before['threads'], 'thread')}, not {data['threads']}")
    return found


def _ran_on(data: dict[str, Any]) -> str:
    """Return which backends ran how many layers."""
    backends = data["backends"].items()
    return "on " + (" and ".join(f"{b} ({counted(n, 'layer')})" for b, n in backends) or "nothing")


def _shown(key: str, data: dict[str, Any]) -> str:
    if key == "arena_bytes":
        return format_bytes(data[key])
    if key == "runs_per_second":
        return f"{data[key]:.4g} /s"
    if key == "mean_seconds" and "stdev_seconds" in data:
        mean, stdev = (format_duration(data[k]) for k in ("mean_seconds", "stdev_seconds"))
        return f"{mean} +/- {stdev}"
    return format_duration(data[key])
