# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shared by ``bench`` and ``profile``: inputs, threads, a warm network, and the energy it takes."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from msgspec import Struct

import armnn_py
from armnn_py.cli.inputs.inputs import SEED
from armnn_py.cli.model_arguments import (
    ModelArguments,
    bounds_option,
    input_option,
    model_arguments,
    run_option,
)
from armnn_py.cli.prepared import Prepared, prepared

if TYPE_CHECKING:
    from armnn_py.cli.app import Session

R = TypeVar("R")


class WarmNetwork(Struct, frozen=True, kw_only=True):
    """A network that has run a few times.

    Attributes
    ----------
    ready
        The network and its inputs.
    first_seconds
        Time of the first run, which allocates memory.
    """

    ready: Prepared
    threads: int
    first_seconds: float

    def run(self) -> float:
        """Run once and return the seconds it took."""
        return _timed_run(self.ready)


def _timed_run(ready: Prepared) -> float:
    start = time.perf_counter()
    ready.run()
    return time.perf_counter() - start


class TimedArguments(Struct, frozen=True, kw_only=True):
    """Inputs and settings of timed runs as the command line says them."""

    given: ModelArguments
    files: tuple[str, ...]
    seed: int
    warmup: int
    threads: int | None
    run_options: tuple[str, ...]
    bounds: tuple[str, ...]

    @contextlib.contextmanager
    def warm(self, session: Session) -> Iterator[WarmNetwork]:
        """Load the model and run it ``warmup`` times.

        Raises
        ------
        InvalidArgumentError
            An input cannot be read or made.
        ModelError, BackendError, NoBackendForLayerError
            As `armnn_py.load`.
        """
        if self.threads is not None:
            armnn_py.set_num_threads(self.threads)
        with prepared(
            session,
            self.given,
            self.files,
            seed=self.seed,
            run_options=self.run_options,
            bounds=self.bounds,
        ) as ready:
            first = _timed_run(ready)
            with session.progress(f"warming up {self.given.name}", self.warmup) as bar:
                for number in range(1, self.warmup):
                    _timed_run(ready)
                    bar.to(number + 1)
            yield WarmNetwork(ready=ready, threads=armnn_py.get_num_threads(), first_seconds=first)


def timed_arguments(function: Callable[..., R]) -> Callable[..., R]:
    """Add MODEL, its options and those of timed runs; the command gets them as ``timed``."""
    options: list[Callable[[Any], Any]] = [
        input_option("A .npy or .npz file or a picture; other inputs are random.", "files"),
        click.option(
            "--random", "seed", type=SEED, metavar="SEED", default=0,
            show_default=True, help="Seed of random inputs.",
        ),
        click.option(
            "--warmup", type=click.IntRange(min=1), metavar="N", default=20, show_default=True,
            help="Runs before those that count.",
        ),
        click.option(
            "--threads", type=click.IntRange(1, 1024), metavar="N",
            help="Threads of one layer; default: all.",
        ),
        run_option,
        bounds_option,
    ]  # fmt: skip

    @functools.wraps(function)
    def wrapped(*args: Any, given: ModelArguments, **kwargs: Any) -> R:
        names = [name for name in TimedArguments.__struct_fields__ if name != "given"]
        timed = TimedArguments(given=given, **{name: kwargs.pop(name) for name in names})
        return function(*args, timed=timed, **kwargs)

    command: Any = wrapped
    for option in reversed(options):
        command = option(command)
    return model_arguments(command)


_ROOT = Path("/sys/class/powercap")


class EnergyMeter:
    """Counts from the moment when it is made; all programs of the machine count.

    Linux counts the energy of each processor package in ``/sys/class/powercap``. Many systems have
    no such counters, or let only the root user read them.
    """

    def __init__(self) -> None:
        self._before = _counters()

    def joules(self) -> float | None:
        """Return the energy up to now; None where the kernel does not tell."""
        now = _counters()
        if not self._before or now.keys() != self._before.keys():
            return None
        used = 0
        for package, (count, wraps_at) in now.items():
            passed = count - self._before[package][0]
            used += passed if passed >= 0 else passed + wraps_at
        return used * 1e-6


def _counters() -> dict[str, tuple[int, int]]:
    """Return by package: microjoules, and the count at which these begin again."""
    found = {}
    try:
        for package in sorted(_ROOT.glob("intel-rapl:*")):
            if package.name.count(":") == 1:  # others are parts of a package
                count, most = (
                    int((package / name).read_text(encoding="ascii"))
                    for name in ("energy_uj", "max_energy_range_uj")
                )
                found[package.name] = (count, most)
    except (OSError, ValueError):
        return {}
    return found
