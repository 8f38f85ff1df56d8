# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CpuRef takes each layer in each data type that Arm NN's reference backend takes it in.

CpuRef itself is asked, through the layer support of its C table: no conversion by the host counts.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py.backends.questions.examples import Operands
from armnn_py.backends.questions.layer_examples import example_layers
from armnn_py.backends.questions.layer_support import LayerSignature, LayerSupport
from armnn_py.types import DataType, LayerType
from armnn_py.types.facts import FACTS

HERE = Path(__file__).parent
LEFT_OUT = HERE.parents[1] / "docs" / "left_out.md"


def cells() -> list[tuple[str, DataType]]:
    """Layers by their names, and the types of each."""
    table = tomllib.loads((HERE / "arm_nn_reference.toml").read_text(encoding="utf-8"))
    types = {label: DataType[name.upper()] for label, name in table["types"].items()}
    return [
        (layer, types[one]) for layer, labels in table["layers"].items() for one in labels.split()
    ]


def without_kernel() -> set[str]:
    """Layers that the documentation says no bundled backend has a kernel for."""
    text = LEFT_OUT.read_text(encoding="utf-8")
    rows = re.findall(r"^\| layers without a kernel .* \| (.*) \|$", text, re.M)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def examples(layer: LayerType, data_type: DataType) -> Iterator[LayerSignature]:
    """Small layers of a type; of one that backends see as another, those that say the same."""
    facts = FACTS[layer]
    if facts.moves_memory or facts.host:
        info = Operands(data_type).info(2, 4)
        inputs = (info,) * len(facts.operands)
        yield LayerSignature(layer, None, inputs, (info,), (False,) * len(inputs))
    for example in example_layers(data_type):
        operation = getattr(example.descriptor, "operation", None)
        if facts.canonical_types and facts.canonical_types[1] is not example.outputs[0].data_type:
            continue
        if example.type is (facts.canonical or layer) and (
            facts.canonical_operation in (None, operation)
        ):
            yield example


def test_the_table_has_every_cell() -> None:
    found = cells()
    assert len(found) == len(set(found)) == 352
    assert {layer for layer, _ in found} <= {one.label for one in LayerType}


@pytest.mark.parametrize("layer", sorted({layer for layer, _ in cells()} - without_kernel()))
def test_cpu_ref_takes_what_arm_nn_takes(layer: str) -> None:
    kind = next(one for one in LayerType if one.label == layer)
    refused = {}
    with ann.Runtime() as runtime, LayerSupport(runtime.backends["CpuRef"]) as support:
        for data_type in (one for name, one in cells() if name == layer):
            answers = support.ask_many(list(examples(kind, data_type)))
            if not any(answers):
                refused[data_type.label] = [answer.reason for answer in answers]
    assert refused == {}
