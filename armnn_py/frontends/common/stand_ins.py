# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators without a layer, which a backend may run as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from armnn_py.descriptors import StandInDescriptor
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.values import Known, Value, dense
from armnn_py.network import OutputSlot
from armnn_py.tensors import TensorInfo
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray


class _Answer(Protocol):
    @property
    def outputs(self) -> tuple[TensorInfo, ...] | None: ...

    @property
    def reason(self) -> str: ...


class RunsStandIns(Protocol):
    """A backend, as far as importers see it; `armnn_py.backends.Backend` is one."""

    id: str

    @property
    def runs_stand_ins(self) -> bool:
        """Whether it runs any operator that no layer expresses."""

    def infer_stand_in(
        self,
        descriptor: StandInDescriptor,
        inputs: Sequence[TensorInfo | None],
        constants: Mapping[int, NDArray[Any]] | None = None,
        *,
        name: str = "",
    ) -> _Answer:
        """Answer whether it runs an operator, with the infos of its outputs."""


def stand_in(
    emit: Emitter,
    backends: Sequence[RunsStandIns],
    values: Sequence[Value | None],
    described: Callable[[int], StandInDescriptor],
    name: str,
) -> tuple[Sequence[OutputSlot] | None, tuple[str, ...]]:
    """Make an operator a StandIn layer of the first backend that runs it.

    Parameters
    ----------
    emit
        Adds the layer.
    backends
        Asked in this order.
    values
        The operands; None where one is absent.
    described
        Returns the descriptor for a number of operands, or raises ValueError.
    name
        The operator's name, for messages.

    Returns
    -------
    tuple of slots, or None
        The outputs of the layer; None if no backend runs the operator.
    tuple of str
        The reasons of the backends that refuse, with their names.
    """
    if not backends:
        return None, ()
    given = list(values)
    while given and given[-1] is None:
        given.pop()
    try:
        descriptor = described(len(given))
        infos = [None if value is None else value.info for value in given]
    except ValueError as error:
        return None, (str(error),)
    known = {
        index: dense(value.array) for index, value in enumerate(given) if isinstance(value, Known)
    }
    reasons: list[str] = []
    for backend in backends:
        answer = backend.infer_stand_in(descriptor, infos, known, name=name)
        if answer.outputs is not None:
            layer = emit.layers(
                LayerType.STAND_IN, given, descriptor, outputs=answer.outputs, backend=backend.id
            )
            return layer.outputs, ()
        reasons.append(f"{backend.id}: {answer.reason}")
    return None, tuple(reasons)
