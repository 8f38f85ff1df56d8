# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators for which there is no layer, run by backends that know them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from armnn_py.descriptors import AttributeTensor, StandInDescriptor
from armnn_py.python_backend import PythonBackend, ShownLayer, kernel

TABLE = np.array([[1.5, 2.0], [3.0, -1.0]], np.float32)
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def model(
    operator: str = "Swirl",
    shape: Sequence[int | str] = (2, 3),
    outputs: Sequence[str] = ("s",),
    *,
    domain: str = "com.acme",
    **attributes: Any,
) -> onnx.ModelProto:
    """Relu, the operator, then Neg of its first output; other outputs are those of the model."""
    nodes = [
        helper.make_node("Relu", ["x"], ["r"]),
        helper.make_node(operator, ["r"], outputs, name="the swirl", domain=domain, **attributes),
        helper.make_node("Neg", ["s"], ["y"]),
    ]
    results = [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)]
    results += [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs[1:]]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    graph = helper.make_graph(nodes, "g", inputs, results)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 4)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


class Acme(PythonBackend):
    """Knows Swirl."""

    id = "Acme"
    seen: list[ShownLayer]

    def open(self) -> None:
        self.seen = []

    def infer_stand_in(self, layer: ShownLayer) -> Sequence[ann.TensorInfo] | str:
        self.seen.append(layer)
        if (layer.descriptor.domain, layer.descriptor.name) != ("com.acme", "Swirl"):
            return "only Swirl"
        return [layer.inputs[0]] * layer.descriptor.output_count

    @kernel(ann.LayerType.STAND_IN, domain="com.acme", name="Swirl")
    def swirl(self, call: Any) -> Any:
        gain = {one.name: one.value for one in call.layer.descriptor.attributes}["gain"]
        results = tuple(call.inputs[0] * gain + n for n in range(len(call.outputs)))
        return results if len(results) > 1 else results[0]


@pytest.fixture
def operator_folder(
    tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]
) -> Path:
    folder = tmp_path_factory.mktemp("operator")
    build_backend("operator_backend.c", folder / "Test_Operator_backend.so")
    return folder


def test_a_backend_in_python_runs_it() -> None:
    backend = Acme()
    with ann.Runtime(python_backends=[backend]) as runtime:
        with ann.load(model(gain=2.5), runtime=runtime) as loaded:
            np.testing.assert_array_equal(loaded.run(X - 2)["y"], -2.5 * np.maximum(X - 2, 0))
        (layer,) = backend.seen
    assert layer.name == "the swirl"
    assert layer.outputs == ()
    assert layer.inputs == (ann.TensorInfo((2, 3)),)
    assert layer.descriptor.version == 4


def test_every_kind_of_attribute_arrives() -> None:
    backend = Acme()
    given = {
        "gain": 1.0, "axis": -3, "axes": [1, 2], "scales": [0.5, 0.25], "mode": "fast",
        "modes": ["a", "ü"], "table": numpy_helper.from_array(TABLE), "raw": b"\xff\x00",
    }  # fmt: skip
    with ann.Runtime(python_backends=[backend]) as runtime:
        ann.load(model(**given), runtime=runtime).close()
        descriptor = backend.seen[0].descriptor
    found = {one.name: one.value for one in descriptor.attributes}
    table = found.pop("table")
    assert found == {
        "gain": 1.0, "axis": -3, "axes": (1, 2), "scales": (0.5, 0.25), "mode": "fast",
        "modes": ("a", "ü"), "raw": b"\xff\x00".decode("utf-8", "surrogateescape"),
    }  # fmt: skip
    assert isinstance(table, AttributeTensor)
    np.testing.assert_array_equal(table.array, TABLE)
    assert table.array.ctypes.data % 64 == 0


def test_a_backend_in_c_runs_it(operator_folder: Path) -> None:
    source = model(
        outputs=("s", "t"), gain=0.5, offsets=[10, 20, 30], table=numpy_helper.from_array(TABLE)
    )
    with (
        ann.Runtime(operator_folder) as runtime,
        ann.load(source, runtime=runtime) as loaded,
    ):
        outputs = loaded.run(X)
    np.testing.assert_array_equal(outputs["y"], -(0.5 * X + [10, 20, 30]))
    np.testing.assert_array_equal(outputs["t"], [TABLE.sum()])


def test_constants_come_with_their_values() -> None:
    source = model(gain=1.0)
    source.graph.node[1].input.append("w")
    source.graph.initializer.append(numpy_helper.from_array(TABLE, "w"))
    backend = Acme()
    with ann.Runtime(python_backends=[backend]) as runtime:
        ann.load(source, runtime=runtime).close()
        (layer,) = backend.seen
    assert layer.is_constant == (False, True)
    np.testing.assert_array_equal(layer.constants[1], TABLE)


def test_free_dimensions_are_inferred_for_each_shape() -> None:
    with (
        ann.Runtime(python_backends=[Acme()]) as runtime,
        ann.load(model(shape=("n", 3), gain=3.0), runtime=runtime) as loaded,
    ):
        for rows in (1, 4):
            x = np.ones((rows, 3), np.float32)
            np.testing.assert_array_equal(loaded.run(x)["y"], -3 * x)


