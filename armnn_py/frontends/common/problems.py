# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Collects the unsupported operators of a model, to report all of them in one error."""

from __future__ import annotations

from armnn_py.errors import UnsupportedOperator, UnsupportedOperatorError

RUN_BY_A_BACKEND = (
    "a backend, also one in Python, can run an operator that no layer expresses: "
    "docs/python_backend.md, docs/kernel_features.md"
)
"""A hint for operators of an exporter's own."""


class Problems:
    """The unsupported operators of a model, with reasons and the names of nodes.

    Parameters
    ----------
    model_name
        Name of the model in the error.
    """

    def __init__(self, model_name: str) -> None:
        self._model_name = model_name
        self.found: dict[tuple[str, str], list[str]] = {}
        """Names of nodes by operator and reason."""

    def add(self, operator: str, reason: str, node: str) -> None:
        """Note that a node cannot be converted."""
        self.found.setdefault((operator, reason), []).append(node)

    def add_all(self, error: UnsupportedOperatorError) -> None:
        """Note what the error of a part of the model lists."""
        for operator in error.operators:
            for node in operator.nodes:
                self.add(operator.name, operator.reason, node)

    def hints(self) -> list[str]:
        """Return the hints of the error; those of an importer are about its format."""
        return []

    def raise_if_any(self) -> None:
        """Raise one error for everything that was noted.

        Raises
        ------
        UnsupportedOperatorError
            There is something; operators are listed with counts, reasons and nodes.
        """
        if not self.found:
            return
        operators = [
            UnsupportedOperator(name, len(nodes), reason, tuple(nodes))
            for (name, reason), nodes in sorted(self.found.items())
        ]
        kinds = len({operator.name for operator in operators})
        raise UnsupportedOperatorError(
            f"{kinds} {'kind' if kinds == 1 else 'kinds'} of operator in '{self._model_name}' "
            "cannot be imported",
            operators=operators,
            hints=self.hints(),
        )
