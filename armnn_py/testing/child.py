# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a process does that exists for some cases: it tells what is under way, and what came out."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.errors import ArmnnError
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.testing.checks.memory import (
    check_growth,
    check_memory,
    check_reused_places,
    check_variables,
    variable_of,
)
from armnn_py.testing.checks.numbers import check_numbers, kinds_of, speed_of
from armnn_py.testing.checks.reentrance import check_reentrance
from armnn_py.testing.checks.subgraphs import check_subgraphs
from armnn_py.testing.checks.truth import Answers, check_truth
from armnn_py.testing.features import FEATURES
from armnn_py.testing.models.layers import layers_of, write_layers
from armnn_py.testing.models.whole import check_whole
from armnn_py.testing.oracles.reference import REFERENCE, Reference
from armnn_py.testing.outcome import GROUPS, NotApplicableError, NotTriedError
from armnn_py.testing.prepared import Preparation
from armnn_py.testing.subject import Subject
from armnn_py.testing.target import Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from armnn_py.testing.bulletin import Bulletin
    from armnn_py.testing.cases import Case, Kind, Level
    from armnn_py.testing.models.user_model import UserModel
    from armnn_py.testing.oracles.reference import Expectation
    from armnn_py.testing.outcome import Group
    from armnn_py.testing.prepared import Prepared

Tell = Callable[..., None]
"""Called with members of a message: ``start`` and ``step`` before, ``done`` after a check."""


_UNDER_WAY = frozenset({"start", "step", "case"})
#: Of a run, where a check has dozens of them.
_MOST_SECONDS = 0.2


def answer_all(target: Target, cases: Sequence[Case], first: int, tell: Tell) -> None:
    """Ask about each case from ``first`` on: one message each, ``start`` before it is asked."""
    tell(start=-1)
    subject = Subject(target)
    subject.check_devices()
    answers = Answers(subject.backend)
    tell(loaded=True)
    answered: list[tuple[Case, str | None]] = []
    for number in range(first, len(cases)):
        tell(start=number)
        case, reason = cases[number], None
        try:
            reason = answers.ask(case, times=2)
        except CheckFailedError as error:
            tell(done=number, outcome="failed", message=str(error))
            continue
        answered.append((case, reason))
        tell(done=number, outcome="taken" if reason is None else "refused", message=reason or "")
    if first == 0:
        number_of = {case.name: number for number, case in enumerate(cases)}
        answers.ask_many(
            answered,
            lambda case, words: tell(done=number_of[case.name], outcome="failed", message=words),
        )
    tell(asked=True)
    answers.close()
    subject.close()


def run_cases(
    target: Target, cases: Sequence[Case], groups: Sequence[Group], folder: str, tell: Tell
) -> None:
    """Make the checks of cases, in order; arrays of a failure go to ``folder``.

    The first case that does not pass is the last one: what it left behind is not for the others.
    """
    expected: list[dict[Kind, list[Expectation]]] = [{} for _ in cases]
    if "numbers" in groups:  # before a line of the backend has run
        tell(case=0, start="reference", step="")
        with Reference(target.id) as reference:
            expected = reference.expectations(cases, [kinds_of(case) for case in cases], tell)
    tell(case=0, start=groups[0], step="create")
    subject = Subject(target)
    for number, case in enumerate(cases):
        of_case = _Teller(tell, number)
        _run_case(subject, case, groups, expected[number], folder, of_case)
        if not of_case.is_well:
            tell(stopped=number)
            break
    tell(start=groups[-1], step="destroy")
    subject.close()


class _Teller:
    """Tells about one of several cases, and knows whether it is well."""

    def __init__(self, tell: Tell, number: int) -> None:
        self._tell, self._number = tell, number
        self.is_well = True

    def __call__(self, **message: Any) -> None:
        if message.get("outcome", "passed") not in ("passed", "refused", "untried"):
            self.is_well = False
        self._tell(case=self._number, **message)


def _run_case(
    subject: Subject,
    case: Case,
    groups: Sequence[Group],
    expected: dict[Kind, list[Expectation]],
    folder: str,
    tell: Tell,
) -> None:
    with contextlib.ExitStack() as stack:
        workloads = stack.enter_context(_Workloads(subject, case))
        for group in groups:
            if case.is_variant and group != "numbers":
                continue
            if group == "memory" and not subject.in_host_memory and variable_of(case) is None:
                continue  # tensors lie where the backend wants them
            tell(start=group, step="create_workload")
            with _told(tell, group, folder) as more:
                _check(subject, case, group, workloads, expected, tell)
                if group == "numbers":
                    tell(step="execute, beside CpuRef")
                    more["speed"] = speed_of(subject, case)


class _Workloads:
    """What several checks use that leave it as it is; who fails leaves nothing behind."""

    def __init__(self, subject: Subject, case: Case) -> None:
        self.make = Preparation(subject, case)
        self._prepared: Prepared | None = None

    def get(self) -> Prepared:
        """Return the one there is, or make it."""
        if self._prepared is None:
            self._prepared = self.make()
        return self._prepared

    def drop(self) -> None:
        """Destroy it."""
        prepared, self._prepared = self._prepared, None
        if prepared is not None:
            prepared.close()

    def __enter__(self) -> _Workloads:
        return self

    def __exit__(self, *_: object) -> None:
        self.drop()


