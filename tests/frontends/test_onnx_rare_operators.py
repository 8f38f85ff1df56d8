# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sequences and optional values, and what Det and MaxUnpool refuse.

The ONNX project's test data has the values of these operators, see test_onnx_suite.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann

DRAW = np.random.default_rng(11)


def node(op: str, inputs: list[str], outputs: list[str], **attributes: Any) -> Any:
    return helper.make_node(op, inputs, outputs, **attributes)


def model(
    nodes: list[Any], inputs: dict[str, np.ndarray], weights: Any = (), version: int = 22,
    outputs: Any = None,
) -> Any:  # fmt: skip
    graph = helper.make_graph(
        nodes,
        "rare",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
            for n, x in inputs.items()
        ],
        outputs or [helper.make_empty_tensor_value_info("y")],
        [numpy_helper.from_array(array, name) for name, array in dict(weights).items()],
    )
    if not outputs:
        graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=10)


def normal(*shape: int) -> np.ndarray:
    return DRAW.standard_normal(shape).astype(np.float32)


def test_det_of_a_singular_matrix_with_zeros_in_its_diagonal() -> None:
    x = np.float32([[0, 2, 1], [3, 0, 1], [3, 2, 2]])
    with ann.load(model([node("Det", ["x"], ["y"])], {"x": x}), ["CpuRef"]) as network:
        assert abs(network.run(x)["y"]) < 1e-5


def test_det_of_large_matrices_is_refused() -> None:
    x = normal(11, 11)
    with pytest.raises(ann.UnsupportedOperatorError, match="matrices of 11 rows"):
        ann.import_model(model([node("Det", ["x"], ["y"])], {"x": x}))


def test_max_unpool_into_other_channels_is_refused() -> None:
    x, places = normal(1, 1, 2, 2), np.int64([[[[0, 1], [2, 3]]]])
    made = model(
        [node("MaxUnpool", ["x", "i", "s"], ["y"], kernel_shape=[2, 2], strides=[2, 2])],
        {"x": x}, {"i": places, "s": np.int64([1, 2, 4, 4])},
    )  # fmt: skip
    with pytest.raises(ann.ParseError, match=r"'output_shape' is \[1, 2, 4, 4\], expected 4 sizes"):
        ann.import_model(made)


def test_a_sequence_as_output_is_an_output_for_each_tensor() -> None:
    x = normal(2, 6)
    made = model(
        [node("SplitToSequence", ["x"], ["s"], axis=0)],
        {"x": x},
        outputs=[helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None)],
    )
    with ann.load(made, ["CpuRef"]) as network:
        found = network.run({"x": x})
    assert list(found) == ["s[0]", "s[1]"]
    np.testing.assert_array_equal(found["s[1]"], x[1:])


def test_unsupported_reader_of_a_sequence_is_named() -> None:
    x = normal(2, 6)
    made = model(
        [node("SequenceConstruct", ["x"], ["s"]), node("Relu", ["s"], ["y"], name="n")], {"x": x}
    )
    with pytest.raises(ann.UnsupportedOperatorError, match=r"Relu .*a sequence as an operand.*n"):
        ann.import_model(made)


@pytest.mark.parametrize("place", [2, -3])
def test_a_place_outside_is_damage(place: int) -> None:
    x = normal(2, 6)
    made = model(
        [node("SequenceConstruct", ["x", "x"], ["s"]), node("SequenceAt", ["s", "p"], ["y"])],
        {"x": x}, {"p": np.array(place, np.int64)},
    )  # fmt: skip
    with pytest.raises(
        ann.ParseError, match=f"position {place} is outside a sequence of 2 tensors"
    ):
        ann.import_model(made)


def test_optional_values() -> None:
    x = normal(2, 3)
    made = model(
        [
            node("OptionalHasElement", ["x"], ["has"]),
            node("OptionalGetElement", ["x"], ["got"]),
            node("Cast", ["has"], ["one"], to=TensorProto.FLOAT),
            node("Add", ["got", "one"], ["y"]),
        ],
        {"x": x},
    )
    with ann.load(made, ["CpuRef"]) as network:
        np.testing.assert_array_equal(network.run({"x": x})["y"], x + 1)


def test_an_optional_tensor_is_an_input_that_is_given() -> None:
    x = normal(2, 3)
    made = model(
        [
            node("OptionalHasElement", ["x"], ["has"]),
            node("OptionalGetElement", ["x"], ["got"]),
            node("Cast", ["has"], ["one"], to=TensorProto.FLOAT),
            node("Add", ["got", "one"], ["y"]),
        ],
        {"x": x},
    )
    (given,) = made.graph.input
    tensor = helper.make_tensor_type_proto(TensorProto.FLOAT, [2, 3])
    given.type.CopyFrom(helper.make_optional_type_proto(tensor))
    with ann.load(made, ["CpuRef"]) as network:
        assert network.inputs["x"].shape == (2, 3)
        np.testing.assert_array_equal(network.run({"x": x})["y"], x + 1)
        with pytest.raises(ann.InvalidArgumentError, match="input 'x': None given") as caught:
            network.run({"x": None})
        assert "may be absent in ONNX" in str(caught.value)
    given.type.CopyFrom(helper.make_optional_type_proto(helper.make_sequence_type_proto(tensor)))
    with pytest.raises(ann.ParseError, match="'x' holds optional type values"):
        ann.import_model(made)
