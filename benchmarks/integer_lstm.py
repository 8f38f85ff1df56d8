# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTMs in integers on CpuAcc beside the same in float32, CpuRef and LiteRT.

    python benchmarks/integer_lstm.py [--isa auto ...] [--turns 9] [--turn-ms 60]
        [--output FILE.json]

One layer a model, one thread. Engines take turns; a figure is the least, and the median, of the
turns' processor time for a run. LiteRT's are its default kernels; its state, as ours, goes on from
run to run.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from common import new_tflite_builder, publish, turn

import armnn_py as ann

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS = np.random.default_rng(11)
GATES = "ifco"


class Layer(NamedTuple):
    """A sequence LSTM; without outputs of its own it has no projection."""

    name: str
    batch: int
    steps: int
    inputs: int
    cells: int
    outputs: int = 0
    norm: bool = False
    peephole: bool = False
    cifg: bool = False


LAYERS = (
    Layer("plain", 1, 100, 128, 256),
    Layer("small", 1, 50, 40, 64),
    Layer("one step", 1, 1, 128, 256),
    Layer("large", 1, 20, 512, 640),
    Layer("16 rows", 16, 25, 128, 256),
    Layer("projection", 1, 50, 240, 512, 256),
    Layer("layer norm, projection, CIFG", 1, 50, 240, 512, 256, norm=True, cifg=True),
    Layer("peephole", 1, 50, 128, 256, peephole=True),
)


def model_of(layer: Layer, *, integers: bool) -> bytes:
    """Return the bytes of a model whose gates see sums of some units."""
    builder = new_tflite_builder()
    shown = layer.outputs or layer.cells
    shape = (layer.batch, layer.steps, layer.inputs)
    given = [gate for gate in GATES if gate != "i" or not layer.cifg]

    def constant(name: str, dims: tuple[int, ...], most: int, dtype: Any, scale: float) -> int:
        values = np.clip(np.rint(NUMBERS.standard_normal(dims) * most / 3.5), -most, most)
        if not integers:
            return int(builder.constant(name, (values * scale).astype(np.float32)))
        return int(builder.constant(name, values.astype(dtype), scale))

    def each(name: str, *rest: Any, gates: str = GATES) -> list[int]:
        return [constant(name + g, *rest) if g in given else -1 for g in gates]

    own = each("w", (layer.cells, layer.inputs), 127, np.int8, 0.004)
    back = each("r", (layer.cells, shown), 127, np.int8, 0.004)
    peeps, projection, norms = [-1] * 3, [-1, -1], [-1] * 4
    if layer.peephole:
        peeps = each("p", (layer.cells,), 32767, np.int16, 2.0**-15, gates="ifo")
    biases = each("b", (layer.cells,), 20000, np.int32, 2.0**-24 if layer.norm else 0.004 / 64)
    if layer.outputs:
        projection[0] = constant("projection", (shown, layer.cells), 127, np.int8, 0.003)
    if layer.norm:
        norms = each("n", (layer.cells,), 32767, np.int16, 2.0**-14)
    eight: tuple[Any, ...] = (np.int8, 1 / 64) if integers else (np.float32,)
    state: tuple[Any, ...] = (np.int8, 1 / 128) if integers else (np.float32,)
    cell: tuple[Any, ...] = (np.int16, 2.0**-11) if integers else (np.float32,)
    x = builder.tensor("x", shape, *eight)
    h = builder.tensor("h", (layer.batch, shown), *state, variable=True)
    c = builder.tensor("c", (layer.batch, layer.cells), *cell, variable=True)
    y = builder.tensor("y", (*shape[:-1], shown), *state)
    inner = []
    if integers:
        inner = [builder.tensor(f"i{at}", (), np.int16, 0.001) for at in range(4)]
        inner.append(builder.tensor("hidden", (), np.int8, 1 / 127))
    operands = [x, *own, *back, *peeps, *biases, *projection, h, c, *norms]
    options = {"fusedActivationFunction": 4, "cellClip": 0.0, "projClip": 0.0, "timeMajor": False}
    builder.op(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        operands,
        [y],
        ("UnidirectionalSequenceLSTMOptions", options),
        intermediates=inner,
    )
    builder.ends([x], [y])
    return bytes(builder.data())


def ours(data: bytes, x: np.ndarray, backend: str, isa: str) -> Callable[[], Any]:
    """Return a run of our engine with its state."""
    settings: dict[str, Any] = {"threads": 1} if isa == "auto" else {"threads": 1, "isa": isa}
    backends = [backend] if backend == "CpuRef" else [backend, "CpuRef"]
    runtime = ann.Runtime(backend_options={"CpuAcc": settings})
    network = ann.load(data, backends, runtime=runtime)
    return lambda: network.run({"x": x})


def theirs(data: bytes, given: dict[str, np.ndarray]) -> Callable[[], Any]:
    """Return a run of LiteRT."""
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_content=data, num_threads=1)
    interpreter.allocate_tensors()
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"], given[detail["name"]])
    return interpreter.invoke


def engines_of(layer: Layer, isas: list[str]) -> dict[str, Callable[[], Any]]:
    """Return a run of each engine, by name."""
    numbers = NUMBERS.integers(-128, 128, (layer.batch, layer.steps, layer.inputs)).astype(np.int8)
    reals = numbers.astype(np.float32) / 64
    integers, floats = model_of(layer, integers=True), model_of(layer, integers=False)
    found = {f"int8 {isa}": ours(integers, numbers, "CpuAcc", isa) for isa in isas}
    found["float32"] = ours(floats, reals, "CpuAcc", isas[0])
    found["CpuRef int8"] = ours(integers, numbers, "CpuRef", "auto")
    found["LiteRT int8"] = theirs(integers, {"x": numbers})
    found["LiteRT float32"] = theirs(floats, {"x": reals})
    return found


def main() -> None:
    """Print a line of a table for each layer."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--isa", nargs="+", default=["auto"])
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--turn-ms", type=float, default=60)
    parser.add_argument("--output", type=Path, help="a JSON file")
    given = parser.parse_args()
    rows: dict[str, Any] = {}
    for layer in LAYERS:
        engines = engines_of(layer, given.isa)
        for run in engines.values():
            run()
        times: dict[str, list[float]] = {name: [] for name in engines}
        for _ in range(given.turns):
            for name, run in engines.items():
                times[name].append(turn(run, given.turn_ms))
        row = {n: [round(min(t), 1), round(statistics.median(t), 1)] for n, t in times.items()}
        if not rows:
            print(f"| layer | {' | '.join(row)} |\n|---|{'---|' * len(row)}")
        size = f"{layer.batch} x {layer.steps}, {layer.inputs} to {layer.cells}"
        if layer.outputs:
            size += f" to {layer.outputs}"
        rows[f"{layer.name}: {size}"] = row
        cells = " | ".join(f"{least:.0f} ({median:.0f})" for least, median in row.values())
        print(f"| {layer.name}: {size} | {cells} |", flush=True)
    unit = "microseconds of processor time, one thread: the least and the median of turns"
    publish("integer_lstm", {"unit": unit, "layers": rows}, given.output)


if __name__ == "__main__":
    main()
