# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a case should give: by CpuRef, and by numpy where the definition is written down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from msgspec import structs

from armnn_py.errors import ArmnnError
from armnn_py.optimizer import AS_IT_IS, optimize
from armnn_py.runtime import Runtime
from armnn_py.tensors import TensorInfo
from armnn_py.testing.oracles.independent import by_definition, steps_by_definition
from armnn_py.testing.oracles.own_operators import computed
from armnn_py.testing.subject import network_of
from armnn_py.types import DataType, LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from armnn_py.testing.cases import Case, Kind

REFERENCE = "CpuRef"
_SMALL_FLOATS = (DataType.FLOAT16, DataType.BFLOAT16)


class Expectation(NamedTuple):
    """The expected outputs of a case, and their source.

    Attributes
    ----------
    source
        ``numpy`` or ``CpuRef``.
    outputs
        The outputs.
    real
        By definition the real numbers of quantised outputs, in steps, before they are rounded.
    """

    source: str
    outputs: list[NDArray[Any]]
    real: list[NDArray[Any]] | None = None


class Reference:
    """Who knows what comes out, but for the backend that is tested; to be closed."""

    def __init__(self, tested: str) -> None:
        self._runtime: Runtime | None = None
        if tested != REFERENCE:
            self._runtime = Runtime(enable_dynamic_backends=False, use_environment=False)

    def expectations(
        self,
        case: Case,
        kinds: Collection[Kind],
        on_step: Callable[[str], None] = lambda _: None,
    ) -> dict[Kind, list[Expectation]]:
        """Return what a case should give, from each who knows, for each kind of values."""
        found: dict[Kind, list[Expectation]] = {}
        for kind in kinds:
            on_step(f"the definition, {kind} values")
            found[kind] = []
            if case.layer is LayerType.STAND_IN:
                found[kind] += _by_user(case, kind)
                continue
            defined = by_definition(case.signature, case.values(kind))
            if defined is not None:
                real = steps_by_definition(case.signature, case.values(kind))
                found[kind].append(Expectation("numpy", defined, real))
        if self._runtime is not None and case.layer is not LayerType.STAND_IN:
            on_step(REFERENCE)
            for kind, outputs in _by_reference(self._runtime, case, kinds).items():
                found[kind].append(Expectation(REFERENCE, outputs))
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._runtime is not None:
            self._runtime.close()


def _by_user(case: Case, kind: Kind) -> list[Expectation]:
    """Return the results of the function that a vendor gave for an operator, if any."""
    if not case.reference:
        return []
    signature = case.signature
    descriptor: Any = signature.descriptor
    outputs = computed(case.reference, descriptor, case.values(kind), signature.outputs)
    return [Expectation(case.reference, outputs)]


def _by_reference(runtime: Runtime, case: Case, kinds: Collection[Kind]) -> dict[Kind, list[Any]]:
    """Return outputs for each kind of values, of one network: its constants are the same for all.

    In types in which the reference does not calculate it is asked in float32.
    """
    for asked, given in ((case, list), (in_float32(case), widener(case))):
        try:
            network = network_of(asked, given(case.values()))
            placed = optimize(network, [REFERENCE], runtime=runtime, options=AS_IT_IS)
        except ArmnnError:
            continue  # it does not take the layer
        found: dict[Kind, list[Any]] = {}
        with runtime.load_network(placed) as loaded:
            for kind in kinds:
                values = given(case.values(kind))
                inputs = {name: np.asarray(values[int(name[1:])]) for name in network.inputs}
                outputs = loaded.run(inputs)
                found[kind] = [np.array(outputs[f"y{index}"]) for index in range(len(outputs))]
        return found
    return {}


def in_float32(case: Case) -> Case:
    """Return a case with float32 where it has floating point of 16 bits."""
    signature = case.signature
    widened = signature._replace(
        inputs=tuple(None if info is None else _wide(info) for info in signature.inputs),
        outputs=tuple(_wide(info) for info in signature.outputs),
    )
    return structs.replace(case, signature=widened, drawn={})


def _wide(info: TensorInfo) -> TensorInfo:
    return TensorInfo(info.shape) if info.data_type in _SMALL_FLOATS else info


def widener(case: Case) -> Callable[[Sequence[NDArray[Any] | None]], list[NDArray[Any] | None]]:
    """Return what makes operands of `in_float32` out of those of the case."""

    def widened(values: Sequence[NDArray[Any] | None]) -> list[NDArray[Any] | None]:
        arrays: list[NDArray[Any] | None] = []
        for info, value in zip(case.signature.inputs, values, strict=True):
            if value is None or info is None or info.data_type not in _SMALL_FLOATS:
                arrays.append(value)
            elif info.data_type is DataType.BFLOAT16:
                arrays.append((value.astype(np.uint32) << 16).view(np.float32))
            else:
                arrays.append(value.astype(np.float32))
        return arrays

    return widened
