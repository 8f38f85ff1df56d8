# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The base of operators that run by themselves, between the stages of a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from armnn_py.frontends.common.values import Array

if TYPE_CHECKING:
    from armnn_py.network import RunBody


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
