# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py bench``: latency and throughput of one model on this machine."""

from __future__ import annotations

import json
import platform
import resource
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from armnn_py.cli.app import Session, with_session
from armnn_py.cli.callers import measure_callers, percentiles, read_callers
from armnn_py.cli.help import Command
from armnn_py.cli.networks import assumption
from armnn_py.cli.render import Column, Renderer, format_duration, words_of
from armnn_py.cli.timed import TimedArguments, timed_arguments
from armnn_py.errors import InvalidArgumentError
from armnn_py.text import counted, format_bytes, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["bench"]

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
    seconds: float,
    other: Path | None,
    callers: tuple[int, ...],
) -> None:
    """Run MODEL over and over on one set of inputs and show how long it takes."""
    before = _read(other) if other is not None else None
    with timed.warm(session) as warm:
        times: list[float] = []
        start = time.perf_counter()
        with session.progress(f"running {timed.given.name}", max(seconds, 1e-9)) as bar:
            while len(times) < _LEAST_RUNS or time.perf_counter() < start + seconds:
                times.append(warm.run())
                bar.to(time.perf_counter() - start)
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
            "arena_bytes": warm.ready.network.arena_size,
            "persistent_bytes": warm.ready.network.persistent_size,
            "packed_bytes": warm.ready.network.packed_size,
            "assumed_shapes": warm.ready.assumed,
            "compared": before,
            "concurrency": [],
        }
        if callers:
            with session.progress(f"running {timed.given.name} from several threads"):
                data["concurrency"] = measure_callers(warm.run, callers, seconds, _LEAST_RUNS)
        # Linux counts it in KiB, over the life of the process.
        data["peak_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    session.answer(data, lambda renderer: _render(renderer, data, before))


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
