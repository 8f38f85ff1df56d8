# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a case should give: by CpuRef, and by numpy where the definition is written down."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.errors import ArmnnError
from armnn_py.optimizer import AS_IT_IS, optimize
from armnn_py.runtime import Runtime
from armnn_py.tensors import TensorInfo
from armnn_py.testing.independent import by_definition
from armnn_py.testing.subject import network_of
from armnn_py.types import DataType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from armnn_py.testing.cases import Case

__all__ = ["REFERENCE", "Expectation", "expectations"]

REFERENCE = "CpuRef"
_SMALL_FLOATS = (DataType.FLOAT16, DataType.BFLOAT16)

Expectation = tuple[str, list[Any]]
"""Who says so, and the outputs."""


def expectations(
    case: Case, values: Sequence[NDArray[Any] | None], tested: str
) -> list[Expectation]:
    """Return what a case should give, from each who knows but the backend that is tested."""
    found: list[Expectation] = []
    defined = by_definition(case.signature, values)
    if defined is not None:
        found.append(("numpy", defined))
    if tested != REFERENCE:
        outputs = _by_reference(case, values)
        if outputs is not None:
            found.append((REFERENCE, outputs))
    return found


def _by_reference(case: Case, values: Sequence[NDArray[Any] | None]) -> list[Any] | None:
    with Runtime(enable_dynamic_backends=False, use_environment=False) as runtime:
        for asked, given in ((case, list(values)), _in_float32(case, values)):
            try:
                network = network_of(asked, given)
                placed = optimize(network, [REFERENCE], runtime=runtime, options=AS_IT_IS)
            except ArmnnError:
                continue  # it does not take the layer
            inputs = {name: given[int(name[1:])] for name in network.inputs}
            with runtime.load_network(placed) as loaded:
                outputs = loaded.run({name: np.asarray(value) for name, value in inputs.items()})
            return [np.array(outputs[f"y{index}"]) for index in range(len(outputs))]
    return None


def _in_float32(
    case: Case, values: Sequence[NDArray[Any] | None]
) -> tuple[Case, list[NDArray[Any] | None]]:
    """Return the same case in float32, for types in which the reference does not calculate."""
    signature = case.signature
    widened = signature._replace(
        inputs=tuple(None if info is None else _wide(info) for info in signature.inputs),
        outputs=tuple(_wide(info) for info in signature.outputs),
    )
    arrays: list[NDArray[Any] | None] = []
    for info, value in zip(signature.inputs, values, strict=True):
        if value is None or info is None or info.data_type not in _SMALL_FLOATS:
            arrays.append(value)
        elif info.data_type is DataType.BFLOAT16:
            arrays.append((value.astype(np.uint32) << 16).view(np.float32))
        else:
            arrays.append(value.astype(np.float32))
    return dataclasses.replace(case, signature=widened), arrays


def _wide(info: TensorInfo) -> TensorInfo:
    return TensorInfo(info.shape) if info.data_type in _SMALL_FLOATS else info