def test_no_backend_knows_it(operator_folder: Path) -> None:
    with (
        ann.Runtime(operator_folder, python_backends=[Acme()]) as runtime,
        pytest.raises(ann.UnsupportedOperatorError) as caught,
    ):
        ann.load(model("Twirl", gain=1.0), runtime=runtime)
    text = str(caught.value)
    assert "com.acme.Twirl" in text
    assert "Acme: only Swirl" in text
    assert "Operator: only Swirl of com.acme" in text


def test_without_backends_it_is_refused_as_before() -> None:
    with pytest.raises(ann.UnsupportedOperatorError, match=r"domain 'com\.acme' is not supported"):
        ann.import_model(model(gain=1.0))


def test_a_form_of_a_known_operator_that_no_layer_has_is_offered_too() -> None:
    class Strings(Acme):
        def infer_stand_in(self, layer: ShownLayer) -> Sequence[ann.TensorInfo] | str:
            self.seen.append(layer)
            return "no"

    backend = Strings()
    with (
        ann.Runtime(python_backends=[backend]) as runtime,
        pytest.raises(ann.UnsupportedOperatorError, match="Acme: no"),
    ):
        ann.load(model("MaxRoiPool", domain="", gain=1.0), runtime=runtime)
    assert backend.seen[0].descriptor.name == "MaxRoiPool"


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (1, "output 0 has 99 dimensions"),
        (2, "output 0 has unknown data type 77"),
        (3, "infer_stand_in answered -8"),
        (4, "the scales of the info of output 0"),
    ],
)
def test_invalid_backend_answer_becomes_a_reason(
    tmp_path: Path, build_backend: Callable[..., None], wrong: int, reason: str
) -> None:
    build_backend("operator_backend.c", tmp_path / "Test_Operator_backend.so", f"-DWRONG={wrong}")
    with (
        ann.Runtime(tmp_path) as runtime,
        pytest.raises(ann.UnsupportedOperatorError, match=reason),
    ):
        ann.load(model(gain=1.0), runtime=runtime)


def test_a_python_backend_that_returns_something_else() -> None:
    class Odd(Acme):
        def infer_stand_in(self, layer: ShownLayer) -> Any:
            return [3]

    with (
        ann.Runtime(python_backends=[Odd()]) as runtime,
        pytest.raises(ann.UnsupportedOperatorError, match="a TensorInfo for each of 1 outputs"),
    ):
        ann.load(model(gain=1.0), runtime=runtime)


def test_the_network_is_asked_about_like_any_other() -> None:
    with ann.Runtime(python_backends=[Acme()]) as runtime:
        backends = tuple(runtime.backends.values())
        network = ann.import_model(model(gain=2.0), backends=backends)
        layer = network.layer("the swirl")
        assert layer.type is ann.LayerType.STAND_IN
        assert layer.descriptor == StandInDescriptor(1, 1, 4, "com.acme", "Swirl", {"gain": 2.0})
        acme = runtime.backends["Acme"]
        assert acme.runs_stand_ins
        assert not runtime.backends["CpuRef"].runs_stand_ins
        answer = acme.infer_stand_in(layer.descriptor, [ann.TensorInfo((5,))])
        assert answer
        assert answer.outputs == (ann.TensorInfo((5,)),)
        refused = acme.infer_stand_in(StandInDescriptor(0, 1, name="Other"), [])
        assert not refused
        assert refused.reason == "only Swirl"
        with pytest.raises(ann.InvalidArgumentError, match="infos of 2 operands given, 1 expected"):
            acme.infer_stand_in(layer.descriptor, [ann.TensorInfo((5,))] * 2)


def test_a_network_with_free_dimensions_can_be_copied() -> None:
    with ann.Runtime(python_backends=[Acme()]) as runtime:
        backends = tuple(runtime.backends.values())
        network = ann.import_model(model(shape=("n", 3), gain=2.0), backends=backends)
        assert len(network.specialize({"x": (2, 3)}).layers) > 0
        # In another process there are other backends: what is left is refused in words.
        elsewhere = pickle.loads(pickle.dumps(network))
        with pytest.raises(ann.UnsupportedOperatorError, match=r"com\.acme\.Swirl"):
            elsewhere.specialize({"x": (2, 3)})
        assert len(copy.copy(network).specialize({"x": (2, 3)}).layers) > 0


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"a": object()}, "attribute 'a' is object"),
        ({"a": [1, 2.5]}, "attribute 'a' has values of several kinds"),
        ({"a": 2**63}, "takes more than 64 bits"),
        ({3: 1}, "3 is not a name of an attribute"),
    ],
)
def test_attributes_that_no_model_has(attributes: Any, message: str) -> None:
    with pytest.raises(ann.InvalidArgumentError, match=message):
        StandInDescriptor(1, 1, 1, "", "Op", attributes)


def test_a_domain_needs_a_name() -> None:
    with pytest.raises(ann.InvalidArgumentError, match="given without a name"):
        StandInDescriptor(1, 1, 1, "com.acme")
