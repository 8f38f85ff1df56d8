# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What ``backend_api.h`` says under "Layers": every layer that a backend is shown is valid."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native import abi
from armnn_py._native.layers.layer_structs import LayerStructs
from armnn_py.testing.random_networks import random_network
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS
from tests.cpu_ref.harness import host_refusal

DEMO = Path(ann.__file__).parent / "demo" / "digits.onnx"


def infos_at(pointers: Any, count: int) -> list[abi.armnn_tensor_info_t | None]:
    return [pointers[index].contents if pointers[index] else None for index in range(count)]


def check_shown(struct: Any) -> str | None:
    """What is wrong with a query, a layer of a sub-graph or a workload info in C, or ``None``."""
    kind = LayerType(struct.type)
    inputs = infos_at(struct.input_infos, struct.input_count)
    outputs = infos_at(struct.output_infos, struct.output_count)
    for info in (*inputs, *outputs):
        if info is None:
            continue
        dims = info.dims[: info.rank]
        known = (1 << info.rank) - 1
        if info.dim_known_mask != known or info.element_count != math.prod(dims):
            return f"{kind.name}: dimensions {dims}, {info.element_count} elements"
    names = FACTS[kind].operands
    if not FACTS[kind].variadic:
        absent = [names[index] for index, info in enumerate(inputs) if info is None]
        if len(inputs) > len(names) or not all(name.endswith("?") for name in absent):
            return f"{kind.name}: operands {absent} of {names} are absent"
    header = struct.descriptor.contents if struct.descriptor else None
    if header is not None and header.struct_type != abi.ARMNN_STRUCT_DESCRIPTOR + struct.type:
        return f"{kind.name}: descriptor with tag {header.struct_type:#x}"
    if kind is LayerType.PRE_COMPILED:  # what it computes, only its backend knows
        return None
    return host_refusal(kind, header, inputs, outputs)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """How many structures of each kind and layer type backends were shown, all of them checked."""
    count: Counter[tuple[str, str]] = Counter()
    fill = LayerStructs._fill_common

    def checked(self: LayerStructs, struct: Any) -> None:
        fill(self, struct)
        assert check_shown(struct) is None
        count[type(struct).__name__, LayerType(struct.type).name] += 1

    monkeypatch.setattr(LayerStructs, "_fill_common", checked)
    return count


@pytest.mark.parametrize("seed", range(12))
def test_every_layer_shown_is_valid(shown: Counter[tuple[str, str]], seed: int) -> None:
    with ann.Runtime() as runtime:
        optimized = ann.optimize(random_network(seed), runtime=runtime)
        runtime.load_network(optimized).close()
    kinds = {kind for kind, _ in shown}
    assert kinds >= {"armnn_layer_query_t", "armnn_workload_info_t"}
    assert len({name for _, name in shown}) > 8


def test_every_layer_of_a_model_is_valid(shown: Counter[tuple[str, str]]) -> None:
    pytest.importorskip("onnx")
    with ann.load(DEMO, ["CpuRef"]) as loaded:
        inputs = {
            name: np.zeros(info.static_shape, info.dtype) for name, info in loaded.inputs.items()
        }
        loaded.run(inputs)
    assert shown["armnn_layer_query_t", "CONVOLUTION2D"]


def test_the_check_sees_what_is_wrong(shown: Counter[tuple[str, str]]) -> None:
    one, other = ann.TensorInfo((2, 3)), ann.TensorInfo((3, 2))
    LayerStructs(LayerType.MEM_COPY, None, [one], [one]).query()
    for inputs, outputs in (([one], [other]), ([None], [one]), ([one, one], [one]), ([], [one])):
        with pytest.raises(AssertionError):
            LayerStructs(LayerType.MEM_COPY, None, inputs, outputs).query()
    with pytest.raises(AssertionError, match="Floor is shown as ElementwiseUnary"):
        LayerStructs(LayerType.FLOOR, None, [one], [one]).query()
    structs = LayerStructs(LayerType.MEM_COPY, None, [one], [one])
    structs.inputs[0].element_count = 7
    with pytest.raises(AssertionError, match="7 elements"):
        structs.query()
