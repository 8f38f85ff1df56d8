# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The base of operators that run by themselves, between the stages of a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from armnn_py.errors import InvalidArgumentError
from armnn_py.frontends.common.values import Array

if TYPE_CHECKING:
    from armnn_py.network import RunBody


def read_only(array: Array) -> Array:
    """Return a view that callers cannot write to; unpickled arrays can be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def flag_of(condition: Array, label: str) -> bool:
    """Return the truth of a condition; ``label`` names the operator in the error.

    Raises
    ------
    InvalidArgumentError
        It has not one element.
    """
    if condition.size != 1:
        raise InvalidArgumentError(
            f"{label}: the condition has {condition.size} elements, 1 expected"
        )
    return bool(condition.reshape(-1)[0])


class Operands(Struct, frozen=True):
    """Operands of such an operator: values of stages before it, or constants."""

    names: tuple[str, ...]
    """Empty for an absent one."""
    constants: dict[int, Array]

    def of(self, arrays: Mapping[str, Array]) -> list[Array | None]:
        """Return the arrays in order; None for an absent one."""
        return [
            read_only(self.constants[index])
            if index in self.constants
            else (arrays[name] if name else None)
            for index, name in enumerate(self.names)
        ]


class Between:
    """Computes an operator on arrays, between two stages; picklable if its function is.

    Parameters
    ----------
    label
        The operator, for display.
    function
        Returns the outputs by name, for ``given`` and the arrays of all inputs.
    given
        The first arguments of the function.
    """

    def __init__(self, label: str, function: Callable[..., dict[str, Array]], *given: Any) -> None:
        self._label = label
        self._function = function
        self._given = given

    def __call__(self, arrays: Mapping[str, Array], run: RunBody) -> dict[str, Array]:
        """Return the outputs."""
        return self._function(*self._given, arrays)

    def __repr__(self) -> str:
        return f"<Between {self._label}>"
