# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a case should give: by CpuRef, and by numpy where the definition is written down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from msgspec import structs

from armnn_py.errors import ArmnnError
from armnn_py.runtime import Runtime
from armnn_py.tensors import TensorInfo
from armnn_py.testing.oracles.independent import (
    by_definition,
    steps_by_definition,
    unsure_elements,
)
from armnn_py.testing.oracles.own_operators import computed
from armnn_py.testing.subject import OperandValues, Together, layers_taken
from armnn_py.types import DataType, LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
    unsure
        Where the output decides nothing, see `unsure_elements`.
    """

    source: str
    outputs: list[NDArray[Any]]
    real: list[NDArray[Any]] | None = None
    unsure: NDArray[np.bool_] | None = None


class Reference:
    """Who knows what comes out, but for the backend that is tested; to be closed."""

    def __init__(self, tested: str) -> None:
        self._runtime: Runtime | None = None
        if tested != REFERENCE:
            self._runtime = Runtime(enable_dynamic_backends=False, use_environment=False)

    def expectations(
        self,
        cases: Sequence[Case],
        kinds: Sequence[Sequence[Kind]],
        on_step: Callable[..., None] = lambda **_: None,
    ) -> list[dict[Kind, list[Expectation]]]:
        """Return the expected outputs of each case for its kinds of values.

        They come from numpy and from CpuRef, where these know the layer. ``on_step`` is called with
        the number of a case and what is under way.
        """
        found: list[dict[Kind, list[Expectation]]] = []
        for number, (case, of_case) in enumerate(zip(cases, kinds, strict=True)):
            on_step(case=number, step="the definition")
            found.append({kind: _by_definition(case, kind) for kind in of_case})
        if self._runtime is not None:
            on_step(case=0, step=REFERENCE)
            ours = [n for n, case in enumerate(cases) if case.layer is not LayerType.STAND_IN]
            outputs = _by_reference(
                self._runtime,
                [cases[number] for number in ours],
                [kinds[number] for number in ours],
            )
            for number, of_reference in zip(ours, outputs, strict=True):
                for kind, arrays in of_reference.items():
                    found[number][kind].append(Expectation(REFERENCE, arrays))
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._runtime is not None:
            self._runtime.close()


def _by_definition(case: Case, kind: Kind) -> list[Expectation]:
    """Return what numpy gives, or the function that a vendor gave for an operator, if any."""
    values, signature = case.values(kind), case.signature
    if case.layer is LayerType.STAND_IN:
        if not case.reference:
            return []
        descriptor: Any = signature.descriptor
        outputs = computed(case.reference, descriptor, values, signature.outputs)
        return [Expectation(case.reference, outputs)]
    defined = by_definition(signature, values)
    if defined is None:
        return []
    real = steps_by_definition(signature, values)
    unsure = None if real is None else unsure_elements(signature, values, real[0])
    return [Expectation("numpy", defined, real, unsure)]


def _by_reference(
    runtime: Runtime, cases: Sequence[Case], kinds: Sequence[Sequence[Kind]]
) -> list[dict[Kind, list[NDArray[Any]]]]:
    """Return outputs of cases for each kind of values; none for a layer that is not taken.

    In types in which the reference does not calculate it is asked in float32.
    """
    found: list[dict[Kind, list[NDArray[Any]]]] = [{} for _ in cases]
    for is_wide in False, True:
        left = [number for number, outputs in enumerate(found) if not outputs]
        asked = [in_float32(cases[number]) if is_wide else cases[number] for number in left]
        answers = layers_taken(runtime.backends[REFERENCE], asked)
        taken = dict(zip(left, asked, strict=True))
        taken = {n: taken[n] for n, is_taken in zip(left, answers, strict=True) if is_taken}

        def values_of(
            kind: Kind, places: Sequence[int], is_wide: bool = is_wide
        ) -> list[OperandValues]:
            """Return operands; of a case without this kind of values, the plain ones."""
            chosen = [cases[n].values(kind if kind in kinds[n] else "plain") for n in places]
            if not is_wide:
                return chosen
            return [widener(cases[n])(values) for n, values in zip(places, chosen, strict=True)]

        for together, places in _networks(runtime, taken, values_of):
            with runtime.load_network(together.placed) as loaded:
                for kind in dict.fromkeys(kind for number in places for kind in kinds[number]):
                    outputs = loaded.run(together.inputs(values_of(kind, places)))
                    for number, arrays in zip(places, together.outputs(outputs), strict=True):
                        if kind in kinds[number]:
                            found[number][kind] = arrays
    return found


def _networks(
    runtime: Runtime, taken: dict[int, Case], values_of: Callable[..., list[OperandValues]]
) -> Iterator[tuple[Together, list[int]]]:
    """Give one network of all layers; if it is not made, one of each layer with which it is."""
    every = list(taken)
    for places in (every, *([number] for number in every)):
        if not places:
            return
        try:
            values = values_of("plain", places)
            together = Together(runtime, REFERENCE, [taken[n] for n in places], values)
        except ArmnnError:
            continue  # it does not take the layer, or one of them
        yield together, places
        if places is every:
            return


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
