# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Large tensors that are read past protobuf: the same networks and errors as by protobuf."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper

import armnn_py as ann
from armnn_py.frontends import import_model
from armnn_py.frontends.common.source import ModelData, open_source
from armnn_py.frontends.onnx.file import reading
from armnn_py.frontends.onnx.file.reading import LARGE, separate
from armnn_py.network import ConstantLayer
from tests.frontends.separate_models import R, branching, floats, model_of, read, tensor


def constants_of(model: bytes | Path) -> dict[str, Any]:
    return read(model).constants


# ---- What stays in the file ----------------------------------------------------------------------


@pytest.mark.parametrize("from_file", [True, False])
def test_large_tensors_are_no_part_of_the_message(tmp_path: Path, from_file: bool) -> None:
    values = [floats(LARGE), floats(3), floats(LARGE // 4), floats(LARGE // 4 - 1)]
    data = model_of(*(tensor(f"t{i}", one) for i, one in enumerate(values))).SerializeToString()
    (tmp_path / "m.onnx").write_bytes(data)
    given = tmp_path / "m.onnx" if from_file else data
    with open_source(given, None).open() as opened:
        found = separate(opened)
        assert found is not None
        contents, parts = found
        assert sorted(parts.initializers) == [0, 2]
        assert not parts.nodes
        assert len(contents) < LARGE + 1000
        read = onnx.ModelProto.FromString(contents).graph.initializer
        assert [len(one.raw_data) for one in read] == [0, 12, 0, LARGE - 4]
        for number, part in parts.initializers.items():
            array = np.empty_like(values[number])
            assert part.fill(array.view(np.uint8).data) == array.nbytes
            np.testing.assert_array_equal(array, values[number])
    constants = constants_of(given)
    for i, one in enumerate(values):
        np.testing.assert_array_equal(constants[f"t{i}"].array, one)


@pytest.mark.parametrize("from_file", [True, False])
def test_large_constants_are_no_part_of_the_message(tmp_path: Path, from_file: bool) -> None:
    values = {"a": floats(3), "b": floats(LARGE), "c": floats(LARGE // 4)}
    data = model_of(tensor("t", floats(2)), constants=values).SerializeToString()
    (tmp_path / "m.onnx").write_bytes(data)
    given = tmp_path / "m.onnx" if from_file else data
    with open_source(given, None).open() as opened:
        found = separate(opened)
        assert found is not None
        contents, parts = found
        assert not parts.initializers
        assert {number: sorted(node.tensors) for number, node in parts.nodes.items()} == {
            1: [0],
            2: [0],
        }
        assert len(contents) < 1000
    nodes = {node.name: node for node in read(given).nodes}
    for name, one in values.items():
        np.testing.assert_array_equal(nodes[name].attributes["value"], one)


def test_large_tensors_of_branches_are_no_part_of_the_message() -> None:
    one, other = floats(2**17), floats(2**16)
    data = branching(one, other).SerializeToString()
    found = separate(ModelData(None, data))
    assert found is not None
    contents, parts = found
    assert len(contents) < 1000
    bodies = parts.nodes[0].bodies
    branches = onnx.ModelProto.FromString(data).graph.node[0].attribute
    yes, no = ([a.name for a in branches].index(n) for n in ("then_branch", "else_branch"))
    assert bodies[yes].initializers[0].size == one.nbytes
    assert bodies[no].nodes[0].tensors[0].size == other.nbytes
    attributes = read(data).nodes[0].attributes
    np.testing.assert_array_equal(attributes["then_branch"].constants["a"].array, one)
    np.testing.assert_array_equal(attributes["else_branch"].nodes[0].attributes["value"], other)


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.bool_, np.int8, np.uint64])
def test_types_of_large_tensors(tmp_path: Path, dtype: Any) -> None:
    values = R.integers(0, 2, 2**19).astype(dtype)
    file = tmp_path / "m.onnx"
    file.write_bytes(model_of(tensor("t", values)).SerializeToString())
    np.testing.assert_array_equal(constants_of(file)["t"].array, values)


@pytest.mark.parametrize("kind", [TensorProto.INT4, TensorProto.UINT4, TensorProto.BFLOAT16])
def test_large_tensors_of_small_types(tmp_path: Path, kind: int) -> None:
    count = 2**20
    stored = R.integers(0, 64, count * 2 if kind == TensorProto.BFLOAT16 else count // 2)
    one = TensorProto(
        name="t", data_type=kind, dims=[count], raw_data=stored.astype(np.uint8).tobytes()
    )
    file = tmp_path / "m.onnx"
    file.write_bytes(model_of(one).SerializeToString())
    expected = numpy_helper.to_array(one)
    np.testing.assert_array_equal(
        constants_of(file)["t"].array.astype(np.float32), expected.astype(np.float32)
    )


def test_a_network_from_a_file_with_a_large_tensor(tmp_path: Path) -> None:
    values = floats(2**17)
    model = model_of(tensor("t", values))
    file = tmp_path / "m.onnx"
    file.write_bytes(model.SerializeToString())
    for given in (str(file), file.read_bytes(), io.BytesIO(file.read_bytes()), model):
        network = import_model(given)
        arrays = [one.value for one in network.layers if isinstance(one, ConstantLayer)]
        assert any(np.array_equal(one, values) for one in arrays)
        assert all(not one.flags.writeable for one in arrays)


# ---- Files that change or lie --------------------------------------------------------------------


def test_a_file_that_is_cut_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.onnx"
    file.write_bytes(model_of(tensor("t", floats(2**18))).SerializeToString())

    def cut(data: ModelData) -> Any:
        found = separate(data)
        os.truncate(file, 2**19)
        return found

    monkeypatch.setattr(reading, "separate", cut)
    with pytest.raises(ann.ParseError, match="'t' has the wrong amount of data") as caught:
        import_model(file)
    assert caught.value.path == str(file)


def test_a_file_that_is_cut_while_a_constant_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.onnx"
    whole = model_of(tensor("t", floats(2)), constants={"c": floats(2**18)})
    file.write_bytes(whole.SerializeToString())

    def cut(data: ModelData) -> Any:
        found = separate(data)
        os.truncate(file, 2**19)
        return found

    monkeypatch.setattr(reading, "separate", cut)
    with pytest.raises(ann.ParseError, match=r"'value' of node 'c' .* wrong amount of data"):
        import_model(file)


def test_a_large_tensor_of_another_size_than_its_shape(tmp_path: Path) -> None:
    one = tensor("t", floats(2**17))
    one.dims[0] += 1
    file = tmp_path / "m.onnx"
    file.write_bytes(model_of(one).SerializeToString())
    with pytest.raises(ann.ParseError, match="'t' has the wrong amount of data") as caught:
        import_model(file)
    assert f"stored: {2**19} bytes" in str(caught.value)
