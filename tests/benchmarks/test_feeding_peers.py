# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Each engine gets a model's inputs by name and with their types.

The model takes rows of a table by whole numbers; numpy says what comes out. ONNX Runtime and
armnn_py run it, the others are modules that do the same and refuse other types than their own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

Peers = Callable[[str], ModuleType]

TABLE = np.arange(12, dtype=np.float32).reshape(1, 4, 3)
ROWS = np.array([[3, 1]], np.int64)
#: The order of the model's inputs is not that of the alphabet.
INPUTS = {"table": TABLE, "rows": ROWS}
EXPECTED = np.array([[[9, 10, 11], [3, 4, 5]]], np.float32)


def gather(folder: Path) -> Path:
    """Write the model: y[0] = table[0, rows[0]]."""
    make, types = onnx.helper, onnx.TensorProto
    flat = [make.make_node("Squeeze", [name, "zero"], [f"flat_{name}"]) for name in INPUTS]
    take = make.make_node("Gather", ["flat_table", "flat_rows"], ["taken"])
    graph = make.make_graph(
        [*flat, take, make.make_node("Unsqueeze", ["taken", "zero"], ["y"])],
        "rows",
        [make.make_tensor_value_info("table", types.FLOAT, [1, 4, 3]),
         make.make_tensor_value_info("rows", types.INT64, [1, 2])],
        [make.make_tensor_value_info("y", types.FLOAT, [1, 2, 3])],
        [make.make_tensor("zero", types.INT64, [1], [0])],
    )  # fmt: skip
    target = folder / "rows.onnx"
    onnx.save(make.make_model(graph, opset_imports=[make.make_opsetid("", 17)]), target)
    return target


def taken(table: np.ndarray, rows: np.ndarray, whole: type) -> np.ndarray:
    """Do what the model does, on arrays of the types that a peer takes."""
    assert table.dtype == np.float32
    assert rows.dtype == whole
    return np.stack([one[places] for one, places in zip(table, rows, strict=True)])


def note(file: Path, **ports: Any) -> Path:
    """Write what the converter of a peer says of the file's inputs and outputs."""
    file.with_name(file.name + ".io.json").write_text(json.dumps(ports), encoding="utf-8")
    return file


@pytest.mark.parametrize("engine", ["onnxruntime", "armnn_py"])
def test_engines_that_read_the_model_itself(engine: str, peers: Peers, tmp_path: Path) -> None:
    pytest.importorskip(engine)
    run = peers("engines").ENGINES[engine].load(gather(tmp_path), INPUTS, 1)
    (output,) = run()
    np.testing.assert_array_equal(output, EXPECTED)


class _Mat:
    """A matrix of ncnn, which has no batch: whole numbers of 64 bits end the process there."""

    def __init__(self, array: np.ndarray, batch_index: int) -> None:
        assert array.dtype in (np.float32, np.int32)
        self.array = array if batch_index == 233 else array.take(0, batch_index)

    def clone(self) -> _Mat:
        return self

    def numpy(self, batch_index: int) -> np.ndarray:
        return self.array if batch_index == 233 else np.expand_dims(self.array, batch_index)


class _Extractor:
    def __init__(self) -> None:
        self.fed: dict[str, np.ndarray] = {}

    def input(self, name: str, mat: _Mat) -> int:
        self.fed[name] = mat.array
        return 0

    def extract(self, name: str) -> tuple[int, _Mat]:
        assert name == "out0"
        output = taken(self.fed["in0"][None], self.fed["in1"][None], np.int32)
        return 0, _Mat(output, 0)