def _check(
    subject: Subject,
    case: Case,
    group: Group,
    workloads: _Workloads,
    expected: dict[Kind, list[Expectation]],
    tell: Tell,
) -> None:
    def on_step(words: str) -> None:
        tell(step=words)

    try:
        if case.usual and group in ("memory", "reentrance"):
            _check_time(workloads.get(), case)
        if group == "reentrance":
            workloads.drop()
            check_reentrance(subject, case, workloads.make, on_step)
            return
        prepared = workloads.get()
        tell(step="execute")
        if group == "truth":
            check_truth(subject, case, prepared)
        elif group == "numbers" and case.reference is None:
            name = case.signature.descriptor.name  # type: ignore[union-attr]
            raise NotTriedError(
                f"operator '{name}' has no reference: --reference {name}=module:function"
            )
        elif group == "numbers":
            check_numbers(case, prepared, expected, on_step)
        elif subject.in_host_memory:
            check_memory(case, prepared, on_step)
            check_reused_places(subject, case, prepared, on_step)
        else:
            check_variables(case, subject, prepared)
        if group == "memory":
            check_growth(case, prepared, on_step)
    except BaseException:
        workloads.drop()
        raise


def _check_time(prepared: Prepared, case: Case) -> None:
    """Leave out checks of many runs for the slow layers of a user's network."""
    begin = time.monotonic()
    prepared.run(case.values())
    taken = time.monotonic() - begin
    if taken > _MOST_SECONDS:
        raise NotTriedError(
            f"a run of a layer of the model takes {taken:.1f} s, {_MOST_SECONDS:g} s are allowed"
        )


def needed_modules(case: Case, tell: Tell) -> None:
    """Run a case on the reference, and tell which modules that brought."""
    before = set(sys.modules)
    with Reference("") as reference:
        reference.expectations([case], [["plain"]])
    run_cases(Target(REFERENCE, search=True), [case], GROUPS, "", lambda **_: None)
    tell(modules=sorted(set(sys.modules) - before))


def run_network(target: Target, name: str, cases: Sequence[Case], folder: str, tell: Tell) -> None:
    """Make the check of one network; ``cases`` are layers that it may have."""
    tell(start="subgraphs", step="")
    with _told(tell, "subgraphs", folder) as more:
        more["compiled"] = check_subgraphs(target, name, cases, lambda words: tell(step=words))


def write_model(
    path: str, model: UserModel, target: Target, level: Level, seed: int, tell: Tell
) -> None:
    """Write the layers of a user's model to a file."""
    tell(start="reference", step="")
    with _told(tell, "load", ""):
        layers = layers_of(model, target, level, seed, lambda words: tell(step=words))
        write_layers(path, layers)


def run_model(target: Target, model: UserModel, seed: int, folder: str, tell: Tell) -> None:
    """Make the check of a user's network as a whole, most of which is the reference's time."""
    tell(start="reference", step="")
    with _told(tell, "subgraphs", folder) as more:
        more["compiled"] = check_whole(model, target, seed, lambda words: tell(step=words))


def run_feature(
    target: Target, name: str, seed: int, taken: Sequence[Case], folder: str, tell: Tell
) -> None:
    """Make the check of something that the backend may have beyond layers."""
    tell(start="features", step="")
    with _told(tell, "features", folder):
        FEATURES[name](target, seed, taken, lambda words: tell(step=words))


@contextlib.contextmanager
def _told(tell: Tell, group: Group, folder: str) -> Iterator[dict[str, Any]]:
    """Tell what comes of a check; members of what it gives are told of one that passed."""
    more: dict[str, Any] = {}
    try:
        yield more
    except CheckFailedError as error:
        files = _saved(folder, error.arrays)
        tell(done=group, outcome="failed", message=str(error), files=files)
    except NotApplicableError as reason:
        tell(done=group, outcome="refused", message=str(reason))
    except NotTriedError as reason:
        tell(done=group, outcome="untried", message=str(reason))
    except ArmnnError as error:
        words = "; ".join((error.message, *error.details))
        tell(done=group, outcome="failed", message=words)
    else:
        tell(done=group, outcome="passed", message="", **more)


def _saved(folder: str, arrays: dict[str, NDArray[Any]]) -> list[str]:
    if not folder or not arrays:
        return []
    # A case may fail in several groups.
    descriptor, path = tempfile.mkstemp(prefix="arrays-", suffix=".npz", dir=folder)
    with os.fdopen(descriptor, "wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
    return [path]


def writer(descriptor: int, bulletin: Bulletin | None = None) -> Tell:
    """Return what writes a line of JSON for each message.

    With a ``bulletin``, what only says what is under way is posted there instead, and a line on a
    check that did not pass has its step.
    """

    def tell(**message: Any) -> None:
        if bulletin is not None and message.keys() <= _UNDER_WAY:
            bulletin.post(**message)
            return
        if bulletin is not None and "done" in message and message.get("outcome") != "passed":
            message["step"] = bulletin.read().step
        os.write(descriptor, (json.dumps(message) + "\n").encode())

    return tell
