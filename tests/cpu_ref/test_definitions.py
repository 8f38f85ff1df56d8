# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CpuRef computes the kit's cases as numpy's definitions do, and CpuAcc as CpuRef and numpy do.

Of quantised layers CpuAcc has CpuRef's bits. The first network of each type goes through a file,
where CpuAcc has written its program. A default run tries its best instruction set alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer import AS_IT_IS
from armnn_py.testing.cases import Case, Kind, unvaried_cases
from armnn_py.testing.checks.numbers import kinds_of
from armnn_py.testing.oracles.independent import DEFINED
from armnn_py.testing.oracles.reference import Expectation, Reference
from armnn_py.testing.subject import network_of
from armnn_py.testing.tolerances import compare, tolerance_of
from armnn_py.types import LayerType
from tests.cpu_acc.instruction_sets import QUANTIZED_ISAS
from tests.cpu_acc.saving import check_saved
from tests.selection import is_exhaustive

LAYERS = sorted(DEFINED)


@pytest.fixture(scope="module")
def cases() -> dict[LayerType, list[Case]]:
    found = defaultdict(list)
    for case in unvaried_cases():
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


def made_by(
    runtime: ann.Runtime, case: Case, kinds: tuple[Kind, ...], *, is_saved: bool
) -> dict[Kind, list[np.ndarray]]:
    """The outputs of CpuAcc for each kind of values, or nothing if it does not take the layer."""
    try:
        network = network_of(case, case.values())
        placed = ann.optimize(network, ["CpuAcc"], runtime=runtime, options=AS_IT_IS)
    except ann.ArmnnError:
        return {}
    found = {}
    with runtime.load_network(placed) as loaded:
        for kind in reversed(kinds):
            values: list[Any] = case.values(kind)
            given = {name: values[int(name[1:])] for name in network.inputs}
            outputs = {name: np.array(array) for name, array in loaded.run(given).items()}
            found[kind] = [outputs[f"y{index}"] for index in range(len(outputs))]
    if is_saved:
        check_saved(runtime, placed, given, outputs)
    return found


def differences(case: Case, found: list[np.ndarray], expected: Expectation) -> Iterator[str]:
    for got, wanted, info in zip(found, expected.outputs, case.signature.outputs, strict=True):
        allowed = tolerance_of(case.layer.label, info.data_type.label)
        worst = compare(got, wanted, info.data_type, allowed)
        if not worst and info.data_type.is_quantized and expected.source == "CpuRef":
            worst = "" if np.array_equal(got, wanted) else "not the same bits"
        if worst:
            yield f"{case.name} is not as {expected.source} has it: {worst}"


@pytest.mark.parametrize("layer", LAYERS, ids=[layer.label for layer in LAYERS])
def test_as_defined(
    cases: dict[LayerType, list[Case]], fast: dict[str, ann.Runtime], layer: LayerType
) -> None:
    compared, wrong, saved = 0, [], set()
    with Reference("another backend") as reference:
        for case in cases[layer]:
            known = kinds_of(case)
            kinds = tuple(dict.fromkeys((known[0], known[-1])))  # denormals may count as zeros
            expected = reference.expectations(case, kinds)
            for answers in expected.values():
                if len(answers) == 2:  # else one of both does not know the layer in this type
                    compared += 1
                    wrong += differences(case, answers[1].outputs, answers[0])
            for isa, runtime in fast.items():
                is_first = (isa, case.type) not in saved
                made = made_by(runtime, case, kinds[:1], is_saved=is_first)
                if made:
                    saved.add((isa, case.type))
                for kind, found in made.items():
                    for answer in expected[kind]:
                        wrong += [f"{isa}: {one}" for one in differences(case, found, answer)]
    assert not wrong, "\n".join(wrong[:9])
    assert compared > 1
