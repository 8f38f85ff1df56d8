# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Every layer of the table x every data type x ranks 0 to 5 x every value of each option.

One option is changed at a time from a base case, as the whole product of the options is too large.
Options are the enumerated and boolean fields of descriptors, data types of indices among them; the
type to cast to and the like count as forms. What the host or the backend refuses must say why. What
it accepts is run and compared with the kit's definition in numpy where that knows the layer;
CpuAcc, with CpuRef as well. That definition has of floating point of 8 bits what moves alone; types
of less than a byte are asked about, not run: see `tests/cpu_ref/test_small_types.py`.

Each test takes a sample of the types by seed; ``--exhaustive`` takes all.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import armnn_py as ann
from armnn_py.backends.questions.examples import Example, Operands, in_type
from armnn_py.backends.questions.layer_support import LayerSignature, LayerSupport, never_shown
from armnn_py.descriptors.canonical import canonical_form
from armnn_py.errors import LayerValidationError
from armnn_py.tensors import TensorInfo
from armnn_py.testing.cases import TRIED_TYPES, Case, Kind
from armnn_py.testing.checks.numbers import kinds_of
from armnn_py.testing.oracles.independent import MOVES, by_definition
from armnn_py.testing.oracles.reference import in_float32, widener
from armnn_py.testing.subject import Together
from armnn_py.testing.tolerances import compare, tolerance_of
from armnn_py.types import DataType, LayerType
from tests.selection import is_exhaustive

from .whole_table import RANKS, WALKED, variants

if TYPE_CHECKING:
    import numpy as np

#: Besides float32, so many types of a layer are walked by a default run; the layer decides which.
_FEW = 4
#: The host writes them out: no backend is asked.
_WRITTEN_OUT = (LayerType.MERGE, LayerType.SWITCH)


def types_of(layer: LayerType) -> list[DataType]:
    every = list(DataType)
    if is_exhaustive():
        return every
    others = [one for one in every if one is not DataType.FLOAT32]
    return [DataType.FLOAT32, *random.Random(int(layer)).sample(others, _FEW)]


def cases_of(layer: LayerType, data_type: DataType) -> Iterator[Case]:
    """The valid layers; that each of the others is refused for a reason is asserted."""
    for rank in RANKS:
        typed = variants(layer, Operands(data_type), rank)
        plain = variants(layer, Operands(DataType.FLOAT32), rank)
        for (name, example), (_, in_float) in zip(typed, plain, strict=True):
            name = f"{layer.label}/{data_type.label}/{name}"
            if isinstance(example, str) or isinstance(in_float, str):
                assert isinstance(example, str)
                assert example.strip(), name
                continue
            signature = _signature(example, in_float, data_type)
            if isinstance(signature, str):
                assert signature.rpartition(":")[2].strip(), f"{name} is refused without a reason"
                continue
            values = tuple(one and one.values for one in example.operands)
            yield Case(name, data_type, signature, values, 5)


def _signature(example: Example, in_float: Example, data_type: DataType) -> LayerSignature | str:
    """Return what a backend is asked, or the words in which the host refuses the layer."""
    outputs = example.outputs
    try:
        if outputs is None and data_type.is_quantized:
            outputs = [in_type(info, data_type) for info in in_float.infer(None)]
        found = example.infer(outputs)
    except LayerValidationError as error:
        return error.message
    kind, descriptor = canonical_form(example.type, example.descriptor)
    return LayerSignature(
        kind,
        descriptor,
        tuple(one and one.info for one in example.operands),
        tuple(found),
        tuple(one is not None and one.is_constant for one in example.operands),
    )


def outputs_of(
    runtime: ann.Runtime, backend: str, cases: list[Case], values: list[list[Any]]
) -> list[list[np.ndarray]]:
    """The outputs of layers that a backend takes, all in one network."""
    together = Together(runtime, backend, cases, values)
    with runtime.load_network(together.placed) as loaded:
        return together.outputs(loaded.run(together.inputs(values)))


