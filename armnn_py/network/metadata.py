# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Metadata of a model file: producer, operator sets, the author's own data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from armnn_py.later import public_class

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ModelMetadata"]


@public_class
@dataclass(frozen=True, slots=True)
class ModelMetadata:
    """Metadata of a model file; no layer depends on it.

    Each text is empty, and each mapping too, where the file does not say it.

    Attributes
    ----------
    format
        Format of the file: ``"ONNX"``; empty for a network that was built in Python.
    format_version
        Version of the format, for ONNX that of its intermediate representation.
    opsets
        Version of each set of operators by its domain, as ``{"ai.onnx": 17}``.
    producer, producer_version
        The program that wrote the file.
    domain, version
        Namespace and version of the model, in its author's counting.
    description
        The author's description of the model.
    graph_name, graph_description
        Name and description of the graph.
    properties
        Other texts that the author stored, by key: labels, an alphabet, training settings.
    defaults
        Values of inputs that a run may leave out, by name.
    """

    format: str = ""
    format_version: int = 0
    opsets: Mapping[str, int] = field(default_factory=dict)
    producer: str = ""
    producer_version: str = ""
    domain: str = ""
    version: int = 0
    description: str = ""
    graph_name: str = ""
    graph_description: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, NDArray[Any]] = field(default_factory=dict, repr=False, compare=False)
