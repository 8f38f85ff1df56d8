# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How far models with weights of 8 bits beside floats are from LiteRT: random ones of one operator.

    python benchmarks/hybrid_differences.py [--models 40] [--steps 50] [--spread 1]
        [--output FILE.json]

Each model runs three times on CpuRef and on LiteRT's plain kernels, with state where the operator
has one. A difference is the largest of the three runs as a part of LiteRT's largest output. LiteRT
rounds inputs symmetrically, or with ``asymmetric_quantize_inputs``. Weights are as large as those
of networks that begin to learn, times ``--spread``: with more, more units are at the ends of tanh.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from common import new_tflite_builder, publish

import armnn_py as ann

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 3
SAME = 2e-6
"""What differs by no more does so by the order of sums."""
TANH = 4


class Source(NamedTuple):
    """Where a model comes from."""

    builder: Any
    rng: np.random.Generator
    spread: float


def weights(
    source: Source,
    name: str,
    outputs: int,
    inputs: int,
    *,
    turn: bool = False,
) -> int:
    """Add weights of 8 bits and one scale, [outputs, inputs] unless they are turned."""
    array = source.rng.standard_normal((inputs, outputs) if turn else (outputs, inputs))
    array /= np.sqrt(inputs)
    scale = float(np.abs(array).max()) / 127
    return source.builder.constant(
        name, np.rint(array / scale).astype(np.int8), scale * source.spread
    )


def reals(source: Source, name: str, count: int) -> int:
    """Add bias values."""
    return source.builder.constant(
        name, (source.rng.standard_normal(count) * 0.7).astype(np.float32)
    )


def lstm(source: Source, steps: int, *, asymmetric: bool) -> None:
    """A sequence of LSTM cells."""
    size, cells, gates = int(source.rng.integers(5, 65)), int(source.rng.integers(5, 65)), "ifco"
    x, y = (
        source.builder.tensor("x", (2, steps, size)),
        source.builder.tensor("y", (2, steps, cells)),
    )
    own = [weights(source, f"w{gate}", cells, size) for gate in gates]
    back = [weights(source, f"r{gate}", cells, cells) for gate in gates]
    bias = [reals(source, f"b{gate}", cells) for gate in gates]
    state = [source.builder.tensor(name, (2, cells), variable=True) for name in "hc"]
    source.builder.op(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        [x, *own, *back, *[-1] * 3, *bias, -1, -1, *state, *[-1] * 4],
        [y],
        (
            "UnidirectionalSequenceLSTMOptions",
            {"fusedActivationFunction": TANH, "asymmetricQuantizeInputs": asymmetric},
        ),
    )
    source.builder.ends([x], [y])


def rnn(source: Source, steps: int, *, asymmetric: bool) -> None:
    """A sequence of plain units."""
    size, cells = int(source.rng.integers(5, 65)), int(source.rng.integers(5, 65))
    x, y = (
        source.builder.tensor("x", (2, steps, size)),
        source.builder.tensor("y", (2, steps, cells)),
    )
    own = [weights(source, "w", cells, size), weights(source, "r", cells, cells)]
    state = source.builder.tensor("h", (2, cells), variable=True)
    source.builder.op(
        "UNIDIRECTIONAL_SEQUENCE_RNN",
        [x, *own, reals(source, "b", cells), state],
        [y],
        (
            "SequenceRNNOptions",
            {"fusedActivationFunction": TANH, "asymmetricQuantizeInputs": asymmetric},
        ),
    )
    source.builder.ends([x], [y])


def svdf(source: Source, steps: int, *, asymmetric: bool) -> None:
    """Filters over time."""
    size, units, memory = (
        int(source.rng.integers(5, 65)),
        int(source.rng.integers(5, 65)),
        min(steps, 8),
    )
    x, y = source.builder.tensor("x", (2, size)), source.builder.tensor("y", (2, units))
    parts = [weights(source, "w", units, size), weights(source, "t", units, memory)]
    state = source.builder.tensor("h", (2, units * memory), variable=True)
    source.builder.op(
        "SVDF",
        [x, *parts, reals(source, "b", units), state],
        [y],
        ("SVDFOptions", {"rank": 1, "asymmetricQuantizeInputs": asymmetric}),
    )
    source.builder.ends([x], [y])


def matrix(source: Source, steps: int, *, asymmetric: bool) -> None:
    """A fully connected layer."""
    size, outputs = (int(one) for one in source.rng.integers(5, 65, 2))
    x, y = source.builder.tensor("x", (steps, size)), source.builder.tensor("y", (steps, outputs))
    w = weights(source, "w", outputs, size)
    options = ("FullyConnectedOptions", {"asymmetricQuantizeInputs": asymmetric})
    source.builder.op(
        "FULLY_CONNECTED", [x, w, reals(source, "b", outputs)], [y], options, version=9
    )
    source.builder.ends([x], [y])


