# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers of TensorFlow Lite's int16x8 on CpuAcc beside int8, CpuRef and LiteRT.

    python benchmarks/words.py [--isa auto] [--turns 9] [--turn-ms 60]

One layer a model, one thread. Engines take turns; a figure is the least, and the median, of the
turns' processor time for a run. LiteRT's are its default kernels.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from common import REPOSITORY, machine

import armnn_py as ann

NUMBERS = np.random.default_rng(7)


class Layer(NamedTuple):
    """A window of |kernel| x |kernel| pixels; without channels of its own it is depthwise."""

    name: str
    side: int
    inputs: int
    outputs: int
    kernel: int
    stride: int = 1


LAYERS = (
    Layer("1x1", 28, 128, 128, 1),
    Layer("1x1", 14, 576, 96, 1),
    Layer("3x3", 28, 64, 64, 3),
    Layer("3x3, wide sums", 14, 384, 64, 3),
    Layer("3x3 of 3 channels", 112, 3, 32, 3, 2),
    Layer("depthwise 3x3", 56, 144, 0, 3),
    Layer("depthwise 5x5", 28, 120, 0, 5),
    Layer("fully connected", 1, 1024, 1000, 0),
    Layer("sum", 56, 64, 0, 0),
    Layer("Tanh", 56, 64, 0, 0),
)


def new_builder() -> Any:
    """Return the tests' writer of TensorFlow Lite models."""
    path = REPOSITORY / "tests" / "frontends" / "tflite" / "conftest.py"
    spec = importlib.util.spec_from_file_location("tflite_models", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Builder()


def weights_of(shape: tuple[int, ...]) -> np.ndarray:
    """Return bell-shaped weights whose largest is 127, as those of one scale for a channel are."""
    values = NUMBERS.standard_normal(shape)
    return np.clip(np.round(values * 127 / 3.5), -127, 127).astype(np.int8)


def model_of(layer: Layer, dtype: Any) -> tuple[bytes, dict[str, np.ndarray]]:
    """Return the bytes of a model, and an input for it."""
    builder = new_builder()
    wide = dtype == np.int16
    step, bias_type = (1 / 4096, np.int64) if wide else (1 / 16, np.int32)
    shape: tuple[int, ...] = (1, layer.side, layer.side, layer.inputs)
    if layer.name == "fully connected":
        shape = (1, layer.inputs)
    x = builder.tensor("x", shape, dtype, step)
    inputs, options, version = [x], None, 4
    channels = layer.outputs or layer.inputs
    is_product = layer.kernel > 0 or layer.outputs > 0
    out_shape = (*shape[:-1], channels)
    terms = max(layer.kernel, 1) ** 2 * (layer.inputs if layer.outputs else 1)
    out_step = step * terms**0.5 / 40 if is_product else step
    if layer.name == "fully connected":
        kind, options, version = "FULLY_CONNECTED", ("FullyConnectedOptions", {}), 12
        kernel_shape, axis = (channels, layer.inputs), 0
    elif is_product:
        steps = {"padding": 0, "strideH": layer.stride, "strideW": layer.stride}
        kind, name, axis = ("DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", 3)
        kernel_shape = (1, layer.kernel, layer.kernel, channels)
        if layer.outputs:
            kind, name, axis = ("CONV_2D", "Conv2DOptions", 0)
            kernel_shape = (channels, layer.kernel, layer.kernel, layer.inputs)
        options = (name, steps if layer.outputs else {**steps, "depthMultiplier": 1})
        side = -(-layer.side // layer.stride)
        out_shape = (1, side, side, channels)
    if is_product:
        scales = np.full(channels, 0.01, np.float32)
        bias = NUMBERS.integers(-999, 999, channels).astype(bias_type)
        inputs.append(builder.constant("w", weights_of(kernel_shape), scales, axis=axis))
        inputs.append(builder.constant("b", bias, np.float32(step) * scales))
    elif layer.name == "sum":
        inputs.append(builder.tensor("z", shape, dtype, step))
        kind, options = "ADD", ("AddOptions", {})
    else:
        kind, out_step = "TANH", 1 / 32768 if wide else 1 / 128
        version = 3 if wide else 2
    y = builder.tensor("y", out_shape, dtype, out_step)
    builder.op(kind, inputs, [y], options, version=version)
    fed = inputs[:1] if is_product else inputs
    builder.ends(fed, [y])
    limits = np.iinfo(dtype)
    names = ("x", "z")[: len(fed)]
    given = {n: NUMBERS.integers(limits.min, limits.max + 1, shape).astype(dtype) for n in names}
    return builder.data(), given


def ours(data: bytes, given: dict[str, np.ndarray], backend: str, isa: str) -> Callable[[], Any]:
    """Return a run of our engine on one backend."""
    settings: dict[str, Any] = {"threads": 1} if isa == "auto" else {"threads": 1, "isa": isa}
    runtime = ann.Runtime(backend_options={"CpuAcc": settings})
    network = ann.load(data, [backend], runtime=runtime)
    return lambda: network.run(given)


def theirs(data: bytes, given: dict[str, np.ndarray]) -> Callable[[], Any]:
    """Return a run of LiteRT."""
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_content=data, num_threads=1)
    interpreter.allocate_tensors()
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"], given[detail["name"]])
    return interpreter.invoke


def turn(run: Callable[[], Any], milliseconds: float) -> float:
    """Return the processor time of a run in microseconds."""
    count, begin = 0, time.process_time()
    while (spent := time.process_time() - begin) < milliseconds / 1000 or count == 0:
        run()
        count += 1
    return spent / count * 1e6


def main() -> None:
    """Print a line of a table for each layer."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--isa", default="auto")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--turn-ms", type=float, default=60)
    given = parser.parse_args()
    print(machine())
    print("| layer | int16 | int8 | CpuRef int16 | LiteRT int16 | LiteRT int8 |")
    print("|---|---|---|---|---|---|")
    for layer in LAYERS:
        words, word_input = model_of(layer, np.int16)
        octets, octet_input = model_of(layer, np.int8)
        engines = (
            ours(words, word_input, "CpuAcc", given.isa),
            ours(octets, octet_input, "CpuAcc", given.isa),
            ours(words, word_input, "CpuRef", given.isa),
            theirs(words, word_input),
            theirs(octets, octet_input),
        )
        for run in engines:
            run()
        times: list[list[float]] = [[] for _ in engines]
        for _ in range(given.turns):
            for own, run in zip(times, engines, strict=True):
                own.append(turn(run, given.turn_ms))
        cells = [f"{min(own):.0f} ({statistics.median(own):.0f})" for own in times]
        size = f"{layer.side}, {layer.inputs}" + (f" to {layer.outputs}" if layer.outputs else "")
        print(f"| {layer.name}, {size} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
