# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The verdict on results of ``run_cases``, by the checks of the kit."""

from __future__ import annotations

import json
import os
import struct
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from msgspec import Struct, field

from armnn_py._native.process.parent_process import how_it_ended
from armnn_py._version import __version__
from armnn_py.errors import BackendError, InvalidArgumentError
from armnn_py.guard.memory import LAYOUTS
from armnn_py.guard.outcome import CheckFailedError, nearly_equal
from armnn_py.testing.batches import batches_of
from armnn_py.testing.board.case_file import digest_of, runs_of
from armnn_py.testing.cases import all_cases
from armnn_py.testing.checks.numbers import check_outputs, kinds_of
from armnn_py.testing.checks.truth import check_repeated, one_answer
from armnn_py.testing.oracles.expected import changes, read_known
from armnn_py.testing.oracles.reference import Reference
from armnn_py.testing.outcome import Result
from armnn_py.testing.report import Report
from armnn_py.types import DataType, LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from armnn_py.testing.cases import Case
    from armnn_py.testing.outcome import Group

_MAGIC = b"ARESULT1"
_RECORD = struct.Struct("<IiQQQQ")
_NO_CASE = 2**64 - 1
_BOUNDED = -1
# Kinds of records, as board/case_file.h has them.
_NOTE, _LOADED, _ANSWER, _MADE, _RAN, _DAMAGE, _ENDED, _COMPLETE = range(1, 9)


class _Record(NamedTuple):
    kind: int
    status: int
    number: int
    run: int
    place: int
    data: bytes

    @property
    def text(self) -> str:
        """Its bytes as text."""
        return self.data.decode("utf-8", "replace")


class _Found(Struct):
    """The records of a case."""

    answers: list[_Record] = field(default_factory=list)
    made: _Record | None = None
    ran: dict[int, _Record] = field(default_factory=dict)
    damage: list[_Record] = field(default_factory=list)
    ended: _Record | None = None
    before: _Record | None = None
    """How it ended behind other cases, before it ran alone."""

    def add(self, record: _Record) -> None:
        """Note a record of this case."""
        if record.kind == _ANSWER:
            self.answers.append(record)
        elif record.kind == _MADE:
            self.made = record
        elif record.kind == _RAN:
            self.ran[record.run] = record
        elif record.kind == _DAMAGE:
            self.damage.append(record)
        elif record.kind == _ENDED and record.place:
            self.before, self.made, self.ran, self.damage = record, None, {}, []
        elif record.kind == _ENDED:
            self.ended = record


def _records(path: str) -> Iterator[_Record]:
    """Give the records of a file; its last one must be there."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InvalidArgumentError(f"file '{path}' cannot be read: {error.strerror}") from error
    if not data.startswith(_MAGIC):
        raise InvalidArgumentError(f"file '{path}' has no results of run_cases")
    place, kind = len(_MAGIC), 0
    while len(data) - place >= _RECORD.size:
        kind, status, number, run, at, size = _RECORD.unpack_from(data, place)
        place += _RECORD.size + size
        yield _Record(kind, status, number, run, at, data[place - size : place])
    if kind != _COMPLETE or place != len(data):
        raise InvalidArgumentError(
            f"file '{path}' is cut: run_cases did not come to its end",
            hints=["its last line on standard error says why"],
        )


def judge(
    path: str | os.PathLike[str],
    *,
    expect: str | os.PathLike[str] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Judge what ``run_cases`` wrote on another machine.

    Parameters
    ----------
    path
        Its results.
    expect
        A file of known failures and refusals, as for `check_conformance`.
    on_progress
        Called with how many cases are done, and how many there are.

    Returns
    -------
    Report
        As `check_conformance` gives, for the groups truth, numbers and memory.

    Raises
    ------
    BackendError
        The backend did not load there.
    InvalidArgumentError
        The file has no results, or those of cases of another version.
    """
    name = os.fspath(path)
    order: dict[str, Any] = {}
    backend, finite_only = "", False
    found: defaultdict[int, _Found] = defaultdict(_Found)
    results: list[Result] = []
    for record in _records(name):
        if record.kind == _NOTE:
            order = json.loads(record.data)
        elif record.kind == _LOADED:
            backend, finite_only = record.text, bool(record.status)
        elif record.number != _NO_CASE:
            found[record.number].add(record)
        elif record.kind == _ENDED:
            outcome, words = _ending(record)
            if not backend:
                raise BackendError(f"the backend does not load there: {words}")
            results.append(Result("close", "", "", "load", outcome, words, record.text))  # type: ignore[arg-type]
    cases = _cases_of(name, order)
    with Reference(backend) as reference:
        for number, case in enumerate(cases):
            verdict = _Verdict(case, found[number], finite_only, reference)
            results += verdict.results()
            if on_progress is not None:
                on_progress(number + 1, len(cases))
            case.drawn.clear()
    known = [] if expect is None else read_known(expect)
    bad = tuple(changes(results, known))
    return Report(backend, None, order["level"], order["seed"], tuple(results), bad)


