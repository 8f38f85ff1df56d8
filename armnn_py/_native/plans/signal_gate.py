# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Signal handlers and cancel tokens that stop a run between its steps."""

from __future__ import annotations

from types import GeneratorType
from typing import TYPE_CHECKING, Any

from armnn_py.interrupts import deliver_interrupts

if TYPE_CHECKING:
    from collections.abc import Generator

#: How often a run asks Python for signals: often enough for Ctrl-C, too seldom to cost time.
INTERRUPT_INTERVAL_NS = 20_000_000


class SignalGate:
    """Answers the executor whether a run should stop.

    Parameters
    ----------
    callback_type
        The ctypes type of the executor's function ``interrupt``.
    caught
        Gets the exceptions of signal handlers.
    stops
        The tokens that stop the run in flight.

    Attributes
    ----------
    callback
        The function for the executor.
    """

    __slots__ = ("_answers", "callback")

    def __init__(
        self, callback_type: type[Any], caught: list[BaseException], stops: list[Any]
    ) -> None:
        answers = _answers(caught, stops)
        assert isinstance(answers, GeneratorType)
        next(answers)
        self._answers: GeneratorType[int, None, None] = answers
        self.callback: Any = callback_type(answers.send)

    @property
    def is_inside_handler(self) -> bool:
        """Whether a signal handler runs in the middle of the run right now."""
        return self._answers.gi_running

    def close(self) -> None:
        """End it; no run asks any more."""
        self._answers.close()


def _answers(caught: list[BaseException], stops: list[Any]) -> Generator[int, None, None]:
    """Answer "should the run stop?" each time it is resumed.

    Python runs signal handlers, and so raises KeyboardInterrupt, when bytecode of the main thread
    starts or resumes. A callback that is a function would be entered outside of any ``try``; a
    generator is resumed *inside* this one, so that the exception is caught and kept for the caller.
    """
    answer = 0
    while True:
        try:
            while True:
                yield answer
                answer = 0
                deliver_interrupts()  # of a run in a deferred_interrupts block
                for token in stops:
                    if token.cancelled:
                        answer = 1
        except GeneratorExit:
            return
        except BaseException as error:
            caught.append(error)
            answer = 1
