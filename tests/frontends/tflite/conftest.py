# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Small TensorFlow Lite models, and the two engines that run them: ours and LiteRT's reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import flatbuffers
import numpy as np
import pytest

import armnn_py as ann
from tests.frontends.special_values import ENGINES, engine_of

Arrays = Mapping[str, np.ndarray]

_TYPES = {
    "float32": 0, "float16": 1, "int32": 2, "uint8": 3, "int64": 4, "bool": 6, "int16": 7,
    "int8": 9, "float64": 10, "uint64": 12, "uint32": 15, "uint16": 16, "int4": 17,
}  # fmt: skip


class Builder:
    """Writes one model with the classes of the schema that LiteRT brings."""

    def __init__(self) -> None:
        from ai_edge_litert import schema_py_generated as schema

        self.schema = schema
        self.model = schema.ModelT()
        self.model.version = 3
        self.model.description = "made by a test"
        self.model.operatorCodes, self.model.subgraphs = [], []
        self.model.buffers = [schema.BufferT()]
        self.graph: Any = None
        self.begin("main")

    def begin(self, name: str) -> None:
        """Start another sub-graph."""
        self.graph = self.schema.SubGraphT()
        self.graph.name = name
        self.graph.tensors, self.graph.operators = [], []
        self.graph.inputs, self.graph.outputs = [], []
        self.model.subgraphs.append(self.graph)

    def tensor(
        self,
        name: str,
        shape: Sequence[int] = (),
        dtype: Any = np.float32,
        scale: Any = None,
        zero: Any = 0,
        axis: int = 0,
        *,
        data: np.ndarray | bytes | None = None,
        signature: Sequence[int] | None = None,
        variable: bool = False,
    ) -> int:
        """Add a tensor; its number is what operators name."""
        tensor = self.schema.TensorT()
        tensor.name, tensor.shape = name, list(shape)
        tensor.type = dtype if isinstance(dtype, int) else _TYPES[_dtype_name(dtype)]
        tensor.buffer, tensor.isVariable = 0, variable
        if signature is not None:
            tensor.shapeSignature = list(signature)
        if data is not None:
            buffer = self.schema.BufferT()
            raw = data if isinstance(data, bytes) else np.ascontiguousarray(data).tobytes()
            buffer.data = np.frombuffer(raw, np.uint8)
            tensor.buffer = len(self.model.buffers)
            self.model.buffers.append(buffer)
        if scale is not None:
            scales = np.atleast_1d(np.float32(scale))
            quantization = self.schema.QuantizationParametersT()
            quantization.scale = scales
            quantization.zeroPoint = np.broadcast_to(np.int64(zero), scales.shape).copy()
            quantization.quantizedDimension = axis
            tensor.quantization = quantization
        self.graph.tensors.append(tensor)
        return len(self.graph.tensors) - 1

    def constant(
        self, name: str, array: Any, scale: Any = None, zero: Any = 0, axis: int = 0
    ) -> int:
        """Add a tensor that the file holds."""
        array = np.asarray(array)
        return self.tensor(name, array.shape, array.dtype, scale, zero, axis, data=array)

    def op(
        self,
        name: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: tuple[str, Mapping[str, Any]] | None = None,
        *,
        version: int = 1,
        custom: bytes | None = None,
        intermediates: Sequence[int] = (),
    ) -> None:
        """Add an operator; a name that the schema lacks is that of a custom one."""
        schema = self.schema
        code, number = schema.OperatorCodeT(), getattr(schema.BuiltinOperator, name, None)
        code.version = version
        if number is None:
            number, code.customCode = schema.BuiltinOperator.CUSTOM, name
        code.builtinCode, code.deprecatedBuiltinCode = number, min(number, 127)
        operator = schema.OperatorT()
        operator.opcodeIndex = len(self.model.operatorCodes)
        self.model.operatorCodes.append(code)
        operator.inputs, operator.outputs = list(inputs), list(outputs)
        if intermediates:
            operator.intermediates = list(intermediates)
        if options is not None:
            kind, fields = options
            table = getattr(schema, f"{kind}T")()
            for field, value in fields.items():
                assert hasattr(table, field), field
                setattr(table, field, value)
            operator.builtinOptions = table
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, kind)
        if custom is not None:
            operator.customOptions = np.frombuffer(custom, np.uint8)
        self.graph.operators.append(operator)

    def ends(self, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """Say what the sub-graph is called with, and what it answers."""
        self.graph.inputs, self.graph.outputs = list(inputs), list(outputs)

    def signature(self, key: str, inputs: Mapping[str, int], outputs: Mapping[str, int]) -> None:
        """Add a signature of the present sub-graph."""
        found = self.schema.SignatureDefT()
        found.signatureKey, found.subgraphIndex = key, len(self.model.subgraphs) - 1
        for what, names in (("inputs", inputs), ("outputs", outputs)):
            entries = []
            for name, place in names.items():
                entry = self.schema.TensorMapT()
                entry.name, entry.tensorIndex = name, place
                entries.append(entry)
            setattr(found, what, entries)
        self.model.signatureDefs = [*(self.model.signatureDefs or []), found]

    def data(self) -> bytes:
        """The bytes of the file."""
        writer = flatbuffers.Builder(1024)
        writer.Finish(self.model.Pack(writer), b"TFL3")
        return bytes(writer.Output())


def _dtype_name(dtype: Any) -> str:
    return dtype if isinstance(dtype, str) else str(np.dtype(dtype))


class Engines:
    """Runs the same model in both engines."""

    def __init__(self, runtime: ann.Runtime, backends: tuple[str, ...]) -> None:
        self.runtime = runtime
        self.backends = backends

    def ours(self, data: bytes, inputs: Arrays, **options: Any) -> dict[str, np.ndarray]:
        """The outputs; the test is skipped where no backend has a kernel for a layer yet."""
        try:
            network = ann.load(data, self.backends, runtime=self.runtime, **options)
        except ann.NoBackendForLayerError as error:
            if "no kernel for" not in str(error):
                raise
            pytest.skip("; ".join((error.message, *error.details)))
        with network:
            return network.run(dict(inputs))

    def assert_same_runs(
        self, data: bytes, draw: Callable[..., np.ndarray], *, atol: float = 1e-5
    ) -> list[str]:
        """Run three times with inputs drawn by shape, as state lasts; return the layers run."""
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        interpreter = Interpreter(
            model_content=data, experimental_op_resolver_type=OpResolverType.BUILTIN_REF
        )
        interpreter.allocate_tensors()
        with ann.load(data, self.backends, runtime=self.runtime) as network:
            for _ in range(3):
                feeds = {}
                for one in interpreter.get_input_details():
                    feeds[one["name"]] = draw(*one["shape"])
                    interpreter.set_tensor(one["index"], feeds[one["name"]])
                interpreter.invoke()
                found = network.run(feeds)
                for one in interpreter.get_output_details():
                    expected = interpreter.get_tensor(one["index"])
                    np.testing.assert_allclose(found[one["name"]], expected, rtol=1e-5, atol=atol)
            return [row.type for row in network.assignment]

    @staticmethod
    def theirs(data: bytes, inputs: Arrays, *, reference: bool = True) -> dict[str, np.ndarray]:
        return run_litert(data, inputs, reference=reference)


def run_litert(data: bytes, inputs: Arrays, *, reference: bool = True) -> dict[str, np.ndarray]:
    """Run a model by LiteRT, by its plain kernels unless they lack an operator."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    def made(kind: Any) -> Any:
        return Interpreter(model_content=data, experimental_op_resolver_type=kind, num_threads=1)

    try:
        interpreter = made(OpResolverType.BUILTIN_REF if reference else OpResolverType.AUTO)
    except ValueError as error:
        if "Didn't find op" not in str(error):
            raise
        interpreter = made(OpResolverType.AUTO)
    places = {detail["name"]: detail["index"] for detail in interpreter.get_input_details()}
    for name, value in inputs.items():
        interpreter.resize_tensor_input(places[name], value.shape)
    interpreter.allocate_tensors()
    for name, value in inputs.items():
        interpreter.set_tensor(places[name], value)
    interpreter.invoke()
    return {
        detail["name"]: interpreter.get_tensor(detail["index"])
        for detail in interpreter.get_output_details()
    }


@pytest.fixture
def builder() -> Builder:
    return Builder()


@pytest.fixture
def new_builder() -> type[Builder]:
    return Builder


@pytest.fixture
def litert() -> Callable[..., dict[str, np.ndarray]]:
    return run_litert


@pytest.fixture(scope="module", params=[("CpuRef",), ("CpuAcc", "CpuRef")], ids="+".join)
def engines(request: pytest.FixtureRequest) -> Iterator[Engines]:
    """One runtime for the whole module: the reference alone, and CpuAcc before it."""
    backends: tuple[str, ...] = request.param
    with ann.Runtime(enable_dynamic_backends="CpuAcc" in backends) as runtime:
        if not set(backends) <= set(runtime.backends):
            pytest.skip("CpuAcc is not here: an installed package has it, or DYNAMIC_BACKEND_PATHS")
        yield Engines(runtime, backends)


@pytest.fixture(scope="module", params=ENGINES)
def each_engine(request: pytest.FixtureRequest) -> Iterator[Callable[..., dict[str, np.ndarray]]]:
    """Run a model on CpuRef, or with each instruction set of CpuAcc."""
    with engine_of(request.param) as (runtime, backends):

        def run(data: bytes, feeds: Arrays) -> dict[str, np.ndarray]:
            with ann.load(data, backends, runtime=runtime) as network:
                return network.run(dict(feeds))

        yield run


@pytest.fixture
def agree(engines: Any, new_builder: Any) -> Callable[..., None]:
    """Run one operator in both engines and compare; a constant operand stands in a tuple."""

    def check(
        name: str,
        operands: Sequence[Any],
        options: tuple[str, Mapping[str, Any]] | None = None,
        *,
        outputs: Sequence[Any] = (np.float32,),
        version: int = 1,
        tolerance: float = 2e-6,
        reference: bool = True,
    ) -> None:
        builder = new_builder()
        fed, places, inputs = {}, [], []
        for index, operand in enumerate(operands):
            if operand is None:
                places.append(-1)
            elif isinstance(operand, tuple):
                places.append(builder.constant(f"c{index}", operand[0]))
            else:
                operand = np.asarray(operand)
                places.append(builder.tensor(f"x{index}", operand.shape, operand.dtype))
                inputs.append(places[-1])
                fed[f"x{index}"] = operand
        made = [builder.tensor(f"y{k}", (), dtype) for k, dtype in enumerate(outputs)]
        builder.op(name, places, made, options, version=version)
        builder.ends(inputs, made)
        data = builder.data()
        wanted = engines.theirs(data, fed, reference=reference)
        stated = ann.import_model(data).outputs
        for key, value in wanted.items():
            assert (stated[key].shape, stated[key].dtype) == (value.shape, value.dtype)
        found = engines.ours(data, fed)
        for key, value in wanted.items():
            assert found[key].dtype == value.dtype
            assert found[key].shape == value.shape
            if value.dtype.kind == "f":
                scale = max(float(np.abs(value[np.isfinite(value)]).max(initial=0)), 1.0)
                np.testing.assert_allclose(found[key], value, rtol=0, atol=tolerance * scale)
            else:
                np.testing.assert_array_equal(found[key], value)

    return check
