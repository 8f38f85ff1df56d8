# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The process behind `armnn_py.testing.deep`: forks one that uses a backend until its end."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from armnn_py.errors import ArmnnError, NoBackendForLayerError
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.network import Network
from armnn_py.optimizer import optimize
from armnn_py.testing.cases import unvaried_cases
from armnn_py.testing.checks.truth import Answers
from armnn_py.testing.features.small_networks import ROWS, SMALL_NETWORKS, SmallNetwork
from armnn_py.testing.forked import ForkedProcess, Job
from armnn_py.testing.subject import AS_GIVEN, network_of
from armnn_py.testing.target import Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from armnn_py.backends.backend import Backend
    from armnn_py.runtime import Runtime
    from armnn_py.testing.cases import Case
    from armnn_py.testing.child import Tell

_MOST_ENDS = 3  # processes that may end before the rest is left out
_BESIDE = -1  # instead of the number of a trial: what comes before and behind them


class _Trial(Struct, frozen=True):
    """A network to use a backend with, which may be the layer of a case of the kit."""

    name: str
    kind: str
    case: Case | None
    make: Callable[[], tuple[Network, dict[str, NDArray[Any]]]]


def _trials() -> Iterator[_Trial]:
    """Give each layer in each data type, then networks of some layers in float32."""
    for case in unvaried_cases():

        def make_case(case: Case = case) -> tuple[Network, dict[str, NDArray[Any]]]:
            values = case.values()
            network = network_of(case, values)
            given = {n: v for n in network.inputs if (v := values[int(n[1:])]) is not None}
            return network, given

        yield _Trial(case.in_words, case.layer.label, case, make_case)
    for small in SMALL_NETWORKS:

        def make_small(small: SmallNetwork = small) -> tuple[Network, dict[str, NDArray[Any]]]:
            return small.with_rows(ROWS), {"x": small.values(ROWS, 0)}

        yield _Trial(f"network '{small.name}'", f"network {small.name}", None, make_small)


class _Server:
    """Has the trials made, in as few processes as the backend allows.

    Of each kind of layer, the first that the backend takes is run.
    """

    def __init__(self, target: Target, timeout: float, say: Tell) -> None:
        self._target, self._timeout, self._say = target, timeout, say
        self._trials = list(_trials())
        self._done: set[str] = set()
        """Kinds that were run, well or not."""
        self._ends = 0

    def run(self) -> None:
        first = 0
        while True:
            job = Job("deep", functools.partial(self._use, first))
            process = ForkedProcess(job, self._timeout)
            for message in process.all_messages():
                self._heed(message)
            words, outcome = process.ending()
            if process.is_over:
                return
            last = process.bulletin.read()
            at = last.start if isinstance(last.start, int) else _BESIDE
            name = "" if at == _BESIDE else self._trials[at].name
            self._say(step=last.step or "create", network=name, outcome=outcome, message=words)
            self._ends += 1
            if at == _BESIDE or self._ends == _MOST_ENDS:
                self._say(stopped=at != _BESIDE)
                return
            self._done.add(self._trials[at].kind)
            first = at + 1

    def _heed(self, message: dict[str, Any]) -> None:
        if "done" in message:
            trial = self._trials[message["done"]]
            self._done.add(trial.kind)
            if message["outcome"] == "passed":
                self._say(ran=trial.name)
            else:
                step, words = message["step"], message["message"]
                self._say(step=step, network=trial.name, outcome="failed", message=words)
        elif "finished" in message:
            self._say(**message)

    # ---- In a process of its own -----------------------------------------------------------------

    def _use(self, first: int, tell: Tell) -> None:
        """Use the backend from its creation to its end, with trials from number ``first`` on."""
        tell(start=_BESIDE, step="create")
        runtime = self._target.runtime()
        backend = runtime.backends[self._target.id]
        answers = Answers(backend)
        done = set(self._done)
        for number, trial in enumerate(self._trials[first:], first):
            if trial.kind in done:
                continue
            tell(start=number, step="support")
            try:
                if trial.case is not None and answers.ask(trial.case) is not None:
                    continue
                if _run(runtime, backend, trial, tell):
                    done.add(trial.kind)
                    tell(done=number, outcome="passed")
            except (ArmnnError, CheckFailedError) as error:
                done.add(trial.kind)
                tell(done=number, outcome="failed", message=_in_words(error))
        answers.close()
        tell(start=_BESIDE, step="quiesce")
        backend.quiesce()
        tell(finished="quiesce")
        tell(step="destroy")
        runtime.close()
        tell(finished="destroy")


def _in_words(error: ArmnnError | CheckFailedError) -> str:
    return (
        "; ".join((error.message, *error.details)) if isinstance(error, ArmnnError) else str(error)
    )


def _run(runtime: Runtime, backend: Backend, trial: _Trial, tell: Tell) -> bool:
    """Run a network; False if the backend does not take it."""
    network, values = trial.make()
    tell(step="optimize")
    try:
        optimized = optimize(network, [backend.id], runtime=runtime, options=AS_GIVEN)
    except NoBackendForLayerError:
        if trial.case is not None:
            raise
        return False
    tell(step="create_workload")
    loaded = runtime.load_network(optimized)
    tell(step="execute")
    loaded.run(values)
    tell(step="destroy_workload")
    loaded.close()
    return True


def prepare(_order: dict[str, Any]) -> None:
    """Draw here the cases that every order uses."""
    unvaried_cases()


def serve(order: dict[str, Any], say: Tell) -> None:
    """Do what an order says."""
    _Server(Target(**order["target"]), order["timeout"], say).run()