def products(source: Source, steps: int, *, asymmetric: bool) -> None:
    """A product of matrices, the second of which is constant."""
    size, outputs = (int(one) for one in source.rng.integers(5, 65, 2))
    x, y = source.builder.tensor("x", (steps, size)), source.builder.tensor("y", (steps, outputs))
    options = ("BatchMatMulOptions", {"asymmetricQuantizeInputs": asymmetric})
    source.builder.op(
        "BATCH_MATMUL",
        [x, weights(source, "w", outputs, size, turn=True)],
        [y],
        options,
        version=4,
    )
    source.builder.ends([x], [y])


def groups(source: Source, steps: int, *, asymmetric: bool) -> None:
    """A convolution of two groups, which LiteRT rounds symmetrically or not at all."""
    del steps, asymmetric
    size, outputs = (2 * int(one) for one in source.rng.integers(3, 33, 2))
    x, y = (
        source.builder.tensor("x", (2, 9, 8, size)),
        source.builder.tensor("y", (2, 7, 6, outputs)),
    )
    array = source.rng.standard_normal((outputs, 3, 3, size // 2)) / np.sqrt(9 * size / 2)
    scales = np.abs(array).max((1, 2, 3)) / 127
    stored = np.rint(array / scales[:, None, None, None]).astype(np.int8)
    w = source.builder.constant("w", stored, scales.astype(np.float32).tolist(), axis=0)
    options = ("Conv2DOptions", {"strideH": 1, "strideW": 1, "padding": 1})
    operands = [x, w, reals(source, "b", outputs)]
    source.builder.op("CONV_2D", operands, [y], options, version=5)
    source.builder.ends([x], [y])


KINDS: dict[str, Callable[..., None]] = {
    "UNIDIRECTIONAL_SEQUENCE_LSTM": lstm,
    "UNIDIRECTIONAL_SEQUENCE_RNN": rnn,
    "SVDF": svdf,
    "FULLY_CONNECTED": matrix,
    "BATCH_MATMUL": products,
    "CONV_2D, two groups": groups,
}


def difference(data: bytes, rng: np.random.Generator, runtime: ann.Runtime) -> float:
    """Return the largest difference as a part of the largest output."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    theirs = Interpreter(
        model_content=data, experimental_op_resolver_type=OpResolverType.BUILTIN_REF, num_threads=1
    )
    theirs.allocate_tensors()
    (given,), (made,) = theirs.get_input_details(), theirs.get_output_details()
    apart = size = 0.0
    with ann.load(data, ["CpuRef"], runtime=runtime) as ours:
        for _ in range(RUNS):
            x = rng.standard_normal(given["shape"]).astype(np.float32)
            theirs.set_tensor(given["index"], x)
            theirs.invoke()
            expected = theirs.get_tensor(made["index"])
            apart = max(apart, float(np.abs(ours.run({"x": x})["y"] - expected).max()))
            size = max(size, float(np.abs(expected).max()))
    return apart / size


def main() -> None:
    """Print a line of a table for each operator and rounding."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", type=int, default=40)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--spread", type=float, default=1.0)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    print(
        f"| operator | inputs rounded | models | differ by more than {SAME:g} | median | largest |"
    )
    print("|---|---|---:|---:|---:|---:|")
    rows = []
    with ann.Runtime() as runtime:
        for name, make in KINDS.items():
            for asymmetric in (False, True) if make is not groups else (False,):
                rng = np.random.default_rng(17)
                found = []
                for _ in range(arguments.models):
                    builder = new_tflite_builder()
                    source = Source(builder, rng, arguments.spread)
                    make(source, arguments.steps, asymmetric=asymmetric)
                    found.append(difference(builder.data(), rng, runtime))
                row = {
                    "operator": name,
                    "asymmetric": asymmetric,
                    "models": len(found),
                    "differ": sum(one > SAME for one in found),
                    "median": statistics.median(found),
                    "largest": max(found),
                }
                rows.append(row)
                print(
                    f"| {name} | {'asymmetrically' if asymmetric else 'symmetrically'} | "
                    f"{row['models']} | {row['differ']} | {row['median']:.2g} | "
                    f"{row['largest']:.2g} |",
                    flush=True,
                )
    about = {"steps": arguments.steps, "runs": RUNS, "spread": arguments.spread}
    publish("hybrid_differences", {**about, "rows": rows}, arguments.output)


if __name__ == "__main__":
    main()
