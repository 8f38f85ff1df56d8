# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Errors of a file as one that names the node they come from, and the shapes that it was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.errors import ArmnnError, ParseError
from armnn_py.frontends.onnx.file.binding import describe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from armnn_py.frontends.onnx.file.graph_node import Node
    from armnn_py.frontends.onnx.file.model import OnnxModel
    from armnn_py.tensors import TensorInfo

#: Raised by a converter; by numpy and Python inside of it if operands are damaged.
FAULTS: tuple[type[Exception], ...] = (
    ArmnnError, ValueError, TypeError, IndexError, KeyError, ArithmeticError,
)  # fmt: skip


def named(error: ParseError, node: Node) -> ParseError:
    """Return an error of a node that names it."""
    if error.node is not None:
        return error
    return ParseError(
        error.message if node.label in error.message else f"{node.label}: {error.message}",
        node=node.name,
        details=error.details,
        hints=error.hints,
    )


def of_node(error: Exception, node: Node) -> ParseError:
    """Return the error for one of `FAULTS` that the converter of a node raised."""
    if isinstance(error, ParseError):
        return named(error, node)
    if isinstance(error, ArmnnError):
        return ParseError(
            f"{node.label}: {error.message}",
            node=node.name,
            details=error.details,
            hints=error.hints,
        )
    text = str(error).strip().splitlines()
    return ParseError(
        f"{node.label} cannot be converted",
        details=[text[0] if text else type(error).__name__],
        node=node.name,
    )


def with_inputs(error: ParseError, model: OnnxModel, infos: Mapping[str, TensorInfo]) -> ParseError:
    """Add the shapes that were bound: a wrong one often shows deep inside the graph."""
    free = (dim for info in model.inputs.values() for dim in info.dims or ())
    if any(isinstance(dim, str | None) for dim in free):
        error.details = (*error.details, *describe(infos))
    return error
