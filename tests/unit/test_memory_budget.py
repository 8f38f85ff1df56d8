# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The memory budget: what a model may ask for beyond its file.

Expected values: numpy, and sizes counted by hand. The optimiser has a test of its own beside its
folding.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import armnn_py as ann
from armnn_py import memory_budget
from armnn_py.frontends import import_model
from armnn_py.memory_budget import limit_of_group
from armnn_py.network import ConstantLayer

if TYPE_CHECKING:
    from collections.abc import Iterator

MIB = 2**20
SIDE = 512
"""Rows and columns of the values here; each takes 1 MiB."""
LINKS = 8


@pytest.fixture(autouse=True)
def budget_as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("ARMNN_PY_MEMORY_BUDGET", raising=False)
    yield
    ann.set_memory_budget(None)


def chain() -> onnx.ModelProto:
    """``x`` plus repeated cosines of a constant whose size alone stands in the file."""
    shape = helper.make_tensor("shape", TensorProto.INT64, [2], [SIDE, SIDE])
    one = helper.make_tensor("value", TensorProto.FLOAT, [1], [1.0])
    nodes = [helper.make_node("ConstantOfShape", ["shape"], ["c0"], value=one)]
    total = "x"
    for i in range(LINKS):
        nodes.append(helper.make_node("Cos", [f"c{i}"], [f"c{i + 1}"], name=f"cos{i}"))
        nodes.append(helper.make_node("Add", [total, f"c{i + 1}"], [f"t{i}"], name=f"add{i}"))
        total = f"t{i}"
    graph = helper.make_graph(
        nodes,
        "chain",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [SIDE, SIDE])],
        [helper.make_tensor_value_info(total, TensorProto.FLOAT, [SIDE, SIDE])],
        [shape],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def constant_bytes(network: ann.Network) -> int:
    return sum(
        layer.outputs[0].info.byte_size
        for layer in network.layers
        if isinstance(layer, ConstantLayer)
    )


def check_chain(network: ann.Network, **options: Any) -> None:
    """A run gives what numpy does, wherever the cosines are computed."""
    value, expected = np.ones((SIDE, SIDE)), np.zeros((SIDE, SIDE))
    for _ in range(LINKS):
        value = np.cos(value)
        expected += value
    with ann.Runtime() as runtime:
        optimized = ann.optimize(network, ["CpuRef"], runtime=runtime, **options)
        with runtime.load_network(optimized) as loaded:
            found = loaded.run(np.zeros((SIDE, SIDE), np.float32))
    np.testing.assert_allclose(next(iter(found.values())), expected, rtol=1e-5)


def test_import_computes_within_the_budget() -> None:
    roomy = import_model(chain())
    ann.set_memory_budget(3 * MIB)
    tight = import_model(chain())
    assert constant_bytes(roomy) >= LINKS * MIB
    assert constant_bytes(tight) <= 4 * MIB  # those that were computed, and what the rest reads
    check_chain(tight)


def test_a_tensor_larger_than_the_budget_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMNN_PY_MEMORY_BUDGET", "512K")
    with pytest.raises(ann.ParseError, match=r"1\.0 MiB, at most 512\.0 KiB") as caught:
        import_model(chain())
    assert any("ARMNN_PY_MEMORY_BUDGET" in hint for hint in caught.value.hints)


def test_argument_beats_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMNN_PY_MEMORY_BUDGET", "1")
    assert ann.get_memory_budget() == 1
    ann.set_memory_budget(7)
    assert ann.get_memory_budget() == 7
    ann.set_memory_budget(None)
    assert ann.get_memory_budget() == 1


@pytest.mark.parametrize("size", [0, -1, 1.5, True, "1G"])
def test_a_budget_that_makes_no_sense(size: Any) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="an int of at least 1 expected"):
        ann.set_memory_budget(size)
    assert ann.get_memory_budget() is None


# ---- The machine --------------------------------------------------------------------------------


def groups_at(root: Path, limits: dict[str, str]) -> str:
    for name, text in limits.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")
    return str(root)


@pytest.mark.parametrize(
    ("groups", "limits", "expected"),
    [
        ("0::/a/b\n", {"a/b/memory.max": "1000", "a/memory.max": "max"}, 1000),
        ("0::/a/b\n", {"a/b/memory.max": "max", "a/memory.max": "900"}, 900),
        ("0::/\n", {"memory.max": "800"}, 800),
        ("0::/of/the/host\n", {"memory.max": "700"}, 700),
        ("0::/../x\n", {"memory.max": "max"}, None),
        ("5:cpu:/a\n4:memory:/a\n0::/\n", {"memory/a/memory.limit_in_bytes": "600"}, 600),
        ("4:cpu,memory:/host\n", {"memory/memory.limit_in_bytes": "500"}, 500),
        ("", {}, None),
        ("nonsense\n0:\n", {"memory.max": "-1"}, None),
    ],
)
def test_the_limit_of_a_control_group(
    tmp_path: Path, groups: str, limits: dict[str, str], expected: int | None
) -> None:
    """The files as the kernel's documentation has them: cgroup-v2.rst, cgroup-v1/memory.rst."""
    assert limit_of_group(groups, groups_at(tmp_path, limits)) == expected


def test_no_default_is_more_than_the_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_budget, "machine_memory", lambda: 100 * MIB)
    assert memory_budget.tensor_limit() == 100 * MIB
    assert memory_budget.computed_budget(10**9) == 100 * MIB
    monkeypatch.setattr(memory_budget, "machine_memory", lambda: 2**40)
    assert memory_budget.tensor_limit() == 2**36
    assert memory_budget.computed_budget(MIB) == 256 * MIB + 16 * MIB
    ann.set_memory_budget(2**50)  # whoever says so may know of swap
    assert memory_budget.tensor_limit() == 2**50
