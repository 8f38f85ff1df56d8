# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Run the node cases of the ONNX project's backend test suite on CpuRef and count what passes.

    ARMNN_PY_MODELS=FOLDER python scripts/onnx_backend_suite.py [--update] [--filter TEXT] [-v]

Cases are read from ``FOLDER/testdata/VERSION/node`` and judged as the suite does: dtype and shape
exact, values within rtol 1e-3 and atol 1e-7. A case counts when all its tensors are float32, int8,
uint8, int32, int64 or bool and all its operators are in the CORE set below.

``tests/frontends/onnx_cases.txt`` lists what passes. A test runs the whole list, so that the count
cannot shrink unseen; ``--update`` writes it anew.
"""

from __future__ import annotations

import argparse
import collections
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

import armnn_py as ann

VERSION = "1.20.1"
CASE_LIST = Path(__file__).resolve().parent.parent / "tests" / "frontends" / "onnx_cases.txt"

CORE = frozenset(
    """
    Conv ConvTranspose MaxPool AveragePool GlobalAveragePool GlobalMaxPool LpPool GlobalLpPool
    Gemm MatMul QuantizeLinear DequantizeLinear QLinearConv QLinearMatMul Relu LeakyRelu PRelu
    Elu Sigmoid Tanh HardSwish HardSigmoid Clip Gelu Softplus Abs Exp Sqrt Neg Log Sin Ceil
    Floor Not Reciprocal Add Sub Mul Div Max Min Pow Sum Mean Equal Greater Less GreaterOrEqual
    LessOrEqual And Or Concat Split Slice Pad Transpose Reshape Flatten Squeeze Unsqueeze
    Identity Dropout Resize Upsample Softmax LogSoftmax ReduceSum ReduceMean ReduceMax ReduceMin
    ReduceProd ArgMax ArgMin BatchNormalization InstanceNormalization LayerNormalization LRN
    LpNormalization LSTM Gather GatherND ScatterND Tile Expand Cast CastLike DepthToSpace
    SpaceToDepth Constant ConstantOfShape Shape Size TopK CumSum ScatterElements Scatter
    GatherElements OneHot RMSNormalization Compress Unique NonMaxSuppression ReverseSequence
    TensorScatter GridSample RoiAlign Col2Im
    """.split()  # noqa: SIM905 - a list of 120 quoted names reads worse
)
PLAIN_TYPES = frozenset(
    onnx.TensorProto.DataType.Value(name)
    for name in ("FLOAT", "INT8", "UINT8", "INT32", "INT64", "BOOL")
)


@dataclass(frozen=True)
class Result:
    """How a case went: ``pass``, ``unsupported`` or ``fail``, and why."""

    name: str
    outcome: str
    reason: str = ""


def read_tensors(folder: Path, kind: str) -> list[np.ndarray]:
    """Read ``input_0.pb``, ``input_1.pb`` and so on."""
    arrays = []
    while (path := folder / f"{kind}_{len(arrays)}.pb").exists():
        tensor = onnx.TensorProto.FromString(path.read_bytes())
        arrays.append(numpy_helper.to_array(tensor))
    return arrays


def is_core(model: onnx.ModelProto) -> bool:
    """Whether a case counts: plain tensors and operators of the CORE set only."""
    values = [*model.graph.input, *model.graph.output]
    return (
        all(value.type.WhichOneof("value") == "tensor_type" for value in values)
        and all(value.type.tensor_type.elem_type in PLAIN_TYPES for value in values)
        and all(node.op_type in CORE and not node.domain for node in model.graph.node)
    )


def core_cases(folder: Path) -> Iterator[tuple[str, onnx.ModelProto]]:
    """Yield the cases that count, but for those of training."""
    for path in sorted(folder.iterdir()):
        if (path / "model.onnx").exists() and "training_dropout" not in path.name:
            model = onnx.load(path / "model.onnx")
            if is_core(model):
                yield path.name, model


class Suite:
    """Runs cases, all on one runtime."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runtime = ann.Runtime(enable_dynamic_backends=False)

    def close(self) -> None:
        """Close the runtime."""
        self.runtime.close()

    def run(self, name: str) -> Result:
        """Run a case."""
        try:
            self._check(name)
        except ann.ArmnnError as error:
            first = " | ".join(str(error).splitlines()[:2])
            kind = "fail" if isinstance(error, ann.ExecutionError) else "unsupported"
            return Result(name, kind, first)
        except AssertionError as error:
            text = " ".join(line.strip() for line in str(error).strip().splitlines()[:6])
            return Result(name, "fail", text)
        return Result(name, "pass")

    def _check(self, name: str) -> None:
        model = onnx.load(self.folder / name / "model.onnx")
        names = [value.name for value in model.graph.input]
        for data in sorted((self.folder / name).glob("test_data_set_*")):
            inputs, expected = read_tensors(data, "input"), read_tensors(data, "output")
            with ann.load(model, backends=["CpuRef"], runtime=self.runtime) as net:
                found = net.run(dict(zip(names, inputs, strict=False)))
            assert len(found) == len(expected)
            for value, wanted in zip(found.values(), expected, strict=True):
                assert value.dtype == wanted.dtype, f"{value.dtype}, {wanted.dtype} expected"
                assert value.shape == wanted.shape, f"{value.shape}, {wanted.shape} expected"
                np.testing.assert_allclose(value, wanted, rtol=1e-3, atol=1e-7)


def read_list() -> list[str]:
    """Return the recorded cases."""
    lines = CASE_LIST.read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def main() -> int:
    """Run, count, and compare with the list."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--update", action="store_true", help="write the list of passing cases")
    parser.add_argument("--filter", default="", help="only cases whose name has this text")
    parser.add_argument("-v", "--verbose", action="store_true", help="why the others do not pass")
    arguments = parser.parse_args()
    folder = Path(os.environ["ARMNN_PY_MODELS"]) / "testdata" / VERSION / "node"
    suite = Suite(folder)
    results = [suite.run(name) for name, _ in core_cases(folder) if arguments.filter in name]
    suite.close()
    if arguments.verbose:
        for result in results:
            if result.outcome in ("unsupported", "fail"):
                print(f"{result.outcome:<12} {result.name:<60} {result.reason}")
    counts = collections.Counter(result.outcome for result in results)
    print(
        f"{len(results)} CORE cases of onnx {VERSION}: "
        + ", ".join(f"{counts[outcome]} {outcome}" for outcome in ("pass", "unsupported", "fail"))
    )
    passing = {result.name for result in results if result.outcome == "pass"}
    if arguments.update:
        header = (
            f"# CORE node cases of onnx {VERSION} that pass; onnx_backend_suite.py writes this\n"
        )
        CASE_LIST.write_text(header + "".join(f"{name}\n" for name in sorted(passing)))
        return 0
    recorded = read_list() if CASE_LIST.exists() else []
    lost = [name for name in recorded if arguments.filter in name and name not in passing]
    for name in lost:
        print(f"no longer passes: {name}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
