# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Lives: a backend opens and closes, loads and unloads, and leaves no files and threads behind."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from armnn_py.backends.questions.layer_support import LayerSupport
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.guard.process import open_files
from armnn_py.optimizer import optimize
from armnn_py.testing.cases import unvaried_cases
from armnn_py.testing.outcome import NotApplicableError
from armnn_py.testing.subject import AS_GIVEN, network_of

if TYPE_CHECKING:
    from armnn_py.network import Network
    from armnn_py.runtime import Runtime
    from armnn_py.testing.target import Target

__all__ = ["check_lives"]

_FIRST = 3  # lives, after which pools and caches are full
_LIVES = 12


class _Loadable(NamedTuple):
    network: Network
    inputs: dict[str, Any]


def check_lives(target: Target, seed: int, on_step: Callable[[str], None]) -> None:
    """Open and close the backend, load and unload a layer, and use two instances at once.

    Raises
    ------
    CheckFailedError
        Open files or threads stay behind each time, or two instances disturb each other.
    NotApplicableError
        The backend takes no layer.
    """
    with target.runtime() as runtime:
        loadable = _first_taken(runtime, target.id, seed)
        alone = _use(runtime, target.id, loadable)
        on_step(f"load and unload a layer {_FIRST + _LIVES} times")
        _check_level("load", lambda: _use(runtime, target.id, loadable))
    on_step("open, load, run, close, again and again")
    _check_level("open", lambda: _live(target, loadable))
    on_step("a second instance beside the first")
    with target.runtime() as one, target.runtime() as other:
        for runtime in (one, other, one):
            found = _use(runtime, target.id, loadable)
            if any(found[name].tobytes() != alone[name].tobytes() for name in alone):
                raise CheckFailedError("beside a second instance a layer gives other numbers")


def _first_taken(runtime: Runtime, backend: str, seed: int) -> _Loadable:
    """Return a network of the first layer of the kit that the backend takes."""
    cases = unvaried_cases(seed)
    with LayerSupport(runtime.backends[backend]) as support:
        answers = support.ask_many([case.signature for case in cases])
    for case, answer in zip(cases, answers, strict=True):
        if answer:
            values = case.values()
            network = network_of(case, values)
            return _Loadable(network, {name: values[int(name[1:])] for name in network.inputs})
    raise NotApplicableError("it takes no layer")


def _use(runtime: Runtime, backend: str, loadable: _Loadable) -> dict[str, Any]:
    placed = optimize(loadable.network, [backend], runtime=runtime, options=AS_GIVEN)
    with runtime.load_network(placed) as loaded:
        return loaded.run(loadable.inputs)


def _live(target: Target, loadable: _Loadable) -> None:
    with target.runtime() as runtime:
        _use(runtime, target.id, loadable)


def _check_level(what: str, live: Callable[[], object]) -> None:
    """Compare the open files and threads after some lives with those after many more."""
    for _ in range(_FIRST):
        live()
    before = _look()
    for _ in range(_LIVES):
        live()
    for kind, count in _look().items():
        left = count - before[kind]
        if left >= _LIVES:
            raise CheckFailedError(
                f"each {what} leaves {left / _LIVES:.3g} {kind} behind: {left} after {_LIVES}"
            )


def _look() -> dict[str, int]:
    return {
        "open files": len(open_files()),
        "threads": len(os.listdir("/proc/self/task")),  # noqa: PTH208
    }
