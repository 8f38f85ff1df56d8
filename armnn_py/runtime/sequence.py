# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The one state of a loaded network with variables, whichever context runs next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armnn_py.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from armnn_py.runtime.execution_context import ExecutionContext

__all__ = ["RunSequence"]


class RunSequence:
    """The variables between the runs of a loaded network, which follow one another.

    The context of the last run has them. Another one, for other input shapes or because the first
    is lent, gets them before it runs. Its methods are called by who has the turn to run.

    Parameters
    ----------
    name
        Name of the network, for messages.
    variables
        Names of the variables.

    Attributes
    ----------
    context
        The context that has the values; None: there is none, and `_values` has those that are not
        the initial ones.
    """

    __slots__ = ("_name", "_values", "_variables", "context")

    def __init__(self, name: str, variables: tuple[str, ...]) -> None:
        self._name = name
        self._variables = variables
        self._values: dict[str, np.ndarray[Any, Any]] = {}
        self.context: ExecutionContext | None = None

    def enter(self, context: ExecutionContext) -> None:
        """Give a context the values, before it runs."""
        if self.context is context:
            return
        if self.context is not None:
            for name in self._variables:
                context.write_variable(name, self.context.read_variable(name))
        else:
            context.reset_state()
            for name, array in self._values.items():
                context.write_variable(name, array)
        self.context = context
        self._values = {}

    def leave(self) -> None:
        """Take the values out of their context, which is about to get another owner."""
        context = self.context
        if context is not None:
            self._values = {name: context.read_variable(name) for name in self._variables}
            self.context = None

    def reset(self) -> None:
        """Back to the initial values."""
        self.context = None
        self._values = {}

    def read(self, name: str) -> np.ndarray[Any, Any]:
        """A copy of the value of a variable."""
        if self.context is not None:
            return self.context.read_variable(name)
        if name not in self._values:
            raise InvalidArgumentError(
                f"network '{self._name}': the first value of variable '{name}' is not known before "
                "a run, because the network has free dimensions",
                hints=["run it, or set state[...] yourself"],
            )
        return self._values[name].copy()

    def write(self, values: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Set variables."""
        for name, array in values.items():
            if self.context is not None:
                self.context.write_variable(name, array)
            else:
                self._values[name] = array