def test_ncnn(peers: Peers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net = SimpleNamespace(
        opt=SimpleNamespace(),
        load_param=lambda _: 0,
        load_model=lambda _: 0,
        create_extractor=_Extractor,
        input_names=lambda: ["in0", "in1"],
        output_names=lambda: ["out0"],
    )
    monkeypatch.setitem(sys.modules, "ncnn", SimpleNamespace(Net=lambda: net, Mat=_Mat))
    ports = {"inputs": {"in1": [1, 0], "in0": [0, 0]}, "outputs": {"out0": 0}}
    file = note(tmp_path / "rows.ncnn.param", **ports)
    (output,) = peers("engines").ENGINES["ncnn"].load(file, INPUTS, 1)()
    np.testing.assert_array_equal(output, EXPECTED)


def test_inputs_by_the_converter_of_ncnn(peers: Peers) -> None:
    """Lines as pnnx writes them beside a model of ncnn."""
    script = """
            ex.input("in0", ncnn.Mat(in0.numpy(), batch_index=0).clone())
            ex.input("in1", ncnn.Mat(in1.numpy(), batch_index=1).clone())
            ex.input("in2", ncnn.Mat(in2.numpy()).clone())

            _, out0 = ex.extract("out0")
            out.append(torch.from_numpy(out0.numpy(batch_index=233)))
"""
    assert peers("convert").ncnn_ports(script) == {
        "inputs": {"in0": [0, 0], "in1": [1, 1], "in2": [2, 233]},
        "outputs": {"out0": 233},
    }


class _Tensor:
    """A tensor of MNN: of a session, or of the host around an array."""

    def __init__(self, shape: Any, kind: str, array: np.ndarray, layout: str) -> None:
        assert layout == "Caffe"
        assert array.dtype == {"Int": np.int32, "Float": np.float32}[kind]
        self.array, self.kind = array.reshape(shape), kind

    def copyFrom(self, host: _Tensor) -> bool:  # noqa: N802
        assert host.kind == self.kind
        self.array[...] = host.array
        return True

    def copyToHostTensor(self, host: _Tensor) -> bool:  # noqa: N802
        return host.copyFrom(self)

    def getShape(self) -> tuple[int, ...]:  # noqa: N802
        return self.array.shape

    def getDataType(self) -> str:  # noqa: N802
        return self.kind

    def getNumpyData(self) -> np.ndarray:  # noqa: N802
        return self.array


class _Interpreter:
    """A session of MNN, which lists inputs and outputs in the order of the alphabet."""

    def __init__(self, _: str) -> None:
        def zeros(shape: tuple[int, ...], dtype: type) -> _Tensor:
            kind = "Int" if dtype is np.int32 else "Float"
            return _Tensor(shape, kind, np.zeros(shape, dtype), "Caffe")

        self.inputs = {"rows": zeros((1, 2), np.int32), "table": zeros((1, 4, 3), np.float32)}
        self.outputs = {"other": zeros((1, 2, 3), np.float32), "y": zeros((1, 2, 3), np.float32)}

    def createSession(self, _: dict[str, Any]) -> _Interpreter:  # noqa: N802
        return self

    def getSessionInput(self, _: Any) -> _Tensor:  # noqa: N802
        return self.inputs["rows"]

    def getSessionInputAll(self, _: Any) -> dict[str, _Tensor]:  # noqa: N802
        return self.inputs

    def getSessionOutputAll(self, _: Any) -> dict[str, _Tensor]:  # noqa: N802
        return self.outputs

    def runSession(self, _: Any) -> int:  # noqa: N802
        output = taken(self.inputs["table"].array, self.inputs["rows"].array, np.int32)
        self.outputs["y"].array[...] = output
        return 0


def test_mnn(peers: Peers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = SimpleNamespace(
        Interpreter=_Interpreter,
        Tensor=_Tensor,
        Halide_Type_Float="Float",
        Halide_Type_Int="Int",
        Tensor_DimensionType_Caffe="Caffe",
    )
    monkeypatch.setitem(sys.modules, "MNN", module)
    file = note(tmp_path / "rows.mnn", outputs=["y", "other"])
    output, other = peers("engines").ENGINES["mnn"].load(file, INPUTS, 1)()
    np.testing.assert_array_equal(output, EXPECTED)
    np.testing.assert_array_equal(other, 0 * EXPECTED)


def test_litert(peers: Peers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A converted file, which lists its inputs in another order than the model."""

    class Interpreter:
        def __init__(self, *_: Any, **__: Any) -> None:
            self.fed: dict[int, np.ndarray] = {}

        def allocate_tensors(self) -> None:
            pass

        def get_input_details(self) -> list[dict[str, Any]]:
            return [
                {"index": 7, "name": "serving_default_args_1:0", "dtype": np.int64},
                {"index": 5, "name": "serving_default_args_0:0", "dtype": np.float32},
            ]

        def get_output_details(self) -> list[dict[str, Any]]:
            return [{"index": 9}]

        def set_tensor(self, index: int, array: np.ndarray) -> None:
            self.fed[index] = array

        def invoke(self) -> None:
            self.output = taken(self.fed[5], self.fed[7], np.int64)

        def get_tensor(self, index: int) -> np.ndarray:
            assert index == 9
            return self.output

    monkeypatch.setitem(
        sys.modules, "ai_edge_litert.interpreter", SimpleNamespace(Interpreter=Interpreter)
    )
    (output,) = peers("engines").ENGINES["litert"].load(tmp_path / "rows.tflite", INPUTS, 1)()
    np.testing.assert_array_equal(output, EXPECTED)


@pytest.mark.parametrize(
    ("dtype", "named"), [("int64", "i64"), ("float32", "f32"), ("uint8", "u8")]
)
def test_pnnx_gets_the_type_of_an_input(dtype: str, named: str, peers: Peers) -> None:
    told = peers("convert")._pnnx_type([1, 128], np.dtype(dtype))
    assert told == f"[1,128]{named}"


def test_a_module_is_traced_with_tensors_of_the_inputs_types(
    peers: Peers, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = SimpleNamespace(
        zeros=lambda shape, dtype: (tuple(shape), dtype), int64="long", float32="float"
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    types = [([1, 4, 3], "float32"), ([1, 2], "int64")]
    assert peers("exporters").example(types) == [((1, 4, 3), "float"), ((1, 2), "long")]
