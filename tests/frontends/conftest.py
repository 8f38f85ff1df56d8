# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Small ONNX models, and the two engines that run them: ours and onnxruntime."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends.onnx.convert.conversion import Builder

Arrays = Mapping[str, np.ndarray]


class Models:
    """Writes models to files and runs them."""

    def __init__(
        self,
        folder: Path,
        runtime: ann.Runtime | None = None,
        backends: tuple[str, ...] = ("CpuRef",),
    ) -> None:
        self.folder = folder
        self.runtime = runtime
        self.backends = backends
        self.count = 0

    def save(self, model: onnx.ModelProto | bytes, name: str = "model.onnx") -> Path:
        path = self.folder / name
        path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
        return path

    @staticmethod
    def build(
        nodes: list[onnx.NodeProto],
        inputs: Mapping[str, Any],
        outputs: list[str] | Mapping[str, Any],
        constants: Arrays | None = None,
        *,
        opset: int = 17,
    ) -> onnx.ModelProto:
        """A model whose inputs are ``name: (shape, element type)`` or ``name: array``."""
        graph = helper.make_graph(
            nodes,
            "graph",
            [_info(name, value) for name, value in inputs.items()],
            [
                _info(name, outputs[name] if isinstance(outputs, Mapping) else None)
                for name in outputs
            ],
            [numpy_helper.from_array(value, name) for name, value in (constants or {}).items()],
        )
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8
        )

    def ours(self, model: onnx.ModelProto, inputs: Arrays) -> dict[str, np.ndarray]:
        self.count += 1
        path = self.save(model, f"model{self.count}.onnx")
        with ann.load(path, backends=self.backends, runtime=self.runtime) as net:
            return net.run(dict(inputs))

    @staticmethod
    def theirs(model: onnx.ModelProto, inputs: Arrays) -> dict[str, np.ndarray]:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        names = [output.name for output in session.get_outputs()]
        return dict(zip(names, session.run(names, dict(inputs)), strict=True))


def _info(name: str, value: Any) -> onnx.ValueInfoProto:
    if value is None:
        return helper.make_empty_tensor_value_info(name)
    if isinstance(value, np.ndarray):
        return helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape
        )
    shape, element_type = value
    return helper.make_tensor_value_info(name, element_type, shape)


@pytest.fixture
def models(tmp_path: Path) -> Models:
    return Models(tmp_path)


@pytest.fixture(scope="module", params=[("CpuRef",), ("CpuAcc", "CpuRef")], ids="+".join)
def engines(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Models]:
    """Models with one runtime for the whole module: the reference alone, and CpuAcc before it."""
    backends: tuple[str, ...] = request.param
    with ann.Runtime(enable_dynamic_backends="CpuAcc" in backends) as runtime:
        if not set(backends) <= set(runtime.backends):
            pytest.skip("CpuAcc is not here: an installed package has it, or DYNAMIC_BACKEND_PATHS")
        yield Models(tmp_path_factory.mktemp("onnx"), runtime, backends)


@pytest.fixture
def conversions(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A list that gets an entry whenever a model is converted."""
    done: list[Any] = []
    call = Builder.__call__

    def counted(self: Builder, infos: Any, values: Any = None) -> Any:
        done.append(infos)
        return call(self, infos, values)

    monkeypatch.setattr(Builder, "__call__", counted)
    return done


@pytest.fixture
def relu_model(models: Models) -> Callable[..., onnx.ModelProto]:
    """A model of one Relu over a given shape."""

    def make(shape: Any = (1, 4), element_type: int = TensorProto.FLOAT) -> onnx.ModelProto:
        node = helper.make_node("Relu", ["x"], ["y"], name="relu")
        return models.build([node], {"x": (shape, element_type)}, {"y": (shape, element_type)})

    return make


@pytest.fixture
def agree(engines: Models) -> Callable[..., None]:
    """Run one node in both engines and compare."""

    def check(
        op: str,
        inputs: list[np.ndarray | None],
        constants: Mapping[int, np.ndarray],
        opset: int,
        attributes: Mapping[str, Any],
        outputs: int = 1,
        tolerance: float = 1e-4,
    ) -> None:
        names = ["" if value is None else f"x{k}" for k, value in enumerate(inputs)]
        given = {name: np.asarray(value) for name, value in zip(names, inputs, strict=True)}
        known = {names[k]: np.asarray(value) for k, value in constants.items()}
        fed = {name: value for name, value in given.items() if name and name not in known}
        made = [f"y{k}" for k in range(outputs)]
        node = helper.make_node(op, names, made, name="node", **attributes)
        model = engines.build([node], fed, made, known, opset=opset)
        expected = engines.theirs(model, fed)
        found = engines.ours(model, fed)
        for name, value in expected.items():
            assert found[name].dtype == value.dtype
            assert found[name].shape == value.shape
            np.testing.assert_allclose(found[name], value, rtol=tolerance, atol=2e-6)

    return check
