# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Offers operators without a layer to backends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from armnn_py.descriptors import StandInDescriptor
from armnn_py.tensors import TensorInfo

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Offered", "RunsStandIns", "offer"]


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


class Offered(Struct, frozen=True):
    """The result of an offer.

    Attributes
    ----------
    outputs
        Infos of the outputs; None if no backend runs the operator.
    backend
        The backend that runs it; empty if none.
    reasons
        The reasons of the other backends, with their names.
    """

    outputs: tuple[TensorInfo, ...] | None
    backend: str
    reasons: tuple[str, ...]


def offer(
    backends: Sequence[RunsStandIns],
    descriptor: StandInDescriptor,
    inputs: Sequence[TensorInfo | None],
    constants: Mapping[int, NDArray[Any]],
    name: str,
) -> Offered:
    """Ask backends in their order; the first that runs the operator has it."""
    reasons: list[str] = []
    for backend in backends:
        answer = backend.infer_stand_in(descriptor, inputs, constants, name=name)
        if answer.outputs is not None:
            return Offered(answer.outputs, backend.id, tuple(reasons))
        reasons.append(f"{backend.id}: {answer.reason}")
    return Offered(None, "", tuple(reasons))
