# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The layers and data types that a backend takes: it is asked about small example layers.

Backends see canonical types alone, so an Addition counts as an ElementwiseBinary. Of several
examples of a layer type, one that it takes is enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from armnn_py.backends.questions.examples import Operands
from armnn_py.backends.questions.layer_examples import examples_of
from armnn_py.backends.questions.layer_support import LayerSignature, LayerSupport
from armnn_py.types import DataType, LayerType

if TYPE_CHECKING:
    from armnn_py.backends.backend import Backend

__all__ = ["example_layers", "probe_support"]


def probe_support(backend: Backend) -> dict[LayerType, tuple[DataType, ...]]:
    """Ask a backend which layers it takes.

    Parameters
    ----------
    backend
        A loaded backend.

    Returns
    -------
    dict
        For each layer type that there are examples of: the data types of which it takes an example,
        in the order of `DataType`; none if it does not take the layer. The type is that of a
        layer's first input; for Fill and Quantize, of its output.

    Raises
    ------
    InvalidArgumentError
        The runtime of the backend is closed.
    """
    taken: dict[LayerType, dict[DataType, None]] = {}
    with LayerSupport(backend) as support:
        for data_type in DataType:
            examples = list(example_layers(data_type))
            answers = support.ask_many(examples)
            for example, answer in zip(examples, answers, strict=True):
                types = taken.setdefault(example.type, {})
                if answer:
                    types[data_type] = None
    return {layer_type: tuple(taken[layer_type]) for layer_type in sorted(taken)}


def example_layers(data_type: DataType) -> Iterator[LayerSignature]:
    """Give the well-formed examples of a data type."""
    plain = examples_of(Operands(DataType.FLOAT32))
    for example, in_float in zip(examples_of(Operands(data_type)), plain, strict=True):
        signature = example.signature(data_type, in_float)
        if signature is not None:
            yield signature
