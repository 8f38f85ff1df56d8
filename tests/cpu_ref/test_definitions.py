# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CpuRef computes the kit's cases as numpy's definitions do, and CpuAcc as CpuRef and numpy do.

The verdict is the kit's. Of quantised layers CpuAcc has CpuRef's bits. Each network goes through a
file too, where CpuAcc has written its program. A default run tries its best instruction set alone,
without other quantisations and fields of descriptors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.testing.batches import batches_of
from armnn_py.testing.cases import Case, Kind, all_cases
from armnn_py.testing.checks.numbers import check_outputs, kinds_of
from armnn_py.testing.oracles.independent import DEFINED
from armnn_py.testing.oracles.reference import REFERENCE, Expectation, Reference
from armnn_py.testing.subject import Together, layers_taken
from armnn_py.types import LayerType
from tests.cpu_acc.instruction_sets import QUANTIZED_ISAS
from tests.cpu_acc.saving import check_saved
from tests.selection import is_exhaustive

LAYERS = sorted(DEFINED)
Outputs = dict[Kind, list[np.ndarray]]


@pytest.fixture(scope="module")
def cases() -> dict[LayerType, list[Case]]:
    found = defaultdict(list)
    for case in all_cases("quick", variants=is_exhaustive()):
        found[case.layer].append(case)
    return found


@pytest.fixture(scope="module")
def fast() -> Iterator[dict[str, ann.Runtime]]:
    """CpuAcc by instruction set; none where it is not built."""
    found = {}
    for isa in QUANTIZED_ISAS if is_exhaustive() else QUANTIZED_ISAS[:1]:
        found[isa] = ann.Runtime(backend_options={"CpuAcc": {"isa": isa, "threads": 2}})
    yield {isa: runtime for isa, runtime in found.items() if "CpuAcc" in runtime.backends}
    for runtime in found.values():
        runtime.close()


def made_by(runtime: ann.Runtime, cases: list[Case]) -> Iterator[tuple[Case, Outputs]]:
    """The outputs of CpuAcc, for each kind of values, of the layers that it takes."""
    taken = layers_taken(runtime.backends["CpuAcc"], cases)
    cases = [case for case, is_taken in zip(cases, taken, strict=True) if is_taken]
    if not cases:
        return
    together = Together(runtime, "CpuAcc", cases, [case.values() for case in cases])
    found: list[Outputs] = [{} for _ in cases]
    with runtime.load_network(together.placed) as loaded:
        for kind in dict.fromkeys(kind for case in cases for kind in kinds_of(case)):
            given = together.inputs(
                [case.values(kind if kind in kinds_of(case) else "plain") for case in cases]
            )
            outputs = {name: np.array(array) for name, array in loaded.run(given).items()}
            for of_case, arrays in zip(found, together.outputs(outputs), strict=True):
                of_case[kind] = arrays
    check_saved(runtime, together.placed, given, outputs)
    yield from zip(cases, found, strict=True)


def verdict(
    case: Case, run: Callable[[Kind], Any], expected: dict[Kind, list[Expectation]]
) -> Iterator[str]:
    try:
        check_outputs(case, run, expected)
    except CheckFailedError as error:
        yield f"{case.name}: {error}"


def bits(case: Case, found: Outputs, expected: dict[Kind, list[Expectation]]) -> Iterator[str]:
    """Where quantised outputs are not CpuRef's."""
    for kind, answers in expected.items():
        for answer in answers:
            for got, wanted, info in zip(
                found[kind], answer.outputs, case.signature.outputs, strict=True
            ):
                is_same = not info.data_type.is_quantized or np.array_equal(got, wanted)
                if answer.source == REFERENCE and not is_same:
                    yield f"{case.name}: not the same bits as CpuRef"


@pytest.mark.parametrize("layer", LAYERS, ids=[layer.label for layer in LAYERS])
def test_as_defined(
    cases: dict[LayerType, list[Case]], fast: dict[str, ann.Runtime], layer: LayerType
) -> None:
    compared, wrong = 0, []
    with Reference("another backend") as reference:
        for batch in map(list, batches_of(cases[layer])):
            of_batch = reference.expectations(batch, [kinds_of(case) for case in batch])
            by_name = {case.name: one for case, one in zip(batch, of_batch, strict=True)}
            for case, expected in zip(batch, of_batch, strict=True):
                if not all(len(answers) == 2 for answers in expected.values()):
                    continue  # one of both does not know the layer in this type
                compared += len(expected)
                numpy = {kind: answers[:1] for kind, answers in expected.items()}
                wrong += verdict(case, lambda kind, of=expected: of[kind][1].outputs, numpy)
            for isa, runtime in fast.items():
                for case, found in made_by(runtime, batch):
                    expected = by_name[case.name]
                    told = [*verdict(case, found.__getitem__, expected)]
                    told += bits(case, found, expected)
                    wrong += [f"{isa}: {one}" for one in told]
    assert not wrong, "\n".join(wrong[:9])
    assert compared > 1
