# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Truth of support: the same answer twice, and what is taken is made, runs, and gives the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from armnn_py._native import abi
from armnn_py._native.table.support import NativeLayerSupport
from armnn_py.guard.outcome import CheckFailedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from armnn_py.backends.backend import Backend
    from armnn_py.testing.cases import Case
    from armnn_py.testing.prepared import Prepared
    from armnn_py.testing.subject import Subject

_MANY = 64


class Answers:
    """A backend's answers to "would you run this layer?", one by one."""

    def __init__(self, backend: Backend) -> None:
        self._native = NativeLayerSupport(backend.id, backend.api, backend.instance)

    def ask(self, case: Case, times: int = 1) -> str | None:
        """Return None if the layer is taken, else the reason.

        Raises
        ------
        CheckFailedError
            The answer is invalid, or differs when asked again.
        """
        return one_answer(self._native.ask_times(case.signature, times))

    def ask_many(
        self,
        answered: Sequence[tuple[Case, str | None]],
        on_answer: Callable[[Case, str], None],
    ) -> None:
        """Compare ``are_layers_supported`` with what `ask` gave of each; tell where it differs."""
        if not self._native.answers_many:
            return
        for begin in range(0, len(answered), _MANY):
            part = answered[begin : begin + _MANY]
            many = self._native.ask_many([case.signature for case, _ in part])
            for (case, single), (taken, reason) in zip(part, many, strict=True):
                if taken is not (single is None):
                    words = ("refuses", "takes")
                    on_answer(
                        case,
                        f"are_layers_supported {words[taken]} what is_layer_supported "
                        f"{words[not taken]}: {reason or single}",
                    )

    def close(self) -> None:
        """Destroy the object."""
        self._native.close()


def one_answer(answers: Sequence[tuple[int, str]]) -> str | None:
    """Return None if a layer is taken, else the reason, from the answers to one question.

    Raises
    ------
    CheckFailedError
        An answer is invalid, or two of them differ.
    """
    reason, *others = [_reason(*one) for one in answers]
    for again in others:
        if (reason is None) is not (again is None):
            words = f"{reason or 'taken'}; {again or 'taken'}"
            raise CheckFailedError(f"asked twice, two answers: {words}")
    return reason


def _reason(status: int, text: str) -> str | None:
    """Return why a layer is refused; None: it is taken.

    Raises
    ------
    CheckFailedError
        It is neither OK, nor UNSUPPORTED with a reason.
    """
    if status == abi.ARMNN_STATUS_OK:
        return None
    if status != abi.ARMNN_STATUS_UNSUPPORTED:
        raise CheckFailedError(
            f"is_layer_supported answered {status}, which is neither OK nor UNSUPPORTED: "
            f"{text or 'no reason given'}"
        )
    if not text:
        raise CheckFailedError("is_layer_supported refused the layer without a reason")
    return text


def check_truth(subject: Subject, case: Case, prepared: Prepared) -> None:
    """Run what was taken, twice over the same values: both times the same comes out.

    Raises
    ------
    CheckFailedError
        It does not run, or not twice, or the answer has changed meanwhile.
    """
    values = case.values()
    first = prepared.run(values)
    prepared.run(case.values("other"))
    check_repeated(first, prepared.run(values))
    answers = Answers(subject.backend)
    try:
        again = answers.ask(structs.replace(case))
    finally:
        answers.close()
    if again is not None:
        raise CheckFailedError(f"the layer was taken first and is refused now: {again}")


def check_repeated(first: Sequence[NDArray[Any]], second: Sequence[NDArray[Any]]) -> None:
    """Compare the outputs of two runs over the same values.

    Raises
    ------
    CheckFailedError
        They differ in a bit.
    """
    for index, (a, b) in enumerate(zip(first, second, strict=True)):
        if a.tobytes() != b.tobytes():
            raise CheckFailedError(
                f"output {index} differs between two runs over the same values",
                found=b,
                expected=a,
            )
