# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Lives: a backend opens and closes, loads and unloads, and leaves nothing behind."""

from __future__ import annotations

import gc
import itertools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from statistics import median_low
from typing import TYPE_CHECKING, Any, NamedTuple

from armnn_py._native.memory.process_memory import address_bytes, heap_bytes
from armnn_py._native.process.noted_calls import report_fatal_signals
from armnn_py.backends.loader.opening import UNDONE
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.guard.process import UnchangedProcess, open_files
from armnn_py.optimizer import OptimizerOptions, optimize
from armnn_py.testing.grown.networks import grow
from armnn_py.testing.oracles.reference import REFERENCE
from armnn_py.testing.outcome import NotApplicableError
from armnn_py.testing.subject import AS_GIVEN, network_of

if TYPE_CHECKING:
    from armnn_py.network import Network
    from armnn_py.runtime import LoadedNetwork, Runtime
    from armnn_py.testing.cases import Case
    from armnn_py.testing.target import Target
    from armnn_py.types import LayerType

_FIRST = 10  # lives, after which pools and caches are full
_LIVES, _LOOKS = 8, 5
_THREADS = 8
_MOST_LOOKS = 25  # under suspicion: buffers of Python grow and shrink for a while
#: Growth by each life that counts as a leak. Loads of a project of `backends new --compiler` show
#: up to 220 bytes of the heap in this process, and none in another; the cause is not known.
_LEAST = {"open files": 1, "threads": 1, "bytes of the heap": 512, "bytes of addresses": 4096}


class Loadable(NamedTuple):
    """A network of one layer, and its inputs."""

    name: str
    network: Network
    inputs: dict[str, Any]


def check_lives(
    target: Target, seed: int, taken: Sequence[Case], on_step: Callable[[str], None]
) -> None:
    """Open and close the backend, load and unload a layer, and use two instances at once.

    Raises
    ------
    CheckFailedError
        Files, threads or memory stay behind each time, two instances disturb each other, or the
        process is not as it was.
    NotApplicableError
        The backend takes no layer.
    """
    report_fatal_signals()  # handlers of ours
    on_step("open to close, the process as it was")
    with UnchangedProcess("its code"), target.runtime() as runtime:
        for verdict in runtime.load_report.loaded:
            if verdict.id == target.id.partition(":")[0] and UNDONE in verdict.hint:
                raise CheckFailedError(verdict.hint)
        loadable = next(loadables(taken))
        alone = use(runtime, target.id, loadable)
    with target.runtime() as runtime:
        on_step("load and unload a layer 50 times")
        _check_level("load", lambda: use(runtime, target.id, loadable))
    _check_network(target, seed, taken, on_step)
    on_step("open, load, run, close 50 times")
    _check_level("open", lambda: live(target, loadable))
    on_step("a second instance beside the first")
    with target.runtime() as one, target.runtime() as other:
        for runtime in (one, other, one):
            found = use(runtime, target.id, loadable)
            if any(found[name].tobytes() != alone[name].tobytes() for name in alone):
                raise CheckFailedError("beside a second instance a layer gives other numbers")


def _check_network(
    target: Target, seed: int, taken: Sequence[Case], on_step: Callable[[str], None]
) -> None:
    """Compile, load and unload a network of several layers, and run it on threads that end."""
    with target.runtime(with_others=True) as runtime:
        backend = runtime.backends[target.id]
        both = list(dict.fromkeys([target.id, REFERENCE]))
        try:
            grown = grow(taken, backend, runtime, seed, on_step)
        except NotApplicableError:
            return

        def load() -> LoadedNetwork:
            options = OptimizerOptions(simplify=False)
            placed = optimize(grown.network, both, runtime=runtime, options=options)
            return runtime.load_network(placed)

        def live_once() -> None:
            with load() as loaded:
                loaded.run(grown.inputs)

        on_step(f"compile, load, run and unload network {seed} 50 times")
        _check_level("load of a network", live_once)
        on_step(f"run network {seed} on threads that end")
        with load() as loaded:

            def run() -> None:
                for _ in range(_THREADS):
                    thread = threading.Thread(target=loaded.run, args=(grown.inputs,))
                    thread.start()
                    thread.join()

            _check_level(f"set of {_THREADS} threads", run)


def loadables(taken: Sequence[Case]) -> Iterator[Loadable]:
    """Give the first of each type of layer of the kit that the backend takes.

    Raises
    ------
    NotApplicableError
        It takes no layer.
    """
    first: dict[LayerType, Case] = {}
    for case in taken:
        first.setdefault(case.layer, case)
    for case in first.values():
        values = case.values()
        network = network_of(case, values)
        inputs = {name: values[int(name[1:])] for name in network.inputs}
        yield Loadable(case.layer.label, network, inputs)
    if not taken:
        raise NotApplicableError("it takes no layer")


def use(runtime: Runtime, backend: str, loadable: Loadable) -> dict[str, Any]:
    """Load a network, run it once, unload it; return the outputs."""
    placed = optimize(loadable.network, [backend], runtime=runtime, options=AS_GIVEN)
    with runtime.load_network(placed) as loaded:
        return loaded.run(loadable.inputs)


def live(target: Target, loadable: Loadable) -> dict[str, Any]:
    """Open the backend, use it, close it."""
    with target.runtime() as runtime:
        return use(runtime, target.id, loadable)


def _check_level(what: str, once: Callable[[], object]) -> None:
    """Compare what the process has after some lives with what it has after many more."""
    for _ in range(_FIRST):
        once()
    looks = [_look()]
    left: dict[str, int] = {}
    while len(looks) <= _LOOKS or (left and len(looks) <= _MOST_LOOKS):
        for _ in range(_LIVES):
            once()
        looks.append(_look())
        left = _growth(looks)
    for kind, count in left.items():
        raise CheckFailedError(
            f"each {what} leaves {count / _LIVES:,.3g} {kind} behind: {count:,} after {_LIVES}"
        )


def _growth(looks: Sequence[dict[str, int]]) -> dict[str, int]:
    """Return what most looks found more of, by as much as each life could leave."""
    found = {
        kind: median_low(after[kind] - before[kind] for before, after in itertools.pairwise(looks))
        for kind in _LEAST
    }
    return {kind: count for kind, count in found.items() if count >= _LEAST[kind] * _LIVES}


def _look() -> dict[str, int]:
    gc.collect()  # what lives leave in Python
    return {
        "open files": len(open_files()),
        "threads": len(os.listdir("/proc/self/task")),  # noqa: PTH208
        "bytes of the heap": heap_bytes(),
        "bytes of addresses": address_bytes(),
    }
