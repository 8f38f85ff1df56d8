# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The memories between which a step moves a tensor, in words for profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py._native import abi

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.runtime.plan.planned import PlannedStep, PlannedTensor

__all__ = ["move_path"]

_HOST = "host"


def move_path(tensors: Sequence[PlannedTensor], step: PlannedStep) -> str:
    """``"host -> Acme/AcmeNpu/Device"``: tensor handle factories, or the host, by name."""

    def memory(number: int) -> str:
        return tensors[number].factory or _HOST

    if step.kind == abi.ARMNN_PLAN_STEP_LEND:
        return f"{_HOST} -> {memory(step.outputs[0])}"
    if not step.outputs:
        return memory(step.inputs[0])
    return f"{memory(step.inputs[0])} -> {memory(step.outputs[0])}"