def _cases_of(name: str, order: dict[str, Any]) -> list[Case]:
    """Draw the cases of a file again, in its order."""
    cases: list[Case] = []
    if order["version"] == __version__:
        drawn = all_cases(
            order["level"],
            seed=order["seed"],
            layers=[LayerType(number) for number in order["layers"]],
            types=[DataType(number) for number in order["types"]],
        )
        cases = [case for batch in batches_of(drawn) for case in batch]
    if order.get("digest") != digest_of(cases):
        raise InvalidArgumentError(
            f"file '{name}' has results of other cases than those of this armnn_py, {__version__}",
            details=[f"the cases were written by armnn_py {order['version']}"],
            hints=["'armnn-py backends export-cases' writes the cases of this version"],
        )
    return cases


def _ending(record: _Record) -> tuple[str, str]:
    """Return the outcome and the words of a process that ended too soon."""
    if record.status == _BOUNDED:
        return "hung", f"it did not return within the time limit; under way: {record.text}"
    if not record.status:
        return "failed", record.text
    code = os.waitstatus_to_exitcode(record.status)
    return "crashed", f"{how_it_ended(code)}; under way: {record.text}"


class _Verdict:
    """The results of one case."""

    def __init__(self, case: Case, found: _Found, finite_only: bool, reference: Reference) -> None:
        self._finite_math_only = finite_only
        self._case, self._found, self._reference = case, found, reference
        self._runs = runs_of(case)

    def results(self) -> list[Result]:
        """Return one for each check, or what kept them from being made."""
        found = self._found
        try:
            answers = [(one.status, one.text) for one in found.answers]
            reason = one_answer(answers) if answers else None
        except CheckFailedError as error:
            return [self._result("truth", "failed", str(error))]
        if found.made is None and found.ended is not None:
            return [self._end(found.ended, "truth")]
        if reason is not None:
            return [self._result("truth", "refused", reason)]
        if found.made is None:
            return [self._result("truth", "untried", "run_cases did not run it")]
        if found.made.status:
            words = f"the layer was taken but is not made: {found.made.text}"
            return [self._result("truth", "failed", words)]
        results = []
        groups = dict.fromkeys(run.group for run in self._runs)
        for group in groups:
            first = next(n for n, run in enumerate(self._runs) if run.group == group)
            numbers = [n for n, run in enumerate(self._runs) if run.group == group]
            if found.ended is not None and found.ended.run in numbers:
                results.append(self._end(found.ended, group))
                return results
            if first not in found.ran:
                break
            results.append(self._checked(group, numbers))
        if found.ended is not None:
            results.append(self._end(found.ended, "truth"))
        elif found.before is not None:
            words = f"{_ending(found.before)[1]}; only after {found.before.place} other cases in "
            results.append(self._result("truth", "failed", words + "one process, not alone"))
        return results

    def _checked(self, group: Group, numbers: list[int]) -> Result:
        try:
            for number in numbers:
                ran = self._found.ran.get(number)
                if ran is not None and ran.status:
                    words = f"execute answered {ran.status}: {ran.text or 'no reason given'}"
                    raise CheckFailedError(words)
            for one in self._found.damage:
                if group == "memory" and one.run in numbers:
                    raise CheckFailedError(f"execute wrote beside {one.text}")
            {"truth": self._truth, "numbers": self._numbers, "memory": self._memory}[group](numbers)
        except CheckFailedError as error:
            return self._result(group, "failed", str(error))
        return self._result(group, "passed", "")

    def _truth(self, numbers: list[int]) -> None:
        first, _, second = (self._outputs(number) for number in numbers)
        check_repeated(first, second)

    def _numbers(self, numbers: list[int]) -> None:
        (expected,) = self._reference.expectations([self._case], [kinds_of(self._case)])
        of_kind = {self._runs[number].kind: number for number in numbers}
        check_outputs(
            self._case,
            lambda kind: self._outputs(of_kind[kind]),
            expected,
            finite_math_only=self._finite_math_only,
        )

    def _memory(self, numbers: list[int]) -> None:
        expected = self._outputs(numbers[0])
        for number, (words, _) in zip(numbers, LAYOUTS, strict=True):
            for index, got in enumerate(self._outputs(number)):
                if not nearly_equal(got, expected[index]):
                    raise CheckFailedError(
                        f"output {index} depends on what was in memory before: execute, {words}"
                    )

    def _outputs(self, number: int) -> list[NDArray[Any]]:
        """Return the outputs of a run.

        Raises
        ------
        CheckFailedError
            It is not there.
        """
        record = self._found.ran.get(number)
        if record is None:
            raise CheckFailedError("a run is missing: one before it failed")
        outputs, place = [], 0
        for info in self._case.signature.outputs:
            count = info.element_count
            array = np.frombuffer(record.data, info.dtype, count, place)
            outputs.append(array.reshape(info.static_shape))
            place += array.nbytes
        return outputs

    def _end(self, record: _Record, group: Group) -> Result:
        outcome, words = _ending(record)
        return self._result(group, outcome, f"{words}; {self._case.in_words}", record.text)

    def _result(self, group: Group, outcome: Any, words: str, step: str = "") -> Result:
        case = self._case
        return Result(case.name, case.layer.label, case.type.label, group, outcome, words, step)
