# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Binds the names of a body before its nodes are converted, and collects its results after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from armnn_py.frontends.common.values import Known, Unsupported, Value
from armnn_py.frontends.onnx.file.tensors import Unreadable

if TYPE_CHECKING:
    from armnn_py.frontends.onnx.convert.work import Work
    from armnn_py.frontends.onnx.file.graph_node import Body


class Failed(Exception):  # noqa: N818 - an answer: what failed is in the problems
    """A body could not be converted; what is wrong with it is noted."""


class WriteOut(Exception):  # noqa: N818 - an answer: the conversion begins again
    """A loop has to be written out: its turns have no common plan.

    Parameters
    ----------
    index
        Number of the node.
    """

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


class Names(Protocol):
    """The names and values of a `scope.Scope`."""

    work: Work
    title: str
    values: dict[str, Any]
    static: set[str]
    poisoned: set[str]
    absent: set[str]


def fill(scope: Names, around: Names, body: Body, values: Sequence[Value | None]) -> None:
    """Give the names of a body their values: of the scope around it, weights, and its inputs.

    Raises
    ------
    Failed
        A value of the scope around it could not be converted.
    """
    for name in body.captures:
        if name in around.poisoned:
            raise Failed
        scope.values[name] = around.values[name]
    for name, constant in body.constants.items():
        scope.values[name] = constant
        if isinstance(constant, Known):
            scope.static.add(name)
            scope.work.emit.name_constant(constant, scope.title + name)
    scope.absent = {
        name
        for index, name in enumerate(body.inputs)
        if index >= len(values) or values[index] is None
    }
    for name, value in zip(body.inputs, values, strict=False):
        if value is not None:
            scope.values[name] = value


def results_of(scope: Names, body: Body) -> list[Value | None]:
    """Return the outputs of a body; those that it does not make are None.

    Raises
    ------
    Failed
        An output could not be converted.
    """
    results: list[Value | None] = []
    for name in body.outputs:
        if not name:
            results.append(None)
            continue
        result = scope.values.get(name)
        if name in scope.absent:
            results.append(None)
            continue
        if name in scope.poisoned or result is None:
            raise Failed
        if isinstance(result, Unreadable):
            raise Unsupported(result.reason)
        results.append(result)
    return results