def defined(case: Case, values: list[Any]) -> list[np.ndarray] | None:
    """What the kit's numpy gives; bfloat16 in float32."""
    infos = [i for i in (*case.signature.inputs, *case.signature.outputs) if i is not None]
    found = None
    if all(info.data_type in TRIED_TYPES for info in infos) or _moves(case):
        found = by_definition(case.signature, values)
    if found is None and DataType.BFLOAT16 in {info.data_type for info in infos}:
        if case.layer is LayerType.CAST:
            return None
        found = by_definition(in_float32(case).signature, widener(case)(values))
    return found


def _moves(case: Case) -> bool:
    """Whether bits move as they are, whatever they stand for; padding has a value of the type."""
    return case.layer is not LayerType.PAD and case.layer in MOVES


def differences(case: Case, found: list[np.ndarray], wanted: list[np.ndarray]) -> list[str]:
    told = []
    for index, (got, expected) in enumerate(zip(found, wanted, strict=True)):
        data_type = case.signature.outputs[index].data_type
        allowed = tolerance_of(case.layer.label, data_type.label)
        worst = compare(got, expected, data_type, allowed)
        if worst:
            told.append(f"{case.name}: output {index}: {worst}")
    return told


@pytest.fixture(scope="module")
def supports() -> Iterator[tuple[ann.Runtime, dict[str, LayerSupport]]]:
    """A runtime, and what CpuRef and CpuAcc, if it is here, answer."""
    with ann.Runtime() as runtime, contextlib.ExitStack() as stack:
        found = [name for name in ("CpuRef", "CpuAcc") if name in runtime.backends]
        yield (
            runtime,
            {name: stack.enter_context(LayerSupport(runtime.backends[name])) for name in found},
        )


@pytest.mark.parametrize("layer", WALKED, ids=lambda layer: layer.label)
def test_accepted_is_right_and_refused_has_a_reason(
    supports: tuple[ann.Runtime, dict[str, LayerSupport]], layer: LayerType
) -> None:
    runtime, by_backend = supports
    wrong: list[str] = []
    compared = 0
    for data_type in types_of(layer):
        cases = [
            case
            for case in cases_of(layer, data_type)
            if not never_shown(case.layer, case.signature.descriptor)
        ]
        wanted: dict[str, list[np.ndarray] | None] = {}
        of_reference: dict[str, list[np.ndarray]] = {}
        for backend, support in by_backend.items():
            taken = taken_cases(support, cases)
            if not taken:
                continue
            values = [case.values(kind_of(case)) for case in taken]
            found = outputs_of(runtime, backend, taken, values)
            for case, operands, outputs in zip(taken, values, found, strict=True):
                if case.name not in wanted:
                    wanted[case.name] = defined(case, operands)
                for expected in (wanted[case.name], of_reference.get(case.name)):
                    if expected is not None:
                        told = differences(case, outputs, expected)
                        wrong += [f"{backend}: {one}" for one in told]
                if backend == "CpuRef":
                    of_reference[case.name] = outputs
                    compared += wanted[case.name] is not None
    assert not wrong, "\n".join(wrong[:20])
    if is_exhaustive():
        assert compared or layer in _WRITTEN_OUT, "nothing was compared"


def taken_cases(support: LayerSupport, cases: list[Case]) -> list[Case]:
    """The layers that a backend takes; those of packed types are asked about alone."""
    answers = support.ask_many([case.signature for case in cases])
    for case, answer in zip(cases, answers, strict=True):
        assert answer or answer.reason.strip(), f"{case.name} is refused without a reason"
    return [
        case
        for case, answer in zip(cases, answers, strict=True)
        if answer and not any(info.data_type.is_packed for info in _infos(case))
    ]


def kind_of(case: Case) -> Kind:
    """Special values where a layer heeds them; of steps, some are halfway between two of these."""
    return "plain" if case.layer is LayerType.FAKE_QUANTIZATION else kinds_of(case)[-1]


def _infos(case: Case) -> list[TensorInfo]:
    infos = (*case.signature.inputs, *case.signature.outputs)
    return [info for info in infos if info is not None]
